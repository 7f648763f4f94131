//! Networks from damaged files: an error or a run.
#![allow(missing_docs, reason = "a test, not a library")]

#[path = "../../streets/tests/damage/mod.rs"]
mod damage;
#[path = "../../streets/tests/extracts/mod.rs"]
mod extracts;

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use ikra::Place;
use streets::Network;
use traffic::{Parameters, Roads, Traffic};

/// Steps of a run.
const STEPS: u32 = 3;

#[test]
fn damaged_files_are_an_error_or_a_run() {
    let Some(folder) = extracts::folder() else { return };
    let [errors, runs, most] = [const { AtomicUsize::new(0) }; 3];
    let start = Instant::now();
    damage::variants(&folder, |name, damaged| {
        let Ok((network, _)) = Network::from_bytes(name, damaged) else {
            errors.fetch_add(1, Relaxed);
            return;
        };
        // Long cells are fewer cells: all that a network can have is there.
        let parameters = Parameters { cars: 0, cell_length: 50.0, ..Parameters::default() };
        let roads = match Roads::new(&network, &parameters) {
            Ok(roads) => roads,
            Err(error) => {
                assert_eq!(error.to_string().lines().count(), 1);
                errors.fetch_add(1, Relaxed);
                return;
            }
        };
        most.fetch_max(roads.cells(), Relaxed);
        let cars = roads.cells().div_ceil(4) as u32;
        let mut traffic = Traffic::on_roads(roads, &Parameters { cars, ..parameters }).unwrap();
        for _ in 0..STEPS {
            traffic.step(Place::Host, 1).unwrap();
            traffic.check().unwrap_or_else(|violation| panic!("{name}: {violation}"));
        }
        runs.fetch_add(1, Relaxed);
    });
    let [errors, runs, most] = [errors, runs, most].map(AtomicUsize::into_inner);
    println!("{errors} errors, {runs} runs, at most {most} cells, {:.1} s", start.elapsed().as_secs_f64());
    assert!(errors + runs >= 1000 && errors > 100 && runs > 20);
}
