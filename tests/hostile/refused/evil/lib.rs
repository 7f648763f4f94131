//! Attribute macros whose expansion is not visible in the program.

use proc_macro::TokenStream;

fn parsed(text: &str) -> TokenStream {
    text.parse().expect("it is Rust")
}

/// Replaces an item by the statements in the argument.
#[proc_macro_attribute]
pub fn becomes(text: TokenStream, _: TokenStream) -> TokenStream {
    let text = text.to_string();
    parsed(text.trim_matches('"'))
}

/// Inserts the statements in the argument at the start of the function's or block's last bodies.
#[proc_macro_attribute]
pub fn body(text: TokenStream, item: TokenStream) -> TokenStream {
    let (text, item) = (text.to_string(), item.to_string());
    let marker = "let _here = () ;";
    let with = item.replace(marker, text.trim_matches('"')).replace("let _here = ();", text.trim_matches('"'));
    parsed(&with)
}

/// Adds a macro of this name next to the item.
#[proc_macro_derive(Line)]
pub fn line(_: TokenStream) -> TokenStream {
    parsed("macro_rules! line { () => { { self.x += 1; 0 } } }")
}
