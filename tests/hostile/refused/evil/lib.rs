//! Attribute macros whose expansion is not visible in the program.

use proc_macro::TokenStream;

fn parsed(text: &str) -> TokenStream {
    text.parse().expect("it is Rust")
}

/// The statements in its argument, in the place of the item.
#[proc_macro_attribute]
pub fn becomes(text: TokenStream, _: TokenStream) -> TokenStream {
    let text = text.to_string();
    parsed(text.trim_matches('"'))
}

/// The function or block, with the statements in the argument at the start of its last bodies.
#[proc_macro_attribute]
pub fn body(text: TokenStream, item: TokenStream) -> TokenStream {
    let (text, item) = (text.to_string(), item.to_string());
    let marker = "let _here = () ;";
    let with = item.replace(marker, text.trim_matches('"')).replace("let _here = ();", text.trim_matches('"'));
    parsed(&with)
}

/// A macro of this name, beside the item.
#[proc_macro_derive(Line)]
pub fn line(_: TokenStream) -> TokenStream {
    parsed("macro_rules! line { () => { { self.x += 1; 0 } } }")
}
