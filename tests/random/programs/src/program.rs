//! A random program: classes, methods, kernels, and a plain model with the same text.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::actions;
use crate::classes::{self, COUNTS, Class, Kind, NAMES, OBJECTS, Scalar};
use crate::expressions::{Body, Operation, Type, Variable};
use crate::generator::Generator;

/// Kernels per class, in small and large programs.
const KERNELS: [usize; 2] = [5, 7];

/// The executor of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Executor {
    All,
    Range,
    Each,
    Pairs,
    Reduce,
    Trait,
    TraitReduce,
}

/// A kernel's head.
struct Head {
    class: usize,
    name: String,
    executor: Executor,
    parameters: Vec<(String, String)>,
}

impl Head {
    fn parameters(&self) -> String {
        self.parameters.iter().map(|(name, ty)| format!("{name}: {ty}, ")).collect()
    }
}

struct Program {
    random: Generator,
    classes: Vec<Class>,
}

/// The fields that may be read from others while every other field may be written.
fn calm(class: &Class) -> BTreeSet<usize> {
    (0..class.fields.len()).filter(|&n| class.fields[n].is_calm).collect()
}

fn all(class: &Class) -> BTreeSet<usize> {
    (0..class.fields.len()).collect()
}

impl Program {
    fn body(&mut self, class: usize) -> Body<'_> {
        let atomics = self.classes.iter().map(|class| vec![Operation::Load; class.fields.len()]).collect();
        Body {
            random: &mut self.random,
            class,
            readable: self.classes.iter().map(calm).collect(),
            own: all(&self.classes[class]),
            classes: &self.classes,
            writable: BTreeSet::new(),
            written: BTreeSet::new(),
            atomics,
            is_kernel: false,
            is_whole: false,
            calls: true,
            lent: Vec::new(),
            self_is_lent: 0,
            variables: Vec::new(),
            loops: Vec::new(),
            names: 0,
            room: 90,
            early: None,
            is_option: false,
        }
    }

    /// Methods without effects, which may be called on any object, and one that changes its own.
    fn methods(&mut self, class: usize) -> String {
        let mut text = String::new();
        let start = |body: &mut Body<'_>| {
            body.variables.push(Variable { name: "x".into(), ty: Type::Number(Scalar::U32), is_mutable: false });
        };
        for name in ["m0", "m1"] {
            let mut body = self.body(class);
            (body.own, body.calls, body.room) = (calm(&body.classes[class]), false, 25);
            start(&mut body);
            let value = body.number(Scalar::U32, 4);
            let _ = writeln!(text, "pub fn {name}(&self, x: u32) -> u32 {{ {value} }}");
        }
        let mut body = self.body(class);
        (body.own, body.calls, body.room) = (calm(&body.classes[class]), false, 20);
        start(&mut body);
        let (last, step) = (body.number(Scalar::U32, 2), body.number(Scalar::U32, 2));
        let _ = writeln!(
            text,
            "pub fn r0(&self, depth: u32, x: u32) -> u32 {{ if depth == 0 {{ return {last}; }} let v = {step}; v ^ self.f0.r0(depth - 1, v.wrapping_add(x)) }}"
        );
        let mut body = self.body(class);
        (body.calls, body.room, body.early) = (false, 40, Some("return"));
        body.writable = body.helper_writes().into_iter().collect();
        start(&mut body);
        let statements = body.block(4, 2);
        let _ = writeln!(text, "pub fn w0(&mut self, x: u32) {{\n{statements}}}");
        text
    }

    fn polymorphic(&mut self, class: usize) -> String {
        let mut text = String::new();
        for name in ["p0", "p1"] {
            if name == "p1" && class == 1 {
                continue;
            }
            let mut body = self.body(class);
            (body.own, body.calls, body.room) = (calm(&body.classes[class]), false, 25);
            body.variables.push(Variable { name: "x".into(), ty: Type::Number(Scalar::U32), is_mutable: false });
            let value = body.number(Scalar::U32, 4);
            let _ = writeln!(text, "fn {name}(&self, x: u32) -> u32 {{ {value} }}");
        }
        text
    }

    /// A kernel's options and method.
    fn kernel(&mut self, head: &Head) -> (String, String) {
        let class = head.class;
        let of_trait = matches!(head.executor, Executor::Trait | Executor::TraitReduce);
        let reduces = matches!(head.executor, Executor::Reduce | Executor::TraitReduce);
        let is_option = !of_trait && !reduces && head.executor != Executor::Pairs && self.random.percent(20);
        let mut writable = BTreeSet::new();
        let share = *self.random.pick(&[25, 50, 80, 100]);
        let calm_too = !of_trait && self.random.percent(40);
        for (n, field) in self.classes[class].fields.iter().enumerate() {
            if (calm_too || !field.is_calm) && self.random.percent(share) {
                writable.insert(n);
            }
        }
        if head.executor == Executor::TraitReduce {
            writable.clear();
        }
        let mut readable: Vec<BTreeSet<usize>> =
            if of_trait { self.classes.iter().map(calm).collect() } else { self.classes.iter().map(all).collect() };
        let mut snapshots = BTreeSet::new();
        for &n in &writable {
            if !of_trait && self.random.percent(50) {
                snapshots.insert(n);
            } else {
                readable[class].remove(&n);
            }
        }
        let calls = self.classes.iter().zip(&readable).all(|(class, readable)| calm(class).is_subset(readable));
        let operations =
            [Operation::Load, Operation::Add, Operation::Min, Operation::Max, Operation::Or, Operation::And];
        let mut atomics: Vec<Vec<Operation>> = Vec::new();
        for (other, fields) in self.classes.iter().map(|class| &class.fields).enumerate() {
            let mut of_class = Vec::new();
            for field in fields {
                let own_only = other == class && self.random.percent(40);
                of_class.push(match field.kind {
                    _ if of_trait => Operation::Load,
                    _ if own_only => Operation::Own,
                    Kind::Atomic(Scalar::F32) => Operation::Load,
                    Kind::Atomic(Scalar::Bool) => *self.random.pick(&[Operation::Load, Operation::Or, Operation::And]),
                    Kind::Claim(_) => *self.random.pick(&[Operation::Load, Operation::Min]),
                    _ => *self.random.pick(&operations),
                });
            }
            atomics.push(of_class);
        }
        let early = match (reduces, is_option) {
            (true, _) => "return 7",
            (_, true) => "return None",
            _ => "return",
        };
        let mut body = self.body(class);
        (body.writable, body.readable, body.atomics, body.calls) = (writable, readable, atomics, calls);
        // Each pair of objects is a call, so pairs are expensive.
        let room = if head.executor == Executor::Pairs { 60 } else { 130 };
        (body.early, body.is_option, body.room, body.is_kernel) = (Some(early), is_option, room, true);
        for (name, ty) in &head.parameters {
            let ty = match ty.as_str() {
                "u32" => Type::Number(Scalar::U32),
                "f64" => Type::Number(Scalar::F64),
                "i16" => Type::Number(Scalar::I16),
                "Pack" => Type::Pack,
                "Ref<Actor>" => Type::Actor,
                ty => Type::Ref(NAMES.iter().position(|name| ty == format!("Ref<{name}>")).expect("a class")),
            };
            body.variables.push(Variable { name: name.clone(), ty, is_mutable: false });
        }
        let statements = 3 + body.random.below(5);
        let before = body.variables.len();
        let mut text = String::new();
        for _ in 0..statements {
            let statement = body.statement(3);
            text.push_str(&statement);
            text.push('\n');
        }
        let end = match (reduces, is_option) {
            (true, _) => format!("({}) & 0xffff", body.number(Scalar::U32, 3)),
            (_, true) => "Some(())".to_owned(),
            _ => String::new(),
        };
        body.variables.truncate(before);
        let (written, is_whole) = (body.written.clone(), body.is_whole);
        let names = |fields: &mut dyn Iterator<Item = usize>| -> Vec<String> {
            fields.map(|n| self.classes[class].fields[n].name.clone()).collect()
        };
        let snapshots = names(&mut snapshots.intersection(&written).copied());
        let mut options = Vec::new();
        match head.executor {
            Executor::Pairs => options.push("pairs".to_owned()),
            Executor::Reduce => options.push("reduce(Max, Sum)".to_owned()),
            _ => {}
        }
        if !snapshots.is_empty() {
            options.push(format!("snapshot({})", snapshots.join(", ")));
        }
        if is_whole {
            options.push(format!("writes({})", names(&mut written.iter().copied()).join(", ")));
        }
        let output = match (reduces, is_option) {
            (true, _) => " -> u32",
            (_, true) => " -> Option<()>",
            _ => "",
        };
        let receiver = if head.executor == Executor::TraitReduce { "&self" } else { "&mut self" };
        let (name, parameters) = (&head.name, head.parameters());
        let attribute =
            if options.is_empty() { "#[kernel]".to_owned() } else { format!("#[kernel({})]", options.join(", ")) };
        let visible = if of_trait { "" } else { "pub " };
        (attribute, format!("{visible}fn {name}({receiver}, {parameters}){output} {{\n{text}{end}\n}}\n"))
    }

    fn heads(&mut self, kernels: usize) -> Vec<Head> {
        let mut heads = Vec::new();
        for class in 0..3 {
            for n in 0..kernels {
                let executor = match kernels - 1 - n {
                    0 => Executor::Pairs,
                    1 => Executor::Reduce,
                    2 => Executor::Each,
                    3 => Executor::Range,
                    _ => Executor::All,
                };
                let mut parameters = Vec::new();
                let other = self.random.below(3);
                parameters.push(("other".to_owned(), format!("Ref<{}>", NAMES[other])));
                parameters.push(("salt".to_owned(), "u32".to_owned()));
                if self.random.percent(30) {
                    let ty = *self.random.pick(&["f64", "i16", "Pack", "Ref<Actor>"]);
                    parameters.push(("extra".to_owned(), ty.to_owned()));
                }
                heads.push(Head { class, name: format!("k{n}"), executor, parameters });
            }
        }
        heads
    }
}

