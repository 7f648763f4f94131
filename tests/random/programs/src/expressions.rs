//! Random expressions; their text is used by both the program and its plain model.

use std::collections::BTreeSet;

use crate::classes::Scalar::{self, *};
use crate::classes::{COUNTS, Class, Form, INTEGERS, Kind, NAMES, SCALARS};
use crate::generator::Generator;

/// The type of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Number(Scalar),
    Pack,
    Array(Scalar, usize),
    Ref(usize),
    Maybe(usize),
    Actor,
    /// A `usize` below a number.
    Place(usize),
    Edge(usize),
}

#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) is_mutable: bool,
}

/// The operation of a kernel on an atomic field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Load,
    Add,
    Min,
    Max,
    Or,
    And,
    /// Any operation on the own object.
    Own,
}

/// A method's body while it is being written.
pub(crate) struct Body<'c> {
    pub(crate) random: &'c mut Generator,
    pub(crate) classes: &'c [Class],
    pub(crate) class: usize,
    /// The fields that may be read from other objects, and whether every own field may be read.
    pub(crate) readable: Vec<BTreeSet<usize>>,
    pub(crate) own: BTreeSet<usize>,
    /// The fields that may be written, and the fields that were.
    pub(crate) writable: BTreeSet<usize>,
    pub(crate) written: BTreeSet<usize>,
    pub(crate) atomics: Vec<Vec<Operation>>,
    /// Whether it is a kernel, which may use atomic fields, and `self` in forms that need `writes(…)`; and whether it
    /// uses them.
    pub(crate) is_kernel: bool,
    pub(crate) is_whole: bool,
    /// Whether methods of other objects may be called.
    pub(crate) calls: bool,
    /// Fields that are lent.
    pub(crate) lent: Vec<usize>,
    /// The number of whole objects that are lent.
    pub(crate) self_is_lent: usize,
    pub(crate) variables: Vec<Variable>,
    pub(crate) loops: Vec<Option<String>>,
    pub(crate) names: usize,
    pub(crate) room: isize,
    /// The text of a `return`.
    pub(crate) early: Option<&'static str>,
    pub(crate) is_option: bool,
}

