//! Failures on the device become errors, and the world remains usable on the host.
//!
//! A kernel that fails invalidates the process's device state, so these tests run in separate processes: this binary
//! starts itself with the test's name.
#![allow(missing_docs, reason = "a test, not a library")]

use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ikra::prelude::*;
use ikra::{Error, gpu::GpuError};
use ikra_device_tests::model::*;
use ikra_device_tests::{DEVICE_CODE, has_gpu, is_emulated};

/// Runs one test at a time: some fill the device's memory.
fn alone() -> MutexGuard<'static, ()> {
    static GPU: Mutex<()> = Mutex::new(());
    GPU.lock().unwrap_or_else(PoisonError::into_inner)
}

fn crowd(n: usize) -> Crowd {
    let mut sim = Crowd::new();
    sim.bodies.extend((0..n).map(|n| Body { pos: n as f64, vel: 0.5, age: n as u32 })).unwrap();
    sim
}

/// The panic message of `work`.
fn panic_text<T>(work: impl FnOnce() -> T) -> String {
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(work()))).unwrap_err();
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => (*panic.downcast::<&str>().unwrap()).to_owned(),
    }
}

/// Runs `work` in a separate process and returns its standard error. Inside that process, returns an empty string.
fn apart(test: &str, work: impl FnOnce()) -> String {
    apart_with(test, ("IKRA_TEST_CHILD", "1"), work)
}

/// The same, with a variable.
fn apart_with(test: &str, (name, value): (&str, &str), work: impl FnOnce()) -> String {
    const CHILD: &str = "IKRA_TEST_CHILD";
    if std::env::var_os(CHILD).is_some() {
        work();
        return String::new();
    }
    let program = std::env::current_exe().unwrap();
    let mut child = Command::new(program);
    let output = child.args(["--exact", test, "--nocapture"]).env(CHILD, "1").env(name, value).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}\n{said}");
    assert!(text.contains("1 passed"), "{text}");
    said
}

#[test]
fn without_a_gpu_the_error_says_so() {
    const CHILD: &str = "IKRA_TEST_CHILD";
    if std::env::var_os(CHILD).is_none() {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "without_a_gpu_the_error_says_so", "--nocapture"]);
        let output = child.env(CHILD, "1").env("IKRA_DRIVER", "/nowhere/libcuda.so.1").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        return;
    }
    let mut sim = crowd(10);
    let error = sim.cuda_execute(Body::advance, 0.1).unwrap_err();
    if DEVICE_CODE.is_some() {
        assert!(matches!(error, Error::Gpu(GpuError::NoDevice { .. })), "{error}");
        assert!(error.to_string().contains("run on the host"), "{error}");
    } else {
        assert!(matches!(error, Error::Gpu(GpuError::NoDeviceCode { .. })), "{error}");
    }
    assert!(!error.to_string().contains('\n'), "one line: {error}");
    sim.execute(Body::advance, 1.0);
    assert_eq!(sim.bodies.column(body::pos)[2], 2.5);
}

#[test]
fn a_device_that_is_not_there() {
    if !has_gpu() {
        return;
    }
    let _alone = alone();
    let mut sim = crowd(10);
    let error = sim.cuda().open(99).unwrap_err();
    assert!(matches!(&error, Error::Gpu(GpuError::NoDevice { reason }) if reason.contains("no device 99")), "{error}");
    assert_eq!(sim.cuda().open(0).unwrap().index, 0);
    sim.cuda_execute(Body::advance, 1.0).unwrap();
    assert_eq!(sim.bodies.column(body::pos)[2], 2.5);
}

#[test]
fn code_that_the_driver_rejects() {
    if !has_gpu() {
        return;
    }
    let _alone = alone();
    use ikra::gpu::driver::{Context, Module};
    let context = Context::open(0).unwrap();
    let text = ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry k() { no_such_thing; }\n";
    let error = Module::load(&context, text).unwrap_err();
    assert!(matches!(&error, GpuError::DeviceCodeRejected { log } if log.contains("no_such_thing")), "{error}");
    let error = Module::load(&context, "\0").unwrap_err();
    assert!(matches!(error, GpuError::DeviceCodeRejected { .. }), "{error}");
}

