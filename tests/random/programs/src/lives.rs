//! A random program whose objects come and go: births, deaths, selections, groups, sorting and compaction, with links
//! among and across classes. Its plain model has the same text.

use std::fmt::Write as _;

use crate::classes::{NAMES, OBJECTS};
use crate::generator::Generator;

/// Kernels per class.
const KERNELS: usize = 5;

/// A field. Each names the class that it links to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Number,
    Maybe(usize),
    Pack(usize, bool),
    Array(usize, usize),
    /// A link that cannot be empty: the object goes with its target.
    Cascade(usize),
}

struct Field {
    name: String,
    kind: Kind,
}

struct Class {
    options: String,
    compact: Option<&'static str>,
    fields: Vec<Field>,
}

impl Class {
    fn of_kind(&self, is: impl Fn(Kind) -> bool) -> Vec<&Field> {
        self.fields.iter().filter(|field| is(field.kind)).collect()
    }
}

fn class(random: &mut Generator, n: usize) -> Class {
    let mut options = vec![(*random.pick(&["", "layout = \"aos\"", "layout = \"tiles\"", ""])).to_owned()];
    let compact = *random.pick(&[None, Some("1.0"), Some("0.5"), Some("0.8")]);
    options.extend(compact.map(|ratio| format!("compact = {ratio}")));
    options.retain(|option| !option.is_empty());
    let mut kinds = vec![Kind::Number; 3];
    kinds.extend((0..1 + random.below(3)).map(|_| Kind::Maybe(random.below(3))));
    if random.percent(60) {
        kinds.push(Kind::Pack(random.below(3), random.percent(50)));
    }
    if random.percent(60) {
        kinds.push(Kind::Array(random.below(3), random.below(4)));
    }
    if n > 0 && random.percent(50) {
        kinds.push(Kind::Cascade(random.below(n)));
    }
    let field = |(n, kind)| Field { name: format!("f{n}"), kind };
    let options = if options.is_empty() { String::new() } else { format!("({})", options.join(", ")) };
    Class { options, compact, fields: kinds.into_iter().enumerate().map(field).collect() }
}

/// The parts of a method's text.
struct Body<'a> {
    random: &'a mut Generator,
    classes: &'a [Class],
    class: usize,
    /// Own fields that the kernel writes, and does not read from others.
    hidden: Vec<String>,
    /// Links to new objects: name and class.
    young: Vec<(String, usize)>,
    /// The class whose groups the kernel gets.
    groups: Option<usize>,
    names: usize,
}

