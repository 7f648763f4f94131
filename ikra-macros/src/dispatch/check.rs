//! Checks a trait under `#[soa_dispatch]` and reports mistakes at the user's tokens.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Attribute, FnArg, GenericParam, ItemTrait, ReceiverKind, ReturnType, Safety, TraitItem, TraitItemFn, Type,
    TypeParamBound,
};

use crate::diagnostics::Errors;
use crate::methods::Receiver;

/// Checks the part of the trait before its methods.
pub(super) fn header(item: &ItemTrait, errors: &mut Errors) {
    if !item.generics.params.is_empty() || item.generics.where_clause.is_some() {
        errors.at(
            &item.ident,
            "a trait under `#[soa_dispatch]` is not generic: its name stands for the objects of a closed set of classes",
        );
    }
    if let Some(unsafety) = &item.unsafety {
        errors.at(unsafety, "a trait under `#[soa_dispatch]` cannot be `unsafe`");
    }
    for bound in &item.supertraits {
        let is_static = matches!(bound, TypeParamBound::Lifetime(lifetime) if lifetime.ident == "static");
        if !is_static && !matches!(bound, TypeParamBound::Trait(_)) {
            errors.at(bound, "a supertrait is another trait under `#[soa_dispatch]`");
        }
    }
}

/// Reports an item of the trait that is neither a method nor a constant.
pub(super) fn item(item: &TraitItem, errors: &mut Errors) {
    match item {
        TraitItem::Type(item) => errors.at(
            &item.ident,
            "a trait under `#[soa_dispatch]` has no associated types: a call on an object of whatever class has one type",
        ),
        other => errors.at(other, "a trait under `#[soa_dispatch]` has methods, functions and constants"),
    }
}

/// The receiver of a method, and whether the method is invalid.
pub(super) fn method(item: &TraitItemFn, kernel: Option<&Attribute>, errors: &mut Errors) -> (Option<Receiver>, bool) {
    let sig = &item.sig;
    let mut is_mistaken = false;
    let mut mistake = |tokens: &dyn ToTokens, message: &str| {
        is_mistaken = true;
        errors.at(tokens.to_token_stream(), message);
    };
    for word in item.default.iter().flat_map(|body| body.to_token_stream()) {
        if let Some(dollar) = dollar(&word) {
            mistake(&dollar, "a default method cannot contain `$`: define the macro outside of the trait");
        }
    }
    let Some(receiver) = sig.receiver() else {
        if let Some(kernel) = kernel {
            mistake(kernel, "a kernel of a trait takes `&self` or `&mut self`; constructors are the classes' own");
        }
        return (None, is_mistaken);
    };
    let receiver = match &receiver.kind {
        ReceiverKind::Reference(_, _, mutability) if receiver.mutability.is_none() => {
            if mutability.is_some() {
                Receiver::Exclusive
            } else {
                Receiver::Shared
            }
        }
        _ => {
            mistake(receiver, "methods of a class take `&self` or `&mut self`: the object stays in its columns");
            Receiver::Exclusive
        }
    };
    if let Some(asyncness) = &sig.asyncness {
        mistake(asyncness, "a method of a class cannot be `async`");
    }
    if let Some(constness) = &sig.constness {
        mistake(constness, "a method of a class cannot be `const`");
    }
    if let Safety::Unsafe(unsafety) = &sig.safety {
        mistake(unsafety, "a method of a trait under `#[soa_dispatch]` cannot be `unsafe`");
    }
    for param in &sig.generics.params {
        if !matches!(param, GenericParam::Lifetime(_)) {
            mistake(
                param,
                "a method of a trait under `#[soa_dispatch]` is not generic: kernels and calls are compiled for every class, and the list of the types is not known; make it a method of each class, or take an enum",
            );
        }
    }
    if let Some(clause) = &sig.generics.where_clause {
        mistake(clause, "a method of a trait under `#[soa_dispatch]` is there for every class: it has no `where`");
    }
    let types = sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => Some(&*typed.ty),
        FnArg::Receiver(_) => None,
    });
    let output = match &sig.output {
        ReturnType::Type(_, ty) => Some(&**ty),
        ReturnType::Default => None,
    };
    for ty in types.chain(output) {
        if has_word(ty, "impl") {
            mistake(
                ty,
                "a method of a trait under `#[soa_dispatch]` is not generic, and `impl …` is another type for each class: name the type",
            );
        } else if has_word(ty, "Self") {
            mistake(
                ty,
                "in the methods of a trait under `#[soa_dispatch]` `Self` would be another type for each class: name the class or the trait, `Ref<Trait>`",
            );
        }
    }
    if let Some(kernel) = kernel
        && has_word(&kernel.meta, "pairs")
    {
        mistake(kernel, "a kernel for pairs belongs to a class: put it into an `impl` of the class");
    }
    (Some(receiver), is_mistaken)
}

/// Whether some tokens contain an identifier.
fn has_word(tokens: impl ToTokens, word: &str) -> bool {
    fn find(tokens: TokenStream, word: &str) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(ident) => ident == word,
            TokenTree::Group(group) => find(group.stream(), word),
            _ => false,
        })
    }
    find(tokens.to_token_stream(), word)
}

/// The first `$` in a token; a `$` has a different meaning in the trait's macro.
fn dollar(token: &TokenTree) -> Option<TokenTree> {
    match token {
        TokenTree::Punct(punct) if punct.as_char() == '$' => Some(token.clone()),
        TokenTree::Group(group) => group.stream().into_iter().find_map(|token| dollar(&token)),
        _ => None,
    }
}

/// Whether two types are written with the same tokens.
pub(super) fn is_same(a: &Type, b: &Type) -> bool {
    a.to_token_stream().to_string() == b.to_token_stream().to_string()
}
