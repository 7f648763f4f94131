//! Which types can be stored. The macro decides some cases by the tokens of a type. For the others it generates a
//! constant whose evaluation panics with advice.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{GenericArgument, PathArguments, PathSegment, Type};

use crate::class::{StorageKind, inner_array, is_number, ungrouped};
use crate::diagnostics::{Errors, located};

/// The item that contains the field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holder {
    /// A class.
    Class,
    /// A struct under `#[derive(Value)]`.
    Value,
}

/// Whether a column can certainly hold the type: a number, a link to the class itself, or an array of these.
pub(crate) fn is_sure(ty: &Type, class: &Ident) -> bool {
    match innermost(ty) {
        ty if is_number(ty) => true,
        ty => linked(ty).is_some_and(|target| matches!(target, Type::Path(path) if path.path.is_ident(class))),
    }
}

/// Whether one compiler check covers both types.
pub(crate) fn same(one: &Type, other: &Type) -> bool {
    shown(innermost(one)) == shown(innermost(other))
}

/// The innermost element type of nested arrays.
pub(crate) fn innermost(ty: &Type) -> &Type {
    match ungrouped(ty) {
        Type::Array(array) => innermost(&array.elem),
        ty => match inner_array(ty) {
            Some(Some(element)) => innermost(element),
            _ => ty,
        },
    }
}

/// The `X` of `[X; N]` and `InnerArray<X>`.
pub(crate) fn element(ty: &Type) -> Option<&Type> {
    match ungrouped(ty) {
        Type::Array(array) => Some(&array.elem),
        ty => inner_array(ty)?,
    }
}

/// Whether the type is `Link<X>`.
pub(crate) fn is_link(ty: &Type) -> bool {
    argument(ty, "Link").is_some()
}

/// Whether the type is certainly `Link<Class>`: written with the class's own name.
pub(crate) fn is_link_to(ty: &Type, class: &Ident) -> bool {
    matches!(argument(ty, "Link"), Some(Type::Path(path)) if path.path.is_ident(class) || path.path.is_ident("Self"))
}

/// The `X` of `Link<X>` and `Option<Link<X>>`.
pub(crate) fn linked(ty: &Type) -> Option<&Type> {
    argument(ty, "Link").or_else(|| argument(optional(ty)?, "Link"))
}

