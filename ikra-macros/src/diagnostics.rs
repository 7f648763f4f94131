//! Errors, collected and shown together.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{Parse, Parser};
use syn::punctuated::Punctuated;
use syn::{GenericParam, Generics, Ident, Token, Visibility};

/// A span for generated code: the compiler shows the user's tokens, but resolves names and applies lints as in
/// generated code.
pub(crate) fn located(tokens: impl ToTokens) -> Span {
    Span::call_site().located_at(syn::spanned::Spanned::span(&tokens))
}

/// A type that equals `ty` unless evaluating `number` is an error. The compiler reports no further errors about a type
/// that depends on such a constant, so one mistake gives one message. The type is the element type of an array with
/// that length. In an `impl` header the compiler may unify it with any type.
pub(crate) fn unless_error(ty: impl ToTokens, number: TokenStream, at: Span) -> TokenStream {
    quote_spanned!(at=> <[#ty; { #number }] as ::core::iter::IntoIterator>::Item)
}

/// Defines a type of this name as a stand-in for an item with these errors. It depends on a constant whose evaluation
/// fails, so the compiler reports nothing about its uses. The item itself is kept for editors.
pub(crate) fn silent(
    ident: &Ident,
    vis: &Visibility,
    generics: &Generics,
    item: impl ToTokens,
    errors: Option<TokenStream>,
) -> TokenStream {
    let mut generics = generics.clone();
    generics.where_clause = None;
    // Macros name the type without lifetimes, and the compiler would report each place.
    generics.params = generics.params.into_iter().filter(|one| !matches!(one, GenericParam::Lifetime(_))).collect();
    for parameter in &mut generics.params {
        match parameter {
            GenericParam::Type(parameter) => parameter.bounds.clear(),
            GenericParam::Lifetime(_) | GenericParam::Const(_) => {}
        }
    }
    let types = generics.type_params().map(|parameter| &parameter.ident);
    let (constant, is) =
        (format_ident!("__MISTAKE_IN_{}", ident.unraw()), format_ident!("__Mistaken{}", ident.unraw()));
    quote! {
        #[allow(non_upper_case_globals, dead_code)]
        const #constant: ::core::primitive::usize = { #errors 1 };
        const _: () = {
            #[allow(dead_code)]
            #item
        };
        // By a trait of its own, so that what is implemented for it is not taken for what conflicts with others.
        #[doc(hidden)]
        #[allow(missing_docs, non_camel_case_types, unreachable_pub)]
        pub trait #is<T> { type Type; }
        impl<T> #is<T> for [(); 1] { type Type = T; }
        #[allow(missing_docs, dead_code)]
        #vis type #ident #generics = <[(); #constant] as #is<(#(fn() -> #types,)*)>>::Type;
    }
}

/// The errors found so far.
#[derive(Default)]
pub(crate) struct Errors(Option<syn::Error>);

impl Errors {
    /// Adds an error at some tokens.
    pub(crate) fn at(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.add(syn::Error::new_spanned(tokens, message));
    }

    /// Adds an error at a span.
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

    /// Returns the value of a result, or records its error.
    pub(crate) fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.add(error);
                None
            }
        }
    }

    /// Parses the comma-separated arguments of an attribute. An argument that does not parse leaves the others valid.
    pub(crate) fn settings<T: Parse>(&mut self, args: TokenStream) -> Vec<T> {
        if let Ok(settings) = Punctuated::<T, Token![,]>::parse_terminated.parse2(args.clone()) {
            return settings.into_iter().collect();
        }
        let args: Vec<TokenTree> = args.into_iter().collect();
        let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
        let settings = args.split(is_comma).filter_map(|setting| match setting {
            [] => None,
            setting => self.take(syn::parse2(setting.iter().cloned().collect())),
        });
        settings.collect()
    }

    /// All errors combined into one, if any.
    pub(crate) fn into_error(self) -> Option<syn::Error> {
        self.0
    }

    /// All errors as tokens, if any.
    pub(crate) fn into_tokens(self) -> Option<TokenStream> {
        self.0.map(|error| error.to_compile_error())
    }
}
