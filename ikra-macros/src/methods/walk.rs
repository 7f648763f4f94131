//! The one walk over a method's body that finds what it does, [`Facts`].
//!
//! Whatever cannot be read makes the whole method unreadable: a macro of the user's may use every field, and one that is
//! given no `self` may still expand to one, so that the method's own `self` gets another hygiene then
//! ([`hidden`](Facts::hidden)). All tokens that `syn` leaves as they are come to [`visit_token_stream`](Visit), and all
//! attributes to `visit_attribute`, so that nothing is passed over.
//!
//! An operation on an atomic field is known by its name, `load`, `fetch_add`, and the field by the nearest name before it:
//! that of a getter, `other.hits().load()`, of a field, `self.hits.load()`, or that behind a local variable,
//! `for hit in &self.hits { hit.load(); }`. So each expression has a value here: the atomics that it may be.

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap, HashSet};

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Block, Expr, ExprCall, ExprMethodCall, ExprPath, FnArg, Item, Lit, Local, Member, Pat, PointerMutability,
    Signature, Stmt,
};

use super::attributes::{self, Kind};
use super::facts::{Called, Facts, How};
use super::macros::{self, formats_self, mentions_self, parenthesised, pieces};
use super::names::{self, Is, Macro, Operation};
use super::ordinary::{Mistake, Ordinary};
use super::place::{Place, is_compound, own};
use super::{Fields, plain_name};
use crate::stored::is_link;

/// What a body does, and the mistakes in it.
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
        result: Vec::new(),
        escaped: Vec::new(),
        unresolved: 0,
        links: parameters.links,
        bare: HashSet::new(),
    };
    walk.visit_block(body);
    walk.finished()
}

/// What the types of parameters say.
#[derive(Default)]
struct Parameters {
    /// Variables that hold no atomics.
    values: Vec<String>,
    /// Variables that hold links.
    links: BTreeSet<String>,
}

impl Parameters {
    fn of(sig: &Signature) -> Self {
        let mut found = Self::default();
        for input in &sig.inputs {
            let FnArg::Typed(typed) = input else { continue };
            let ty = typed.ty.to_token_stream().to_string();
            let names = variables(&typed.pat);
            if is_link(&typed.ty) && matches!(*typed.pat, Pat::Ident(_)) {
                found.links.extend(names.iter().cloned());
            }
            if !ty.contains("Atomic") && !ty.contains("impl ") {
                found.values.extend(names);
            }
        }
        found
    }
}

/// What an expression may be, as far as it matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Name {
    /// `self`.
    View,
    /// An atomic field of the object itself.
    Own(String),
    /// A field of another object, or a method that returns it.
    Other(String),
    /// A variable that nothing is known of.
    Unknown,
}

type Names = Vec<Name>;

/// What the walk is in.
#[derive(Clone, Copy, Default)]
struct Within {
    /// A macro of the user's, or text that cannot be read.
    unknown: bool,
    /// An item.
    item: bool,
    /// A statement with an attribute that may be a macro.
    changed: bool,
}

struct Walk<'a> {
    fields: &'a Fields,
    ordinary: &'a Ordinary,
    facts: Facts,
    /// The names that the body gives a meaning of its own.
    imports: HashSet<String>,
    mistakes: Vec<Mistake>,
    within: Within,
    /// Whether there is a `ref mut`.
    binds_mutably: bool,
    /// Which atomics variables may be.
    variables: HashMap<String, Names>,
    /// Which atomics the parameters of a closure may be.
    given: Names,
    /// What the expressions read last may be.
    result: Names,
    /// What is not operated on where it is named.
    escaped: Names,
    /// Operations on variables that nothing is known of.
    unresolved: u16,
    /// Variables that hold links.
    links: BTreeSet<String>,
    /// Variables that are used otherwise than to look into them.
    bare: HashSet<String>,
}

