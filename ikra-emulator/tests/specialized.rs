//! Kernels for fixed data do the same as general ones.

#![allow(clippy::result_large_err, reason = "a fault ends a launch: its size costs nothing")]

mod common;

#[path = "common/generate.rs"]
mod generate;

use std::{
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
};

use generate::{Random, TABLE, WORDS, Writer};
use ikra_emulator::machine::{Counts, Device, Launch, Options, Program};
use ikra_ptx::{
    Module,
    specialize::{Argument, Budget, Known, Memory, Report, specialize},
};

/// A module with this kernel.
fn parsed(text: &str) -> Module {
    let module = Module::parse(&format!(".version 8.0\n.target sm_75\n.address_size 64\n{text}"));
    module.unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Runs a kernel on a device.
fn launch(device: &Device, text: &str, kernel: &str, threads: u32, arguments: &[u8]) -> Counts {
    let program = Program::load(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let loaded = device.load(Arc::new(program)).unwrap();
    let kernel = loaded.program().kernel(kernel).unwrap();
    let launch = Launch {
        grid: [1; 3],
        block: [threads, 1, 1],
        shared_bytes: 0,
        arguments: arguments.to_vec(),
        stack_bytes: 4096,
        is_cooperative: false,
    };
    device.launch(&loaded, kernel, &launch).unwrap_or_else(|fault| panic!("{fault}\n{text}"))
}

/// Assembles a program, if `IKRA_PTXAS` names an assembler.
fn assemble(text: &str) {
    let Some(ptxas) = std::env::var_os("IKRA_PTXAS") else { return };
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let name = format!("ikra-specialized-{}-{}.ptx", std::process::id(), COUNT.fetch_add(1, SeqCst));
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, text).unwrap();
    for arch in ["sm_75", "sm_90"] {
        let output = Command::new(&ptxas).args(["-arch", arch, "-o", "/dev/null"]).arg(&path).output().unwrap();
        assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
    }
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn random_programs_give_the_same_bits() {
    let cases: u64 = std::env::var("IKRA_CASES").map_or(300, |cases| cases.parse().unwrap());
    let first: u64 = std::env::var("IKRA_SEED").map_or(0, |seed| seed.parse().unwrap());
    let mut sums = Report::default();
    for seed in first..first + cases {
        let writer = Writer::new(seed);
        let mut random = Random::new(!seed);
        let text = writer.program();
        let module = parsed(&text);
        let device = Device::new(Options { seed, ..Options::default() });
        // One whole warp and another one.
        let threads = 64;
        let len = (threads * WORDS * 4) as usize;
        let result = device.allocate(len, "result").unwrap();
        let bytes = |random: &mut Random| -> Vec<u8> {
            let number = |random: &mut Random| match random.below(4) {
                0 => random.below(4) as u32,
                1 => (random.below(2000) as f32 / 8.0).to_bits(),
                2 => random.next() as u32,
                _ => random.below(40) as u32,
            };
            (0..TABLE / 4).flat_map(|_| number(random).to_le_bytes()).collect()
        };
        let (table_bytes, data_bytes) = (bytes(&mut random), bytes(&mut random));
        let table = device.allocate(TABLE, "table").unwrap();
        let data = device.allocate(TABLE, "data").unwrap();
        device.write(table, &table_bytes).unwrap();
        device.write(data, &data_bytes).unwrap();
        let number = random.below(9) as u32;
        let mut arguments: Vec<u8> = [result, table, data].iter().flat_map(|word| word.to_le_bytes()).collect();
        arguments.extend(number.to_le_bytes());
        let run = |text: &str, kernel: &str| {
            device.write(result, &vec![0; len]).unwrap();
            launch(&device, text, kernel, threads, &arguments);
            let mut bytes = vec![0; len];
            device.read(result, &mut bytes).unwrap();
            bytes
        };
        let general = run(&module.to_string(), "k");
        for budget in [
            Budget::default(),
            Budget { instructions: 500, ..Budget::default() },
            Budget { versions: 2, ..Budget::default() },
            Budget { steps: 150, ..Budget::default() },
        ] {
            let mut known = Known::default();
            for (parameter, at) in [(0, 0), (1, 8), (2, 16), (3, 24)] {
                if random.below(4) > u64::from(parameter == 0) {
                    let bytes = &arguments[at..(at + 8).min(arguments.len())];
                    known.parameters.push(Argument { parameter, offset: 0, bytes });
                }
            }
            if !random.once_in(8) {
                known.memory.push(Memory { address: table, bytes: &table_bytes });
            }
            if random.once_in(3) {
                known.memory.push(Memory { address: data, bytes: &data_bytes[..40] });
            }
            let (new, report) = match specialize(&module, "k", "special", &known, &budget) {
                Ok(made) => made,
                Err(reason) => {
                    assert!(budget.instructions < 1000 && reason.reason.contains("500 instructions"), "{reason}");
                    continue;
                }
            };
            assert!(report.after <= budget.instructions);
            let printed = new.to_string();
            if seed % 20 == 0 {
                assemble(&printed);
            }
            let special = run(&printed, "special");
            assert!(general == special, "seed {seed}, {budget:?}\n{report}\n{known:?}\n{text}\n{printed}");
            sums.loads += report.loads;
            sums.branches += report.branches;
            sums.iterations += report.iterations;
            sums.widened += report.widened;
            sums.rolled += report.rolled;
        }
    }
    if cases >= 300 {
        // The programs contain what is tested.
        assert!(sums.loads > 1000 && sums.branches > 1000 && sums.iterations > 1000, "{sums}");
        assert!(sums.widened > 100 && sums.rolled > 100, "{sums}");
    }
}

/// Runs a kernel with 64-bit parameters, generally and specialised for some of them and for some memory; the results in
/// `len` words of output, the first parameter, must be equal. Returns the counts of both, the report and the text.
fn compared(
    text: &str,
    inputs: &[&[u8]],
    numbers: &[u64],
    known_parameters: &[usize],
    known_inputs: &[usize],
    threads: u32,
) -> (Counts, Counts, Report, String) {
    let module = parsed(text);
    let device = Device::new(Options::default());
    let len = threads as usize * 4;
    let result = device.allocate(len, "result").unwrap();
    let mut words = vec![result];
    for bytes in inputs {
        let address = device.allocate(bytes.len(), "input").unwrap();
        device.write(address, bytes).unwrap();
        words.push(address);
    }
    words.extend(numbers);
    let arguments: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let known = Known {
        parameters: known_parameters
            .iter()
            .map(|&parameter| Argument { parameter, offset: 0, bytes: &arguments[parameter * 8..][..8] })
            .collect(),
        memory: known_inputs.iter().map(|&n| Memory { address: words[n + 1], bytes: inputs[n] }).collect(),
        ..Known::default()
    };
    let (new, report) = specialize(&module, "k", "special", &known, &Budget::default()).unwrap();
    let printed = new.to_string();
    assemble(&printed);
    let run = |text: &str, kernel: &str| {
        device.write(result, &vec![0; len]).unwrap();
        let counts = launch(&device, text, kernel, threads, &arguments);
        let mut bytes = vec![0; len];
        device.read(result, &mut bytes).unwrap();
        (counts, bytes)
    };
    let (before, expected) = run(&module.to_string(), "k");
    let (after, found) = run(&printed, "special");
    assert_eq!(expected, found, "{report}\n{printed}");
    assert!(expected.iter().any(|&byte| byte != 0), "the kernel does something");
    println!(
        "{} → {} instructions per thread\n{report}",
        before.thread_instructions() / u64::from(threads),
        after.thread_instructions() / u64::from(threads)
    );
    (before, after, report, printed)
}

/// `.param .u64` names, registers.
fn kernel(parameters: &str, body: &str) -> String {
    let parameters: Vec<String> = parameters.split(' ').map(|name| format!(".param .u64 {name}")).collect();
    format!(
        ".visible .entry k(\n{}\n)\n{{\n.reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<32>;\n.reg .f32 %f<8>;\n{body}\n}}\n",
        parameters.join(",\n")
    )
}

#[test]
fn patterns_of_files_become_code() {
    // Each thread compares the bytes from its own position on with each pattern: its length, then its bytes, up to 8.
    let text = kernel(
        "result patterns data count",
        "
    ld.param.u64 %rd1, [result];
    ld.param.u64 %rd2, [patterns];
    ld.param.u64 %rd3, [data];
    ld.param.u32 %r1, [count];
    mov.u32 %r2, %tid.x;
    cvt.u64.u32 %rd4, %r2;
    add.s64 %rd5, %rd3, %rd4;
    mov.b32 %r3, 0;
    mov.b32 %r4, 0;
pattern:
    setp.ge.u32 %p1, %r3, %r1;
    @%p1 bra done;
    mul.wide.u32 %rd6, %r3, 9;
    add.s64 %rd7, %rd2, %rd6;
    ld.global.u8 %r5, [%rd7];
    mov.b32 %r6, 0;
byte:
    setp.ge.u32 %p2, %r6, %r5;
    @%p2 bra found;
    cvt.u64.u32 %rd8, %r6;
    add.s64 %rd9, %rd7, %rd8;
    ld.global.u8 %r7, [%rd9+1];
    add.s64 %rd10, %rd5, %rd8;
    ld.global.u8 %r8, [%rd10];
    setp.ne.s32 %p3, %r7, %r8;
    @%p3 bra next;
    add.s32 %r6, %r6, 1;
    bra.uni byte;
found:
    mad.lo.s32 %r4, %r4, 31, %r3;
    add.s32 %r4, %r4, 1;
next:
    add.s32 %r3, %r3, 1;
    bra.uni pattern;
done:
    mul.wide.u32 %rd11, %r2, 4;
    add.s64 %rd12, %rd1, %rd11;
    st.global.u32 [%rd12], %r4;
    ret;",
    );
    let patterns: [&[u8]; 12] = [
        b"\xff\xd8\xff",
        b"GIF89a",
        b"\x89PNG",
        b"%PDF-",
        b"PK\x03\x04",
        b"BM",
        b"ID3",
        b"MZ",
        b"ab",
        b"aba",
        b"b",
        b"abab",
    ];
    let mut table = Vec::new();
    for pattern in patterns {
        let mut entry = vec![pattern.len() as u8];
        entry.extend(pattern);
        entry.resize(9, 0);
        table.extend(entry);
    }
    let mut random = Random::new(1);
    let data: Vec<u8> = (0..300).map(|_| b"abBMID3\xff\xd8"[random.below(9) as usize]).collect();
    let (before, after, report, text) = compared(&text, &[&table, &data], &[12], &[1, 3], &[0], 256);
    // One load of data per comparison is left, and nothing of the patterns.
    assert!(!text.contains("ld.param.u32") && !text.contains("add.s32 \t%r3"), "{text}");
    assert!(after.thread_instructions() * 2 < before.thread_instructions());
    assert!(report.loads >= 12 + 37 && report.rolled == 0, "{report}");
    // The number of versions is linear: what a match changes does not multiply them.
    assert!(report.versions < 12 * 20, "{report}");
}

#[test]
fn a_fixed_filter_becomes_its_products() {
    // A convolution with a filter of 3 times 3 numbers, of which some are 0: those are skipped.
    let text = kernel(
        "result filter image size",
        "
    ld.param.u64 %rd1, [result];
    ld.param.u64 %rd2, [filter];
    ld.param.u64 %rd3, [image];
    ld.param.u32 %r1, [size];
    mov.u32 %r2, %tid.x;
    rem.u32 %r3, %r2, 8;
    div.u32 %r4, %r2, 8;
    mov.f32 %f1, 0f00000000;
    mov.b32 %r5, 0;
row:
    mov.b32 %r6, 0;
column:
    mad.lo.s32 %r7, %r5, %r1, %r6;
    mul.wide.u32 %rd4, %r7, 4;
    add.s64 %rd5, %rd2, %rd4;
    ld.global.f32 %f2, [%rd5];
    setp.eq.f32 %p1, %f2, 0f00000000;
    @%p1 bra skip;
    add.s32 %r8, %r3, %r6;
    add.s32 %r9, %r4, %r5;
    mad.lo.s32 %r10, %r9, 16, %r8;
    mul.wide.u32 %rd6, %r10, 4;
    add.s64 %rd7, %rd3, %rd6;
    ld.global.f32 %f3, [%rd7];
    fma.rn.f32 %f1, %f2, %f3, %f1;
skip:
    add.s32 %r6, %r6, 1;
    setp.lt.u32 %p2, %r6, %r1;
    @%p2 bra column;
    add.s32 %r5, %r5, 1;
    setp.lt.u32 %p3, %r5, %r1;
    @%p3 bra row;
    mul.wide.u32 %rd8, %r2, 4;
    add.s64 %rd9, %rd1, %rd8;
    st.global.f32 [%rd9], %f1;
    ret;",
    );
    let floats = |all: &[f32]| -> Vec<u8> { all.iter().flat_map(|x| x.to_le_bytes()).collect() };
    let filter = floats(&[-1.0, 0.0, 1.0, -2.0, 0.0, 2.0, -1.0, 0.0, 1.0]);
    let image: Vec<f32> = (0..256).map(|n| (n * n % 97) as f32 / 3.0).collect();
    let (before, after, report, text) = compared(&text, &[&filter, &floats(&image)], &[3], &[1, 3], &[0], 64);
    assert!(!text.contains("bra"), "{text}");
    assert_eq!(text.matches("ld.global").count(), 6);
    assert_eq!(text.matches("fma.rn.f32").count(), 6);
    assert!(after.thread_instructions() * 2 < before.thread_instructions());
    // Two more rows, and two more columns of each row.
    assert_eq!((report.loads, report.iterations), (9, 2 + 8));
}

#[test]
fn an_interpreter_of_rules_becomes_the_rules() {
    // Each rule is an operation and a number; the interpreter jumps by a table.
    let text = kernel(
        "result rules",
        "
    ld.param.u64 %rd1, [result];
    ld.param.u64 %rd2, [rules];
    mov.u32 %r2, %tid.x;
    mov.b32 %r3, %r2;
next:
    ld.global.v2.u32 {%r4, %r5}, [%rd2];
    add.s64 %rd2, %rd2, 8;
    T: .branchtargets add, multiply, skip, end;
    brx.idx %r4, T;
add:
    add.s32 %r3, %r3, %r5;
    bra.uni next;
multiply:
    mul.lo.s32 %r3, %r3, %r5;
    bra.uni next;
skip:
    and.b32 %r6, %r3, 1;
    setp.eq.s32 %p1, %r6, 0;
    @%p1 bra next;
    xor.b32 %r3, %r3, %r5;
    bra.uni next;
end:
    mul.wide.u32 %rd8, %r2, 4;
    add.s64 %rd9, %rd1, %rd8;
    st.global.u32 [%rd9], %r3;
    ret;",
    );
    let rules = [(0, 7), (1, 3), (2, 255), (1, 1), (0, 0), (2, 9), (0, 1), (3, 0)];
    let bytes: Vec<u8> = rules.iter().flat_map(|&(op, n)| [op, n]).flat_map(|n: u32| n.to_le_bytes()).collect();
    let (before, after, report, text) = compared(&text, &[&bytes], &[], &[1], &[0], 64);
    assert!(!text.contains("brx") && !text.contains("ld.global"), "{text}");
    assert!(after.thread_instructions() * 2 < before.thread_instructions());
    assert_eq!(report.loads, 8);
    // What follows a branch that stays is there once.
    assert_eq!(text.matches("st.global").count(), 1);
}

#[test]
fn long_loops_are_evaluated_in_time() {
    // 1500 iterations of about 12 instructions.
    let text = kernel(
        "result table count",
        "
    ld.param.u64 %rd1, [result];
    ld.param.u64 %rd2, [table];
    ld.param.u32 %r1, [count];
    mov.u32 %r2, %tid.x;
    mov.b32 %r3, 0;
    mov.b32 %r4, %r2;
next:
    and.b32 %r5, %r3, 63;
    mul.wide.u32 %rd3, %r5, 4;
    add.s64 %rd4, %rd2, %rd3;
    ld.global.u32 %r6, [%rd4];
    xor.b32 %r4, %r4, %r6;
    mad.lo.s32 %r4, %r4, %r6, 12345;
    shr.u32 %r7, %r4, 7;
    add.s32 %r4, %r4, %r7;
    shl.b32 %r7, %r4, 9;
    sub.s32 %r4, %r4, %r7;
    xor.b32 %r4, %r4, %r3;
    setp.gt.s32 %p1, %r4, %r6;
    @%p1 bra more;
    add.s32 %r4, %r4, 99;
more:
    add.s32 %r3, %r3, 1;
    setp.lt.u32 %p2, %r3, %r1;
    @%p2 bra next;
    mul.wide.u32 %rd8, %r2, 4;
    add.s64 %rd9, %rd1, %rd8;
    st.global.u32 [%rd9], %r4;
    ret;",
    );
    let table: Vec<u8> = (2..66_u32).flat_map(|n| (n * n).to_le_bytes()).collect();
    let (_, after, report, _) = compared(&text, &[&table], &[1500], &[1, 2], &[0], 32);
    assert!(report.after > 15_000 && report.rolled == 0 && !report.is_limited, "{report}");
    assert_eq!(after.loads_from(ikra_emulator::counts::CountedSpace::Global), 0);
    // As many iterations as no program has room for, and a loop that never ends: it is not executed here.
    let module = parsed(&text);
    let (address, count) = (1_u64.to_le_bytes(), u64::MAX.to_le_bytes());
    let parameters = [(1, &address), (2, &count)];
    let known = Known {
        parameters: parameters.map(|(parameter, bytes)| Argument { parameter, offset: 0, bytes }).to_vec(),
        ..Known::default()
    };
    let start = std::time::Instant::now();
    let (_, report) = specialize(&module, "k", "special", &known, &Budget::default()).unwrap();
    assert!(report.rolled == 1 && report.is_limited && report.after < 40, "{report}");
    assert!(start.elapsed().as_secs() < 5);
}
