//! How many thread instructions a core executes per second, with all checks: `cargo run --release -p ikra-emulator --example speed`.

use std::{sync::Arc, time::Instant};

use ikra_emulator::machine::{Checks, Device, Launch, Options, Program};

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p0, .param .u64 p1)\n{
.reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n.reg .f32 %f<16>;
ld.param.u64 %rd1, [p0];\nld.param.u64 %rd2, [p1];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;
mad.lo.s32 %r4, %r2, %r3, %r1;\nmul.wide.u32 %rd3, %r4, 4;\nadd.s64 %rd4, %rd1, %rd3;\nadd.s64 %rd5, %rd2, %rd3;\n";

/// Arithmetic in a loop.
const COMPUTE: &str = "
mov.b32 %r5, 0;\ncvt.rn.f32.u32 %f1, %r4;\nmov.b32 %f2, 0f3F000000;
loop:
mul.rn.f32 %f3, %f1, %f2;\nadd.rn.f32 %f1, %f3, %f2;\nsub.rn.f32 %f4, %f1, %f3;\nadd.rn.f32 %f1, %f1, %f4;
xor.b32 %r6, %r5, %r4;\nshl.b32 %r7, %r6, 3;\nadd.s32 %r8, %r7, %r6;\nadd.s32 %r5, %r5, 1;
setp.lt.u32 %p1, %r5, 200;\n@%p1 bra loop;
st.global.f32 [%rd5], %f1;\nret;\n}\n";

/// Loads and stores, with little else.
const MEMORY: &str = "
mov.b32 %r5, 0;
loop:
ld.global.u32 %r6, [%rd4];\nld.global.u32 %r7, [%rd5];\nadd.s32 %r8, %r6, %r7;\nst.global.u32 [%rd5], %r8;
add.s32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 100;\n@%p1 bra loop;
ret;\n}\n";

/// Lanes whose loops end one after the other, with branches inside.
const DIVERGENT: &str = "
mov.b32 %r5, 0;\nand.b32 %r9, %r4, 31;\nadd.s32 %r9, %r9, 40;\nmov.b32 %r6, 1;
loop:
add.s32 %r7, %r5, %r4;\nand.b32 %r8, %r7, 3;\nsetp.eq.b32 %p1, %r8, 0;\n@%p1 bra other;
mad.lo.s32 %r6, %r6, 5, %r7;\nbra.uni next;
other:
xor.b32 %r6, %r6, %r7;\nshr.u32 %r10, %r6, 1;\nadd.s32 %r6, %r6, %r10;
next:
add.s32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, %r9;\n@%p2 bra loop;
st.global.u32 [%rd5], %r6;\nret;\n}\n";

fn main() {
    let cores = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1);
    for (name, text) in [("compute", COMPUTE), ("memory", MEMORY), ("divergent", DIVERGENT)] {
        for (checks, what) in [(Checks::default(), "all checks"), (Checks::NONE, "no checks")] {
            let program = Arc::new(Program::load(&format!("{HEAD}{text}")).expect("the program is right"));
            let device = Device::new(Options { threads: cores, checks, ..Options::default() });
            let loaded = device.load(Arc::clone(&program)).expect("there is memory");
            let (blocks, threads) = (64, 256);
            let bytes = blocks as usize * threads as usize * 4;
            let [a, b] = ["a", "b"].map(|name| device.allocate(bytes, name).expect("there is memory"));
            for address in [a, b] {
                device.fill(address, 1, bytes).expect("the memory is there");
            }
            let arguments = [a, b].iter().flat_map(|n| n.to_le_bytes()).collect();
            let launch = Launch { grid: [blocks, 1, 1], block: [threads, 1, 1], arguments, ..Launch::default() };
            let kernel = program.kernel("k").expect("there is one");
            let mut best = 0.0f64;
            for _ in 0..5 {
                let start = Instant::now();
                let counts = device.launch(&loaded, kernel, &launch).unwrap_or_else(|fault| panic!("{fault}"));
                let seconds = start.elapsed().as_secs_f64();
                best = best.max(counts.thread_instructions() as f64 / seconds / 1e6);
            }
            println!("{name:10} {what:10}: {best:6.0} million thread instructions per second on {cores} host threads");
        }
    }
}
