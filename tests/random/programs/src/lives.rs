//! A random program whose objects come and go: births, deaths, selections, groups, sorting and compaction, with links
//! among and across classes. Its plain model has the same text.
//!
//! The classes of every other program are simple enough for all births and most deaths to happen on a GPU: see
//! [`class`].

use std::fmt::Write as _;

use crate::classes::{NAMES, OBJECTS};
use crate::generator::Generator;
use crate::lives_kernels::{Body, kernel, step};

/// Kernels per class.
const KERNELS: usize = 5;

/// A field. Each names the class that it links to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    Maybe(usize),
    Pack(usize, bool),
    Array(usize, usize),
    /// A link that cannot be empty: the object goes with its target.
    Cascade(usize),
}

pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

pub(crate) struct Class {
    options: String,
    compact: Option<&'static str>,
    pub(crate) fields: Vec<Field>,
}

impl Class {
    pub(crate) fn of_kind(&self, is: impl Fn(Kind) -> bool) -> Vec<&Field> {
        self.fields.iter().filter(|field| is(field.kind)).collect()
    }
}

/// A random class. A simple one has numbers and links that may be empty, in columns of their own, and perhaps an owner: a
/// GPU makes and removes objects of such classes, and the host those of others.
fn class(random: &mut Generator, n: usize, is_simple: bool) -> Class {
    let mut options = vec![(*random.pick(&["", "layout = \"aos\"", "layout = \"tiles\"", ""])).to_owned()];
    let compact = *random.pick(&[None, Some("1.0"), Some("0.5"), Some("0.8")]);
    options.extend(compact.map(|ratio| format!("compact = {ratio}")));
    options.retain(|option| !(option.is_empty() || is_simple && option.starts_with("layout")));
    let mut kinds = vec![Kind::Number; 3];
    kinds.extend((0..1 + random.below(3)).map(|_| Kind::Maybe(random.below(3))));
    if !is_simple && random.percent(60) {
        kinds.push(Kind::Pack(random.below(3), random.percent(50)));
    }
    if !is_simple && random.percent(60) {
        kinds.push(Kind::Array(random.below(3), random.below(4)));
    }
    if n > 0 && random.percent(if is_simple { 15 } else { 50 }) {
        kinds.push(Kind::Cascade(random.below(n)));
    }
    let field = |(n, kind)| Field { name: format!("f{n}"), kind };
    let options = if options.is_empty() { String::new() } else { format!("({})", options.join(", ")) };
    Class { options, compact, fields: kinds.into_iter().enumerate().map(field).collect() }
}

