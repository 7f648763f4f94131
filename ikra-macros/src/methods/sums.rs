//! The fields to which a kernel for pairs only adds, as its text shows it: sums over the other objects.
//!
//! On a device several threads may then call the kernel for one object (`ikra-core/src/sums.rs`). A field counts if a call adds
//! to it, or to each of its elements, at most once, and if nothing reads it:
//!
//! | in the body, or in a method that it calls once | |
//! | --- | --- |
//! | `self.sum += x;` | outside of loops and closures |
//! | `self.sum[0] += x; self.sum[1] -= y;` | each number once |
//! | `for k in 0..3 { self.sum[k] += x[k]; }` | by the variable of a loop over a range |
//!
//! Memory safety does not depend on it. Where the text does not show it, no field counts.

use std::collections::BTreeSet;

use proc_macro2::Ident;
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ExprBinary, ExprClosure, ExprField, ExprForLoop, ExprLoop, ExprMethodCall, ExprPath};
use syn::{ExprWhile, Item, Lit, Member, Pat};

use super::model::{Block, Method};
use super::often::{OF_OBJECTS, mentions, repeating};
use super::place::{Place, own};
use super::plain_name;

/// The positions of these fields, as bits.
pub(super) fn of(block: &Block, method: &Method) -> u64 {
    let mut sums =
        Sums { block, entered: Vec::new(), added: BTreeSet::new(), used: 0, repeats: 0, over: None, selves: 0 };
    if !sums.enter(method) {
        return 0;
    }
    let mut found = 0;
    for (field, part) in &sums.added {
        // A number by itself and one of its elements, or elements by a number and by a variable, may be the same.
        let is_only = |(other, of): &(usize, Part)| other != field || of == part || part.differs(of);
        if sums.added.iter().all(is_only) {
            found |= 1 << field;
        }
    }
    found & !sums.used
}

/// The part of a field to which something is added.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// The field.
    Whole,
    /// The element with this number.
    Element(usize),
    /// Each element of a range.
    Each,
}

impl Part {
    fn differs(self, other: &Self) -> bool {
        matches!((self, other), (Self::Element(a), Self::Element(b)) if a != *b)
    }
}

struct Sums<'a> {
    block: &'a Block,
    /// The methods whose bodies are being read or were read.
    entered: Vec<String>,
    /// The places to which a call adds once.
    added: BTreeSet<(usize, Part)>,
    /// The fields with another use, as bits.
    used: u64,
    /// The number of enclosing loops, closures and items.
    repeats: u32,
    /// The variable of the enclosing loop over a range, if that is all that is repeated.
    over: Option<String>,
    /// The uses of `self` that were read in the current body.
    selves: u32,
}

impl Sums<'_> {
    /// Reads the body of a method that is called at most once. Returns whether all of it can be read.
    fn enter(&mut self, method: &Method) -> bool {
        let (facts, name) = (&method.facts, plain_name(&method.item.sig.ident));
        if facts.escapes || facts.whole || facts.hidden || facts.formats_self || self.entered.contains(&name) {
            return false;
        }
        self.entered.push(name);
        let outer = std::mem::take(&mut self.selves);
        self.visit_block(&method.item.block);
        // The text of macros has further uses.
        let is_read = mentions("self", method.item.block.to_token_stream()) == self.selves;
        self.selves = outer;
        is_read
    }

    fn repeated(&mut self, visit: impl FnOnce(&mut Self)) {
        self.repeats += 1;
        let over = self.over.take();
        visit(self);
        self.over = over;
        self.repeats -= 1;
    }

    /// The field of `self.field`, by position.
    fn field(&self, expr: &Expr) -> Option<usize> {
        let place = Place::of(expr).filter(|place| place.is_whole() && !place.is_behind)?;
        self.block.fields.position(place.name)
    }

    /// The place, if what is added to it is added once in a call.
    fn place(&self, place: &Expr) -> Option<(usize, Part)> {
        if let Expr::Index(index) = place {
            let field = self.field(&index.expr)?;
            return match &*index.index {
                Expr::Lit(number) if self.repeats == 0 => match &number.lit {
                    Lit::Int(number) => Some((field, Part::Element(number.base10_parse().ok()?))),
                    _ => None,
                },
                Expr::Path(path) if self.repeats == 1 && self.over.is_some() => {
                    (path.path.get_ident().map(plain_name) == self.over).then_some((field, Part::Each))
                }
                _ => None,
            };
        }
        if self.repeats == 0 { Some((self.field(place)?, Part::Whole)) } else { None }
    }
}

/// The variable of a loop over a range whose body only reads it.
fn variable(node: &ExprForLoop) -> Option<String> {
    /// Counts the expressions that are a variable.
    struct Reads<'a>(&'a Ident, u32);
    impl<'ast> Visit<'ast> for Reads<'_> {
        fn visit_expr_path(&mut self, path: &'ast ExprPath) {
            self.1 += u32::from(path.path.is_ident(self.0));
        }
    }
    let Pat::Ident(pat) = &*node.pat else { return None };
    let mut range = &*node.expr;
    while let Expr::Paren(inner) = range {
        range = &inner.expr;
    }
    if !matches!(range, Expr::Range(_)) || pat.mutability.is_some() || pat.by_ref.is_some() || pat.subpat.is_some() {
        return None;
    }
    let mut reads = Reads(&pat.ident, 0);
    reads.visit_block(&node.body);
    let name = plain_name(&pat.ident);
    // Any other mention may declare another variable.
    (mentions(&name, node.body.to_token_stream()) == reads.1).then_some(name)
}

impl<'ast> Visit<'ast> for Sums<'_> {
    fn visit_expr_binary(&mut self, binary: &'ast ExprBinary) {
        if matches!(binary.op, BinOp::AddAssign(_) | BinOp::SubAssign(_))
            && let Some((field, part)) = self.place(&binary.left)
        {
            self.selves += 1;
            if !self.added.insert((field, part)) {
                self.used |= 1 << field;
            }
            self.visit_expr(&binary.right);
        } else {
            visit::visit_expr_binary(self, binary);
        }
    }
    fn visit_expr_field(&mut self, node: &'ast ExprField) {
        if own(&node.base).is_none() {
            return visit::visit_expr_field(self, node);
        }
        self.selves += 1;
        let position = match &node.member {
            Member::Named(name) => self.block.fields.position(name),
            Member::Unnamed(_) => None,
        };
        self.used |= position.map_or(u64::MAX, |field| 1 << field);
    }
    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if own(&call.receiver).is_none() {
            return visit::visit_expr_method_call(self, call);
        }
        self.selves += 1;
        call.args.iter().for_each(|arg| self.visit_expr(arg));
        let is_read = match self.block.named(&call.method) {
            Some(method) => self.repeats == 0 && self.enter(method),
            None => OF_OBJECTS.contains(&&*plain_name(&call.method)),
        };
        if !is_read {
            self.used = u64::MAX;
        }
    }
    fn visit_expr_for_loop(&mut self, node: &'ast ExprForLoop) {
        self.visit_expr(&node.expr);
        let over = (self.repeats == 0).then(|| variable(node)).flatten();
        self.repeated(|sums| {
            sums.over = over;
            sums.visit_block(&node.body);
        });
    }
    repeating!(visit_expr_while: ExprWhile, visit_expr_loop: ExprLoop, visit_expr_closure: ExprClosure, visit_item: Item);
}
