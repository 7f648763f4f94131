//! Macro calls in a body: known macros and their arguments.
//!
//! The output of a user macro cannot be predicted: `pick!(self.a)` may expand to `self.b`. Even a macro without `self`
//! in its input may expand to one, by `include!` or as a procedural macro.
//!
//! Macros of the standard library are known by name. A method that calls one imports all of them by a glob. A user
//! macro of the same name is then ambiguous and does not compile. Paths that begin with `::` are unknown: the crate may
//! rename any dependency to `::alloc`.

use std::collections::HashSet;

use proc_macro2::{Delimiter, Literal, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Expr, LitStr};

use super::names::{self, Is, Macro};
use super::plain_name;

/// The names that must refer to the standard library.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Standard {
    /// `assert!`
    pub(crate) macros: bool,
    /// `std::assert!`
    pub(crate) crates: bool,
}

/// The names that a body redefines by `use`, `mod`, `extern crate` and `macro_rules!`. Macros of these names, or on
/// paths that begin with them, are user macros. Macro arguments are searched too, since a macro may emit such items
/// unchanged.
pub(super) fn imports(body: TokenStream) -> HashSet<String> {
    let mut found = HashSet::new();
    collect_imports(body, false, &mut found);
    found
}

fn collect_imports(tokens: TokenStream, mut in_use: bool, found: &mut HashSet<String>) {
    // Whether the next name is defined by an item: `mod name`, `extern crate self as name`, `macro_rules! name`.
    let mut is_named = false;
    for token in tokens {
        let was_named = std::mem::replace(&mut is_named, false);
        match token {
            TokenTree::Ident(word) if word == "use" => in_use = true,
            TokenTree::Ident(name) if in_use || was_named => {
                found.insert(plain_name(&name));
            }
            TokenTree::Ident(word) => {
                is_named = ["mod", "crate", "as", "macro", "macro_rules"].iter().any(|item| word == item);
            }
            TokenTree::Punct(bang) if was_named && bang.as_char() == '!' => is_named = true,
            TokenTree::Group(group) => collect_imports(group.stream(), in_use, found),
            TokenTree::Punct(end) if end.as_char() == ';' => in_use = false,
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// The standard library macro that is called, and the names that must refer to the standard library.
pub(super) fn known(called: &syn::Macro, imports: &HashSet<String>) -> Option<(Macro, Standard)> {
    let path = &called.path;
    // `::std::assert!` is unknown: the crate may rename `::std`, see above.
    let (first, last) = (path.segments.first()?, path.segments.last()?);
    let (root, name) = (plain_name(&first.ident), plain_name(&last.ident));
    let is_path = path.segments.len() > 1;
    if path.leading_colon.is_some() || imports.contains(&root) || is_path && !names::is(&root, Is::Crate) {
        return None;
    }
    Some((names::standard_macro(&name)?, Standard { macros: !is_path, crates: is_path }))
}

/// The arguments of a standard library macro as an expression: an array, or a `match`.
pub(super) fn arguments(kind: Macro, tokens: &TokenStream) -> Option<Expr> {
    let array = || syn::parse2(quote!([#tokens])).ok();
    match kind {
        Macro::Matching => {
            let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
            let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
            // `f::<A, B>(x)` contains a comma. The separator is the first comma whose preceding tokens form an
            // expression.
            let ends = (0..tokens.len()).filter(|&n| is_comma(&tokens[n]));
            ends.filter_map(|end| {
                let expr: TokenStream = tokens[..end].iter().cloned().collect();
                syn::parse2::<Expr>(expr.clone()).ok()?;
                let mut pattern = &tokens[end + 1..];
                if let [rest @ .., last] = pattern
                    && is_comma(last)
                {
                    pattern = rest;
                }
                syn::parse2(quote!(match (#expr) { #(#pattern)* => () })).ok()
            })
            .next()
        }
        Macro::Formatting | Macro::Writing | Macro::Borrowing | Macro::Using => array(),
    }
}

/// The tokens of a macro call, reconstructed from such an expression.
pub(super) fn given(arguments: &Expr) -> Option<TokenStream> {
    match arguments {
        Expr::Array(array) => Some(array.elems.to_token_stream()),
        Expr::Repeat(repeat) => {
            let (element, semicolon, count) = (&repeat.expr, &repeat.semi_token, &repeat.len);
            Some(quote!(#element #semicolon #count))
        }
        Expr::Match(matched) => {
            let Expr::Paren(expr) = &*matched.expr else { return None };
            let (expr, pattern) = (&expr.expr, &matched.arms.first()?.pat);
            Some(quote!(#expr, #pattern))
        }
        _ => None,
    }
}

/// Whether some tokens contain `self`.
pub(super) fn mentions_self(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == "self",
        TokenTree::Group(group) => mentions_self(group.stream()),
        TokenTree::Literal(literal) => literal_formats_self(&literal),
        TokenTree::Punct(_) => false,
    })
}

fn literal_formats_self(literal: &Literal) -> bool {
    syn::parse_str::<LitStr>(&literal.to_string()).is_ok_and(|text| formats_self(&text.value()))
}

/// Whether a format string names `self`: `"{self:?}"`.
pub(super) fn formats_self(text: &str) -> bool {
    text.split('{').skip(1).any(|place| {
        let after = place.trim_start().strip_prefix("self");
        after.is_some_and(|after| !after.starts_with(|c: char| c == '_' || c.is_alphanumeric()))
    })
}

/// Splits tokens at commas, semicolons and arrows: each piece may be an expression.
pub(super) fn pieces(tokens: TokenStream) -> Vec<TokenStream> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |n: usize, c: char| matches!(tokens.get(n), Some(TokenTree::Punct(punct)) if punct.as_char() == c);
    let is_arrow = |n: usize| is(n, '=') && is(n + 1, '>');
    let mut pieces = vec![TokenStream::new()];
    for (n, token) in tokens.iter().enumerate() {
        if is(n, ',') || is(n, ';') || is_arrow(n) {
            pieces.push(TokenStream::new());
        } else if !(n > 0 && is_arrow(n - 1))
            && let Some(last) = pieces.last_mut()
        {
            last.extend([token.clone()]);
        }
    }
    pieces
}

/// The contents of a group in parentheses.
pub(super) fn parenthesised(token: Option<&TokenTree>) -> Option<TokenStream> {
    match token {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => Some(group.stream()),
        _ => None,
    }
}