/// The `X` of `Option<X>`.
pub(crate) fn optional(ty: &Type) -> Option<&Type> {
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

/// A type as the user wrote it.
fn shown(ty: &Type) -> String {
    ty.to_token_stream().to_string().replace(' ', "").replace(';', "; ").replace(',', ", ")
}

/// Reports types that would be right in ordinary objects but are not values.
pub(crate) fn check_type(ty: &Type, holder: Holder, errors: &mut Errors) {
    match ty {
        Type::Reference(_) => errors.at(
            ty,
            "a column holds no references: to refer to another object store a `Link<Class>`, and pass other data as a kernel's argument",
        ),
        Type::Tuple(tuple) => errors.at(
            ty,
            if tuple.elems.is_empty() {
                "a column of `()` would hold nothing; leave the field out"
            } else {
                "Rust may order a tuple's parts as it likes, so a column cannot hold one: write a field for each part, an array, or a struct with `#[derive(Clone, Copy, Value)] #[repr(C)]`"
            },
        ),
        Type::FnPtr(_) | Type::TraitObject(_) => errors.at(
            ty,
            "a column holds no functions, which have no address on the device: store a number or an enum, and `match` on it in a method",
        ),
        Type::Ptr(_) => errors.at(ty, "a column holds no pointers: to refer to another object store a `Link<Class>`"),
        Type::Path(path) => {
            if let Some(last) = path.path.segments.last() {
                check_name(ty, last, holder, errors);
            }
        }
        Type::Array(array) => check_type(&array.elem, holder, errors),
        _ => {}
    }
}

/// Reports a type by its name.
fn check_name(ty: &Type, last: &PathSegment, holder: Holder, errors: &mut Errors) {
    let (name, args) = (last.ident.to_string(), &last.arguments);
    let message = match &*name {
        "Ref" => {
            let seen = match holder {
                Holder::Class => "which methods see as a `Ref`",
                Holder::Value => "and follow it by `self.resolve(link)`",
            };
            format!("a `Ref` lasts for one call and is never stored: write `Link{}`, {seen}", spaceless(args))
        }
        "Box" | "Rc" | "Arc" | "Vec" | "String" => {
            let instead = match holder {
                Holder::Class => {
                    "numbers, `Link<Class>`, arrays `[T; N]`, and `#[inline_array(4)]` on `InnerArray<T>` for arrays whose length varies"
                }
                Holder::Value => "numbers, `Link<Class>` and arrays `[T; N]`",
            };
            let text = if name == "String" { "; texts stay in a `Vec` of yours, of which an object has an index" } else { "" };
            format!("`{name}` owns memory elsewhere, which a column cannot hold: use {instead}{text}")
        }
        "char" if args.is_none() => {
            "not every bit pattern is a `char`, so a column cannot hold one: store a `u32` or `u8`".to_owned()
        }
        "usize" | "isize" if args.is_none() => {
            let sign = if name == "usize" { 'u' } else { 'i' };
            format!("`{name}` may have another size on the device: write `{sign}32` or `{sign}64`")
        }
        "InnerArray" if holder == Holder::Value => {
            "an `InnerArray` is a field of a class, and no part of a value: take it out of the struct".to_owned()
        }
        "Option" if first_type(args).is_some_and(is_number) => {
            "Rust lays out an `Option` as it likes, so a column holds only `Option<Link<Class>>`: write a second field of type `bool`, or use a number that stands for none".to_owned()
        }
        "InnerArray" | "Option" => {
            if let Some(inside) = first_type(args) {
                check_type(inside, holder, errors);
            }
            return;
        }
        _ => return,
    };
    errors.at(ty, message);
}

/// The `X` of `<X>`.
fn first_type(args: &PathArguments) -> Option<&Type> {
    match args {
        PathArguments::AngleBracketed(args) => args.args.iter().find_map(|arg| match arg {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        }),
        _ => None,
    }
}

fn spaceless(tokens: impl ToTokens) -> String {
    tokens.to_token_stream().to_string().replace(' ', "")
}

/// 1 if `storage` stores a field of this type; otherwise an error that explains why not.
pub(crate) fn is_stored(ty: &Type, kind: StorageKind, storage: &TokenStream) -> TokenStream {
    let at = located(ty);
    let element = innermost(ty);
    let name = shown(element);
    let class = shown(linked(element).unwrap_or(element));
    let no_class =
        format!("`{class}` is not a class, and `{name}` links to one: put `#[soa_class]` on `struct {class}`");
    let no_value = match kind {
        StorageKind::Plain => format!(
            "`{name}` cannot be stored in a column, which holds plain bytes: add `#[derive(Clone, Copy, Value)] #[repr(C)]` to it if it is a struct of yours, `#[repr(u8)]` if it is an enum"
        ),
        StorageKind::Flatten => format!(
            "`{name}` cannot be flattened into a column per component: leave out `#[soa(flatten)]`, or make it a struct of at most 16 fields with `#[derive(Clone, Copy, Value)] #[repr(C)]`"
        ),
        StorageKind::Atomic => format!(
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
        use ::ikra::rt::{No as _, NotDerived as _};
        // What is wrong with the type itself is said where it is defined.
        let _ = <#element>::__IS_VALUE;
        #why
        if !<::ikra::rt::Probe<#storage>>::IS_STORAGE { #no_value }
        1
    }
}

/// `panic!(message)`, which the compiler shows at a type.
fn panic(ty: &Type, message: &str) -> TokenStream {
    // The type's own span, so that the compiler does not show it as part of an expansion.
    quote_spanned!(ty.span()=> ::core::panic!(#message))
}
