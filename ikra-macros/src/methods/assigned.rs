//! Where a method assigns to its own fields: after each statement that does so stands a mark,
//! `::ikra::rt::Own::assign::<3>(&mut self.__object);`.
//!
//! On the device a field is stored where it was assigned, and only there. Nothing relies on the marks: where a field changes
//! and no mark says so, in a closure or by a macro, what it is then is compared with what it was before.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Arm, BinOp, Block, Expr, ExprClosure, Ident, Item, Macro, Member, Stmt, parse_quote_spanned};

use super::Fields;
use super::access::{is_mutator, plain_name};
use crate::diagnostics::located;

/// The body with marks.
pub(super) fn marked(body: &Block, fields: &Fields) -> TokenStream {
    let mut body = body.clone();
    Marker { fields }.visit_block_mut(&mut body);
    body.into_token_stream()
}

struct Marker<'a> {
    fields: &'a Fields,
}

impl Marker<'_> {
    /// Marks for what a statement or expression assigns, if it ends at all.
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

/// Whether it is an assignment, whose value nobody needs.
fn is_assignment(expr: &Expr) -> bool {
    match expr {
        Expr::Assign(_) => true,
        Expr::Binary(binary) => is_compound(binary.op),
        _ => false,
    }
}

fn is_compound(op: BinOp) -> bool {
    use BinOp::*;
    matches!(
        op,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitXorAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}

/// Whether nothing comes after it.
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

/// What a statement assigns, without the blocks in it.
struct Finder<'a> {
    fields: &'a Fields,
    found: BTreeMap<usize, Change>,
}

/// A change of a field, with the `self` of which it is.
struct Change {
    own: Ident,
    name: Ident,
    how: How,
}

/// How a statement changes a field.
#[derive(Clone, Copy, PartialEq)]
enum How {
    /// It assigns it.
    Whole,
    /// It assigns a part of it.
    Part,
    /// It lends it: what it is then is not looked at, since it may be lent still.
    Lent,
}

impl Finder<'_> {
    /// Notes the field that a place is, or is a part of.
    fn place(&mut self, mut place: &Expr, mut how: How) {
        let whole = how;
        let part = |how| if how == How::Lent { How::Lent } else { How::Part };
        loop {
            place = match place {
                Expr::Paren(inner) => &inner.expr,
                Expr::Group(inner) => &inner.expr,
                Expr::Index(index) => {
                    how = part(how);
                    &index.expr
                }
                Expr::Tuple(tuple) => return tuple.elems.iter().for_each(|place| self.place(place, whole)),
                Expr::Field(field) => {
                    if let (Expr::Path(path), Member::Named(name)) = (&*field.base, &field.member) {
                        let own = path.path.get_ident().filter(|own| *own == "self");
                        if let (Some(own), Some(position)) = (own, self.fields.position(name)) {
                            let change = Change { own: own.clone(), name: name.clone(), how };
                            let known = self.found.entry(position).or_insert(change);
                            if how == How::Lent {
                                known.how = how;
                            }
                        }
                        return;
                    }
                    how = part(how);
                    &field.base
                }
                _ => return,
            };
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
            Expr::MethodCall(call) if is_mutator(&plain_name(&call.method)) => self.place(&call.receiver, How::Lent),
            _ => {}
        }
        visit::visit_expr(self, expr);
    }
}
