//! Loops that a device runs by itself: the same iterations, and the same bits, as on the host.
#![allow(missing_docs, reason = "a test, not a library")]

use std::collections::VecDeque;

use ikra::rng::Random;
use ikra::{Error, Iteration, Place, prelude::*};
use ikra_device_tests::model::repeats::*;
use ikra_device_tests::{emulated, has_gpu, is_emulated, is_short, with_variable};

const GPU: Place = Place::Gpu(0);

fn len() -> u32 {
    if is_emulated() { 500 } else { 40_000 }
}

/// A road: each node leads to the next ones, and some to a random one before them.
fn maze(len: u32) -> (Maze, Link<Search>) {
    let mut maze = Maze::new();
    let link = |n: u32| Link::from_index(n as usize).unwrap();
    let node = |n: u32| {
        let mut random = Random::new(3, n, 0);
        let mut next = Vec::new();
        next.extend((n + 1 < len).then(|| link(n + 1)));
        next.extend((n + 7 < len && n.is_multiple_of(5)).then(|| link(n + 7)));
        next.extend((n > 0 && n.is_multiple_of(3)).then(|| link(random.below(n))));
        let heat = random.uniform_f32();
        Node { distance: if n == 0 { 0 } else { FAR }, next: next.into(), heat, flow: 0.0, old: n }
    };
    maze.nodes.extend((0..len).map(node)).unwrap();
    let search = Search { goes_on: true, level: 0, heat: 0.0, largest: [0; 2], found: true };
    let search = maze.searches.push(search).unwrap();
    maze.rows.push(Row { goes_on: true, level: 0 }).unwrap();
    (maze, search)
}

/// How loops are to run: see `sim.cuda().loops()`. Other tests start these with the variable.
fn form() -> String {
    std::env::var("IKRA_LOOPS").unwrap_or_default()
}

/// The loops of a world ran as they should. A graph cannot alternate between two memories, and is not made for a number of
/// iterations.
fn check_form(maze: &mut Maze, may_be_graph: bool) {
    let stats = maze.cuda().stats();
    let ran = (stats.resident_loops > 0, stats.graph_loops > 0);
    match form().split(':').next() {
        Some("resident") => assert_eq!(ran, (true, false)),
        Some("graph") => assert_eq!(ran, (false, may_be_graph)),
        Some("host") => assert_eq!(ran, (false, false)),
        _ => {}
    }
}

/// All values that kernels change.
fn values(maze: &mut Maze) -> (Vec<(u32, u32, u32)>, Vec<(bool, u32, u32, [u32; 2])>) {
    // Which bits a NaN has is not said.
    let bits = |heat: f32| if heat.is_nan() { f32::NAN.to_bits() } else { heat.to_bits() };
    let nodes = maze.nodes.iter().map(|node| (node.distance, bits(node.heat), node.old)).collect();
    let searches = maze.searches.iter().map(|one| (one.goes_on, one.level, bits(one.heat), one.largest)).collect();
    (nodes, searches)
}

