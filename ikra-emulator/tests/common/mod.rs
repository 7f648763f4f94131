//! Programs of a few lines, and launches of them.

#![allow(dead_code, reason = "not every test uses all of it")]

use std::sync::Arc;

use ikra_emulator::machine::{Counts, Device, Fault, Launch, LoadedProgram, Options, Program};

/// A kernel `k` with parameters `p0`, `p1`, … of 64 bits, and registers of all types.
pub fn kernel(parameters: usize, body: &str) -> String {
    let parameters = (0..parameters).map(|n| format!(".param .u64 p{n}")).collect::<Vec<_>>().join(",\n");
    format!(
        ".visible .entry k(\n{parameters}\n)\n{{\n.reg .pred %p<20>;\n.reg .b16 %h<20>;\n.reg .b32 %r<60>;\n.reg .b64 %rd<60>;\n\
         .reg .f32 %f<20>;\n.reg .f64 %d<20>;\n{body}\n}}\n"
    )
}

/// A program and its device.
pub struct Bench {
    pub device: Device,
    pub program: LoadedProgram,
}

impl Bench {
    pub fn new(text: &str, options: Options) -> Self {
        let text = format!(".version 8.0\n.target sm_80\n.address_size 64\n{text}");
        let program = Program::load(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let device = Device::new(options);
        let program = device.load(Arc::new(program)).unwrap();
        Self { device, program }
    }

    /// Memory with these values.
    pub fn values(&self, values: &[u32]) -> u64 {
        let address = self.device.allocate(values.len() * 4, "values").unwrap();
        self.device.write(address, &values.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<_>>()).unwrap();
        address
    }

    /// Values of memory.
    pub fn read(&self, address: u64, count: usize) -> Vec<u32> {
        let mut bytes = vec![0; count * 4];
        self.device.read(address, &mut bytes).unwrap();
        bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
    }

    pub fn launch(&self, blocks: u32, threads: u32, arguments: &[u64]) -> Result<Counts, Fault> {
        self.launch_with(blocks, threads, arguments, 0, 4096)
    }

    pub fn launch_with(
        &self,
        blocks: u32,
        threads: u32,
        arguments: &[u64],
        shared_bytes: u32,
        stack_bytes: usize,
    ) -> Result<Counts, Fault> {
        let kernel = self.program.program().kernel("k").unwrap();
        let launch = Launch {
            grid: [blocks, 1, 1],
            block: [threads, 1, 1],
            shared_bytes,
            arguments: arguments.iter().flat_map(|n| n.to_le_bytes()).collect(),
            stack_bytes,
            is_cooperative: false,
        };
        self.device.launch(&self.program, kernel, &launch)
    }
}

/// Runs a kernel with one parameter: `count` values, which are 0 before, and returns them. With several seeds and numbers of host
/// threads, all results must be the same.
pub fn run(text: &str, blocks: u32, threads: u32, count: usize) -> Vec<u32> {
    let mut first = None;
    for seed in 0..6 {
        for cores in [1, 3] {
            let bench = Bench::new(text, Options { seed, threads: cores, ..Options::default() });
            let address = bench.values(&vec![0; count]);
            bench
                .launch(blocks, threads, &[address])
                .unwrap_or_else(|fault| panic!("seed {seed}, {cores} threads: {fault}"));
            let values = bench.read(address, count);
            let first = first.get_or_insert_with(|| values.clone());
            assert_eq!(*first, values, "seed {seed}, {cores} threads");
        }
    }
    first.unwrap()
}

/// The fault of a kernel with one parameter: `count` values, which are 0 before.
pub fn fault(text: &str, blocks: u32, threads: u32, count: usize) -> Fault {
    let bench = Bench::new(text, Options { instruction_limit: 1_000_000, ..Options::default() });
    let address = bench.values(&vec![0; count]);
    bench.launch(blocks, threads, &[address]).expect_err("the kernel has a fault")
}

/// Loads `%rd1` with the first parameter and `%rd2` with the address of the thread's value; `%r1` is the thread's index in the
/// block, `%r2` the one in the grid.
pub const OWN: &str = "
    ld.param.u64 %rd1, [p0];
    mov.u32 %r1, %tid.x;
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mad.lo.s32 %r2, %r3, %r4, %r1;
    mul.wide.u32 %rd3, %r2, 4;
    add.s64 %rd2, %rd1, %rd3;
";
