//! Ranks that `mpirun` starts: the same results with any number of them.

use std::process::{Command, Stdio};

use crate::run::{Outcome, cargo, program, step};

/// Whether programs can be built for MPI and started.
pub fn is_there() -> bool {
    let found = |name| Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    ["mpirun", "mpicc"].into_iter().all(|name| found(name).is_ok_and(|status| status.success()))
}

/// Builds what uses MPI, and runs it with 1 to 4 ranks. With `all`, also the larger examples, with optimisation.
pub fn cluster(all: bool) -> Outcome {
    if !is_there() {
        return Err(
            "mpirun and mpicc are not installed: on Debian, libopenmpi-dev, openmpi-bin and libclang-dev".to_owned()
        );
    }
    step(&mut cargo(
        "clippy -p ikra-cluster -p life --features ikra-cluster/mpi,life/mpi --all-targets -- -D warnings",
    ))?;
    let tests = "test -p ikra-cluster --features mpi --test mpi --no-run --message-format=json";
    let built = cargo(tests).stderr(Stdio::inherit()).output().map_err(|error| format!("cargo {tests}: {error}"))?;
    let lines = String::from_utf8_lossy(&built.stdout);
    let program =
        lines.lines().filter_map(|line| line.split("\"executable\":\"").nth(1)?.split('"').next()).next_back();
    let program = program.ok_or_else(|| format!("cargo {tests} makes no program"))?;
    for ranks in 1..=4 {
        start(ranks, program)?;
    }
    for ranks in 2..=3 {
        start(ranks, &format!("{program} die"))?;
    }
    step(&mut cargo("build -p life --features mpi"))?;
    for ranks in [1, 3] {
        start(ranks, "target/debug/life --place cluster --threads 1 --width 300 --height 200 --steps 20 --check")?;
    }
    if all {
        let programs =
            ["nbody --check --bodies 2048 --steps 20", "boids --check --steps 20", "traffic --check --steps 50"];
        for program in programs {
            let name = program.split(' ').next().unwrap_or_default();
            step(&mut cargo(&format!("build --release -p {name} --features mpi")))?;
            start(4, &format!("target/release/{program} --place cluster --threads 1"))?;
        }
    }
    Ok(())
}

/// Runs a program with some ranks, also as root and on fewer cores.
fn start(ranks: usize, command: &str) -> Outcome {
    let mut mpirun = program("timeout", &format!("300 mpirun -n {ranks} {command}"));
    for name in ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"] {
        mpirun.env(name, "1");
    }
    step(&mut mpirun)
}