impl Body<'_> {
    fn fresh(&mut self, start: &str) -> String {
        self.names += 1;
        format!("{start}{}", self.names)
    }

    fn own(&mut self, is: impl Fn(Kind) -> bool) -> Option<(String, Kind)> {
        let fields = self.classes[self.class].of_kind(is);
        if fields.is_empty() {
            return None;
        }
        let field = self.random.pick(&fields);
        Some((field.name.clone(), field.kind))
    }

    /// A field of other objects of a class.
    fn other(&mut self, class: usize, is: impl Fn(Kind) -> bool) -> Option<(String, Kind)> {
        let mut fields = self.classes[class].of_kind(is);
        fields.retain(|field| class != self.class || !self.hidden.contains(&field.name));
        if fields.is_empty() {
            return None;
        }
        let field = self.random.pick(&fields);
        Some((field.name.clone(), field.kind))
    }

    /// A number of another object, `o`.
    fn of_other(&mut self, class: usize) -> String {
        match self.other(class, |kind| matches!(kind, Kind::Number | Kind::Pack(..))) {
            Some((name, Kind::Number)) => format!("o.{name}()"),
            Some((name, _)) => format!("o.{name}().weight"),
            None => "o.link().id()".to_owned(),
        }
    }

    fn number(&mut self, depth: usize) -> String {
        let d = depth.saturating_sub(1);
        match self.random.below(if depth == 0 { 4 } else { 12 }) {
            0 => format!("{}u32", self.random.below(1000)),
            1 => (*self.random.pick(&["x", "y"])).to_owned(),
            2 => "self.link().id()".to_owned(),
            3 => format!("self.f{}", self.random.below(3)),
            4 | 5 => {
                let operation = *self.random.pick(&["add", "sub", "mul"]);
                format!("({}).wrapping_{operation}({})", self.number(d), self.number(d))
            }
            6 => format!("({} ^ {})", self.number(d), self.number(d)),
            7 => {
                let Some((name, Kind::Maybe(class))) = self.own(|kind| matches!(kind, Kind::Maybe(_))) else {
                    return self.number(d);
                };
                format!("self.{name}.map_or({}, |o| {})", self.number(0), self.of_other(class))
            }
            8 => match self.own(|kind| matches!(kind, Kind::Pack(..))) {
                Some((name, Kind::Pack(class, _))) => {
                    format!(
                        "self.{name}.to.map_or(self.{name}.weight, |to| {{ let o = self.resolve(to); {} }})",
                        self.of_other(class)
                    )
                }
                _ => self.number(d),
            },
            9 => match self.own(|kind| matches!(kind, Kind::Array(..) | Kind::Cascade(_))) {
                Some((name, Kind::Array(class, _))) => {
                    format!(
                        "self.{name}.iter().map(|o| {}).fold(5u32, |a, b| a.rotate_left(3) ^ b)",
                        self.of_other(class)
                    )
                }
                Some((name, Kind::Cascade(class))) => format!("{{ let o = self.{name}; {} }}", self.of_other(class)),
                _ => self.number(d),
            },
            10 => match self.groups {
                Some(class) => {
                    let key = self.number(d);
                    format!(
                        "near.of({key} % GROUPS).map(|o| {}).fold(3u32, |a, b| a.rotate_left(5) ^ b)",
                        self.of_other(class)
                    )
                }
                None => self.number(d),
            },
            _ => {
                let (class, links) = (self.class, |kind| matches!(kind, Kind::Maybe(_)));
                match (self.own(links), self.other(class, links)) {
                    (Some((name, Kind::Maybe(of))), Some((next, Kind::Maybe(class)))) if of == self.class => format!(
                        "self.{name}.and_then(|o| o.{next}()).map_or({}, |o| {})",
                        self.number(0),
                        self.of_other(class)
                    ),
                    _ => self.number(d),
                }
            }
        }
    }

    fn condition(&mut self, of: usize) -> String {
        let rest = self.random.below(of);
        format!("({} ^ self.link().id().wrapping_mul(2654435761) >> 8) % {of} == {rest}", self.number(2))
    }

    /// An expression for a link to an object that exists when the kernel ends.
    fn link(&mut self, class: usize) -> Option<String> {
        let young: Vec<_> = self.young.iter().filter(|young| young.1 == class).map(|young| young.0.clone()).collect();
        if !young.is_empty() && self.random.percent(60) {
            return Some(self.random.pick(&young).clone());
        }
        match self.own(|kind| kind == Kind::Cascade(class)) {
            Some((name, _)) if class != self.class || self.random.percent(30) => Some(format!("self.{name}.link()")),
            _ => (class == self.class).then(|| "self.link()".to_owned()),
        }
    }

    fn maybe_link(&mut self, class: usize) -> String {
        if self.random.percent(50)
            && let Some(link) = self.link(class)
        {
            return format!("Some({link})");
        }
        match self.own(|kind| kind == Kind::Maybe(class)) {
            Some((name, _)) => format!("self.{name}.map(|o| o.link())"),
            None => "None".to_owned(),
        }
    }

    /// Makes an object, and stores links to it.
    fn birth(&mut self, class: usize, written: &[String]) -> String {
        let mut arguments = Vec::new();
        let classes = self.classes;
        for field in &classes[class].fields {
            arguments.push(match field.kind {
                Kind::Number => self.number(1),
                Kind::Maybe(to) => self.maybe_link(to),
                Kind::Pack(to, _) => {
                    format!("{}Pack {{ weight: {}, to: {} }}", NAMES[to], self.number(1), self.maybe_link(to))
                }
                Kind::Array(to, _) => {
                    let links: Vec<_> = (0..self.random.below(4)).filter_map(|_| self.link(to)).collect();
                    format!("&[{}]", links.join(", "))
                }
                Kind::Cascade(to) => match self.link(to) {
                    Some(link) => link,
                    None => return String::new(),
                },
            });
        }
        let name = self.fresh("young");
        let mut text = format!(
            "let {name} = {}.push(new_{}({}));\n",
            OBJECTS[class],
            NAMES[class].to_lowercase(),
            arguments.join(", ")
        );
        self.young.push((name.clone(), class));
        let own = &classes[self.class];
        let places = own.of_kind(|kind| kind == Kind::Maybe(class));
        if let Some(field) = places.iter().find(|field| written.contains(&field.name))
            && self.random.percent(70)
        {
            let module = NAMES[self.class].to_lowercase();
            let _ = writeln!(text, "self.set_at_end({module}::{}, Some({name}));", field.name);
        }
        text
    }

    /// Changes a field.
    fn change(&mut self, field: &Field) -> String {
        let name = &field.name;
        match field.kind {
            Kind::Number if self.random.percent(50) => format!("self.{name} ^= {};\n", self.number(2)),
            Kind::Number => format!("self.{name} = {};\n", self.number(3)),
            Kind::Maybe(class) => match self.random.below(3) {
                0 => format!("if {} {{ self.{name} = None; }}\n", self.condition(3)),
                1 => format!("self.{name} = self.{name}.filter(|o| {} % 3 != 0);\n", self.of_other(class)),
                _ => match self.own(|kind| kind == Kind::Maybe(class)) {
                    Some((other, _)) => format!("if {} {{ self.{name} = self.{other}; }}\n", self.condition(2)),
                    None => String::new(),
                },
            },
            Kind::Pack(class, _) => {
                let to = match self.own(|kind| kind == Kind::Maybe(class)) {
                    Some((other, _)) => format!("self.{other}.map(|o| o.link())"),
                    None => "None".to_owned(),
                };
                format!("self.{name} = {}Pack {{ weight: {}, to: {to} }};\n", NAMES[class], self.number(2))
            }
            Kind::Array(..) | Kind::Cascade(_) => String::new(),
        }
    }
}

