//! For the device: gives the iterations of a loop a single end, from which the next iteration starts.
//!
//! A `continue`, or an `if` at the end of a loop's body, is a separate branch back to the loop's head. LLVM makes
//! nested loops of such branches. The threads of a warp then wait for the threads that stay in the inner loop. So all
//! paths join at the end of the body, at `::ikra::rt::turn_end()`, which generates no device instruction:
//!
//! | in the body | becomes |
//! | --- | --- |
//! | `for x in xs { if a { continue; } f(x); }` | `for x in xs { 'turn: { if a { break 'turn; } f(x); } turn_end(); }` |
//! | `break` in a loop with a `continue` | `break 'around`, with `'around` before the loop |
//! | a body without `continue` that ends with an `if` or a `match` | the body, followed by `turn_end();` |

#[cfg(test)]
mod tests;

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{
    Block, Expr, ExprAsync, ExprBreak, ExprClosure, ExprContinue, ExprForLoop, ExprLoop, ExprWhile, Item, Label,
    Lifetime, Macro, Stmt, parse_quote_spanned,
};

use super::{names, plain_name};
use crate::diagnostics::located;

/// Joins all paths back to the loop's head, for every loop of a body.
pub(super) fn join(body: &mut Block) {
    Turns { loops: 0 }.visit_block_mut(body);
}

struct Turns {
    loops: usize,
}

