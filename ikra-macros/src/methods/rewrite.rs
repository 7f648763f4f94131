//! The names with a special meaning inside methods: `Ref<X>`, `Spawn<X>`, `Groups<X>`, `Worklist<X>` and `Self`.
//!
//! They are replaced in tokens, including tokens inside macro calls; all other tokens stay unchanged.

#[cfg(test)]
mod tests;

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};

use super::model::Block;
use super::plain_name;

impl Block {
    /// Rewrites `Ref<X>`, `Groups<X>` and `Self` in some tokens.
    pub(crate) fn rewrite(&self, tokens: impl ToTokens) -> TokenStream {
        rewrite(quote!(#tokens), &self.class)
    }
}

/// Rewrites `Ref<X>` to the ref of class `X` in the current phase, `Spawn<X>` and `Groups<X>` to their types in this
/// phase, and `Self` to the row.
pub(crate) fn rewrite(tokens: TokenStream, row: &syn::Path) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut out = TokenStream::new();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Ident(ident) if plain_name(ident) == "Ref" && !is_path_start(&tokens, at) => {
                if let Some((class, next)) = generic_argument(&tokens, at + 1) {
                    let class = rewrite(class, row);
                    out.extend(quote_spanned!(ident.span()=> ::ikra::Ref<'__w, #class, __P>));
                    at = next;
                    continue;
                }
                out.extend([tokens[at].clone()]);
            }
            TokenTree::Ident(ident) if plain_name(ident) == "Spawn" && !is_path_start(&tokens, at) => {
                if let Some((class, next)) = generic_argument(&tokens, at + 1) {
                    let class = rewrite(class, row);
                    out.extend(quote_spanned!(ident.span()=> ::ikra::Spawn<'__w, #class, __P>));
                    at = next;
                    continue;
                }
                out.extend([tokens[at].clone()]);
            }
            TokenTree::Ident(ident) if plain_name(ident) == "Groups" && !is_path_start(&tokens, at) => {
                if let Some((arguments, next)) = generic_arguments(&tokens, at + 1) {
                    let arguments = rewrite(arguments, row);
                    out.extend(quote_spanned!(ident.span()=> ::ikra::Grouped<'_, '__w, __P, #arguments>));
                    at = next;
                    continue;
                }
                out.extend([tokens[at].clone()]);
            }
            TokenTree::Ident(ident) if plain_name(ident) == "Worklist" && !is_path_start(&tokens, at) => {
                if let Some((class, next)) = generic_argument(&tokens, at + 1) {
                    let class = rewrite(class, row);
                    out.extend(quote_spanned!(ident.span()=> &::ikra::Worklist<#class>));
                    at = next;
                    continue;
                }
                out.extend([tokens[at].clone()]);
            }
            TokenTree::Ident(ident) if ident == "Self" => match pattern(&tokens, at) {
                // `let Self { pos, .. } = self`: here `Self` is the view.
                Some(fields) => {
                    out.extend([tokens[at].clone(), TokenTree::Group(fields)]);
                    at += 1;
                }
                None => out.extend(spanned_path(row, ident)),
            },
            // Items within a body have their own `Self`.
            TokenTree::Ident(ident) if is_item(ident, &tokens, at) => {
                let end = tokens[at..].iter().position(is_braces).map_or(tokens.len(), |n| at + n + 1);
                out.extend(tokens[at..end].iter().cloned());
                at = end;
                continue;
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

/// Whether some tokens contain a `Ref<X>` or `Groups<X>`, whose types have the phase as a parameter.
pub(crate) fn has_ref(tokens: TokenStream) -> bool {
    has("Ref", tokens.clone()) || has_groups(tokens)
}

/// Whether some tokens contain a `Groups<X>`.
pub(crate) fn has_groups(tokens: TokenStream) -> bool {
    has("Groups", tokens)
}

/// Whether the tokens contain this name with a class: `Ref<X>`, `Spawn<X>`, `Groups<X>`.
pub(super) fn has(name: &str, tokens: TokenStream) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    (0..tokens.len()).any(|at| match &tokens[at] {
        TokenTree::Ident(ident) => {
            let arguments = if name == "Groups" { generic_arguments } else { generic_argument };
            plain_name(ident) == name && !is_path_start(&tokens, at) && arguments(&tokens, at + 1).is_some()
        }
        TokenTree::Group(group) => has(name, group.stream()),
        _ => false,
    })
}

/// Whether the tokens before the name make it a member of a path: `cell::Ref`.
fn is_path_start(tokens: &[TokenTree], at: usize) -> bool {
    at > 0
        && matches!(&tokens[at - 1], TokenTree::Punct(punct) if punct.as_char() == ':' || punct.as_char() == '.')
        && at > 1
        && matches!(&tokens[at - 2], TokenTree::Punct(punct) if punct.as_char() == ':')
}

/// The tokens between `<` at `at` (or `::<`) and its `>`, and the position after it, if they form one type.
fn generic_argument(tokens: &[TokenTree], at: usize) -> Option<(TokenStream, usize)> {
    generics(tokens, at, &[',', ';', '\''])
}

/// As above, for one type or several.
fn generic_arguments(tokens: &[TokenTree], at: usize) -> Option<(TokenStream, usize)> {
    generics(tokens, at, &[';', '\''])
}

/// As above, without these characters.
fn generics(tokens: &[TokenTree], mut at: usize, without: &[char]) -> Option<(TokenStream, usize)> {
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
            // Skip the arrow of a function type.
            Some('>') if punct(at - 1) != Some('-') => {
                depth -= 1;
                if depth == 0 {
                    let class: TokenStream = tokens[start..at].iter().cloned().collect();
                    return (!class.is_empty()).then_some((class, at + 1));
                }
            }
            Some(other) if depth == 1 && without.contains(&other) => return None,
            _ => {}
        }
        at += 1;
    }
    None
}

/// The fields of the pattern `Self { … }` at `at`, if it is a pattern: it ends in `..`, follows `let`, or precedes `=`,
/// `=>`, or `|`. The view has one more field than the class, so `..` is added.
fn pattern(tokens: &[TokenTree], at: usize) -> Option<Group> {
    let fields = tokens.get(at + 1).filter(|token| is_braces(token));
    let Some(TokenTree::Group(fields)) = fields else { return None };
    let mut inside: Vec<TokenTree> = fields.stream().into_iter().collect();
    let punct = |n: usize| match tokens.get(n) {
        Some(TokenTree::Punct(punct)) => punct.as_char(),
        _ => ' ',
    };
    let open = matches!(inside.as_slice(), [.., TokenTree::Punct(a), TokenTree::Punct(b)] if a.as_char() == '.' && b.as_char() == '.');
    if open {
        return Some(fields.clone());
    }
    let after_let = at > 0 && matches!(&tokens[at - 1], TokenTree::Ident(word) if word == "let");
    let before_arm = match (punct(at + 2), punct(at + 3)) {
        ('=', next) => next != '=',
        ('|', next) => next != '|',
        _ => false,
    };
    if !after_let && !before_arm {
        return None;
    }
    if !matches!(inside.last(), None | Some(TokenTree::Punct(_))) {
        inside.extend(quote!(,));
    }
    inside.extend(quote!(..));
    let mut fields = Group::new(Delimiter::Brace, inside.into_iter().collect());
    fields.set_span(tokens[at + 1].span());
    Some(fields)
}

/// Whether this `impl`, `trait`, `struct`, … starts an item, rather than a type such as `impl Fn()`.
pub(super) fn is_item(word: &Ident, tokens: &[TokenTree], at: usize) -> bool {
    if !["enum", "impl", "struct", "trait", "union"].iter().any(|item| word == item) {
        return false;
    }
    match at.checked_sub(1).map(|n| &tokens[n]) {
        // After the start of a block, the end of a statement or item, an attribute, or a visibility.
        None => tokens[at..].iter().any(is_braces),
        Some(TokenTree::Punct(punct)) => punct.as_char() == ';',
        Some(TokenTree::Group(group)) => group.delimiter() != Delimiter::Parenthesis,
        Some(TokenTree::Ident(before)) => before == "pub" || before == "unsafe",
        Some(TokenTree::Literal(_)) => false,
    }
}

pub(super) fn is_braces(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

/// The class's path, with the span of the `Self` that it replaces.
fn spanned_path(row: &syn::Path, at: &Ident) -> TokenStream {
    let mut row = row.clone();
    if let Some(last) = row.segments.last_mut() {
        last.ident.set_span(at.span().located_at(at.span()));
    }
    quote!(#row)
}
