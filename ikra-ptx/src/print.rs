//! From program to text.

use std::collections::{HashMap, HashSet};
use std::fmt::{self, Display, Formatter, Write as _};

use crate::modifier::{Modifier, Type};
use crate::opcode::Opcode;
use crate::program::{
    Base, Bits, Body, Function, Instruction, Item, Linkage, Module, Operand, Parameter, Prototype, Value, Variable,
};

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for item in &self.items {
            match item {
                Item::Directive(text) | Item::Annotation(text) | Item::Section(text) => writeln!(f, "{text}")?,
                Item::Variable(variable) => writeln!(f, "{variable};")?,
                Item::Function(function) => write!(f, "{function}")?,
            }
        }
        Ok(())
    }
}

impl Display for Linkage {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Private => "",
            Self::Visible => ".visible ",
            Self::Extern => ".extern ",
            Self::Weak => ".weak ",
            Self::Common => ".common ",
        })
    }
}

impl Display for Variable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{} ", self.linkage, self.space)?;
        if let Some(align) = self.align {
            write!(f, ".align {align} ")?;
        }
        write!(f, "{} {}", self.ty, self.name)?;
        for len in &self.lengths {
            match len {
                Some(len) => write!(f, "[{len}]")?,
                None => write!(f, "[]")?,
            }
        }
        match &self.value {
            Some(value) => write!(f, " = {value}"),
            None => Ok(()),
        }
    }
}

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => write!(f, "{number}"),
            Self::Float(bits) => write!(f, "{bits}"),
            Self::Address(name, offset) => write!(f, "{name}{}", Offset(*offset)),
            Self::Generic(name, offset) => write!(f, "generic({name}){}", Offset(*offset)),
            Self::List(all) => {
                f.write_char('{')?;
                for (n, value) in all.iter().enumerate() {
                    write!(f, "{}{value}", if n > 0 { ", " } else { "" })?;
                }
                f.write_char('}')
            }
        }
    }
}

/// `+4`, `+-4`, or nothing for 0.
struct Offset(i64);

impl Display for Offset {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0 == 0 { Ok(()) } else { write!(f, "+{}", self.0) }
    }
}

impl Display for Bits {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Single(bits) => write!(f, "0f{bits:08X}"),
            Self::Double(bits) => write!(f, "0d{bits:016X}"),
        }
    }
}

impl Display for Parameter {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_register { ".reg" } else { ".param" })?;
        if let (Some(align), None) = (self.align, &self.pointer) {
            write!(f, " .align {align}")?;
        }
        write!(f, " {}", self.ty)?;
        if let Some((space, align)) = self.pointer {
            f.write_str(" .ptr")?;
            if let Some(space) = space {
                write!(f, " {space}")?;
            }
            if let Some(align) = align {
                write!(f, " .align {align}")?;
            }
        }
        write!(f, " {}", self.name)?;
        match self.len {
            Some(0) => f.write_str("[]"),
            Some(len) => write!(f, "[{len}]"),
            None => Ok(()),
        }
    }
}

/// `(.param .b32 a, .param .b32 b)`
fn inline(parameters: &[Parameter]) -> String {
    let all: Vec<String> = parameters.iter().map(ToString::to_string).collect();
    format!("({})", all.join(", "))
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{} ", self.linkage, if self.is_kernel { ".entry" } else { ".func" })?;
        if !self.results.is_empty() {
            write!(f, "{} ", inline(&self.results))?;
        }
        writeln!(f, "{}(", self.name)?;
        for (n, parameter) in self.parameters.iter().enumerate() {
            writeln!(f, "\t{parameter}{}", if n + 1 < self.parameters.len() { "," } else { "" })?;
        }
        writeln!(f, ")")?;
        for attribute in &self.attributes {
            writeln!(f, "{attribute}")?;
        }
        match &self.body {
            Some(body) => write!(f, "{{\n{body}}}\n"),
            None => writeln!(f, ";"),
        }
    }
}

impl Display for Prototype {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: .callprototype ", self.name)?;
        if !self.results.is_empty() {
            write!(f, "{} ", inline(&self.results))?;
        }
        write!(f, "_ {}", inline(&self.parameters))?;
        self.attributes.iter().try_for_each(|attribute| write!(f, " {attribute}"))
    }
}