#[test]
fn objects_that_are_not_initialised() {
    if !has_gpu() {
        return;
    }
    let _alone = alone();
    let mut sim = crowd(10);
    let link = sim.bodies.reserve(1).unwrap().next().unwrap();
    let error = sim.cuda_execute(Body::advance, 1.0).unwrap_err();
    assert!(matches!(error, Error::NotAllInitialized { class: "Body", pending: 1 }), "{error}");
    sim.bodies.init(link, Body { pos: 0.0, vel: 1.0, age: 0 }).unwrap();
    sim.cuda_execute(Body::advance, 1.0).unwrap();
    assert_eq!(sim.get(link).pos(), 1.0);
}

#[test]
fn lists_with_duplicates_and_strangers() {
    if !has_gpu() {
        return;
    }
    let _alone = alone();
    let mut sim = crowd(10);
    let links: Vec<_> = sim.bodies.links().collect();
    let error = sim.on(ikra::Place::Gpu(0)).over(&[links[3], links[3]]).execute(Body::grow_old, ()).unwrap_err();
    assert!(matches!(error, Error::Duplicate { id: 4, .. }), "{error}");
    let error =
        sim.on(ikra::Place::Gpu(0)).over(&[Link::from_id(11).unwrap()]).execute(Body::grow_old, ()).unwrap_err();
    assert!(matches!(error, Error::NotInWorld { id: 11, .. }), "{error}");
    assert_eq!(sim.bodies.column(body::age)[3], 3);
}

#[test]
fn no_device_memory() {
    if !has_gpu() {
        return;
    }
    let _alone = alone();
    use ikra::gpu::driver::{Context, Memory};
    let context = Context::open(0).unwrap();
    let (free, total) = context.memory().unwrap();
    assert!(free <= total);
    let error = Memory::new(&context, total * 2, "a test").unwrap_err();
    assert!(
        matches!(&error, GpuError::OutOfDeviceMemory { requested, .. } if *requested == total * 2)
            && error.to_string().contains("a test"),
        "{error}"
    );
    // The world has no room on the device while this memory is allocated, and runs on the host.
    let mut sim = crowd(if is_emulated() { 5_000_000 } else { 20_000_000 });
    sim.cuda().open(0).unwrap();
    let taken = Memory::new(&context, context.memory().unwrap().0 - (64 << 20), "a test").unwrap();
    let error = sim.cuda_execute(Body::grow_old, ()).unwrap_err();
    assert!(
        matches!(&error, Error::Gpu(GpuError::OutOfDeviceMemory { .. })) && error.to_string().contains("class Body"),
        "{error}"
    );
    sim.execute(Body::grow_old, ());
    assert_eq!(sim.bodies.column(body::age)[1], 2);
    drop(taken);
    sim.cuda_execute(Body::grow_old, ()).unwrap();
    assert_eq!(sim.bodies.column(body::age)[1], 3);
}

#[test]
fn a_panic_in_a_kernel() {
    if !has_gpu() {
        return;
    }
    let _alone = alone();
    let said = apart("a_panic_in_a_kernel", || {
        let mut sim = crowd(1000);
        sim.cuda_execute(Body::grow_old, ()).unwrap();
        assert_eq!(sim.bodies.column(body::age)[0], 1);
        sim.cuda_execute(Body::advance, 1.0).unwrap();
        sim.on(ikra::Place::Gpu(0)).synchronize().unwrap();
        // Object 500 has age 501.
        sim.cuda_execute(Body::fail_at, 501).unwrap();
        let error = sim.on(ikra::Place::Gpu(0)).synchronize().unwrap_err();
        assert!(
            matches!(&error, Error::Gpu(GpuError::DeviceLost { kernel, .. }) if kernel.contains("Body::fail_at")),
            "{error}"
        );
        let again = sim.cuda_execute(Body::grow_old, ()).unwrap_err();
        assert!(matches!(again, Error::Gpu(GpuError::DeviceLost { .. })), "{again}");
        // The host has the velocities, which no kernel changes. Stale values of other fields are shown only on request.
        assert_eq!(sim.bodies.column(body::vel)[2], 0.5);
        for _ in 0..2 {
            let text = panic_text(|| sim.bodies.column(body::pos)[2]);
            assert!(text.contains("class Body") && text.contains("accept_loss"), "{text}");
            panic_text(|| sim.execute(Body::advance, 1.0));
            assert!(matches!(sim.cuda().open(0), Err(Error::Gpu(GpuError::DeviceLost { .. }))));
        }
        let lost: Vec<String> = sim.cuda().accept_loss().iter().map(ToString::to_string).collect();
        assert_eq!(lost, ["Body::pos", "Body::age"], "`fail_at` may have changed ages");
        assert_eq!((sim.bodies.column(body::age)[0], sim.bodies.column(body::pos)[2]), (1, 2.0), "from before");
        sim.execute(Body::advance, 1.0);
        assert_eq!(sim.bodies.column(body::pos)[2], 2.5);
        assert!(sim.cuda().accept_loss().is_empty());
    });
    // Reported once, by the driver: the model's line, the kernel, the object, the message.
    reports(&said, "\"too old\"", "Body::fail_at for Body#501: ", "`too old`");
}