/// The text of a program, and the text of its plain model.
pub(crate) fn write(seed: u64, has_many: bool) -> (String, String) {
    let mut random = Generator::new(seed);
    let classes = classes::classes(&mut random);
    let mut program = Program { random, classes };
    let module = format!("random_{seed}");
    let mut ikra = format!("pub mod {module} {{\nuse ikra::prelude::*;\n{VALUES}");
    let mut plain = format!(
        "pub mod {module} {{\nuse crate::{{Dump, Make, Program, len, mix}};\nuse crate::random::{module}::{{self as model, Mood, Pack, TABLE, either, folded, put}};\npub mod plain {{\nuse super::*;\n{}",
        include_str!("plain.txt")
    );
    for (n, class) in program.classes.iter().enumerate() {
        declare(n, class, &mut ikra, &mut plain);
    }
    plain.push_str(EDGES);
    plain.push_str(ACTORS);
    // Methods and kernels.
    let heads = program.heads(KERNELS[usize::from(has_many)]);
    let mut cases = String::new();
    for class in 0..3 {
        let methods = program.methods(class);
        let name = NAMES[class];
        let (mut one, mut two) = (methods.clone(), methods);
        for head in heads.iter().filter(|head| head.class == class) {
            let (attribute, text) = program.kernel(head);
            let _ = write!(one, "{attribute}\n{text}");
            two.push_str(&text);
            cases.push_str(&case(head));
        }
        let _ = write!(ikra, "#[soa_methods]\nimpl {name} {{\n{one}}}\n");
        let _ = write!(plain, "impl {name} {{\n{two}}}\n");
        // The trait's.
        let mut methods = program.polymorphic(class);
        let mut attributes = Vec::new();
        let parameters = vec![("at".to_owned(), "Ref<Actor>".to_owned()), ("salt".to_owned(), "u32".to_owned())];
        for (name, executor) in [("tick", Executor::Trait), ("tock", Executor::Trait), ("weigh", Executor::TraitReduce)]
        {
            let head = Head { class, name: name.to_owned(), executor, parameters: parameters.clone() };
            let (attribute, text) = program.kernel(&head);
            if attribute != "#[kernel]" {
                attributes.push((format!("fn {name}("), attribute));
            }
            methods.push_str(&text);
        }
        let mut with_options = methods.clone();
        for (start, attribute) in attributes {
            with_options = with_options.replace(&start, &format!("{attribute}\n{start}"));
        }
        let _ = write!(ikra, "#[soa_methods]\nimpl Actor for {name} {{\n{with_options}}}\n");
        if class == 1 {
            methods.push_str("fn p1(&self, x: u32) -> u32 { self.p0(x).wrapping_add(17) }\n");
        }
        let _ = write!(plain, "impl {name} {{\n{}}}\n", methods.replace("\nfn ", "\npub fn "));
    }
    ikra.push_str(TRAIT);
    ikra.push_str("}\n");
    plain.push_str("}\n");
    harness(&program.classes, &cases, &mut plain);
    plain.push_str("}\n");
    (ikra, plain)
}

