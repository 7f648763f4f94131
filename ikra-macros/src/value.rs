//! `#[derive(Value)]`.

mod expand;
mod model;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, DeriveInput, Meta};

use crate::diagnostics::Errors;
use crate::krate::Krate;

/// Expands the derive macro.
pub(crate) fn derive_value(item: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(item.clone()) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let mut errors = Errors::default();
    let krate = krate(&input.attrs, &mut errors);
    match syn::parse2(krate.protect(item)) {
        Ok(input) => krate.reach(value(&input, errors)),
        Err(error) => error.to_compile_error(),
    }
}

/// Reads `#[value(crate = path)]`.
fn krate(attrs: &[Attribute], errors: &mut Errors) -> Krate {
    let mut args = TokenStream::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("value")) {
        match &attr.meta {
            Meta::List(list) => args.extend(list.tokens.clone()),
            _ => errors.at(attr, "write `#[value(crate = path)]`"),
        }
    }
    let (krate, rest) = Krate::take("value", args, errors);
    if !rest.is_empty() {
        errors.at(rest, "`#[value(…)]` takes nothing but `crate = path`");
    }
    krate
}

fn value(input: &DeriveInput, mut errors: Errors) -> TokenStream {
    let value = model::Value::parse(input, &mut errors);
    let errors = errors.into_tokens();
    match value {
        // A type with mistakes is expanded too, so that its uses are not errors as well.
        Some(value) => expand::expand(&value, errors),
        None => quote!(#errors),
    }
}
