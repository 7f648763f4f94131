//! Hints that the compiler suggests if a method lacks `#[kernel]`.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Attribute, Ident, Visibility};

use super::expand::cfgs;
use super::model::Block;
use super::plain_name;
use crate::diagnostics::located;

/// Constants whose names the compiler suggests for `Body::step` if `step` is a method but not a kernel.
pub(super) fn hints(block: &Block) -> TokenStream {
    let methods = block.methods.iter().filter(|method| method.kernel.is_none()).map(|method| &method.item);
    let hints = methods.map(|item| hint(&item.vis, &cfgs(&item.attrs), &item.sig.ident, ""));
    on(&block.class, hints)
}

/// One such constant. `place` names the location for the attribute, if it differs from the location that the compiler
/// shows.
pub(crate) fn hint(vis: &Visibility, cfgs: &[&Attribute], method: &Ident, place: &str) -> TokenStream {
    let name = plain_name(method);
    let hint = format_ident!("__put_kernel_on_{name}{place}");
    quote_spanned! {located(method)=>
        #(#cfgs)*
        #[doc(alias = #name)]
        #vis const #hint: () = ();
    }
}

/// The hints as constants of a type, if there are any.
pub(crate) fn on(ty: impl ToTokens, hints: impl Iterator<Item = TokenStream>) -> TokenStream {
    let mut hints = hints.peekable();
    if hints.peek().is_none() {
        return TokenStream::new();
    }
    quote! {
        #[automatically_derived]
        #[doc(hidden)]
        #[allow(non_upper_case_globals, dead_code, missing_docs)]
        impl #ty { #(#hints)* }
    }
}