impl Display for Body {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for annotation in &self.annotations {
            writeln!(f, "\t{annotation}")?;
        }
        let calls = Calls::of(self);
        for (_, variable) in self.variables.iter().enumerate().filter(|(n, _)| !calls.scoped.contains(n)) {
            writeln!(f, "\t{variable};")?;
        }
        registers(self, f)?;
        let mut location = None;
        for (n, block) in self.blocks.iter().enumerate() {
            if let Some(label) = block.label {
                writeln!(f, "{}:", self.labels[label.0 as usize])?;
            }
            for pragma in &block.pragmas {
                writeln!(f, "\t.pragma \"{pragma}\";")?;
            }
            for (index, one) in block.instructions.iter().enumerate() {
                if let Some(variables) = calls.opened.get(&(n, index)) {
                    writeln!(f, "\t{{")?;
                    variables.iter().try_for_each(|&n| writeln!(f, "\t{};", self.variables[n]))?;
                }
                if one.location != location {
                    location.clone_from(&one.location);
                    if let Some(at) = &location {
                        writeln!(f, "\t.loc\t{} {} {}{}", at.file, at.line, at.column, at.rest)?;
                    }
                }
                one.declare(self, f)?;
                writeln!(f, "\t{}", Shown { body: self, one })?;
                if calls.closed.contains(&(n, index)) {
                    writeln!(f, "\t}}")?;
                }
            }
        }
        Ok(())
    }
}

/// Declares the registers: those with numbered names as families.
fn registers(body: &Body, f: &mut Formatter<'_>) -> fmt::Result {
    let numbered = |name: &str| {
        let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let number: u32 = name[prefix.len()..].parse().ok()?;
        (name.starts_with('%') && number.to_string() == name[prefix.len()..]).then(|| (prefix.to_owned(), number))
    };
    // The registers that an instruction names.
    let mut is_named = vec![false; body.registers.len()];
    for (_, one) in body.instructions() {
        one.for_each_register(|register, _| is_named[register.0 as usize] = true);
    }
    let registers =
        || body.registers.iter().zip(&is_named).filter(|(_, is_named)| **is_named).map(|(register, _)| register);
    // In the order of their first use; a family has one type.
    let mut families: Vec<(String, Type, u32)> = Vec::new();
    let mut single: Vec<(&str, Type)> = Vec::new();
    let mut places = HashMap::new();
    for (name, ty) in registers() {
        match numbered(name) {
            Some((prefix, number)) => {
                let place = *places.entry((prefix.clone(), *ty)).or_insert_with(|| {
                    families.push((prefix, *ty, 0));
                    families.len() - 1
                });
                families[place].2 = families[place].2.max(number + 1);
            }
            None => single.push((name, *ty)),
        }
    }
    // So that a printed text is printed unchanged.
    families.sort_by(|one, other| one.0.cmp(&other.0));
    // If two types share a family's prefix, each register of the later type is declared by itself.
    let mut seen = HashSet::new();
    for (prefix, ty, count) in &families {
        if seen.insert(prefix.as_str()) {
            writeln!(f, "\t.reg {ty} \t{prefix}<{count}>;")?;
        }
    }
    let first = |prefix: &str| families.iter().find(|family| family.0 == prefix).map(|family| family.1);
    let odd = registers().filter(|(name, ty)| numbered(name).is_some_and(|(prefix, _)| first(&prefix) != Some(*ty)));
    single.extend(odd.map(|(name, ty)| (name.as_str(), *ty)));
    for (name, ty) in single {
        writeln!(f, "\t.reg {ty} \t{name};")?;
    }
    Ok(())
}

/// The parameters of calls, which are declared in a scope around each call.
struct Calls {
    /// Indices of variables that are declared in such a scope.
    scoped: HashSet<usize>,
    /// The instruction and block before which a scope opens, with its variables.
    opened: HashMap<(usize, usize), Vec<usize>>,
    /// The instruction after which it closes.
    closed: HashSet<(usize, usize)>,
}

impl Calls {
    fn of(body: &Body) -> Self {
        let mut calls = Self { scoped: HashSet::new(), opened: HashMap::new(), closed: HashSet::new() };
        let places: HashMap<&str, usize> = body
            .variables
            .iter()
            .enumerate()
            .filter(|(_, variable)| variable.space == Modifier::Param)
            .map(|(n, variable)| (variable.name.as_str(), n))
            .collect();
        if places.is_empty() {
            return calls;
        }
        // The block and the first and last instruction that name each; `None` if there are several blocks.
        let mut spans: Vec<Option<Option<(usize, usize, usize)>>> = vec![None; body.variables.len()];
        for (at, one) in body.instructions() {
            one.for_each_symbol(&mut |name| {
                let Some(&n) = places.get(name) else { return };
                spans[n] = Some(match spans[n] {
                    None => Some((at.block, at.index, at.index)),
                    Some(Some((block, first, _))) if block == at.block => Some((block, first, at.index)),
                    _ => None,
                });
            });
        }
        let mut all: Vec<(usize, usize, usize, usize)> = spans
            .iter()
            .enumerate()
            .filter_map(|(n, span)| span.flatten().map(|(block, first, last)| (block, first, last, n)))
            .collect();
        all.sort_unstable();
        // Overlapping ones share a scope.
        let mut scopes: Vec<(usize, usize, usize, Vec<usize>)> = Vec::new();
        for (block, first, last, n) in all {
            calls.scoped.insert(n);
            match scopes.last_mut() {
                Some(scope) if scope.0 == block && first <= scope.2 => {
                    scope.2 = scope.2.max(last);
                    scope.3.push(n);
                }
                _ => scopes.push((block, first, last, vec![n])),
            }
        }
        for (block, first, last, mut variables) in scopes {
            variables.sort_unstable();
            calls.opened.insert((block, first), variables);
            calls.closed.insert((block, last));
        }
        calls
    }
}

