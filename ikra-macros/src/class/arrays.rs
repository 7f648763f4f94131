//! `#[inline_array]`: how an array field is laid out in columns.

use quote::quote;
use syn::{
    Attribute, Expr, ExprGroup, ExprLit, ExprParen, GenericArgument, Lit, Meta, PathArguments, Type, TypeGroup,
    TypeParen,
};

use super::model::{StorageKind, check_mode};
use crate::diagnostics::Errors;

/// The argument of the attribute.
pub(crate) enum Inlining {
    /// `#[inline_array]`
    Full,
    /// `#[inline_array(object)]`
    Object,
    /// `#[inline_array(4)]`, `#[inline_array(SLOTS)]`
    Slots(Box<Expr>),
}

/// How an inner array is laid out in columns.
pub(crate) enum Arrangement {
    /// A column per slot.
    Full { element: Type, len: Expr },
    /// A column of arrays.
    Whole { element: Type, len: Expr },
    /// A few columns for the first slots; the arena holds the remaining elements.
    Partly { element: Type, slots: Expr },
}

const FORMS: &str = "write `#[inline_array]` on `[T; N]` for a column per slot, `#[inline_array(object)]` on `[T; N]` for a column of arrays, `#[inline_array(4)]` on `InnerArray<T>` for 4 slots and the rest in the arena";

/// Parses the attribute.
pub(crate) fn array_attribute(attr: &Attribute) -> syn::Result<Inlining> {
    if let Meta::Path(_) = attr.meta {
        return Ok(Inlining::Full);
    }
    let size = match &attr.meta {
        Meta::List(_) => {
            ungrouped_expr(attr.parse_args::<Expr>().map_err(|error| syn::Error::new(error.span(), FORMS))?)
        }
        _ => return Err(syn::Error::new_spanned(attr, FORMS)),
    };
    match &size {
        Expr::Path(path) if path.path.is_ident("object") => Ok(Inlining::Object),
        // A number or a constant: the compiler evaluates it.
        Expr::Path(_) => Ok(Inlining::Slots(Box::new(size))),
        Expr::Lit(ExprLit { lit: Lit::Int(slots), .. }) => match slots.base10_parse::<usize>() {
            Ok(0..256) => Ok(Inlining::Slots(Box::new(size))),
            _ => Err(syn::Error::new_spanned(&size, "at most 255 elements of an array can be inlined")),
        },
        _ => Err(syn::Error::new_spanned(
            &size,
            "the number of inlined elements is a number or the name of a constant: it decides how storage is laid out",
        )),
    }
}

/// Removes the invisible group around an expression that a macro passed on.
fn ungrouped_expr(mut expr: Expr) -> Expr {
    while let Expr::Group(ExprGroup { expr: inner, .. }) | Expr::Paren(ExprParen { expr: inner, .. }) = expr {
        expr = *inner;
    }
    expr
}

/// Removes the invisible group around a type that a macro passed on.
pub(crate) fn ungrouped(mut ty: &Type) -> &Type {
    while let Type::Group(TypeGroup { elem, .. }) | Type::Paren(TypeParen { elem, .. }) = ty {
        ty = elem;
    }
    ty
}

/// The `T` if the type is `InnerArray<T>`; the inner `None` means that `T` is missing.
pub(crate) fn inner_array(ty: &Type) -> Option<Option<&Type>> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "InnerArray")?;
    let PathArguments::AngleBracketed(args) = &last.arguments else { return Some(None) };
    Some(args.args.iter().find_map(|arg| match arg {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    }))
}

/// The arrangement of a field, if it is an inner array.
pub(crate) fn check_array(
    ty: &Type,
    inlining: Option<&(Inlining, Attribute)>,
    kind: StorageKind,
    errors: &mut Errors,
) -> Option<Arrangement> {
    let ty = ungrouped(ty);
    if kind == StorageKind::Flatten
        && let Some((_, attr)) = inlining
    {
        errors.at(attr, "a field is either under `#[soa(flatten)]` or under `#[inline_array]`");
        return None;
    }
    match (ty, inner_array(ty), inlining) {
        (_, None, None) => None,
        (_, Some(_), None) => {
            errors.at(
                ty,
                "an `InnerArray` needs to know how many elements to inline: add `#[inline_array(4)]`, or `#[inline_array(0)]` to keep all in the class's arena",
            );
            None
        }
        (_, Some(None), Some(_)) => {
            errors.at(ty, "write what the array holds: `InnerArray<T>`");
            None
        }
        (_, Some(Some(element)), Some((Inlining::Slots(slots), _))) => {
            check_mode(element, kind, errors);
            Some(Arrangement::Partly { element: element.clone(), slots: Expr::clone(slots) })
        }
        (_, Some(Some(_)), Some((Inlining::Full | Inlining::Object, attr))) => {
            errors.at(
                attr,
                "an `InnerArray` may have any length, so it cannot be inlined as a whole: say how many elements to inline, `#[inline_array(4)]`, or make the field a `[T; N]`",
            );
            None
        }
        (Type::Array(array), None, Some((inlining, attr))) => {
            let (element, len) = (&array.elem, &array.len);
            check_mode(element, kind, errors);
            if let (Inlining::Full, Expr::Lit(ExprLit { lit: Lit::Int(slots), .. })) = (inlining, len)
                && !slots.base10_parse().is_ok_and(|slots: usize| (1..=256).contains(&slots))
            {
                errors.at(len, "an inlined array has from 1 to 256 slots, one column per slot; inline some of the elements: `#[inline_array(16)]` on an `InnerArray<T>`");
                return None;
            }
            match inlining {
                Inlining::Full => Some(Arrangement::Full { element: Type::clone(element), len: len.clone() }),
                Inlining::Object => Some(Arrangement::Whole { element: Type::clone(element), len: len.clone() }),
                Inlining::Slots(_) => {
                    errors.at(
                        attr,
                        "all elements of a `[T; N]` are inlined: write `#[inline_array]` without a number, or make the field an `InnerArray<T>` to inline some",
                    );
                    None
                }
            }
        }
        (_, None, Some((_, attr))) => {
            let ty = quote!(#ty).to_string().replace(' ', "");
            errors.at(
                attr,
                format!("`{ty}` is not an array: `#[inline_array]` belongs on a `[T; N]` or an `InnerArray<T>`"),
            );
            None
        }
    }
}
