//! Kernels for fixed data do the same as general ones.

#![allow(clippy::result_large_err, reason = "a fault ends a launch: its size costs nothing")]

mod common;

#[path = "common/generate.rs"]
mod generate;

use std::{process::Command, sync::Arc};

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
    };
    device.launch(&loaded, kernel, &launch).unwrap_or_else(|fault| panic!("{fault}\n{text}"))
}

/// Assembles a program, if `IKRA_PTXAS` names an assembler.
fn assemble(text: &str) {
    let Some(ptxas) = std::env::var_os("IKRA_PTXAS") else { return };
    let path = std::env::temp_dir().join(format!("ikra-specialized-{}.ptx", std::process::id()));
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
            if seed % 50 == 0 {
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
