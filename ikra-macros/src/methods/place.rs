//! Place expressions within the object itself, such as `self.pos[0].x`.

use proc_macro2::Ident;
use syn::{BinOp, Expr, Member, UnOp};

/// A field of `self`, or a part of one.
pub(super) struct Place<'a> {
    /// The `self` token.
    pub(super) own: &'a Ident,
    pub(super) name: &'a Ident,
    /// Whether it is an element of the field, or inside one.
    pub(super) is_element: bool,
    /// Whether it is inside a member of the field's value.
    pub(super) is_within: bool,
    /// Whether it contains a dereference, `*`.
    pub(super) is_behind: bool,
}

impl<'a> Place<'a> {
    /// Whether it is the whole field.
    pub(super) fn is_whole(&self) -> bool {
        !self.is_element && !self.is_within
    }

    /// The place that an expression denotes, if any.
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

/// The `self` token, if the expression is one.
pub(super) fn own(expr: &Expr) -> Option<&Ident> {
    match expr {
        Expr::Path(path) if path.qself.is_none() => path.path.get_ident().filter(|name| *name == "self"),
        Expr::Group(inner) => own(&inner.expr),
        _ => None,
    }
}

/// Whether the operator is a compound assignment.
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
