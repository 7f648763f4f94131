//! Functions that cannot be called: for their message, which says how methods and kernels are called.
//!
//! They are of the struct, whose methods `#[soa_methods]` moves to its objects, and of refs, which methods with
//! `&mut self` would change.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{Attribute, Ident, Visibility};

use super::expand::cfgs;
use super::mentions;
use super::model::{Block, Method, Receiver};
use crate::diagnostics::located;

/// The functions of the struct, for `Body::step` and `body.step()`.
pub(super) fn hints(block: &Block) -> TokenStream {
    let (kernels, others): (Vec<_>, Vec<_>) = block.methods.iter().partition(|method| method.kernel.is_some());
    let functions = |methods: Vec<&Method>| -> Vec<TokenStream> {
        methods.iter().map(|Method { item, .. }| hint(&item.vis, &cfgs(&item.attrs), &item.sig.ident)).collect()
    };
    let others = on(&block.class, &quote!(IsKernel), &functions(others));
    let kernels = on(&block.class, &quote!(IsInWorld), &functions(kernels));
    quote!(#others #kernels)
}

/// One such function.
pub(crate) fn hint(vis: &Visibility, cfgs: &[&Attribute], method: &Ident) -> TokenStream {
    quote_spanned!(located(method)=> #(#cfgs)* #vis fn #method(&self) {})
}

/// The functions of a type, under a bound that does not hold, if there are any. `for<'__a>` keeps the compiler from
/// reporting the bound itself.
pub(crate) fn on(ty: impl ToTokens, bound: &TokenStream, functions: &[TokenStream]) -> TokenStream {
    if functions.is_empty() {
        return TokenStream::new();
    }
    quote! {
        // In documentation, links to a kernel would be ambiguous.
        #[cfg(not(doc))]
        #[automatically_derived]
        #[allow(dead_code, missing_docs, clippy::all, clippy::pedantic, clippy::nursery)]
        impl #ty where for<'__a> #ty: ::ikra::rt::mistakes::#bound { #(#functions)* }
    }
}

/// Methods with `&mut self` on refs. Their bound belongs to the method: then the compiler shows the whole message, though
/// the ref has a lifetime.
pub(super) fn changing_methods(block: &Block) -> TokenStream {
    let changing = |method: &&Method| method.receiver == Receiver::Exclusive && !method.clashes;
    let class = &block.class;
    let methods = block.methods.iter().filter(changing).map(|method| {
        let at = located(&method.item.sig.ident);
        let (vis, name, cfgs) = (&method.item.vis, &method.item.sig.ident, cfgs(&method.item.attrs));
        let mut generics = method.item.sig.generics.clone();
        let bound = syn::parse_quote_spanned!(at=> for<'__a> #class: ::ikra::rt::mistakes::ChangesOthers);
        generics.make_where_clause().predicates.push(bound);
        let bounds = block.rewrite(&generics.where_clause);
        let parameters = block.rewrite(&generics.params);
        let types = method.parameters.iter().map(|parameter| block.rewrite(&parameter.ty));
        // A type `impl Trait` would be that of a body which never returns.
        let output = Some(&method.item.sig.output).filter(|output| !mentions(output.to_token_stream(), &["impl"]));
        let output = block.rewrite(output);
        quote_spanned! {at=>
            #(#cfgs)*
            #[doc(hidden)]
            #vis fn #name <#parameters> (&self, #(_: #types),*) #output #bounds { ::core::unreachable!() }
        }
    });
    quote!(#(#methods)*)
}
