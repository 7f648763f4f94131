//! The expansion of `#[soa_class]`.

mod columns;
mod hidden_macro;
mod implementation;
mod reference;
mod types;
mod view;

use columns::columns;
use hidden_macro::{hidden_macro, macro_rules};
use implementation::{implementation, no_drop, symbol};
use proc_macro2::TokenStream;
use quote::quote;
use reference::reference;
use view::view;

use super::model::{Class, Field};
use crate::diagnostics::silent;

/// Expands everything except the struct. A class with mistakes gets stand-ins for its conversions, because a field may
/// have a type that cannot be stored.
pub(crate) fn expand(class: &Class, is_mistaken: bool) -> TokenStream {
    let parts = [columns(class), view(class), reference(class), implementation(class, is_mistaken), no_drop(class)];
    let rest = [symbol(class), macro_rules(class)];
    let is_deprecated = |field: &Field| field.docs.iter().any(|attr| attr.path().is_ident("deprecated"));
    if class.fields.iter().any(is_deprecated) {
        // Deprecation warnings should appear at the user's uses, not in generated code.
        let parts = parts.map(allow_deprecated);
        return quote!(#(#parts)* #(#rest)*);
    }
    quote!(#(#parts)* #(#rest)*)
}

/// The errors, a stand-in for the struct, and a class macro that discards its methods.
pub(crate) fn fallback(class: &Class, errors: Option<TokenStream>) -> TokenStream {
    let row = &class.row;
    let hidden = hidden_macro(class);
    let name = class.ident();
    let row = silent(name, &row.vis, &row.generics, row, errors);
    quote! {
        #row
        #[doc(hidden)]
        #[allow(unused_macros)]
        macro_rules! #hidden { ($($item:tt)*) => {}; }
        #[doc(hidden)]
        #[allow(unused_imports)]
        pub(crate) use #hidden as #name;
    }
}

/// Adds `#[allow(deprecated)]` to each item.
fn allow_deprecated(items: TokenStream) -> TokenStream {
    match syn::parse2::<syn::File>(items.clone()) {
        Ok(file) => {
            let items = file.items;
            quote!(#(#[allow(deprecated)] #items)*)
        }
        Err(_) => items,
    }
}
