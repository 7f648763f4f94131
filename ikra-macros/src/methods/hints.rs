//! What the compiler proposes where a method is not under `#[kernel]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};

use super::access::plain_name;
use super::expand::cfgs;
use super::model::Block;
use crate::diagnostics::located;

/// Constants whose names the compiler proposes for `Body::step`, if `step` is a method and not a kernel.
pub(super) fn hints(block: &Block) -> TokenStream {
    let class = &block.class;
    let methods = block.methods.iter().filter(|method| method.kernel.is_none());
    let hints = methods.map(|method| {
        let sig = &method.item.sig;
        let (vis, cfgs) = (&method.item.vis, cfgs(&method.item));
        let name = plain_name(&sig.ident);
        let hint = format_ident!("__put_kernel_on_{}", name);
        quote_spanned! {located(&sig.ident)=>
            #(#cfgs)*
            #[doc(alias = #name)]
            #vis const #hint: () = ();
        }
    });
    quote! {
        #[automatically_derived]
        #[doc(hidden)]
        #[allow(non_upper_case_globals, dead_code, missing_docs)]
        impl #class { #(#hints)* }
    }
}