impl Walk<'_> {
    fn finished(mut self) -> (Facts, Vec<Mistake>) {
        for name in std::mem::take(&mut self.escaped) {
            self.operate_on(&name, self.unresolved);
        }
        let facts = &mut self.facts;
        if self.binds_mutably {
            // To what, the text does not show: `match self.a { P { ref mut x } => *x = 1 }`.
            let plain = (0..self.fields.fields.len()).filter(|&field| !self.fields.is_atomic(field));
            facts.writes |= plain.fold(0, |set, field| set | facts.touches & 1 << field);
        }
        facts.whole |= facts.formats_self;
        if facts.hidden && facts.formats_self {
            // The `self` in a string has the hygiene of the string, which names other things too.
            facts.hidden = false;
            facts.whole = true;
            facts.escapes = true;
        }
        // A name that is anything but looked into may be another variable's too.
        self.mistakes.retain(|mistake| mistake.other.as_ref().is_none_or(|other| !self.bare.contains(other)));
        (self.facts, self.mistakes)
    }

    /// What is read by `read` may be.
    fn collect(&mut self, read: impl FnOnce(&mut Self)) -> Names {
        let before = std::mem::take(&mut self.result);
        read(self);
        std::mem::replace(&mut self.result, before)
    }

    /// Reads something with variables of its own.
    fn scope<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.variables.clone();
        let result = read(self);
        self.variables = before;
        result
    }

    /// Reads a pattern that is given these values.
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

    fn operate_on(&mut self, name: &Name, bits: u16) {
        match name {
            Name::Own(name) => self.facts.uses.add(name, bits, 0),
            Name::Other(name) => self.facts.uses.add(name, 0, bits),
            Name::View | Name::Unknown => {}
        }
    }

    fn operate(&mut self, operation: Operation, names: &[Name]) {
        for name in names {
            self.operate_on(name, operation.bits);
        }
        if operation.is_certain && names.iter().all(|name| *name == Name::Unknown) {
            self.unresolved |= operation.bits;
        }
    }

    fn call(&mut self, name: &Ident, how: How) {
        let line = name.span().start().line;
        self.facts.called.insert(Called { name: plain_name(name), line, how });
    }

    /// `self` that is not followed by a field or method.
    fn whole(&mut self, is_shared: bool) -> Names {
        self.facts.whole = true;
        self.facts.escapes |= !is_shared;
        vec![Name::View]
    }

    /// Notes that a place is changed: by a method that is called on it, or otherwise.
    fn changes(&mut self, place: &Expr, by_method: bool) {
        let Some(Place { name, is_element, is_within, .. }) = Place::of(place) else { return };
        let Some(field) = self.fields.position(name) else { return };
        let kind = self.fields.kind(field);
        if !self.fields.is_atomic(field) && !(by_method && !is_within && !kind.has_mutators(is_element)) {
            self.facts.writes |= 1 << field;
        }
    }

    /// Notes that what stands before `=` is changed.
    fn assigns(&mut self, left: &Expr) {
        match left {
            Expr::Paren(inner) => self.assigns(&inner.expr),
            Expr::Group(inner) => self.assigns(&inner.expr),
            Expr::Tuple(tuple) => tuple.elems.iter().for_each(|place| self.assigns(place)),
            Expr::Array(array) => array.elems.iter().for_each(|place| self.assigns(place)),
            Expr::Call(call) => call.args.iter().for_each(|place| self.assigns(place)),
            Expr::Struct(fields) => fields.fields.iter().for_each(|field| self.assigns(&field.expr)),
            place => self.changes(place, false),
        }
    }

    /// Notes that what stands behind `&mut` is changed, or what a method borrows there of it.
    fn borrows(&mut self, place: &Expr) {
        match place {
            Expr::MethodCall(call) => self.borrows(&call.receiver),
            Expr::Paren(inner) => self.borrows(&inner.expr),
            Expr::Group(inner) => self.borrows(&inner.expr),
            Expr::Unary(inner) => self.borrows(&inner.expr),
            Expr::Index(index) if Place::of(place).is_none() => self.borrows(&index.expr),
            Expr::Field(field) if Place::of(place).is_none() => self.borrows(&field.base),
            place => self.changes(place, false),
        }
    }

    /// Reads an expression whose value is used where it stands. Returns what it may be.
    fn value(&mut self, expr: &Expr) -> Names {
        for attribute in attributes::of(expr) {
            self.visit_attribute(attribute);
        }
        if !self.within.unknown && !self.within.item {
            self.mistakes.extend(self.ordinary.mistake(self.fields, expr));
        }
        match expr {
            Expr::Path(path) => self.path(path),
            Expr::Field(field) => {
                let value = match own(&field.base) {
                    Some(_) if matches!(field.member, Member::Named(_)) => Vec::new(),
                    _ => self.looked_into(&field.base),
                };
                let Member::Named(name) = &field.member else { return value };
                if let (Some(_), Some(field)) = (own(&field.base), self.fields.position(name)) {
                    self.facts.touches |= 1 << field;
                }
                match plain_name(name) {
                    name if self.own_atomic(&name) => vec![Name::Own(name)],
                    _ => value.into_iter().filter(|value| *value != Name::View).collect(),
                }
            }
            Expr::Index(index) => {
                let value = self.looked_into(&index.expr);
                self.collect(|walk| walk.visit_expr(&index.index));
                value
            }
            Expr::Paren(inner) => self.value(&inner.expr),
            Expr::Group(inner) => self.value(&inner.expr),
            Expr::Unary(inner) => self.value(&inner.expr),
            Expr::Try(inner) => self.value(&inner.expr),
            Expr::Await(inner) => self.value(&inner.base),
            Expr::Reference(reference) if reference.mutability.is_some() => {
                self.borrows(&reference.expr);
                self.value(&reference.expr)
            }
            Expr::Reference(reference) => match is_dereferenced_self(&reference.expr) {
                true => self.whole(true),
                false => self.value(&reference.expr),
            },
            Expr::RawAddr(reference) => {
                if let PointerMutability::Mut(_) = reference.mutability {
                    self.borrows(&reference.expr);
                }
                self.value(&reference.expr)
            }
            Expr::MethodCall(call) => self.method_call(call),
            Expr::Call(call) => self.function_call(call),
            Expr::Assign(assign) => {
                self.assigns(&assign.left);
                let mut values = self.collect(|walk| walk.visit_expr(&assign.left));
                values.extend(self.collect(|walk| walk.visit_expr(&assign.right)));
                if let Expr::Path(path) = &*assign.left
                    && let Some(variable) = path.path.get_ident()
                {
                    self.variables.insert(plain_name(variable), values);
                }
                Vec::new()
            }
            Expr::Binary(binary) => {
                if is_compound(binary.op) {
                    self.assigns(&binary.left);
                }
                self.collect(|walk| visit::visit_expr_binary(walk, binary))
            }
            Expr::Let(condition) => {
                let values = self.collect(|walk| walk.visit_expr(&condition.expr));
                self.bound(&condition.pat, &values);
                Vec::new()
            }
            Expr::If(branch) => {
                let mut values = self.scope(|walk| {
                    walk.collect(|walk| walk.visit_expr(&branch.cond));
                    walk.block(&branch.then_branch)
                });
                if let Some((_, other)) = &branch.else_branch {
                    values.extend(self.collect(|walk| walk.visit_expr(other)));
                }
                values
            }
            Expr::While(turns) => self.scope(|walk| {
                walk.facts.loops = true;
                walk.collect(|walk| walk.visit_expr(&turns.cond));
                walk.block(&turns.body);
                Vec::new()
            }),
            Expr::ForLoop(turns) => self.scope(|walk| {
                walk.facts.loops = true;
                let values = walk.collect(|walk| walk.visit_expr(&turns.expr));
                walk.bound(&turns.pat, &values);
                walk.block(&turns.body);
                Vec::new()
            }),
            Expr::Loop(turns) => {
                self.facts.loops = true;
                // What a `break` in it leaves it with.
                let before = self.escaped.len();
                self.block(&turns.body);
                self.escaped[before..].to_vec()
            }
            Expr::Match(matched) => {
                let values = self.collect(|walk| walk.visit_expr(&matched.expr));
                let mut result = Vec::new();
                for arm in &matched.arms {
                    arm.attrs.iter().for_each(|attribute| self.visit_attribute(attribute));
                    result.extend(self.scope(|walk| {
                        walk.bound(&arm.pat, &values);
                        walk.collect(|walk| walk.visit_expr(&arm.body))
                    }));
                }
                result
            }
            Expr::Closure(closure) => self.scope(|walk| {
                let given = walk.given.clone();
                closure.inputs.iter().for_each(|input| walk.bound(input, &given));
                walk.visit_return_type(&closure.output);
                walk.collect(|walk| walk.visit_expr(&closure.body))
            }),
            Expr::Block(inner) => self.block(&inner.block),
            Expr::Unsafe(inner) => self.block(&inner.block),
            // All others are what their parts are.
            other => self.collect(|walk| visit::visit_expr(walk, other)),
        }
    }

    /// Reads what is looked into, by a field, an index or a method.
    fn looked_into(&mut self, expr: &Expr) -> Names {
        match expr {
            Expr::Path(path) if own(expr).is_none() && path.path.get_ident().is_some() => {
                let is_bare = path.path.get_ident().is_some_and(|name| self.bare.contains(&plain_name(name)));
                let values = self.value(expr);
                if let (Some(name), false) = (path.path.get_ident(), is_bare) {
                    self.bare.remove(&plain_name(name));
                }
                values
            }
            _ => self.value(expr),
        }
    }

    fn path(&mut self, path: &ExprPath) -> Names {
        visit::visit_expr_path(self, path);
        let Some(last) = path.path.segments.last() else { return Vec::new() };
        let name = plain_name(&last.ident);
        if path.path.is_ident("self") {
            return self.whole(false);
        }
        if path.path.get_ident().is_some() {
            self.bare.insert(name.clone());
        } else if path.path.segments.len() > 1 && name.starts_with(char::is_lowercase) {
            self.call(&last.ident, How::OnOther);
        }
        self.variables.get(&name).cloned().unwrap_or_else(|| vec![Name::Unknown])
    }

    fn function_call(&mut self, call: &ExprCall) -> Names {
        let function = match &*call.func {
            Expr::Path(path) => path.path.segments.last().map(|last| &last.ident),
            _ => None,
        };
        let mut values = match function {
            Some(_) => {
                self.collect(|walk| walk.visit_expr(&call.func));
                Vec::new()
            }
            None => self.value(&call.func),
        };
        let given = std::mem::replace(&mut self.given, vec![Name::Unknown]);
        values.extend(self.collect(|walk| call.args.iter().for_each(|argument| walk.visit_expr(argument))));
        self.given = given;
        if let Some(function) = function {
            self.call(function, How::Function);
            // `Atomic::load(other.hits())`
            let count = call.args.len().checked_sub(1);
            if let Some(operation) = count.and_then(|count| names::atomic_operation(&plain_name(function), count)) {
                self.operate(operation, &values);
            }
        }
        values
    }

    fn method_call(&mut self, call: &ExprMethodCall) -> Names {
        let name = plain_name(&call.method);
        if let Some(generics) = &call.turbofish {
            self.visit_angle_bracketed_generic_arguments(generics);
        }
        let arguments = |walk: &mut Self, given: Names| {
            let before = std::mem::replace(&mut walk.given, given);
            let found = walk.collect(|walk| call.args.iter().for_each(|argument| walk.visit_expr(argument)));
            walk.given = before;
            found
        };
        if own(&call.receiver).is_some() {
            self.facts.calls.push(call.method.clone());
            self.call(&call.method, How::OnSelf);
            return arguments(self, vec![Name::Unknown]);
        }
        self.call(&call.method, How::OnOther);
        if self.is_link(&call.receiver) && !names::is(&name, Is::LinkMethod) {
            self.facts.followed.insert(call.method.to_string());
        }
        if names::is(&name, Is::Mutator) {
            self.changes(&call.receiver, true);
        }
        let on: Names = self.looked_into(&call.receiver).into_iter().filter(|name| *name != Name::View).collect();
        if let Some(operation) = names::atomic_operation(&name, call.args.len())
            && !on.is_empty()
        {
            self.operate(operation, &on);
            arguments(self, vec![Name::Unknown]);
            return Vec::new();
        }
        // What a folding closure has returned before comes first; the other parameters are what there is.
        let is_folding = names::is(&name, Is::Folding);
        let found = arguments(self, if is_folding { vec![Name::Unknown] } else { on.clone() });
        if call.args.is_empty() {
            // Otherwise a getter, even if it is called `next` or `last`.
            let is_passed = names::is(&name, Is::Passing) && on.iter().any(|name| *name != Name::Unknown);
            if is_passed { on } else { vec![Name::Other(name)] }
        } else if names::is(&name, Is::Mapping) {
            found
        } else {
            on.into_iter().chain(found).collect()
        }
    }

    /// Whether an expression seems to be a link: an element of an array of links, or a variable that holds one.
    fn is_link(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| self.links.contains(&plain_name(name))),
            expr => self.is_link_of_array(expr),
        }
    }

    /// `self.near[k]`.
    fn is_link_of_array(&self, expr: &Expr) -> bool {
        let Expr::Index(index) = expr else { return false };
        matches!(Place::of(&index.expr), Some(array) if array.is_whole() && self.fields.links.contains(&plain_name(array.name)))
    }

    /// Reads a block, and what its last statement may be.
    fn block(&mut self, block: &Block) -> Names {
        self.scope(|walk| {
            walk.collect(|walk| {
                for stmt in &block.stmts {
                    walk.result.clear();
                    walk.visit_stmt(stmt);
                }
            })
        })
    }

    /// Reads something that may hold an attribute which is a macro. Such a macro makes anything of `owner`.
    fn owner(&mut self, owner: impl ToTokens, read: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.within.changed, false);
        read(self);
        if self.within.changed && mentions_self(owner.to_token_stream()) {
            self.whole(false);
        }
        self.within.changed = before;
    }

    /// Reads what a macro of the user's is given, or text that cannot be parsed.
    fn unknown(&mut self, tokens: TokenStream) {
        let before = std::mem::replace(&mut self.within.unknown, true);
        for piece in pieces(tokens) {
            match syn::parse2(piece.clone()) {
                Ok(expr) => self.given(&expr),
                Err(_) => self.raw(piece),
            }
        }
        self.within.unknown = before;
    }

    /// Reads an expression that a macro of the user's is given, perhaps as a place.
    fn given(&mut self, expr: &Expr) {
        match expr {
            Expr::Paren(inner) => self.given(&inner.expr),
            Expr::Group(inner) => self.given(&inner.expr),
            Expr::Tuple(tuple) => tuple.elems.iter().for_each(|expr| self.given(expr)),
            Expr::Array(array) => array.elems.iter().for_each(|expr| self.given(expr)),
            expr => {
                self.gives(expr);
                self.visit_expr(expr);
            }
        }
    }

    fn gives(&mut self, expr: &Expr) {
        if let Some(field) = Place::of(expr).and_then(|place| self.fields.position(place.name))
            && !self.fields.is_atomic(field)
        {
            self.facts.given |= 1 << field;
        }
    }

    /// Reads tokens that are no expression: each `self.field` is perhaps changed, and each operation in them perhaps done
    /// to each atomic that they name.
    fn raw(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is = |n: Option<usize>, c: char| {
            matches!(n.and_then(|n| tokens.get(n)), Some(TokenTree::Punct(punct)) if punct.as_char() == c)
        };
        let (mut values, mut operations) = (Vec::new(), 0);
        for (n, token) in tokens.iter().enumerate() {
            let name = match token {
                TokenTree::Ident(name) => name,
                TokenTree::Group(group) => {
                    // A macro within it, or what becomes one.
                    self.facts.hidden |= is(n.checked_sub(1), '!') && !mentions_self(group.stream());
                    self.unknown(group.stream());
                    continue;
                }
                TokenTree::Literal(_) => {
                    self.facts.formats_self |= mentions_self(token.to_token_stream());
                    continue;
                }
                TokenTree::Punct(_) => continue,
            };
            let is_member = is(n.checked_sub(1), '.') && !is(n.checked_sub(2), '.');
            let on_self = is_member && matches!(&tokens[..n - 1], [.., TokenTree::Ident(of)] if of == "self");
            let text = plain_name(name);
            match parenthesised(tokens.get(n + 1)) {
                Some(arguments) if is_member => {
                    let count = pieces(arguments.clone()).len() - usize::from(arguments.is_empty());
                    match names::atomic_operation(&text, count) {
                        Some(operation) => operations |= operation.bits,
                        None => values.push(Name::Other(text)),
                    }
                    self.call(name, if on_self { How::OnSelf } else { How::OnOther });
                    if on_self {
                        self.facts.calls.push(name.clone());
                    }
                }
                _ if on_self => match self.fields.position(name) {
                    Some(field) if self.fields.is_atomic(field) => {
                        self.facts.touches |= 1 << field;
                        values.push(Name::Own(text));
                    }
                    Some(field) => {
                        self.facts.touches |= 1 << field;
                        self.facts.given |= 1 << field;
                    }
                    None => {}
                },
                _ if name == "self" => {
                    let is_looked_into = is(Some(n + 1), '.') && matches!(tokens.get(n + 2), Some(TokenTree::Ident(_)));
                    self.facts.whole = true;
                    self.facts.escapes |= !is_looked_into;
                }
                _ => {
                    self.facts.loops |= ["for", "while", "loop"].contains(&&*text);
                    self.binds_mutably |= text == "mut" && matches!(n.checked_sub(1).map(|n| &tokens[n]), Some(TokenTree::Ident(by)) if by == "ref");
                    self.bare.insert(text);
                }
            }
        }
        for value in &values {
            self.operate_on(value, operations);
        }
        self.unresolved |= operations;
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
        // `let near = self.near[k];`
        if let (Pat::Ident(name), Some(init)) = (&local.pat, &local.init)
            && self.is_link_of_array(&init.expr)
        {
            self.links.insert(plain_name(&name.ident));
        }
    }

    fn visit_pat(&mut self, pattern: &Pat) {
        if let Pat::Ident(name) = pattern {
            self.binds_mutably |= name.by_ref.is_some() && name.mutability.is_some();
            self.bare.insert(plain_name(&name.ident));
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
        match attributes::kind_of(attribute) {
            Kind::Plain => return,
            // On a statement it is the tool's own, since no macro may stand there.
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
                // What defines a macro is none; its calls are.
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

    /// What `syn` leaves unread.
    fn visit_token_stream(&mut self, tokens: &TokenStream) {
        match mentions_self(tokens.clone()) {
            true => self.facts.whole = true,
            false => self.facts.hidden = true,
        }
        self.raw(tokens.clone());
    }
}

/// Whether it is `self`, `*self`, …
fn is_dereferenced_self(expr: &Expr) -> bool {
    match expr {
        Expr::Unary(inner) => matches!(inner.op, syn::UnOp::Deref(_)) && is_dereferenced_self(&inner.expr),
        expr => own(expr).is_some(),
    }
}

/// The variables of a pattern, and the names of the fields that they are of.
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