/// Distances by a queue.
fn distances(maze: &Maze) -> Vec<u32> {
    let rows: Vec<Node> = maze.nodes.iter().collect();
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

fn search(maze: &mut Maze, place: Place, search: Link<Search>, most: u64) -> Result<u64, Error> {
    maze.on(place).repeat_while(search, search::goes_on, most, |step| {
        step.reduce_into(Node::push, search, Any, search, search::goes_on)?;
        step.execute(Search::deepen, ())
    })
}

#[test]
fn a_search_ends_by_itself() {
    if !has_gpu() {
        return;
    }
    let results = [Place::Host, GPU].map(|place| {
        let (mut maze, link) = maze(len());
        let expected = distances(&maze);
        let steps = search(&mut maze, place, link, u64::MAX).unwrap();
        assert_eq!(maze.nodes.copy_column(node::distance), expected);
        assert_eq!(steps, u64::from(*expected.iter().max().unwrap()) + 1, "the last one finds nothing");
        if place == GPU {
            check_form(&mut maze, true);
        }
        // Again, from where it stands: the field is false.
        assert_eq!(search(&mut maze, place, link, u64::MAX).unwrap(), 0);
        (steps, values(&mut maze))
    });
    assert_eq!(results[0], results[1]);
}

/// Nothing but the count comes back, and nothing goes there.
#[test]
fn nothing_is_copied_while_it_runs() {
    if !has_gpu() {
        return;
    }
    if form() == "host" {
        return;
    }
    let (mut maze, link) = maze(300);
    assert_eq!(search(&mut maze, GPU, link, 1).unwrap(), 1);
    let before = maze.cuda().stats();
    let steps = search(&mut maze, GPU, link, 40).unwrap();
    let after = maze.cuda().stats();
    assert_eq!(steps, 40);
    assert_eq!((after.bytes_up - before.bytes_up, after.bytes_down - before.bytes_down), (0, 8));
    assert_eq!(after.launches - before.launches, 2 * steps, "two kernels per iteration");
}

#[test]
fn limits_and_no_iterations() {
    if !has_gpu() {
        return;
    }
    for place in [Place::Host, GPU] {
        let (mut maze, link) = maze(100);
        assert_eq!(search(&mut maze, place, link, 0).unwrap(), 0);
        assert_eq!(maze.get(link).level(), 0, "no iteration has run");
        assert_eq!(search(&mut maze, place, link, 7).unwrap(), 7);
        assert_eq!((maze.get(link).level(), maze.get(link).goes_on()), (7, true));
        maze.set(link, search::goes_on, false);
        assert_eq!(search(&mut maze, place, link, 7).unwrap(), 0);
        assert_eq!(maze.get(link).level(), 7);
        let gone = Link::from_id(9).unwrap();
        let error = maze.on(place).repeat_while(gone, search::goes_on, 1, |_| Ok(())).unwrap_err();
        assert!(matches!(error, Error::NotInWorld { class: "Search", .. }), "{error}");
        // The errors of an iteration end it.
        maze.set(link, search::goes_on, true);
        let error = maze
            .on(place)
            .repeat_while(link, search::goes_on, 5, |step| step.over(90..110).execute(Node::lift, ()))
            .unwrap_err();
        assert!(matches!(error, Error::OutOfRange { class: "Node", .. }), "{error}");
    }
}

#[test]
fn results_are_arguments_of_later_kernels() {
    if !has_gpu() {
        return;
    }
    let results = [Place::Host, GPU].map(|place| {
        let (mut maze, link) = maze(len());
        let mut at = maze.on(place);
        // By itself, too: the next kernel reads it.
        at.reduce_into(Node::heat_of, (), Sum, link, search::heat).unwrap();
        at.execute(Node::warm, (link, 0.5)).unwrap();
        let steps = at
            .repeat_while(link, search::goes_on, 100, |step| {
                step.execute(Node::measure, ())?;
                step.over(1..).reduce_into(Node::heat_of, (), Sum, link, search::heat)?;
                step.execute(Node::warm, (link, 0.125))?;
                step.reduce_into(Node::both, 5, Max, link, search::largest)?;
                step.execute(Search::deepen, ())?;
                step.execute(Search::stop_at, 9)
            })
            .unwrap();
        let sum = maze.on(place).execute_and_reduce(Node::heat_of, (), Sum).unwrap();
        (steps, sum.to_bits(), values(&mut maze))
    });
    assert_eq!(results[0].0, 9);
    assert_eq!(results[0], results[1]);
}

/// The flag is set by the first kernel of an iteration, and cleared by the last one, or the other way round.
#[test]
fn an_atomic_flag_ends_a_loop() {
    if !has_gpu() {
        return;
    }
    for seeks_first in [false, true] {
        let results = [Place::Host, GPU].map(|place| {
            let (mut maze, link) = maze(len());
            let steps = maze
                .on(place)
                .repeat_while(link, search::found, 40, |step| {
                    if seeks_first {
                        step.execute(Node::seek, link)?;
                    }
                    step.execute(Search::give_up, ())?;
                    if seeks_first { step.execute(Node::measure, ()) } else { step.execute(Node::seek, link) }
                })
                .unwrap();
            if place == GPU {
                check_form(&mut maze, true);
            }
            let found = maze.get(link).found().load();
            (steps, found, values(&mut maze))
        });
        assert_eq!((results[0].0, results[0].1), (if seeks_first { 1 } else { 15 }, false));
        assert_eq!(results[0], results[1]);
    }
}

/// Blocks must not see the field of the next iteration before all have read it.
#[test]
fn the_first_kernel_ends_a_loop() {
    if !has_gpu() {
        return;
    }
    let results = [Place::Host, GPU].map(|place| {
        let (mut maze, link) = maze(len());
        let steps = maze.on(place).repeat_while(link, search::goes_on, 40, |step| {
            step.execute(Search::stop_at, 5)?;
            step.execute(Node::measure, ())?;
            step.execute(Search::deepen, ())
        });
        if place == GPU {
            check_form(&mut maze, true);
        }
        (steps.unwrap(), values(&mut maze))
    });
    assert_eq!(results[0].0, 6);
    assert_eq!(results[0], results[1]);
}

/// Columns that are exchanged once per iteration, so that the next one finds them elsewhere, or twice. For a part of the
/// objects, values are copied.
#[test]
fn snapshots_are_in_their_places() {
    if !has_gpu() {
        return;
    }
    let parts = [(50..150), (20..90), (130..131)];
    for (twists, in_part) in [(0, 0), (1, 0), (2, 0), (3, 0), (0, 2), (0, 1), (1, 1), (1, 2), (2, 1), (2, 3)] {
        let results = [Place::Host, GPU].map(|place| {
            let (mut maze, link) = maze(200);
            let steps = maze
                .on(place)
                .repeat_while(link, search::goes_on, 30, |step| {
                    (0..twists).try_for_each(|_| step.execute(Node::twist, ()))?;
                    for part in &parts[..in_part] {
                        step.over(part.clone()).execute(Node::twist, ())?;
                    }
                    step.reduce_into(Node::both, 3, Max, link, search::largest)?;
                    step.execute(Search::deepen, ())?;
                    step.execute(Search::stop_at, 5)
                })
                .unwrap();
            if place == GPU && in_part == 0 {
                check_form(&mut maze, twists % 2 == 0);
            }
            // Where they lie now is where the next kernels find them.
            maze.on(place).execute(Node::twist, ()).unwrap();
            (steps, values(&mut maze))
        });
        assert_eq!(results[0].0, 5);
        assert_eq!(results[0], results[1], "{twists} twists, {in_part}");
    }
}

/// Objects that left the world share its stream. A copy to the host must not become a part of a loop's graph.
#[test]
fn others_read_columns_while_loops_run() {
    if !has_gpu() {
        return;
    }
    let (mut maze, link) = maze(60);
    let expected: Vec<u32> = maze.nodes.iter().map(|node| node.old.rotate_left(1)).collect();
    for _ in 0..if is_short() { 2 } else { 10 } {
        let taken: Vec<Objects<Node>> = (0..40)
            .map(|_| {
                maze.nodes = self::maze(60).0.nodes;
                maze.on(GPU).execute(Node::turn, ()).unwrap();
                std::mem::take(&mut maze.nodes)
            })
            .collect();
        let read = std::thread::scope(|scope| {
            let reader = scope.spawn(|| {
                let columns = taken.into_iter().map(|nodes| nodes.copy_column(node::old));
                columns.collect::<Vec<_>>()
            });
            while !reader.is_finished() {
                maze.set(link, search::level, 0);
                maze.set(link, search::goes_on, true);
                let steps = maze.on(GPU).repeat_while(link, search::goes_on, 30, |step| {
                    step.execute(Search::deepen, ())?;
                    step.execute(Search::stop_at, 5)
                });
                assert_eq!(steps.unwrap(), 5);
            }
            reader.join().unwrap()
        });
        assert!(read.iter().all(|column| *column == expected));
    }
}

/// A field that is itself exchanged for its snapshot ends a loop, too.
#[test]
fn the_field_lies_elsewhere_after_an_iteration() {
    if !has_gpu() {
        return;
    }
    let results = [Place::Host, GPU].map(|place| {
        let (mut maze, _) = maze(20);
        let link = maze.dials.push(Dial { goes_on: true, turns: 0 }).unwrap();
        let steps = maze.on(place).repeat_while(link, dial::goes_on, 30, |step| {
            step.execute(Dial::turn, 5)?;
            step.execute(Node::measure, ())
        });
        (steps.unwrap(), maze.get(link).turns(), values(&mut maze))
    });
    assert_eq!((results[0].0, results[0].1), (5, 5));
    assert_eq!(results[0], results[1]);
}

/// `repeat`, with columns that are exchanged in each iteration, and with more iterations than a sequence runs before it is
/// compiled.
#[test]
fn a_number_of_iterations() {
    if !has_gpu() {
        return;
    }
    for (count, twists) in [(0, 1), (1, 1), (2, 1), (5, 3), (6, 2), (17, 0), (17, 1), (130, 1)] {
        let results = [Place::Host, GPU].map(|place| {
            let (mut maze, link) = maze(if count > 100 { 60 } else { 200 });
            let step = |maze: &mut Maze, count: usize| {
                maze.on(place).repeat(count, |step| {
                    (0..twists).try_for_each(|_| step.execute(Node::twist, ()))?;
                    step.execute(Node::measure, ())?;
                    step.reduce_into(Node::heat_of, (), Sum, link, search::heat)?;
                    step.execute(Node::warm, (link, 0.25))?;
                    step.execute(Search::deepen, ())
                })
            };
            step(&mut maze, count).unwrap();
            if place == GPU && count > 1 {
                check_form(&mut maze, false);
            }
            // From where the last one has left off; another kernel in between finds all columns.
            step(&mut maze, 3).unwrap();
            maze.on(place).execute(Node::twist, ()).unwrap();
            step(&mut maze, count).unwrap();
            assert_eq!(maze.get(link).level() as usize, 2 * count + 3);
            values(&mut maze)
        });
        assert_eq!(results[0], results[1], "{count} iterations with {twists} twists");
    }
}

/// A number of iterations moves to the device when its kernel is ready: at once if a loop without iterations has prepared it.
#[test]
fn a_number_of_iterations_moves_to_the_device() {
    if !has_gpu() || !form().is_empty() {
        return;
    }
    let (mut maze, _) = maze(500);
    let run = |maze: &mut Maze, count: usize| {
        maze.on(GPU).repeat(count, |step| step.execute(Node::twist, ())).unwrap();
        let [report] = &maze.cuda().loops().unwrap()[..] else { panic!("there is one sequence") };
        report.to_string()
    };
    maze.on(GPU).repeat(3, |step| step.execute(Node::twist, ())).unwrap();
    assert!(maze.cuda().loops().unwrap().is_empty(), "so few are launched");
    let text = run(&mut maze, 20);
    assert!(text.starts_with("Node::twist: ran as iterations that the host started, since it"), "{text}");
    run(&mut maze, 0);
    let before = maze.cuda().stats();
    let text = run(&mut maze, 21);
    let after = maze.cuda().stats();
    assert!(text.starts_with("Node::twist: ran as one kernel of "), "{text}");
    assert_eq!(after.resident_loops - before.resident_loops, 1);
    assert_eq!((after.launches - before.launches, after.bytes_up - before.bytes_up), (21, 0));
}

/// Loops that a recording cannot hold: lists that a kernel chooses, fields in rows, and no objects at all.
#[test]
fn other_loops_run_too() {
    if !has_gpu() {
        return;
    }
    let results = [Place::Host, GPU].map(|place| {
        let (mut maze, link) = maze(200);
        let row = Link::from_index(0).unwrap();
        let steps = maze
            .on(place)
            .repeat_while(row, row::goes_on, 30, |step| {
                step.select(Node::is_low, ()).execute(Node::lift, ())?;
                step.execute(Row::step, 6)
            })
            .unwrap();
        let nothing = maze.on(place).repeat_while(link, search::goes_on, 30, |step| {
            step.over(5..5).reduce_into(Node::is_odd, (), Any, link, search::goes_on)
        });
        (steps, nothing.unwrap(), values(&mut maze))
    });
    assert_eq!((results[0].0, results[0].1), (6, 1));
    assert_eq!(results[0], results[1]);
}

/// A result in a field that the kernel itself stores, with and without a snapshot of it.
#[test]
fn results_replace_what_the_kernel_has_stored() {
    if !has_gpu() {
        return;
    }
    let results = [Place::Host, GPU].map(|place| {
        let (mut maze, _) = maze(300);
        let node: Link<Node> = Link::from_index(7).unwrap();
        let mut at = maze.on(place);
        at.reduce_into(Node::twisted, (), Max, node, node::old).unwrap();
        at.over(3..200).reduce_into(Node::twisted, (), Max, node, node::old).unwrap();
        let most = at.world().get(node).old();
        let recorded = at.record(|sim| sim.reduce_into(Node::twisted, (), Max, node, node::old));
        match recorded {
            Ok(_) => assert_eq!(place, Place::Host),
            Err(error) => assert!(place == GPU && matches!(error, Error::NotRecordable { .. }), "{error}"),
        }
        (most, values(&mut maze))
    });
    assert_eq!(results[0], results[1]);
    let largest = results[0].1.0[3..200].iter().map(|(_, _, old)| *old).max();
    assert_eq!(largest, Some(results[0].0), "the largest of the second run");
}

#[test]
fn recordings_store_results() {
    if !has_gpu() {
        return;
    }
    let results = [Place::Host, GPU].map(|place| {
        let (mut maze, link) = maze(len());
        let step = maze
            .on(place)
            .record(|sim| {
                sim.execute(Node::twist, ())?;
                sim.reduce_into(Node::both, 7, Max, link, search::largest)?;
                sim.reduce_into(Node::heat_of, (), Sum, link, search::heat)?;
                sim.execute(Node::warm, (link, 2.0))
            })
            .unwrap();
        let mut seen = Vec::new();
        for _ in 0..5 {
            maze.on(place).replay(&step).unwrap();
            seen.push((maze.get(link).largest(), maze.get(link).heat().to_bits()));
        }
        (seen, values(&mut maze))
    });
    assert_eq!(results[0], results[1]);
}

/// A kernel of an iteration.
#[derive(Clone, Copy, Debug)]
enum Part {
    Measure,
    Meet(u32),
    Warm(f32),
    Heat(u32),
    Largest(u32),
    Lift(u32, u32),
    Odd,
    Twist,
    Row,
    Deepen,
    StopAt(u32),
}

/// Random kernels; columns are often exchanged an odd number of times.
fn parts(random: &mut Random, len: u32) -> Vec<Part> {
    let mut parts = vec![Part::Deepen, Part::StopAt(1 + random.below(5))];
    for _ in 0..random.below(6) {
        let at = random.below(parts.len() as u32 + 1) as usize;
        let first = random.below(len);
        let part = match random.below(9) {
            8 => Part::Meet(first),
            0 => Part::Measure,
            1 => Part::Warm(random.uniform_f32()),
            2 => Part::Heat(first),
            3 => Part::Largest(random.below(32)),
            4 => Part::Lift(first, first + 1 + random.below(len - first)),
            5 => Part::Odd,
            6 => Part::Row,
            _ => Part::Twist,
        };
        parts.insert(at, part);
    }
    parts
}

#[test]
fn random_sequences() {
    if !has_gpu() {
        return;
    }
    for seed in 0..if is_emulated() { 12 } else { 40 } {
        let mut random = Random::new(7, seed, 0);
        let len = 1 + random.below(if is_emulated() { 900 } else { 6_000 });
        let parts = parts(&mut random, len);
        let most = u64::from(if random.below(4) == 0 { random.below(4) } else { 100 });
        // As often as a field says, or a number of times.
        let number = (random.below(3) == 0).then(|| random.below(if is_emulated() { 12 } else { 200 }) as usize);
        let twists = parts.iter().filter(|part| matches!(part, Part::Twist)).count();
        let results = [Place::Host, GPU].map(|place| {
            let (mut maze, link) = maze(len);
            let iteration = |step: &mut Iteration<'_, Maze>| {
                parts.iter().try_for_each(|part| match *part {
                    Part::Measure => step.execute(Node::measure, ()),
                    Part::Meet(from) => {
                        step.over(from as usize..len.min(from + 200) as usize).execute_pairs(Node::meet, ())
                    }
                    Part::Warm(share) => step.execute(Node::warm, (link, share)),
                    Part::Heat(from) => {
                        step.over(from as usize..).reduce_into(Node::heat_of, (), Sum, link, search::heat)
                    }
                    Part::Largest(by) => step.reduce_into(Node::both, by, Max, link, search::largest),
                    Part::Lift(first, end) => step.over(first as usize..end as usize).execute(Node::lift, ()),
                    Part::Odd => step.reduce_into(Node::is_odd, (), Any, link, search::goes_on),
                    Part::Twist => step.execute(Node::twist, ()),
                    Part::Row => step.execute(Row::step, 7),
                    Part::Deepen => step.execute(Search::deepen, ()),
                    Part::StopAt(level) => step.execute(Search::stop_at, level),
                })
            };
            let steps = match number {
                Some(number) => maze.on(place).repeat(number, iteration).map(|()| number as u64),
                None => maze.on(place).repeat_while(link, search::goes_on, most, iteration),
            };
            let steps = steps.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            if place == GPU && number.is_none_or(|number| number > 1) {
                check_form(&mut maze, number.is_none() && twists % 2 == 0);
            }
            let rows: Vec<(bool, u32)> = maze.rows.iter().map(|row| (row.goes_on, row.level)).collect();
            (steps, rows, values(&mut maze))
        });
        assert_eq!(results[0], results[1], "seed {seed}: {parts:?}");
    }
}