/// The driver's report of a kernel panic at the line of the model that contains this text.
fn reports(said: &str, line: &str, place: &str, message: &str) {
    if said.is_empty() {
        // In the process that panics.
        return;
    }
    let model = include_str!("../src/model.rs");
    let number = model.lines().position(|at| at.contains(line)).unwrap() + 1;
    let reports: Vec<_> = said.lines().filter(|at| at.contains("Assertion")).collect();
    let [report] = reports[..] else { panic!("{said}") };
    for part in [&format!("model.rs:{number}: "), place, message] {
        assert!(report.contains(part), "{part:?} is not in {report}");
    }
}

#[test]
fn a_panic_of_all_threads_is_reported_once() {
    if !has_gpu() {
        return;
    }
    let _alone = alone();
    let said = apart("a_panic_of_all_threads_is_reported_once", || {
        let mut sim = Crowd::new();
        sim.bodies.extend((0..5000).map(|_| Body { pos: 0.0, vel: 0.0, age: 7 })).unwrap();
        sim.cuda_execute(Body::fail_at, 7).unwrap();
        let error = sim.on(ikra::Place::Gpu(0)).synchronize().unwrap_err();
        assert!(
            matches!(&error, Error::Gpu(GpuError::DeviceLost { kernel, .. }) if kernel.contains("Body::fail_at")),
            "{error}"
        );
    });
    reports(&said, "\"too old\"", "Body::fail_at for Body#", "`too old`");
}

#[test]
fn a_link_of_another_world() {
    if !has_gpu() {
        return;
    }
    let _alone = alone();
    let said = apart("a_link_of_another_world", || {
        let mut sim = crowd(1000);
        sim.cuda_execute(Body::trust, Link::from_id(1000)).unwrap();
        assert_eq!(sim.bodies.column(body::vel)[0], 999.0);
        // Arguments are checked before the kernel runs.
        let error = sim.cuda_execute(Body::trust, Link::from_id(1001)).unwrap_err();
        assert!(matches!(error, Error::NotInWorld { class: "Body", id: 1001, len: 1000 }), "{error}");
        sim.cuda_execute(Body::trust_id, 1000).unwrap();
        assert_eq!(sim.bodies.column(body::vel)[1], 999.0);
        // A link that the kernel makes from a number is checked when it is followed.
        sim.cuda_execute(Body::trust_id, 1001).unwrap();
        let error = sim.on(ikra::Place::Gpu(0)).synchronize().unwrap_err();
        assert!(
            matches!(&error, Error::Gpu(GpuError::DeviceLost { kernel, .. }) if kernel.contains("Body::trust_id")),
            "{error}"
        );
    });
    reports(
        &said,
        "f64::from(self.resolve(other).age())",
        "Body::trust_id for Body#",
        "a link was followed that does not belong to this world",
    );
}

