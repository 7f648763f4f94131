//! Loops over worklists: the same iterations, and the same bits, as on the host.
#![allow(missing_docs, reason = "a test, not a library")]

use std::collections::{BTreeSet, VecDeque};

use ikra::rng::Random;
use ikra::{Error, Iteration, Place, Selection, Worklist, prelude::*};
use ikra_device_tests::model::worklists::*;
use ikra_device_tests::{has_gpu, is_emulated, is_short, with_variable};

const GPU: Place = Place::Gpu(0);

fn len() -> u32 {
    if is_emulated() { 600 } else { 50_000 }
}

/// A line with branches: each station leads to the next ones, and some to a random one.
fn railway(len: u32) -> (Railway, Link<Tour>) {
    let mut railway = Railway::new();
    let link = |n: u32| Link::from_index(n as usize).unwrap();
    let station = |n: u32| {
        let mut random = Random::new(5, n, 0);
        let mut next = Vec::new();
        next.extend((n + 1 < len && !n.is_multiple_of(11)).then(|| link(n + 1)));
        next.extend((n + 17 < len && n.is_multiple_of(3)).then(|| link(n + 17)));
        next.extend((n.is_multiple_of(4)).then(|| link(random.below(len))));
        let (distance, best) = if n == 0 { (0, 0) } else { (FAR, u64::MAX) };
        let next = next.into();
        Station { distance, level: FAR, best, length: u64::MAX, is_new: false, next, old: n, visits: 0 }
    };
    railway.stations.extend((0..len).map(station)).unwrap();
    let tour = railway.tours.push(Tour { level: 0, visited: 0 }).unwrap();
    (railway, tour)
}

fn first() -> Selection<Station> {
    [Link::from_index(0).unwrap()].into_iter().collect()
}

/// Distances by a queue.
fn distances(railway: &Railway) -> Vec<u32> {
    let rows: Vec<Station> = railway.stations.iter().collect();
    let mut found = vec![FAR; rows.len()];
    let mut queue = VecDeque::from([0]);
    found[0] = 0;
    while let Some(n) = queue.pop_front() {
        for &to in &rows[n].next {
            if found[to.index()] == FAR {
                found[to.index()] = found[n] + 1;
                queue.push_back(to.index());
            }
        }
    }
    found
}

/// All values that kernels change.
fn values(railway: &mut Railway) -> (Vec<(u32, u32, u64, u32, u32)>, Vec<(u32, u64)>) {
    let stations = railway.stations.iter().map(|one| (one.distance, one.level, one.length, one.old, one.visits));
    let stations = stations.collect();
    (stations, railway.tours.iter().map(|tour| (tour.level, tour.visited)).collect())
}

fn search(
    railway: &mut Railway,
    place: Place,
    from: &Selection<Station>,
    most: u64,
) -> Result<(u64, Selection<Station>), Error> {
    railway.on(place).repeat_over(from, most, |step, work| step.over(work).execute(Station::expand, work))
}

/// How loops are to run. Other tests start these with the variable.
fn form() -> String {
    std::env::var("IKRA_LOOPS").unwrap_or_default()
}

#[test]
fn a_search_ends_when_nothing_is_left() {
    if !has_gpu() {
        return;
    }
    for place in [Place::Host, GPU] {
        let (mut railway, _) = railway(len());
        let expected = distances(&railway);
        let (steps, left) = search(&mut railway, place, &first(), u64::MAX).unwrap();
        assert_eq!(railway.stations.copy_column(station::distance), expected);
        let farthest = expected.iter().filter(|&&distance| distance != FAR).max().unwrap();
        assert_eq!((steps, left.len()), (u64::from(*farthest) + 1, 0), "the last one finds nothing");
        if place == GPU {
            let stats = railway.cuda().stats();
            let is_resident = form().starts_with("resident");
            assert_eq!(stats.resident_loops, u64::from(is_resident));
            assert_eq!(stats.launches, steps, "{stats}");
        }
    }
}

/// In parts, each from what the one before has left.
#[test]
fn a_limit_leaves_objects() {
    if !has_gpu() {
        return;
    }
    for place in [Place::Host, GPU] {
        let (mut railway, _) = railway(len());
        let expected = distances(&railway);
        let mut left = first();
        for (most, level) in [(0, 0), (1, 1), (0, 1), (5, 6), (4, 10)] {
            let (steps, next) = search(&mut railway, place, &left, most).unwrap();
            assert_eq!(steps, most);
            let wanted: Vec<_> = (0..).zip(&expected).filter(|&(_, &found)| found == level).map(|(n, _)| n).collect();
            assert_eq!(next.links().map(Link::index).collect::<Vec<_>>(), wanted, "in the order of their ids");
            left = next;
        }
        let (steps, left) = search(&mut railway, place, &Selection::from_iter([]), 9).unwrap();
        assert_eq!((steps, left.len()), (0, 0));
    }
}