impl Instruction {
    /// Shows the names of variables and functions in its operands.
    pub fn for_each_symbol<'i>(&'i self, show: &mut impl FnMut(&'i str)) {
        fn each<'i>(operand: &'i Operand, show: &mut impl FnMut(&'i str)) {
            match operand {
                Operand::Symbol(name, _) | Operand::Memory(Base::Symbol(name), _) => show(name),
                Operand::Vector(all) | Operand::List(all) => all.iter().for_each(|one| each(one, show)),
                _ => {}
            }
        }
        self.operands.iter().for_each(|operand| each(operand, show));
    }

    /// Declares the table or the prototype that it uses.
    fn declare(&self, body: &Body, f: &mut Formatter<'_>) -> fmt::Result {
        for operand in &self.operands {
            match operand {
                Operand::Table(n) => {
                    let table = &body.tables[*n];
                    writeln!(f, "\t{}: .branchtargets", table.name)?;
                    for (n, target) in table.targets.iter().enumerate() {
                        let end = if n + 1 < table.targets.len() { "," } else { ";" };
                        writeln!(f, "\t\t{}{end}", body.labels[target.0 as usize])?;
                    }
                }
                Operand::Prototype(n) => writeln!(f, "\t{};", body.prototypes[*n])?,
                _ => {}
            }
        }
        Ok(())
    }

    /// As text, with the names of its function.
    #[must_use]
    pub fn text(&self, body: &Body) -> String {
        Shown { body, one: self }.to_string()
    }
}

/// An instruction with the names of its function.
struct Shown<'b> {
    body: &'b Body,
    one: &'b Instruction,
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { body, one } = *self;
        if let Some(guard) = one.guard {
            write!(f, "@{}{} ", if guard.is_negated { "!" } else { "" }, body.name(guard.register))?;
        }
        write!(f, "{}", one.opcode)?;
        one.modifiers.iter().try_for_each(|modifier| write!(f, "{modifier}"))?;
        if one.opcode == Opcode::Call {
            return call(body, one, f);
        }
        for (n, operand) in one.operands.iter().enumerate() {
            write!(f, "{}{}", if n > 0 { ", " } else { " \t" }, ShownOperand { body, operand })?;
        }
        f.write_char(';')
    }
}

fn call(body: &Body, one: &Instruction, f: &mut Formatter<'_>) -> fmt::Result {
    let shown = |operand| ShownOperand { body, operand };
    let [results, callee, arguments, prototype @ ..] = &one.operands[..] else { return Err(fmt::Error) };
    f.write_char(' ')?;
    if !matches!(results, Operand::List(all) if all.is_empty()) {
        write!(f, "{}, ", shown(results))?;
    }
    write!(f, "{}, {}", shown(callee), shown(arguments))?;
    prototype.iter().try_for_each(|prototype| write!(f, ", {}", shown(prototype)))?;
    f.write_char(';')
}

struct ShownOperand<'b> {
    body: &'b Body,
    operand: &'b Operand,
}

impl Display for ShownOperand<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let body = self.body;
        let list = |all: &[Operand], f: &mut Formatter<'_>| {
            all.iter().enumerate().try_for_each(|(n, operand)| {
                write!(f, "{}{}", if n > 0 { ", " } else { "" }, ShownOperand { body, operand })
            })
        };
        let name = |register: &Option<_>| register.map_or("_", |register| body.name(register)).to_owned();
        match self.operand {
            Operand::Register(register) => f.write_str(body.name(*register)),
            Operand::Not(register) => write!(f, "!{}", body.name(*register)),
            Operand::Pair(one, other) => write!(f, "{}|{}", name(one), name(other)),
            Operand::Vector(all) => {
                f.write_char('{')?;
                list(all, f)?;
                f.write_char('}')
            }
            Operand::List(all) => {
                f.write_char('(')?;
                list(all, f)?;
                f.write_char(')')
            }
            Operand::Integer(number) => write!(f, "{number}"),
            Operand::Float(bits) => write!(f, "{bits}"),
            Operand::Special(special) => write!(f, "{special}"),
            Operand::Memory(base, offset) => match base {
                Base::Register(register) => write!(f, "[{}{}]", body.name(*register), Offset(*offset)),
                Base::Symbol(name) => write!(f, "[{name}{}]", Offset(*offset)),
                Base::Zero => write!(f, "[{offset}]"),
            },
            Operand::Symbol(name, offset) => write!(f, "{name}{}", Offset(*offset)),
            Operand::Label(label) => f.write_str(&body.labels[label.0 as usize]),
            Operand::Table(n) => f.write_str(&body.tables[*n].name),
            Operand::Prototype(n) => f.write_str(&body.prototypes[*n].name),
            Operand::Nothing => f.write_char('_'),
        }
    }
}
