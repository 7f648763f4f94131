//! Combinations of operations on atomic fields; a part of them has one result in every order of threads.

use std::fmt::Write as _;

use crate::choose::{Meeting, choose};
use crate::combine::Executor;
use crate::ways::{LAYOUTS, REACHES, Reach};
use crate::write::{HARNESS, call, case, reached, signature};

/// The kind of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Load,
    Store,
    /// It commutes with itself, and its previous value is unused.
    Add,
    Min,
    Max,
    Or,
    And,
    /// Its previous value is used.
    Exchange,
}

/// An operation on an atomic `@`, which is a place of type `u32` in the plain model.
struct Operation {
    ikra: &'static str,
    plain: &'static str,
    kinds: &'static [Kind],
    /// Whether the result is the same in every order for a reason unknown to Ikra.
    harmless: bool,
}

const fn operation(kinds: &'static [Kind], ikra: &'static str, plain: &'static str) -> Operation {
    Operation { ikra, plain, kinds, harmless: false }
}

const fn harmless(kinds: &'static [Kind], ikra: &'static str, plain: &'static str) -> Operation {
    Operation { ikra, plain, kinds, harmless: true }
}

const OPERATIONS: &[Operation] = &[
    operation(&[Kind::Load], "v ^= @.load();", "v ^= @;"),
    operation(&[Kind::Store], "@.store(v);", "@ = v;"),
    operation(&[Kind::Add], "@.add(v);", "@ = @.wrapping_add(v);"),
    operation(&[Kind::Add], "@.sub(v);", "@ = @.wrapping_sub(v);"),
    operation(&[Kind::Min], "@.min(v);", "@ = @.min(v);"),
    operation(&[Kind::Max], "@.max(v);", "@ = @.max(v);"),
    operation(&[Kind::Or], "@.or(v);", "@ |= v;"),
    operation(&[Kind::And], "@.and(v);", "@ &= v;"),
    operation(&[Kind::Exchange], "@.fetch_add(v);", "@ = @.wrapping_add(v);"),
    operation(&[Kind::Add], "if v % 2 == 0 { @.sub(v); }", "if v % 2 == 0 { @ = @.wrapping_sub(v); }"),
    operation(&[Kind::Exchange], "let _ = @.fetch_min(v);", "@ = @.min(v);"),
    operation(&[Kind::Max], "match v % 3 { 0 => {} _ => { @.max(v); } }", "if v % 3 != 0 { @ = @.max(v); }"),
    operation(&[Kind::Or], "{ @.or(v); }", "@ |= v;"),
    operation(&[Kind::And], "for bit in 0..2 { @.and(!(v << bit)); }", "@ &= !v; @ &= !(v << 1);"),
    operation(&[Kind::Exchange], "v ^= @.fetch_add(v);", "let before = @; @ = @.wrapping_add(v); v ^= before;"),
    operation(&[Kind::Exchange], "v = @.fetch_max(v);", "let before = @; @ = @.max(v); v = before;"),
    operation(&[Kind::Exchange], "v = @.swap(v);", "std::mem::swap(&mut v, &mut @);"),
    operation(
        &[Kind::Exchange],
        "if @.compare_exchange(1, v).is_err() { v ^= 1; }",
        "if @ == 1 { @ = v; } else { v ^= 1; }",
    ),
    operation(&[Kind::Load, Kind::Store], "@.store(@.load() ^ v);", "@ ^= v;"),
    operation(&[Kind::Add, Kind::Max], "@.add(3); @.max(v);", "@ = @.wrapping_add(3).max(v);"),
    harmless(&[Kind::Load, Kind::Max], "if @.load() < v { @.max(v); }", "@ = @.max(v);"),
    harmless(&[Kind::Store], "@.store(7);", "@ = 7;"),
    harmless(&[Kind::Exchange], "if @.fetch_or(v) > v { drop(Box::new(v)); }", "@ |= v;"),
];

