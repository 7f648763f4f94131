//! Small workloads have the same results in plain Rust, on the host with any number of threads, and on a GPU.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::Place;
use ikra_workload_benches::inputs::{Graph, Sheet, Sizes, living};
use ikra_workload_benches::{cases, plain};

#[test]
fn results_are_equal_everywhere() {
    let has_gpu = ikra_test_gpu::has_gpu(option_env!("IKRA_DEVICE_CODE"));
    for case in cases(&Sizes::SMALL) {
        let on_host = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| case.ikra(Place::Host)).unwrap().checksum
        };
        let expected = on_host(1);
        assert_eq!(on_host(3), expected, "{} with three threads", case.name);
        if let Some(plain) = case.plain() {
            assert_eq!(plain.checksum, expected, "{} in columns", case.name);
        }
        if let Some(checksum) = case.ordinary() {
            assert_eq!(checksum, expected, "{} with ordinary objects", case.name);
        }
        if has_gpu {
            let found = case.ikra(Place::Gpu(0)).unwrap();
            assert_eq!(found.checksum, expected, "{} on a GPU", case.name);
        }
    }
}

#[test]
fn sheets_tear() {
    let [columns, rows] = Sizes::SMALL.sheet;
    let torn = plain::sheet::tear(&Sheet::new(columns, rows), Sizes::SMALL.rounds);
    let count = |flags: &[bool]| flags.iter().filter(|is_set| **is_set).count();
    let (gone, broken) = (count(&torn.is_gone), count(&torn.is_broken));
    assert!(gone > 0 && gone < torn.is_gone.len() / 2, "{gone} nodes are gone");
    assert!(broken > 0 && broken < torn.is_broken.len() / 2, "{broken} springs are broken");
}

#[test]
fn fields_live() {
    let [width, height, _] = Sizes::SMALL.life;
    let states = plain::field::gol(Sizes::SMALL.life, &living(width * height));
    assert!(states.iter().filter(|state| **state == 1).count() > 50);
    let [width, height, _] = Sizes::SMALL.generations;
    let states = plain::field::r#gen(Sizes::SMALL.generations, &living(width * height));
    assert!((0..4).all(|state| states.contains(&state)));
}

#[test]
fn graphs_follow_a_power_law() {
    let graph = Graph::new(Sizes::SMALL.vertices, Sizes::SMALL.edges);
    let mut arcs: Vec<usize> = (0..graph.vertices()).map(|vertex| graph.incoming(vertex).len()).collect();
    arcs.sort_unstable();
    assert!(arcs[0] >= 1 && arcs[arcs.len() / 2] < 6 && arcs[arcs.len() - 1] > 40, "{arcs:?}");
    assert!((0..graph.vertices()).any(|vertex| graph.is_hub(vertex)));
}
