//! Kernels that `ikra_ptx::repeat` makes a loop of: the same memory as after the launches that it replaces.

#![allow(clippy::result_large_err, reason = "a fault ends a launch: its size costs nothing")]

use std::sync::Arc;

use ikra_emulator::machine::{Device, Fault, FaultKind, Launch, LoadedProgram, Options, Program};
use ikra_ptx::Module;
use ikra_ptx::repeat::{Iteration, Launch as Repeated, inverse, repeated, repeated_over};

/// Kernels as compilers write them. `spread` and `back` return early and read through the cache of constants, `fold` has a
/// barrier and both kinds of shared memory, `total` lets the last of its blocks add, `decide` ends the loop.
const KERNELS: &str = "
.version 7.0
.target sm_75
.address_size 64
.extern .shared .align 16 .b8 dynamic[];
.visible .entry spread(.param .u64 from, .param .u64 to, .param .u32 n)
{
	.reg .pred %p<3>;
	.reg .b32 %r<9>;
	.reg .b64 %rd<7>;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %tid.x;
	mad.lo.s32 %r4, %r1, %r2, %r3;
	ld.param.u32 %r5, [n];
	setp.ge.u32 %p1, %r4, %r5;
	@%p1 ret;
	ld.param.u64 %rd1, [from];
	mul.wide.u32 %rd2, %r4, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.nc.u32 %r6, [%rd3];
	add.s32 %r7, %r4, 7;
	rem.u32 %r7, %r7, %r5;
	mul.wide.u32 %rd4, %r7, 4;
	add.s64 %rd4, %rd1, %rd4;
	ld.global.nc.u32 %r8, [%rd4];
	add.s32 %r6, %r6, %r8;
	ld.param.u64 %rd5, [to];
	add.s64 %rd6, %rd5, %rd2;
	st.global.u32 [%rd6], %r6;
	exit;
}
.visible .entry back(.param .u64 from, .param .u64 to, .param .u32 n)
{
	.reg .pred %p<2>;
	.reg .b32 %r<7>;
	.reg .b64 %rd<5>;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %tid.x;
	mad.lo.s32 %r4, %r1, %r2, %r3;
	ld.param.u32 %r5, [n];
	setp.lt.u32 %p1, %r4, %r5;
	@%p1 bra works;
	ret;
works:
	ld.param.u64 %rd1, [from];
	mul.wide.u32 %rd2, %r4, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.nc.u32 %r6, [%rd3];
	mad.lo.s32 %r6, %r6, 3, 1;
	ld.param.u64 %rd4, [to];
	add.s64 %rd4, %rd4, %rd2;
	st.global.u32 [%rd4], %r6;
	ret;
}
.visible .entry fold(.param .u64 from, .param .u64 parts, .param .u32 n)
{
	.shared .align 4 .u32 first;
	.reg .pred %p<4>;
	.reg .b32 %r<12>;
	.reg .b64 %rd<6>;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %tid.x;
	mad.lo.s32 %r4, %r1, %r2, %r3;
	ld.param.u32 %r5, [n];
	mov.b32 %r6, 0;
	setp.ge.u32 %p1, %r4, %r5;
	@%p1 bra outside;
	ld.param.u64 %rd1, [from];
	mul.wide.u32 %rd2, %r4, 4;
	add.s64 %rd1, %rd1, %rd2;
	ld.global.u32 %r6, [%rd1];
outside:
	mov.u32 %r7, dynamic;
	mad.lo.s32 %r8, %r3, 4, %r7;
	st.shared.u32 [%r8], %r6;
	setp.ne.u32 %p2, %r3, 0;
	@%p2 bra all;
	st.shared.u32 [first], %r6;
all:
	barrier.sync 0;
	mov.b32 %r9, 0;
	mov.b32 %r10, 0;
more:
	ld.shared.u32 %r11, [%r7];
	mad.lo.s32 %r10, %r10, 5, %r11;
	add.s32 %r7, %r7, 4;
	add.s32 %r9, %r9, 1;
	setp.lt.u32 %p3, %r9, %r2;
	@%p3 bra more;
	ld.shared.u32 %r11, [first];
	add.s32 %r10, %r10, %r11;
	@%p2 bra over;
	ld.param.u64 %rd3, [parts];
	mul.wide.u32 %rd4, %r1, 4;
	add.s64 %rd3, %rd3, %rd4;
	st.global.u32 [%rd3], %r10;
over:
	ret;
}
.visible .entry total(.param .u64 parts, .param .u64 done, .param .u64 to)
{
	.reg .pred %p<4>;
	.reg .b32 %r<9>;
	.reg .b64 %rd<6>;
	mov.u32 %r1, %tid.x;
	setp.ne.u32 %p1, %r1, 0;
	@%p1 bra over;
	mov.u32 %r2, %nctaid.x;
	mov.u32 %r3, %ctaid.x;
	ld.param.u64 %rd1, [parts];
	mul.wide.u32 %rd2, %r3, 4;
	add.s64 %rd2, %rd1, %rd2;
	ld.global.u32 %r4, [%rd2];
	add.s32 %r4, %r4, %r3;
	st.global.u32 [%rd2], %r4;
	ld.param.u64 %rd3, [done];
	fence.acq_rel.gpu;
	atom.relaxed.gpu.global.add.u32 %r5, [%rd3], 1;
	fence.acq_rel.gpu;
	add.s32 %r5, %r5, 1;
	setp.ne.u32 %p2, %r5, %r2;
	@%p2 bra over;
	st.global.u32 [%rd3], 0;
	mov.b32 %r6, 0;
	mov.b32 %r7, 0;
more:
	ld.global.u32 %r8, [%rd1];
	mad.lo.s32 %r6, %r6, 7, %r8;
	add.s64 %rd1, %rd1, 4;
	add.s32 %r7, %r7, 1;
	setp.lt.u32 %p3, %r7, %r2;
	@%p3 bra more;
	ld.param.u64 %rd4, [to];
	st.global.u32 [%rd4], %r6;
over:
	ret;
}
.visible .entry decide(.param .u64 total, .param .u64 state, .param .u32 last)
{
	.reg .pred %p<2>;
	.reg .b32 %r<6>;
	.reg .b64 %rd<3>;
	mov.u32 %r1, %tid.x;
	setp.ne.u32 %p1, %r1, 0;
	@%p1 ret;
	ld.param.u64 %rd1, [total];
	ld.param.u64 %rd2, [state];
	ld.global.u32 %r2, [%rd1];
	ld.global.u32 %r3, [%rd2+4];
	add.s32 %r3, %r3, 1;
	st.global.u32 [%rd2+4], %r3;
	xor.b32 %r2, %r2, %r3;
	st.global.u32 [%rd2+8], %r2;
	ld.param.u32 %r4, [last];
	setp.lt.u32 %p1, %r3, %r4;
	selp.b32 %r5, 1, 0, %p1;
	st.global.u8 [%rd2], %r5;
	ret;
}
.visible .entry fail(.param .u64 state, .param .u32 at)
{
	.reg .pred %p<2>;
	.reg .b32 %r<3>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [state];
	ld.global.u32 %r1, [%rd1+4];
	ld.param.u32 %r2, [at];
	setp.eq.u32 %p1, %r1, %r2;
	@%p1 trap;
	ret;
}
";

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// A launch: a kernel, blocks, threads, bytes of shared memory, and arguments with their bytes.
#[derive(Clone)]
struct One {
    kernel: &'static str,
    blocks: u32,
    threads: u32,
    shared: u32,
    arguments: Vec<(u64, usize)>,
}