#[test]
fn a_failure_found_by_reading_a_column() {
    if !has_gpu() {
        return;
    }
    let _alone = alone();
    apart("a_failure_found_by_reading_a_column", || {
        let mut sim = crowd(10);
        sim.cuda_execute(Body::fail_at, 3).unwrap();
        for _ in 0..2 {
            let text = panic_text(|| sim.bodies.column(body::age)[0]);
            assert!(text.contains("Body::fail_at"), "{text}");
        }
        assert_eq!(sim.cuda().accept_loss().len(), 1);
        assert_eq!(sim.bodies.column(body::age)[0], 0, "the values from before");
        sim.execute(Body::grow_old, ());
        assert_eq!(sim.bodies.column(body::age)[0], 1);
    });
}

/// A kernel fails in world `a`. Every world reports it, and no stale values are shown. After all worlds are dropped,
/// the device works again, or the driver reports that it cannot.
#[test]
fn other_worlds_after_a_failure() {
    if !has_gpu() {
        return;
    }
    let _alone = alone();
    apart("other_worlds_after_a_failure", || {
        let (mut a, mut b, mut idle) = (crowd(100), crowd(100), crowd(100));
        b.cuda_execute(Body::grow_old, ()).unwrap();
        let step = b.on(ikra::Place::Gpu(0)).record(|sim| sim.execute(Body::advance, 1.0)).unwrap();
        b.on(ikra::Place::Gpu(0)).synchronize().unwrap();
        a.cuda_execute(Body::fail_at, 3).unwrap();
        assert!(a.on(ikra::Place::Gpu(0)).synchronize().is_err());
        for _ in 0..2 {
            let error = b.cuda_execute(Body::advance, 1.0).unwrap_err();
            assert!(error.to_string().contains("kernel `Body::fail_at` of another world"), "{error}");
            assert!(matches!(b.on(ikra::Place::Gpu(0)).replay(&step), Err(Error::Gpu(GpuError::DeviceLost { .. }))));
            let text = panic_text(|| b.bodies.column(body::age)[0]);
            assert!(text.contains("`Body::fail_at` of another world"), "{text}");
            assert_eq!(b.bodies.column(body::vel)[0], 0.5);
        }
        // A world that uses the device afterwards gets the error.
        let error = idle.cuda_execute(Body::grow_old, ()).unwrap_err();
        assert!(error.to_string().contains("are dropped, or their losses accepted"), "{error}");
        idle.execute(Body::grow_old, ());
        assert_eq!(idle.bodies.column(body::age)[0], 1);
        assert_eq!(a.cuda().accept_loss().len(), 1);
        // `advance` was recorded but never ran: the host has the current positions.
        assert_eq!(b.bodies.column(body::pos)[3], 3.0);
        assert_eq!(b.cuda().accept_loss().iter().map(|lost| lost.field).collect::<Vec<_>>(), ["age"]);
        assert_eq!(b.bodies.column(body::age)[0], 0, "as asked for");
        assert!(
            matches!(idle.cuda_execute(Body::grow_old, ()), Err(Error::Gpu(GpuError::DeviceLost { .. }))),
            "the recording is there"
        );
        drop(step);
        match idle.cuda_execute(Body::grow_old, ()) {
            Ok(()) => {
                println!("the device was reset");
                assert_eq!(idle.bodies.column(body::age)[0], 2);
                b.cuda_execute(Body::grow_old, ()).unwrap();
                assert_eq!(b.bodies.column(body::age)[0], 1);
                // Once more.
                a.cuda_execute(Body::fail_at, 5).unwrap();
                assert!(a.on(ikra::Place::Gpu(0)).synchronize().is_err());
                assert!(b.cuda_execute(Body::grow_old, ()).is_err());
            }
            Err(Error::Gpu(GpuError::NoDevice { reason })) => println!("the driver allows no reset: {reason}"),
            Err(error) => panic!("{error}"),
        }
    });
}

#[test]
fn a_failure_in_a_world_that_is_dropped() {
    if !has_gpu() {
        return;
    }
    let _alone = alone();
    let said = apart("a_failure_in_a_world_that_is_dropped", || {
        let mut sim = crowd(10);
        sim.cuda_execute(Body::fail_at, 3).unwrap();
        drop(sim);
    });
    if !said.is_empty() {
        assert!(
            said.contains("ikra: the device failed in kernel `Body::fail_at`") && said.contains("dropped"),
            "{said}"
        );
    }
}