/// A kernel: attribute, text, classes that it makes objects of, the class whose groups it gets.
struct Kernel {
    attribute: String,
    text: String,
    makes: Vec<usize>,
    groups: Option<usize>,
}

fn kernel(random: &mut Generator, classes: &[Class], class: usize, name: &str) -> Kernel {
    let own = &classes[class];
    let changed: Vec<&Field> = own
        .of_kind(|kind| !matches!(kind, Kind::Array(..) | Kind::Cascade(_)))
        .into_iter()
        .filter(|_| random.percent(50))
        .collect();
    // Late stores go to fields that nothing else in the kernel touches as a snapshot.
    let (snapshots, hidden): (Vec<&Field>, Vec<&Field>) = changed.iter().partition(|_| random.percent(40));
    let names = |fields: &[&Field]| fields.iter().map(|field| field.name.clone()).collect::<Vec<_>>();
    let makes: Vec<usize> = (0..3).filter(|_| random.percent(45)).collect();
    let removes = random.percent(60);
    let groups = random.percent(30).then(|| random.below(3));
    let mut options = Vec::new();
    if random.percent(20) {
        options.push("heavy".to_owned());
    }
    if !snapshots.is_empty() {
        options.push(format!("snapshot({})", names(&snapshots).join(", ")));
    }
    let late = names(&hidden);
    let mut body = Body { random, classes, class, hidden: names(&hidden), young: Vec::new(), groups, names: 0 };
    let mut text = String::new();
    for field in &changed {
        text.push_str(&body.change(field));
        // The kernel writes the field for certain.
        if field.kind == Kind::Number {
            let _ = writeln!(text, "self.{} = self.{0}.wrapping_add(1);", field.name);
        }
    }
    if !makes.is_empty() {
        let condition = body.condition(4);
        let _ = writeln!(text, "if {condition} {{");
        let (wanted, mut tries) = (1 + body.random.below(3), 0);
        while body.young.len() < wanted && tries < 9 {
            let made = *body.random.pick(&makes);
            let birth = body.birth(made, &late);
            text.push_str(&birth);
            tries += 1;
        }
        text.push_str("}\n");
        body.young.clear();
    }
    if removes {
        let condition = body.condition(5);
        let _ = writeln!(text, "if {condition} {{ self.remove(); }}");
    }
    if let Some((name, _)) = body.own(|kind| kind == Kind::Number)
        && changed.iter().any(|field| field.name == name)
    {
        let _ = writeln!(text, "self.{name} = {};", body.number(2));
    }
    let mut parameters = "&mut self, x: u32, y: u32".to_owned();
    if let Some(class) = groups {
        let _ = write!(parameters, ", near: Groups<{}>", NAMES[class]);
    }
    for &made in &makes {
        let _ = write!(parameters, ", {}: Spawn<{}>", OBJECTS[made], NAMES[made]);
    }
    let attribute =
        if options.is_empty() { "#[kernel]".to_owned() } else { format!("#[kernel({})]", options.join(", ")) };
    Kernel { attribute, text: format!("pub fn {name}({parameters}) {{\n{text}}}\n"), makes, groups }
}