/// Declares a class in the program and in the model.
fn declare(n: usize, class: &Class, ikra: &mut String, plain: &mut String) {
    let (name, lower, objects) = (NAMES[n], NAMES[n].to_lowercase(), OBJECTS[n]);
    let (mut fields, mut twins, mut getters) = (String::new(), String::new(), String::new());
    let (mut parameters, mut row, mut twin_row) = (String::new(), String::new(), String::new());
    let (mut remap, mut cascades, mut dump, mut late) = (String::new(), String::new(), String::new(), String::new());
    for Field { name: field, kind } in &class.fields {
        let to = match *kind {
            Kind::Number => "",
            Kind::Maybe(to) | Kind::Pack(to, _) | Kind::Array(to, _) | Kind::Cascade(to) => NAMES[to],
        };
        let (attribute, ty, twin, parameter, made) = match kind {
            Kind::Number => ("", "u32".into(), "u32".into(), "u32".into(), field.clone()),
            Kind::Maybe(_) => (
                "",
                format!("Option<Link<{to}>>"),
                format!("Option<RefOf<{to}>>"),
                format!("Option<Link<{to}>>"),
                format!("{field}.map(|to| RefOf::at(to.index))"),
            ),
            Kind::Pack(_, is_flat) => (
                if *is_flat { "#[soa(flatten)] " } else { "" },
                format!("{to}Pack"),
                format!("{to}Pack"),
                format!("{to}Pack"),
                field.clone(),
            ),
            Kind::Array(_, slots) => (
                *["#[inline_array(0)] ", "#[inline_array(1)] ", "#[inline_array(2)] ", "#[inline_array(3)] "]
                    .get(*slots)
                    .expect("at most three slots"),
                format!("InnerArray<Link<{to}>>"),
                format!("Array<RefOf<{to}>>"),
                format!("&[Link<{to}>]"),
                format!("Array({field}.iter().map(|to| RefOf::at(to.index)).collect())"),
            ),
            Kind::Cascade(_) => (
                "#[soa(on_remove = \"cascade\")] ",
                format!("Link<{to}>"),
                format!("RefOf<{to}>"),
                format!("Link<{to}>"),
                format!("RefOf::at({field}.index)"),
            ),
        };
        let _ = writeln!(fields, "{attribute}pub {field}: {ty},");
        let _ = writeln!(twins, "pub {field}: {twin},");
        let _ = writeln!(getters, "pub fn {field}(&self) -> {twin} {{ self.with(|row| row.{field}.clone()) }}");
        let _ = write!(parameters, "{field}: {parameter}, ");
        let collected = if matches!(kind, Kind::Array(..)) {
            format!("{field}: {field}.iter().copied().collect(), ")
        } else {
            format!("{field}, ")
        };
        row.push_str(&collected);
        let _ = write!(twin_row, "{field}: {made}, ");
        let new = |of: &str| format!("new({to}::NUMBER, {of}.index)");
        let _ = match kind {
            Kind::Number => writeln!(dump, "to.push(self.{field} as u64);"),
            Kind::Maybe(_) => {
                let _ = writeln!(remap, "self.{field} = self.{field}.and_then(|o| {}).map(RefOf::at);", new("o"));
                let _ = writeln!(
                    late,
                    "pub fn {field}(row: &mut {name}) -> &mut Option<RefOf<{to}>> {{ &mut row.{field} }}"
                );
                writeln!(dump, "to.push(self.{field}.map_or(u64::MAX, |o| o.index as u64));")
            }
            Kind::Pack(..) => {
                let _ = writeln!(remap, "self.{field}.to = self.{field}.to.and_then(|o| {}).map(Link::at);", new("o"));
                writeln!(
                    dump,
                    "to.extend([self.{field}.weight as u64, self.{field}.to.map_or(u64::MAX, |o| o.index as u64)]);"
                )
            }
            Kind::Array(..) => {
                let _ = writeln!(
                    remap,
                    "self.{field} = Array(self.{field}.iter().filter_map(|o| {}).map(RefOf::at).collect());",
                    new("o")
                );
                writeln!(
                    dump,
                    "to.push(self.{field}.0.len() as u64); to.extend(self.{field}.iter().map(|o| o.index as u64));"
                )
            }
            Kind::Cascade(_) => {
                let _ = writeln!(
                    remap,
                    "self.{field} = RefOf::at({}.expect(\"the target stays\"));",
                    new(&format!("self.{field}"))
                );
                let _ = write!(cascades, " || goes({to}::NUMBER, self.{field}.index)");
                writeln!(dump, "to.push(self.{field}.index as u64);")
            }
        };
    }
    let _ = write!(
        ikra,
        "#[soa_class{}]\n#[derive(Clone, Debug)]\npub struct {name} {{\n{fields}}}\n\
         #[derive(Clone, Copy, Debug, PartialEq, Value)]\n#[repr(C)]\npub struct {name}Pack {{ pub weight: u32, pub to: Option<Link<{name}>> }}\n\
         pub fn new_{lower}({parameters}) -> {name} {{ {name} {{ {row} }} }}\n",
        class.options
    );
    let compact = class.compact.map_or("None".to_owned(), |ratio| format!("Some({ratio})"));
    let _ = write!(
        plain,
        "#[derive(Clone)]\npub struct {name} {{\npub __state: State<{name}>,\n{twins}}}\n\
         #[derive(Clone, Copy)]\npub struct {name}Pack {{ pub weight: u32, pub to: Option<Link<{name}>> }}\n\
         pub fn new_{lower}({parameters}) -> {name} {{ {name} {{ __state: State::default(), {twin_row} }} }}\n\
         pub mod {lower} {{ use super::*;\n{late} }}\n\
         impl RefOf<{name}> {{\n{getters}}}\nimpl Named for {name} {{ type Ref = RefOf<{name}>; }}\n\
         thread_local! {{ static BEFORE_{n}: RefCell<Vec<Option<{name}>>> = const {{ RefCell::new(Vec::new()) }}; static YOUNG_{n}: RefCell<Vec<{name}>> = const {{ RefCell::new(Vec::new()) }}; }}\n\
         impl {name} {{\n\
         pub fn link(&self) -> Link<Self> {{ Link::at(self.__state.id) }}\n\
         pub fn remove(&mut self) {{ self.__state.is_gone = true; }}\n\
         pub fn resolve<C>(&self, link: Link<C>) -> RefOf<C> {{ RefOf::at(link.index) }}\n\
         pub fn set_at_end<X: 'static>(&mut self, field: fn(&mut Self) -> &mut Option<RefOf<X>>, link: Option<Link<X>>) {{ self.__state.late.push(Rc::new(move |row| *field(row) = link.map(|to| RefOf::at(to.index)))); }}\n\
         }}\n\
         impl Row for {name} {{\nconst NUMBER: usize = {n};\nconst COMPACT: Option<f32> = {compact};\n\
         fn before() -> &'static LocalKey<RefCell<Vec<Option<Self>>>> {{ &BEFORE_{n} }}\n\
         fn young() -> &'static LocalKey<RefCell<Vec<Self>>> {{ &YOUNG_{n} }}\n\
         fn of(world: &World) -> &Vec<Option<Self>> {{ &world.{objects} }}\n\
         fn of_mut(world: &mut World) -> &mut Vec<Option<Self>> {{ &mut world.{objects} }}\n\
         fn state(&mut self) -> &mut State<Self> {{ &mut self.__state }}\n\
         fn remap(&mut self, new: New<'_>) {{ {remap} }}\n\
         fn cascades(&self, goes: &dyn Fn(usize, usize) -> bool) -> bool {{ false{cascades} }}\n\
         fn dump(&self, to: &mut Vec<u64>) {{ {dump} }}\n}}\n"
    );
}

