//! The settings in `#[trace(…)]`.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Ident, LitStr, Meta, MetaNameValue, Path, Token, parenthesized};

use crate::diagnostics::Errors;

/// One setting of a type or of a field.
pub(super) enum Setting {
    Class(Path),
    Link(Path),
    Value(Ident),
    Rest(Vec<(Ident, Expr)>),
    Skip(Ident),
    With(Path),
    Field(Ident),
    /// The path to `ikra`, which is read elsewhere.
    Crate(Ident),
}

/// What errors about it are shown at.
impl ToTokens for Setting {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Class(path) | Self::Link(path) | Self::With(path) => path.to_tokens(tokens),
            Self::Value(name) | Self::Skip(name) | Self::Field(name) | Self::Crate(name) => name.to_tokens(tokens),
            Self::Rest(values) => values.first().map(|(field, _)| field).to_tokens(tokens),
        }
    }
}

const TYPES: &str = "`class = Class`, `rest(field = value, …)`, `link = Trait`, `value` or `crate = path`";
const FIELDS: &str = "`skip`, `with = module` or `field = name`";

impl Parse for Setting {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.call(Ident::parse_any)?;
        let equals = |input: ParseStream<'_>| input.parse::<Token![=]>().map(drop);
        Ok(match name.to_string().as_str() {
            "class" => Self::Class((equals(input)?, input.parse()?).1),
            "link" => Self::Link((equals(input)?, input.parse()?).1),
            "with" => Self::With((equals(input)?, input.parse()?).1),
            "field" => Self::Field((equals(input)?, input.parse()?).1),
            "value" => Self::Value(name),
            "skip" => Self::Skip(name),
            "crate" => Self::Crate((name, equals(input)?, input.parse::<Path>()?).0),
            "rest" => {
                let content;
                parenthesized!(content in input);
                let values = Punctuated::<MetaNameValue, Token![,]>::parse_terminated(&content)?.into_iter();
                let given = |given: MetaNameValue| Ok((given.path.require_ident()?.clone(), given.value));
                Self::Rest(values.map(given).collect::<syn::Result<_>>()?)
            }
            _ => {
                let message = format!("not a setting of `#[trace(…)]`: on a type write {TYPES}; on a field {FIELDS}");
                return Err(syn::Error::new(name.span(), message));
            }
        })
    }
}

/// All arguments of the attributes.
pub(super) fn arguments(attributes: &[Attribute], errors: &mut Errors) -> TokenStream {
    let mut arguments = TokenStream::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("trace")) {
        match &attribute.meta {
            Meta::List(list) => {
                let tokens = &list.tokens;
                arguments.extend(quote::quote!(#tokens,));
            }
            _ => errors
                .at(attribute, format!("write the settings in parentheses: on a type {TYPES}; on a field {FIELDS}")),
        }
    }
    arguments
}

/// The settings of the attributes.
pub(super) fn settings(attributes: &[Attribute], errors: &mut Errors) -> Vec<Setting> {
    // A malformed attribute of the type is reported where `crate` is read.
    let arguments = unquoted(arguments(attributes, &mut Errors::default()), errors);
    errors.settings(arguments)
}

/// The arguments without quotes. They are an error, and what is between them is read like other settings.
fn unquoted(arguments: TokenStream, errors: &mut Errors) -> TokenStream {
    let read = |token: TokenTree| match syn::parse2::<LitStr>(token.clone().into()) {
        Ok(text) => {
            errors.at(&text, format!("write this without quotes: `{}`", text.value()));
            text.parse::<TokenStream>().unwrap_or_default()
        }
        Err(_) => token.into(),
    };
    arguments.into_iter().map(read).collect()
}
