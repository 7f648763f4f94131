//! What `#[soa_class]` makes.

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

/// Everything but the struct. If the class has mistakes, its conversions are stand-ins: some field may be of a type
/// that cannot be stored.
pub(crate) fn expand(class: &Class, is_mistaken: bool) -> TokenStream {
    let parts = [columns(class), view(class), reference(class), implementation(class, is_mistaken), no_drop(class)];
    let rest = [symbol(class), macro_rules(class)];
    let is_deprecated = |field: &Field| field.docs.iter().any(|attr| attr.path().is_ident("deprecated"));
    if class.fields.iter().any(is_deprecated) {
        // The user's uses are pointed out, and not those here.
        let parts = parts.map(allow_deprecated);
        return quote!(#(#parts)* #(#rest)*);
    }
    quote!(#(#parts)* #(#rest)*)
}

/// The errors, a stand-in for the struct, and a macro that makes nothing of its methods.
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

/// Items, each under `#[allow(deprecated)]`.
fn allow_deprecated(items: TokenStream) -> TokenStream {
    match syn::parse2::<syn::File>(items.clone()) {
        Ok(file) => {
            let items = file.items;
            quote!(#(#[allow(deprecated)] #items)*)
        }
        Err(_) => items,
    }
}
