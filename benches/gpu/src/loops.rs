//! Loops that a test ends after each iteration: the host tests, a graph repeats itself, or one kernel stays on the device.

use std::time::Instant;

use ikra::Place;
use ikra::prelude::*;
use ikra_baselines::table::{beside, table, with_ratio};
use ikra_baselines::{Baselines, is_counting, size, sizes};

use crate::model::roads::{Junction, Roads, UNREACHED, junction};
use crate::model::turns::{Item, Round, Turns, turns};
use crate::{call_bfs, time_on_host};

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

/// Searches of road networks, each level for the junctions that the one before has reached.
pub fn worklists(baselines: &Baselines) -> Result<(), ikra::Error> {
    table(&["search with a worklist", "vertices", "Ikra", "CUDA", "ratio", "four at once", "form"], 1);
    for n in sizes([1_088_092, 1 << 22, 1 << 24], 4000) {
        let graph = ::graph::roads::generate(n as u32, 1);
        let mut roads = Roads::new();
        let all: Vec<_> = roads.junctions.reserve(n)?.collect();
        for (v, &link) in all.iter().enumerate() {
            let to: Vec<_> = graph.neighbours(v).iter().map(|&to| all[to as usize]).collect();
            roads.junctions.init(link, Junction { distance: UNREACHED, roads: to.into() })?;
        }
        let start = all[..1].iter().copied().collect();
        let search = |roads: &mut Roads, most: u64| {
            let found =
                roads.on(GPU).repeat_over(&start, most, |step, work| step.over(work).execute(Junction::expand, work));
            found.map(drop)
        };
        for (form, theirs, together) in
            [("host", "search_by_host", None), ("resident", "search_by_kernel", Some("search_together"))]
        {
            if is_counting() && form == "resident" {
                continue;
            }
            // SAFETY: as above.
            unsafe { std::env::set_var("IKRA_LOOPS", form) };
            search(&mut roads, 0)?;
            let mut best = f64::INFINITY;
            for _ in 0..size(7, 1) {
                roads.on(GPU).execute(Junction::reset, all[0])?;
                roads.on(GPU).synchronize()?;
                let begin = Instant::now();
                search(&mut roads, u64::MAX)?;
                best = best.min(begin.elapsed().as_secs_f64());
            }
            let found = roads.junctions.copy_column(junction::distance);
            let time_of = |name: &str| {
                let (cuda, levels) = call_bfs(baselines, name, &graph.offsets, &graph.targets, 0);
                assert!(is_counting() || found == levels, "all searches find the same distances");
                cuda
            };
            let (cuda, together) = (time_of(theirs), together.map_or(f64::NAN, time_of));
            let form = roads.cuda().loops()?.last().map_or_else(String::new, |report| report.form.to_string());
            let best = best * 1e9;
            beside("worklist", n, best, cuda, &[&with_ratio(together, best), &form]);
        }
    }
    // SAFETY: as above.
    unsafe { std::env::remove_var("IKRA_LOOPS") };
    Ok(())
}
