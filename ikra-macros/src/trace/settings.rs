//! The settings in `#[trace(…)]`.

use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Ident, Meta, Path, Token, parenthesized};

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
    Crate,
}

const TYPES: &str = "`class = Class`, `rest(field = value, …)`, `link = Trait`, `value` or `crate = path`";
const FIELDS: &str = "`skip`, `with = module` or `field = name`";

impl Parse for Setting {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Token![crate]) {
            input.parse::<Token![crate]>()?;
            input.parse::<Token![=]>()?;
            input.parse::<Path>()?;
            return Ok(Self::Crate);
        }
        let name: Ident = input.parse()?;
        let equals = |input: ParseStream<'_>| input.parse::<Token![=]>().map(drop);
        Ok(match name.to_string().as_str() {
            "class" => Self::Class((equals(input)?, input.parse()?).1),
            "link" => Self::Link((equals(input)?, input.parse()?).1),
            "with" => Self::With((equals(input)?, input.parse()?).1),
            "field" => Self::Field((equals(input)?, input.parse()?).1),
            "value" => Self::Value(name),
            "skip" => Self::Skip(name),
            "rest" => {
                let content;
                parenthesized!(content in input);
                let values = Punctuated::<Given, Token![,]>::parse_terminated(&content)?;
                Self::Rest(values.into_iter().map(|Given(field, value)| (field, value)).collect())
            }
            _ => {
                let message = format!("not a setting of `#[trace(…)]`: on a type write {TYPES}; on a field {FIELDS}");
                return Err(syn::Error::new(name.span(), message));
            }
        })
    }
}

/// `field = value`.
struct Given(Ident, Expr);

impl Parse for Given {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let field = input.parse()?;
        input.parse::<Token![=]>()?;
        Ok(Self(field, input.parse()?))
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
    let arguments = arguments(attributes, &mut Errors::default());
    errors.settings(arguments)
}
