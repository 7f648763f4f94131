//! What a body calls, by name: getters and methods of other objects, and methods of its own.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::access::{is_punct, plain_name};

/// A name that a body calls.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Called {
    pub(super) name: String,
    pub(super) line: usize,
    /// Whether it is called on `self` itself.
    pub(super) on_self: bool,
}

/// The names that a body calls as methods, or has as paths to functions, `BodyRef::pos`.
pub(super) fn calls(body: TokenStream) -> Vec<Called> {
    let mut found = Vec::new();
    collect(body, &mut found);
    found
}

fn collect(body: TokenStream, found: &mut Vec<Called>) {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    for (n, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => collect(group.stream(), found),
            TokenTree::Ident(ident) => {
                let name = plain_name(ident);
                let before = |back: usize| n.checked_sub(back).and_then(|n| tokens.get(n));
                let is_called = matches!(tokens.get(n + 1), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
                let is_method = is_punct(before(1), '.') && !is_punct(before(2), '.') && is_called;
                let is_path = is_punct(before(1), ':')
                    && is_punct(before(2), ':')
                    && !is_punct(tokens.get(n + 1), ':')
                    && name.starts_with(char::is_lowercase);
                if is_method || is_path {
                    let on_self = is_method && matches!(before(2), Some(TokenTree::Ident(own)) if own == "self");
                    found.push(Called { name, line: ident.span().start().line, on_self });
                }
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    #[test]
    fn names_after_dots_and_in_paths() {
        let body = quote!({
            self.step(a.pos(), ..b());
            v.iter().map(BodyRef::mass);
            self.x.sqrt();
            f32::max::<u8>;
            A::B
        });
        let names: Vec<_> = calls(body).into_iter().map(|called| (called.name, called.on_self)).collect();
        let expected =
            [("step", true), ("pos", false), ("iter", false), ("map", false), ("mass", false), ("sqrt", false)];
        assert_eq!(names, expected.map(|(name, on_self)| (name.to_owned(), on_self)));
    }
}