/// The code that dumps the objects of a class, and the one that adds some.
fn harness(n: usize, class: &Class) -> (String, String) {
    let (name, lower, objects) = (NAMES[n], NAMES[n].to_lowercase(), OBJECTS[n]);
    let (mut dump, mut lets) = (String::new(), String::new());
    let (mut given, mut twin) = (Vec::new(), Vec::new());
    for (k, Field { name: field, kind }) in class.fields.iter().enumerate() {
        let maybe = |to: usize| format!("one({to}, {k}).filter(|_| mix(h, 50 + {k}) % 4 != 0)");
        match *kind {
            Kind::Number => {
                let _ = writeln!(dump, "to.push(row.{field} as u64);");
                let _ = writeln!(lets, "let {field} = mix(h, {k}) as u32 % 1000;");
                given.push(field.clone());
                twin.push(field.clone());
            }
            Kind::Maybe(to) => {
                let _ = writeln!(dump, "to.push(row.{field}.map_or(u64::MAX, |o| o.index() as u64));");
                let _ = writeln!(lets, "let {field} = {};", maybe(to));
                given.push(format!("{field}.map(|n| Link::from_index(n).unwrap())"));
                twin.push(format!("{field}.map(plain::Link::at)"));
            }
            Kind::Pack(to, _) => {
                let _ = writeln!(
                    dump,
                    "to.extend([row.{field}.weight as u64, row.{field}.to.map_or(u64::MAX, |o| o.index() as u64)]);"
                );
                let _ = writeln!(lets, "let {field} = {};", maybe(to));
                let to = NAMES[to];
                given.push(format!(
                    "model::{to}Pack {{ weight: h as u32 % 77, to: {field}.map(|n| Link::from_index(n).unwrap()) }}"
                ));
                twin.push(format!("plain::{to}Pack {{ weight: h as u32 % 77, to: {field}.map(plain::Link::at) }}"));
            }
            Kind::Array(to, _) => {
                let _ = writeln!(
                    dump,
                    "to.push(row.{field}.len() as u64); to.extend(row.{field}.iter().map(|o| o.index() as u64));"
                );
                let _ = writeln!(
                    lets,
                    "let {field}: Vec<_> = (0..mix(h, 60) % 5).filter_map(|k| one({to}, 70 + k)).collect();"
                );
                given.push(format!("&{field}.iter().map(|&n| Link::from_index(n).unwrap()).collect::<Vec<_>>()"));
                twin.push(format!("&{field}.iter().map(|&n| plain::Link::at(n)).collect::<Vec<_>>()"));
            }
            Kind::Cascade(to) => {
                let _ = writeln!(dump, "to.push(row.{field}.index() as u64);");
                let _ = writeln!(lets, "let Some({field}) = one({to}, {k}) else {{ break }};");
                given.push(format!("Link::from_index({field}).unwrap()"));
                twin.push(format!("plain::Link::at({field})"));
            }
        }
    }
    let dump = format!(
        "for link in world.{objects}.links() {{ let row = world.{objects}.read(link).unwrap(); let mut to = vec![{n}, link.index() as u64]; {dump} all.push(to); }}\n"
    );
    let add = format!(
        "let live = [twin.live::<plain::Ash>(), twin.live::<plain::Bat>(), twin.live::<plain::Cod>()];\n\
         for k in 0..counts[{n}] {{ let h = mix(seed, (k * 3 + {n}) as u64);\n\
         let one = |class: usize, k: u64| {{ let all: &Vec<usize> = &live[class]; (!all.is_empty()).then(|| all[mix(h, k) as usize % all.len()]) }};\n\
         {lets}\
         world.{objects}.push(model::new_{lower}({})).unwrap();\n\
         twin.{objects}.push(Some(plain::new_{lower}({}))); }}\n",
        given.join(", "),
        twin.join(", ")
    );
    let _ = name;
    (dump, add)
}

