//! The arguments of `#[soa_dispatch(…)]`.

use std::collections::HashMap;

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Ident, LitStr, Path, Token};

use super::strategy::Strategy;
use crate::class::{is_foreign, is_number};
use crate::diagnostics::Errors;

/// The maximum number of classes in a link of 8 bytes.
const MOST_WIDE: usize = 1 << 15;

const OPTIONS: &str = "the classes that implement the trait, then perhaps `wide`, for links of 8 bytes, or `strategy = \"…\"`, to measure others against `\"type_pointer\"`";

/// The parsed arguments of the attribute.
#[derive(Default)]
pub(super) struct Options {
    pub(super) classes: Vec<Path>,
    /// Indices of classes whose blocks have mistakes, already reported.
    pub(super) mistaken: Vec<usize>,
    pub(super) wide: bool,
    pub(super) strategy: Strategy,
}

enum Setting {
    Class(Path),
    Wide(Ident),
    Strategy(LitStr),
}

impl Parse for Setting {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let path: Path = input
            .call(Path::parse_mod_style)
            .map_err(|error| syn::Error::new(error.span(), format!("`#[soa_dispatch(…)]` takes {OPTIONS}")))?;
        if !input.peek(Token![=]) {
            return Ok(match path.get_ident() {
                Some(name) if name == "wide" => Self::Wide(name.clone()),
                _ => Self::Class(path),
            });
        }
        input.parse::<Token![=]>()?;
        match path.get_ident() {
            Some(name) if name == "strategy" => Ok(Self::Strategy(input.parse()?)),
            _ => Err(syn::Error::new_spanned(path, format!("no such option; `#[soa_dispatch(…)]` takes {OPTIONS}"))),
        }
    }
}

impl Options {
    pub(super) fn parse(args: TokenStream, of: &Ident, errors: &mut Errors) -> Self {
        let mut options = Self::default();
        let mut seen = HashMap::new();
        for setting in errors.settings(args) {
            match setting {
                Setting::Class(class) => options.class(class, &mut seen, errors),
                Setting::Wide(name) if options.wide => errors.at(name, "`wide` is there twice"),
                Setting::Wide(_) => options.wide = true,
                Setting::Strategy(name) => match Strategy::parse(&name) {
                    Some(strategy) => options.strategy = strategy,
                    None => errors.at(
                        name,
                        "no such strategy; take `\"type_pointer\"`, the class in the link's bits, or to measure against it `\"range_table\"`, `\"class_tag\"` or `\"vtable\"`",
                    ),
                },
            }
        }
        if seen.is_empty() {
            errors.at(of, format!("name the classes that implement `{of}`: `#[soa_dispatch(Car, Pedestrian)]`"));
        }
        if options.wide && options.strategy != Strategy::TypePointer {
            errors.at(of, "links are `wide` with `strategy = \"type_pointer\"` only");
        }
        let most = if options.wide { MOST_WIDE } else { options.strategy.most() };
        if let Some(class) = options.classes.get(most) {
            let wide = if options.wide { "" } else { "; with `wide` it has 8, and 15 bits for the class" };
            errors.at(
                class,
                format!("a link of `{of}` has room for {most} classes, and here are {}{wide}", options.classes.len()),
            );
        }
        options
    }

    fn class(&mut self, class: Path, seen: &mut HashMap<String, String>, errors: &mut Errors) {
        let Some(last) = class.segments.last().map(|last| last.ident.unraw().to_string()) else { return };
        let path = quote!(#class).to_string();
        match seen.get(&last) {
            None => {
                if is_plain(&class) {
                    errors.at(&class, format!("`{last}` is not a class: name structs under `#[soa_class]`"));
                } else if !is_foreign(&class, errors) {
                    self.classes.push(class);
                }
                seen.insert(last, path);
            }
            Some(other) if *other == path => errors.at(&class, format!("class `{last}` is there twice")),
            Some(_) => {
                errors.at(
                    &class,
                    format!("two classes are called `{last}`, and so would be two variants of an enum; rename one"),
                );
            }
        }
    }
}

/// Whether the type is evidently a primitive or a standard library type, not a class.
fn is_plain(class: &Path) -> bool {
    is_number(&syn::parse_quote!(#class))
        || ["char", "str", "usize", "isize", "String"].iter().any(|name| class.is_ident(name))
}

#[cfg(test)]
mod tests {
    use quote::format_ident;

    use super::*;

    fn errors(classes: usize, wide: bool) -> Option<String> {
        let mut errors = Errors::default();
        let names = (0..classes).map(|n| format_ident!("C{n}"));
        let wide = wide.then(|| quote!(wide));
        Options::parse(quote!(#(#names,)* #wide), &format_ident!("Actor"), &mut errors);
        errors.into_error().map(|error| error.to_string())
    }

    #[test]
    fn more_classes_than_tags_are_pointed_out() {
        assert_eq!(errors(256, false), None);
        assert!(errors(257, false).unwrap().contains("room for 256 classes, and here are 257; with `wide`"));
        assert_eq!(errors(1 << 15, true), None);
        assert!(errors((1 << 15) + 1, true).unwrap().contains("room for 32768 classes"));
    }
}