impl Turns {
    fn join(&mut self, label: &mut Option<Label>, body: &mut Block) {
        let own = label.as_ref().map(|label| label.name.clone());
        let Ways { continues, breaks, hidden, .. } = Ways::of(own.as_ref(), body);
        let at = located(&*body);
        let end: Stmt = parse_quote_spanned!(at=> #[allow(unreachable_code)] ::ikra::rt::turn_end(););
        if !continues || hidden {
            if continues || ends(body) > 1 {
                *body = parse_quote_spanned!(at=> { #body #end });
            }
            return;
        }
        self.loops += 1;
        let name = |what| Lifetime::new(&format!("'__{what}{}", self.loops), Span::mixed_site().located_at(at));
        let (turn, around) = (name("turn"), own.clone().unwrap_or_else(|| name("around")));
        Leads { own, turn: turn.clone(), around: around.clone(), nested: false }.visit_block_mut(body);
        if breaks && label.is_none() {
            *label = Some(Label { name: around, colon_token: Default::default() });
        }
        *body = parse_quote_spanned!(at=> { #turn: #body #end });
    }
}

impl VisitMut for Turns {
    fn visit_item_mut(&mut self, _: &mut Item) {}

    fn visit_expr_for_loop_mut(&mut self, expr: &mut ExprForLoop) {
        visit_mut::visit_expr_for_loop_mut(self, expr);
        self.join(&mut expr.label, &mut expr.body);
    }
    fn visit_expr_while_mut(&mut self, expr: &mut ExprWhile) {
        visit_mut::visit_expr_while_mut(self, expr);
        self.join(&mut expr.label, &mut expr.body);
    }
    fn visit_expr_loop_mut(&mut self, expr: &mut ExprLoop) {
        visit_mut::visit_expr_loop_mut(self, expr);
        self.join(&mut expr.label, &mut expr.body);
    }
}

/// The number of paths through a block to its end, judged by its last statement.
fn ends(block: &Block) -> usize {
    match block.stmts.last() {
        Some(Stmt::Expr(last, _)) => ends_of(last),
        _ => 1,
    }
}

fn ends_of(expr: &Expr) -> usize {
    match expr {
        Expr::If(expr) => ends(&expr.then_branch) + expr.else_branch.as_ref().map_or(1, |(_, other)| ends_of(other)),
        Expr::Match(expr) => expr.arms.iter().map(|arm| ends_of(&arm.body)).sum(),
        Expr::Block(expr) => ends(&expr.block),
        Expr::Break(_) | Expr::Continue(_) | Expr::Return(_) => 0,
        _ => 1,
    }
}

/// The jumps from a loop's body to its next iteration, and out of the loop.
struct Ways<'a> {
    own: Option<&'a Lifetime>,
    nested: bool,
    continues: bool,
    breaks: bool,
    /// A macro may contain more jumps.
    hidden: bool,
}

impl<'a> Ways<'a> {
    fn of(own: Option<&'a Lifetime>, body: &Block) -> Self {
        let mut ways = Ways { own, nested: false, continues: false, breaks: false, hidden: false };
        ways.visit_block(body);
        ways
    }

    fn inside(&mut self, look: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.nested, true);
        look(self);
        self.nested = before;
    }
}

impl Visit<'_> for Ways<'_> {
    fn visit_item(&mut self, _: &Item) {}
    fn visit_expr_closure(&mut self, _: &ExprClosure) {}
    fn visit_expr_async(&mut self, _: &ExprAsync) {}

    fn visit_expr_for_loop(&mut self, expr: &ExprForLoop) {
        self.visit_expr(&expr.expr);
        self.inside(|ways| ways.visit_block(&expr.body));
    }
    fn visit_expr_while(&mut self, expr: &ExprWhile) {
        self.inside(|ways| visit::visit_expr_while(ways, expr));
    }
    fn visit_expr_loop(&mut self, expr: &ExprLoop) {
        self.inside(|ways| ways.visit_block(&expr.body));
    }
    fn visit_expr_continue(&mut self, expr: &ExprContinue) {
        self.continues |= is_own(expr.label.as_ref(), self.own, self.nested);
    }
    fn visit_expr_break(&mut self, expr: &ExprBreak) {
        self.breaks |= expr.label.is_none() && !self.nested;
        visit::visit_expr_break(self, expr);
    }
    fn visit_macro(&mut self, called: &Macro) {
        // A macro of the standard library jumps only if its arguments do; any other macro may jump.
        let name = called.path.segments.last().map(|last| plain_name(&last.ident));
        let known = name.is_some_and(|name| names::standard_macro(&name).is_some());
        self.hidden |= !known || leaves(called.tokens.clone());
    }
}

fn leaves(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(word) => word == "break" || word == "continue",
        TokenTree::Group(group) => leaves(group.stream()),
        _ => false,
    })
}

/// Whether a `continue` belongs to the loop.
fn is_own(label: Option<&Lifetime>, own: Option<&Lifetime>, nested: bool) -> bool {
    match label {
        None => !nested,
        Some(label) => own == Some(label),
    }
}

/// Redirects each `continue` to the end of the iteration.
struct Leads {
    own: Option<Lifetime>,
    turn: Lifetime,
    around: Lifetime,
    nested: bool,
}

impl Leads {
    fn inside(&mut self, label: Option<&Label>, lead: impl FnOnce(&mut Self)) {
        let own = self.own.clone();
        if label.map(|label| &label.name) == own.as_ref() {
            // An inner loop shadows the label.
            self.own = None;
        }
        let before = std::mem::replace(&mut self.nested, true);
        lead(self);
        self.nested = before;
        self.own = own;
    }
}

impl VisitMut for Leads {
    fn visit_item_mut(&mut self, _: &mut Item) {}
    fn visit_expr_closure_mut(&mut self, _: &mut ExprClosure) {}
    fn visit_expr_async_mut(&mut self, _: &mut ExprAsync) {}

    fn visit_expr_for_loop_mut(&mut self, expr: &mut ExprForLoop) {
        self.visit_expr_mut(&mut expr.expr);
        self.inside(expr.label.as_ref(), |leads| leads.visit_block_mut(&mut expr.body));
    }
    fn visit_expr_while_mut(&mut self, expr: &mut ExprWhile) {
        let ExprWhile { label, cond, body, .. } = expr;
        self.inside(label.as_ref(), |leads| {
            leads.visit_expr_mut(cond);
            leads.visit_block_mut(body);
        });
    }
    fn visit_expr_loop_mut(&mut self, expr: &mut ExprLoop) {
        self.inside(expr.label.as_ref(), |leads| leads.visit_block_mut(&mut expr.body));
    }
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Expr::Continue(way) = expr
            && is_own(way.label.as_ref(), self.own.as_ref(), self.nested)
        {
            let (at, turn) = (way.continue_token.span, &self.turn);
            *expr = parse_quote_spanned!(at=> break #turn);
            return;
        }
        if let Expr::Break(way) = expr
            && way.label.is_none()
            && !self.nested
        {
            way.label = Some(self.around.clone());
        }
        visit_mut::visit_expr_mut(self, expr);
    }
}