/// The call of a kernel in the program and in the model, as a step.
fn step(class: usize, name: &str, kernel: &Kernel, over: usize) -> String {
    let (of, objects) = (NAMES[class], OBJECTS[class]);
    let (mut near, mut given, mut twin) = (String::new(), "x, y".to_owned(), "x, y".to_owned());
    if let Some(other) = kernel.groups {
        let other = NAMES[other];
        near = format!(
            "let near = world.group_by({other}::key, plain::GROUPS, (x, y))?; twin.freeze(); let twins_near = plain::Groups::by(twin, |row: &plain::{other}| row.key(x, y));"
        );
        given.push_str(", &near");
        twin.push_str(", twins_near");
    }
    kernel.makes.iter().for_each(|_| twin.push_str(", plain::Spawn::new()"));
    let live = format!("let chosen = twin.live::<plain::{of}>();");
    let (over, chosen, run) = match over {
        0 => ("all", live, format!("world.on(Place::Host).execute({of}::{name}, ({given}))?;")),
        1 => (
            "a range",
            format!("{live} let range = part(chosen.len(), h); let chosen = chosen[range.clone()].to_vec();"),
            format!("world.on(Place::Host).over(range).execute({of}::{name}, ({given}))?;"),
        ),
        _ => (
            "a selection",
            format!("let (some, chosen) = selected!(world, twin, h, {of});"),
            format!("world.on(Place::Host).over(&some).execute({of}::{name}, ({given}))?;"),
        ),
    };
    format!(
        "(\"{of}::{name} for {over} of {objects}\", |world, twin, h| {{ let (x, y) = two(h); {near} {chosen} {run} twin.each::<plain::{of}>(&chosen, |row| row.{name}({twin})); Ok(()) }}),\n"
    )
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

/// The text of a program with its plain model.
pub(crate) fn write(seed: u64) -> String {
    let mut random = Generator::new(seed ^ 0x11fe);
    let classes: Vec<Class> = (0..3).map(|n| class(&mut random, n)).collect();
    let mut ikra = "pub mod model {\nuse ikra::prelude::*;\nuse ikra::Groups;\nuse super::plain::GROUPS;\n".to_owned();
    let mut plain = format!("pub mod plain {{\n{}", include_str!("lives.txt"));
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
    format!("pub mod lives_{seed} {{\nuse crate::{{Lively, mix}};\n{ikra}{plain}{run}}}\n")
}
