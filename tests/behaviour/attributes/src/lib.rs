//! Attribute macros for programs that try to hide a method's effects from Ikra's macros.

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// The tokens written in a string.
fn written(args: TokenStream) -> TokenStream {
    let Some(TokenTree::Literal(text)) = args.into_iter().next() else { return TokenStream::new() };
    let text = text.to_string();
    text.trim_matches('"').parse().expect("the string has tokens")
}

/// Replaces an item by the tokens in its argument: an item in a method becomes statements.
#[proc_macro_attribute]
pub fn becomes(args: TokenStream, _item: TokenStream) -> TokenStream {
    written(args)
}

/// Inserts the tokens in its argument at the start of a method's body, or of every method body in a block.
#[proc_macro_attribute]
pub fn first(args: TokenStream, item: TokenStream) -> TokenStream {
    let (text, mut item): (_, Vec<TokenTree>) = (written(args), item.into_iter().collect());
    let is_block = item.iter().any(|token| matches!(token, TokenTree::Ident(word) if word.to_string() == "impl"));
    if let Some(TokenTree::Group(body)) = item.pop() {
        let inside = match is_block {
            true => body.stream().into_iter().map(|token| with_first(token, &text)).collect(),
            false => text.into_iter().chain(body.stream()).collect(),
        };
        item.push(Group::new(body.delimiter(), inside).into());
    }
    item.into_iter().collect()
}

/// A method's body, or another token of a block.
fn with_first(token: TokenTree, text: &TokenStream) -> TokenTree {
    match token {
        TokenTree::Group(body) if body.delimiter() == Delimiter::Brace => {
            Group::new(Delimiter::Brace, text.clone().into_iter().chain(body.stream()).collect()).into()
        }
        token => token,
    }
}
