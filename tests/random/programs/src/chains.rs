//! Random loops and chains over positions, arrays, links, and the objects of a class.

use crate::bodies::Loop;
use crate::classes::Scalar::{self, *};
use crate::classes::{COUNTS, INTEGERS, Kind, NAMES};
use crate::expressions::{Body, Type, Variable};

/// The source of a chain: its text, its element type, and whether it is reversible.
struct Source {
    text: String,
    element: Type,
    has_two_ends: bool,
}

/// The length of an array, if it is a constant.
fn len_of(kind: Kind) -> Option<usize> {
    match kind {
        Kind::Vector(_, len) => Some(len),
        Kind::Array(_, form) | Kind::Links(_, form) => form.len(),
        _ => None,
    }
}

impl Body<'_> {
    /// A position among objects, close or arbitrary, perhaps before the first or after the last.
    fn position(&mut self) -> String {
        let by = self.random.below(4);
        let place = match self.random.below(5) {
            0..=2 => "self.link().index()".to_owned(),
            3 => format!("({} as usize)", self.number(U8, 1)),
            _ => format!("({} as usize)", self.number(U16, 1)),
        };
        format!("{place}.wrapping_{}({by})", self.random.pick(&["add", "sub"]))
    }

    /// The object of a class at a position, if there is one.
    pub(crate) fn at_position(&mut self, class: usize) -> String {
        format!("self.all::<{}>().get({})", NAMES[class], self.position())
    }

    /// A loop over positions in arrays.
    pub(crate) fn over_places(&mut self, depth: usize) -> String {
        let is_long = |kind: Kind| len_of(kind).is_some_and(|len| len > 1);
        let place = self.place(|kind| is_long(kind) && !matches!(kind, Kind::Links(..)));
        let local = self.variable(|one| matches!(one.ty, Type::Array(_, len) if len > 1) && one.is_mutable);
        let (len, store) = match (place, local) {
            (Some((n, name, Kind::Vector(ty, len))), _) => (len, Some((Some(n), format!("self.{name}"), ty))),
            (Some((n, name, Kind::Array(ty, form))), _) => {
                (form.len().unwrap_or(2), Some((Some(n), format!("self.{name}"), ty)))
            }
            (_, Some(Variable { name, ty: Type::Array(ty, len), .. })) => (len, Some((None, name, ty))),
            _ => (3, None),
        };
        let (j, other, counter) = (self.fresh("j"), self.fresh("j"), self.fresh("u"));
        let Loop { start, before } = self.enter();
        let (first, head, last) = match self.random.below(7) {
            0 => (String::new(), format!("for {j} in (0..{len}usize).rev() {{"), ""),
            1 => (String::new(), format!("for {j} in 1..{len}usize {{ let {other} = {j} - 1;"), ""),
            2 => (String::new(), format!("for {j} in 0..{len}usize - 1 {{ let {other} = {j} + 1;"), ""),
            3 => (String::new(), format!("for {j} in (0..{len}usize).step_by(2) {{"), ""),
            // It starts before the first element.
            4 => (
                format!("{{ let mut {counter} = 0u32.wrapping_sub(1); "),
                format!("for _ in 0..{len} {{ {counter} = {counter}.wrapping_add(1); let {j} = {counter} as usize;"),
                " }",
            ),
            5 => (
                format!("{{ let mut {counter} = {len}u32; "),
                format!("while {counter} != 0 {{ {counter} -= 1; let {j} = {counter} as usize;"),
                " }",
            ),
            _ => (String::new(), format!("for {j} in 0..{len}usize {{"), ""),
        };
        self.push(&j, Type::Place(len), false);
        if head.contains("let j") && head.contains(&other) {
            self.push(&other, Type::Place(len), false);
        }
        let body = if self.random.percent(60) { self.inner(depth) } else { String::new() };
        let store = store.map(|(n, array, ty)| {
            self.written.extend(n);
            self.update(&format!("{array}[{j}]"), ty)
        });
        let end = self.end_of_turn(depth);
        self.leave(before);
        format!("{first}{start}{head}\n{body}{}\n{end}}}{last}", store.unwrap_or_default())
    }

    /// A loop over an array of varying length, by position.
    pub(crate) fn over_varying(&mut self, depth: usize) -> String {
        let found = self.place(|kind| matches!(kind, Kind::Array(_, form) if form.len().is_none()));
        let Some((n, name, Kind::Array(ty, _))) = found else { return self.over_places(depth) };
        let (j, x) = (self.fresh("j"), self.fresh("x"));
        let Loop { start, before } = self.enter();
        let range = match self.random.below(4) {
            0 => format!("(0..self.{name}.len()).rev()"),
            1 => format!("1..self.{name}.len()"),
            _ => format!("0..self.{name}.len()"),
        };
        self.push(&j, Type::Place(usize::MAX), false);
        self.push(&x, Type::Number(ty), true);
        let body = self.inner(depth);
        self.written.insert(n);
        let store = self.update(&format!("self.{name}[{j}]"), ty);
        self.leave(before);
        format!("{start}for {j} in {range} {{ let mut {x}: {} = self.{name}.get({j});\n{body}{store} }}", ty.name())
    }

    /// A loop over neighbouring objects.
    pub(crate) fn over_neighbours(&mut self, depth: usize) -> String {
        let class = self.random.below(3);
        let all = format!("self.all::<{}>()", NAMES[class]);
        let (a, i, n) = (self.fresh("a"), self.fresh("i"), self.fresh("n"));
        let position = self.position();
        let from = self.random.below(COUNTS[class]);
        let turns = 1 + self.random.below(7);
        let Loop { start, before } = self.enter();
        let (first, head, last) = match self.random.below(7) {
            0 => (
                format!("{{ let {n} = {all}.len(); let {i} = {position}.min({n}); "),
                format!("for {a} in {all}.range({i}.saturating_sub(2)..({i} + 3).min({n})) {{"),
                " }",
            ),
            1 => (String::new(), format!("for {a} in {all}.take({turns}) {{"), ""),
            2 => (
                format!("{{ let {i} = {position} & 0xffff; "),
                format!(
                    "for {n} in ({i}.saturating_sub(3)..{i} + 2).rev() {{ let Some({a}) = {all}.get({n}) else {{ continue }};"
                ),
                " }",
            ),
            3 => (
                format!("{{ let mut {n} = ({position} as u32).wrapping_sub(1); "),
                format!(
                    "for _ in 0..{turns} {{ {n} = {n}.wrapping_add({}); let Some({a}) = {all}.get({n} as usize) else {{ continue }};",
                    1 + self.random.below(2)
                ),
                " }",
            ),
            4 => (
                format!("{{ let mut {i} = {all}.range({from}..); let mut {n} = 0u32; "),
                format!("while let Some({a}) = {i}.next() {{ {n} += 1; if {n} > {turns} {{ break; }}"),
                " }",
            ),
            5 => (
                // It starts before the first object.
                format!("{{ let mut {n} = u32::MAX; "),
                format!(
                    "for _ in 0..{turns} {{ {n} = {n}.wrapping_add(1); let {a} = {all}.get({n} as usize).unwrap();"
                ),
                " }",
            ),
            _ => {
                self.push(&i, Type::Place(COUNTS[class] - from), false);
                let head = format!(
                    "for ({i}, {a}) in {all}.range({from}..{}).enumerate().step_by(3).take({turns}) {{",
                    COUNTS[class]
                );
                (String::new(), head, "")
            }
        };
        self.push(&a, Type::Ref(class), false);
        let (body, end) = (self.inner(depth), self.end_of_turn(depth));
        self.leave(before);
        format!("{first}{start}{head}\n{body}{end}}}{last}")
    }

    /// A source for a chain.
    fn source(&mut self, d: usize) -> Option<Source> {
        let accept = |kind| matches!(kind, Kind::Array(scalar, _) if scalar != Bool);
        let array = |text: String, kind: Kind| match kind {
            Kind::Array(scalar, _) => Some(Source { text, element: Type::Number(scalar), has_two_ends: true }),
            Kind::Links(class, _) => Some(Source { text, element: Type::Ref(class), has_two_ends: true }),
            Kind::Edges(class, _) => Some(Source { text, element: Type::Edge(class), has_two_ends: true }),
            _ => None,
        };
        match self.random.below(6) {
            0 => {
                let text = format!("(0..{}u32)", self.random.below(6));
                Some(Source { text, element: Type::Number(U32), has_two_ends: true })
            }
            1 => {
                let (_, name, kind) = self.own(accept)?;
                let range = if self.random.percent(20) {
                    format!("range(1.min(self.{name}.len())..)")
                } else {
                    "iter()".into()
                };
                array(format!("self.{name}.{range}"), kind)
            }
            2 => {
                let (_, name, kind) = self.own(|kind| matches!(kind, Kind::Links(..) | Kind::Edges(..)))?;
                array(format!("self.{name}.iter()"), kind)
            }
            3 => {
                let class = self.random.below(3);
                let from = self.random.below(COUNTS[class]);
                let to = (from + self.random.below(20)).min(COUNTS[class]);
                let text = format!("self.all::<{}>().range({from}..{to})", NAMES[class]);
                Some(Source { text, element: Type::Ref(class), has_two_ends: false })
            }
            _ => {
                let class = self.random.below(3);
                let at = self.reference(class, d);
                let (name, kind) =
                    self.other(class, |kind| accept(kind) || matches!(kind, Kind::Links(..) | Kind::Edges(..)))?;
                array(format!("{at}.{name}().iter()"), kind)
            }
        }
    }

    /// Writes code with an additional variable.
    fn with<R>(&mut self, name: &str, ty: Type, write: impl FnOnce(&mut Self) -> R) -> R {
        self.push(name, ty, false);
        let written = write(self);
        self.variables.pop();
        written
    }

    /// A chain of iterators whose result is a number.
    pub(crate) fn of_iterators(&mut self, ty: Scalar, d: usize) -> String {
        let Some(Source { text, element, has_two_ends }) = self.source(d) else { return self.number(ty, 0) };
        let (x, acc) = (self.fresh("x"), self.fresh("acc"));
        let links: &[&str] = if has_two_ends {
            &["", "", "", ".rev()", ".take(2)", ".skip(1)", ".step_by(2)", ".chain(None)"]
        } else {
            &["", "", ".take(4)", ".skip(1)", ".step_by(2)"]
        };
        let mut chain = format!("{text}{}", self.random.pick(links));
        if self.random.percent(30) {
            let c = self.with(&x, element, |body| body.condition(d.min(1)));
            let link = *self.random.pick(&["filter", "take_while", "skip_while"]);
            chain = format!("{chain}.{link}(|&{x}| {c})");
        }
        let name = ty.name();
        if ty == Bool {
            let c = self.with(&x, element, |body| body.condition(d.min(1)));
            return format!("{chain}.{}(|{x}| {c})", self.random.pick(&["any", "all"]));
        }
        let start = self.number(ty, 0);
        match self.random.below(11) {
            0 | 1 => {
                let Some(other) = self.source(d.min(1)) else { return start };
                let y = self.fresh("y");
                let step = self.with(&x, element, |body| {
                    body.with(&y, other.element, |body| body.with(&acc, Type::Number(ty), |body| body.operation(ty, d)))
                });
                format!("{chain}.zip({}).fold({start}, |{acc}: {name}, ({x}, {y})| {step})", other.text)
            }
            2 => {
                let k = self.fresh("k");
                let step = self.with(&x, element, |body| {
                    body.with(&k, Type::Place(usize::MAX), |body| {
                        body.with(&acc, Type::Number(ty), |body| body.operation(ty, d))
                    })
                });
                format!("{chain}.enumerate().fold({start}, |{acc}: {name}, ({k}, {x})| {step})")
            }
            3 | 4 => {
                let key = *self.random.pick(INTEGERS);
                let key = self.with(&x, element, |body| body.number(key, d.min(1)));
                let value = self.with(&x, element, |body| body.number(ty, d));
                let which = *self.random.pick(&["min_by_key", "max_by_key"]);
                format!("{chain}.{which}(|&{x}| {key}).map_or({start}, |{x}| {value})")
            }
            5 if !ty.is_float() => {
                let value = self.with(&x, element, |body| body.number(ty, d));
                format!("{chain}.map(|{x}| {value}).{}().unwrap_or({start})", self.random.pick(&["min", "max"]))
            }
            6 => {
                let c = self.with(&x, element, |body| body.condition(d.min(1)));
                format!("({chain}.filter(|&{x}| {c}).count() as {name})")
            }
            7 => {
                let value = self.with(&x, element, |body| body.number(U32, d));
                format!("({chain}.map(|{x}| {value} & 0xfff).sum::<u32>() as {name})")
            }
            8 => {
                let (c, value) = self.with(&x, element, |body| (body.condition(d.min(1)), body.number(ty, d)));
                let end = if has_two_ends && chain == text && self.random.percent(30) { "rev()." } else { "" };
                match self.random.below(3) {
                    0 => format!("{chain}.{end}find_map(|{x}| ({c}).then(|| {value})).unwrap_or({start})"),
                    1 => format!("{chain}.{end}find(|&{x}| {c}).map_or({start}, |{x}| {value})"),
                    _ => format!("{chain}.position(|{x}| {c}).map_or({start}, |k| k as {name})"),
                }
            }
            9 => {
                let value = self.with(&x, element, |body| body.number(ty, d));
                let which = match self.random.below(3) {
                    0 => "last()".to_owned(),
                    1 => format!("nth({})", self.random.below(4)),
                    _ => "next()".to_owned(),
                };
                format!("{chain}.{which}.map_or({start}, |{x}| {value})")
            }
            _ => {
                let step =
                    self.with(&x, element, |body| body.with(&acc, Type::Number(ty), |body| body.operation(ty, d)));
                format!("{chain}.fold({start}, |{acc}: {name}, {x}| {step})")
            }
        }
    }
}
