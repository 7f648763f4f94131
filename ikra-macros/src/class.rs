//! `#[soa_class]`.

mod arrays;
mod expand;
mod model;
mod options;

use proc_macro2::TokenStream;

use crate::diagnostics::Errors;
use crate::krate::Krate;

pub(crate) use arrays::ungrouped;
use model::Class;
pub(crate) use model::{ref_ident, view_ident};

/// The attribute.
pub(crate) fn soa_class(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let (krate, args) = Krate::take("soa_class", args, &mut errors);
    krate.reach(class(args, krate.protect(item), errors))
}

fn class(args: TokenStream, item: TokenStream, mut errors: Errors) -> TokenStream {
    let item: syn::ItemStruct = match syn::parse2(item.clone()) {
        Ok(item) => item,
        Err(_) => {
            errors.at(&item, "`#[soa_class]` belongs on a struct with named fields");
            let errors = errors.into_tokens();
            return quote::quote!(#item #errors);
        }
    };
    let class = Class::parse(args, &item, &mut errors);
    let errors = errors.into_tokens();
    if class.has_columns {
        // Also of a class with mistakes, so that its uses are not errors too.
        let made = expand::expand(&class, errors.is_some());
        quote::quote!(#errors #made)
    } else {
        expand::fallback(&class, errors)
    }
}
