//! Expressions that are a field of the object itself, or a part of one: `self.pos[0].x`.

use proc_macro2::Ident;
use syn::{BinOp, Expr, Member, UnOp};

/// A field of `self`, or a part of one.
pub(super) struct Place<'a> {
    /// The `self`.
    pub(super) own: &'a Ident,
    pub(super) name: &'a Ident,
    /// Whether it is an element of the field, or in one.
    pub(super) is_element: bool,
    /// Whether it is in a field of the field.
    pub(super) is_within: bool,
    /// Whether it is behind a `*`.
    pub(super) is_behind: bool,
}

impl<'a> Place<'a> {
    /// Whether it is the whole field.
    pub(super) fn is_whole(&self) -> bool {
        !self.is_element && !self.is_within
    }

    /// The place that an expression is, if it is one.
    pub(super) fn of(expr: &'a Expr) -> Option<Self> {
        let inner = match expr {
            Expr::Paren(inner) => return Self::of(&inner.expr),
            Expr::Group(inner) => return Self::of(&inner.expr),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => {
                return Some(Self { is_behind: true, ..Self::of(&unary.expr)? });
            }
            Expr::Index(index) => return Some(Self { is_element: true, ..Self::of(&index.expr)? }),
            Expr::Field(field) => field,
            _ => return None,
        };
        match (own(&inner.base), &inner.member) {
            (Some(own), Member::Named(name)) => {
                Some(Self { own, name, is_element: false, is_within: false, is_behind: false })
            }
            (Some(_), Member::Unnamed(_)) => None,
            (None, _) => Some(Self { is_within: true, ..Self::of(&inner.base)? }),
        }
    }
}

/// The `self` that an expression is.
pub(super) fn own(expr: &Expr) -> Option<&Ident> {
    match expr {
        Expr::Path(path) if path.qself.is_none() => path.path.get_ident().filter(|name| *name == "self"),
        Expr::Group(inner) => own(&inner.expr),
        _ => None,
    }
}

/// Whether it is a compound assignment.
pub(super) fn is_compound(op: BinOp) -> bool {
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
