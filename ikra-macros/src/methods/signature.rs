//! The text of a signature: the documentation of a kernel's constant, whose type does not show the arguments.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::Signature;

/// The line of documentation that shows a signature.
pub(crate) fn line(sig: &Signature) -> TokenStream {
    let mut text = String::new();
    write(sig.to_token_stream(), &mut text);
    let text = format!("`{text}`");
    quote!(#[doc = #text] #[doc = ""])
}

/// Appends tokens as people write them.
fn write(tokens: TokenStream, text: &mut String) {
    let mut joint = true;
    for token in tokens {
        let shown = token.to_string();
        let is_close = matches!(&token, TokenTree::Punct(mark) if ",;:?>.".contains(mark.as_char()));
        let is_list = matches!(&token, TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis);
        let opens = text.ends_with(['(', '[', '<', '&', '.', '\'']) || text.ends_with("::");
        let is_generic = shown == "<" && text.ends_with(char::is_alphanumeric);
        let is_path = shown == ":" && text.ends_with(':');
        if !(joint
            || opens
            || is_close
            || is_generic
            || is_path
            || is_list && !text.ends_with(['+', '=']) && !text.ends_with("->"))
        {
            text.push(' ');
        }
        joint = matches!(&token, TokenTree::Punct(mark) if mark.spacing() == Spacing::Joint);
        match token {
            TokenTree::Group(group) => {
                let [open, close] = match group.delimiter() {
                    Delimiter::Parenthesis => ["(", ")"],
                    Delimiter::Bracket => ["[", "]"],
                    Delimiter::Brace => ["{ ", " }"],
                    Delimiter::None => ["", ""],
                };
                text.push_str(open);
                write(group.stream(), text);
                text.push_str(close);
            }
            _ => text.push_str(&shown),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_shown_as_written() {
        let signatures = [
            "fn advance(&mut self, dt: f32)",
            "fn count(&self) -> u32",
            "fn visit(&mut self, other: Ref<Particle>, scale: &[f32]) -> Option<f32>",
            "fn fill<const N: usize>(&mut self, values: [f32; N], next: Option<Link<Cell>>)",
            "fn call<F: Fn(u32) -> u32 + Sync>(&mut self, f: &F, name: &'static str)",
            "fn spawn(id: u32, at: std::ops::Range<u32>) -> Self",
        ];
        for signature in signatures {
            let mut text = String::new();
            write(syn::parse_str::<Signature>(signature).unwrap().to_token_stream(), &mut text);
            assert_eq!(text, signature);
        }
    }
}
