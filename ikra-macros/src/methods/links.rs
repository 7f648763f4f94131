//! Methods called on links, `self.near[k].mass()`: a link is a number, and the compiler, which knows the type, says how to follow it.
//!
//! It says so of a method of a trait whose bounds do not hold. So a body that seems to call a method on a link begins with a trait
//! of such methods, for links that need not be followed, of which there are none. A method that links do have is called as ever.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{format_ident, quote_spanned};
use syn::{FnArg, Pat};

use super::Fields;
use super::access::{is_call, is_punct, plain_name};
use super::model::Method;
use crate::diagnostics::located;
use crate::stored::is_link;

/// Methods that links have.
const KNOWN: [&str; 9] = ["id", "index", "clone", "cmp", "eq", "hash", "into", "ne", "partial_cmp"];

/// What the body begins with, if anything.
pub(super) fn trait_of_followed(method: &Method, fields: &Fields, body: TokenStream) -> Option<TokenStream> {
    let parameters = method.item.sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) if is_link(&typed.ty) => Some(&*typed.pat),
        _ => None,
    });
    let variables = parameters.filter_map(|pattern| match pattern {
        Pat::Ident(name) => Some(plain_name(&name.ident)),
        _ => None,
    });
    let mut finder = Finder { fields, variables: variables.collect(), called: BTreeSet::new() };
    finder.scan(body);
    let called: Vec<Ident> = finder.called.iter().filter_map(|name| syn::parse_str(name).ok()).collect();
    let name = format_ident!("__FollowedLink");
    (!called.is_empty()).then(|| {
        quote_spanned! {located(&method.item.sig.ident)=>
            #[allow(dead_code)]
            trait #name { #(fn #called(&self) {})* }
            impl<C> #name for ::ikra::Link<C> where Self: ::ikra::rt::Followed {}
        }
    })
}

struct Finder<'a> {
    fields: &'a Fields,
    /// Those that hold links.
    variables: BTreeSet<String>,
    /// Methods that are called on links.
    called: BTreeSet<String>,
}

impl Finder<'_> {
    fn scan(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for at in 0..tokens.len() {
            match &tokens[at] {
                TokenTree::Group(group) => self.scan(group.stream()),
                TokenTree::Ident(word) if word == "self" && self.is_element(&tokens[at + 1..]) => {
                    let after = &tokens[at + 4..];
                    self.call(after);
                    // `let near = self.near[k];`
                    if let [.., TokenTree::Ident(word), TokenTree::Ident(name), equals] = &tokens[..at]
                        && (word == "let" || word == "mut")
                        && is_punct(Some(equals), '=')
                        && is_punct(after.first(), ';')
                    {
                        self.variables.insert(plain_name(name));
                    }
                }
                TokenTree::Ident(word) if self.variables.contains(&plain_name(word)) => {
                    let before = at.checked_sub(1).map(|at| &tokens[at]);
                    if !is_punct(before, '.') && !is_punct(before, ':') {
                        self.call(&tokens[at + 1..]);
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether `.near[k]` follows `self`.
    fn is_element(&self, after: &[TokenTree]) -> bool {
        matches!(after, [dot, TokenTree::Ident(field), TokenTree::Group(index), ..]
            if is_punct(Some(dot), '.')
                && index.delimiter() == proc_macro2::Delimiter::Bracket
                && self.fields.links.contains(&plain_name(field)))
    }

    /// The method that is called on a link, if one is.
    fn call(&mut self, after: &[TokenTree]) {
        if let [dot, TokenTree::Ident(name), after @ ..] = after
            && is_punct(Some(dot), '.')
            && is_call(after)
            && !KNOWN.iter().any(|known| name == known)
        {
            self.called.insert(name.to_string());
        }
    }
}
