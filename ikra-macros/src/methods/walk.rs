//! The single walk over a method's body that collects its effects, [`Facts`].
//!
//! Unreadable code makes the whole method unreadable. A user macro may use every field, and a macro without `self` in
//! its input may still expand to one. In that case the method's own `self` gets a different hygiene
//! ([`hidden`](Facts::hidden)). All tokens that `syn` leaves unparsed reach [`visit_token_stream`](Visit), and all
//! attributes reach `visit_attribute`, so nothing is skipped.
//!
//! An operation on an atomic field is known by its name, such as `load` or `fetch_add`. Its field is the nearest name
//! before it: a getter, `other.hits().load()`, a field, `self.hits.load()`, or the field behind a local variable, `for
//! hit in &self.hits { hit.load(); }`. So the walk assigns each expression a value: the atomics that it may denote.

mod calls;
mod expressions;
mod objects;
mod shown;
#[cfg(test)]
mod tests;
mod unread;

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, Expr, FnArg, Item, Lit, Local, Member, Pat, Signature, Stmt};

use super::attributes::{self, Kind};
use super::facts::Facts;
use super::macros::{self, formats_self, mentions_self};
use super::names::Macro;
use super::ordinary::{Mistake, Ordinary};
use super::place::own;
use super::{Fields, Shown, plain_name};

/// The effects of a body, and the mistakes in it.
pub(super) fn read(sig: &Signature, body: &Block, fields: &Fields, ordinary: &Ordinary) -> (Facts, Vec<Mistake>) {
    let parameters = Parameters::of(sig);
    let mut walk = Walk {
        fields,
        ordinary,
        facts: Facts::default(),
        imports: macros::imports(body.to_token_stream()),
        mistakes: Vec::new(),
        within: Within::default(),
        binds_mutably: false,
        variables: parameters.values.into_iter().map(|name| (name, Vec::new())).collect(),
        given: vec![Name::Unknown],
        operated: None,
        result: Vec::new(),
        escaped: Vec::new(),
        unresolved: 0,
        bare: HashSet::new(),
        bindings: HashMap::new(),
        shown: HashMap::new(),
    };
    walk.takes(sig);
    walk.visit_block(body);
    walk.finished()
}

/// Facts from the types of parameters.
#[derive(Default)]
struct Parameters {
    /// Parameters that hold no atomics.
    values: Vec<String>,
}

impl Parameters {
    fn of(sig: &Signature) -> Self {
        let mut found = Self::default();
        for input in &sig.inputs {
            let FnArg::Typed(typed) = input else { continue };
            let ty = typed.ty.to_token_stream().to_string();
            let names = variables(&typed.pat);
            if !ty.contains("Atomic") && !ty.contains("impl ") {
                found.values.extend(names);
            }
        }
        found
    }
}

/// The value that an expression may have, as far as the walk needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Name {
    /// `self`.
    View,
    /// An atomic field of the object itself.
    Own(String),
    /// A field of another object, or a method that returns it.
    Other(String),
    /// A variable whose value is unknown.
    Unknown,
}

type Names = Vec<Name>;

/// The context of the current node.
#[derive(Clone, Copy, Default)]
struct Within {
    /// Inside a user macro, or text that does not parse.
    unknown: bool,
    /// Inside an item.
    item: bool,
    /// Inside a statement with an attribute that may be a macro.
    changed: bool,
    /// Inside a statement that `cfg` may partly remove.
    conditional: bool,
}

struct Walk<'a> {
    fields: &'a Fields,
    ordinary: &'a Ordinary,
    facts: Facts,
    /// The names that the body redefines.
    imports: HashSet<String>,
    mistakes: Vec<Mistake>,
    within: Within,
    /// Whether the body contains a `ref mut` pattern.
    binds_mutably: bool,
    /// The atomics that each variable may denote.
    variables: HashMap<String, Names>,
    /// The atomics that a closure's parameters may denote.
    given: Names,
    /// The call that an atomic operation follows, while it is read.
    operated: Option<*const syn::ExprMethodCall>,
    /// The values of the expressions read last.
    result: Names,
    /// Atomics that are used without an operation at the same expression.
    escaped: Names,
    /// Operations on variables whose value is unknown.
    unresolved: u16,
    /// Variables that are used other than as a base of a field, index or method.
    bare: HashSet<String>,
    /// How many patterns bind each variable, and the links and objects that some of them bind it to.
    bindings: HashMap<String, usize>,
    shown: HashMap<String, Vec<Shown>>,
}

