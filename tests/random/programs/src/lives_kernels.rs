//! The kernels of a program whose objects come and go, and its steps.

use std::fmt::Write as _;

use crate::classes::{NAMES, OBJECTS};
use crate::generator::Generator;
use crate::lives::{Class, Field, Kind};

/// The parts of a method's text.
pub(crate) struct Body<'a> {
    pub(crate) random: &'a mut Generator,
    pub(crate) classes: &'a [Class],
    pub(crate) class: usize,
    /// Own fields that the kernel writes, and does not read from others.
    pub(crate) hidden: Vec<String>,
    /// Links to new objects: name and class.
    pub(crate) young: Vec<(String, usize)>,
    /// The class whose groups the kernel gets.
    pub(crate) groups: Option<usize>,
    pub(crate) names: usize,
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

    pub(crate) fn number(&mut self, depth: usize) -> String {
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

    pub(crate) fn condition(&mut self, of: usize) -> String {
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
pub(crate) struct Kernel {
    pub(crate) attribute: String,
    pub(crate) text: String,
    pub(crate) makes: Vec<usize>,
    pub(crate) groups: Option<usize>,
}

pub(crate) fn kernel(random: &mut Generator, classes: &[Class], class: usize, name: &str) -> Kernel {
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
pub(crate) fn step(class: usize, name: &str, kernel: &Kernel, over: usize) -> String {
    let (of, objects) = (NAMES[class], OBJECTS[class]);
    let (mut near, mut given, mut twin) = (String::new(), "x, y".to_owned(), "x, y".to_owned());
    if let Some(other) = kernel.groups {
        let other = NAMES[other];
        near = format!(
            "let near = world.on(place).group_by({other}::key, model::GROUPS, (x, y))?; twin.freeze(); let twins_near = plain::Groups::by(twin, |row: &plain::{other}| row.key(x, y));"
        );
        given.push_str(", &near");
        twin.push_str(", twins_near");
    }
    kernel.makes.iter().for_each(|_| twin.push_str(", plain::Spawn::new()"));
    let live = format!("let chosen = twin.live::<plain::{of}>();");
    let (over, chosen, run) = match over {
        0 => ("all", live, format!("world.on(place).execute({of}::{name}, ({given}))?;")),
        1 => (
            "a range",
            format!("{live} let range = part(chosen.len(), h); let chosen = chosen[range.clone()].to_vec();"),
            format!("world.on(place).over(range).execute({of}::{name}, ({given}))?;"),
        ),
        _ => (
            "a selection",
            format!("let (some, chosen) = selected!(world, twin, h, place, {of});"),
            format!("world.on(place).over(&some).execute({of}::{name}, ({given}))?;"),
        ),
    };
    format!(
        "(\"{of}::{name} for {over} of {objects}\", |world, twin, h, place| {{ let (x, y) = two(h); {near} {chosen} {run} twin.each::<plain::{of}>(&chosen, |row| row.{name}({twin})); Ok(()) }}),\n"
    )
}
