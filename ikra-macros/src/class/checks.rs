//! What the macro can know about a field's type by how it is written.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{GenericArgument, PathArguments, Type};

use super::arrays::{inner_array, ungrouped};
use super::model::is_number;

/// Whether a column can certainly hold the type: numbers, links to the class itself, and arrays of these.
pub(super) fn is_sure(ty: &Type, class: &Ident) -> bool {
    match innermost(ty) {
        ty if is_number(ty) => true,
        ty => linked(ty).is_some_and(|target| matches!(target, Type::Path(path) if path.path.is_ident(class))),
    }
}

/// Whether the compiler is asked the same about two types.
pub(super) fn same(one: &Type, other: &Type) -> bool {
    shown(innermost(one)) == shown(innermost(other))
}

/// What an array, or an array of arrays, holds in the end.
pub(super) fn innermost(ty: &Type) -> &Type {
    match ungrouped(ty) {
        Type::Array(array) => innermost(&array.elem),
        ty => match inner_array(ty) {
            Some(Some(element)) => innermost(element),
            _ => ty,
        },
    }
}

/// The `X` of `Link<X>` and `Option<Link<X>>`.
pub(super) fn linked(ty: &Type) -> Option<&Type> {
    argument(ty, "Link").or_else(|| argument(optional(ty)?, "Link"))
}

/// The `X` of `Option<X>`.
pub(super) fn optional(ty: &Type) -> Option<&Type> {
    argument(ty, "Option")
}

/// The `X` of `Name<X>`.
fn argument<'a>(ty: &'a Type, name: &str) -> Option<&'a Type> {
    let Type::Path(path) = ungrouped(ty) else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == name)?;
    let PathArguments::AngleBracketed(args) = &last.arguments else { return None };
    match args.args.first() {
        Some(GenericArgument::Type(ty)) if args.args.len() == 1 => Some(ungrouped(ty)),
        _ => None,
    }
}

/// A type, as it is written.
pub(super) fn shown(ty: &Type) -> String {
    ty.to_token_stream().to_string().replace(' ', "").replace(';', "; ").replace(',', ", ")
}
