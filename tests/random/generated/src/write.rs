//! Writes combinations as Rust source.

use std::fmt::Write as _;

use crate::combine::{Combination, Executor};
use crate::ways::{LAYOUTS, Reach};

/// The attribute of a kernel.
fn options(combination: &Combination) -> String {
    let mut options = Vec::new();
    if combination.heavy {
        options.push("heavy".to_owned());
    }
    match combination.executor {
        Executor::Pairs => options.push("pairs".to_owned()),
        Executor::Reduce | Executor::RangeReduce | Executor::EachReduce => options.push("reduce(Max)".to_owned()),
        _ => {}
    }
    if combination.snapshot {
        options.push(format!("snapshot({})", combination.write.fields.join(", ")));
    }
    if !combination.write.declared.is_empty() {
        options.push(format!("writes({})", combination.write.declared.join(", ")));
    }
    options.join(", ")
}

/// Parameters, the type of the result, and the result.
pub(crate) fn signature(executor: Executor) -> (&'static str, &'static str, &'static str) {
    const SALTED: &str = "salt: u32, other: Ref<Thing>";
    match executor {
        Executor::Pairs => ("met: Ref<Thing>, salt: u32", "", ""),
        Executor::Reduce | Executor::RangeReduce | Executor::EachReduce => (SALTED, " -> u32", "v & 0xffff"),
        Executor::Collect => (SALTED, " -> Box<u32>", "Box::new(v & 0xffff)"),
        _ => (SALTED, "", ""),
    }
}

/// Stores the other object in a variable. For a parameter the macro would report the read, and the compiler would not
/// evaluate the assertions of all other kernels.
pub(crate) fn reached(reach: Option<Reach>) -> String {
    format!("let o: Ref<Thing> = {};\n", reach.map_or("met", |reach| reach.ikra))
}

/// The method.
fn kernel(combination: &Combination) -> String {
    let Combination { number, reach, read, write, executor, .. } = combination;
    let (parameters, output, result) = signature(*executor);
    let reached = reached(*reach);
    format!(
        "#[kernel({})]\nfn k{number}(&mut self, {parameters}){output} {{\n{reached}let v: u32 = {{ {} }} ^ salt;\n{}\n{result}\n}}\n",
        options(combination),
        read.ikra,
        write.ikra,
    )
}

/// The plain code for one object of the model.
fn plain(combination: &Combination) -> String {
    let Combination { number, reach, read, write, .. } = combination;
    let reached = reach.map_or("other", |reach| reach.plain);
    format!(
        "fn p{number}(all: &[Plain], i: usize, n: &mut Plain, salt: u32, other: usize) -> u32 {{\nlet t = &all[i];\nlet j = {reached};\nlet o = &all[j];\nlet v: u32 = {{ {} }} ^ salt;\n{}\nv & 0xffff\n}}\n",
        read.plain, write.plain,
    )
}

/// The call of a kernel in a module's harness.
pub(crate) fn case(number: usize, heavy: bool, executor: Executor) -> String {
    let run = match executor {
        Executor::All => format!("Every(&|w, other| w.execute(Thing::k{number}, (SALT, other)))"),
        Executor::Range => format!("Range(&|w, range, other| w.over(range).execute(Thing::k{number}, (SALT, other)))"),
        Executor::Each => {
            format!("Each(&|w, links, other| w.over(links).execute(Thing::k{number}, (SALT, other)))")
        }
        Executor::Reduce => {
            format!("Reduce(&|w, other| w.execute_and_reduce(Thing::k{number}, (SALT, other), Max))")
        }
        Executor::RangeReduce => format!(
            "RangeReduce(&|w, range, other| w.over(range).execute_and_reduce(Thing::k{number}, (SALT, other), Max))"
        ),
        Executor::EachReduce => format!(
            "EachReduce(&|w, links, other| w.over(links).execute_and_reduce(Thing::k{number}, (SALT, other), Max))"
        ),
        Executor::Collect => {
            format!("Collect(&|w, other| w.execute_and_collect(Thing::k{number}, (SALT, other)))")
        }
        Executor::Pairs => format!("Pairs(&|w| w.execute_pairs(Thing::k{number}, SALT))"),
        Executor::Sequential => format!(
            "Sequential(&|w, link, other| {{ let mut g = w.get_mut(link); let other = g.resolve(other); g.k{number}(SALT, other); }})"
        ),
    };
    format!("(\"k{number}\", {heavy}, p{number}, {run}),\n")
}

