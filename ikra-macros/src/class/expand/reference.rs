//! `BodyRef` and its getters.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;

use crate::class::model::{Class, Field};
use crate::diagnostics::located;

/// Expands `BodyRef`.
pub(super) fn reference(class: &Class) -> TokenStream {
    let p = class.phase();
    let (row, reference, vis) = (class.ident(), class.reference(), &class.row.vis);
    let doc = format!("Another [`{0}`], read through getters; written `Ref<{0}>` in methods.", row.unraw());
    let getters = class.fields.iter().enumerate().map(|(k, field)| {
        let Field { ident, vis, docs, .. } = field;
        let ty = field.seen_type(&quote!('w), &p);
        let at = located(ident);
        let body = if field.broken {
            quote!(::core::unimplemented!())
        } else {
            // Spanned at the field, so that the compiler shows both the field and the user's call.
            quote_spanned!(at=> ::ikra::rt::Handle::read(self.0, const { ::ikra::rt::RaceFree::<#p, #row, #k>::check() }))
        };
        let docs = if docs.is_empty() {
            let doc = format!("The object's `{}`.", field.name());
            quote!(#[doc = #doc])
        } else {
            quote!(#(#docs)*)
        };
        let shown = field.documented_type(&quote!('w), &p);
        let shown = shown.map(|ty| quote!(#docs #[cfg(doc)] #vis fn #ident(&self) -> #ty { ::core::unimplemented!() }));
        let hides = shown.is_some().then(|| quote!(#[cfg(not(doc))]));
        quote! {
            #docs
            #hides
            #[inline(always)]
            #[must_use]
            #[track_caller]
            #vis fn #ident(&self) -> #ty { #body }
            #shown
        }
    });
    quote! {
        #[doc = #doc]
        #vis struct #reference<'w, #p: ::ikra::Phase>(::ikra::rt::Handle<'w, #row, #p>);
        #[automatically_derived]
        #[allow(dead_code, clippy::len_without_is_empty)]
        impl<'w, #p: ::ikra::Phase> #reference<'w, #p> { #(#getters)* }
    }
}
