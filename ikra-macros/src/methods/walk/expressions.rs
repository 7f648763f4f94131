//! Expressions: the fields that they change, and the atomics that they may denote.

use syn::visit::{self, Visit};
use syn::{BinOp, Block, Expr, ExprPath, Member, PointerMutability, UnOp};

use super::{Name, Names, Walk};
use crate::methods::facts::How;
use crate::methods::place::{Place, is_compound, own};
use crate::methods::{Shown, attributes, plain_name};

impl Walk<'_> {
    /// Records a change of a place, by a method call or otherwise.
    pub(super) fn changes(&mut self, place: &Expr, by_method: bool) {
        let Some(Place { name, is_element, is_within, .. }) = Place::of(place) else { return };
        let Some(field) = self.fields.position(name) else { return };
        let kind = self.fields.kind(field);
        let has_none = by_method && !is_within && !kind.has_mutators(is_element);
        if !self.fields.is_atomic(field) && !has_none {
            self.facts.writes |= 1 << field;
        }
    }

    /// Records a change of the left side of `=`.
    pub(super) fn assigns(&mut self, left: &Expr) {
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

    /// Records a change of the operand of `&mut`, or of the receiver if a method returns the borrow.
    pub(super) fn borrows(&mut self, place: &Expr) {
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

    /// Visits an expression in value position. Returns the values that it may have.
    pub(super) fn value(&mut self, expr: &Expr) -> Names {
        for attribute in attributes::of(expr) {
            self.visit_attribute(attribute);
        }
        if !self.within.unknown && !self.within.item {
            let mistake = self.ordinary.mistake(self.fields, expr);
            self.mistakes.extend(mistake.or_else(|| match expr {
                Expr::Assign(assign) => self.assigned(&assign.left, Some(&assign.right)),
                Expr::Binary(binary) if is_compound(binary.op) => self.assigned(&binary.left, None),
                Expr::Binary(binary) if matches!(binary.op, BinOp::Eq(_) | BinOp::Ne(_)) => self.compared(binary),
                Expr::MethodCall(call) => self.stored(call).or_else(|| self.unloaded(call)).or_else(|| self.got(call)),
                Expr::Let(condition) => self.matched(&condition.pat, &condition.expr),
                _ => None,
            }));
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
                self.binds(&condition.pat, self.shown(&condition.expr));
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
                walk.binds(&turns.pat, walk.lists_objects(&turns.expr).then_some(Shown::OBJECT));
                walk.block(&turns.body);
                Vec::new()
            }),
            Expr::Loop(turns) => {
                self.facts.loops = true;
                // The value of a `loop` comes from a `break` inside it.
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
                        walk.binds(&arm.pat, walk.shown(&matched.expr));
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
            // Every other expression combines the values of its parts.
            other => self.collect(|walk| visit::visit_expr(walk, other)),
        }
    }

    /// Visits the base of a field access, an index or a method call.
    pub(super) fn looked_into(&mut self, expr: &Expr) -> Names {
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

    pub(super) fn path(&mut self, path: &ExprPath) -> Names {
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

    /// Visits a block. Returns the values of its last statement.
    pub(super) fn block(&mut self, block: &Block) -> Names {
        self.scope(|walk| {
            walk.collect(|walk| {
                for stmt in &block.stmts {
                    walk.result.clear();
                    walk.visit_stmt(stmt);
                }
            })
        })
    }
}

/// Whether the expression is `self`, `*self`, …
fn is_dereferenced_self(expr: &Expr) -> bool {
    match expr {
        Expr::Unary(inner) => matches!(inner.op, UnOp::Deref(_)) && is_dereferenced_self(&inner.expr),
        expr => own(expr).is_some(),
    }
}
