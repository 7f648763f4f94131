//! Parses a block method by method: a mistake in one method leaves the others intact.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::quote;
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Block, Expr, ImplItem, ImplItemFn, ItemImpl, Signature, Stmt, Token, Visibility};

use crate::diagnostics::Errors;

/// The block without its items, and the items; the block may contain mistakes.
pub(super) fn header(item: &TokenStream) -> syn::Result<(ItemImpl, TokenStream)> {
    let mut tokens: Vec<TokenTree> = item.clone().into_iter().collect();
    match tokens.pop() {
        Some(TokenTree::Group(items)) if items.delimiter() == Delimiter::Brace => {
            let mut none = Group::new(Delimiter::Brace, TokenStream::new());
            none.set_span(items.span());
            tokens.push(TokenTree::Group(none));
            Ok((syn::parse2(tokens.into_iter().collect())?, items.stream()))
        }
        // Not a block: the parse error explains what is missing.
        _ => syn::parse2(item.clone()).map(|block| (block, TokenStream::new())),
    }
}

/// Parses the whole block.
pub(crate) fn block(item: TokenStream, errors: &mut Errors) -> Option<ItemImpl> {
    if let Ok(block) = syn::parse2(item.clone()) {
        return Some(block);
    }
    let (mut block, items) = errors.take(header(&item))?;
    let parser = |input: ParseStream<'_>| {
        block.attrs.extend(input.call(Attribute::parse_inner)?);
        while !input.is_empty() {
            block.items.extend(next(input, errors));
        }
        Ok(())
    };
    let parsed = parser.parse2(items);
    errors.take(parsed);
    Some(block)
}

/// Parses the next item, if it has no mistake, or if it is a method with a mistake only in its body.
fn next(input: ParseStream<'_>, errors: &mut Errors) -> Option<ImplItem> {
    let ahead = input.fork();
    let error = match ahead.parse() {
        Ok(item) => {
            input.advance_to(&ahead);
            return Some(item);
        }
        Err(error) => error,
    };
    match function.parse2(extent(input)) {
        Ok(item) => Some(ImplItem::Fn(item)),
        Err(_) => {
            errors.add(error);
            None
        }
    }
}

/// The tokens of one item, valid or not.
fn extent(input: ParseStream<'_>) -> TokenStream {
    let mut tokens = TokenStream::new();
    let mut has_body = false;
    while let Ok(token) = input.parse::<TokenTree>() {
        has_body |= matches!(&token, TokenTree::Ident(word) if word == "fn");
        let ends = match &token {
            TokenTree::Group(group) => has_body && group.delimiter() == Delimiter::Brace,
            TokenTree::Punct(punct) => punct.as_char() == ';',
            _ => false,
        };
        tokens.extend([token]);
        if ends {
            break;
        }
    }
    tokens
}

/// Parses a method and keeps its body as raw tokens. The compiler has already reported syntax errors in the body. It
/// reports them again in identical words, and shows identical errors once.
fn function(input: ParseStream<'_>) -> syn::Result<ImplItemFn> {
    let attrs = input.call(Attribute::parse_outer)?;
    let vis: Visibility = input.parse()?;
    let sig: Signature = input.parse()?;
    let body: Group = input.parse()?;
    let body_tokens = body.stream();
    // An empty function supplies the parts of the type that are private to `syn`.
    let mut item: ImplItemFn = syn::parse2(quote!(
        fn body() {}
    ))?;
    let brace = syn::token::Brace { span: body.delim_span() };
    item.block = Block { brace_token: brace, stmts: vec![Stmt::Expr(Expr::Verbatim(body_tokens), None::<Token![;]>)] };
    Ok(ImplItemFn { attrs, vis, sig, ..item })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(block: &str) -> (Vec<String>, bool) {
        let mut errors = Errors::default();
        let block = super::block(block.parse().expect("tokens"), &mut errors).expect("a block");
        let names = block.items.iter().map(|item| match item {
            ImplItem::Fn(item) => item.sig.ident.to_string(),
            _ => "other".to_owned(),
        });
        (names.collect(), errors.into_tokens().is_some())
    }

    #[test]
    fn a_mistake_in_one_leaves_the_others() {
        let (found, is_wrong) = names(
            "impl Body { const A: u32 = 1; pub fn a(&self) { 1 + } #[kernel] fn b<T>(&mut self, x: [u8; 3]) -> u8 { let = ; } fn c() {} }",
        );
        // The compiler reports mistakes in a body.
        assert_eq!((found, is_wrong), (["other", "a", "b", "c"].map(String::from).to_vec(), false));
    }

    #[test]
    fn what_cannot_be_read_is_pointed_out() {
        let (found, is_wrong) = names("impl Body { fn a(&self x) {} const = 1; fn b(&self) {} }");
        assert_eq!((found, is_wrong), (vec!["b".to_owned()], true));
    }
}