/// The memory of a loop.
struct Memory {
    device: Device,
    values: [u64; 2],
    parts: u64,
    numbers: u64,
}

const COUNT: u32 = 300;
const PARTS: u32 = 16;

impl Memory {
    fn new(options: Options) -> Self {
        let device = Device::new(options);
        let filled = |values: Vec<u32>| {
            let address = device.allocate(values.len() * 4, "values").unwrap();
            device.write(address, &values.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<_>>()).unwrap();
            address
        };
        let values = [filled((0..COUNT).map(|n| n * n + 1).collect()), filled(vec![5; COUNT as usize])];
        let parts = filled(vec![0; PARTS as usize]);
        // Whether it goes on and the rounds, the counter of blocks, a total, the report, and the counter of arrivals.
        let numbers = filled(vec![1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        Self { device, values, parts, numbers }
    }

    fn state(&self) -> [Vec<u32>; 4] {
        let read = |address, count: u32| {
            let mut bytes = vec![0; count as usize * 4];
            self.device.read(address, &mut bytes).unwrap();
            bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
        };
        [read(self.values[0], COUNT), read(self.values[1], COUNT), read(self.parts, PARTS), read(self.numbers, 5)]
    }

    /// The number of a memory of launches.
    fn number(&self, address: u64) -> u32 {
        let [a, b] = self.values;
        let all = [a, b, self.parts, self.numbers, self.numbers + 12, self.numbers + 16];
        all.iter().position(|&known| known == address).unwrap() as u32
    }

    /// The memories of a launch. Iterations that alternate exchange the first two.
    fn reach(&self, one: &One) -> Vec<u32> {
        let addresses = one.arguments.iter().filter(|(_, size)| *size == 8);
        addresses.map(|&(address, _)| self.number(address)).collect()
    }

    /// Random launches, and one that decides whether there is another iteration.
    fn launches(&self, random: &mut Random, rounds: u32) -> Vec<One> {
        let mut all = Vec::new();
        for _ in 0..1 + random.below(5) {
            let threads = 32 * (1 + random.below(4)) as u32;
            let [a, b] = if random.below(2) == 0 { self.values } else { [self.values[1], self.values[0]] };
            let (blocks, n) = (COUNT.div_ceil(threads), (u64::from(COUNT), 4));
            all.push(match random.below(4) {
                0 => One { kernel: "spread", blocks, threads, shared: 0, arguments: vec![(a, 8), (b, 8), n] },
                1 => One { kernel: "back", blocks: blocks + 2, threads, shared: 0, arguments: vec![(a, 8), (b, 8), n] },
                2 => {
                    let arguments = vec![(a, 8), (self.parts, 8), n];
                    One { kernel: "fold", blocks, threads, shared: threads * 4, arguments }
                }
                _ => {
                    let arguments = vec![(self.parts, 8), (self.numbers + 12, 8), (self.numbers + 16, 8)];
                    One {
                        kernel: "total",
                        blocks: 1 + random.below(PARTS.into()) as u32,
                        threads,
                        shared: 0,
                        arguments,
                    }
                }
            });
        }
        let arguments = vec![(self.numbers + 16, 8), (self.numbers, 8), (rounds.into(), 4)];
        all.push(One { kernel: "decide", blocks: 1, threads: 32, shared: 0, arguments });
        all
    }
}

fn loaded(device: &Device, text: &str) -> LoadedProgram {
    device.load(Arc::new(Program::load(text).unwrap_or_else(|error| panic!("{error}\n{text}")))).unwrap()
}

/// The arguments as bytes, each at a multiple of its size.
fn bytes(arguments: impl IntoIterator<Item = (u64, usize)>) -> Vec<u8> {
    let mut bytes: Vec<u8> = Vec::new();
    for (argument, size) in arguments {
        bytes.resize(bytes.len().next_multiple_of(size), 0);
        bytes.extend(&argument.to_le_bytes()[..size]);
    }
    bytes
}

/// One after another, as a host starts them.
fn launched(memory: &Memory, program: &LoadedProgram, launches: &[One], most: u64) -> Result<u64, Fault> {
    let mut ended = 0;
    while ended < most && memory.state()[3][0] & 255 != 0 {
        for One { kernel, blocks, threads, shared, arguments } in launches {
            let launch = Launch {
                grid: [*blocks, 1, 1],
                block: [*threads, 1, 1],
                shared_bytes: *shared,
                arguments: bytes(arguments.iter().copied()),
                ..Launch::default()
            };
            memory.device.launch(program, program.program().kernel(kernel).unwrap(), &launch)?;
        }
        ended += 1;
    }
    Ok(ended)
}

/// All in one kernel with so many blocks of at least so many threads; returns the report, too.
fn in_one(memory: &Memory, launches: &[One], most: u64, size: [u32; 2]) -> (Result<(), Fault>, u64) {
    alternating(memory, &[launches], memory.numbers, most, size)
}

/// As above, with iterations that alternate, and the address of the byte that ends the loop.
fn alternating(
    memory: &Memory,
    iterations: &[&[One]],
    going: u64,
    most: u64,
    [blocks, threads]: [u32; 2],
) -> (Result<(), Fault>, u64) {
    // Blocks need not wait for each other between launches that have no memory in common.
    let reaches: Vec<Vec<u32>> = iterations[0].iter().map(|one| memory.reach(one)).collect();
    let launches: Vec<Repeated<'_>> = (iterations[0].iter().zip(&reaches))
        .map(|(one, reach)| Repeated { kernel: one.kernel, length: None, reach: Some(reach) })
        .collect();
    let test = if going == 0 { vec![] } else { vec![memory.number(going)] };
    let iteration =
        Iteration { launches: &launches, has_list: false, alternating: iterations.len(), test: Some(&test) };
    let made = repeated_over(&Module::parse(KERNELS).unwrap(), &iteration, "all", &|_| false).unwrap().module;
    let program = loaded(&memory.device, &made.to_string());
    let (report, arrived) = (memory.numbers + 24, memory.numbers + 32);
    let decides_first = u64::from(launches[0].kernel == "decide");
    let own = [(going, 8), (report, 8), (most, 8), (arrived, 8), (decides_first, 4)];
    let (mut all, launches) = (own.to_vec(), || iterations.iter().copied().flatten());
    for one in launches() {
        all.extend([one.blocks, one.threads, inverse(one.threads)].map(|number| (u64::from(number), 4)));
        all.extend(&one.arguments);
    }
    let launch = Launch {
        grid: [blocks, 1, 1],
        block: [launches().map(|one| one.threads).max().unwrap().max(threads), 1, 1],
        shared_bytes: launches().map(|one| one.shared).max().unwrap(),
        arguments: bytes(all),
        stack_bytes: 0,
        is_cooperative: true,
    };
    let done = memory.device.launch(&program, program.program().kernel("all").unwrap(), &launch).map(drop);
    let mut word = [0; 8];
    memory.device.read(report, &mut word).unwrap();
    (done, u64::from_le_bytes(word))
}

#[test]
fn a_loop_is_the_launches_that_it_replaces() {
    for seed in 0..40 {
        let mut random = Random(seed);
        let rounds = random.below(4) as u32 + 1;
        let most = if random.below(4) == 0 { 2 } else { 1000 };
        let options = Options { seed, threads: 1 + seed as usize % 2, ..Options::default() };
        let one_by_one = Memory::new(options.clone());
        let mut launches = one_by_one.launches(&mut random, rounds);
        // Sometimes the byte is written by the first launch, and read again at once.
        if seed % 5 == 0 {
            launches.rotate_right(1);
        }
        if seed % 10 == 0 {
            launches.truncate(1);
        }
        let program = loaded(&one_by_one.device, KERNELS);
        let ended = launched(&one_by_one, &program, &launches, most).unwrap_or_else(|fault| panic!("{fault}"));
        assert_eq!(ended, most.min(rounds.into()), "seed {seed}");
        for blocks in [[1, 32], [2, 32], [3, 32], [8, 32], [1, 352], [3, 224], [7, 64]] {
            let memory = Memory::new(options.clone());
            assert_eq!(memory.numbers, one_by_one.numbers, "devices of one number have the same addresses");
            let (done, report) = in_one(&memory, &launches, most, blocks);
            done.unwrap_or_else(|fault| panic!("seed {seed}, {blocks:?} blocks: {fault}"));
            assert_eq!(report, ended << 8, "seed {seed}, {blocks:?} blocks");
            assert_eq!(memory.state(), one_by_one.state(), "seed {seed}, {blocks:?} blocks");
        }
    }
}

/// Iterations that read one memory and write the other one by turns, a number of times or until the byte is 0.
#[test]
fn iterations_alternate() {
    for (most, rounds) in [(0, 9), (1, 9), (4, 9), (7, 9), (1000, 3), (1000, 6)] {
        let iterations = |memory: &Memory| {
            let [a, b] = memory.values;
            [(a, b, 10), (b, a, 11)].map(|(from, to, blocks)| {
                let arguments = vec![(from, 8), (to, 8), (COUNT.into(), 4)];
                let decided = vec![(memory.numbers + 16, 8), (memory.numbers, 8), (rounds, 4)];
                let spread = One { kernel: "spread", blocks, threads: 32, shared: 0, arguments };
                [spread, One { kernel: "decide", blocks: 1, threads: 32, shared: 0, arguments: decided }]
            })
        };
        let one_by_one = Memory::new(Options::default());
        let program = loaded(&one_by_one.device, KERNELS);
        let (all, ended) = (iterations(&one_by_one), most.min(rounds));
        for n in 0..ended {
            launched(&one_by_one, &program, &all[n as usize % 2], 1).unwrap();
        }
        for size in [[1, 64], [3, 32]] {
            let memory = Memory::new(Options::default());
            let all = iterations(&memory);
            // Where the byte does not end it, it need not be looked at.
            let going = if most > rounds { memory.numbers } else { 0 };
            let (done, report) = alternating(&memory, &[&all[0], &all[1]], going, most, size);
            done.unwrap_or_else(|fault| panic!("{most}, {rounds}: {fault}"));
            assert_eq!((report >> 8, memory.state()), (ended, one_by_one.state()), "{most}, {rounds}");
        }
    }
}

#[test]
fn no_iteration_writes_nothing() {
    for (goes_on, most) in [(0_u32, 1000), (1, 0)] {
        let memory = Memory::new(Options::default());
        memory.device.write(memory.numbers, &goes_on.to_le_bytes()).unwrap();
        let before = memory.state();
        let launches = memory.launches(&mut Random(1), 3);
        let (done, report) = in_one(&memory, &launches, most, [3, 32]);
        done.unwrap();
        assert_eq!((memory.state(), report), (before, 0));
    }
}

#[test]
fn a_launch_that_fails_is_reported() {
    for blocks in [[1, 32], [3, 256]] {
        let memory = Memory::new(Options::default());
        let mut launches = memory.launches(&mut Random(2), 9);
        let place = launches.len() - 1;
        let arguments = vec![(memory.numbers, 8), (5, 4)];
        launches.insert(place, One { kernel: "fail", blocks: 3, threads: 32, shared: 0, arguments });
        let (done, report) = in_one(&memory, &launches, 1000, blocks);
        assert_eq!(done.unwrap_err().kind, FaultKind::Trap);
        // Another block may fail before the first one has noted the launch.
        let noted = 5 << 8 | place as u64;
        assert!(report == noted || blocks[0] > 1 && report == noted - 1, "{report:#x}, {blocks:?}");
    }
}

/// A launch that can fail beside others, between which blocks do not wait: the report is its, in the iteration.
#[test]
fn a_launch_that_fails_beside_others_is_reported() {
    for (blocks, place) in [(1, 0), (1, 3), (3, 0), (3, 3)] {
        let memory = Memory::new(Options { seed: blocks.into(), ..Options::default() });
        let [a, b] = memory.values;
        let arguments = vec![(a, 8), (b, 8), (u64::from(COUNT), 4)];
        let back = One { kernel: "back", blocks: 10, threads: 32, shared: 0, arguments };
        let decided = vec![(memory.numbers + 16, 8), (memory.numbers, 8), (9, 4)];
        let decide = One { kernel: "decide", blocks: 1, threads: 32, shared: 0, arguments: decided };
        let mut launches = vec![back.clone(), decide, back];
        // It reads the number of rounds, so that it is beside none but `back`.
        let arguments = vec![(memory.numbers, 8), (5, 4)];
        launches.insert(place, One { kernel: "fail", blocks: 1, threads: 32, shared: 0, arguments });
        let (done, report) = in_one(&memory, &launches, 1000, [blocks, 32]);
        assert_eq!(done.unwrap_err().kind, FaultKind::Trap);
        // After `decide`, the number is that of the next iteration.
        let iteration = if place == 0 { 5 } else { 4 };
        assert_eq!(report, iteration << 8 | place as u64, "{blocks}, {place}");
    }
}

/// Without release and acquire, the emulator would find races here: it knows no other order between blocks.
#[test]
fn blocks_are_ordered_by_release_and_acquire_alone() {
    let memory = Memory::new(Options::default());
    let [a, b] = memory.values;
    let arguments = |from, to| vec![(from, 8), (to, 8), (u64::from(COUNT), 4)];
    let one = |kernel, arguments| One { kernel, blocks: 10, threads: 32, shared: 0, arguments };
    let launches = [one("spread", arguments(a, b)), one("spread", arguments(b, a))];
    let kernels: Vec<&str> = launches.iter().map(|one| one.kernel).collect();
    let made = repeated(&Module::parse(KERNELS).unwrap(), &kernels, 1, "all", &|_| false).unwrap().module.to_string();
    let program =
        loaded(&memory.device, &made.replace("red.release", "red.relaxed").replace("ld.acquire", "ld.relaxed"));
    let own = [(memory.numbers, 8), (memory.numbers + 24, 8), (5, 8), (memory.numbers + 32, 8), (0, 4)];
    let of_launches =
        launches.iter().flat_map(|one| [&[(10, 4), (32, 4), (inverse(32).into(), 4)], &one.arguments[..]].concat());
    let launch = Launch {
        grid: [10, 1, 1],
        block: [32, 1, 1],
        arguments: bytes(own.into_iter().chain(of_launches)),
        is_cooperative: true,
        ..Launch::default()
    };
    let fault = memory.device.launch(&program, program.program().kernel("all").unwrap(), &launch).unwrap_err();
    assert!(matches!(fault.kind, FaultKind::Race { .. }), "{fault}");
}

#[test]
fn more_blocks_than_run_at_once_are_refused() {
    let memory = Memory::new(Options::default());
    let launches = memory.launches(&mut Random(3), 3);
    let (done, _) = in_one(&memory, &launches, 1, [1000, 32]);
    assert_eq!(done.unwrap_err().kind, FaultKind::InvalidLaunch);
}