/// Declares a class in the program and in the model, and its comparison.
fn declare(n: usize, class: &Class, ikra: &mut String, plain: &mut String) {
    let Class { name, options, fields } = class;
    let _ = write!(ikra, "#[soa_class{options}]\n#[derive(Clone, Debug)]\npub struct {name} {{\n");
    let _ = write!(plain, "#[derive(Clone)]\npub struct {name} {{\npub __id: usize,\n");
    let mut getters = String::new();
    let (mut dump, mut start) = (String::new(), String::new());
    for (k, field) in fields.iter().enumerate() {
        let (field, kind) = (&field.name, field.kind);
        let (attributes, ty, twin) = (classes::attributes(kind), classes::declared(kind), classes::plain(kind));
        let _ = writeln!(ikra, "{attributes}pub {field}: {ty},");
        let _ = writeln!(plain, "pub {field}: {twin},");
        let _ = writeln!(getters, "pub fn {field}(&self) -> {twin} {{ self.with(|row| row.{field}.clone()) }}");
        let _ = writeln!(dump, "self.{field}.dump(to);");
        let _ = writeln!(start, "{field}: {{ let h = mix(n as u64, {k}); {} }},", classes::start(kind, true));
    }
    ikra.push_str("}\n");
    plain.push_str("}\n");
    for method in ["m0", "m1", "p0", "p1"] {
        let _ = writeln!(getters, "pub fn {method}(&self, x: u32) -> u32 {{ self.with(|row| row.{method}(x)) }}");
    }
    let _ = writeln!(getters, "pub fn r0(&self, depth: u32, x: u32) -> u32 {{ self.with(|row| row.r0(depth, x)) }}");
    let _ = write!(
        plain,
        "impl RefOf<{name}> {{\n{getters}}}\nimpl Named for {name} {{ type Ref = RefOf<{name}>; }}\n\
         thread_local! {{ static BEFORE_{n}: RefCell<Vec<{name}>> = const {{ RefCell::new(Vec::new()) }}; }}\n\
         impl Row for {name} {{\nfn before() -> &'static LocalKey<RefCell<Vec<Self>>> {{ &BEFORE_{n} }}\n\
         fn id(&self) -> usize {{ self.__id }}\nfn start(n: usize) -> Self {{ Self {{ __id: n, {start} }} }} }}\n\
         impl Dump for {name} {{ fn dump(&self, to: &mut Vec<u64>) {{ {dump} }} }}\n",
    );
}