/// Beside the worklist: for all objects, where columns are exchanged, and for a part of them, where values are copied.
#[test]
fn snapshots_beside_a_worklist() {
    if !has_gpu() {
        return;
    }
    for (twists, parts) in [(0, 1), (1, 0), (1, 1), (0, 2), (2, 1), (1, 2)] {
        let results = [Place::Host, GPU].map(|place| {
            let (mut railway, _) = railway(len());
            let crew =
                |n: u32| Crew { other: Link::from_index(n as usize * 7 % 300).unwrap(), shifts: [n, 1, 2], hours: n };
            railway.crews.extend((0..300).map(crew)).unwrap();
            let ended = railway.on(place).repeat_over(&first(), u64::MAX, |step, work| {
                (0..twists).try_for_each(|_| step.execute(Crew::change_over, ()))?;
                step.over(100..200).execute(Crew::change_over, ())?;
                (0..twists).try_for_each(|_| step.execute(Station::twist, ()))?;
                for part in [150..400, 3..5][..parts].iter().cloned() {
                    step.over(part).execute(Station::twist, ())?;
                }
                step.over(work).execute(Station::expand, work)
            });
            // Where they lie now is where the next kernels find them.
            railway.on(place).execute(Station::twist, ()).unwrap();
            let crews: Vec<_> = railway.crews.iter().map(|crew| (crew.hours, crew.shifts)).collect();
            (ended.unwrap().0, values(&mut railway), crews)
        });
        assert!(results[0] == results[1], "{twists} twists, {parts} parts");
    }
}

/// Kernels for other objects, a result that a kernel reads, and several kernels for the same objects.
#[test]
fn several_kernels_in_an_iteration() {
    if !has_gpu() {
        return;
    }
    let results = [Place::Host, GPU].map(|place| {
        let (mut railway, tour) = railway(len());
        let expected = distances(&railway);
        let ended = railway.on(place).repeat_over(&first(), u64::MAX, |step, work| {
            step.over(work).execute(Station::settle, tour)?;
            step.execute(Tour::deepen, ())?;
            step.over(work).execute(Station::look, (work, tour))
        });
        let steps = ended.unwrap().0;
        assert_eq!(railway.stations.copy_column(station::level), expected);
        let visits = railway.on(place).execute_and_reduce(Station::visits_of, (), Sum).unwrap();
        assert_eq!(visits, expected.iter().filter(|&&level| level != FAR).count() as u64, "each once");
        (steps, values(&mut railway))
    });
    assert_eq!(results[0], results[1]);
}

/// Objects come into the worklist again.
#[test]
fn shortest_paths() {
    if !has_gpu() {
        return;
    }
    let results = [Place::Host, GPU].map(|place| {
        let (mut railway, _) = railway(len());
        let ended = railway.on(place).repeat_over(&first(), u64::MAX, |step, work| {
            step.over(work).execute(Station::shorten, ())?;
            step.over(work).execute(Station::relax, work)
        });
        let steps = ended.unwrap().0;
        let rows: Vec<Station> = railway.stations.iter().collect();
        for row in rows.iter().filter(|row| row.length != u64::MAX) {
            for to in &row.next {
                let edge = u64::from(to.id().wrapping_mul(2_654_435_761) >> 25);
                assert!(rows[to.index()].length <= row.length + edge);
            }
        }
        (steps, values(&mut railway))
    });
    assert_eq!(results[0], results[1]);
}

/// A kernel of an iteration.
#[derive(Clone, Copy, Debug)]
enum Part {
    Expand,
    Settle,
    Look,
    Shorten,
    Relax,
    Seed(u32),
    Twist,
    Meet(u32),
    Deepen,
}

