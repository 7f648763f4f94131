//! The three microbenchmarks of Ikra-Ruby (RUBY §5), on one thread.
//!
//! `cargo bench -p ikra-benches --bench ruby` prints a table for each: a kernel by class or as objects come, in columns
//! or not; the time of reordering jobs; the time of tracing objects. `-- kernel`, `-- reorder` and `-- trace` run some
//! of them.

use std::hint::black_box;
use std::time::{Duration, Instant};

use ikra::trace::TraceWorld;
use ikra::{LinkList, World};
use ikra_benches::dispatch::order;
use ikra_benches::ruby::{InColumns, InRcs, InRows, columns, rows, types};
use ikra_benches::timing::with_threads;
use ikra_benches::trace::{Graph, count, graph, unlink};

/// Rounds in which the contestants take turns.
const ROUNDS: usize = 101;
/// The same for traces, which take seconds.
const ROUNDS_OF_TRACES: usize = 11;
/// How long a sample takes at least: less than a turn of the processor among programs.
const SAMPLE: Duration = Duration::from_micros(500);

/// A contestant: a call of it is timed.
type Work<'a> = &'a mut dyn FnMut();

/// Nanoseconds per call, of as many calls as a sample takes.
fn timed(work: &mut dyn FnMut()) -> f64 {
    let (start, mut calls) = (Instant::now(), 0_u32);
    while calls == 0 || start.elapsed() < SAMPLE {
        work();
        calls += 1;
    }
    start.elapsed().as_nanos() as f64 / f64::from(calls)
}