/// The call of a kernel, in the program and in the model.
fn case(head: &Head) -> String {
    let (class, kernel) = (NAMES[head.class], &head.name);
    let objects = OBJECTS[head.class];
    let (mut given, mut twin) = (Vec::new(), Vec::new());
    for (k, (_, ty)) in head.parameters.iter().enumerate() {
        let h = format!("mix(round, {k})");
        match ty.as_str() {
            "u32" | "f64" | "i16" | "Pack" => {
                given.push(format!("make({h})"));
                twin.push(format!("make({h})"));
            }
            "Ref<Actor>" => {
                given.push(format!("actor_link({h})"));
                twin.push(format!("actor({h})"));
            }
            ty => {
                let of = NAMES.iter().position(|name| ty == format!("Ref<{name}>")).expect("a class");
                given.push(format!("Link::from_index({h} as usize % {}).unwrap()", COUNTS[of]));
                twin.push(format!("RefOf::at({h} as usize % {})", COUNTS[of]));
            }
        }
    }
    let (rest, twin_rest) = (given[1..].join(", "), twin[1..].join(", "));
    let (given, twin) = (given.join(", "), twin.join(", "));
    // More objects are added later.
    let count = COUNTS[head.class];
    let (run, chosen) = match head.executor {
        Executor::All => (format!("on.execute({class}::{kernel}, ({given}))?; 0"), "every(n)".to_owned()),
        Executor::Range => {
            (format!("on.over(5..{count} - 3).execute({class}::{kernel}, ({given}))?; 0"), format!("middle({count})"))
        }
        Executor::Each => (
            format!(
                "let links: Vec<_> = chosen({count}).into_iter().map(|n| Link::from_index(n).unwrap()).collect(); on.over(&links).execute({class}::{kernel}, ({given}))?; 0"
            ),
            format!("chosen({count})"),
        ),
        Executor::Pairs => (format!("on.execute_pairs({class}::{kernel}, ({rest}))?; 0"), "every(n)".to_owned()),
        Executor::Reduce => {
            let links = format!(
                "let links: Vec<_> = chosen({count}).into_iter().map(|n| Link::from_index(n).unwrap()).collect();"
            );
            let run = format!(
                "match round % 4 {{ 0 => on.execute_and_reduce({class}::{kernel}, ({given}), Max)?, 1 => on.execute_and_reduce({class}::{kernel}, ({given}), Sum)?, 2 => on.over(5..{count} - 3).execute_and_reduce({class}::{kernel}, ({given}), Max)?, _ => {{ {links} on.over(&links).execute_and_reduce({class}::{kernel}, ({given}), Sum)? }} }}"
            );
            let some = format!(
                "match round % 4 {{ 0 | 1 => every(n).collect(), 2 => middle({count}).collect(), _ => chosen({count}) }}"
            );
            (run, some)
        }
        Executor::Trait | Executor::TraitReduce => unreachable!("they are in the harness"),
    };
    let call = match head.executor {
        Executor::Pairs => format!("for other in 0..others {{ let _ = row.{kernel}(RefOf::at(other), {twin_rest}); }}"),
        Executor::Reduce => format!(
            "let found = row.{kernel}({twin}); all = if round % 2 == 0 {{ all.max(found) }} else {{ all + found }};"
        ),
        _ => format!("let _ = row.{kernel}({twin});"),
    };
    let others = head.parameters[0].1.trim_start_matches("Ref<").trim_end_matches('>');
    let others = OBJECTS[NAMES.iter().position(|name| *name == others).expect("a class")];
    format!(
        "(\"{class}::{kernel}\", {unrecorded}, |on, round| {{ Ok({{ {run} }}) }}, |world, round| {{ let (n, others) = (world.{objects}.len(), world.{others}.len()); world.freeze(); let mut all = 0_u32; for i in {chosen} {{ let row = &mut world.{objects}[i]; {call} }} all }}),\n",
        unrecorded = matches!(head.executor, Executor::Reduce | Executor::Each),
    )
}