/// Whether a GPU makes the objects of a program's classes.
pub(crate) fn is_simple(seed: u64) -> bool {
    seed.is_multiple_of(2)
}

/// The text of a program's classes, which the device code may have, and the text of its plain model.
pub(crate) fn write(seed: u64, is_for_device: bool) -> (String, String) {
    let mut random = Generator::new(seed ^ 0x11fe);
    let is_simple = is_simple(seed);
    let classes: Vec<Class> = (0..3).map(|n| class(&mut random, n, is_simple)).collect();
    let mut ikra = format!(
        "pub mod classes_{seed} {{\nuse ikra::prelude::*;\nuse ikra::Groups;\n/// The keys of groups.\npub const GROUPS: u32 = 7;\n"
    );
    let mut plain = format!("pub mod plain {{\nuse super::model::GROUPS;\n{}", include_str!("lives.txt"));
    let (mut cases, mut dumps, mut adds) = (String::new(), String::new(), String::new());
    for (n, class) in classes.iter().enumerate() {
        declare(n, class, &mut ikra, &mut plain);
        let (dump, add) = harness(n, class);
        dumps.push_str(&dump);
        adds.push_str(&add);
    }
    for class in 0..3 {
        let (name, mut one, mut two) = (NAMES[class], String::new(), String::new());
        let mut body = Body {
            random: &mut random,
            classes: &classes,
            class,
            hidden: Vec::new(),
            young: Vec::new(),
            groups: None,
            names: 0,
        };
        let (key, order, is) = (body.number(2), body.number(2), body.condition(3));
        for text in [
            format!("pub fn key(&self, x: u32, y: u32) -> u32 {{ ({key}) % GROUPS }}\n"),
            format!("pub fn order(&self, x: u32, y: u32) -> u32 {{ ({order}) % 50 }}\n"),
            format!("pub fn is(&self, x: u32, y: u32) -> bool {{ {is} }}\n"),
            "pub fn leave(&mut self) { self.remove(); }\n".to_owned(),
            "pub fn stay(&self) {}\n".to_owned(),
        ] {
            let _ = write!(one, "#[kernel]\n{text}");
            two.push_str(&text);
        }
        for n in 0..KERNELS {
            let kernel_name = format!("k{n}");
            let kernel = kernel(&mut random, &classes, class, &kernel_name);
            let _ = write!(one, "{}\n{}", kernel.attribute, kernel.text);
            two.push_str(&kernel.text);
            cases.push_str(&step(class, &kernel_name, &kernel, 0));
            cases.push_str(&step(class, &kernel_name, &kernel, 1 + random.below(2)));
        }
        let _ = write!(ikra, "#[soa_methods]\nimpl {name} {{\n{one}}}\n");
        let _ = write!(plain, "impl {name} {{\n{two}}}\n");
    }
    ikra.push_str("#[soa_world]\npub struct World { pub ashes: Objects<Ash>, pub bats: Objects<Bat>, pub cods: Objects<Cod> }\n}\n");
    plain.push_str("}\n");
    let run = include_str!("lives_run.txt");
    let run = run.replace("@CASES", &cases).replace("@DUMPS", &dumps).replace("@ADDS", &adds);
    let run = run.replace("@SIMPLE", &is_simple.to_string()).replace("@DEVICE", &is_for_device.to_string());
    let home = if is_for_device { "crate::random" } else { "crate" };
    let names = format!("use {home}::classes_{seed} as model;\nuse crate::{{Lively, Ran, mix}};\n");
    (ikra, format!("pub mod lives_{seed} {{\n{names}{plain}{run}}}\n"))
}