/// The same loops as a graph, started by the host, and as one kernel: with a single block, with few threads, with many blocks.
#[test]
fn all_forms() {
    if !has_gpu() || !form().is_empty() {
        return;
    }
    let tests = [
        "a_search_ends_by_itself",
        "nothing_is_copied_while_it_runs",
        "limits_and_no_iterations",
        "results_are_arguments_of_later_kernels",
        "an_atomic_flag_ends_a_loop",
        "the_first_kernel_ends_a_loop",
        "snapshots_are_in_their_places",
        "the_field_lies_elsewhere_after_an_iteration",
        "a_number_of_iterations",
        "other_loops_run_too",
        "random_sequences",
    ];
    let forms = ["resident", "resident:3x256", "graph", "host", "resident:1x512", "resident:16x32"];
    for form in &forms[..if is_short() { 2 } else { forms.len() }] {
        with_variable("IKRA_LOOPS", form, &tests);
    }
}

/// If the driver refuses the kernel, the loop runs as a graph from then on.
#[test]
#[ignore = "run by another, on an emulator that refuses"]
fn a_loop_that_is_refused() {
    let (mut maze, link) = maze(1000);
    let expected = distances(&maze);
    assert_eq!(search(&mut maze, GPU, link, 0).unwrap(), 0);
    search(&mut maze, GPU, link, u64::MAX).unwrap();
    assert_eq!(maze.nodes.copy_column(node::distance), expected);
    let said = maze.cuda().loops().unwrap()[0].to_string();
    assert!(said.contains("ran as a graph, since") && said.contains("too many blocks"), "{said}");
}