fn harness(classes: &[Class], cases: &str, text: &mut String) {
    let mut starts = String::new();
    let mut dumps = String::new();
    let (mut rows, mut acts) = (String::new(), String::new());
    for (n, Class { name, fields, .. }) in classes.iter().enumerate() {
        let values: String = fields
            .iter()
            .enumerate()
            .map(|(k, field)| {
                format!("{}: {{ let h = mix(n as u64, {k}); {} }},\n", field.name, classes::start(field.kind, false))
            })
            .collect();
        let objects = OBJECTS[n];
        let _ = writeln!(starts, "world.{objects}.extend((0..{}).map(row_{n})).unwrap();", COUNTS[n]);
        let _ = writeln!(rows, "fn row_{n}(n: usize) -> model::{name} {{ model::{name} {{ {values} }} }}");
        acts.push_str(&actions::of(n, &classes[n]));
        let dump: String = fields.iter().map(|field| format!("row.{}.dump(&mut to);\n", field.name)).collect();
        let _ =
            writeln!(dumps, "all.extend(world.{objects}.iter().map(|row| {{ let mut to = Vec::new(); {dump} to }}));");
    }
    text.push_str(&rows);
    text.push_str(&acts);
    text.push_str(&HARNESS.replace("@STARTS", &starts).replace("@DUMPS", &dumps).replace("@CASES", cases));
}

