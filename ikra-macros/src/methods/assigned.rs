//! For the device: marks where a method assigns its own fields. Each such statement is followed by a mark,
//! `::ikra::rt::Own::assign::<3>(&mut self.__object);`.
//!
//! The device stores a field right after its assignment, and nowhere else. Correctness does not depend on the marks. If
//! a field changes without a mark, in a closure or a macro, its final value is compared with its initial value.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Arm, Block, Expr, ExprClosure, Ident, Item, Macro, Stmt, parse_quote_spanned};

use super::names::{self, Is};
use super::place::{Place, is_compound};
use super::{Fields, plain_name};
use crate::diagnostics::located;

/// Inserts the marks into a body.
pub(super) fn mark(body: &mut Block, fields: &Fields) {
    Marker { fields }.visit_block_mut(body);
}

struct Marker<'a> {
    fields: &'a Fields,
}

impl Marker<'_> {
    /// Marks for the fields that a statement or expression assigns.
    fn marks(&self, look: impl FnOnce(&mut Finder<'_>)) -> Vec<Stmt> {
        let mut finder = Finder { fields: self.fields, found: BTreeMap::new() };
        look(&mut finder);
        let marks = finder.found.into_iter().map(|(field, Change { own, name, how })| {
            let at = located(&own);
            match how {
                How::Whole => {
                    parse_quote_spanned!(at=> ::ikra::rt::Own::assign::<#field>(&mut #own.__object, #own.#name);)
                }
                How::Part => {
                    parse_quote_spanned!(at=> ::ikra::rt::Own::assign_part::<#field>(&mut #own.__object, &#own.#name);)
                }
                How::Lent => parse_quote_spanned!(at=> ::ikra::rt::Own::lend::<#field>(&mut #own.__object);),
            }
        });
        marks.collect()
    }
}

/// Whether the expression is an assignment, whose value is `()`.
fn is_assignment(expr: &Expr) -> bool {
    match expr {
        Expr::Assign(_) => true,
        Expr::Binary(binary) => is_compound(binary.op),
        _ => false,
    }
}

/// Whether control flow never continues after the expression.
fn ends(expr: &Expr) -> bool {
    matches!(expr, Expr::Return(_) | Expr::Break(_) | Expr::Continue(_))
}

impl VisitMut for Marker<'_> {
    fn visit_item_mut(&mut self, _: &mut Item) {}

    fn visit_expr_closure_mut(&mut self, _: &mut ExprClosure) {}

    fn visit_arm_mut(&mut self, arm: &mut Arm) {
        visit_mut::visit_arm_mut(self, arm);
        if is_assignment(&arm.body) {
            let body = &arm.body;
            let marks = self.marks(|finder| finder.visit_expr(body));
            if !marks.is_empty() {
                let at = located(body);
                *arm.body = parse_quote_spanned!(at=> { #body; #(#marks)* });
            }
        }
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        visit_mut::visit_block_mut(self, block);
        for stmt in std::mem::take(&mut block.stmts) {
            let marks = match &stmt {
                Stmt::Local(local) => self.marks(|finder| finder.visit_local(local)),
                Stmt::Expr(expr, Some(_)) if !ends(expr) => self.marks(|finder| finder.visit_expr(expr)),
                Stmt::Expr(expr, None) if is_assignment(expr) => self.marks(|finder| finder.visit_expr(expr)),
                _ => Vec::new(),
            };
            block.stmts.push(match stmt {
                Stmt::Expr(expr, None) if !marks.is_empty() => Stmt::Expr(expr, Some(<syn::Token![;]>::default())),
                stmt => stmt,
            });
            block.stmts.extend(marks);
        }
    }
}

/// Finds the fields that a statement assigns, without the blocks inside it.
struct Finder<'a> {
    fields: &'a Fields,
    found: BTreeMap<usize, Change>,
}

/// A change of a field, with its `self` token.
struct Change {
    own: Ident,
    name: Ident,
    how: How,
}

/// How a statement changes a field.
#[derive(Clone, Copy, PartialEq)]
enum How {
    /// The whole field is assigned.
    Whole,
    /// A part of the field is assigned.
    Part,
    /// The field is lent. Its value is not read at this point, since the borrow may still be alive.
    Lent,
}

impl Finder<'_> {
    /// Records the field that a place expression names, or is a part of.
    fn place(&mut self, place: &Expr, how: How) {
        match place {
            Expr::Paren(inner) => return self.place(&inner.expr, how),
            Expr::Group(inner) => return self.place(&inner.expr, how),
            Expr::Tuple(tuple) => return tuple.elems.iter().for_each(|place| self.place(place, how)),
            _ => {}
        }
        let Some(place) = Place::of(place).filter(|place| !place.is_behind) else { return };
        let Some(position) = self.fields.position(place.name) else { return };
        let how = if how == How::Lent || place.is_whole() { how } else { How::Part };
        let change = Change { own: place.own.clone(), name: place.name.clone(), how };
        let known = self.found.entry(position).or_insert(change);
        if how == How::Lent {
            known.how = how;
        }
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_block(&mut self, _: &'ast Block) {}
    fn visit_arm(&mut self, _: &'ast Arm) {}
    fn visit_item(&mut self, _: &'ast Item) {}
    fn visit_macro(&mut self, _: &'ast Macro) {}
    fn visit_expr_closure(&mut self, _: &'ast ExprClosure) {}

    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Assign(assign) => self.place(&assign.left, How::Whole),
            Expr::Binary(binary) if is_compound(binary.op) => self.place(&binary.left, How::Whole),
            Expr::Reference(reference) if reference.mutability.is_some() => self.place(&reference.expr, How::Lent),
            Expr::MethodCall(call) if names::is(&plain_name(&call.method), Is::Mutator) => {
                self.place(&call.receiver, How::Lent);
            }
            _ => {}
        }
        visit::visit_expr(self, expr);
    }
}