/// Where the driver has no graphs that repeat themselves, the host starts the iterations until the kernel is compiled.
#[test]
#[ignore = "run by another, on an emulator that refuses such graphs"]
fn a_loop_without_graphs() {
    let (mut maze, link) = maze(1000);
    let mut forms = [1, 100_000, 10].map(|most| {
        search(&mut maze, GPU, link, most).unwrap();
        // Waits for the compiler.
        maze.cuda().loops().unwrap()[0].form.to_string()
    });
    forms[2].truncate(10);
    assert_eq!(forms, ["iterations that the host started", "iterations that the host started", "one kernel"]);
}

#[test]
fn loops_that_a_driver_cannot_run() {
    if form().is_empty() {
        let _ = emulated(&[("PLAN", "cuLaunchKernelEx/cooperative:720")], &["a_loop_that_is_refused"]);
        let _ = emulated(&[("PLAN", "text/cudaGraphSetConditional:218")], &["a_loop_without_graphs"]);
    }
}

/// The driver refuses some call after a kernel was started: none of its changes is hidden.
#[test]
#[ignore = "run by another, on the emulator"]
fn refused_after_a_kernel() {
    let ([mut on_host, mut on_gpu], link) = ([maze(100).0, maze(100).0], maze(1).1);
    on_gpu.cuda().open(0).unwrap();
    on_gpu.cuda().time_kernels(true).unwrap();
    for step in 0..4 {
        let change = |maze: &mut Maze, place| match step {
            0 => maze.on(place).execute(Node::lift, ()),
            1 => maze.on(place).over(..30).execute(Node::twist, ()),
            2 => maze.on(place).over(..40).reduce_into(Node::twisted, (), Max, link, search::level),
            _ => maze.on(place).execute(Node::measure, ()),
        };
        let before = values(&mut on_host);
        change(&mut on_host, Place::Host).unwrap();
        let Err(error) = change(&mut on_gpu, GPU) else { continue };
        let lost = on_gpu.cuda().accept_loss();
        let seen = values(&mut on_gpu);
        let is_whole = seen == before || seen == values(&mut on_host);
        assert!(is_whole || !lost.is_empty(), "step {step}: {error}");
        on_gpu.on(GPU).execute(Node::lift, ()).unwrap();
        on_gpu.on(GPU).execute(Search::deepen, ()).unwrap();
        let next = values(&mut on_gpu);
        assert!(seen.0.iter().zip(&next.0).all(|(seen, next)| seen.2 + 1 == next.2), "step {step}: {error}");
        assert_eq!(seen.1[0].1 + 1, next.1[0].1, "step {step}: {error}");
        println!("failed, {} columns lost: {error}", lost.len());
        return;
    }
    assert_eq!(values(&mut on_gpu), values(&mut on_host));
}

