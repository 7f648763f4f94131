//! Loops that a test ends after each iteration: the host tests, a graph repeats itself, or one kernel stays on the device.

use ikra::Place;
use ikra::prelude::*;
use ikra_baselines::table::{beside, table};
use ikra_baselines::{Baselines, is_counting, size, sizes};

use crate::model::turns::{Item, Round, Turns, turns};
use crate::time_on_host;

const GPU: Place = Place::Gpu(0);
/// As many as the levels of the road network.
const ITERATIONS: u32 = 731;

pub fn loops(baselines: &Baselines) -> Result<(), ikra::Error> {
    table(&["loop of two kernels, one iteration", "objects", "Ikra", "CUDA", "ratio", "test by"], 1);
    let iterations = size(ITERATIONS, 2);
    for n in sizes([1 << 10, 1 << 12, 1 << 17, 1 << 20], 1024) {
        let mut round = Round::new();
        round.items.extend((0..n).map(|_| Item { value: 1 }))?;
        let turns = round.turns.push(Turns { ended: 0, goes_on: true })?;
        let last = Link::from_index(n / 2).unwrap_or_else(|| unreachable!("an id"));
        round.on(GPU).execute(Item::fill, (iterations, last))?;
        let start = |round: &mut Round| {
            round.set(turns, turns::ended, 0);
            round.set(turns, turns::goes_on, true);
        };
        let per_iteration = |time: f64| time / f64::from(iterations);
        let by_host = time_on_host(&mut round, 5, |round| {
            start(round);
            let mut at = round.on(GPU);
            let mut ended = 0;
            loop {
                at.execute(Item::touch, ())?;
                let goes_on = at.execute_and_reduce(Item::look, turns, Any)?;
                at.execute(Turns::end, ())?;
                ended += 1;
                if !goes_on {
                    assert_eq!(ended, iterations, "the loop by the host");
                    return Ok(());
                }
            }
        })?;
        let mut by_device = |form: &str| -> Result<(f64, String), ikra::Error> {
            // SAFETY: no other thread reads or writes variables: the program has this one, and those of Ikra that compile.
            unsafe { std::env::set_var("IKRA_LOOPS", form) };
            let time = time_on_host(&mut round, 5, |round| {
                start(round);
                let ended = round.on(GPU).repeat_while(turns, turns::goes_on, u64::MAX, |step| {
                    step.execute(Item::touch, ())?;
                    step.reduce_into(Item::look, turns, Any, turns, turns::goes_on)?;
                    step.execute(Turns::end, ())
                })?;
                assert_eq!(ended, u64::from(iterations), "the loop by the device");
                Ok(())
            })?;
            let loops = round.cuda().loops()?;
            Ok((time, loops.last().map_or_else(String::new, |report| report.form.to_string())))
        };
        let (by_graph, graph) = by_device("graph")?;
        // The counts of single kernels are of interest, and not those of all in one.
        let (by_kernel, kernel) = if is_counting() { (by_graph, graph.clone()) } else { by_device("resident")? };
        let theirs = |name: &str| baselines.call_n_k(name, n as u64, iterations);
        beside("loop", n, per_iteration(by_host), theirs("loop_by_host"), &[&"the host"]);
        beside("loop", n, per_iteration(by_graph), theirs("loop_by_graph"), &[&graph]);
        beside("loop", n, per_iteration(by_kernel), theirs("loop_by_kernel"), &[&kernel]);
    }
    // SAFETY: as above.
    unsafe { std::env::remove_var("IKRA_LOOPS") };
    Ok(())
}
