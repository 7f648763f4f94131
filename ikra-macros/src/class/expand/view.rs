//! `BodyMut`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;

use crate::class::model::{Class, Field};

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
        quote!(#(#docs)* #vis #ident: #ty)
    });
    quote! {
        #[doc = #doc]
        #vis struct #view<'w, #p: ::ikra::Phase> {
            #(#fields,)*
            #[doc(hidden)]
            pub __object: ::ikra::rt::Own<'w, #row, #p>,
        }
    }
}