impl Body<'_> {
    pub(crate) fn fresh(&mut self, start: &str) -> String {
        self.names += 1;
        format!("{start}{}", self.names)
    }

    pub(crate) fn variable(&mut self, accept: impl Fn(&Variable) -> bool) -> Option<Variable> {
        // A shadowed name refers to another variable.
        let seen = |n: usize| !self.variables[n + 1..].iter().any(|later| later.name == self.variables[n].name);
        let found: Vec<usize> = (0..self.variables.len()).filter(|&n| accept(&self.variables[n]) && seen(n)).collect();
        if found.is_empty() {
            return None;
        }
        let n = *self.random.pick(&found);
        Some(self.variables[n].clone())
    }

    /// A readable own field.
    pub(crate) fn own(&mut self, accept: impl Fn(Kind) -> bool) -> Option<(usize, String, Kind)> {
        let fields = &self.classes[self.class].fields;
        let can = |n: &usize| self.own.contains(n) && !self.lent.contains(n) && accept(fields[*n].kind);
        let found: Vec<usize> = (0..fields.len()).filter(can).collect();
        if found.is_empty() {
            return None;
        }
        let n = *self.random.pick(&found);
        Some((n, fields[n].name.clone(), fields[n].kind))
    }

    pub(crate) fn other(&mut self, class: usize, accept: impl Fn(Kind) -> bool) -> Option<(String, Kind)> {
        let fields = &self.classes[class].fields;
        let can = |n: &usize| self.readable[class].contains(n) && accept(fields[*n].kind);
        let found: Vec<usize> = (0..fields.len()).filter(can).collect();
        if found.is_empty() {
            return None;
        }
        let n = *self.random.pick(&found);
        Some((fields[n].name.clone(), fields[n].kind))
    }

    pub(crate) fn literal(&mut self, ty: Scalar) -> String {
        let n = match self.random.below(4) {
            0 => 0,
            1 => 1,
            _ => self.random.below(120),
        };
        match ty {
            Bool => (n % 2 == 0).to_string(),
            F32 | F64 => {
                let sign = if self.random.percent(30) { "-" } else { "" };
                format!("({sign}{n}.{}{})", [0, 5, 25][n % 3], ty.name())
            }
            _ if ty.is_signed() && self.random.percent(30) => format!("(-{n}{})", ty.name()),
            U32 | I32 if self.random.percent(15) => format!("0x{:x}{}", self.random.below(0x7fff_ffff), ty.name()),
            U64 | I64 if self.random.percent(15) => format!("0x{:x}{}", self.random.next() >> 1, ty.name()),
            _ => format!("{n}{}", ty.name()),
        }
    }

    /// An index below a length.
    pub(crate) fn index(&mut self, len: usize, depth: usize) -> String {
        if self.random.percent(60)
            && let Some(Variable { name, ty: Type::Place(below), .. }) =
                self.variable(|one| matches!(one.ty, Type::Place(below) if below <= len))
        {
            return match self.random.below(6) {
                0 => format!("({below} - 1 - {name})"),
                1 => format!("(({name} + {}) % {len})", 1 + self.random.below(3)),
                _ => name,
            };
        }
        if self.random.percent(30) {
            return self.random.below(len).to_string();
        }
        let ty = *self.random.pick(&[U8, U32, U16, U64]);
        format!("({} as usize % {len})", self.number(ty, depth))
    }

    /// An expression of a scalar type.
    pub(crate) fn number(&mut self, ty: Scalar, depth: usize) -> String {
        self.room -= 1;
        if depth == 0 || self.room < 0 {
            return self.leaf(ty);
        }
        let d = depth - 1;
        // As in ordinary Rust, no call with `self` is possible while a field is lent.
        if !self.lent.is_empty() {
            return self.operation(ty, d);
        }
        match self.random.below(30) {
            0..=4 => self.leaf(ty),
            5..=9 => self.operation(ty, d),
            10 => {
                let from = *self.random.pick(SCALARS);
                match (from, ty) {
                    (_, Bool) => self.condition(d),
                    (Bool, F32 | F64) => self.leaf(ty),
                    _ => format!("({} as {})", self.number(from, d), ty.name()),
                }
            }
            11 => format!("(if {} {{ {} }} else {{ {} }})", self.condition(d), self.number(ty, d), self.number(ty, d)),
            12 => self.choice(ty, d),
            13 => self.of_method(ty, d),
            14 | 15 => self.of_other(ty, d),
            16 => self.of_chain(ty, d),
            17 => self.of_array(ty, d),
            18 => {
                let label = self.fresh("'b");
                let (a, c, b) = (self.number(ty, d), self.condition(d), self.number(ty, d));
                format!("({label}: {{ if {c} {{ break {label} {a}; }} {b} }})")
            }
            19 => {
                let (value, x) = (self.number(ty, d), self.fresh("x"));
                self.variables.push(Variable { name: x.clone(), ty: Type::Number(ty), is_mutable: false });
                let result = self.number(ty, d);
                self.variables.pop();
                format!("(|{x}: {}| {result})({value})", ty.name())
            }
            20 => self.of_pack(ty, d),
            21 => self.of_actor(ty, d),
            22 => self.of_loop(ty, d),
            23 => self.of_maybe(ty, d),
            24..=26 => self.of_iterators(ty, d),
            27 => self.of_pair(ty, d),
            28 => self.of_table(ty, d),
            _ => self.of_two(ty, d),
        }
    }

    fn leaf(&mut self, ty: Scalar) -> String {
        if ty == U16
            && let Some(found) = self.variable(|one| matches!(one.ty, Type::Edge(_)))
        {
            return format!("{}.size", found.name);
        }
        if self.random.percent(45)
            && let Some(found) = self.variable(|one| one.ty == Type::Number(ty))
        {
            return found.name;
        }
        if self.random.percent(75)
            && let Some((_, name, _)) = self.own(|kind| kind == Kind::Number(ty))
        {
            return format!("self.{name}");
        }
        if ty.is_float() || ty == Bool || self.random.percent(50) {
            return self.literal(ty);
        }
        let is_number = |ty| matches!(ty, Type::Number(scalar) if scalar != Bool) || matches!(ty, Type::Place(_));
        let found = self.variable(|one| is_number(one.ty));
        found.map_or_else(|| self.literal(ty), |found| format!("({} as {})", found.name, ty.name()))
    }

    pub(crate) fn operation(&mut self, ty: Scalar, d: usize) -> String {
        let a = self.number(ty, d);
        let b = self.number(ty, d);
        match ty {
            Bool => {
                let sign = *self.random.pick(&["^", "&", "|", "&&", "||", "==", "!="]);
                format!("({a} {sign} {b})")
            }
            F32 | F64 => match self.random.below(7) {
                0 => format!("({a} * 0.5 - {b})"),
                1 => format!("({a} / ({b} + 3.0))"),
                2 => format!("(-{a}).abs()"),
                3 => format!("({a} * {b})"),
                4 => {
                    let function = *self.random.pick(&["abs().sqrt", "floor", "ceil", "trunc"]);
                    format!("({a} - ({b}).{function}())")
                }
                _ => format!("({a} + {b})"),
            },
            _ => match self.random.below(24) {
                0..=2 => format!("{a}.wrapping_add({b})"),
                3 | 4 => format!("{a}.wrapping_sub({b})"),
                5 | 6 => format!("{a}.wrapping_mul({b})"),
                7 | 8 => format!("({a} ^ {b})"),
                9 => format!("({a} & {b})"),
                10 => format!("({a} | {b})"),
                11 => format!("{a}.wrapping_div({b} | 1)"),
                12 => format!("{a}.wrapping_rem({b} | 1)"),
                13 => format!("{a}.wrapping_shl({b} as u32)"),
                14 => format!("{a}.{}()", self.random.pick(&["reverse_bits", "swap_bytes", "wrapping_neg"])),
                16 => format!(
                    "({a}.{}() as {})",
                    self.random.pick(&["count_ones", "leading_zeros", "trailing_zeros"]),
                    ty.name()
                ),
                17 => format!("{a}.rotate_left({b} as u32)"),
                18 => format!("{a}.wrapping_pow({b} as u32 % 5)"),
                19 => format!(
                    "{a}.{}({b}).unwrap_or({a})",
                    self.random.pick(&["checked_div", "checked_mul", "checked_rem"])
                ),
                20 if !ty.is_signed() => format!("{a}.abs_diff({b})"),
                21 => {
                    format!("({{ let (sum, over) = {a}.overflowing_sub({b}); if over {{ sum ^ 1 }} else {{ sum }} }})")
                }
                22 => format!("{a}.wrapping_shr({b} as u32)"),
                15 => format!("{a}.{}({b})", self.random.pick(&["min", "max", "saturating_sub"])),
                _ => format!("{a}.checked_add({b}).unwrap_or({})", self.literal(ty)),
            },
        }
    }

    pub(crate) fn condition(&mut self, depth: usize) -> String {
        self.room -= 1;
        if depth == 0 || self.room < 0 || !self.lent.is_empty() {
            let ty = *self.random.pick(INTEGERS);
            return format!("({} % 3 == 1)", self.bare(ty));
        }
        let d = depth - 1;
        match self.random.below(10) {
            0 => self.number(Bool, d),
            1 => format!("({} && {})", self.condition(d), self.condition(d)),
            2 => format!("({} || !({}))", self.condition(d), self.condition(d)),
            3 => {
                if let Some((_, name, _)) = self.own(|kind| matches!(kind, Kind::Maybe(_) | Kind::MaybeActor)) {
                    return format!("self.{name}.is_some()");
                }
                self.condition(0)
            }
            4 => {
                if let Some((_, name, _)) = self.own(|kind| kind == Kind::Enum) {
                    return format!("matches!(self.{name}, Mood::Calm | Mood::Wild)");
                }
                self.condition(0)
            }
            5 => {
                let class = self.random.below(3);
                let at = self.reference(class, d);
                format!("({at}.link().index() % 3 == 0)")
            }
            6 => {
                let ty = *self.random.pick(&[F32, F64]);
                format!("({} < {})", self.number(ty, d), self.number(ty, d))
            }
            _ => {
                let ty = *self.random.pick(INTEGERS);
                let sign = *self.random.pick(&["<", ">", "==", "!=", "<=", ">="]);
                format!("({} {sign} {})", self.bare_number(ty, d), self.bare_number(ty, d))
            }
        }
    }

    /// In parentheses, since `a as u8 < b` does not parse as a comparison.
    fn bare_number(&mut self, ty: Scalar, d: usize) -> String {
        format!("({})", self.number(ty, d))
    }
    fn bare(&mut self, ty: Scalar) -> String {
        format!("({})", self.leaf(ty))
    }

    fn choice(&mut self, ty: Scalar, d: usize) -> String {
        let (one, two, three, four) = (self.number(ty, d), self.number(ty, d), self.number(ty, d), self.number(ty, d));
        if let Some((_, name, _)) = self.own(|kind| kind == Kind::Enum)
            && self.random.percent(50)
        {
            let c = self.condition(d);
            return format!(
                "(match self.{name} {{ Mood::Calm => {one}, Mood::Wild if {c} => {two}, Mood::Odd | Mood::Wild => {three}, Mood::Last => {four} }})"
            );
        }
        let of = *self.random.pick(INTEGERS);
        let (c, value, n) = (self.condition(d), self.bare_number(of, d), self.fresh("n"));
        self.variables.push(Variable { name: n.clone(), ty: Type::Number(of), is_mutable: false });
        let five = self.number(ty, d);
        self.variables.pop();
        format!(
            "(match {value} {{ 0 | 3 => {one}, 1..=9 if {c} => {two}, 1 => {three}, {n} if {n} % 2 == 0 => {five}, _ => {four} }})"
        )
    }

    /// Combines two numbers.
    fn of_pair(&mut self, ty: Scalar, d: usize) -> String {
        let (a, b, c) = (self.bare_number(U32, d), self.bare_number(U8, d), self.condition(d.min(1)));
        let (one, two) = (self.number(ty, d), self.number(ty, d));
        let (n, m) = (self.fresh("n"), self.fresh("n"));
        self.variables.push(Variable { name: n.clone(), ty: Type::Number(U8), is_mutable: false });
        let three = self.number(ty, d);
        self.variables.pop();
        self.variables.push(Variable { name: m.clone(), ty: Type::Number(U32), is_mutable: false });
        let four = self.number(ty, d);
        self.variables.pop();
        format!(
            "(match ({a} % 3, {b}) {{ (0, {n}) if {c} => {three}, (1, 0 | 4) | (2, 0) => {one}, (_, {n} @ 1..=9) if {n} != 5 => {three}, (1 | 2, _) => {two}, ({m}, _) => {four} }})"
        )
    }

    /// Reads a table, or calls a function that is not a method.
    fn of_table(&mut self, ty: Scalar, d: usize) -> String {
        let value = match self.random.below(3) {
            0 => format!("TABLE[{}]", self.index(8, d)),
            1 => {
                let value = self.number(U32, d);
                format!("folded(&[{value}, {}, TABLE[1]])", self.number(U32, d))
            }
            _ => return format!("either({}, {}, {})", self.condition(d), self.number(ty, d), self.number(ty, d)),
        };
        match ty {
            U32 => value,
            Bool => format!("({value} % 2 == 0)"),
            _ => format!("({value} as {})", ty.name()),
        }
    }

    /// Uses two optional objects.
    fn of_two(&mut self, ty: Scalar, d: usize) -> String {
        let class = self.random.below(3);
        let (Some(one), Some(two)) = (self.maybe(class), self.maybe(class)) else { return self.leaf(ty) };
        let (default, c) = (self.number(ty, d), self.condition(d.min(1)));
        let (a, b) = (self.fresh("a"), self.fresh("a"));
        self.variables.push(Variable { name: a.clone(), ty: Type::Ref(class), is_mutable: false });
        let three = self.number(ty, d);
        self.variables.push(Variable { name: b.clone(), ty: Type::Ref(class), is_mutable: false });
        let four = self.number(ty, d);
        self.variables.truncate(self.variables.len() - 2);
        match self.random.below(3) {
            0 => {
                format!("(if let Some({a}) = {one} && let Some({b}) = {two} && {c} {{ {four} }} else {{ {default} }})")
            }
            1 => format!("{one}.or({two}).map_or({default}, |{a}| {three})"),
            _ => format!(
                "(match ({one}, {two}) {{ (Some({a}), Some({b})) if {c} => {four}, (Some({a}), _) | (None, Some({a})) => {three}, (None, None) => {default} }})"
            ),
        }
    }

    fn of_method(&mut self, ty: Scalar, d: usize) -> String {
        if !self.calls {
            return self.leaf(ty);
        }
        if ty != U32 {
            return if ty == Bool {
                self.condition(d)
            } else {
                format!("({} as {})", self.of_method(U32, d), ty.name())
            };
        }
        let class = self.random.below(3);
        let argument = self.number(U32, d);
        if self.random.percent(30) && self.self_is_lent == 0 && self.lent.is_empty() && self.own.len() > 5 {
            return format!("self.m0({argument})");
        }
        let at = self.reference(class, d);
        match self.random.below(4) {
            0 => format!("{at}.m1({argument})"),
            1 => format!("{at}.r0({argument} % 4, {})", self.number(U32, 0)),
            _ => format!("{at}.m0({argument})"),
        }
    }

    /// Reads a field of another object.
    fn of_other(&mut self, ty: Scalar, d: usize) -> String {
        let class = self.random.below(3);
        let at = self.reference(class, d);
        let accept = |kind| match kind {
            Kind::Number(scalar) | Kind::Vector(scalar, _) | Kind::Array(scalar, _) => scalar == ty,
            Kind::Value(_) => ty == U8 || ty == F32,
            Kind::Links(..) => ty == U32,
            _ => false,
        };
        let Some((name, kind)) = self.other(class, accept) else { return self.leaf(ty) };
        let other = format!("{at}.{name}()");
        match kind {
            Kind::Value(_) if ty == U8 => format!("{other}.small"),
            Kind::Value(_) => format!("{other}.wide"),
            Kind::Vector(_, len) => format!("{other}[{}]", self.index(len, d)),
            Kind::Array(_, form) => self.element(&other, form, ty, d),
            Kind::Links(..) => format!("({other}.len() as u32)"),
            _ => other,
        }
    }

    fn element(&mut self, array: &str, form: Form, ty: Scalar, d: usize) -> String {
        match (form.len(), self.random.below(3)) {
            (Some(len), 0 | 1) => format!("{array}.get({})", self.index(len, d)),
            (_, 0) => format!("{array}.last().unwrap_or({})", self.literal(ty)),
            _ => {
                let index = self.index(6, d);
                format!("{array}.try_get({index}).unwrap_or({})", self.literal(ty))
            }
        }
    }

    fn of_array(&mut self, ty: Scalar, d: usize) -> String {
        if self.random.percent(40)
            && let Some(found) = self.variable(|one| matches!(one.ty, Type::Array(scalar, _) if scalar == ty))
            && let Type::Array(_, len) = found.ty
        {
            return format!("{}[{}]", found.name, self.index(len, d));
        }
        let accept = |kind| matches!(kind, Kind::Vector(scalar, _) | Kind::Array(scalar, _) if scalar == ty);
        match self.own(accept) {
            Some((_, name, Kind::Vector(_, len))) => format!("self.{name}[{}]", self.index(len, d)),
            Some((_, name, Kind::Array(_, form))) => match form.len() {
                Some(len) if self.random.percent(50) => format!("self.{name}[{}]", self.index(len, d)),
                _ => self.element(&format!("self.{name}"), form, ty, d),
            },
            _ => self.leaf(ty),
        }
    }

    fn of_pack(&mut self, ty: Scalar, d: usize) -> String {
        if ty == U32 {
            let value = match self.variable(|one| one.ty == Type::Pack) {
                Some(found) => found.name,
                None => match self.own(|kind| matches!(kind, Kind::Value(_))) {
                    Some((_, name, _)) => format!("self.{name}"),
                    None => return self.leaf(ty),
                },
            };
            return format!("{value}.mixed({})", self.number(U32, d));
        }
        if let Some(found) = self.variable(|one| one.ty == Type::Pack) {
            match ty {
                U8 => return format!("{}.small", found.name),
                F32 => return format!("{}.wide", found.name),
                U16 => return format!("{}.pair[{}]", found.name, self.random.below(2)),
                _ => {}
            }
        }
        match (ty, self.own(|kind| matches!(kind, Kind::Value(_)))) {
            (U8, Some((_, name, _))) => format!("self.{name}.small"),
            (F32, Some((_, name, _))) => format!("{{ let Pack {{ wide, .. }} = self.{name}; wide }}"),
            (U16, Some((_, name, _))) => format!("self.{name}.pair[{}]", self.random.below(2)),
            (Bool, Some((_, name, _))) => format!("self.{name}.flag"),
            _ => self.leaf(ty),
        }
    }

    fn of_actor(&mut self, ty: Scalar, d: usize) -> String {
        if !self.calls || self.room < 0 {
            return self.leaf(ty);
        }
        let argument = self.number(U32, d.min(1));
        let actor = self.actor(d);
        let value = match self.random.below(4) {
            0 => format!("{actor}.p1({argument})"),
            1 => {
                let arms: Vec<String> = (0..3)
                    .map(|class| {
                        let a = self.fresh("a");
                        self.variables.push(Variable { name: a.clone(), ty: Type::Ref(class), is_mutable: false });
                        let value = self.number(U32, d.min(2));
                        self.variables.pop();
                        format!("ActorIs::{}({a}) => {value},", NAMES[class])
                    })
                    .collect();
                format!("(match {actor}.class() {{ {} }})", arms.concat())
            }
            _ => format!("{actor}.p0({argument})"),
        };
        match ty {
            U32 => value,
            Bool => format!("({value} % 2 == 0)"),
            _ => format!("({value} as {})", ty.name()),
        }
    }

    fn of_loop(&mut self, ty: Scalar, d: usize) -> String {
        let (n, x) = (self.fresh("n"), self.fresh("y"));
        let start = self.number(ty, d);
        let before = self.variables.len();
        self.variables.push(Variable { name: n.clone(), ty: Type::Number(U32), is_mutable: false });
        self.variables.push(Variable { name: x.clone(), ty: Type::Number(ty), is_mutable: false });
        let (step, stop, skip) = (self.number(ty, d), self.condition(d.min(1)), self.condition(d.min(1)));
        self.variables.truncate(before);
        let turns = 1 + self.random.below(5);
        format!(
            "{{ let mut {n} = 0u32; let mut {x} = {start}; loop {{ {n} += 1; if {n} > {turns} {{ break {x}; }} if {skip} {{ continue; }} {x} = {step}; if {stop} {{ break {x}; }} }} }}"
        )
    }

    fn of_maybe(&mut self, ty: Scalar, d: usize) -> String {
        let class = self.random.below(3);
        let Some(maybe) = self.maybe(class) else { return self.leaf(ty) };
        let (default, a) = (self.number(ty, d), self.fresh("a"));
        self.variables.push(Variable { name: a.clone(), ty: Type::Ref(class), is_mutable: false });
        let value = self.number(ty, d);
        self.variables.pop();
        match self.random.below(3) {
            0 => format!("{maybe}.map_or({default}, |{a}| {value})"),
            1 => format!("(if let Some({a}) = {maybe} {{ {value} }} else {{ {default} }})"),
            _ => format!("(match {maybe} {{ None => {default}, Some({a}) => {value} }})"),
        }
    }

    /// A chain of iterators.
    fn of_chain(&mut self, ty: Scalar, d: usize) -> String {
        if ty == Bool {
            if let Some((_, name, _)) = self.own(|kind| kind == Kind::Array(U32, Form::Slots(3))) {
                return format!("self.{name}.iter().any(|x| x % 2 == 0)");
            }
            return self.condition(d);
        }
        let (acc, x) = (self.fresh("acc"), self.fresh("x"));
        let start = self.number(ty, 0);
        let accept = |kind| matches!(kind, Kind::Array(scalar, _) if scalar != Bool);
        let (source, element) = match self.random.below(4) {
            0 => (format!("(0..{}u32)", self.random.below(6)), Type::Number(U32)),
            1 => match self.own(accept) {
                Some((_, name, Kind::Array(scalar, _))) => (format!("self.{name}.iter()"), Type::Number(scalar)),
                _ => return self.leaf(ty),
            },
            2 => match self.own(|kind| matches!(kind, Kind::Links(..))) {
                Some((_, name, Kind::Links(class, _))) => (format!("self.{name}.iter()"), Type::Ref(class)),
                _ => return self.leaf(ty),
            },
            _ => {
                let class = self.random.below(3);
                let at = self.reference(class, d);
                match self.other(class, |kind| accept(kind) || matches!(kind, Kind::Links(..))) {
                    Some((name, Kind::Array(scalar, _))) => (format!("{at}.{name}().iter()"), Type::Number(scalar)),
                    Some((name, Kind::Links(class, _))) => (format!("{at}.{name}().iter()"), Type::Ref(class)),
                    _ => return self.leaf(ty),
                }
            }
        };
        let link = *self.random.pick(&["", "", ".rev()", ".take(2)", ".skip(1)", ".step_by(2)"]);
        let before = self.variables.len();
        self.variables.push(Variable { name: x.clone(), ty: element, is_mutable: false });
        let filter = if self.random.percent(25) && element != Type::Number(Bool) {
            let c = self.condition(d.min(1));
            format!(".filter(|&{x}| {c})")
        } else {
            String::new()
        };
        self.variables.push(Variable { name: acc.clone(), ty: Type::Number(ty), is_mutable: false });
        let step = self.operation(ty, d);
        self.variables.truncate(before);
        format!("{source}{link}{filter}.fold({start}, |{acc}: {}, {x}| {step})", ty.name())
    }

    /// An expression of type `Ref`.
    pub(crate) fn reference(&mut self, class: usize, depth: usize) -> String {
        self.room -= 1;
        let d = depth.saturating_sub(1);
        if self.random.percent(45)
            && let Some(found) = self.variable(|one| one.ty == Type::Ref(class))
        {
            return found.name;
        }
        if self.random.percent(60)
            && self.lent.is_empty()
            && let Some(found) = self.variable(|one| one.ty == Type::Edge(class))
        {
            return format!("self.resolve({}.to)", found.name);
        }
        if self.random.percent(50)
            && let Some((_, name, _)) = self.own(|kind| kind == Kind::Link(class))
        {
            return format!("self.{name}");
        }
        if depth > 0 && self.room > 0 {
            match self.random.below(5) {
                0 => {
                    if let Some(maybe) = self.maybe(class) {
                        return format!("{maybe}.unwrap_or({})", self.reference(class, d));
                    }
                }
                1 => {
                    if let Some((_, name, kind)) = self.own(|kind| matches!(kind, Kind::Links(of, _) if of == class))
                        && let Kind::Links(_, form) = kind
                    {
                        if let Some(len) = form.len() {
                            return format!("self.{name}.get({})", self.index(len, d));
                        }
                        let index = self.index(5, d);
                        return format!("self.{name}.try_get({index}).unwrap_or({})", self.reference(class, d));
                    }
                }
                2 => {
                    let from = self.random.below(3);
                    if let Some((name, _)) = self.other(from, |kind| kind == Kind::Link(class)) {
                        return format!("{}.{name}()", self.reference(from, d));
                    }
                }
                3 if class == self.class && self.self_is_lent == 0 => return "self.resolve(self.link())".to_owned(),
                _ => {}
            }
        }
        if self.self_is_lent > 0 {
            // An argument.
            if let Some(found) = self.variable(|one| one.ty == Type::Ref(class)) {
                return found.name;
            }
        }
        let index = self.index(COUNTS[class], 0);
        let name = NAMES[class];
        if self.random.percent(20) {
            return format!("self.all::<{name}>().range({index}..).next().unwrap()");
        }
        format!("self.all::<{name}>().get({index}).unwrap()")
    }

    /// An expression of type `Option<Ref>`, if there is one.
    pub(crate) fn maybe(&mut self, class: usize) -> Option<String> {
        if self.lent.is_empty() && self.random.percent(15) {
            return Some(self.at_position(class));
        }
        if self.random.percent(30)
            && let Some(found) = self.variable(|one| one.ty == Type::Maybe(class))
        {
            return Some(found.name);
        }
        if self.random.percent(30) {
            let from = self.random.below(3);
            if let Some((name, _)) = self.other(from, |kind| kind == Kind::Maybe(class)) {
                let at = self.reference(from, 1);
                return Some(format!("{at}.{name}()"));
            }
        }
        let (_, name, _) = self.own(|kind| kind == Kind::Maybe(class))?;
        Some(format!("self.{name}"))
    }

    pub(crate) fn actor(&mut self, depth: usize) -> String {
        if self.random.percent(30)
            && let Some(found) = self.variable(|one| one.ty == Type::Actor)
        {
            return found.name;
        }
        if depth > 0 && self.random.percent(25) {
            let from = self.random.below(3);
            if let Some((name, _)) = self.other(from, |kind| kind == Kind::Actor) {
                return format!("{}.{name}()", self.reference(from, depth - 1));
            }
        }
        match self.own(|kind| kind == Kind::Actor) {
            Some((_, name, _)) => format!("self.{name}"),
            None => {
                let class = self.random.below(3);
                let at = self.reference(class, depth.saturating_sub(1));
                format!("Ref::<Actor>::from({at})")
            }
        }
    }

    pub(crate) fn pack(&mut self, d: usize) -> String {
        let (small, wide, flag, a, b) =
            (self.number(U8, d), self.number(F32, d), self.number(Bool, d), self.number(U16, d), self.number(U16, d));
        format!("Pack {{ small: {small}, wide: {wide}, flag: {flag}, pair: [{a}, {b}] }}")
    }
}