const VALUES: &str = "
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Pack { pub small: u8, pub wide: f32, pub flag: bool, pub pair: [u16; 2] }
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(u8)]
pub enum Mood { Calm = 1, Wild, Odd, Last = 200 }
pub fn put<T>(place: &mut T, v: T) { *place = v; }
impl Pack {
    pub fn mixed(&self, x: u32) -> u32 { if self.flag { x.wrapping_mul(3) ^ self.pair[1] as u32 } else { self.small as u32 + self.pair[0] as u32 } }
    pub fn change(&mut self, x: u16) { self.pair[x as usize % 2] ^= x; self.flag = !self.flag; }
    pub fn changed(mut self, x: u16) -> Self { self.change(x); self.wide -= 1.5; self }
}
impl core::ops::Add for Pack {
    type Output = Self;
    fn add(self, other: Self) -> Self { Self { small: self.small.wrapping_add(other.small), wide: other.wide, ..self } }
}
impl core::ops::AddAssign<u16> for Pack {
    fn add_assign(&mut self, x: u16) { if x > 9 { self.pair = [self.pair[1], x]; } else { self.small ^= 1; } }
}
pub const TABLE: [u32; 8] = [3, 0, 77, u32::MAX, 1, 1 << 31, 12, 9];
pub fn folded(of: &[u32]) -> u32 { of.iter().fold(7, |a, b| a.rotate_left(5) ^ b) }
pub fn either<T>(is_first: bool, first: T, second: T) -> T { if is_first { first } else { second } }
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct AshEdge { pub to: Link<Ash>, pub size: u16 }
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct BatEdge { pub to: Link<Bat>, pub size: u16 }
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct CodEdge { pub size: u16, pub to: Link<Cod> }
#[soa_world]
pub struct World { pub ashes: Objects<Ash>, pub bats: Objects<Bat>, pub cods: Objects<Cod> }
";

const TRAIT: &str = "
#[soa_dispatch(Ash, Bat, Cod)]
pub trait Actor {
    #[kernel]
    fn tick(&mut self, at: Ref<Actor>, salt: u32);
    #[kernel]
    fn tock(&mut self, at: Ref<Actor>, salt: u32);
    #[kernel(reduce(Max))]
    fn weigh(&self, at: Ref<Actor>, salt: u32) -> u32;
    fn p0(&self, x: u32) -> u32;
    fn p1(&self, x: u32) -> u32 { self.p0(x).wrapping_add(17) }
}
";

const EDGES: &str = "
#[derive(Clone, Copy)]
pub struct AshEdge { pub to: Link<Ash>, pub size: u16 }
#[derive(Clone, Copy)]
pub struct BatEdge { pub to: Link<Bat>, pub size: u16 }
#[derive(Clone, Copy)]
pub struct CodEdge { pub to: Link<Cod>, pub size: u16 }
impl Dump for AshEdge { fn dump(&self, to: &mut Vec<u64>) { self.to.dump(to); self.size.dump(to); } }
impl Dump for BatEdge { fn dump(&self, to: &mut Vec<u64>) { self.to.dump(to); self.size.dump(to); } }
impl Dump for CodEdge { fn dump(&self, to: &mut Vec<u64>) { self.to.dump(to); self.size.dump(to); } }
";

const ACTORS: &str = "
pub struct Actor;
impl Named for Actor { type Ref = ActorRef; }
#[derive(Clone, Copy)]
pub enum ActorRef { Ash(RefOf<Ash>), Bat(RefOf<Bat>), Cod(RefOf<Cod>) }
pub use ActorRef as ActorIs;
impl From<RefOf<Ash>> for ActorRef { fn from(one: RefOf<Ash>) -> Self { Self::Ash(one) } }
impl From<RefOf<Bat>> for ActorRef { fn from(one: RefOf<Bat>) -> Self { Self::Bat(one) } }
impl From<RefOf<Cod>> for ActorRef { fn from(one: RefOf<Cod>) -> Self { Self::Cod(one) } }
impl ActorRef {
    pub fn class(&self) -> Self { *self }
    pub fn p0(&self, x: u32) -> u32 { match self { Self::Ash(one) => one.p0(x), Self::Bat(one) => one.p0(x), Self::Cod(one) => one.p0(x) } }
    pub fn p1(&self, x: u32) -> u32 { match self { Self::Ash(one) => one.p1(x), Self::Bat(one) => one.p1(x), Self::Cod(one) => one.p1(x) } }
}
impl Dump for ActorRef {
    fn dump(&self, to: &mut Vec<u64>) {
        match self { Self::Ash(one) => to.extend([0, one.index as u64]), Self::Bat(one) => to.extend([1, one.index as u64]), Self::Cod(one) => to.extend([2, one.index as u64]) }
    }
}
";