impl Walk<'_> {
    fn finished(mut self) -> (Facts, Vec<Mistake>) {
        for name in std::mem::take(&mut self.escaped) {
            self.operate_on(&name, self.unresolved);
        }
        let facts = &mut self.facts;
        if self.binds_mutably {
            // The text does not show the field that is bound: `match self.a { P { ref mut x } => *x = 1 }`.
            let plain = (0..self.fields.fields.len()).filter(|&field| !self.fields.is_atomic(field));
            facts.writes |= plain.fold(0, |set, field| set | facts.touches & 1 << field);
        }
        facts.whole |= facts.formats_self;
        if facts.hidden && facts.formats_self {
            // The `self` in a format string has the string's hygiene, which also applies to other names.
            facts.hidden = false;
            facts.whole = true;
            facts.escapes = true;
        }
        // A name with any other use may refer to a different variable.
        let is_it = |other: &Option<String>| other.as_ref().is_none_or(|other| !self.bare.contains(other));
        facts.reads.retain(|read| is_it(&read.other));
        let mut mistakes = std::mem::take(&mut self.mistakes);
        mistakes.retain(|mistake| self.holds(mistake));
        (self.facts, mistakes)
    }

    /// The values of the expressions that `read` visits, each once: a variable that is assigned from itself again and again
    /// would otherwise have twice as many each time.
    fn collect(&mut self, read: impl FnOnce(&mut Self)) -> Names {
        let before = std::mem::take(&mut self.result);
        read(self);
        let mut found = Names::new();
        for value in std::mem::replace(&mut self.result, before) {
            if !found.contains(&value) {
                found.push(value);
            }
        }
        found
    }

    /// Visits a scope with its own variables.
    fn scope<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.variables.clone();
        let result = read(self);
        self.variables = before;
        result
    }

    /// Visits a pattern that is bound to these values.
    fn bound(&mut self, pattern: &Pat, values: &[Name]) {
        let variables = variables(pattern);
        let mut values: Names = values.to_vec();
        if values.contains(&Name::View) {
            // `let Self { hits, .. } = self;`
            values.retain(|value| *value != Name::View);
            values.extend(variables.iter().filter(|name| self.own_atomic(name)).cloned().map(Name::Own));
        }
        self.variables.extend(variables.into_iter().map(|variable| (variable, values.clone())));
        self.visit_pat(pattern);
    }

    fn own_atomic(&self, name: &str) -> bool {
        self.fields.named(name).is_some_and(|field| self.fields.is_atomic(field))
    }

    /// A `self` that is not followed by a field or method.
    fn whole(&mut self, is_shared: bool) -> Names {
        self.facts.whole = true;
        self.facts.escapes |= !is_shared;
        vec![Name::View]
    }

    /// Visits a node that may contain an attribute macro. Such a macro may turn `owner` into anything.
    fn owner(&mut self, owner: impl ToTokens, read: impl FnOnce(&mut Self)) {
        let before = self.within;
        self.within.changed = false;
        read(self);
        if self.within.changed && mentions_self(owner.to_token_stream()) {
            self.whole(false);
        }
        self.within = before;
    }
}

impl Visit<'_> for Walk<'_> {
    fn visit_expr(&mut self, expr: &Expr) {
        let values = self.value(expr);
        self.escaped.extend(values.iter().filter(|name| matches!(name, Name::Own(_) | Name::Other(_))).cloned());
        self.result.extend(values);
    }

    fn visit_block(&mut self, block: &Block) {
        let values = self.block(block);
        self.result.extend(values);
    }

    fn visit_stmt(&mut self, stmt: &Stmt) {
        self.owner(stmt, |walk| visit::visit_stmt(walk, stmt));
        if let Stmt::Expr(_, Some(_)) | Stmt::Local(_) = stmt {
            self.result.clear();
        }
    }

    fn visit_local(&mut self, local: &Local) {
        local.attrs.iter().for_each(|attribute| self.visit_attribute(attribute));
        self.mistakes.extend(self.ordinary.copied(self.fields, local).filter(|_| !self.within.item));
        let values = self.collect(|walk| {
            if let Some(init) = &local.init {
                walk.visit_expr(&init.expr);
            }
        });
        if let Some((_, other)) = local.init.as_ref().and_then(|init| init.diverge.as_ref()) {
            self.collect(|walk| walk.visit_expr(other));
        }
        self.bound(&local.pat, &values);
        self.binds(&local.pat, local.init.as_ref().and_then(|init| self.shown(&init.expr)));
    }

