//! Errors, collected and shown together.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// A span for generated code that the compiler shows at the user's tokens, and which resolves names and
/// treats lints as in generated code.
pub(crate) fn located(tokens: impl ToTokens) -> Span {
    Span::call_site().located_at(syn::spanned::Spanned::span(&tokens))
}

/// The errors found so far.
#[derive(Default)]
pub(crate) struct Errors(Option<syn::Error>);

impl Errors {
    /// Adds an error about some tokens.
    pub(crate) fn at(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.add(syn::Error::new_spanned(tokens, message));
    }

    /// Adds an error about a place.
    pub(crate) fn span(&mut self, span: Span, message: impl std::fmt::Display) {
        self.add(syn::Error::new(span, message));
    }

    /// Adds an error.
    pub(crate) fn add(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            none => *none = Some(error),
        }
    }

    /// Adds the error of a result, and returns its value.
    pub(crate) fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.add(error);
                None
            }
        }
    }

    /// The errors as one, if there are any.
    pub(crate) fn into_error(self) -> Option<syn::Error> {
        self.0
    }

    /// The errors, if there are any.
    pub(crate) fn into_tokens(self) -> Option<TokenStream> {
        self.0.map(|error| error.to_compile_error())
    }
}