const HARNESS: &str = r#"
use ikra::prelude::*;
use ikra::On;
use plain::{ActorRef, RefOf, Row as _};
use model::{Actor, ActorIs, ActorLink, Ash, Bat, Cod};
use crate::{chosen, every, make, middle};

impl Dump for ActorLink {
    fn dump(&self, to: &mut Vec<u64>) {
        match self.class() {
            ActorIs::Ash(link) => to.extend([0, link.index() as u64]),
            ActorIs::Bat(link) => to.extend([1, link.index() as u64]),
            ActorIs::Cod(link) => to.extend([2, link.index() as u64]),
        }
    }
}
impl Dump for Pack {
    fn dump(&self, to: &mut Vec<u64>) { self.small.dump(to); self.wide.dump(to); self.flag.dump(to); self.pair.dump(to); }
}
impl Dump for model::AshEdge { fn dump(&self, to: &mut Vec<u64>) { self.to.dump(to); self.size.dump(to); } }
impl Dump for model::BatEdge { fn dump(&self, to: &mut Vec<u64>) { self.to.dump(to); self.size.dump(to); } }
impl Dump for model::CodEdge { fn dump(&self, to: &mut Vec<u64>) { self.to.dump(to); self.size.dump(to); } }
impl Dump for Mood {
    fn dump(&self, to: &mut Vec<u64>) { to.push(*self as u64); }
}
impl Make for Pack {
    fn make(h: u64) -> Self { Self { small: make(mix(h, 1)), wide: make(mix(h, 2)), flag: make(mix(h, 3)), pair: make(mix(h, 4)) } }
}
impl Make for Mood {
    fn make(h: u64) -> Self { [Self::Calm, Self::Wild, Self::Odd, Self::Last][h as usize % 4] }
}
fn actor_link(h: u64) -> ActorLink {
    match plain::actor(h) {
        ActorRef::Ash(one) => Link::<Ash>::from_index(one.index).unwrap().into(),
        ActorRef::Bat(one) => Link::<Bat>::from_index(one.index).unwrap().into(),
        ActorRef::Cod(one) => Link::<Cod>::from_index(one.index).unwrap().into(),
    }
}
use plain::actor;
/// Numbers of different actors, of all classes.
fn some_actors() -> Vec<u64> {
    (0..19).flat_map(|n| [0, 1, 2].map(|class| (n << 8) * 3 + class)).filter(|h| mix(*h, 3) % 3 != 0).collect()
}
fn start() -> model::World {
    let mut world = model::World::new();
    @STARTS
    world
}
fn dump(world: &model::World) -> Vec<Vec<u64>> {
    let mut all: Vec<Vec<u64>> = Vec::new();
    @DUMPS
    all
}
/// What a program does between kernels, to the world and its model.
fn act(world: &mut model::World, twin: &mut plain::World, h: u64, may_grow: bool, report: &mut dyn FnMut(String)) {
    match h % 4 {
        0 | 1 => act_0(world, twin, h, may_grow, report),
        2 => act_1(world, twin, h, may_grow, report),
        _ => act_2(world, twin, h, may_grow, report),
    }
}
type Case = (&'static str, bool, fn(&mut On<'_, model::World>, u64) -> Result<u32, ikra::Error>, fn(&mut plain::World, u64) -> u32);
const CASES: &[Case] = &[
@CASES
("Actor::tick", false, |on, round| { on.execute(Actor::tick, (actor_link(round), make(round)))?; Ok(0) }, |world, round| {
    world.freeze();
    let (at, salt) = (actor(round), make(round));
    for row in &mut world.ashes { row.tick(at, salt); }
    for row in &mut world.bats { row.tick(at, salt); }
    for row in &mut world.cods { row.tick(at, salt); }
    0
}),
("Actor::tock", false, |on, round| { on.execute(Actor::tock, (actor_link(round), make(round)))?; Ok(0) }, |world, round| {
    world.freeze();
    let (at, salt) = (actor(round), make(round));
    for row in &mut world.ashes { row.tock(at, salt); }
    for row in &mut world.bats { row.tock(at, salt); }
    for row in &mut world.cods { row.tock(at, salt); }
    0
}),
("Actor::tock of some", true, |on, round| {
    let list: Vec<ActorLink> = some_actors().into_iter().map(actor_link).collect();
    on.over(&list).execute(Actor::tock, (actor_link(round), make(round)))?;
    Ok(0)
}, |world, round| {
    world.freeze();
    let (at, salt) = (actor(round), make(round));
    for one in some_actors() {
        match actor(one) {
            ActorRef::Ash(one) => world.ashes[one.index].tock(at, salt),
            ActorRef::Bat(one) => world.bats[one.index].tock(at, salt),
            ActorRef::Cod(one) => world.cods[one.index].tock(at, salt),
        }
    }
    0
}),
("Actor::weigh", true, |on, round| on.execute_and_reduce(Actor::weigh, (actor_link(round), make(round)), Max), |world, round| {
    world.freeze();
    let (at, salt) = (actor(round), make(round));
    let ashes = world.ashes.iter().map(|row| row.weigh(at, salt)).max();
    let bats = world.bats.iter().map(|row| row.weigh(at, salt)).max();
    let cods = world.cods.iter().map(|row| row.weigh(at, salt)).max();
    ashes.max(bats).max(cods).unwrap()
}),
];

