//! How generated code refers to `ikra`: by its name in Cargo.toml, or by a path that the user gives.
//!
//! All generated code is written with `::ikra`. The output of every macro passes through this module, which replaces
//! `::ikra` if the path differs.

use proc_macro_crate::FoundCrate;
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use syn::Path;

use crate::diagnostics::Errors;

/// The path to `ikra`.
#[derive(Clone, Default)]
pub(crate) struct Krate {
    /// Its path, if that is not `::ikra`.
    path: Option<Path>,
    /// Whether no path was found; the error is already reported.
    pub(crate) is_missing: bool,
}

impl Krate {
    /// Removes `crate = path` from a macro's arguments, and returns the remaining arguments. Without this argument, the
    /// name comes from Cargo.toml.
    pub(crate) fn take(macro_name: &str, args: TokenStream, errors: &mut Errors) -> (Self, TokenStream) {
        let mut rest = TokenStream::new();
        let mut said = None;
        let args: Vec<TokenTree> = args.into_iter().collect();
        for setting in args.split_inclusive(|token| is_punct(Some(token), ',')) {
            if !matches!(setting.first(), Some(TokenTree::Ident(name)) if name == "crate") {
                rest.extend(setting.iter().cloned());
                continue;
            }
            let value = match setting.split_last() {
                Some((comma, value)) if is_punct(Some(comma), ',') => value,
                _ => setting,
            };
            let path: Option<TokenStream> = match value {
                [_, equals, path @ ..] if is_punct(Some(equals), '=') => Some(path.iter().cloned().collect()),
                _ => None,
            };
            match path.map(syn::parse2::<Path>) {
                Some(Ok(path)) if said.is_none() => said = Some(path),
                Some(Ok(path)) => errors.at(path, "`crate` is set twice"),
                _ => {
                    errors.at(
                        value.iter().cloned().collect::<TokenStream>(),
                        format!("write the path that `ikra` has here: `{}`", example(macro_name)),
                    );
                    said = Some(syn::parse_quote!(::ikra));
                }
            }
        }
        let krate = match said {
            Some(path) => Self::at(path),
            None => Self::found(macro_name, errors),
        };
        (krate, rest)
    }

    /// The crate at a given path.
    pub(crate) fn at(path: Path) -> Self {
        let is_usual = path.leading_colon.is_some() && path.segments.len() == 1 && path.segments[0].ident == "ikra";
        Self { path: (!is_usual).then_some(path), is_missing: false }
    }

    /// The crate as named in Cargo.toml.
    pub(crate) fn found(macro_name: &str, errors: &mut Errors) -> Self {
        match proc_macro_crate::crate_name("ikra") {
            Ok(FoundCrate::Name(name)) if name != "ikra" => {
                let name = Ident::new(&name, Span::call_site());
                Self::at(syn::parse_quote!(::#name))
            }
            Err(proc_macro_crate::Error::CrateNotFound { .. }) => {
                errors.span(
                    Span::call_site(),
                    format!("`ikra` is not among the dependencies in Cargo.toml; where another crate re-exports it, say so: `{}`", example(macro_name)),
                );
                Self { path: None, is_missing: true }
            }
            // Without a Cargo.toml, and in `ikra` itself.
            _ => Self::default(),
        }
    }

    /// The user's tokens with `ikra` written as `r#ikra`. Both mean the same crate, but [`reach`](Self::reach) replaces
    /// only the macros' own `ikra`.
    pub(crate) fn protect(&self, tokens: TokenStream) -> TokenStream {
        match self.path {
            Some(_) => raw(tokens),
            None => tokens,
        }
    }

    /// The output of a macro, with the path in place of `::ikra`.
    pub(crate) fn reach(&self, tokens: TokenStream) -> TokenStream {
        match &self.path {
            Some(path) => redirect(tokens, path),
            None => tokens,
        }
    }
}

/// An example of the `crate` argument, for messages.
fn example(macro_name: &str) -> String {
    match macro_name {
        "device_code" => String::from("device_code!(crate = other::ikra)"),
        attribute => format!("#[{attribute}(crate = other::ikra)]"),
    }
}

/// Writes `r#ikra` for each `ikra`.
fn raw(tokens: TokenStream) -> TokenStream {
    let tokens = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(name) if name == "ikra" => TokenTree::Ident(Ident::new_raw("ikra", name.span())),
        TokenTree::Group(group) => regroup(&group, raw(group.stream())),
        token => token,
    });
    tokens.collect()
}

/// Replaces each `::ikra` by the path.
fn redirect(tokens: TokenStream, path: &Path) -> TokenStream {
    let mut out: Vec<TokenTree> = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Ident(name) if name == "ikra" && ends_with_colons(&out) => {
                out.truncate(out.len() - 2);
                out.extend(located(quote::quote!(#path), name.span()));
            }
            TokenTree::Group(group) => out.push(regroup(&group, redirect(group.stream(), path))),
            token => out.push(token),
        }
    }
    out.into_iter().collect()
}

fn ends_with_colons(tokens: &[TokenTree]) -> bool {
    matches!(tokens, [.., first, second] if is_punct(Some(first), ':') && is_punct(Some(second), ':'))
}

fn regroup(group: &Group, stream: TokenStream) -> TokenTree {
    let mut made = Group::new(group.delimiter(), stream);
    made.set_span(group.span());
    TokenTree::Group(made)
}

/// Tokens that keep their name resolution but are shown at a given span.
fn located(tokens: TokenStream, place: Span) -> TokenStream {
    let tokens = tokens.into_iter().map(|mut token| {
        token.set_span(token.span().located_at(place));
        token
    });
    tokens.collect()
}

fn is_punct(token: Option<&TokenTree>, c: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == c)
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    fn krate(args: TokenStream) -> (Krate, TokenStream, Option<TokenStream>) {
        let mut errors = Errors::default();
        let (krate, rest) = Krate::take("soa_class", args, &mut errors);
        (krate, rest, errors.into_tokens())
    }

    #[test]
    fn paths_of_the_macros_lead_there() {
        let (krate, rest, errors) = krate(quote!(layout = "aos", crate = other::ikra));
        assert_eq!((rest.to_string(), errors.is_none()), (quote!(layout = "aos",).to_string(), true));
        let user = krate.protect(quote!(ikra: ::ikra::Link<Body>));
        let made =
            krate.reach(quote!(struct A { #user, b: <A as ::ikra::Class>::Ref } impl<P> ::ikra::Object for A {}));
        let expected = quote! {
            struct A { r#ikra: ::r#ikra::Link<Body>, b: <A as other::ikra::Class>::Ref }
            impl<P> other::ikra::Object for A {}
        };
        assert_eq!(made.to_string(), expected.to_string());
    }

    #[test]
    fn the_usual_path_changes_nothing() {
        let (krate, _, errors) = krate(quote!(crate = ::ikra));
        let tokens = quote!(::ikra::Link<ikra>);
        assert_eq!(krate.reach(krate.protect(tokens.clone())).to_string(), tokens.to_string());
        assert!(errors.is_none());
    }

    #[test]
    fn what_is_no_path_is_pointed_out() {
        for args in [quote!(crate), quote!(crate = "ikra"), quote!(crate = a, crate = b), quote!(crate = 1 + 2)] {
            let shown = args.to_string();
            assert!(krate(args).2.is_some(), "{shown}");
        }
    }
}
