//! `body::mass`: the module of column names.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;

use crate::class::model::{Class, Field};

/// The module of column names, such as `body::mass`.
pub(super) fn columns(class: &Class) -> TokenStream {
    let (row, columns, vis) = (class.ident(), class.columns(), &class.row.vis);
    let doc = format!("Names for the columns of [`{}`], one per field.", row.unraw());
    let constants = class.fields.iter().enumerate().map(|(k, field)| {
        let Field { ident, vis, .. } = field;
        let doc = format!("The column of [`{}::{}`].", row.unraw(), field.name());
        quote! {
            #[doc = #doc]
            #vis const #ident: ::ikra::Column<#row, #k> = ::ikra::Column::NEW;
        }
    });
    // For the message of `Body::mass`. `for<'__a>` keeps the compiler from reporting the bound itself.
    let misnamed = class.fields.iter().map(|Field { ident, vis, .. }| quote!(#vis const #ident: () = ();));
    quote! {
        #[automatically_derived]
        #[doc(hidden)]
        #[allow(non_upper_case_globals, dead_code, missing_docs)]
        impl #row where for<'__a> #row: ::ikra::rt::mistakes::HasColumns { #(#misnamed)* }
        #[doc = #doc]
        #[allow(non_camel_case_types, missing_debug_implementations, clippy::empty_enums)]
        #vis enum #columns {}
        #[automatically_derived]
        #[allow(non_upper_case_globals, dead_code)]
        impl #columns { #(#constants)* }
    }
}
