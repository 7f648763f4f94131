//! `#[soa_class]`.

mod arrays;
mod expand;
mod forgotten;
mod model;
mod options;

use proc_macro2::TokenStream;

use crate::diagnostics::Errors;
use crate::krate::Krate;

pub(crate) use arrays::{inner_array, ungrouped};
pub(crate) use forgotten::is_made;
use model::Class;
pub(crate) use model::{StorageKind, hides, is_number, of_class, padded, ref_ident, view_ident};

/// Expands the attribute `#[soa_class]`.
pub(crate) fn soa_class(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let (krate, args) = Krate::take("soa_class", args, &mut errors);
    krate.reach(class(args, krate.protect(item), krate.is_missing, errors))
}

fn class(args: TokenStream, item: TokenStream, is_missing: bool, mut errors: Errors) -> TokenStream {
    let item: syn::ItemStruct = match syn::parse2(item.clone()) {
        Ok(item) => item,
        Err(_) => {
            errors.at(&item, "`#[soa_class]` belongs on a struct with named fields");
            let errors = errors.into_tokens();
            return quote::quote!(#item #errors);
        }
    };
    forgotten::found(&item.ident);
    let class = Class::parse(args, &item, &mut errors);
    let errors = errors.into_tokens();
    if class.has_columns && !is_missing {
        // A class with mistakes is expanded too, so that its uses are not errors as well.
        let mut row = class.row.clone();
        let (view, reference, columns) = (class.view(), class.reference(), class.columns());
        let pages = format!(
            "\nMethods are on the page of [`{view}`], getters of other objects on that of [`{reference}`]. The columns are in [`{columns}`]."
        );
        row.attrs.push(syn::parse_quote!(#[cfg_attr(doc, doc = #pages)]));
        let made = expand::expand(&class, errors.is_some());
        quote::quote!(#errors #row #made)
    } else {
        expand::fallback(&class, errors)
    }
}

/// Reports a class that belongs to another package.
pub(crate) fn is_foreign(class: &syn::Path, errors: &mut Errors) -> bool {
    let Some(package) = forgotten::package(class) else { return false };
    let name = &class.segments[class.segments.len() - 1].ident;
    errors.at(
        class,
        format!(
            "`{name}` is of package `{package}`, and a class has methods and traits of its own package only: make a class of yours with a field `Link<{name}>`, or implement a trait of yours for its refs, `impl<P: ikra::Phase> Trait for {name}Ref<'_, P>`"
        ),
    );
    true
}

/// Handles a struct that the attribute `used` takes for a class although it evidently lacks `#[soa_class]`. Returns the
/// error and the expansion of the missing attribute, so that uses of the class are not errors too.
pub(crate) fn forgotten(class: &syn::Path, used: &str) -> Option<TokenStream> {
    let ident = class.get_ident()?;
    let item = forgotten::find(ident, used)?;
    forgotten::found(ident);
    let mut errors = Errors::default();
    errors.at(ident, format!("`{ident}` is not a class: put `#[soa_class]` on `struct {ident}`"));
    // The struct's own mistakes are reported once it is a class.
    let mut others = Errors::default();
    let class = Class::parse(TokenStream::new(), &item, &mut others);
    let made = class.has_columns.then(|| expand::expand(&class, others.into_error().is_some()));
    let errors = errors.into_tokens();
    Some(quote::quote!(#errors #made))
}
