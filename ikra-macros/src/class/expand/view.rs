//! `BodyMut`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;

use crate::class::model::{Class, Field, StorageKind};

/// Expands `BodyMut`.
pub(super) fn view(class: &Class) -> TokenStream {
    let p = class.phase();
    let (row, view, vis) = (class.ident(), class.view(), &class.row.vis);
    let doc = format!(
        "A [`{0}`] as its methods see it: the object's fields, loaded from the columns before the call and, those that were written, stored after it.",
        row.unraw()
    );
    let fields = class.fields.iter().map(|field| {
        let Field { ident, vis, docs, .. } = field;
        let ty = field.view_type(&quote!('w), &p);
        match field
            .documented_type(&quote!('w), &p)
            .filter(|_| field.kind != StorageKind::Atomic && field.array.is_none())
        {
            Some(shown) => {
                quote!(#(#docs)* #[cfg(not(doc))] #vis #ident: #ty, #(#docs)* #[cfg(doc)] #vis #ident: #shown)
            }
            None => quote!(#(#docs)* #vis #ident: #ty),
        }
    });
    quote! {
        #[doc = #doc]
        // Reported at the struct's fields.
        #[allow(missing_docs)]
        #vis struct #view<'w, #p: ::ikra::Phase> {
            #(#fields,)*
            #[doc(hidden)]
            pub __object: ::ikra::rt::Own<'w, #row, #p>,
        }
    }
}
