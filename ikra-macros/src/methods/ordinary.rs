//! What would be right in an ordinary method, and is written in another way in one of a class: said at the user's tokens,
//! since the compiler would speak of types that the user never wrote.
//!
//! Only what cannot compile is looked for, and what macros of the user's are given is left alone.

use std::collections::HashSet;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{FnArg, Pat};

use super::Fields;
use super::access::{Macro, imports, is_punct, macro_at, plain_name};
use super::model::Block;
use super::rewrite::{is_braces, is_item};
use crate::diagnostics::Errors;

/// Looks through all methods. One with such a mistake is kept as a method that does nothing, so that the compiler does not
/// report the mistake once more.
pub(super) fn check(block: &mut Block, errors: &mut Errors) {
    let kernels = block.methods.iter().filter(|method| method.kernel.is_some());
    let kernels = kernels.map(|method| plain_name(&method.item.sig.ident)).collect();
    let class = block.class_ident();
    let has_clone = block.methods.iter().any(|method| method.item.sig.ident == "clone");
    for method in &mut block.methods {
        let body = method.item.block.to_token_stream();
        let others = method.item.sig.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(typed) => Some(typed),
            FnArg::Receiver(_) => None,
        });
        let others = others.zip(&method.parameters).filter_map(|(typed, parameter)| match &*typed.pat {
            Pat::Ident(name) if parameter.object.is_some() => Some(plain_name(&name.ident)),
            _ => None,
        });
        // A name that is anything but looked into may be another variable's too.
        let others = others.filter(|name| is_looked_into(body.clone(), name)).collect();
        let mut body_of = Body {
            fields: &block.fields,
            class: &class,
            kernels: &kernels,
            others,
            has_clone,
            imports: imports(&body),
            errors,
        };
        if body_of.scan(body) {
            method.item.block = syn::parse_quote!({ ::core::unimplemented!() });
            method.item.attrs.push(syn::parse_quote!(#[allow(unused_variables, clippy::unimplemented)]));
        }
    }
}

struct Body<'a> {
    fields: &'a Fields,
    class: &'a Ident,
    kernels: &'a HashSet<String>,
    /// The names of parameters that are other objects.
    others: HashSet<String>,
    /// Whether the block has a method `clone` of its own.
    has_clone: bool,
    imports: HashSet<String>,
    errors: &'a mut Errors,
}

