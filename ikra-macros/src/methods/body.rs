//! `self` in a method's body, so that what the macro takes it to mean is what the compiler takes it to mean.
//!
//! Method bodies stay the user's own tokens. Only around `self` some are put, where ordinary method syntax
//! could mean something else than what [`access`](super::access) found:
//!
//! | in the body | becomes | because |
//! | --- | --- | --- |
//! | `self.energy()`, a `&self` method, in a `&mut self` method | `(&*self).energy()` | a trait's `&mut self` method of this name comes first |
//! | `self.other()` of another block | `<BodyMut<'_, __P>>::other(self)` | as above; the class's own method comes first on a path |
//! | `self.link()`, `all`, `resolve` | `<BodyMut<'_, __P> as Object<'_>>::link(self)` | as above |
//! | `self.vel.normalize()` where a kernel does not write `vel` | `NotInKernelWrites::of(&self.vel)[..].normalize()` | a method that changes what it is called on does not compile then |
//! | `self` where a macro's text cannot be seen | `self` of the macro's hygiene | what such a macro says itself is another `self`, and does not compile |

use std::collections::HashSet;

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};

use super::FieldKind;
use super::access::{Macro, changes, imports, is_call, is_object_method, is_punct, macro_at};
use super::model::{Block, Method, Receiver};
use super::rewrite::{is_braces, is_item};
use crate::class::view_ident;
use crate::diagnostics::located;

/// Rewrites the body, or the receiver, of a method.
pub(super) fn rewrite(block: &Block, method: &Method, tokens: TokenStream) -> TokenStream {
    let view = block.beside(view_ident(&block.class_ident()));
    let imports = imports(&method.item.block.to_token_stream());
    Body { block, method, view, imports }.rewrite(tokens, Place::default())
}

/// Where tokens stand.
#[derive(Clone, Copy, Default)]
struct Place {
    /// In a macro whose text cannot be seen: its tokens stay as they are.
    unknown: bool,
    /// In a macro of the standard library, which may show its tokens.
    shown: bool,
    /// In parentheses on which an unknown method is called.
    receiver: bool,
}

struct Body<'a> {
    block: &'a Block,
    method: &'a Method,
    view: syn::Path,
    /// The names that the body imports.
    imports: HashSet<String>,
}