/// The times of contestants in each round. A round that is not timed fills the caches.
fn rounds<const N: usize>(count: usize, mut contestants: [Work<'_>; N]) -> [Vec<f64>; N] {
    let mut times = [const { Vec::new() }; N];
    for round in 0..=count {
        for (contestant, times) in contestants.iter_mut().zip(&mut times) {
            let time = timed(contestant);
            if round > 0 {
                times.push(time);
            }
        }
    }
    times
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The median of the times of objects.
fn per_object(times: &[f64], objects: u32) -> String {
    format!("{:.2}", median(times.to_vec()) / f64::from(objects))
}

/// The median of the ratios in a round.
fn ratio(times: &[f64], to: &[f64]) -> String {
    format!("{:.2}", median(times.iter().zip(to).map(|(time, to)| time / to).collect()))
}

/// A number with commas.
fn grouped(number: u32) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A kernel over objects of three classes, with and without job reordering and columns.
fn kernel() {
    println!(
        "| layout | objects | Ikra, by class | by class | as they come | as they come / Ikra | as they come / by class |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for n in [10_000, 1_000_000] {
        let line = |layout: &str, ikra: Option<&[f64]>, by_class: &[f64], mixed: &[f64]| {
            let of_ikra = ikra.map_or("–".to_owned(), |ikra| per_object(ikra, n));
            let gain = ikra.map_or("–".to_owned(), |ikra| ratio(mixed, ikra));
            let (classes, come) = (per_object(by_class, n), per_object(mixed, n));
            println!(
                "| {layout} | {} | {of_ikra} | {classes} | {come} | {gain} | {} |",
                grouped(n),
                ratio(mixed, by_class)
            );
        };
        {
            let (mut town, links) = columns::town(n);
            let list = LinkList::new(&links).expect("each once");
            let (mut by_class, mut mixed) = (InColumns::new(n), InColumns::new(n));
            let [ikra, by_class, mixed] = rounds(
                ROUNDS,
                [&mut || town.over(&list).execute(columns::Actor::tick, ()), &mut || by_class.by_class(), &mut || {
                    mixed.as_they_come();
                }],
            );
            line("columns", Some(&ikra), &by_class, &mixed);
        }
        {
            let (mut town, links) = rows::town(n);
            let list = LinkList::new(&links).expect("each once");
            let (mut by_class, mut mixed) = (InRows::new(n), InRows::new(n));
            let [ikra, by_class, mixed] = rounds(
                ROUNDS,
                [&mut || town.over(&list).execute(rows::Actor::tick, ()), &mut || by_class.by_class(), &mut || {
                    mixed.as_they_come();
                }],
            );
            line("rows", Some(&ikra), &by_class, &mixed);
        }
        {
            let (by_class, mixed) = (InRcs::new(n, true), InRcs::new(n, false));
            let [by_class, mixed] = rounds(ROUNDS, [&mut || by_class.tick(), &mut || mixed.tick()]);
            line("`Rc<dyn Actor>`", None, &by_class, &mixed);
        }
    }
}

/// Links, or numbers of jobs, in the order of classes.
fn reorder() {
    println!("| links | classes | Ikra, in order | Ikra, shuffled | algorithm 1 | Ikra, in order / algorithm 1 |");
    println!("| ---: | ---: | ---: | ---: | ---: | ---: |");
    for n in [10_000, 100_000, 1_000_000] {
        for types in [1, 2, 4, 8, 16, 32] {
            let (_world, links) = types::links(n, types);
            let shuffled: Vec<_> = order(links.len(), true).into_iter().map(|n| links[n]).collect();
            let classes: Vec<u8> = (0..n).map(|object| types::class(object, types) as u8).collect();
            let [of_ikra, of_shuffled, by_hand] = rounds(
                ROUNDS,
                [
                    &mut || drop(black_box(LinkList::new(&links).expect("each once"))),
                    &mut || drop(black_box(LinkList::new(&shuffled).expect("each once"))),
                    &mut || drop(black_box(types::reordered(&classes))),
                ],
            );
            let [times @ .., ratio] = [
                per_object(&of_ikra, n),
                per_object(&of_shuffled, n),
                per_object(&by_hand, n),
                ratio(&of_ikra, &by_hand),
            ];
            println!("| {} | {types} | {} | {ratio} |", grouped(n), times.join(" | "));
        }
    }
}

/// A graph in adjacency lists.
fn trace() {
    println!("| nodes | degree | walk | trace | write-back | trace / walk |");
    println!("| ---: | ---: | ---: | ---: | ---: | ---: |");
    for n in [10_000, 100_000, 1_000_000] {
        for degree in [1, 2, 4, 8, 16] {
            let nodes = graph(n as usize, degree);
            let mut traced = Graph::trace(&nodes[0]).expect("no node is borrowed");
            // No node has a number below 0 at the beginning.
            let mut value = 0.0;
            let [walk, trace, write] = rounds(
                ROUNDS_OF_TRACES,
                [
                    &mut || assert_eq!(count(&nodes[0]), nodes.len()),
                    &mut || drop(black_box(Graph::trace(&nodes[0]).expect("no node is borrowed"))),
                    &mut || {
                        // All nodes change.
                        value -= 1.0;
                        traced.nodes.column_mut(ikra_benches::trace::node::value).fill(value);
                        assert_eq!(traced.write_back().expect("no node is borrowed"), nodes.len());
                    },
                ],
            );
            let times = [&walk, &trace, &write].map(|times| per_object(times, n)).join(" | ");
            println!("| {} | {degree} | {times} | {} |", grouped(n), ratio(&trace, &walk));
            unlink(&nodes);
        }
    }
}

/// All contestants do the same.
fn check() {
    let n = 1_000;
    let (mut in_columns, links) = columns::town(n);
    let (mut in_rows, links_to_rows) = rows::town(n);
    let mut by_hand = [InColumns::new(n), InColumns::new(n)];
    let mut rows_by_hand = InRows::new(n);
    let rcs = [InRcs::new(n, true), InRcs::new(n, false)];
    for _ in 0..50 {
        in_columns.over(&links).execute(columns::Actor::tick, ());
        in_rows.over(&links_to_rows).execute(rows::Actor::tick, ());
        by_hand[0].by_class();
        by_hand[1].as_they_come();
        rows_by_hand.by_class();
        rows_by_hand.as_they_come();
        rcs.iter().for_each(InRcs::tick);
    }
    let expected: Vec<_> = links.iter().map(|&link| in_columns.get(link).state()).collect();
    assert!(links_to_rows.iter().map(|&link| in_rows.get(link).state()).eq(expected.iter().copied()));
    for states in by_hand.map(|objects| objects.states()).iter().chain(&rows_by_hand.states()) {
        assert_eq!(*states, expected);
    }
    rcs.iter().for_each(|rcs| assert_eq!(rcs.states(), expected));

    let (_world, links) = types::links(n, 5);
    let classes: Vec<u8> = (0..n).map(|object| types::class(object, 5) as u8).collect();
    let jobs: Vec<u32> = types::reordered(&classes).into_iter().filter(|&job| (job as usize) < links.len()).collect();
    assert!(jobs.len() == links.len() && jobs.is_sorted_by_key(|&job| (classes[job as usize], job)));
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name);
    with_threads(1, || {
        check();
        println!(
            "Nanoseconds per object, medians of {ROUNDS} rounds (traces: {ROUNDS_OF_TRACES}), and of the ratios in a round."
        );
        for (name, run) in [("kernel", kernel as fn()), ("reorder", reorder), ("trace", trace)] {
            if is_wanted(name) {
                println!("\n{name}\n");
                run();
            }
        }
    });
}