/// A path to an atomic: the text around the operation, and the text of `@` in Ikra and in the plain model.
struct Place {
    field: &'static str,
    own: bool,
    ikra: (&'static str, &'static str, &'static str),
    plain: (&'static str, &'static str, &'static str),
}

const fn own(
    field: &'static str,
    ikra: (&'static str, &'static str, &'static str),
    plain: (&'static str, &'static str, &'static str),
) -> Place {
    Place { field, own: true, ikra, plain }
}

const fn other(
    field: &'static str,
    ikra: (&'static str, &'static str, &'static str),
    plain: (&'static str, &'static str, &'static str),
) -> Place {
    Place { field, own: false, ikra, plain }
}

const PLACES: &[Place] = &[
    own("a", ("", "self.a", ""), ("", "all[i].a", "")),
    own("b", ("{ let mine = &*self;", "mine.b", "}"), ("{", "all[i].b", "}")),
    own("three", ("", "self.three.get(1)", ""), ("", "all[i].three[1]", "")),
    own("three", ("for x in &self.three {", "x", "}"), ("for k in 0..3 {", "all[i].three[k]", "}")),
    own("whole", ("", "self.whole.get(0)", ""), ("", "all[i].whole[0]", "")),
    own(
        "var",
        ("self.var.iter().for_each(|x| {", "x", "});"),
        ("for k in 0..all[i].var.len() {", "all[i].var[k]", "}"),
    ),
    other("a", ("", "o.a()", ""), ("", "all[j].a", "")),
    other("a", ("{ let found = o.a();", "found", "}"), ("{", "all[j].a", "}")),
    other(
        "a",
        ("for near in &self.links {", "near.a()", "}"),
        ("for k in 0..all[i].links.len() { let near = all[i].links[k];", "all[near].a", "}"),
    ),
    other("b", ("", "o.b()", ""), ("", "all[j].b", "")),
    other("b", ("(|| {", "o.b()", "})();"), ("{", "all[j].b", "}")),
    other("three", ("", "o.three().get(1)", ""), ("", "all[j].three[1]", "")),
    other("three", ("for x in &o.three() {", "x", "}"), ("for k in 0..3 {", "all[j].three[k]", "}")),
    other("whole", ("for x in o.whole() {", "x", "}"), ("for k in 0..2 {", "all[j].whole[k]", "}")),
    other("var", ("", "o.var().get(0)", ""), ("", "all[j].var[0]", "")),
    other(
        "var",
        ("o.var().iter().for_each(|x| {", "x", "});"),
        ("for k in 0..all[j].var.len() {", "all[j].var[k]", "}"),
    ),
];

/// An operation on a place.
#[derive(Clone, Copy, Debug)]
struct Use {
    place: usize,
    operation: usize,
}

impl Use {
    fn place(self) -> &'static Place {
        &PLACES[self.place]
    }

    fn operation(self) -> &'static Operation {
        &OPERATIONS[self.operation]
    }

    fn ikra(self) -> String {
        let (before, atomic, after) = self.place().ikra;
        format!("{before} {} {after}", self.operation().ikra.replace('@', atomic))
    }

    fn plain(self) -> String {
        let (before, atomic, after) = self.place().plain;
        format!("{before} {} {after}", self.operation().plain.replace('@', atomic))
    }
}

/// A kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its number.
    pub number: usize,
    layout: usize,
    reach: Option<Reach>,
    uses: Vec<Use>,
    unordered: bool,
    executor: Executor,
    heavy: bool,
}

impl Kernel {
    /// Whether the rules for atomic fields allow it. Each field is only loaded, or used only in the own object, or only
    /// updated by one commutative operation.
    #[must_use]
    pub fn is_ordered(&self) -> bool {
        self.unordered
            || self.uses.iter().all(|one| {
                let all: Vec<_> = self.uses.iter().filter(|other| other.place().field == one.place().field).collect();
                let kinds: Vec<Kind> = all.iter().flat_map(|other| other.operation().kinds).copied().collect();
                let commutes = !matches!(kinds[0], Kind::Store | Kind::Exchange);
                all.iter().all(|other| other.place().own) || commutes && kinds.iter().all(|&kind| kind == kinds[0])
            })
    }

    /// Each place meets each kind of operation, layout, executor and `unordered`; each operation meets each executor,
    /// and own and other objects. Order-dependent kernels are counted separately.
    fn meetings(&self) -> Vec<Meeting> {
        let kind = self.is_ordered();
        let executor = format!("{:?}", self.executor);
        let uses = self.uses.iter().flat_map(|one| {
            let place = format!("{kind:?} place {}", one.place);
            let operation = format!("{kind:?} operation {}", one.operation);
            let layout = LAYOUTS[self.layout].0.to_owned();
            let kinds = format!("{:?}", one.operation().kinds);
            let whose = format!("own: {}", one.place().own);
            [
                (place.clone(), layout),
                (place.clone(), executor.clone()),
                (place.clone(), kinds),
                (place, format!("{}", self.unordered)),
                (operation.clone(), executor.clone()),
                (operation, whose),
            ]
        });
        uses.collect()
    }

    /// The used fields, as a list.
    fn fields(&self) -> String {
        let mut fields: Vec<_> = self.uses.iter().map(|one| one.place().field).collect();
        fields.dedup();
        fields.join(", ")
    }

    fn ikra(&self) -> String {
        let mut options = Vec::new();
        if self.heavy {
            options.push("heavy".to_owned());
        }
        match self.executor {
            Executor::Pairs => options.push("pairs".to_owned()),
            Executor::Reduce | Executor::RangeReduce | Executor::EachReduce => options.push("reduce(Max)".to_owned()),
            _ => {}
        }
        if self.unordered {
            options.push(format!("unordered({})", self.fields()));
        }
        let (parameters, output, result) = signature(self.executor);
        let reached = reached(self.reach);
        let uses: Vec<_> = self.uses.iter().map(|one| one.ikra()).collect();
        format!(
            "#[kernel({})]\nfn k{}(&mut self, {parameters}){output} {{\n{reached}let mut v: u32 = self.seed ^ o.seed() ^ salt;\n{}\nself.seen ^= v;\n{result}\n}}\n",
            options.join(", "),
            self.number,
            uses.join("\n"),
        )
    }

    fn plain(&self) -> String {
        let reached = self.reach.map_or("other", |reach| reach.plain);
        let uses: Vec<_> = self.uses.iter().map(|one| one.plain()).collect();
        format!(
            "fn p{}(all: &mut [Plain], i: usize, salt: u32, other: usize) -> u32 {{\nlet j = {{ let t = &all[i]; {reached} }};\nlet mut v: u32 = all[i].seed ^ all[j].seed ^ salt;\n{}\nall[i].seen ^= v;\nv & 0xffff\n}}\n",
            self.number,
            uses.join("\n"),
        )
    }
}

/// The kernels.
#[must_use]
pub fn kernels() -> Vec<Kernel> {
    use Executor::{All, Collect, Each, EachReduce, Pairs, Range, RangeReduce, Reduce, Sequential};
    const EXECUTORS: [Executor; 9] = [All, Range, Pairs, Each, Reduce, Sequential, RangeReduce, EachReduce, Collect];
    let mut found = Vec::new();
    let mut push = |uses: Vec<Use>, unordered: bool| {
        let number = found.len();
        let executor = EXECUTORS[(number + number / EXECUTORS.len()) % EXECUTORS.len()];
        let reach = (executor != Pairs).then(|| REACHES[number * 5 % REACHES.len()]);
        let layout = (number + number / LAYOUTS.len()) % LAYOUTS.len();
        found.push(Kernel { number, layout, reach, uses, unordered, executor, heavy: number % 3 == 0 });
    };
    // Each operation on each place; harmless ones also with `unordered`.
    for place in 0..PLACES.len() {
        for (n, operation) in OPERATIONS.iter().enumerate() {
            push(vec![Use { place, operation: n }], false);
            if operation.harmless && !PLACES[place].own {
                push(vec![Use { place, operation: n }], true);
            }
        }
    }
    // Two operations, more often on one field than on two.
    for (p, first) in PLACES.iter().enumerate() {
        for (q, second) in PLACES.iter().enumerate() {
            let one_in = if first.field == second.field { 113 } else { 1511 };
            for (n, one) in OPERATIONS.iter().enumerate() {
                for (m, two) in OPERATIONS.iter().enumerate() {
                    let same = one.kinds == two.kinds && first.field == second.field && p != q;
                    let mixed = p * 389 + q * 97 + n * 31 + m;
                    if mixed % one_in == 0 || same && mixed % 13 == 0 {
                        push(vec![Use { place: p, operation: n }, Use { place: q, operation: m }], false);
                    }
                }
            }
        }
    }
    choose(found, Kernel::meetings)
}

/// The class of a layout with some kernels, and its dependencies.
fn module(layout: usize, kernels: &[&Kernel], harness: &str) -> String {
    let (name, options) = LAYOUTS[layout];
    let methods: String = kernels.iter().map(|kernel| kernel.ikra()).collect();
    format!(
        "pub mod {name} {{\nuse super::*;\n#[soa_class{options}]\n{CLASS}#[soa_methods]\nimpl Thing {{\nfn neighbour(&self) -> Ref<Thing> {{ self.next }}\n{methods}}}\n{harness}}}\n"
    )
}

/// The order-independent kernels, each with its model. There is one module per layout, with a function `run`.
#[must_use]
pub fn accepted(kernels: &[Kernel]) -> String {
    let mut text = String::new();
    for layout in 0..LAYOUTS.len() {
        let kernels: Vec<_> = kernels.iter().filter(|kernel| kernel.layout == layout && kernel.is_ordered()).collect();
        let mut harness = format!("{HARNESS}{MODEL}");
        for kernel in &kernels {
            harness.push_str(&kernel.plain());
        }
        harness.push_str("const CASES: &[(&str, bool, Model, Run)] = &[\n");
        for kernel in &kernels {
            harness.push_str(&case(kernel.number, kernel.heavy, kernel.executor));
        }
        harness.push_str("];\n");
        text.push_str(&module(layout, &kernels, &harness));
    }
    text
}

/// A program with the remaining kernels, which must not build.
#[must_use]
pub fn rejected(kernels: &[Kernel]) -> String {
    let mut text = String::from("#![allow(warnings)]\nuse ikra::prelude::*;\n");
    text.push_str(PICK);
    let mut main = String::new();
    for (layout, (name, _)) in LAYOUTS.iter().enumerate() {
        let kernels: Vec<_> = kernels.iter().filter(|kernel| kernel.layout == layout && !kernel.is_ordered()).collect();
        let mut calls = String::from("pub fn run(w: &mut Things, other: Link<Thing>) {\n");
        for kernel in &kernels {
            calls.push_str(&call(kernel.number, kernel.executor));
        }
        calls.push_str("}\n");
        text.push_str(&module(layout, &kernels, &calls));
        let _ = writeln!(main, "{name}::run(&mut {name}::Things::new(), Link::from_id(1).unwrap());");
    }
    let _ = write!(text, "fn main() {{\n{main}}}\n");
    text
}

const PICK: &str = "
fn pick<T>(one: T, other: T, salt: u32) -> T { if salt % 3 == 0 { one } else { other } }
";

const CLASS: &str = "
#[derive(Clone, Debug, PartialEq)]
pub struct Thing {
    pub seed: u32,
    pub seen: u32,
    pub next: Link<Thing>,
    pub maybe: Option<Link<Thing>>,
    #[inline_array(1)]
    pub links: InnerArray<Link<Thing>>,
    #[atomic]
    pub a: u32,
    #[atomic]
    pub b: u32,
    #[atomic]
    #[inline_array]
    pub three: [u32; 3],
    #[atomic]
    #[inline_array(object)]
    pub whole: [u32; 2],
    #[atomic]
    #[inline_array(1)]
    pub var: InnerArray<u32>,
}
#[soa_world]
pub struct Things { pub things: Objects<Thing> }
";

const MODEL: &str = r#"
type Model = fn(&mut [Plain], usize, u32, usize) -> u32;

fn row(t: &Plain) -> Thing {
    Thing {
        seed: t.seed,
        seen: t.seen,
        next: link(t.next),
        maybe: t.maybe.map(link),
        links: t.links.iter().copied().map(link).collect(),
        a: t.a,
        b: t.b,
        three: t.three,
        whole: t.whole,
        var: t.var.clone().into(),
    }
}

/// The objects afterwards, and the results: one call after another.
fn expected(all: &[Plain], step: Model, run: &Run, chosen: &[usize]) -> (Vec<Plain>, Vec<u32>) {
    let mut after = all.to_vec();
    let which: Vec<usize> = match run {
        Range(_) | RangeReduce(_) => (20..all.len() - 9).collect(),
        Each(_) | EachReduce(_) => chosen.to_vec(),
        _ => (0..all.len()).collect(),
    };
    let mut results = Vec::new();
    for i in which {
        if matches!(run, Pairs(_)) {
            for other in 0..all.len() {
                step(&mut after, i, SALT, other);
            }
        } else {
            results.push(step(&mut after, i, SALT, OTHER));
        }
    }
    if matches!(run, Sequential(_)) {
        results.clear();
    }
    (after, results)
}
"#;
