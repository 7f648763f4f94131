//! Ordinary objects, changed on a GPU and written back.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use ikra::Place;
use ikra::prelude::*;
use ikra::trace::{Trace, TraceWorld};
use ikra_device_trace_tests::Sim;
use ikra_device_trace_tests::model::Node;

#[derive(Trace)]
#[trace(class = Node)]
struct Plain {
    value: Cell<u32>,
    // Not in a cell: a change would be an error.
    weight: f32,
    next: RefCell<Weak<Plain>>,
    near: RefCell<Vec<Rc<Plain>>>,
}

/// A ring in which each object has neighbours at several distances.
fn ring(count: usize) -> Vec<Rc<Plain>> {
    let node = |n: usize| {
        let (value, weight) = (Cell::new(n as u32), n as f32);
        Rc::new(Plain { value, weight, next: RefCell::default(), near: RefCell::default() })
    };
    let nodes: Vec<_> = (0..count).map(node).collect();
    for (n, node) in nodes.iter().enumerate() {
        *node.next.borrow_mut() = Rc::downgrade(&nodes[(n + 1) % count]);
        *node.near.borrow_mut() = (1..4).map(|step| Rc::clone(&nodes[(n + step) % count])).collect();
    }
    nodes
}

/// The numbers of all objects after two rounds of both kernels, written back after each.
fn run(place: Place) -> Result<Vec<(u32, u32)>, Box<dyn std::error::Error>> {
    let nodes = ring(300);
    let mut sim = Sim::trace(&nodes)?;
    for _ in 0..2 {
        sim.on(place).execute(Node::gather, ())?;
        sim.on(place).execute(Node::skip, ())?;
        assert_eq!(sim.write_back()?, nodes.len());
        assert_eq!(sim.write_back()?, 0);
    }
    assert_eq!(nodes[7].weight, 7.0);
    let next = |node: &Plain| node.next.borrow().upgrade().expect("all objects are alive").value.get();
    let found = nodes.iter().map(|node| (node.value.get(), next(node))).collect();
    nodes.iter().for_each(|node| node.near.borrow_mut().clear());
    Ok(found)
}

#[test]
fn a_gpu_changes_ordinary_objects() -> Result<(), Box<dyn std::error::Error>> {
    let host = run(Place::Host)?;
    assert_eq!(host[0].1, host[4].0);
    if ikra_test_gpu::has_gpu(option_env!("IKRA_DEVICE_CODE")) {
        assert_eq!(run(Place::Gpu(0))?, host);
    }
    Ok(())
}