#[test]
fn a_failure_while_a_recording_runs() {
    if !has_gpu() {
        return;
    }
    let _alone = alone();
    apart("a_failure_while_a_recording_runs", || {
        let mut sim = crowd(10);
        let step = sim
            .on(ikra::Place::Gpu(0))
            .record(|sim| {
                sim.execute(Body::advance, 1.0)?;
                sim.execute(Body::fail_at, 3)
            })
            .unwrap();
        sim.on(ikra::Place::Gpu(0)).replay(&step).unwrap();
        let error = sim.on(ikra::Place::Gpu(0)).synchronize().unwrap_err();
        let kernel = "one of the kernels `Body::advance`, `Body::fail_at`:";
        assert!(error.to_string().contains(kernel), "{error}");
        assert!(matches!(sim.on(ikra::Place::Gpu(0)).replay(&step), Err(Error::Gpu(GpuError::DeviceLost { .. }))));
        assert_eq!(sim.cuda().accept_loss().len(), 2);
        sim.execute(Body::advance, 1.0);
        assert_eq!(sim.bodies.column(body::pos)[2], 2.5);
        // The recording keeps the device until it is dropped, and no longer fits any world.
        assert!(sim.on(ikra::Place::Gpu(0)).replay(&step).is_err());
    });
}

#[test]
fn objects_that_leave_a_lost_world() {
    if !has_gpu() {
        return;
    }
    let _alone = alone();
    apart("objects_that_leave_a_lost_world", || {
        let (mut a, mut b) = (crowd(10), crowd(10));
        a.cuda_execute(Body::fail_at, 3).unwrap();
        assert!(a.on(ikra::Place::Gpu(0)).synchronize().is_err());
        std::mem::swap(&mut a.bodies, &mut b.bodies);
        assert_eq!(a.bodies.column(body::age)[0], 0, "these were never on the device");
        panic_text(|| b.bodies.column(body::age)[0]);
        panic_text(|| b.execute(Body::grow_old, ()));
        assert_eq!(b.cuda().accept_loss().len(), 1);
        b.execute(Body::grow_old, ());
        assert_eq!(b.bodies.column(body::age)[0], 1);
    });
}

#[test]
fn a_loop_that_fails_names_kernel_and_iteration() {
    use ikra_device_tests::model::repeats::*;
    if !has_gpu() {
        return;
    }
    let _alone = alone();
    let form = || std::env::var("IKRA_LOOPS").unwrap_or_default();
    let fails = || {
        let mut maze = Maze::new();
        let node = |old| Node { distance: 0, next: InnerArray::new(), heat: 1.0, flow: 0.0, old };
        maze.nodes.extend((0..100).map(node)).unwrap();
        let link =
            maze.searches.push(Search { goes_on: true, level: 0, heat: 0.0, largest: [0; 2], found: true }).unwrap();
        let error = maze
            .on(ikra::Place::Gpu(0))
            .repeat_while(link, search::goes_on, 50, |step| {
                step.execute(Node::fail_at, (link, 6))?;
                step.execute(Search::deepen, ())
            })
            .unwrap_err()
            .to_string();
        let place = match form().as_str() {
            "graph" => " in iteration 7 of a loop",
            "resident" => " in iteration 7 of a loop, in `Node::fail_at`",
            // A block may fail before the first one has noted that the next iteration begins.
            _ => " of a loop, in `",
        };
        assert!(error.contains("Node::fail_at") && error.contains(place), "{error}");
        // The kernels' values are lost, and said to be.
        assert!(panic_text(|| maze.get(link).level()).contains("lost"), "the level");
        assert_eq!(maze.nodes.column(node::heat)[0], 1.0);
    };
    if std::env::var_os("IKRA_TEST_CHILD").is_some() {
        // Once: a GPU accepts no more work from the process.
        return fails();
    }
    for form in ["graph", "resident", "resident:3x64"] {
        let said = apart_with("a_loop_that_fails_names_kernel_and_iteration", ("IKRA_LOOPS", form), fails);
        assert!(said.is_empty() || said.contains("too deep"), "{said}");
    }
}
