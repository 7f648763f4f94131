//! Ranks that `mpirun` starts: the same results with any number of them.

use std::fs;
use std::path::PathBuf;
use std::process::{self, Command, Stdio};
use std::thread;
use std::time::Duration;

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
        "clippy -p ikra-cluster -p life --features ikra-cluster/mpi,ikra-cluster/metis,life/mpi --all-targets -- -D warnings",
    ))?;
    step(&mut cargo("test -p ikra-cluster --features metis --test partition"))?;
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
    start(2, &format!("{program} types"))?;
    step(&mut cargo("build -p life --features mpi"))?;
    for ranks in [1, 3] {
        start(ranks, "target/debug/life --place cluster --threads 1 --width 300 --height 200 --steps 20 --check")?;
    }
    checkpoints()?;
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

/// Kills a rank, and goes on from the newest checkpoint with other ranks: to the same picture as without.
fn checkpoints() -> Outcome {
    step(&mut cargo("build -p life --features mpi,checkpoints"))?;
    let folder = PathBuf::from(format!("target/checkpoints-{}", process::id()));
    let options = "--threads 1 --width 200 --height 150 --steps 400";
    let (whole, found) = (folder.join("whole.png"), folder.join("found.png"));
    let saved =
        format!("{options} --place cluster --checkpoints {} --checkpoint-every 3", folder.join("run").display());
    let pid = folder.join("pid");
    let io = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(io)?;
    step(program("target/debug/life", options).arg("--png").arg(&whole))?;
    let newest = || {
        let entries = fs::read_dir(folder.join("run")).into_iter().flatten().flatten().map(|entry| entry.file_name());
        entries.filter_map(|name| name.to_str()?.split('-').nth(1)?.parse::<u32>().ok()).max()
    };
    for (ranks, milliseconds) in [(3, 400), (2, 50), (4, 700)] {
        let before = newest();
        // Each rank notes its process; the last note counts.
        let mut killed = started(ranks, "sh -c");
        killed.arg("echo $$ > $0; exec target/debug/life $@").arg(&pid).args(saved.split(' '));
        let mut killed = killed.spawn().map_err(|error| format!("mpirun: {error}"))?;
        while newest() <= before && killed.try_wait().map_err(io)?.is_none() {
            thread::sleep(Duration::from_millis(10));
        }
        thread::sleep(Duration::from_millis(milliseconds));
        let is_killed = Command::new("sh").args(["-c", "kill -KILL $(cat $0)"]).arg(&pid).status();
        let ended = killed.wait().map_err(io)?;
        if ended.success() || !is_killed.is_ok_and(|status| status.success()) {
            return Err(format!("{ranks} ranks ended before one of them was killed"));
        }
        println!("{ranks} ranks, one of them killed: the newest checkpoint is of step {:?}", newest());
    }
    start(2, &format!("target/debug/life {saved} --png {}", found.display()))?;
    if fs::read(&whole).map_err(io)? != fs::read(&found).map_err(io)? {
        return Err("the run that was killed three times has another picture".to_owned());
    }
    fs::remove_dir_all(&folder).map_err(io)
}

/// Runs a program with some ranks.
fn start(ranks: usize, command: &str) -> Outcome {
    step(&mut started(ranks, command))
}

/// Some ranks of a program, also as root and on fewer cores.
fn started(ranks: usize, command: &str) -> Command {
    let mut mpirun = program("timeout", &format!("300 mpirun -n {ranks} {command}"));
    for name in ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"] {
        mpirun.env(name, "1");
    }
    mpirun
}
