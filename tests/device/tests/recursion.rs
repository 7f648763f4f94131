//! Recursive methods have a stack on the device; if it is too small, the error explains this.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::prelude::*;
use ikra::{Error, gpu::GpuError};
use ikra_device_tests::model::recursion::*;
use ikra_device_tests::{device_code, emulated, has_gpu};

/// `n` objects under the first. Each is below an earlier object, farther away for a larger `spread`.
fn forest(n: usize, spread: usize) -> Forest {
    let mut forest = Forest::new();
    let tree = |value| Tree { value, left: None, right: None, total: 0, depth: 0 };
    forest.trees.extend((0..n).map(|n| tree(n as u32))).unwrap();
    let links: Vec<_> = forest.trees.links().collect();
    for child in 1..n {
        // The nearest earlier object with room.
        let mut above = child - 1 - (child * 7919 % spread).min(child - 1);
        loop {
            let row = forest.trees.read(links[above]).unwrap();
            if row.left.is_none() {
                forest.set(links[above], tree::left, Some(links[child]));
                break;
            } else if row.right.is_none() {
                forest.set(links[above], tree::right, Some(links[child]));
                break;
            }
            above = (above + 1) % child;
        }
    }
    forest
}

#[test]
fn a_walk_by_recursion_is_the_same_on_both() {
    if !has_gpu() {
        return;
    }
    // A wide tree, and a chain of 60.
    for (n, spread) in [(5000, 1000), (60, 1)] {
        let (mut host, mut device) = (forest(n, spread), forest(n, spread));
        host.execute(Tree::walk, ());
        host.execute(Tree::measure, ());
        device.cuda_execute(Tree::walk, ()).unwrap();
        device.cuda_execute(Tree::measure, ()).unwrap();
        assert_eq!(host.trees.column(tree::total), device.trees.column(tree::total));
        assert_eq!(host.trees.column(tree::depth), device.trees.column(tree::depth));
        let step = device.on(ikra::Place::Gpu(0)).record(|sim| sim.execute(Tree::walk, ())).unwrap();
        device.on(ikra::Place::Gpu(0)).replay(&step).unwrap();
        assert_eq!(host.trees.column(tree::total), device.trees.column(tree::total));
    }
}

#[test]
fn a_walk_with_a_stack_is_the_same_on_both() {
    let (mut host, mut device) = (forest(5000, 1000), forest(5000, 1000));
    host.execute(Tree::gather, ());
    assert_eq!(host.trees.column(tree::total)[0], 4999 * 5000 / 2);
    if has_gpu() {
        device.cuda_execute(Tree::gather, ()).unwrap();
        assert_eq!(host.trees.column(tree::total), device.trees.column(tree::total));
    }
}

#[test]
fn recursion_is_marked() {
    let Some(path) = device_code() else { return };
    let code = std::fs::read_to_string(path).unwrap();
    for (method, is_recursive) in [("walk", true), ("measure", true), ("look_left", false)] {
        let mark = format!("//ikra:recursive ikra_kernel_Tree_{method}_");
        assert_eq!(code.contains(&mark), is_recursive, "{method}");
    }
    let others =
        code.matches("//ikra:recursive").count() - code.matches("//ikra:recursive ikra_kernel_Left_trace_").count();
    assert_eq!(others, 2);
    assert!(code.contains(&format!("//ikra:stack {}", ikra_build::STACK)));
}

#[test]
#[ignore = "run by others, on the emulator"]
fn a_walk_that_fails() {
    assert!(has_gpu());
    let mut forest = forest(10, 1);
    forest.cuda_execute(Tree::look_left, ()).unwrap();
    forest.cuda_execute(Tree::walk, ()).unwrap();
    too_deep(forest.on(ikra::Place::Gpu(0)).synchronize());
}

#[test]
#[ignore = "run by others, on the emulator"]
fn a_kernel_that_fails() {
    assert!(has_gpu());
    let mut forest = forest(10, 1);
    forest.cuda_execute(Tree::look_left, ()).unwrap();
    let error = forest.on(ikra::Place::Gpu(0)).synchronize().unwrap_err().to_string();
    assert!(error.contains("`Tree::look_left`") && !error.contains("stack"), "{error}");
}

/// The error text for a kernel that probably ran out of stack.
#[track_caller]
fn too_deep(result: Result<(), Error>) {
    let Err(Error::Gpu(GpuError::DeviceLost { reason, .. })) = result else { panic!("{result:?}") };
    assert!(reason.contains("`Tree::walk`") && reason.contains("`.stack(bytes)`"), "{reason}");
}

#[test]
fn a_small_stack_is_raised_and_suspected() {
    if device_code().is_none() {
        return;
    }
    let fails = [("PLAN", "cuStreamSynchronize:700"), ("TRACE", "1")];
    let said = emulated(&fails, &["a_walk_that_fails"]);
    assert!(said.contains(&format!("limit 0 is {} now", ikra_build::STACK)), "{said}");
    let _ = emulated(&fails, &["a_kernel_that_fails"]);
}

/// In a separate process, whose device is lost.
#[test]
fn a_chain_that_is_too_deep_says_so() {
    const CHILD: &str = "IKRA_TEST_CHILD";
    if !has_gpu() {
        return;
    }
    if std::env::var_os(CHILD).is_none() {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        let output =
            child.args(["--exact", "a_chain_that_is_too_deep_says_so", "--nocapture"]).env(CHILD, "1").output();
        let output = output.unwrap();
        let said = [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
        assert!(output.status.success(), "{}\n{}", said[0], said[1]);
        return;
    }
    let mut forest = forest(20_000, 1);
    let started = forest.cuda_execute(Tree::walk, ());
    too_deep(started.and_then(|()| forest.on(ikra::Place::Gpu(0)).synchronize()));
}