impl Body<'_> {
    /// Whether something was found.
    fn scan(&mut self, tokens: TokenStream) -> bool {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut found = false;
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                // Items have a `self` of their own.
                TokenTree::Ident(word) if is_item(word, &tokens, at) => {
                    at = tokens[at..].iter().position(is_braces).map_or(tokens.len(), |n| at + n);
                }
                TokenTree::Ident(word) if self.others.contains(&plain_name(word)) => found |= self.other(&tokens, at),
                TokenTree::Ident(word) if word == "self" => found |= self.own(&tokens, at),
                TokenTree::Ident(word) if word == "Self" || word == self.class => found |= self.path(&tokens, at),
                TokenTree::Group(group) if macro_at(&tokens, at, &self.imports) != Some(Macro::Unknown) => {
                    found |= self.scan(group.stream());
                }
                _ => {}
            }
            at += 1;
        }
        found
    }

    /// `self` at a position.
    fn own(&mut self, tokens: &[TokenTree], at: usize) -> bool {
        let after = &tokens[at + 1..];
        let before = at.checked_sub(1).map(|at| &tokens[at]);
        if is_punct(before, '*') && operator(after) == Some("=".to_owned()) {
            self.errors.at(
                &tokens[at],
                format!(
                    "`self` shows an object whose fields are in columns, and is no `{}`: assign the fields that change; in sequential code `objects.write(link, row)` replaces a whole object",
                    self.class
                ),
            );
            return true;
        }
        let is_copied = matches!(tokens[..at], [.., TokenTree::Ident(ref word), TokenTree::Ident(_), ref equals, ref star]
            if (word == "let" || word == "mut") && is_punct(Some(equals), '=') && is_punct(Some(star), '*'))
            && is_punct(after.first(), ';');
        let is_cloned = matches!(after, [dot, TokenTree::Ident(name), TokenTree::Group(arguments), ..]
            if is_punct(Some(dot), '.') && name == "clone" && arguments.stream().is_empty() && !self.has_clone);
        if is_copied || is_cloned {
            self.errors.at(
                if is_cloned { &after[1] } else { &tokens[at] },
                format!(
                    "`self` shows an object whose fields are in columns, and is no `{}`: copy the fields that you need, `let {1} = self.{1};`; in sequential code `objects.read(link)` returns a whole object",
                    self.class,
                    self.fields.fields.first().map_or("field".to_owned(), |(name, _)| name.to_string()),
                ),
            );
            return true;
        }
        let [dot, TokenTree::Ident(name), after @ ..] = after else { return false };
        if !is_punct(Some(dot), '.') || !self.fields.position(name).is_some_and(|field| self.fields.is_atomic(field)) {
            return false;
        }
        // `if self.on { … }`, `!self.on`; `!self.on.load()` and `!self.on[0]…` go on.
        let goes_on = is_punct(after.first(), '.')
            || after.first().is_some_and(|token| matches!(token, TokenTree::Group(_)) && !is_braces(token));
        let condition = match before {
            Some(TokenTree::Ident(word)) => (word == "if" || word == "while") && after.first().is_some_and(is_braces),
            before => is_punct(before, '!') && !goes_on,
        };
        let instead = match operator(after).as_deref() {
            Some("+=") => "add(…)",
            Some("-=") => "sub(…)",
            Some("|=") => "or(…)",
            Some("&=") => "and(…)",
            Some("=") => "store(…)",
            Some(_) => "load()",
            None if condition => "load()",
            None => return false,
        };
        let place: TokenStream = tokens[at..at + 3].iter().cloned().collect();
        self.errors.at(place, format!("`{name}` is `#[atomic]`: write `self.{name}.{instead}`"));
        true
    }

    /// Another object at a position: a field of it that is assigned.
    fn other(&mut self, tokens: &[TokenTree], at: usize) -> bool {
        let [other, dot, TokenTree::Ident(name), after @ ..] = &tokens[at..] else { return false };
        let is_name =
            |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if [':', '.'].contains(&punct.as_char()));
        if !is_punct(Some(dot), '.') || at > 0 && is_name(&tokens[at - 1]) {
            return false;
        }
        let updates = ["=", "+=", "-=", "*=", "/=", "%=", "^=", "|=", "&=", "<<=", ">>="];
        if !operator(after).is_some_and(|operator| updates.contains(&&*operator)) {
            return false;
        }
        self.errors.at(
            tokens[at..at + 3].iter().cloned().collect::<TokenStream>(),
            format!(
                "`{other}` is another object, which this one reads and does not change: let the kernel run for the objects that change, or make the field `#[atomic]` and update it, `{other}.{name}().add(…)`"
            ),
        );
        true
    }

    /// `Self` or the class's name at a position: a kernel called as a function.
    fn path(&mut self, tokens: &[TokenTree], at: usize) -> bool {
        let [a, b, TokenTree::Ident(name), TokenTree::Group(arguments), ..] = &tokens[at + 1..] else { return false };
        let is_call = is_punct(Some(a), ':')
            && is_punct(Some(b), ':')
            && arguments.delimiter() == proc_macro2::Delimiter::Parenthesis;
        if !is_call || at > 0 && is_punct(Some(&tokens[at - 1]), ':') || !self.kernels.contains(&plain_name(name)) {
            return false;
        }
        self.errors.at(
            name,
            format!("`{}::{name}` is what executors are given, and no function: call the method on an object, `self.{name}(…)`", self.class),
        );
        true
    }
}

/// Whether a name is followed by a dot wherever it stands.
fn is_looked_into(tokens: TokenStream, name: &str) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    tokens.iter().enumerate().all(|(at, token)| match token {
        TokenTree::Ident(word) if plain_name(word) == name => is_punct(tokens.get(at + 1), '.'),
        TokenTree::Group(group) => is_looked_into(group.stream(), name),
        _ => true,
    })
}

/// The binary operator, assignment or `as` that the tokens start with.
fn operator(tokens: &[TokenTree]) -> Option<String> {
    if let Some(TokenTree::Ident(word)) = tokens.first() {
        return (word == "as").then(|| "as".to_owned());
    }
    let mut text = String::new();
    for token in tokens {
        let TokenTree::Punct(punct) = token else { break };
        text.push(punct.as_char());
        if punct.spacing() == proc_macro2::Spacing::Alone {
            break;
        }
    }
    const OPERATORS: [&str; 29] = [
        "+=", "-=", "*=", "/=", "%=", "^=", "|=", "&=", "<<=", ">>=", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||",
        "=", "+", "-", "*", "/", "%", "^", "|", "&", "<", ">",
    ];
    // `a == -b`: the longest.
    OPERATORS
        .iter()
        .find(|operator| text.starts_with(**operator) && !text.starts_with("=>"))
        .map(|&text| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operator_of(tokens: TokenStream) -> Option<String> {
        operator(&tokens.into_iter().collect::<Vec<_>>())
    }

    #[test]
    fn the_longest_operator_counts() {
        for text in ["+=", "=", "==", "<<=", "<", "&&", "&", "as"] {
            let tokens: TokenStream = format!("{text} -x").parse().unwrap();
            assert_eq!(operator_of(tokens).as_deref(), Some(text));
            let tokens: TokenStream = format!("{text} !&x").parse().unwrap();
            assert_eq!(operator_of(tokens).as_deref(), Some(text));
        }
        for text in ["=> x", ".load()", "; x", ", x", "{ x }", "? + 1", "else"] {
            assert_eq!(operator_of(text.parse().unwrap()), None, "{text}");
        }
        assert_eq!(operator_of("==-x".parse().unwrap()).as_deref(), Some("=="));
    }
}
