//! Arguments of user macros, and text that does not parse.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::Expr;
use syn::visit::Visit;

use super::{Name, Walk};
use crate::methods::facts::How;
use crate::methods::macros::{mentions_self, parenthesised, pieces};
use crate::methods::place::Place;
use crate::methods::{names, plain_name};

impl Walk<'_> {
    /// Reads the arguments of a user macro, or text that does not parse.
    pub(super) fn unknown(&mut self, tokens: TokenStream) {
        let before = std::mem::replace(&mut self.within.unknown, true);
        for piece in pieces(tokens) {
            match syn::parse2(piece.clone()) {
                Ok(expr) => self.given(&expr),
                Err(_) => self.raw(piece),
            }
        }
        self.within.unknown = before;
    }

    /// Reads an expression passed to a user macro, possibly as a place.
    pub(super) fn given(&mut self, expr: &Expr) {
        match expr {
            Expr::Paren(inner) => self.given(&inner.expr),
            Expr::Group(inner) => self.given(&inner.expr),
            Expr::Tuple(tuple) => tuple.elems.iter().for_each(|expr| self.given(expr)),
            Expr::Array(array) => array.elems.iter().for_each(|expr| self.given(expr)),
            expr => {
                self.gives(expr);
                self.visit_expr(expr);
            }
        }
    }

    pub(super) fn gives(&mut self, expr: &Expr) {
        if let Some(field) = Place::of(expr).and_then(|place| self.fields.position(place.name))
            && !self.fields.is_atomic(field)
        {
            self.facts.given |= 1 << field;
        }
    }

    /// Reads tokens that do not form an expression. Each `self.field` may be changed, and each operation may apply to
    /// each atomic that the tokens name.
    pub(super) fn raw(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is = |n: Option<usize>, c: char| matches!(n.and_then(|n| tokens.get(n)), Some(TokenTree::Punct(punct)) if punct.as_char() == c);
        let (mut values, mut operations) = (Vec::new(), 0);
        for (n, token) in tokens.iter().enumerate() {
            let name = match token {
                TokenTree::Ident(name) => name,
                TokenTree::Group(group) => {
                    // A nested macro call, or tokens that become one.
                    self.facts.hidden |= is(n.checked_sub(1), '!') && !mentions_self(group.stream());
                    self.unknown(group.stream());
                    continue;
                }
                TokenTree::Literal(_) => {
                    self.facts.formats_self |= mentions_self(token.to_token_stream());
                    continue;
                }
                TokenTree::Punct(_) => continue,
            };
            let is_member = is(n.checked_sub(1), '.') && !is(n.checked_sub(2), '.');
            let on_self = is_member && matches!(&tokens[..n - 1], [.., TokenTree::Ident(of)] if of == "self");
            let text = plain_name(name);
            match parenthesised(tokens.get(n + 1)) {
                Some(arguments) if is_member => {
                    let count = pieces(arguments.clone()).len() - usize::from(arguments.is_empty());
                    match names::atomic_operation(&text, count) {
                        Some(operation) => operations |= operation.bits,
                        None => values.push(Name::Other(text)),
                    }
                    self.call(name, if on_self { How::OnSelf } else { How::OnOther });
                    if on_self {
                        self.facts.calls.push(name.clone());
                    }
                }
                _ if on_self => match self.fields.position(name) {
                    Some(field) if self.fields.is_atomic(field) => {
                        self.facts.touches |= 1 << field;
                        values.push(Name::Own(text));
                    }
                    Some(field) => {
                        self.facts.touches |= 1 << field;
                        self.facts.given |= 1 << field;
                    }
                    None => {}
                },
                _ if name == "self" => {
                    let is_looked_into = is(Some(n + 1), '.') && matches!(tokens.get(n + 2), Some(TokenTree::Ident(_)));
                    self.facts.whole = true;
                    self.facts.escapes |= !is_looked_into;
                }
                _ => {
                    self.facts.loops |= ["for", "while", "loop"].contains(&&*text);
                    self.binds_mutably |= text == "mut"
                        && matches!(n.checked_sub(1).map(|n| &tokens[n]), Some(TokenTree::Ident(by)) if by == "ref");
                    self.bare.insert(text);
                }
            }
        }
        for value in &values {
            self.operate_on(value, operations);
        }
        self.unresolved |= operations;
    }
}