/// The program.
pub const PROGRAM: Program = Program { name: module_path!(), run };

fn run(place: ikra::Place, rounds: u64, report: &mut dyn FnMut(String)) -> usize {
    let (mut world, mut twin) = (start(), plain::World::start());
    let mut known = dump(&world);
    assert_eq!(known, twin.dump(), "the start");
    for round in 0..rounds {
        for (n, &(name, _, run, model)) in CASES.iter().enumerate() {
            let round_of_case = mix(round, 1000 + n as u64);
            // Later, things happen in between, and not all is looked at.
            let is_quiet = round > 0 && mix(round_of_case, 1) % 3 != 0;
            if round > 0 {
                for k in 0..mix(round_of_case, 2) % 4 {
                    act(&mut world, &mut twin, mix(round_of_case, 10 + k), true, &mut *report);
                }
            }
            let expected = model(&mut twin, round_of_case);
            match run(&mut world.on(place), round_of_case) {
                Ok(found) if found != expected => report(format!("{name} gives {found}, not {expected}")),
                Ok(_) => {}
                Err(error) => { report(format!("{name}: {error}")); return n; }
            }
            if is_quiet {
                continue;
            }
            let (found, expected) = (dump(&world), twin.dump());
            assert_eq!(found.len(), expected.len());
            if let Some(n) = (0..found.len()).find(|&n| found[n] != expected[n]) {
                report(format!("{name}, object {n}: {:?}, not {:?}; before {:?}", found[n], expected[n], known.get(n)));
                return CASES.len();
            }
            known = found;
        }
    }
    // All in a row, and recorded, without looking in between.
    let sequence = |on: &mut On<'_, model::World>| {
        for (n, &(_, _, run, _)) in CASES.iter().enumerate().filter(|(_, case)| !case.1) {
            run(on, mix(77, n as u64))?;
        }
        Ok(())
    };
    let mut recording = None;
    for replay in 0..4 {
        // A recording is for as many objects, and arrays as long.
        for k in 0..[3, 3, 2, 0][replay] {
            act(&mut world, &mut twin, mix(replay as u64, 500 + k), replay == 0, &mut *report);
        }
        for (n, &(_, _, _, model)) in CASES.iter().enumerate().filter(|(_, case)| !case.1) {
            model(&mut twin, mix(77, n as u64));
        }
        let result = if replay == 0 {
            sequence(&mut world.on(place))
        } else {
            if recording.is_none() {
                recording = world.on(place).record(sequence).map_err(|error| report(format!("recording: {error}"))).ok();
            }
            recording.as_ref().map_or(Ok(()), |recording| world.on(place).replay(recording))
        };
        if let Err(error) = result {
            report(format!("in a row {replay}: {error}"));
        }
        if replay == 2 {
            continue;
        }
        let (found, expected) = (dump(&world), twin.dump());
        if let Some(n) = (0..found.len()).find(|&n| found[n] != expected[n]) {
            report(format!("in a row {replay}, object {n}: {:?}, not {:?}", found[n], expected[n]));
            break;
        }
    }
    CASES.len()
}
"#;
