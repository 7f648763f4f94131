//! How often a body's code runs, and how often it names something.

use proc_macro2::{TokenStream, TokenTree};

use super::plain_name;

/// Methods of every object, which change no field and make no object.
pub(super) const OF_OBJECTS: [&str; 4] = ["all", "link", "remove", "resolve"];

/// How often an identifier occurs.
pub(super) fn mentions(name: &str, tokens: TokenStream) -> u32 {
    let of_one = |token: TokenTree| match token {
        TokenTree::Ident(ident) => u32::from(plain_name(&ident) == name),
        TokenTree::Group(group) => mentions(name, group.stream()),
        _ => 0,
    };
    tokens.into_iter().map(of_one).sum()
}

/// Functions of a `Visit` for code that may run several times. Each calls the visitor's own `repeated`.
macro_rules! repeating {
    ($($visit:ident: $node:ident),*) => { $(
        fn $visit(&mut self, node: &'ast $node) {
            self.repeated(|visitor| syn::visit::$visit(visitor, node));
        }
    )* };
}
pub(super) use repeating;
