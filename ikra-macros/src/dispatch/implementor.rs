//! `#[soa_methods] impl Actor for Car`: merges the block with the trait and passes it to the class's macro.
//!
//! A trait's methods become methods of the class, which can have only one method per name. A default method is copied
//! as if it were written in the block. So it may use any field that every class using the default has.

use std::collections::HashSet;

use proc_macro2::{Group, Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Attribute, FnArg, ImplItem, ImplItemFn, Meta, Path, ReturnType, Signature, Type, Visibility};

use super::check::is_same;
use super::model::{Dispatch, Method};
use crate::diagnostics::{Errors, located};
use crate::methods::{Receiver, lenient_block, rewrite};

/// The block for the class's macro, and the implementation of the trait's marker for the class. `krate` is passed on.
pub(super) fn implementor(
    dispatch: &Dispatch,
    is_listed: bool,
    krate: Option<Group>,
    block: TokenStream,
) -> TokenStream {
    let mut errors = Errors::default();
    let Some(block) = lenient_block(block, &mut errors) else {
        return errors.into_tokens().unwrap_or_default();
    };
    let (Some((path, _)), Type::Path(class)) = (&block.trait_, &*block.self_ty) else {
        return errors.into_tokens().unwrap_or_default();
    };
    let class = &class.path;
    let Merged { items, checks } = merge(dispatch, is_listed, path, class, block.items, &mut errors);
    let attrs = &block.attrs;
    let errors = errors.into_tokens();
    let at = located(class);
    let included = is_listed.then(
        || quote_spanned!(at=> const _: ::core::primitive::usize = <#path as ::ikra::dispatch::Includes<#class>>::TAG;),
    );
    quote! {
        #errors
        #class! { #krate #(#attrs)* impl #class { #(#items)* } }
        #[automatically_derived]
        impl ::ikra::dispatch::Implements<#path> for #class {}
        #included
        #(#checks)*
    }
}

/// The items of the class's block, and checks that its types match the trait's types.
struct Merged {
    items: Vec<TokenStream>,
    checks: Vec<TokenStream>,
}

fn merge(
    dispatch: &Dispatch,
    is_listed: bool,
    path: &Path,
    class: &Path,
    block: Vec<ImplItem>,
    errors: &mut Errors,
) -> Merged {
    let of = is_listed.then_some(path);
    let mut merged = Merged { items: Vec::new(), checks: Vec::new() };
    let vis = match &dispatch.vis {
        Visibility::Public(_) => quote!(pub),
        _ => quote!(pub(crate)),
    };
    let mut seen: HashSet<Ident> = HashSet::new();
    for item in block {
        match item {
            ImplItem::Fn(item) => {
                let name = item.sig.ident.clone();
                let Some(method) = dispatch.method(&name) else {
                    errors.at(&name, format!("method `{name}` is not a member of trait `{}`", dispatch.ident));
                    continue;
                };
                if !seen.insert(name.clone()) {
                    errors.at(&name, format!("method `{name}` is there twice"));
                    continue;
                }
                let fits = method.is_mistaken || fits(dispatch, method, &item, errors);
                let attrs = attributes(method, &item.attrs, of);
                if fits {
                    let ImplItemFn { mut sig, block, .. } = item;
                    if !method.is_mistaken {
                        merged.checks.extend(take_types(&mut sig, &method.item.sig, class, dispatch));
                    }
                    merged.items.push(quote!(#attrs #vis #sig #block));
                } else {
                    merged.items.push(stand_in(method, &attrs, &vis));
                }
            }
            ImplItem::Const(item) => {
                let name = &item.ident;
                let Some(constant) = dispatch.constants.iter().find(|constant| constant.ident == *name) else {
                    errors.at(name, format!("const `{name}` is not a member of trait `{}`", dispatch.ident));
                    continue;
                };
                seen.insert(name.clone());
                let (attrs, ty, expr) = (&item.attrs, &constant.ty, &item.expr);
                merged.items.push(quote!(#(#attrs)* #[allow(dead_code)] #vis const #name: #ty = #expr;));
            }
            ImplItem::Type(item) => {
                errors.at(&item.ident, format!("type `{}` is not a member of trait `{}`", item.ident, dispatch.ident));
            }
            other => merged.items.push(other.into_token_stream()),
        }
    }
    let mut missing = Vec::new();
    for method in &dispatch.methods {
        let (name, sig) = (&method.item.sig.ident, &method.item.sig);
        if seen.contains(name) {
            continue;
        }
        let attrs = attributes(method, &[], of);
        match &method.item.default {
            Some(body) => merged.items.push(quote!(#attrs #vis #sig #body)),
            None => {
                missing.push(format!("`{name}`"));
                merged.items.push(stand_in(method, &attrs, &vis));
            }
        }
    }
    for constant in &dispatch.constants {
        let (attrs, name, ty) = (&constant.attrs, &constant.ident, &constant.ty);
        if seen.contains(name) {
            continue;
        }
        match &constant.default {
            Some((_, value)) => {
                merged.items.push(quote!(#(#attrs)* #[allow(dead_code)] #vis const #name: #ty = #value;));
            }
            None => {
                missing.push(format!("`{name}`"));
                merged.items.push(quote!(#vis const #name: #ty = ::core::panic!();));
            }
        }
    }
    if !missing.is_empty() {
        let (the, list) = (&dispatch.ident, missing.join(", "));
        errors.at(path, format!("not all items of trait `{the}` are there, missing: {list}"));
    }
    merged
}

/// The attributes of the trait's method and the block's; a `#[kernel]` combines the options of both.
fn attributes(method: &Method, own: &[Attribute], of: Option<&Path>) -> TokenStream {
    let is_kernel = |attr: &&Attribute| attr.path().segments.last().is_some_and(|last| last.ident == "kernel");
    let options = |attr: &Attribute| match &attr.meta {
        Meta::List(list) => list.tokens.clone(),
        _ => TokenStream::new(),
    };
    let has_docs = own.iter().any(|attr| attr.path().is_ident("doc"));
    let inherited = method.item.attrs.iter().filter(|attr| !has_docs || !attr.path().is_ident("doc"));
    let others = own.iter().filter(|attr| method.kernel.is_none() || !is_kernel(attr));
    let kernel = method.kernel.as_ref().map(|kernel| {
        let given: Vec<_> = [&kernel.attr]
            .into_iter()
            .chain(own.iter().filter(is_kernel))
            .map(options)
            .filter(|options| !options.is_empty())
            .collect();
        let number = Literal::usize_unsuffixed(kernel.number);
        let at = syn::spanned::Spanned::span(own.iter().find(is_kernel).unwrap_or(&kernel.attr).path());
        let of = of.map(|path| quote!(__of(#path, #number)));
        quote_spanned!(at=> #[kernel(#(#given,)* #of)])
    });
    quote!(#(#inherited)* #(#others)* #kernel)
}

/// Whether a method fits the trait's method, judged by receiver and number of parameters.
fn fits(dispatch: &Dispatch, method: &Method, item: &ImplItemFn, errors: &mut Errors) -> bool {
    let (of_trait, sig) = (&method.item.sig, &item.sig);
    let (name, of) = (&sig.ident, &dispatch.ident);
    let receiver = sig.receiver().and_then(|receiver| match &receiver.kind {
        syn::ReceiverKind::Reference(_, _, mutability) if receiver.mutability.is_none() => {
            Some(if mutability.is_some() { Receiver::Exclusive } else { Receiver::Shared })
        }
        _ => None,
    });
    if receiver != method.receiver {
        let takes = match method.receiver {
            Some(Receiver::Shared) => "takes `&self`",
            Some(Receiver::Exclusive) => "takes `&mut self`",
            None => "is a function without `self`",
        };
        match sig.inputs.first() {
            Some(first) => errors.at(first, format!("`{name}` {takes} in trait `{of}`")),
            None => errors.at(name, format!("`{name}` {takes} in trait `{of}`")),
        }
        return false;
    }
    if sig.inputs.len() != of_trait.inputs.len() {
        let count = |sig: &Signature| sig.inputs.len() - usize::from(receiver.is_some());
        errors.at(
            &sig.inputs,
            format!("`{name}` takes {} arguments in trait `{of}`, and here {}", count(of_trait), count(sig)),
        );
        return false;
    }
    let generics = [&sig.generics.params, &of_trait.generics.params].map(|params| params.len());
    if generics[0] != generics[1] {
        let message =
            format!("`{name}` has {} generic parameters in trait `{of}`, and here {}", generics[1], generics[0]);
        errors.at(name, message);
        return false;
    }
    if let Some(word) = &sig.asyncness {
        errors.at(word, "a method of a class cannot be `async`");
        return false;
    }
    true
}

/// A method with the trait's signature that replaces a missing or mistaken one, so that calls of it are not errors too.
fn stand_in(method: &Method, attrs: &TokenStream, vis: &TokenStream) -> TokenStream {
    let sig = &method.item.sig;
    quote!(#attrs #[allow(unused_variables, clippy::unimplemented)] #vis #sig { ::core::unimplemented!() })
}

/// Uses the trait's types where the method writes them differently. For each such type, generates a function that
/// compiles only if both types are equal.
fn take_types(ours: &mut Signature, theirs: &Signature, class: &Path, dispatch: &Dispatch) -> Vec<TokenStream> {
    let lifetimes: Vec<_> = theirs.generics.params.iter().collect();
    let name = format_ident!("as_in_{}", dispatch.ident);
    let mut checks = Vec::new();
    let mut take = |our: &mut Type, their: &Type| {
        if is_same(our, their) {
            return;
        }
        let given = Ident::new("of_trait", located(&our));
        let (expected, written) = (rewrite(their.to_token_stream(), class), rewrite(our.to_token_stream(), class));
        checks.push(quote! {
            const _: () = {
                #[allow(dead_code, non_snake_case, clippy::extra_unused_lifetimes)]
                fn #name<'__w, #(#lifetimes,)* __P: ::ikra::Phase>(of_trait: #expected) -> #written { #given }
            };
        });
        *our = their.clone();
    };
    for (our, their) in ours.inputs.iter_mut().zip(&theirs.inputs) {
        if let (FnArg::Typed(our), FnArg::Typed(their)) = (our, their) {
            take(&mut our.ty, &their.ty);
        }
    }
    let nothing: Type = syn::parse_quote!(());
    match (&mut ours.output, &theirs.output) {
        (ReturnType::Type(_, our), ReturnType::Type(_, their)) => take(our, their),
        (ReturnType::Type(_, our), ReturnType::Default) => take(our, &nothing),
        (our @ ReturnType::Default, ReturnType::Type(_, their)) => {
            let mut none: Type = syn::parse_quote_spanned!(located(&ours.ident)=> ());
            take(&mut none, their);
            *our = theirs.output.clone();
        }
        (ReturnType::Default, ReturnType::Default) => {}
    }
    checks
}
