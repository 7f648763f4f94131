//! Calls of macros in a body: which are known, and what they are given.
//!
//! What a macro of the user's does with the tokens it is given cannot be seen: `pick!(self.a)` may well
//! expand to `self.b`. A macro that is given no `self` may still expand to one, by `include!` or as a procedural macro.
//!
//! The standard library's macros are known by their names. A method that calls one imports all of them by a glob, so that
//! a macro of the user's with such a name is ambiguous, and does not compile. A path that begins with `::` is not known: `::alloc` is
//! what the crate calls so.

use std::collections::HashSet;

use proc_macro2::{Delimiter, Literal, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Expr, LitStr};

use super::names::{self, Is, Macro};
use super::plain_name;

/// Which names must mean those of the standard library.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Standard {
    /// `assert!`
    pub(crate) macros: bool,
    /// `std::assert!`
    pub(crate) crates: bool,
}

/// The names that a body gives a meaning of its own, by `use`, `mod`, `extern crate` and `macro_rules!`: macros of these names, and
/// those on paths that begin with them, are the user's own. Also within macros, which may leave such items as they are.
pub(super) fn imports(body: TokenStream) -> HashSet<String> {
    let mut found = HashSet::new();
    collect_imports(body, false, &mut found);
    found
}

fn collect_imports(tokens: TokenStream, mut in_use: bool, found: &mut HashSet<String>) {
    // Whether the next name is one that an item is given: `mod name`, `extern crate self as name`, `macro_rules! name`.
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

/// The macro of the standard library that is called, and which names must mean what they do there.
pub(super) fn known(called: &syn::Macro, imports: &HashSet<String>) -> Option<(Macro, Standard)> {
    let path = &called.path;
    // `::std::assert!`: what the crate calls `::std` is not known, see above.
    let (first, last) = (path.segments.first()?, path.segments.last()?);
    let (root, name) = (plain_name(&first.ident), plain_name(&last.ident));
    let is_path = path.segments.len() > 1;
    if path.leading_colon.is_some() || imports.contains(&root) || is_path && !names::is(&root, Is::Crate) {
        return None;
    }
    Some((names::standard_macro(&name)?, Standard { macros: !is_path, crates: is_path }))
}

/// What a macro of the standard library is given, as an expression: an array of its arguments, or a `match`.
pub(super) fn arguments(kind: Macro, tokens: &TokenStream) -> Option<Expr> {
    let array = || syn::parse2(quote!([#tokens])).ok();
    match kind {
        Macro::Matching => {
            let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
            let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
            // `f::<A, B>(x)`: the comma behind the first expression is the first with an expression before it.
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

/// The tokens that a macro is given, from such an expression.
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

/// Whether some tokens name `self`.
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

/// Whether a string formats `self`: `"{self:?}"`.
pub(super) fn formats_self(text: &str) -> bool {
    text.split('{').skip(1).any(|place| {
        let after = place.trim_start().strip_prefix("self");
        after.is_some_and(|after| !after.starts_with(|c: char| c == '_' || c.is_alphanumeric()))
    })
}

/// Tokens between commas, semicolons and arrows: each may be an expression.
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
