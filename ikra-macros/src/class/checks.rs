//! What the macro cannot know about a field's type, asked where the compiler knows it.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{GenericArgument, PathArguments, Type};

use super::arrays::{inner_array, ungrouped};
use super::model::{Mode, is_number};
use crate::diagnostics::located;

/// Whether a column can certainly hold the type: numbers, links to the class itself, and arrays of these.
pub(super) fn is_sure(ty: &Type, class: &Ident) -> bool {
    match innermost(ty) {
        ty if is_number(ty) => true,
        ty => linked(ty).is_some_and(|target| matches!(target, Type::Path(path) if path.path.is_ident(class))),
    }
}

/// A condition that holds if `storage` stores a field of this type, and is an error that says why not otherwise.
pub(super) fn is_stored(ty: &Type, mode: Mode, storage: &TokenStream) -> TokenStream {
    let at = located(ty);
    let element = innermost(ty);
    let name = shown(element);
    let class = shown(linked(element).unwrap_or(element));
    let no_class =
        format!("`{class}` is not a class, and `{name}` links to one: put `#[soa_class]` on `struct {class}`");
    let no_value = match mode {
        Mode::Plain => format!(
            "`{name}` cannot be stored in a column, which holds plain bytes: add `#[derive(Clone, Copy, Value)] #[repr(C)]` to it if it is a struct of yours, `#[repr(u8)]` if it is an enum"
        ),
        Mode::Flatten => format!(
            "`{name}` cannot be flattened into a column per component: leave out `#[soa(flatten)]`, or make it a struct of at most 16 fields with `#[derive(Clone, Copy, Value)] #[repr(C)]`"
        ),
        Mode::Atomic => format!(
            "`{name}` cannot be `#[atomic]`: atomic fields are `u32`, `i32`, `u64`, `i64`, `f32`, `f64`, `bool`, `ikra::Fixed`, `Link<Class>` or `Option<Link<Class>>`; an enum is stored as its number"
        ),
    };
    let an_object = format!(
        "`{class}` is a class, whose objects are in columns of their own: refer to one by `Link<{class}>`, or `Option<Link<{class}>>`"
    );
    let [no_value, no_class] = [no_value, no_class].map(|message| panic(ty, &message));
    let why = match linked(element) {
        Some(target) => quote_spanned! {at=>
            if !<::ikra::rt::Probe<#target>>::IS_CLASS { #no_class }
        },
        None => {
            let inside = optional(element).unwrap_or(element);
            let an_object = match optional(element) {
                Some(inside) => an_object.replace(&class, &shown(inside)),
                None => an_object,
            };
            let an_object = panic(ty, &an_object);
            quote_spanned! {at=>
                if <::ikra::rt::Probe<#inside>>::IS_CLASS { #an_object }
            }
        }
    };
    quote_spanned! {at=>
        #[allow(unused_imports)]
        use ::ikra::rt::No as _;
        #why
        if !<::ikra::rt::Probe<#storage>>::IS_STORAGE { #no_value }
        true
    }
}

/// Whether the compiler is asked the same about two types.
pub(super) fn same(one: &Type, other: &Type) -> bool {
    shown(innermost(one)) == shown(innermost(other))
}

/// `panic!(message)` that the compiler shows at a type.
fn panic(ty: &Type, message: &str) -> TokenStream {
    // With the type's own span, so that it is not shown as part of an expansion.
    quote_spanned!(ty.span()=> ::core::panic!(#message))
}

/// What an array, or an array of arrays, holds in the end.
fn innermost(ty: &Type) -> &Type {
    match ungrouped(ty) {
        Type::Array(array) => innermost(&array.elem),
        ty => match inner_array(ty) {
            Some(Some(element)) => innermost(element),
            _ => ty,
        },
    }
}

/// The `X` of `Link<X>` and `Option<Link<X>>`.
fn linked(ty: &Type) -> Option<&Type> {
    argument(ty, "Link").or_else(|| argument(optional(ty)?, "Link"))
}

/// The `X` of `Option<X>`.
fn optional(ty: &Type) -> Option<&Type> {
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
fn shown(ty: &Type) -> String {
    ty.to_token_stream().to_string().replace(' ', "").replace(';', "; ").replace(',', ", ")
}
