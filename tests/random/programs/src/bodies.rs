//! Random statements.

use crate::classes::Scalar::{self, *};
use crate::classes::{INTEGERS, Kind, NAMES, SCALARS};
use crate::expressions::{Body, Operation, Type, Variable};

/// A loop whose body is being written: its label, and the number of variables before it.
pub(crate) struct Loop {
    pub(crate) start: String,
    pub(crate) before: usize,
}

impl Body<'_> {
    pub(crate) fn push(&mut self, name: &str, ty: Type, is_mutable: bool) {
        self.variables.push(Variable { name: name.to_owned(), ty, is_mutable });
    }

    /// A field that may be written at this point.
    pub(crate) fn place(&mut self, accept: impl Fn(Kind) -> bool) -> Option<(usize, String, Kind)> {
        let fields = &self.classes[self.class].fields;
        let can = |n: &usize| self.writable.contains(n) && !self.lent.contains(n) && accept(fields[*n].kind);
        let found: Vec<usize> = (0..fields.len()).filter(can).collect();
        if found.is_empty() {
            return None;
        }
        let n = *self.random.pick(&found);
        Some((n, fields[n].name.clone(), fields[n].kind))
    }

    /// Statements with their own scope of variables.
    pub(crate) fn block(&mut self, statements: usize, depth: usize) -> String {
        let before = self.variables.len();
        let mut text = String::new();
        for _ in 0..statements {
            let statement = self.statement(depth);
            text.push_str(&statement);
            text.push('\n');
        }
        self.variables.truncate(before);
        text
    }

    pub(crate) fn inner(&mut self, depth: usize) -> String {
        let statements = 1 + self.random.below(3);
        self.block(statements, depth.saturating_sub(1))
    }

    pub(crate) fn statement(&mut self, depth: usize) -> String {
        self.room -= 1;
        let choice = if depth == 0 || self.room < 0 { self.random.below(16) } else { self.random.below(47) };
        match choice {
            0..=2 => self.definition(),
            3 | 4 => self.assignment_to_variable(),
            5..=11 => self.assignment(),
            12 => self.constant(),
            13 => self.exchange(),
            14 | 15 => self.atomic(),
            16..=19 => self.condition_statement(depth),
            20 | 21 => self.choice_statement(depth),
            22..=25 => self.for_loop(depth),
            26 => self.while_loop(depth),
            27 => self.endless_loop(depth),
            28 => self.walk(depth),
            29 | 30 => self.over_links(depth),
            31 => self.over_elements(),
            32 => self.way_out(),
            33 => self.let_else(),
            34 => self.closure(),
            35 => self.pattern(),
            36 => self.helper(),
            37 => self.macro_statement(),
            38..=40 => self.over_places(depth),
            41 | 42 => self.over_varying(depth),
            43..=45 => self.over_neighbours(depth),
            _ => self.method_of_value(),
        }
    }

    fn definition(&mut self) -> String {
        // Sometimes shadows another variable.
        let name = if self.random.percent(15) && !self.variables.is_empty() && self.loops.is_empty() {
            let n = self.random.below(self.variables.len());
            self.variables[n].name.clone()
        } else {
            self.fresh("v")
        };
        match self.random.below(9) {
            0 => {
                let class = self.random.below(3);
                let value = self.reference(class, 2);
                let is_mutable = self.random.percent(50);
                self.push(&name, Type::Ref(class), is_mutable);
                format!("let {}{name}: Ref<{}> = {value};", if is_mutable { "mut " } else { "" }, NAMES[class])
            }
            1 => {
                let class = self.random.below(3);
                let Some(value) = self.maybe(class) else { return String::new() };
                self.push(&name, Type::Maybe(class), true);
                format!("let mut {name}: Option<Ref<{}>> = {value};", NAMES[class])
            }
            2 => {
                let (ty, len) = (*self.random.pick(SCALARS), 1 + self.random.below(6));
                let value = self.number(ty, 1);
                self.push(&name, Type::Array(ty, len), true);
                if self.random.percent(30) {
                    return format!(
                        "let mut {name} = core::array::from_fn::<{}, {len}, _>(|k| if k % 2 == 0 {{ {value} }} else {{ {} }});",
                        ty.name(),
                        self.literal(ty)
                    );
                }
                format!("let mut {name}: [{}; {len}] = [{value}; {len}];", ty.name())
            }
            3 => {
                let value = self.pack(1);
                self.push(&name, Type::Pack, true);
                format!("let mut {name} = {value};")
            }
            4 => {
                let value = self.actor(2);
                self.push(&name, Type::Actor, false);
                format!("let {name}: Ref<Actor> = {value};")
            }
            _ => {
                let ty = *self.random.pick(SCALARS);
                let value = self.number(ty, 3);
                let is_mutable = self.random.percent(70);
                self.push(&name, Type::Number(ty), is_mutable);
                format!("let {}{name}: {} = {value};", if is_mutable { "mut " } else { "" }, ty.name())
            }
        }
    }

    fn assignment_to_variable(&mut self) -> String {
        let Some(found) = self.variable(|one| one.is_mutable) else { return self.definition() };
        let name = found.name;
        match found.ty {
            Type::Number(ty) => self.update(&name, ty),
            Type::Array(ty, len) => {
                let index = self.index(len, 1);
                if self.random.percent(20) {
                    return format!("{name}.swap({}, {index});", self.random.below(len));
                }
                self.update(&format!("{name}[{index}]"), ty)
            }
            Type::Ref(class) => format!("{name} = {};", self.reference(class, 2)),
            Type::Maybe(class) => {
                let c = self.condition(1);
                format!("{name} = if {c} {{ Some({}) }} else {{ None }};", self.reference(class, 1))
            }
            Type::Pack => match self.random.below(3) {
                0 => self.update(&format!("{name}.small"), U8),
                1 => self.update(&format!("{name}.wide"), F32),
                _ => format!("{name} = {};", self.pack(1)),
            },
            Type::Actor | Type::Place(_) | Type::Edge(_) => String::new(),
        }
    }

    /// Assigns to a place of a scalar type.
    pub(crate) fn update(&mut self, place: &str, ty: Scalar) -> String {
        let value = self.number(ty, 3);
        if ty.is_float() && self.random.percent(50) {
            return format!("{place} {}= {value};", self.random.pick(&["+", "-", "*"]));
        }
        if !ty.is_float() && self.random.percent(30) {
            return format!("{place} {}= {value};", self.random.pick(&["^", "&", "|"]));
        }
        if ty != Bool && !ty.is_float() && self.random.percent(40) {
            return format!("{place} = {place}.wrapping_{}({value});", self.random.pick(&["add", "sub", "mul"]));
        }
        format!("{place} = {value};")
    }

    /// Assigns to a field.
    fn assignment(&mut self) -> String {
        let Some((n, name, kind)) =
            self.place(|kind| !matches!(kind, Kind::Atomic(_) | Kind::AtomicArray(..) | Kind::Claim(_)))
        else {
            return self.assignment_to_variable();
        };
        self.written.insert(n);
        let field = format!("self.{name}");
        match kind {
            Kind::Number(ty) => match self.random.below(12) {
                0 => {
                    self.lent.push(n);
                    let value = self.number(ty, 2);
                    self.lent.pop();
                    format!("{{ let lent = &mut {field}; *lent = {value}; }}")
                }
                1 => format!("put(&mut {field}, {});", self.literal(ty)),
                2 => {
                    let value = self.number(ty, 2);
                    let before = self.fresh("v");
                    self.push(&before, Type::Number(ty), false);
                    format!("let {before}: {} = {{ let v = {value}; core::mem::replace(&mut {field}, v) }};", ty.name())
                }
                3 => {
                    let (a, b) = (self.literal(ty), self.literal(ty));
                    format!("{field} = if {} {{ {a} }} else {{ {b} }};", self.condition(2))
                }
                _ => self.update(&field, ty),
            },
            Kind::Value(_) => match self.random.below(4) {
                0 => format!("{field} = {};", self.pack(2)),
                1 => self.update(&format!("{field}.wide"), F32),
                2 => {
                    let at = self.random.below(2);
                    self.update(&format!("{field}.pair[{at}]"), U16)
                }
                _ => self.update(&format!("{field}.small"), U8),
            },
            Kind::Enum => {
                let mood = *self.random.pick(&["Calm", "Wild", "Odd", "Last"]);
                format!("if {} {{ {field} = Mood::{mood}; }}", self.condition(2))
            }
            Kind::Vector(ty, len) => {
                if self.random.percent(25) {
                    let value = self.number(ty, 2);
                    return format!("{field} = [{value}; {len}];");
                }
                let index = self.index(len, 1);
                self.update(&format!("{field}[{index}]"), ty)
            }
            Kind::Array(ty, form) => {
                // As in ordinary Rust, `self` cannot be used while the array is lent.
                let index = self.index(form.len().unwrap_or(5), 0);
                match form.len() {
                    Some(len) if self.random.percent(20) => {
                        format!("{field}.swap({}, {index});", self.random.below(len))
                    }
                    Some(_) => self.update(&format!("{field}[{index}]"), ty),
                    None => {
                        let at = self.fresh("k");
                        let update = self.update(&format!("{field}[{at}]"), ty);
                        format!("{{ let {at} = {index}; if {at} < {field}.len() {{ {update} }} }}")
                    }
                }
            }
            Kind::Link(class) => format!("{field} = {};", self.reference(class, 3)),
            Kind::Maybe(class) => match self.random.below(3) {
                0 => format!("{field} = None;"),
                1 => format!("{field} = {field}.filter(|a| a.link().index() % 3 != 0);"),
                _ => {
                    let c = self.condition(2);
                    format!("{field} = {c}.then_some({});", self.reference(class, 2))
                }
            },
            Kind::Links(class, form) => {
                let (index, value) = (self.index(form.len().unwrap_or(5), 1), self.fresh("o"));
                let other = self.reference(class, 2);
                format!(
                    "{{ let ({value}, k): (Ref<{}>, usize) = ({other}, {index}); if k < {field}.len() {{ {field}.set(k, {value}); }} }}",
                    NAMES[class]
                )
            }
            Kind::Edges(class, form) => {
                let (index, at, edge) = (self.index(form.len().unwrap_or(5), 1), self.fresh("k"), self.fresh("o"));
                let (other, size) = (self.reference(class, 2), self.number(U16, 2));
                let change = match self.random.below(3) {
                    0 => format!("{field}[{at}].to = {edge}.to;"),
                    1 => format!("{field}[{at}].size ^= {edge}.size;"),
                    _ => format!("{field}.set({at}, {edge});"),
                };
                format!(
                    "{{ let ({at}, {edge}): (usize, {}Edge) = ({index}, {}Edge {{ to: {other}.link(), size: {size} }}); if {at} < {field}.len() {{ {change} }} }}",
                    NAMES[class], NAMES[class]
                )
            }
            Kind::Actor => {
                if self.random.percent(50) {
                    let class = self.random.below(3);
                    return format!("{field} = {}.into();", self.reference(class, 2));
                }
                format!("{field} = {};", self.actor(2))
            }
            Kind::MaybeActor => {
                let c = self.condition(2);
                format!("{field} = if {c} {{ Some({}) }} else {{ None }};", self.actor(2))
            }
            Kind::Atomic(_) | Kind::AtomicArray(..) | Kind::Claim(_) => String::new(),
        }
    }

    /// Reads a value, and leaves a constant.
    fn constant(&mut self) -> String {
        let Some((n, name, Kind::Number(ty))) = self.place(|kind| matches!(kind, Kind::Number(_))) else {
            return self.assignment();
        };
        self.written.insert(n);
        let before = self.fresh("v");
        let constant = self.literal(ty);
        let c = self.condition(1);
        self.push(&before, Type::Number(ty), true);
        match self.random.below(3) {
            0 => format!("let mut {before} = self.{name}; self.{name} = {constant};"),
            1 => format!("let mut {before} = self.{name}; if {c} {{ self.{name} = {constant}; }}"),
            _ => format!("let mut {before} = core::mem::take(&mut self.{name});"),
        }
    }

    fn exchange(&mut self) -> String {
        let Some((a, one, kind)) = self.place(|kind| matches!(kind, Kind::Number(_) | Kind::Maybe(_) | Kind::Link(_)))
        else {
            return self.assignment();
        };
        let mut other = None;
        for _ in 0..4 {
            let found = self.place(|other| other == kind);
            if found.as_ref().is_some_and(|found| found.0 != a) {
                other = found;
                break;
            }
        }
        let Some((b, two, _)) = other else { return self.assignment() };
        self.written.extend([a, b]);
        match (kind, self.random.below(3)) {
            (Kind::Number(_), 0) => format!("(self.{one}, self.{two}) = (self.{two}, self.{one});"),
            (Kind::Number(ty), 1) => {
                let value = self.number(ty, 2);
                format!("(self.{one}, self.{two}) = ({value}, self.{one});")
            }
            (Kind::Number(_), _) => format!("core::mem::swap(&mut self.{one}, &mut self.{two});"),
            _ => format!("core::mem::swap(&mut self.{one}, &mut self.{two});"),
        }
    }

    fn atomic(&mut self) -> String {
        let is_atomic = |kind: Kind| matches!(kind, Kind::Atomic(_) | Kind::AtomicArray(..) | Kind::Claim(_));
        if !self.is_kernel {
            return self.assignment();
        }
        let mut found = None;
        for _ in 0..6 {
            let class = if self.random.percent(50) { self.class } else { self.random.below(3) };
            let n = self.random.below(self.classes[class].fields.len());
            let kind = self.classes[class].fields[n].kind;
            if is_atomic(kind)
                && (self.atomics[class][n] != Operation::Own || class == self.class)
                && !self.lent.contains(&n)
            {
                found = Some((class, n, kind));
                break;
            }
        }
        let Some((class, n, kind)) = found else { return self.assignment() };
        let operation = self.atomics[class][n];
        let name = self.classes[class].fields[n].name.clone();
        let is_own = class == self.class && (operation == Operation::Own || self.random.percent(40));
        let mut at = if is_own { format!("self.{name}") } else { format!("{}.{name}()", self.reference(class, 2)) };
        if let Kind::AtomicArray(_, len) = kind {
            at = format!("{at}.get({})", self.index(len, 1));
        }
        let ty = match kind {
            Kind::Claim(of) => {
                let other = self.reference(of, 2);
                return match operation {
                    Operation::Load => {
                        let v = self.fresh("v");
                        self.push(&v, Type::Number(Bool), true);
                        format!("let mut {v} = {at}.load() == Some({other}.link());")
                    }
                    Operation::Own if self.random.percent(50) => {
                        let v = self.fresh("v");
                        self.push(&v, Type::Number(Bool), true);
                        format!(
                            "let mut {v} = {at}.load().is_some(); {at}.store(if {v} {{ None }} else {{ Some({other}.link()) }});"
                        )
                    }
                    _ => format!("{at}.claim({other}.link());"),
                };
            }
            Kind::Atomic(ty) | Kind::AtomicArray(ty, _) => ty,
            _ => return String::new(),
        };
        let value = self.number(ty, 2);
        let v = self.fresh("v");
        match operation {
            Operation::Load => {
                self.push(&v, Type::Number(ty), true);
                format!("let mut {v}: {} = {at}.load();", ty.name())
            }
            Operation::Own => {
                self.push(&v, Type::Number(ty), true);
                let name = ty.name();
                match (ty, self.random.below(8)) {
                    (_, 0 | 1) => format!("let mut {v}: {name} = {at}.load(); {at}.store({value});"),
                    (_, 2) => format!("let mut {v}: {name} = {at}.swap({value});"),
                    (Bool, _) => format!("let mut {v}: {name} = {at}.fetch_or({value});"),
                    (F32, _) => format!("let mut {v}: {name} = {at}.fetch_add({value});"),
                    (_, 3) => format!("let mut {v}: {name} = {at}.fetch_add({value}); if {v} > 9 {{ {at}.store(0); }}"),
                    (_, 4) => format!("let mut {v}: {name} = {at}.fetch_max({value});"),
                    (_, 5) => format!(
                        "let mut {v}: {name} = {at}.compare_exchange({value}, 5).unwrap_or_else(|found| found);"
                    ),
                    _ => format!("{at}.sub({value}); {at}.min(1000); let mut {v}: {name} = {at}.load();"),
                }
            }
            Operation::Add if ty == Bool || ty == F32 => String::new(),
            Operation::Add => format!("{at}.{}({value});", self.random.pick(&["add", "sub"])),
            Operation::Min => format!("{at}.min({value});"),
            Operation::Max => format!("{at}.max({value});"),
            Operation::Or => format!("{at}.or({value});"),
            Operation::And => format!("{at}.and({value});"),
        }
    }

    fn condition_statement(&mut self, depth: usize) -> String {
        let c = self.condition(3);
        let one = self.inner(depth);
        match self.random.below(4) {
            0 => format!("if {c} {{\n{one}}}"),
            1 => {
                let (d, two, three) = (self.condition(2), self.inner(depth), self.inner(depth));
                format!("if {c} {{\n{one}}} else if {d} {{\n{two}}} else {{\n{three}}}")
            }
            2 => {
                let class = self.random.below(3);
                let Some(maybe) = self.maybe(class) else { return format!("if {c} {{\n{one}}}") };
                let a = self.fresh("a");
                self.push(&a, Type::Ref(class), false);
                let two = self.inner(depth);
                self.variables.pop();
                format!("if let Some({a}) = {maybe} {{\n{two}}} else if {c} {{\n{one}}}")
            }
            _ => {
                let two = self.inner(depth);
                format!("if {c} {{\n{one}}} else {{\n{two}}}")
            }
        }
    }

    fn choice_statement(&mut self, depth: usize) -> String {
        let ty = *self.random.pick(INTEGERS);
        let (value, c) = (self.number(ty, 2), self.condition(1));
        let (one, two, three) = (self.inner(depth), self.inner(depth), self.inner(depth));
        let before = self.variables.len();
        let assignment = self.assignment();
        self.variables.truncate(before);
        let assignment = assignment.trim_end_matches(';').to_owned();
        let short = if assignment.is_empty()
            || assignment.starts_with("let ")
            || assignment.contains('{')
            || assignment.contains(';')
        {
            "{}".to_owned()
        } else {
            assignment
        };
        let n = self.fresh("n");
        format!(
            "match ({value}) {{ 0 | 7 => {{\n{one}}} {n} if {n} > 2 && {c} => {{\n{two}}} 1..=5 => {short}, _ => {{\n{three}}} }}"
        )
    }

    fn label(&mut self) -> (Option<String>, String) {
        if self.random.percent(40) {
            let label = self.fresh("'l");
            (Some(label.clone()), format!("{label}: "))
        } else {
            (None, String::new())
        }
    }

    pub(crate) fn enter(&mut self) -> Loop {
        let (label, start) = self.label();
        self.loops.push(label);
        Loop { start, before: self.variables.len() }
    }

    pub(crate) fn leave(&mut self, before: usize) {
        self.loops.pop();
        self.variables.truncate(before);
    }

    fn for_loop(&mut self, depth: usize) -> String {
        let (label, start) = self.label();
        let i = self.fresh("i");
        let range = match self.random.below(6) {
            0 => format!("0..({} % 6)", self.bare_u32()),
            1 => format!("(0..{}u32).rev()", 1 + self.random.below(8)),
            2 => format!("1..={}u32", self.random.below(5)),
            3 => format!("(0..{}u32).step_by(3)", self.random.below(20)),
            4 => format!("({} % 4)..{}", self.bare_u32(), 3 + self.random.below(9)),
            _ => format!("0..{}u32", 1 + self.random.below(10)),
        };
        self.push(&i, Type::Number(U32), false);
        self.loops.push(label);
        let body = self.inner(depth);
        let end = self.end_of_turn(depth);
        self.loops.pop();
        self.variables.pop();
        format!("{start}for {i} in {range} {{\n{body}{end}}}")
    }

    fn bare_u32(&mut self) -> String {
        format!("({})", self.number(U32, 2))
    }

    /// Possible ends of a loop's body, with several branches back.
    pub(crate) fn end_of_turn(&mut self, depth: usize) -> String {
        match self.random.below(4) {
            0 => {
                let (c, way, rest) = (self.condition(2), self.way(), self.inner(depth));
                format!("if {c} {{ {way} }}\n{rest}")
            }
            1 => {
                let (c, one, two) = (self.condition(2), self.inner(depth), self.inner(depth));
                format!("if {c} {{\n{one}}} else {{\n{two}}}\n")
            }
            _ => String::new(),
        }
    }

    /// A jump out of an iteration.
    fn way(&mut self) -> String {
        if self.loops.is_empty() {
            return self.early.map_or(String::new(), |early| format!("{early};"));
        }
        let labels: Vec<String> = self.loops.iter().flatten().cloned().collect();
        match self.random.below(6) {
            0 | 1 => "continue;".to_owned(),
            2 => "break;".to_owned(),
            3 if !labels.is_empty() => format!("break {};", self.random.pick(&labels)),
            4 if !labels.is_empty() => format!("continue {};", self.random.pick(&labels)),
            5 => self.early.map_or("break;".to_owned(), |early| format!("{early};")),
            _ => "continue;".to_owned(),
        }
    }

    fn while_loop(&mut self, depth: usize) -> String {
        let (label, start) = self.label();
        let n = self.fresh("n");
        self.push(&n, Type::Number(U32), false);
        self.loops.push(label);
        let (body, end) = (self.inner(depth), self.end_of_turn(depth));
        self.loops.pop();
        let c = self.condition(2);
        self.variables.pop();
        format!(
            "{{ let mut {n} = 0u32; {start}while {n} < {} && {c} {{ {n} += 1;\n{body}{end}}} }}",
            1 + self.random.below(7)
        )
    }

    fn endless_loop(&mut self, depth: usize) -> String {
        let (label, start) = self.label();
        let n = self.fresh("n");
        self.push(&n, Type::Number(U32), false);
        self.loops.push(label);
        let (body, end) = (self.inner(depth), self.end_of_turn(depth));
        self.loops.pop();
        self.variables.pop();
        format!(
            "{{ let mut {n} = 0u32; {start}loop {{ {n} += 1; if {n} > {} {{ break; }}\n{body}{end}}} }}",
            1 + self.random.below(7)
        )
    }

    /// Follows links.
    fn walk(&mut self, depth: usize) -> String {
        let class = self.class;
        let fields = &self.classes[class].fields;
        let can =
            |n: &usize| self.readable[class].contains(n) && matches!(fields[*n].kind, Kind::Maybe(of) if of == class);
        let Some(n) = (0..fields.len()).find(can) else { return self.for_loop(depth) };
        let name = fields[n].name.clone();
        let Some(start) = self.maybe(class) else { return self.for_loop(depth) };
        let (at, a, turns) = (self.fresh("at"), self.fresh("a"), self.fresh("n"));
        let (label, prefix) = self.label();
        self.push(&a, Type::Ref(class), false);
        self.loops.push(label);
        let body = self.inner(depth);
        self.loops.pop();
        self.variables.pop();
        format!(
            "{{ let mut {turns} = 0u32; let mut {at} = {start}; {prefix}while let Some({a}) = {at} {{ {turns} += 1; if {turns} > 6 {{ break; }} {at} = {a}.{name}();\n{body}}} }}"
        )
    }

    fn over_links(&mut self, depth: usize) -> String {
        let (n, name, element) = match self.own(|kind| matches!(kind, Kind::Links(..) | Kind::Edges(..))) {
            Some((n, name, Kind::Links(class, _))) => (n, name, Type::Ref(class)),
            Some((n, name, Kind::Edges(class, _))) => (n, name, Type::Edge(class)),
            _ => return self.for_loop(depth),
        };
        let (label, start) = self.label();
        let (a, k) = (self.fresh("a"), self.fresh("k"));
        let before = self.variables.len();
        let (pattern, source) = match self.random.below(5) {
            0 => (a.clone(), format!("self.{name}.iter()")),
            1 => {
                self.push(&k, Type::Number(U64), false);
                (format!("({k}, {a})"), format!("self.{name}.iter().enumerate().map(|(k, a)| (k as u64, a))"))
            }
            2 => (a.clone(), format!("self.{name}.iter().rev()")),
            3 => (a.clone(), format!("self.{name}.range(1.min(self.{name}.len())..)")),
            _ => (a.clone(), format!("&self.{name}")),
        };
        self.push(&a, element, false);
        self.loops.push(label);
        // The field is lent: it may be read but not written, and no method may change the whole object.
        let was = self.writable.remove(&n);
        self.self_is_lent += 1;
        let (body, end) = (self.inner(depth), self.end_of_turn(depth));
        self.self_is_lent -= 1;
        if was {
            self.writable.insert(n);
        }
        self.loops.pop();
        self.variables.truncate(before);
        format!("{start}for {pattern} in {source} {{\n{body}{end}}}")
    }

    fn over_elements(&mut self) -> String {
        let Some((n, name, Kind::Array(ty, _))) = self.place(|kind| matches!(kind, Kind::Array(..))) else {
            return self.assignment();
        };
        self.written.insert(n);
        let x = self.fresh("x");
        let before = self.variables.len();
        self.push(&x, Type::Number(ty), false);
        self.lent.push(n);
        self.self_is_lent += 1;
        // Its previous value is a separate variable.
        let value = self.number(ty, 2);
        let skip = self.condition(1);
        self.self_is_lent -= 1;
        self.lent.pop();
        self.variables.truncate(before);
        let set = format!("let {x} = *e; *e = {value};");
        match self.random.below(4) {
            0 => format!("self.{name}.iter_mut().for_each(|e| {{ {set} }});"),
            1 => format!("for e in &mut self.{name} {{ let {x} = *e; if {skip} {{ continue; }} {set} }}"),
            2 => {
                format!("{{ let from = 1.min(self.{name}.len()); for e in self.{name}.range_mut(from..) {{ {set} }} }}")
            }
            _ => format!("self.{name}.fill({});", self.literal(ty)),
        }
    }

    fn way_out(&mut self) -> String {
        let way = self.way();
        if way.is_empty() {
            return self.assignment();
        }
        format!("if {} {{ {way} }}", self.condition(2))
    }

    fn let_else(&mut self) -> String {
        let class = self.random.below(3);
        let Some(maybe) = self.maybe(class) else { return self.assignment() };
        let a = self.fresh("a");
        if self.is_option && self.random.percent(50) {
            self.push(&a, Type::Ref(class), false);
            return format!("let {a}: Ref<{}> = {maybe}?;", NAMES[class]);
        }
        let way = self.way();
        if way.is_empty() {
            return self.assignment();
        }
        self.push(&a, Type::Ref(class), false);
        format!("let Some({a}) = {maybe} else {{ {way} }};")
    }

    fn closure(&mut self) -> String {
        if let Some((n, name, Kind::Number(ty))) = self.place(|kind| matches!(kind, Kind::Number(_)))
            && self.random.percent(60)
        {
            self.written.insert(n);
            let (one, two, c, f) = (self.number(ty, 2), self.number(ty, 1), self.condition(1), self.fresh("f"));
            let (a, b, d) = (self.fresh("p"), self.fresh("p"), self.fresh("p"));
            let change = if ty == Bool {
                "^= by"
            } else if ty.is_float() {
                "+= by"
            } else {
                "^= by"
            };
            return format!(
                "{{ let ({a}, {b}, {d}) = ({one}, {two}, {c}); let mut {f} = |by: {}| self.{name} {change}; {f}({a}); if {d} {{ {f}({b}); }} }}",
                ty.name()
            );
        }
        let Some(found) = self.variable(|one| one.is_mutable && matches!(one.ty, Type::Number(_))) else {
            return self.assignment();
        };
        let Type::Number(ty) = found.ty else { return String::new() };
        let (one, f, a) = (self.number(ty, 2), self.fresh("f"), self.fresh("p"));
        let change = if ty.is_float() { "+=" } else { "^=" };
        format!(
            "{{ let {a} = {one}; let mut {f} = |by: {}| {} {change} by; {f}({a}); {f}({a}); }}",
            ty.name(),
            found.name
        )
    }

    fn pattern(&mut self) -> String {
        if self.self_is_lent > 0 || !self.lent.is_empty() || !self.is_kernel {
            return self.assignment();
        }
        let Some((n, name, Kind::Number(ty))) = self.place(|kind| matches!(kind, Kind::Number(_))) else {
            return self.assignment();
        };
        self.written.insert(n);
        self.is_whole = true;
        let (value, v) = (self.number(ty, 2), self.fresh("p"));
        format!("{{ let {v} = {value}; let Self {{ {name}, .. }} = self; *{name} = {v}; }}")
    }

    fn helper(&mut self) -> String {
        if self.self_is_lent > 0 || !self.lent.is_empty() || !self.calls {
            return self.assignment();
        }
        // The fields that it writes, by number.
        let changes = self.helper_writes();
        if self.own.len() < 5 || changes.is_empty() || !changes.iter().all(|n| self.writable.contains(n)) {
            return self.assignment();
        }
        self.written.extend(changes);
        format!("self.w0({});", self.number(U32, 2))
    }

    /// The fields that the method `w0` of the class may write.
    pub(crate) fn helper_writes(&self) -> Vec<usize> {
        let fields = &self.classes[self.class].fields;
        let can = |n: &usize| {
            !fields[*n].is_calm && matches!(fields[*n].kind, Kind::Number(_) | Kind::Array(..) | Kind::Vector(..))
        };
        (0..fields.len()).filter(can).take(3).collect()
    }

    /// Changes a struct in a field by a method or an operator.
    fn method_of_value(&mut self) -> String {
        let Some((n, name, _)) = self.place(|kind| matches!(kind, Kind::Value(_))) else { return self.assignment() };
        self.written.insert(n);
        let value = self.number(U16, 2);
        match self.random.below(3) {
            0 if self.is_kernel => {
                self.is_whole = true;
                format!("self.{name}.change({value});")
            }
            1 => format!("self.{name} = self.{name}.changed({value}) + self.{name};"),
            _ => format!("self.{name} += {value};"),
        }
    }

    fn macro_statement(&mut self) -> String {
        if !self.is_kernel {
            return self.assignment();
        }
        let Some((n, name, Kind::Number(ty))) = self.place(|kind| matches!(kind, Kind::Number(_))) else {
            return self.assignment();
        };
        self.written.insert(n);
        self.is_whole = true;
        let (m, value, c) = (self.fresh("set"), self.number(ty, 2), self.condition(1));
        format!(
            "macro_rules! {m} {{ ($place:expr, $value:expr) => {{ $place = $value }} }}\nif {c} {{ {m}!(self.{name}, [{value}][0]); }}"
        )
    }
}
