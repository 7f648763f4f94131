//! Attributes: which of them leave code unchanged, and which may be macros that rewrite it.
//!
//! An imported macro with the name of a built-in attribute makes the name ambiguous, which is a compile error. So
//! attributes with built-in names are always built in. `#[derive]` is a macro, which may define other macros. Tool
//! names are not protected: the user may have a module called `rustfmt`.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Attribute, Expr};

use super::names::{self, Is};
use super::{is_punct, plain_name};
use crate::diagnostics::{Errors, located};

/// The classification of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A built-in attribute.
    Plain,
    /// A tool's attribute such as `#[rustfmt::skip]`, unless a module has this name.
    Tool,
    /// Possibly a user macro.
    Macro,
}

/// Classifies an attribute, given the tokens between its brackets.
pub(super) fn kind(meta: &TokenStream) -> Kind {
    let tokens: Vec<TokenTree> = meta.clone().into_iter().collect();
    let Some(TokenTree::Ident(first)) = tokens.first() else { return Kind::Macro };
    let first = plain_name(first);
    if is_punct(tokens.get(1), ':') {
        return if names::is(&first, Is::Tool) { Kind::Tool } else { Kind::Macro };
    }
    match &*first {
        "cfg_attr" => conditional(&tokens).iter().map(kind).max().unwrap_or(Kind::Plain),
        first if names::is(first, Is::Attribute) => Kind::Plain,
        _ => Kind::Macro,
    }
}

/// The attributes in `cfg_attr(condition, …)`.
fn conditional(tokens: &[TokenTree]) -> Vec<TokenStream> {
    let Some(TokenTree::Group(group)) = tokens.get(1) else { return Vec::new() };
    let inside: Vec<TokenTree> = group.stream().into_iter().collect();
    let parts = inside.split(|token| is_punct(Some(token), ',')).skip(1).filter(|part| !part.is_empty());
    parts.map(|part| part.iter().cloned().collect()).collect()
}

/// Classifies an attribute of a method or a block.
pub(super) fn kind_of(attr: &Attribute) -> Kind {
    kind(&attr.meta.to_token_stream())
}

/// The attributes of an expression.
pub(super) fn of(expr: &Expr) -> &[Attribute] {
    macro_rules! attributes {
        ($($kind:ident)*) => {
            match expr {
                $(Expr::$kind(expr) => &expr.attrs,)*
                _ => &[],
            }
        };
    }
    attributes! {
        Array Assign Async Await Binary Block Break Call Cast Closure Const Continue Field ForLoop Group If Index Infer Let Lit Loop
        Macro Match MethodCall Paren Path Range RawAddr Reference Repeat Return Struct Try TryBlock Tuple Unary Unsafe While Yield
    }
}

/// Reports attributes of a block that may be macros: they would receive and change the code that this macro has
/// analyzed.
pub(super) fn check_block(attrs: &mut Vec<Attribute>, errors: &mut Errors) {
    attrs.retain(|attr| {
        let is_plain = matches!(kind_of(attr), Kind::Plain | Kind::Tool);
        if !is_plain {
            errors.at(
                attr,
                "`#[soa_methods]` reads the methods as they stand here, and this attribute may change them afterwards: write it above `#[soa_methods]`",
            );
        }
        is_plain
    });
}

/// Items that fail to compile if one of these tool attributes is a macro: the compiler rejects a macro on a field.
pub(super) fn tools<'a>(attrs: impl Iterator<Item = &'a Attribute>) -> TokenStream {
    let mut found = Vec::new();
    for attr in attrs.filter(|attr| kind_of(attr) == Kind::Tool) {
        collect_tools(&attr.meta.to_token_stream(), &mut found);
    }
    if found.is_empty() {
        return TokenStream::new();
    }
    let at = found.iter().map(located);
    let fields = found.iter().zip(at).enumerate().map(|(n, (meta, at))| {
        let name = quote::format_ident!("_{n}", span = at);
        quote!(#[#meta] #name: ())
    });
    quote! {
        const _: () = {
            #[allow(dead_code, missing_debug_implementations)]
            #[allow(unknown_lints, misplaced_diagnostic_attributes, malformed_diagnostic_attributes)]
            #[allow(unknown_or_malformed_diagnostic_attributes, unknown_diagnostic_attributes)]
            struct __Tools { #(#fields),* }
        };
    }
}

fn collect_tools(meta: &TokenStream, found: &mut Vec<TokenStream>) {
    let tokens: Vec<TokenTree> = meta.clone().into_iter().collect();
    if matches!(tokens.first(), Some(TokenTree::Ident(name)) if name == "cfg_attr") {
        for part in conditional(&tokens) {
            collect_tools(&part, found);
        }
    } else if kind(meta) == Kind::Tool {
        found.push(meta.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_of(meta: &str) -> Kind {
        kind(&meta.parse().unwrap())
    }

    #[test]
    fn built_in_names_are_plain_as_they_are_alone() {
        for meta in ["inline", "inline(always)", "doc = \"self\"", "r#inline", "cfg_attr(any(a, b), inline, allow(x))"]
        {
            assert_eq!(kind_of(meta), Kind::Plain, "{meta}");
        }
        for meta in ["inline::x", "doc::x = 1", "::inline", "evil", "cold::body(1)", "serde(skip)", "", "$a"] {
            assert_eq!(kind_of(meta), Kind::Macro, "{meta}");
        }
        for meta in ["rustfmt", "clippy", "diagnostic", "test", "derive(Clone)", "cfg_attr(all(), inline, evil::x)"] {
            assert_eq!(kind_of(meta), Kind::Macro, "{meta}");
        }
        for meta in ["rustfmt::skip", "clippy::msrv = \"1\"", "cfg_attr(all(), inline, rustfmt::skip)"] {
            assert_eq!(kind_of(meta), Kind::Tool, "{meta}");
        }
    }
}
