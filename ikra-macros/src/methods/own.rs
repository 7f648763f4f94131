//! Rewrites `self` in a method's body, so that the compiler resolves it as the macro did.
//!
//! Only code around `self` changes, where ordinary method syntax could resolve differently from the result of
//! [`walk`](super::walk):
//!
//! | in the body | becomes | because |
//! | --- | --- | --- |
//! | `self.energy()`, a `&self` method, in a `&mut self` method | `(&*self).energy()` | a trait's `&mut self` method of this name takes precedence |
//! | `self.other()` of another block | `<BodyMut<'_, __P>>::other(self)` | as above; on a path, the class's own method takes precedence |
//! | `self.link()`, `all`, `resolve` | `<BodyMut<'_, __P> as Object<'_>>::link(self)` | as above |
//! | `self.vel.normalize()` where a kernel does not write `vel` | `NotInKernelWrites::of(&self.vel)[0].normalize()` | a method that changes its receiver then fails to compile |
//! | `self` in a method with an unknown macro | `self` of the macro's hygiene | a `self` from the unknown macro is then a different one, and does not compile |

use std::collections::HashSet;

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprMethodCall, Item, Macro};

use super::macros;
use super::model::{Block, Method, Receiver};
use super::names::{self, Is};
use super::place::{Place, own};
use super::plain_name;
use super::rewrite::{is_braces, is_item};
use crate::class::view_ident;
use crate::diagnostics::located;

/// Rewrites the body of a method.
pub(super) fn rewrite(block: &Block, method: &Method, body: &mut syn::Block) {
    let view = block.beside(view_ident(&block.class_ident()));
    let imports = macros::imports(body.to_token_stream());
    Body { block, method, view, imports, shown: false }.visit_block_mut(body);
}

struct Body<'a> {
    block: &'a Block,
    method: &'a Method,
    view: syn::Path,
    /// The names that the body imports.
    imports: HashSet<String>,
    /// Whether the current position is in a standard library macro, which may print its tokens.
    shown: bool,
}

impl VisitMut for Body<'_> {
    /// Items have their own `self`.
    fn visit_item_mut(&mut self, _: &mut Item) {}

    fn visit_macro_mut(&mut self, called: &mut Macro) {
        let Some((kind, _)) = macros::known(called, &self.imports) else { return };
        let Some(mut arguments) = macros::arguments(kind, &called.tokens) else { return };
        let before = std::mem::replace(&mut self.shown, true);
        self.visit_expr_mut(&mut arguments);
        self.shown = before;
        if let Some(tokens) = macros::given(&arguments) {
            called.tokens = tokens;
        }
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        let Expr::MethodCall(call) = expr else { return };
        if own(&call.receiver).is_none() {
            return self.field(&mut call.receiver);
        }
        match self.block.receiver(&call.method) {
            Some(Receiver::Exclusive) => {}
            Some(Receiver::Shared) if self.method.receiver == Receiver::Shared => {}
            Some(Receiver::Shared) => {
                let Some(own) = own(&call.receiver) else { return };
                let shared = quote_spanned!(located(own)=> (&*#own));
                *call.receiver = Expr::Verbatim(shared);
            }
            None => *expr = Expr::Verbatim(self.path_call(call)),
        }
    }
}

impl Body<'_> {
    /// `self.name::<T>(a)` as `<BodyMut<'_, __P>>::name::<T>(self, a)`.
    fn path_call(&self, call: &ExprMethodCall) -> TokenStream {
        let ExprMethodCall { attrs, receiver, method: name, turbofish, args, .. } = call;
        let at = located(name);
        let view = &self.view;
        let view = quote_spanned!(at=> #view<'_, __P>);
        let comma = (!args.is_empty()).then(|| quote!(,));
        let mut arguments = Group::new(Delimiter::Parenthesis, quote!(#receiver #comma #args));
        arguments.set_span(call.paren_token.span.join());
        // The call begins with the user's token, so that a panic reports the user's line.
        let open = quote_spanned!(name.span()=> <);
        let path = if is_object_method(name) {
            let object = Ident::new(object_trait(name), at);
            quote_spanned!(at=> #open #view as ::ikra::#object<'_>>)
        } else {
            quote_spanned!(at=> #open #view>)
        };
        quote!(#(#attrs)* #path::#name #turbofish #arguments)
    }

    /// Rewrites the receiver of a method that is not known to change it.
    fn field(&self, place: &mut Expr) {
        match place {
            Expr::Paren(inner) => return self.field(&mut inner.expr),
            Expr::Group(inner) => return self.field(&mut inner.expr),
            Expr::Unary(inner) if matches!(inner.op, syn::UnOp::Deref(_)) => return self.field(&mut inner.expr),
            Expr::Index(index) => return self.field(&mut index.expr),
            Expr::Field(field) if own(&field.base).is_none() => return self.field(&mut field.base),
            _ => {}
        }
        let Some(Place { own, name, .. }) = Place::of(place) else { return };
        let is_unwritten =
            self.block.fields.position(name).is_some_and(|field| self.method.unwritten >> field & 1 == 1);
        if is_unwritten && !self.shown && self.method.receiver == Receiver::Exclusive {
            *place = Expr::Verbatim(unwritten_field(own, name));
        }
    }
}

/// `NotInKernelWrites::of(&self.field)[0]`. The compiler shows it as `self.field`: its span starts at `self` and ends
/// with the field's name.
fn unwritten_field(own: &Ident, name: &Ident) -> TokenStream {
    let path = quote_spanned!(own.span()=> ::ikra::NotInKernelWrites::of);
    let mut field = Group::new(Delimiter::Parenthesis, quote_spanned!(own.span()=> &#own.#name));
    let mut all = Group::new(Delimiter::Bracket, quote_spanned!(name.span()=> 0));
    field.set_span(name.span());
    all.set_span(name.span());
    quote!(#path #field #all)
}

/// The tokens with the `self` of the macro's hygiene; a `self` from an unknown macro is then a different one.
pub(super) fn hygienic(tokens: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut out = Vec::with_capacity(tokens.len());
    let mut item_ends = 0;
    for (n, token) in tokens.iter().enumerate() {
        out.push(match token {
            // Items have their own `self`.
            token if n < item_ends => token.clone(),
            TokenTree::Ident(word) if is_item(word, &tokens, n) => {
                item_ends = tokens[n..].iter().position(is_braces).map_or(tokens.len(), |end| n + end + 1);
                token.clone()
            }
            TokenTree::Ident(word) if word == "self" => {
                let mut own = word.clone();
                own.set_span(Span::mixed_site().located_at(word.span()));
                TokenTree::Ident(own)
            }
            TokenTree::Group(group) => {
                let mut made = Group::new(group.delimiter(), hygienic(group.stream()));
                made.set_span(group.span());
                TokenTree::Group(made)
            }
            token => token.clone(),
        });
    }
    out.into_iter().collect()
}

/// The trait of the object method with this name.
pub(super) fn object_trait(name: &Ident) -> &'static str {
    if name == "remove" || name == "set_at_end" { "KernelObject" } else { "Object" }
}

/// Whether the traits `Object` and `KernelObject` have a method of this name.
pub(super) fn is_object_method(name: &Ident) -> bool {
    names::is(&plain_name(name), Is::ObjectMethod)
}
