//! The options of `#[soa_class(…)]`.

use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream};
use syn::{Expr, Ident, LitFloat, LitInt, LitStr, Token};

use crate::diagnostics::Errors;

/// `layout = "…"`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    Soa,
    Aos,
    Tiles(usize),
}

/// The options, with their defaults.
pub(crate) struct Options {
    pub(crate) layout: Layout,
    pub(crate) capacity: Option<Expr>,
    /// The fill ratio at which the class compacts by itself.
    pub(crate) compact: Option<Expr>,
    /// The size of the arena in bytes.
    pub(crate) arena: Option<Expr>,
    /// A variant of the runtime's `Addressing`.
    pub(crate) addressing: &'static str,
    pub(crate) columns: Option<Ident>,
}

struct Setting {
    name: Ident,
    value: Expr,
}

impl Parse for Setting {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name: Ident = input
            .parse()
            .map_err(|error| syn::Error::new(error.span(), format!("write `name = value`; options are {OPTIONS}")))?;
        if !input.peek(Token![=]) {
            return Err(syn::Error::new(name.span(), format!("write `{name} = …`; options are {OPTIONS}")));
        }
        input.parse::<Token![=]>()?;
        Ok(Self { name, value: input.parse()? })
    }
}

const OPTIONS: &str = "`layout = \"soa\" | \"aos\" | \"tiles\"`, `tile = 64 | 128`, `capacity = N`, `arena = BYTES`, `compact = RATIO`, `addressing = \"zero\" | \"storage\" | \"first_field\"` and `columns = \"name\"`";

impl Options {
    /// Parses the attribute's arguments.
    pub(crate) fn parse(args: TokenStream, errors: &mut Errors) -> Self {
        let mut options =
            Self { layout: Layout::Soa, capacity: None, compact: None, arena: None, addressing: "Zero", columns: None };
        let mut tile: Option<(Ident, usize)> = None;
        let mut seen: Vec<Ident> = Vec::new();
        for Setting { name, value } in errors.settings(args) {
            if seen.contains(&name) {
                errors.at(&name, format!("`{name}` is set twice"));
                continue;
            }
            match name.to_string().as_str() {
                "layout" => match text(&value).as_deref() {
                    Some("soa") => options.layout = Layout::Soa,
                    Some("aos") => options.layout = Layout::Aos,
                    Some("tiles") => options.layout = Layout::Tiles(128),
                    _ => errors.at(&value, "`layout` is one of \"soa\", \"aos\" and \"tiles\""),
                },
                "tile" => match int(&value) {
                    Some(n @ (64 | 128)) => tile = Some((name.clone(), n)),
                    _ => errors.at(&value, "`tile` is 64 or 128 objects"),
                },
                "capacity" => {
                    // A constant is as good as a number; its value is checked where it is used.
                    match &value {
                        Expr::Lit(_) => match int(&value) {
                            Some(0) => errors.at(&value, "a class with `capacity = 0` could hold no object"),
                            Some(n) if n >= u32::MAX as usize => {
                                errors.at(&value, "a class holds at most 4_294_967_294 objects: links are 32 bits");
                            }
                            Some(_) => options.capacity = Some(value),
                            None => errors.at(&value, "`capacity` is a number of objects, such as 1_000_000"),
                        },
                        _ => options.capacity = Some(value),
                    }
                }
                "arena" => match &value {
                    Expr::Lit(_) if int(&value).is_none() => {
                        errors.at(&value, "`arena` is a number of bytes, such as 64_000_000");
                    }
                    _ => options.arena = Some(value),
                },
                "compact" => match ratio(&value) {
                    Some(ratio) if ratio > 0.0 && ratio <= 1.0 => options.compact = Some(value),
                    _ => errors.at(
                        &value,
                        "`compact` is the part of ids in use at which the class compacts by itself, above 0 and up to 1: `compact = 0.8`",
                    ),
                },
                "addressing" => match text(&value).as_deref() {
                    Some("zero") => options.addressing = "Zero",
                    Some("storage") => options.addressing = "Storage",
                    Some("first_field") => options.addressing = "FirstField",
                    _ => errors.at(&value, "`addressing` is one of \"zero\", \"storage\" and \"first_field\""),
                },
                "columns" => match text(&value).map(|name| syn::parse_str::<Ident>(&name)) {
                    Some(Ok(mut name)) => {
                        name.set_span(syn::spanned::Spanned::span(&value));
                        options.columns = Some(name);
                    }
                    _ => errors.at(&value, "`columns` is a name in quotes, such as \"body_columns\""),
                },
                _ => errors.at(&name, format!("no such option; options are {OPTIONS}")),
            }
            seen.push(name);
        }
        if let Some((name, n)) = tile {
            match options.layout {
                Layout::Tiles(_) => options.layout = Layout::Tiles(n),
                _ => errors.at(&name, "`tile` goes with `layout = \"tiles\"`"),
            }
        }
        options
    }
}

fn text(value: &Expr) -> Option<String> {
    syn::parse2::<LitStr>(quote::quote!(#value)).ok().map(|text| text.value())
}

fn int(value: &Expr) -> Option<usize> {
    syn::parse2::<LitInt>(quote::quote!(#value)).ok().and_then(|n| n.base10_parse().ok())
}

fn ratio(value: &Expr) -> Option<f32> {
    syn::parse2::<LitFloat>(quote::quote!(#value)).ok().and_then(|ratio| ratio.base10_parse().ok())
}
