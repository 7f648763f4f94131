//! Loops over arrays of fixed length, and atomic fields that a kernel uses only in its own object.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::{Fixed, Place, prelude::*};
use ikra_build::ptx;
use ikra_device_tests::model::loops::{Counter, Knot, Net};
use ikra_device_tests::{device_code, has_gpu};

const KNOTS: usize = 1_000;

fn net() -> Net {
    let mut net = Net::new();
    let link = |n: usize| Link::from_index(n % KNOTS).unwrap();
    let knots = (0..KNOTS).map(|n| Knot {
        tension: (n * 37 % 101) as f64 / 101.0,
        around: [7, 30, 411].map(|by| link(n * 13 + by)),
        far: std::array::from_fn(|by| link(n * 5 + by * by)),
        weights: [0.5, 0.25, n as f64],
    });
    net.knots.extend(knots).unwrap();
    let counters = (0..100).map(|n| Counter {
        count: n,
        least: i64::from(n) % 11,
        sum: n as f32 * 0.01,
        is_set: false,
        mass: Fixed::ZERO,
        first: Link::from_id(1 + n / 2).filter(|_| n % 3 > 0),
        before: 0,
    });
    net.counters.extend(counters).unwrap();
    net
}

fn run(net: &mut Net, place: Place) {
    let mut on = net.on(place);
    on.execute(Knot::pull, ()).unwrap();
    on.execute(Knot::weigh, ()).unwrap();
    on.execute(Knot::unwind, ()).unwrap();
    on.execute(Knot::pull_far, ()).unwrap();
    for steps in [0, 1, 7, 8] {
        on.execute(Knot::follow, steps).unwrap();
        on.execute(Knot::keep, steps).unwrap();
    }
    on.execute(Knot::pull_far, ()).unwrap();
    for first in [0, 5, 12] {
        on.execute(Knot::wander, first).unwrap();
    }
    for by in [3, 4, 9, 2] {
        on.execute(Counter::tick, by).unwrap();
        on.execute(Counter::drain, ()).unwrap();
    }
}

fn rows(net: &Net) -> Vec<String> {
    let knots = net.knots.iter().map(|knot| format!("{:x}", knot.tension.to_bits()));
    knots.chain(net.counters.iter().map(|counter| format!("{counter:?}"))).collect()
}

#[test]
fn host_and_device_agree() {
    if !has_gpu() {
        return;
    }
    let (mut host, mut device) = (net(), net());
    run(&mut host, Place::Host);
    run(&mut device, Place::Gpu(0));
    assert_eq!(rows(&host), rows(&device));
    assert_ne!(rows(&host), rows(&net()));
}

/// The kernels' loops, over plain vectors.
#[test]
fn the_host_does_what_the_text_says() {
    let mut net = net();
    let (around, far): (Vec<_>, Vec<_>) = net.knots.iter().map(|knot| (knot.around, knot.far)).unzip();
    let mut tensions: Vec<f64> = net.knots.iter().map(|knot| knot.tension).collect();
    let pulled =
        |links: &[Link<Knot>], tensions: &[f64]| links.iter().fold(0.0, |sum, knot| sum * 0.5 + tensions[knot.index()]);
    net.execute(Knot::pull, ());
    tensions = around.iter().map(|links| pulled(links, &tensions)).collect();
    net.execute(Knot::pull_far, ());
    tensions = far.iter().map(|links| pulled(links, &tensions)).collect();
    assert_eq!(net.knots.column(ikra_device_tests::model::loops::knot::tension), tensions);
    net.execute(Counter::tick, 3);
    net.execute(Counter::tick, 4);
    net.execute(Counter::drain, ());
    let last = net.counters.iter().next_back().unwrap();
    assert_eq!((last.count, last.before, last.least), (208, 0, -6));
    assert_eq!((last.is_set, f64::from(last.mass)), (true, 1.25));
    assert_eq!(last.first.map(Link::id), Some(100));
}

#[test]
fn loops_of_few_turns_are_unrolled() {
    let Some(path) = device_code() else { return };
    let kernels = ptx::kernels(&std::fs::read_to_string(path).unwrap());
    for (name, tensions) in [("pull", 3), ("weigh", 3), ("unwind", 3), ("pull_far", 12)] {
        let name = format!("ikra_kernel_Knot_{name}_");
        let digit = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
        let kernel = kernels.iter().find(|kernel| kernel.name.strip_prefix(&name).is_some_and(digit)).unwrap();
        let loads = kernel.body.matches("ld.global.nc.b64").count() + kernel.body.matches("ld.global.b64").count();
        assert!(loads >= tensions, "{name}: {loads} loads: {}", kernel.body);
        // One branch skips the body if there is no object; there is no other.
        assert!(kernel.body.matches("bra").count() <= 2, "{name}: {}", kernel.body);
    }
}

#[test]
fn what_a_kernel_does_to_its_own_atomics_is_plain() {
    let Some(path) = device_code() else { return };
    let kernels = ptx::kernels(&std::fs::read_to_string(path).unwrap());
    let tick = kernels.iter().find(|kernel| kernel.name.starts_with("ikra_kernel_Counter_tick_")).unwrap();
    for kind in ["atom.", "red.", "relaxed"] {
        assert!(!tick.body.contains(kind), "{}", tick.body);
    }
}

/// A store to an address with a pending load takes a GPU several times as long.
#[test]
fn a_constant_waits_for_what_was_loaded() {
    let Some(path) = device_code() else { return };
    let kernels = ptx::kernels(&std::fs::read_to_string(path).unwrap());
    let drain = kernels.iter().find(|kernel| kernel.name.starts_with("ikra_kernel_Counter_drain_")).unwrap();
    assert_eq!(drain.body.matches("@other st.global.b32").count(), 1, "{}", drain.body);
}

/// A check that may panic needs only the branch of its condition.
#[test]
fn checks_come_first() {
    let Some(path) = device_code() else { return };
    let kernels = ptx::kernels(&std::fs::read_to_string(path).unwrap());
    let named = |name: &str| kernels.iter().find(|kernel| kernel.name.starts_with(name)).unwrap();
    let keep = &named("ikra_kernel_Knot_keep_").body;
    assert!(keep.contains("%ikra_fails bra"), "{keep}");
}