/// The class of a layout with the kernels, and its dependencies.
fn module(layout: usize, kernels: &[Combination], harness: &str) -> String {
    let (name, options) = LAYOUTS[layout];
    let mut text = format!("pub mod {name} {{\nuse super::*;\n#[soa_class{options}]\n{CLASS}");
    text.push_str("#[soa_methods]\nimpl Thing {\n");
    text.push_str(METHODS);
    for combination in kernels {
        text.push_str(&kernel(combination));
    }
    text.push_str("}\n");
    text.push_str(HELPERS);
    text.push_str(harness);
    text.push_str("}\n");
    text
}

/// The accepted kernels, each with its model. There is one module per layout, with a function `run`.
#[must_use]
pub fn accepted(combinations: &[Combination]) -> String {
    let mut text = String::new();
    for layout in 0..LAYOUTS.len() {
        let kernels: Vec<Combination> =
            combinations.iter().copied().filter(|kernel| kernel.layout == layout && !kernel.races()).collect();
        let mut harness = format!("{HARNESS}{MODEL}");
        for combination in &kernels {
            harness.push_str(&plain(combination));
        }
        harness.push_str("const CASES: &[(&str, bool, Model, Run)] = &[\n");
        for combination in &kernels {
            harness.push_str(&case(combination.number, combination.heavy, combination.executor));
        }
        harness.push_str("];\n");
        text.push_str(&module(layout, &kernels, &harness));
    }
    text
}

/// A call of a rejected kernel.
pub(crate) fn call(number: usize, executor: Executor) -> String {
    match executor {
        Executor::Pairs => format!("w.execute_pairs(Thing::k{number}, 1);\n"),
        Executor::Reduce => format!("w.execute_and_reduce(Thing::k{number}, (1, other), Max);\n"),
        Executor::RangeReduce => {
            format!("w.over(..).execute_and_reduce(Thing::k{number}, (1, other), Max);\n")
        }
        Executor::EachReduce => {
            format!("w.over(&[]).execute_and_reduce(Thing::k{number}, (1, other), Max);\n")
        }
        Executor::Collect => format!("w.execute_and_collect(Thing::k{number}, (1, other));\n"),
        Executor::Range => format!("w.over(..).execute(Thing::k{number}, (1, other));\n"),
        Executor::Each => format!("w.over(&[]).execute(Thing::k{number}, (1, other));\n"),
        Executor::All | Executor::Sequential => format!("w.execute(Thing::k{number}, (1, other));\n"),
    }
}

/// A program with the racy kernels, which must not build.
#[must_use]
pub fn rejected(combinations: &[Combination]) -> String {
    let mut text = String::from("#![allow(warnings)]\nuse ikra::prelude::*;\n");
    text.push_str(PAIR);
    let mut main = String::new();
    for (layout, (name, _)) in LAYOUTS.iter().enumerate() {
        let kernels: Vec<Combination> =
            combinations.iter().copied().filter(|kernel| kernel.layout == layout && kernel.races()).collect();
        let mut calls = String::from("pub fn run(w: &mut Things, other: Link<Thing>) {\n");
        for Combination { number, executor, .. } in &kernels {
            calls.push_str(&call(*number, *executor));
        }
        calls.push_str("}\n");
        text.push_str(&module(layout, &kernels, &calls));
        let _ = writeln!(main, "{name}::run(&mut {name}::Things::new(), Link::from_id(1).unwrap());");
    }
    let _ = write!(text, "fn main() {{\n{main}}}\n");
    text
}