#[test]
fn random_sequences() {
    if !has_gpu() {
        return;
    }
    for seed in 0..if is_emulated() { 12 } else { 20 } {
        let mut random = Random::new(11, seed, 0);
        let len = 1 + random.below(if is_emulated() { 900 } else { 3_000 });
        let parts: Vec<Part> = (0..1 + random.below(6))
            .map(|_| match random.below(10) {
                0 => Part::Settle,
                1 => Part::Look,
                2 => Part::Shorten,
                3 => Part::Relax,
                4 => Part::Seed(random.below(97)),
                5 => Part::Twist,
                6 => Part::Meet(random.below(len)),
                7 => Part::Deepen,
                _ => Part::Expand,
            })
            .collect();
        let most = u64::from(if random.below(3) == 0 { random.below(9) } else { 60 });
        let start: BTreeSet<u32> = (0..1 + random.below(40)).map(|_| random.below(len)).collect();
        let start: Selection<Station> = start.iter().map(|&n| Link::from_index(n as usize).unwrap()).collect();
        let results = [Place::Host, GPU].map(|place| {
            let (mut railway, tour) = railway(len);
            let iteration = |step: &mut Iteration<'_, Railway>, work: &Worklist<Station>| {
                parts.iter().try_for_each(|part| match *part {
                    Part::Expand => step.over(work).execute(Station::expand, work),
                    Part::Settle => step.over(work).execute(Station::settle, tour),
                    Part::Look => step.over(work).execute(Station::look, (work, tour)),
                    Part::Shorten => step.over(work).execute(Station::shorten, ()),
                    Part::Relax => step.over(work).execute(Station::relax, work),
                    Part::Seed(of) => step.execute(Station::seed, (work, tour, of)),
                    Part::Twist => step.execute(Station::twist, ()),
                    Part::Meet(from) => {
                        step.over(from as usize..len.min(from + 70) as usize).execute_pairs(Station::meet, ())
                    }
                    Part::Deepen => step.execute(Tour::deepen, ()),
                })
            };
            let mut seen = Vec::new();
            let mut left = start.clone();
            // Again from where the first one ended.
            for _ in 0..2 {
                let (steps, next) = railway
                    .on(place)
                    .repeat_over(&left, most, iteration)
                    .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
                seen.push((steps, next.links().map(Link::index).collect::<Vec<_>>()));
                left = next;
                railway.on(place).execute(Station::twist, ()).unwrap();
            }
            (seen, values(&mut railway))
        });
        assert_eq!(results[0], results[1], "seed {seed}: {parts:?}");
    }
}

/// The host copies the length after each iteration; one kernel copies the count and the length at its end.
#[test]
fn little_is_copied_while_it_runs() {
    if !has_gpu() {
        return;
    }
    let (mut railway, _) = railway(300);
    search(&mut railway, GPU, &first(), 1).unwrap();
    let before = railway.cuda().stats();
    let (steps, _) = search(&mut railway, GPU, &first(), 0).unwrap();
    assert_eq!(steps, 0);
    let (_, left) = search(&mut railway, GPU, &first(), 3).unwrap();
    let after = railway.cuda().stats();
    let down = after.bytes_down - before.bytes_down;
    // Without iterations: the start.
    assert!(down <= 8 + 4 + 4 + 4 + 12 + 4 * left.len() as u64, "{down}");
}

