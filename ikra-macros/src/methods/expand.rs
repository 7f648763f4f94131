//! What `#[soa_methods]` makes.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::visit_mut::{self, VisitMut};
use syn::{Lifetime, ReturnType};

use super::access::plain_name;
use super::arguments::turbofish;
use super::body;
use super::kernel::{constructor_fn, constructor_kernel, kernel};
use super::model::{Block, Method, Receiver};
use crate::class::{ref_ident, view_ident};
use crate::diagnostics::located;

/// Everything.
pub(crate) fn expand(block: &Block) -> TokenStream {
    let class = &block.class;
    let view = block.beside(view_ident(&block.class_ident()));
    let reference = block.beside(ref_ident(&block.class_ident()));
    let (row_items, attrs) = (&block.row_items, &block.attrs);
    let constructors = block.constructors.iter().map(constructor_fn);
    let (accesses, collected): (Vec<_>, Vec<_>) =
        block.methods.iter().map(|method| access_constant(block, method)).unzip();
    let methods = block.methods.iter().map(|method| view_method(block, method));
    let delegates = block.methods.iter().filter_map(|method| ref_method(block, method));
    let kernels = block.methods.iter().filter(|method| method.kernel.is_some()).map(|method| kernel(block, method));
    let constructor_kernels = block.constructors.iter().map(|constructor| constructor_kernel(block, constructor));
    quote! {
        #(#attrs)*
        impl #class {
            #(#row_items)*
            #(#constructors)*
        }
        #[automatically_derived]
        #[allow(non_upper_case_globals, dead_code)]
        impl #class { #(#accesses)* }
        #(#collected)*
        #(#attrs)*
        impl<'__w, __P: ::ikra::Phase> #view<'__w, __P> { #(#methods)* }
        #[automatically_derived]
        #[allow(dead_code, missing_docs, clippy::too_many_arguments)]
        impl<'__w, __P: ::ikra::Phase> #reference<'__w, __P> { #(#delegates)* }
        #(#kernels)*
        #(#constructor_kernels)*
    }
}

pub(super) fn access_ident(method: &Ident) -> Ident {
    format_ident!("__access_of_{}", plain_name(method), span = method.span())
}

/// What the method does to the fields, for those that call it: a constant of the class, or, for a method
/// that calls those of other blocks, items beside it.
///
/// What methods of other blocks do, which may in turn call this one, is asked for when a kernel needs
/// to know. A name that no block knows is a trait's method, which may do anything, or a mistake that the
/// compiler points out where the name stands.
fn access_constant(block: &Block, method: &Method) -> (TokenStream, TokenStream) {
    let at = located(&method.item.sig.ident);
    let class = &block.class;
    let name = access_ident(&method.item.sig.ident);
    let cfgs = cfgs(&method.item);
    let access = &method.access;
    let touches = bits(if access.whole || access.escapes { u64::MAX } else { access.touches });
    let writes = bits(if access.escapes { u64::MAX } else { access.writes });
    let own = quote_spanned!(at=> ::ikra::rt::FieldAccess::new(#touches, #writes));
    if access.calls.is_empty() {
        let constant = quote_spanned! {at=>
            #(#cfgs)*
            #[doc(hidden)]
            pub(crate) const #name: ::ikra::rt::FieldAccess = #own;
        };
        return (constant, TokenStream::new());
    }
    let calls: Vec<_> = access.calls.iter().map(access_ident).collect();
    let unknown = match method.receiver {
        Receiver::Shared => quote_spanned!(at=> ::ikra::rt::FieldAccess::READS_ALL),
        Receiver::Exclusive => quote_spanned!(at=> ::ikra::rt::FieldAccess::WRITES_ALL),
    };
    let key = plain_name(&method.item.sig.ident);
    let collected = quote_spanned! {at=>
        #(#cfgs)*
        const _: () = {
            #[doc(hidden)]
            #[derive(Clone, Copy)]
            #[allow(unreachable_pub, missing_debug_implementations)]
            pub struct __Calls;
            #[automatically_derived]
            impl __Calls {
                #[allow(unreachable_pub)]
                pub const fn reach(self, reached: ::ikra::rt::Reached) -> ::ikra::rt::Reached {
                    // Hidden by what `#[soa_methods]` makes for methods that it knows.
                    #[allow(non_upper_case_globals, dead_code)]
                    trait __Unknown { #(const #calls: ::ikra::rt::FieldAccess = #unknown;)* }
                    #[automatically_derived]
                    impl __Unknown for #class {}
                    if reached.contains(#key) {
                        return reached;
                    }
                    let reached = reached.enter(#key, #own);
                    #(let reached = <#class>::#calls.reach(reached);)*
                    reached
                }
            }
            #[automatically_derived]
            #[allow(non_upper_case_globals, dead_code)]
            impl #class {
                #[doc(hidden)]
                pub(crate) const #name: __Calls = __Calls;
            }
        };
    };
    (TokenStream::new(), collected)
}

/// The conditions under which a method is there.
pub(super) fn cfgs(item: &syn::ImplItemFn) -> Vec<&syn::Attribute> {
    item.attrs.iter().filter(|attr| attr.path().is_ident("cfg")).collect()
}

/// A set of fields, as a literal.
pub(super) fn bits(set: u64) -> TokenStream {
    match set {
        u64::MAX => quote!(::core::primitive::u64::MAX),
        set => syn::LitInt::new(&set.to_string(), Span::call_site()).into_token_stream(),
    }
}

/// The method itself, on the view.
fn view_method(block: &Block, method: &Method) -> TokenStream {
    let item = &method.item;
    let (attrs, vis) = (&item.attrs, &item.vis);
    let inline = if item.attrs.iter().any(|attr| attr.path().is_ident("inline")) {
        TokenStream::new()
    } else if method.kernel.is_some() {
        // Called once, from the loop over all objects, whose speed depends on it.
        quote!(#[allow(clippy::inline_always)] #[inline(always)])
    } else {
        quote!(#[inline])
    };
    let sig = block.rewrite(body::rewrite(block, method, item.sig.to_token_stream()));
    let body = block.rewrite(body::rewrite(block, method, item.block.to_token_stream()));
    quote!(#(#attrs)* #inline #vis #sig #body)
}

/// A `&self` method on the ref: loads the fields that the method names, and calls it.
fn ref_method(block: &Block, method: &Method) -> Option<TokenStream> {
    let at = located(&method.item.sig.ident);
    let item = &method.item;
    if method.receiver == Receiver::Exclusive
        || method.clashes
        || matches!(item.sig.safety, syn::Safety::Unsafe(_))
        || borrows_self(&item.sig.output)
    {
        return None;
    }
    let class = &block.class;
    let view = block.beside(view_ident(&block.class_ident()));
    let docs = item
        .attrs
        .iter()
        .filter(|attr| ["doc", "deprecated", "must_use", "cfg"].iter().any(|kept| attr.path().is_ident(kept)));
    let (vis, name) = (&item.vis, &item.sig.ident);
    let generics = block.rewrite(&item.sig.generics.params);
    let generics = if generics.is_empty() { generics } else { quote_spanned!(at=> <#generics>) };
    let where_clause = block.rewrite(&item.sig.generics.where_clause);
    let output = block.rewrite(&item.sig.output);
    let args: Vec<_> = (0..method.parameters.len()).map(|n| format_ident!("arg{n}")).collect();
    let types: Vec<_> = method.parameters.iter().map(|parameter| block.rewrite(&parameter.ty)).collect();
    let access = access_ident(name);
    let turbofish = turbofish(&item.sig.generics);
    Some(quote_spanned! {at=>
        #(#docs)*
        #[inline(always)]
        #vis fn #name #generics (&self, #(#args: #types),*) #output #where_clause {
            struct __Touched;
            impl ::ikra::rt::Touched for __Touched {
                const FIELDS: ::ikra::rt::FieldSet = <#class>::#access.reach(::ikra::rt::Reached::NONE).access.touches;
            }
            ::ikra::rt::Handle::with_view(
                self.0,
                const { ::ikra::rt::AllRaceFree::<__P, #class, __Touched>::check() },
                |view| <#view<'__w, __P>>::#name #turbofish(view #(, #args)*),
            )
        }
    })
}

/// Whether a returned value may borrow from `self`, which on a ref is a copy that ends with the call.
fn borrows_self(output: &ReturnType) -> bool {
    struct Finder(bool);
    impl VisitMut for Finder {
        fn visit_type_reference_mut(&mut self, reference: &mut syn::TypeReference) {
            self.0 |= reference.lifetime.as_ref().is_none_or(|lifetime| lifetime.ident == "_");
            visit_mut::visit_type_reference_mut(self, reference);
        }
        fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
            self.0 |= lifetime.ident == "_";
        }
    }
    let mut finder = Finder(false);
    finder.visit_return_type_mut(&mut output.clone());
    finder.0
}