const PAIR: &str = "
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Pair { pub x: u32, pub y: u32 }
fn put(place: &mut u32, v: u32) { *place = v; }
";

const CLASS: &str = "
#[derive(Clone, Debug, PartialEq)]
pub struct Thing {
    pub a: u32,
    pub b: u32,
    pub next: Link<Thing>,
    pub maybe: Option<Link<Thing>>,
    #[inline_array]
    pub three: [u32; 3],
    #[inline_array(object)]
    pub whole: [u32; 2],
    #[inline_array(1)]
    pub var: InnerArray<u32>,
    #[inline_array(1)]
    pub links: InnerArray<Link<Thing>>,
    pub small: [u32; 2],
    #[soa(flatten)]
    pub flat: Pair,
}
#[soa_world]
pub struct Things { pub things: Objects<Thing> }
";

const METHODS: &str = "
fn twice(&self) -> u32 { self.a.wrapping_mul(2) }
fn four_times(&self) -> u32 { self.twice().wrapping_mul(2) }
fn smallest(&self) -> u32 { self.small[0].min(self.small[1]) }
fn first_of_three(&self) -> u32 { self.three[0] }
fn neighbour(&self) -> Ref<Thing> { self.next }
fn set(&mut self, v: u32) { self.a = v; }
";

const HELPERS: &str = "
fn look_at<P: ikra::Phase>(me: &ThingMut<'_, P>) -> u32 { me.a ^ me.b }
fn pick<T>(one: T, other: T, salt: u32) -> T { if salt % 3 == 0 { one } else { other } }
fn look<P: ikra::Phase>(o: ThingRef<'_, P>) -> u32 { o.a() }
fn hand_on<P: ikra::Phase>(o: &mut ThingMut<'_, P>, v: u32) { o.a = v; }
trait Seen { fn seen(&self) -> u32; }
impl<P: ikra::Phase> Seen for ThingRef<'_, P> { fn seen(&self) -> u32 { self.a() } }
trait Store { fn store(&mut self, v: u32); }
impl<P: ikra::Phase> Store for ThingMut<'_, P> { fn store(&mut self, v: u32) { self.b = v; } }
";

/// The harness for the kernels of a layout; `Model`, `row` and `expected` depend on the kind of kernels.
pub(crate) const HARNESS: &str = r#"
type L = Link<Thing>;
enum Run {
    Every(&'static (dyn Fn(&mut Things, L) + Sync)),
    Range(&'static (dyn Fn(&mut Things, std::ops::Range<usize>, L) + Sync)),
    Each(&'static (dyn Fn(&mut Things, &[L], L) + Sync)),
    Reduce(&'static (dyn Fn(&mut Things, L) -> u32 + Sync)),
    RangeReduce(&'static (dyn Fn(&mut Things, std::ops::Range<usize>, L) -> u32 + Sync)),
    EachReduce(&'static (dyn Fn(&mut Things, &[L], L) -> u32 + Sync)),
    Collect(&'static (dyn Fn(&mut Things, L) -> Vec<Box<u32>> + Sync)),
    Pairs(&'static (dyn Fn(&mut Things) + Sync)),
    Sequential(&'static (dyn Fn(&mut Things, L, L) + Sync)),
}
use Run::{Collect, Each, EachReduce, Every, Pairs, Range, RangeReduce, Reduce, Sequential};

fn link(n: usize) -> L { Link::from_index(n).unwrap() }

fn world(all: &[Plain]) -> Things {
    let mut things = Things::new();
    things.things.extend(all.iter().map(row)).unwrap();
    things
}

/// Runs all kernels of the layout; returns how many there are.
pub fn run() -> usize {
    let [paired, few, many] = [PAIRED, COUNT, MANY].map(|count| {
        let all = plain::objects(count);
        let start = world(&all);
        (all, start)
    });
    for &(name, heavy, step, ref run) in CASES {
        let (all, start) = match run {
            Pairs(_) => &paired,
            _ if heavy => &few,
            _ => &many,
        };
        let chosen: Vec<usize> = (0..all.len()).map(|n| n * 7 % all.len()).filter(|n| n % 4 != 1).collect();
        let links: Vec<L> = chosen.iter().copied().map(link).collect();
        let (expected, results) = expected(all, step, run, &chosen);
        let expected: Vec<Thing> = expected.iter().map(row).collect();
        for threads in [1, 2, 8] {
            let mut things = start.clone();
            let largest = results.iter().copied().max();
            let seen = pool(threads).install(|| match run {
                Every(run) => { run(&mut things, link(OTHER)); largest }
                Range(run) => { run(&mut things, 20..all.len() - 9, link(OTHER)); largest }
                Each(run) => { run(&mut things, &links, link(OTHER)); largest }
                Reduce(run) => Some(run(&mut things, link(OTHER))),
                RangeReduce(run) => Some(run(&mut things, 20..all.len() - 9, link(OTHER))),
                EachReduce(run) => Some(run(&mut things, &links, link(OTHER))),
                Collect(run) => {
                    let found: Vec<u32> = run(&mut things, link(OTHER)).into_iter().map(|v| *v).collect();
                    assert_eq!(found, results, "{name} on {threads} threads");
                    largest
                }
                Pairs(run) => { run(&mut things); largest }
                Sequential(run) => { for n in 0..all.len() { run(&mut things, link(n), link(OTHER)); } largest }
            });
            assert_eq!(seen, largest, "{name} on {threads} threads");
            assert_eq!(things.things.len(), expected.len());
            for (n, found) in things.things.iter().enumerate() {
                assert!(found == expected[n], "object {n} of {name} on {threads} threads: {found:?}, not {:?}", expected[n]);
            }
        }
    }
    CASES.len()
}
"#;

const MODEL: &str = r#"
type Model = fn(&[Plain], usize, &mut Plain, u32, usize) -> u32;

fn row(t: &Plain) -> Thing {
    Thing {
        a: t.a,
        b: t.b,
        next: link(t.next),
        maybe: t.maybe.map(link),
        three: t.three,
        whole: t.whole,
        var: t.var.clone().into(),
        links: t.links.iter().copied().map(link).collect(),
        small: t.small,
        flat: Pair { x: t.flat.x, y: t.flat.y },
    }
}

/// Runs the model for some objects, each seeing the others as they were before.
fn model(all: &[Plain], model: Model, which: impl IntoIterator<Item = usize>) -> (Vec<Plain>, Vec<u32>) {
    let mut after = all.to_vec();
    let results = which.into_iter().map(|i| model(all, i, &mut after[i], SALT, OTHER)).collect();
    (after, results)
}

/// The objects afterwards, and the results.
fn expected(all: &[Plain], step: Model, run: &Run, chosen: &[usize]) -> (Vec<Plain>, Vec<u32>) {
    match run {
        Every(_) | Reduce(_) | Collect(_) => model(all, step, 0..all.len()),
        Range(_) | RangeReduce(_) => model(all, step, 20..all.len() - 9),
        Each(_) | EachReduce(_) => model(all, step, chosen.iter().copied()),
        Pairs(_) => {
            let mut after = all.to_vec();
            for (i, n) in after.iter_mut().enumerate() {
                for other in 0..all.len() {
                    step(all, i, n, SALT, other);
                }
            }
            (after, Vec::new())
        }
        Sequential(_) => {
            let mut now = all.to_vec();
            for i in 0..now.len() {
                let mut n = now[i].clone();
                step(&now, i, &mut n, SALT, OTHER);
                now[i] = n;
            }
            (now, Vec::new())
        }
    }
}
"#;