impl Body<'_> {
    fn rewrite(&self, tokens: TokenStream, place: Place) -> TokenStream {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut out = TokenStream::new();
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                // Items have a `self` of their own.
                TokenTree::Ident(word) if is_item(word, &tokens, at) => {
                    let end = tokens[at..].iter().position(is_braces).map_or(tokens.len(), |n| at + n + 1);
                    out.extend(tokens[at..end].iter().cloned());
                    at = end;
                    continue;
                }
                TokenTree::Ident(word) if word == "self" => {
                    let (expression, next) = self.own(word, &tokens[at..], place);
                    out.extend(expression);
                    at += next;
                    continue;
                }
                TokenTree::Group(group) => {
                    let inner = match macro_at(&tokens, at, &self.imports) {
                        Some(Macro::Unknown) => Place { unknown: true, ..place },
                        Some(_) => Place { shown: true, ..place },
                        None => Place { receiver: self.is_receiver(group, &tokens[at + 1..]), ..place },
                    };
                    out.extend([regroup(group, self.rewrite(group.stream(), inner))]);
                }
                token => out.extend([token.clone()]),
            }
            at += 1;
        }
        out
    }

    /// Whether an unknown method is called on the group.
    fn is_receiver(&self, group: &Group, after: &[TokenTree]) -> bool {
        matches!(group.delimiter(), Delimiter::Parenthesis | Delimiter::None)
            && changes(after, FieldKind::Other) == Some(false)
    }

    /// What becomes of the `self` that the tokens start with, and how many of them that replaces.
    fn own(&self, word: &Ident, tokens: &[TokenTree], place: Place) -> (TokenStream, usize) {
        let own = self.own_self(word);
        let keep = (quote!(#own), 1);
        let dot = is_punct(tokens.get(1), '.') && !is_punct(tokens.get(2), '.');
        let Some(TokenTree::Ident(name)) = tokens.get(2).filter(|_| dot) else { return keep };
        if place.unknown {
            return keep;
        }
        let at = located(word);
        if is_call(&tokens[3..]) {
            if self.method.receiver == Receiver::Shared && self.block.receiver(name).is_some() {
                return keep;
            }
            return match self.block.receiver(name) {
                Some(Receiver::Exclusive) => keep,
                Some(Receiver::Shared) => (quote_spanned!(at=> (&*#own)), 1),
                None => self.path_call(&own, name, tokens).unwrap_or(keep),
            };
        }
        let field = self.block.fields.position(name);
        let unwritten = field.is_some_and(|field| self.method.unwritten >> field & 1 == 1);
        let kind = field.map_or(FieldKind::Other, |field| self.block.fields.kind(field));
        let called = match changes(&tokens[3..], kind) {
            Some(changed) => !changed,
            None => place.receiver,
        };
        if unwritten && called && !place.shown && self.method.receiver == Receiver::Exclusive {
            return (unwritten_field(&own, word, name), 3);
        }
        keep
    }

    /// `self`, of another hygiene if a macro may have one of its own.
    fn own_self(&self, word: &Ident) -> Ident {
        let mut own = word.clone();
        if self.method.access.hidden {
            own.set_span(Span::mixed_site().located_at(word.span()));
        }
        own
    }

    /// `self.name::<T>(a)` as `<BodyMut<'_, __P>>::name::<T>(self, a)`.
    fn path_call(&self, own: &Ident, name: &Ident, tokens: &[TokenTree]) -> Option<(TokenStream, usize)> {
        let at = located(name);
        let view = &self.view;
        let view = quote_spanned!(at=> #view<'_, __P>);
        let end = 3 + turbofish(&tokens[3..])?;
        let generics = &tokens[3..end];
        let Some(TokenTree::Group(arguments)) = tokens.get(end) else { return None };
        let rest = self.rewrite(arguments.stream(), Place::default());
        let arguments = regroup(arguments, if rest.is_empty() { quote!(#own) } else { quote!(#own, #rest) });
        // The call begins with the user's token, so that the line which it panics at is the user's.
        let open = quote_spanned!(name.span()=> <);
        let path = if is_object_method(name) {
            quote_spanned!(at=> #open #view as ::ikra::Object<'_>>)
        } else {
            quote_spanned!(at=> #open #view>)
        };
        Some((quote!(#path::#name #(#generics)* #arguments), end + 1))
    }
}

/// `NotInKernelWrites::of(&self.field)[..]`, which the compiler shows as `self.field`: it starts where `self` does, and
/// ends with the field's name.
fn unwritten_field(own: &Ident, word: &Ident, name: &Ident) -> TokenStream {
    let path = quote_spanned!(word.span()=> ::ikra::NotInKernelWrites::of);
    let mut field = Group::new(Delimiter::Parenthesis, quote_spanned!(word.span()=> &#own.#name));
    let mut all = Group::new(Delimiter::Bracket, quote_spanned!(name.span()=> ..));
    field.set_span(name.span());
    all.set_span(name.span());
    quote!(#path #field #all)
}

/// A group with other contents.
fn regroup(group: &Group, contents: TokenStream) -> TokenTree {
    let mut made = Group::new(group.delimiter(), contents);
    made.set_span(group.span());
    TokenTree::Group(made)
}

/// How many tokens `::<…>` takes, if they begin with it.
fn turbofish(tokens: &[TokenTree]) -> Option<usize> {
    if !is_punct(tokens.first(), ':') {
        return Some(0);
    }
    let mut depth = 0;
    for (n, token) in tokens.iter().enumerate().skip(2) {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '<' => depth += 1,
            // Not the arrow of a function type.
            TokenTree::Punct(punct) if punct.as_char() == '>' && !is_punct(tokens.get(n - 1), '-') => {
                depth -= 1;
                if depth == 0 {
                    return Some(n + 1);
                }
            }
            _ => {}
        }
    }
    None
}