#[test]
fn what_has_begun_is_not_hidden() {
    if !form().is_empty() || !has_gpu() {
        return;
    }
    let (mut failed, mut lost) = (0, 0);
    for call in ["cuEventRecord", "cuEventCreate", "cuMemcpyDtoDAsync_v2", "cuLaunchKernel"] {
        for nth in 1..if is_short() { 4 } else { 9 } {
            let said = emulated(&[("PLAN", &format!("{call}:701@{nth}-{nth}"))], &["refused_after_a_kernel"]);
            failed += u32::from(said.contains("failed, "));
            lost += u32::from(said.contains("failed, ") && !said.contains("failed, 0 columns"));
        }
    }
    assert!(failed > 3 && lost > 0, "{failed} failed, {lost} lost values");
}

/// A sequence that is repeated often is compiled as one kernel, and said to be; or at once, by a loop without iterations.
#[test]
fn a_loop_moves_to_the_device() {
    use ikra::gpu::LoopForm;
    if !has_gpu() || !form().is_empty() {
        return;
    }
    let (mut maze, link) = maze(3000);
    let run = |maze: &mut Maze, most: u64| {
        assert_eq!(search(maze, GPU, link, most).unwrap(), most);
        let [report] = &maze.cuda().loops().unwrap()[..] else { panic!("there is one sequence") };
        assert_eq!(report.kernels, ["Node::push", "Search::deepen"]);
        (report.form, report.to_string())
    };
    let (form, text) = run(&mut maze, 2);
    let waits = "Node::push, Search::deepen: ran as a graph, since it is compiled when its loops have taken 300 ms";
    assert!(form == LoopForm::Graph && text.starts_with(waits), "{text}");
    // The emulator is slow, so that a graph is as fast.
    let compiled = [": ran as one kernel of ", "since its kernels take so long"][usize::from(is_emulated())];
    let mut loops = 0;
    while !run(&mut maze, 50).1.contains(compiled) {
        // From the start again.
        maze.set(link, search::level, 0);
        let links: Vec<_> = maze.nodes.links().collect();
        (0..).zip(links).for_each(|(n, link)| maze.get(link).distance().store(if n == 0 { 0 } else { FAR }));
        loops += 1;
        assert!(loops < 4000, "it is not compiled");
    }
    run(&mut maze, 0);
    let (form, text) = run(&mut maze, 10);
    assert!(matches!(form, LoopForm::Resident { .. }) && text.contains(": ran as one kernel of "), "{text}");
    let stats = maze.cuda().stats();
    let (resident, graph) = (stats.resident_loops, stats.graph_loops);
    assert!(resident >= 2 && graph >= 2, "{stats}");
    assert!(stats.to_string().contains(&format!("{resident} loops as one kernel, {graph} as a graph")), "{stats}");
}
