//! Checks methods and kernels, and reports mistakes at the user's tokens.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{FnArg, GenericParam, ImplItemFn, PathArguments, ReturnType, Type};

use super::model::{Method, Parameter, Receiver};
use super::options::Options;
use super::{Fields, borrows_self, mentions, plain_name, rewrite};
use crate::diagnostics::Errors;

/// Reports `&Self` parameters: another object has no fields to borrow. The method is then expanded so that it accepts
/// any argument, and the mistake is reported once.
pub(super) fn borrowed_objects(
    fields: &Fields,
    item: &mut ImplItemFn,
    parameters: &mut [Parameter],
    errors: &mut Errors,
) -> bool {
    let mut found = false;
    let types = item.sig.inputs.iter_mut().filter_map(|input| match input {
        FnArg::Typed(typed) => Some(typed),
        FnArg::Receiver(_) => None,
    });
    for (typed, parameter) in types.zip(parameters) {
        let Type::Reference(reference) = &*typed.ty else { continue };
        let Type::Path(path) = &*reference.elem else { continue };
        if !path.path.is_ident("Self") {
            continue;
        }
        found = true;
        errors.at(
            reference,
            format!(
                "another object comes as a `Ref<Self>`, whose fields are read by getters, `other.field()`; a `{}` that is not in a world is `&{0}`",
                fields.class
            ),
        );
        *typed.pat = syn::parse_quote!(_);
        parameter.ty = syn::parse_quote!(impl ::core::marker::Sized);
        (*typed.ty).clone_from(&parameter.ty);
    }
    if found {
        item.block = syn::parse_quote!({ ::core::unimplemented!() });
        item.attrs.push(syn::parse_quote!(#[allow(unused_variables, clippy::unimplemented)]));
    }
    found
}

/// Reports `Ref`s in a kernel's arguments and result: both cross the border of the world.
pub(super) fn nested_refs(item: &mut ImplItemFn, parameters: &[Parameter], errors: &mut Errors) -> bool {
    let has_ref = |ty: &Type| rewrite::has_ref(ty.to_token_stream());
    let mut found = false;
    for parameter in parameters.iter().filter(|parameter| !parameter.is_of_world() && has_ref(&parameter.ty)) {
        found = true;
        if rewrite::has_groups(parameter.ty.to_token_stream()) {
            errors.at(
                &parameter.ty,
                "a kernel takes groups as a parameter of its own, `near: Groups<Class>`, which is given as `&groups`",
            );
            continue;
        }
        errors.at(
            &parameter.ty,
            "a kernel takes another object as a parameter of its own, `other: Ref<Class>`, which is given as a link; within other types take `Link<Class>`, and follow it by `self.resolve(link)`",
        );
    }
    let ReturnType::Type(_, ty) = &item.sig.output else { return found };
    if rewrite::has_groups(ty.to_token_stream()) {
        errors.at(ty, "groups are an argument of a kernel, and no result: `group_by` makes them");
        // So that the compiler reports nothing about their lifetime.
        item.sig.output = ReturnType::Default;
        item.block = syn::parse_quote!({ ::core::unimplemented!() });
        item.attrs.push(syn::parse_quote!(#[allow(unused_variables, clippy::unimplemented)]));
        return true;
    }
    if has_ref(ty) {
        found = true;
        errors.at(ty, "a `Ref` lasts for one call, so a kernel cannot return it: return its link, `object.link()`");
    }
    found
}

/// Reports a borrow in a kernel's result.
pub(super) fn borrowed_result(item: &mut ImplItemFn, errors: &mut Errors) -> bool {
    let is_opaque = mentions(item.sig.output.to_token_stream(), &["impl"]);
    let borrows = !is_opaque && borrows_self(&item.sig);
    if let (ReturnType::Type(_, ty), true) = (&item.sig.output, borrows) {
        errors.at(ty, "a kernel returns a value, which executors copy or combine: leave out the reference, or return the link of an object, `Link<Class>`");
        // As a value, so that the compiler does not report the lifetime.
        item.sig.output = ReturnType::Default;
        item.block = syn::parse_quote!({ ::core::unimplemented!() });
        item.attrs.push(syn::parse_quote!(#[allow(unused_variables, clippy::unimplemented)]));
    }
    borrows
}

/// Reports arguments that own memory, because one value cannot be passed to every object.
pub(super) fn arguments(parameters: &[Parameter], errors: &mut Errors) {
    for Parameter { ty, .. } in parameters {
        let Type::Path(path) = ty else { continue };
        let Some(last) = path.path.segments.last() else { continue };
        let inside = match &last.arguments {
            PathArguments::AngleBracketed(args) => args.args.to_token_stream().to_string().replace(' ', ""),
            _ => String::new(),
        };
        let instead = match last.ident.to_string().as_str() {
            "Vec" | "VecDeque" | "Box" if inside.starts_with('[') => format!("`&{inside}`"),
            "Vec" | "VecDeque" => format!("a slice, `&[{inside}]`"),
            "String" => "`&str`".to_owned(),
            "Box" | "Rc" | "Arc" => format!("a reference, `&{inside}`"),
            "HashMap" | "BTreeMap" | "HashSet" | "BTreeSet" => {
                format!("a reference, `&{}<{inside}>`", last.ident)
            }
            _ => continue,
        };
        errors.at(
            ty,
            format!(
                "a kernel gets a copy of its arguments for each object: instead of `{}` take {instead}",
                last.ident
            ),
        );
    }
}

/// Whether the type is certainly not `u32`; an alias may be `u32`.
pub(super) fn is_no_id(ty: &Type) -> bool {
    const OTHERS: [&str; 14] =
        ["u8", "u16", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64", "bool"];
    match ty {
        Type::Path(path) => OTHERS.iter().any(|other| path.path.is_ident(other)),
        _ => true,
    }
}

pub(super) fn kernel(
    item: &ImplItemFn,
    receiver: Receiver,
    parameters: &[Parameter],
    options: &Options,
    errors: &mut Errors,
) {
    if let Some(pairs) = &options.pairs {
        if parameters.first().is_none_or(|first| first.object.is_none()) {
            errors.at(
                pairs,
                "a kernel for pairs takes the other object first: `fn attract(&mut self, other: Ref<Body>, …)`",
            );
        }
        if let ReturnType::Type(_, ty) = &item.sig.output {
            errors
                .at(ty, "a kernel for pairs returns nothing: keep what it finds out about a pair in a field of `self`");
        }
        if !options.reducers.is_empty() {
            errors.at(
                pairs,
                "a kernel is either for `pairs` or to `reduce`: let one collect into a field, and another reduce that field",
            );
        }
    }
    if options.pairs.is_none() && !options.reducers.is_empty() && matches!(item.sig.output, ReturnType::Default) {
        errors.at(&item.sig.ident, "a kernel to `reduce` returns the value that is combined");
    }
    if receiver == Receiver::Shared
        && let Some(at) = &options.snapshot_at
    {
        errors.at(at, "a kernel with `&self` writes no field, so there is nothing to take a snapshot of");
    }
    if receiver == Receiver::Shared && options.writes.is_some_and(|writes| writes != 0) {
        errors.span(options.span, "a kernel with `&self` cannot write; take `&mut self`");
    }
}

/// Reports certain data races: a kernel that writes a field and reads it through a getter. The getter's own assertion,
/// which the compiler evaluates later, proves the absence of all others.
pub(super) fn races(method: &Method, fields: &Fields, errors: &mut Errors) {
    let Method { item, facts, kernel, receiver, .. } = method;
    let Some(options) = kernel else { return };
    let is_lifetime = |param: &GenericParam| matches!(param, GenericParam::Lifetime(_));
    if *receiver == Receiver::Shared || !method.is_certain() || !item.sig.generics.params.iter().all(is_lifetime) {
        return;
    }
    let racing = facts.writes & !options.snapshot;
    let mut reported = 0;
    for read in facts.reads.iter().filter(|read| racing >> read.field & 1 == 1 && !fields.is_atomic(read.field)) {
        if reported >> read.field & 1 == 0 {
            reported |= 1 << read.field;
            let (kernel, class, field) = (&item.sig.ident, &fields.class, &fields.fields[read.field].0);
            errors.at(
                &read.at,
                format!(
                    "data race: kernel `{class}::{kernel}` writes `{class}::{field}` of its own object and reads it from another; split the kernel in two, or let others see the value from before it with `#[kernel(snapshot({field}))]`, or make the field `#[atomic]` and update it in one kernel and load it in the next"
                ),
            );
        }
    }
}

/// Reports generics of a kernel that do not follow from its arguments: executors receive nothing else.
pub(super) fn generics(item: &ImplItemFn, parameters: &[Parameter], errors: &mut Errors) -> bool {
    let generics = &item.sig.generics;
    let mut found = false;
    for (n, param) in generics.params.iter().enumerate() {
        let (name, advice) = match param {
            GenericParam::Lifetime(_) => continue,
            GenericParam::Type(param) => (&param.ident, String::from("let one be of this type, or of one that has it")),
            GenericParam::Const(param) => {
                let (name, ty) = (plain_name(&param.ident), &param.ty);
                let argument = heck::ToSnakeCase::to_snake_case(&*name);
                (&param.ident, format!("take it as an argument, `{argument}: {}`", quote!(#ty)))
            }
        };
        let others =
            generics.params.iter().enumerate().filter(|(other, _)| *other != n).map(|(_, other)| quote!(#other));
        let bounds = generics.where_clause.to_token_stream();
        let types = parameters.iter().filter(|parameter| !parameter.is_of_world()).map(|parameter| {
            let ty = &parameter.ty;
            quote!(#ty)
        });
        if !others.chain(types).chain([bounds]).any(|tokens| names(tokens, name)) {
            found = true;
            errors.at(
                name,
                format!(
                    "an executor is given the kernel's arguments, and none of them says what `{name}` is: {advice}"
                ),
            );
        }
    }
    found
}

/// Whether some tokens contain an identifier.
fn names(tokens: TokenStream, name: &Ident) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Group(group) => names(group.stream(), name),
        _ => false,
    })
}
