//! `#[derive(Trace)]`.

mod expand;
mod model;
mod settings;

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::diagnostics::Errors;
use crate::krate::Krate;

/// Expands the derive macro.
pub(crate) fn derive_trace(item: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(item.clone()) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let mut errors = Errors::default();
    let arguments = settings::arguments(&input.attrs, &mut errors);
    // The remaining arguments are read again from the protected item.
    let (krate, _) = Krate::take("trace", arguments, &mut errors);
    match syn::parse2(krate.protect(item)) {
        Ok(input) => krate.reach(trace(&input, errors)),
        Err(error) => error.to_compile_error(),
    }
}

fn trace(input: &DeriveInput, mut errors: Errors) -> TokenStream {
    let traced = model::Traced::parse(input, &mut errors);
    match (traced, errors.into_tokens()) {
        (Some(traced), None) => expand::expand(&traced),
        (_, errors) => quote!(#errors),
    }
}
