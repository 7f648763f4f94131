//! The options of `#[kernel(…)]`.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Ident, Meta, Path, Token};

use super::Fields;
use crate::diagnostics::Errors;

/// The options, with their defaults.
pub(crate) struct Options {
    /// Where `#[kernel]` is.
    pub(crate) span: Span,
    pub(crate) pairs: Option<Ident>,
    pub(crate) reducers: Vec<Path>,
    /// Fields, by position, or `None` if `writes` was not given.
    pub(crate) writes: Option<u64>,
    pub(crate) snapshot: u64,
    pub(crate) snapshot_at: Option<Ident>,
    pub(crate) heavy: Option<bool>,
}

enum Setting {
    Flag(Ident),
    Fields(Ident, Punctuated<Ident, Token![,]>),
    Reduce(Ident, Punctuated<Path, Token![,]>),
}

const OPTIONS: &str = "`pairs`, `reduce(Sum, …)`, `writes(field, …)`, `snapshot(field, …)`, `heavy` and `light`";

impl Parse for Setting {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let name = Ident::parse_any(input)
            .map_err(|error| syn::Error::new(error.span(), format!("`#[kernel]` takes {OPTIONS}")))?;
        if input.peek(Token![=]) {
            let message = match name.to_string().as_str() {
                "reduce" => "write the reducers in parentheses: `reduce(Sum)`".to_owned(),
                "writes" | "snapshot" => format!("write the fields in parentheses: `{name}(field, …)`"),
                _ => format!("`#[kernel]` takes {OPTIONS}"),
            };
            return Err(syn::Error::new(name.span(), message));
        }
        if !input.peek(syn::token::Paren) {
            return Ok(Self::Flag(name));
        }
        let content;
        syn::parenthesized!(content in input);
        if name == "reduce" {
            return Ok(Self::Reduce(name, Punctuated::parse_terminated(&content)?));
        }
        let fields = Punctuated::parse_terminated_with(&content, |field| field.call(Ident::parse_any))?;
        Ok(Self::Fields(name, fields))
    }
}

impl Options {
    /// Parses a `#[kernel]` attribute.
    pub(crate) fn parse(attr: &Attribute, class: &Fields, errors: &mut Errors) -> Self {
        let mut options = Self {
            span: syn::spanned::Spanned::span(attr.path()),
            pairs: None,
            reducers: Vec::new(),
            writes: None,
            snapshot: 0,
            snapshot_at: None,
            heavy: None,
        };
        if matches!(attr.meta, Meta::Path(_)) {
            return options;
        }
        let parsed = attr.parse_args_with(Punctuated::<Setting, Token![,]>::parse_terminated);
        for setting in errors.take(parsed).unwrap_or_default() {
            match setting {
                Setting::Flag(name) if name == "pairs" => options.pairs = Some(name),
                Setting::Flag(name) if name == "heavy" => {
                    if options.heavy == Some(false) {
                        errors.at(&name, "a kernel is either `heavy` or `light`");
                    }
                    options.heavy = Some(true);
                }
                Setting::Flag(name) if name == "light" => {
                    if options.heavy == Some(true) {
                        errors.at(&name, "a kernel is either `heavy` or `light`");
                    }
                    options.heavy = Some(false);
                }
                Setting::Flag(name) | Setting::Fields(name, _) if name == "reduce" => {
                    errors.at(
                        name,
                        "name the reducers: `reduce(Sum)`, or `Min`, `Max`, `All`, `Any`, or a reducer of your own",
                    );
                }
                Setting::Flag(name) if name == "writes" || name == "snapshot" => {
                    errors.at(&name, format!("name the fields: `{name}(field, …)`"));
                }
                Setting::Fields(name, fields) if name == "writes" => {
                    let set = options.writes.get_or_insert(0);
                    *set |= field_set(&name, &fields, class, errors);
                }
                Setting::Fields(name, fields) if name == "snapshot" => {
                    options.snapshot |= field_set(&name, &fields, class, errors);
                    options.snapshot_at = Some(name);
                }
                Setting::Reduce(name, reducers) => {
                    if reducers.is_empty() {
                        errors.at(
                            &name,
                            "name the reducers: `reduce(Sum)`, or `Min`, `Max`, `All`, `Any`, or a reducer of your own",
                        );
                    }
                    options.reducers.extend(reducers);
                }
                Setting::Flag(name) | Setting::Fields(name, _) => {
                    errors.at(&name, format!("no such option; `#[kernel]` takes {OPTIONS}"));
                }
            }
        }
        options
    }
}

fn field_set(option: &Ident, names: &Punctuated<Ident, Token![,]>, class: &Fields, errors: &mut Errors) -> u64 {
    let mut set = 0;
    for name in names {
        match class.position(name) {
            Some(field) if class.is_atomic(field) => errors.at(
                name,
                format!("`{name}` is `#[atomic]`: others see every change at once, so it cannot be in `{option}(…)`"),
            ),
            Some(field) => set |= 1 << field,
            None => errors.at(name, format!("class `{}` has no field `{name}`", class.class)),
        }
    }
    set
}