    fn visit_pat(&mut self, pattern: &Pat) {
        if let Pat::Ident(name) = pattern {
            self.binds_mutably |= name.by_ref.is_some() && name.mutability.is_some();
            self.bare.insert(plain_name(&name.ident));
            *self.bindings.entry(plain_name(&name.ident)).or_default() += 1;
        }
        visit::visit_pat(self, pattern);
    }

    fn visit_item(&mut self, item: &Item) {
        let before = std::mem::replace(&mut self.within.item, true);
        let variables = std::mem::take(&mut self.variables);
        // A module in another file may define macros.
        self.facts.hidden |= matches!(item, Item::Mod(module) if module.content.is_none());
        self.collect(|walk| walk.owner(item, |walk| visit::visit_item(walk, item)));
        self.variables = variables;
        self.within.item = before;
    }

    fn visit_attribute(&mut self, attribute: &Attribute) {
        self.within.conditional |= attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr");
        match attributes::kind_of(attribute) {
            Kind::Plain => return,
            // On a statement it must be the tool's own attribute, since macros are not allowed there.
            Kind::Tool if !self.within.item => return,
            Kind::Tool | Kind::Macro => {}
        }
        self.facts.hidden = true;
        self.within.changed = true;
    }

    fn visit_lit(&mut self, literal: &Lit) {
        if let Lit::Str(text) = literal {
            self.facts.formats_self |= formats_self(&text.value());
        }
    }

    fn visit_macro(&mut self, called: &syn::Macro) {
        let Some((kind, standard)) = macros::known(called, &self.imports) else {
            match mentions_self(called.tokens.clone()) {
                true => self.facts.whole = true,
                // A macro definition is harmless; calls of it are analyzed separately.
                false => self.facts.hidden |= !called.path.is_ident("macro_rules"),
            }
            return self.unknown(called.tokens.clone());
        };
        self.facts.standard.macros |= standard.macros;
        self.facts.standard.crates |= standard.crates;
        match (kind, macros::arguments(kind, &called.tokens)) {
            (Macro::Formatting | Macro::Writing, Some(Expr::Array(arguments))) => {
                for (n, argument) in arguments.elems.iter().enumerate() {
                    if kind == Macro::Writing && n == 0 {
                        self.changes(argument, false);
                    } else if own(argument).is_some() {
                        self.whole(true);
                        continue;
                    }
                    self.visit_expr(argument);
                }
            }
            (Macro::Borrowing, Some(Expr::Array(arguments))) => {
                arguments.elems.iter().for_each(|place| self.borrows(place));
                visit::visit_expr_array(self, &arguments);
            }
            (_, Some(arguments)) => self.visit_expr(&arguments),
            (_, None) => {
                self.facts.whole |= mentions_self(called.tokens.clone());
                self.unknown(called.tokens.clone());
            }
        }
    }

    /// Tokens that `syn` leaves unparsed.
    fn visit_token_stream(&mut self, tokens: &TokenStream) {
        match mentions_self(tokens.clone()) {
            true => self.facts.whole = true,
            false => self.facts.hidden = true,
        }
        self.raw(tokens.clone());
    }
}

/// The variables of a pattern, and the names of the fields that they bind.
fn variables(pattern: &Pat) -> Vec<String> {
    struct Finder(Vec<String>);
    impl Finder {
        fn add(&mut self, name: &Ident) {
            let name = plain_name(name);
            if name.starts_with(|c: char| c.is_lowercase() || c == '_') {
                self.0.push(name);
            }
        }
    }
    impl Visit<'_> for Finder {
        fn visit_pat_ident(&mut self, name: &syn::PatIdent) {
            self.add(&name.ident);
            visit::visit_pat_ident(self, name);
        }
        fn visit_field_pat(&mut self, field: &syn::FieldPat) {
            if let Member::Named(name) = &field.member {
                self.add(name);
            }
            visit::visit_field_pat(self, field);
        }
        fn visit_expr(&mut self, _: &Expr) {}
        fn visit_macro(&mut self, _: &syn::Macro) {}
    }
    let mut finder = Finder(Vec::new());
    finder.visit_pat(pattern);
    finder.0
}