#[test]
fn mistakes() {
    if !has_gpu() {
        return;
    }
    let (mut railway, tour) = railway(200);
    let mut other = railway.clone();
    for place in [Place::Host, GPU] {
        let gone: Selection<Station> = [Link::from_id(500).unwrap()].into_iter().collect();
        let error = search(&mut railway, place, &gone, 1).unwrap_err();
        assert!(matches!(error, Error::NotInWorld { class: "Station", .. }), "{error}");
        let error =
            railway.on(place).repeat_over(&first(), 5, |step, _| step.over(190..210).execute(Station::settle, tour));
        assert!(matches!(error, Err(Error::OutOfRange { class: "Station", .. })), "{error:?}");
        // Another world's kernels.
        let other = std::sync::Mutex::new(&mut other);
        for there in [Place::Host, GPU] {
            let error = railway
                .on(place)
                .repeat_over(&first(), 5, |_, work| other.lock().unwrap().on(there).execute(Station::expand, work));
            assert!(matches!(error, Err(Error::ForeignWorklist { class: "Station" })), "{error:?}");
        }
        if place == GPU {
            for there in [Place::Host, GPU] {
                let error = railway.on(place).repeat_over(&first(), 5, |_, work| {
                    other.lock().unwrap().on(there).over(work).execute(Station::settle, tour)
                });
                assert!(matches!(error, Err(Error::ForeignWorklist { .. } | Error::NotRecordable { .. })), "{error:?}");
            }
            let kept = std::sync::Mutex::new(None);
            let error = railway.on(place).repeat_over(&first(), 5, |_, work| {
                let recording =
                    other.lock().unwrap().on(GPU).record(|sim| sim.over(work).execute(Station::settle, tour));
                *kept.lock().unwrap() = Some(recording?);
                Ok(())
            });
            assert!(error.is_ok(), "{error:?}");
            let kept = kept.into_inner().unwrap().unwrap();
            let error = other.lock().unwrap().on(GPU).replay(&kept).unwrap_err();
            assert!(matches!(error, Error::StaleRecording { .. }), "{error}");
        }
    }
    // What only the host can do.
    let refused: [&dyn Fn(&mut Iteration<'_, Railway>, &Worklist<Station>) -> Result<(), Error>; 3] = [
        &|step, work| step.over(work).execute_pairs(Station::meet, ()),
        &|step, work| step.over(work).execute(Station::twist, ()),
        &|step, work| step.over(work).reduce_into(Station::visits_of, (), Sum, tour, tour::visited),
    ];
    for iteration in &refused[..2] {
        railway.on(Place::Host).repeat_over(&first(), 1, iteration).unwrap();
    }
    for iteration in &refused[..2] {
        let error = railway.on(GPU).repeat_over(&first(), 1, iteration).unwrap_err();
        assert!(matches!(error, Error::NotRecordable { .. }), "{error}");
    }
}

/// Stations with up to 24 next ones, some of them several times.
fn hubs(len: u32) -> Railway {
    let (railway, _) = railway(len);
    let rows = railway.stations.iter().map(|mut row| {
        let to = |k: u32| Link::from_index(((row.old * 37 + k * k % 11) % len) as usize).unwrap();
        row.next = (0..row.old % 25).map(to).collect();
        row
    });
    let rows: Vec<Station> = rows.collect();
    let mut hubs = Railway::new();
    hubs.stations.extend(rows).unwrap();
    hubs
}

/// More objects than a thread keeps until the kernel ends, and the same one by several threads, several times.
#[test]
fn many_are_found_at_once() {
    if !has_gpu() {
        return;
    }
    for len in [1, 31, 33, 500] {
        let results = [Place::Host, GPU].map(|place| {
            let mut hubs = hubs(len);
            let mut left: Selection<Station> =
                (0..len).step_by(3).map(|n| Link::from_index(n as usize).unwrap()).collect();
            let mut seen = Vec::new();
            for most in [1, 1, 2, 70] {
                let ended = hubs
                    .on(place)
                    .repeat_over(&left, most, |step, work| step.over(work).execute(Station::spread, work));
                let (steps, next) = ended.unwrap();
                seen.push((steps, next.links().map(Link::index).collect::<Vec<_>>()));
                left = next;
            }
            seen
        });
        assert_eq!(results[0], results[1], "{len}");
        let first = &results[0][0].1;
        assert!(len < 33 || first.len() > 20, "{first:?}");
    }
}

/// Threads that wait for each other do not wait for one that has failed.
#[test]
#[ignore = "run by another, in a process of its own"]
fn an_object_that_does_not_exist() {
    if !has_gpu() {
        return;
    }
    let mut hubs = hubs(200);
    let all: Selection<Station> = (0..200).map(|n| Link::from_index(n).unwrap()).collect();
    let failed = hubs.on(GPU).repeat_over(&all, 50, |step, work| step.over(work).execute(Station::stray, (work, 77)));
    let error = failed.unwrap_err().to_string();
    assert!(error.contains("`Station::stray`") && error.contains("in iteration 1 of a loop"), "{error}");
}

/// The error names the iteration, and values of a later one are lost.
#[test]
#[ignore = "run by another, in a process of its own"]
fn a_kernel_that_fails() {
    if !has_gpu() {
        return;
    }
    let (mut railway, tour) = railway(100);
    let failed = railway.on(GPU).repeat_over(&first(), 50, |step, work| {
        step.over(work).execute(Station::settle, tour)?;
        step.execute(Tour::deepen, ())?;
        step.over(work).execute(Station::fail_at, 4)?;
        step.over(work).execute(Station::look, (work, tour))
    });
    let error = failed.unwrap_err().to_string();
    assert!(error.contains("in iteration 5 of a loop"), "{error}");
}

#[test]
fn a_kernel_fails() {
    if has_gpu() && form().is_empty() {
        for form in ["host", "resident"] {
            with_variable("IKRA_LOOPS", form, &["a_kernel_that_fails"]);
            with_variable("IKRA_LOOPS", form, &["an_object_that_does_not_exist"]);
        }
    }
}

#[test]
fn all_forms() {
    if !has_gpu() || !form().is_empty() {
        return;
    }
    let tests = [
        "a_search_ends_when_nothing_is_left",
        "a_limit_leaves_objects",
        "several_kernels_in_an_iteration",
        "shortest_paths",
        "many_are_found_at_once",
        "random_sequences",
        "little_is_copied_while_it_runs",
    ];
    let forms = ["resident", "resident:3x256", "host", "resident:1x512", "resident:16x32"];
    for form in &forms[..if is_short() { 2 } else { forms.len() }] {
        with_variable("IKRA_LOOPS", form, &tests);
    }
}

/// A loop without iterations compiles the sequence; then it is one kernel.
#[test]
fn a_loop_is_prepared() {
    if !has_gpu() || !form().is_empty() {
        return;
    }
    let (mut railway, _) = railway(300);
    search(&mut railway, GPU, &first(), 0).unwrap();
    search(&mut railway, GPU, &first(), 5).unwrap();
    let report = railway.cuda().loops().unwrap()[0].to_string();
    assert!(report.starts_with("Station::expand: ran as one kernel of"), "{report}");
}
