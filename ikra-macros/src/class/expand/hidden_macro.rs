//! The hidden macro that bears the class's name.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{LitStr, Type};

use crate::class::model::{Class, StorageKind, is_number};
use crate::stored::{element, is_link, is_link_to, optional};

pub(super) fn hidden_macro(class: &Class) -> Ident {
    format_ident!("__ikra_class_{}", class.ident().unraw())
}

/// Classifies a field's type by whether its methods may change their receiver. A name in the type may be shadowed; a
/// mutating method then fails to compile unless the kernel is known to write the field: `NotInKernelWrites`.
fn kind_of(ty: &Type) -> &'static str {
    let is_single = |ty: &Type| is_link(ty) || is_number(ty) && element(ty).is_none();
    match element(ty) {
        None if is_single(ty) => "number",
        Some(element) if is_single(element) => "numbers",
        _ => "plain",
    }
}

/// The macro that passes the fields to `#[soa_methods]`. It has the class's own name, so that it is found wherever the
/// struct is imported, and even before the struct in the file.
pub(super) fn macro_rules(class: &Class) -> TokenStream {
    let row = class.ident();
    let hidden = hidden_macro(class);
    let fields = class.fields.iter().map(|field| {
        let ident = &field.ident;
        let is_option = |of: &dyn Fn(&Type) -> bool| optional(&field.ty).is_some_and(of);
        let kind = format_ident!(
            "{}",
            match field.kind {
                StorageKind::Plain if field.has_links() => "links",
                StorageKind::Plain if is_link_to(&field.ty, row) => "own",
                StorageKind::Plain if is_link(&field.ty) => "link",
                StorageKind::Plain if is_option(&|ty| is_link_to(ty, row)) => "own_option",
                StorageKind::Plain if is_option(&is_link) => "option",
                StorageKind::Plain if field.array.is_some() && kind_of(&field.ty) == "numbers" => "array_of_numbers",
                StorageKind::Plain if field.array.is_some() => "array",
                StorageKind::Plain => kind_of(&field.ty),
                StorageKind::Flatten => "flatten",
                StorageKind::Atomic if is_link(&field.ty) => "atomic_link",
                StorageKind::Atomic if is_option(&is_link) => "atomic_option",
                StorageKind::Atomic => "atomic",
            }
        );
        quote!(#ident #kind)
    });
    let name = LitStr::new(&row.unraw().to_string(), row.span());
    let doc = format!("Tells `#[soa_methods]` the fields of [`{}`], under the name of the class.", row.unraw());
    quote! {
        #[doc = #doc]
        #[doc(hidden)]
        #[allow(unused_macros)]
        macro_rules! #hidden {
            ($($item:tt)*) => { ::ikra::rt::__expand_methods! { (::ikra; #name #(#fields),*) $($item)* } };
        }
        #[doc(hidden)]
        #[allow(unused_imports)]
        pub(crate) use #hidden as #row;
    }
}
