//! The two words that mean something else inside methods: `Ref<X>` and `Self`.
//!
//! Everything else in a method stays the user's own tokens, those inside macro calls included.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::quote_spanned;

/// Rewrites `Ref<X>` to the ref of class `X` in the phase at hand, and `Self` to the row.
pub(crate) fn rewrite(tokens: TokenStream, row: &syn::Path) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut out = TokenStream::new();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Ident(ident) if ident == "Ref" && !is_path_start(&tokens, at) => {
                if let Some((class, next)) = generic_argument(&tokens, at + 1) {
                    let class = rewrite(class, row);
                    out.extend(quote_spanned!(ident.span()=> <#class as ::ikra::Class>::Ref<'__w, __P>));
                    at = next;
                    continue;
                }
                out.extend([tokens[at].clone()]);
            }
            TokenTree::Ident(ident) if ident == "Self" => {
                if is_rest_pattern(tokens.get(at + 1)) {
                    // `let Self { pos, .. } = self`: here `Self` is the view.
                    out.extend([tokens[at].clone()]);
                } else {
                    out.extend(spanned_path(row, ident));
                }
            }
            TokenTree::Group(group) => {
                let mut rewritten = Group::new(group.delimiter(), rewrite(group.stream(), row));
                rewritten.set_span(group.span());
                out.extend([TokenTree::Group(rewritten)]);
            }
            token => out.extend([token.clone()]),
        }
        at += 1;
    }
    out
}

/// Whether what stands before makes the name a member of something else: `cell::Ref`.
fn is_path_start(tokens: &[TokenTree], at: usize) -> bool {
    at > 0
        && matches!(&tokens[at - 1], TokenTree::Punct(punct) if punct.as_char() == ':' || punct.as_char() == '.')
        && at > 1
        && matches!(&tokens[at - 2], TokenTree::Punct(punct) if punct.as_char() == ':')
}

/// The tokens between `<` at `at` (or `::<`) and its `>`, and the position after, if there is one type
/// there.
fn generic_argument(tokens: &[TokenTree], mut at: usize) -> Option<(TokenStream, usize)> {
    let punct = |n: usize| match tokens.get(n) {
        Some(TokenTree::Punct(punct)) => Some(punct.as_char()),
        _ => None,
    };
    if punct(at) == Some(':') && punct(at + 1) == Some(':') {
        at += 2;
    }
    if punct(at) != Some('<') {
        return None;
    }
    let start = at + 1;
    let mut depth = 1;
    at = start;
    while at < tokens.len() {
        match punct(at) {
            Some('<') => depth += 1,
            // Not the arrow of a function type.
            Some('>') if punct(at - 1) != Some('-') => {
                depth -= 1;
                if depth == 0 {
                    let class: TokenStream = tokens[start..at].iter().cloned().collect();
                    return (!class.is_empty()).then_some((class, at + 1));
                }
            }
            Some(',' | ';' | '\'') if depth == 1 => return None,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Whether a token is `{ …, .. }`, which only a pattern can be.
fn is_rest_pattern(token: Option<&TokenTree>) -> bool {
    let Some(TokenTree::Group(group)) = token else { return false };
    if group.delimiter() != Delimiter::Brace {
        return false;
    }
    let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
    let is_dot = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == '.');
    matches!(tokens.as_slice(), [.., a, b] if is_dot(a) && is_dot(b))
}

/// The class's path, with the place of the `Self` that it stands for.
fn spanned_path(row: &syn::Path, at: &Ident) -> TokenStream {
    let mut row = row.clone();
    if let Some(last) = row.segments.last_mut() {
        last.ident.set_span(at.span().located_at(at.span()));
    }
    quote::quote!(#row)
}
