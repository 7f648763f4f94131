//! Kernels: the handle `Body::advance`, and what executors call.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ReturnType;

use super::access::plain_name;
use super::arguments::{Args, arguments, split, turbofish};
use super::device::{self, Entry};
use super::expand::{access_ident, bits, cfgs};
use super::model::{Block, Constructor, Method, Receiver};
use crate::class::view_ident;
use crate::diagnostics::located;

/// The kernel handle: `Body::advance` in value position.
pub(super) fn kernel(block: &Block, method: &Method) -> TokenStream {
    let at = located(&method.item.sig.ident);
    let Some(options) = &method.kernel else { return TokenStream::new() };
    let class = &block.class;
    let item = &method.item;
    let ident = &item.sig.ident;
    let kernel = format_ident!("Kernel_{}", plain_name(ident), span = at);
    let view = block.beside(view_ident(&block.class_ident()));
    let name = format!("{}::{}", block.fields.class, plain_name(ident));
    let access = access_ident(ident);
    let snapshot = bits(options.snapshot);
    let exclusive = method.receiver == Receiver::Exclusive;
    let heavy = options.heavy.unwrap_or(method.access.loops || options.pairs.is_some());
    let modes = (0..block.fields.fields.len())
        .map(|field| quote_spanned!(at=> ::ikra::rt::ModeOf<{ __ACCESS.mode(#field, #exclusive, __SNAPSHOT) }>));
    let writes = if exclusive {
        quote_spanned!(at=> __ACCESS.writes.union(__SNAPSHOT))
    } else {
        quote_spanned!(at=> ::ikra::rt::FieldSet::EMPTY)
    };
    let reducers = options.reducers.iter().enumerate().map(|(number, reducer)| {
        quote_spanned! {at=>
            // SAFETY: entries are numbered in the same order.
            #[automatically_derived]
            unsafe impl ::ikra::rt::ReducedBy<#reducer> for #kernel {
                const NUMBER: usize = #number;
            }
        }
    });
    let call = if method.has_nested_ref {
        stand_in(options.pairs.is_some(), &kernel, class, &view)
    } else if options.pairs.is_some() {
        pair_call(block, method, &kernel, &view)
    } else {
        plain_call(block, method, &kernel, &view)
    };
    let docs = item.attrs.iter().filter(|attr| attr.path().is_ident("doc"));
    let cfgs = cfgs(item);
    let vis = &item.vis;
    let handle = handle(&kernel, class, vis);
    let because = (method.access.because.is_some() || !method.access.calls.is_empty())
        .then(|| quote_spanned!(at=> const BECAUSE: &'static str = __ACCESS.because;));
    let lines = (!method.lines.is_empty() && exclusive).then(|| {
        let lines = method.lines.iter().map(|(name, line)| {
            let line = syn::LitInt::new(&line.to_string(), at);
            quote!((#name, #line))
        });
        quote_spanned! {at=>
            const LINES: ::ikra::rt::Lines = ::ikra::rt::Lines::new(::core::file!(), &[#(#lines),*]);
        }
    });
    let gets = options.pairs.as_ref().map(|_| {
        let names = device::method_names(item.block.to_token_stream());
        quote_spanned!(at=> const GETS: &'static [&'static str] = &[#(#names),*];)
    });
    let declared = (!options.order.0.is_empty()).then(|| {
        let listed = options.order.to_tokens();
        quote_spanned!(at=> .declared(#listed))
    });
    quote_spanned! {at=>
        #(#cfgs)*
        const _: () = {
            #handle
            const __REACHED: ::ikra::rt::Reached = <#class>::#access.reach(::ikra::rt::Reached::NONE);
            const __ACCESS: ::ikra::rt::FieldAccess = __REACHED.access;
            const __SNAPSHOT: ::ikra::rt::FieldSet = ::ikra::rt::snapshot_with_arena::<#class>(#snapshot, __ACCESS.writes);
            // SAFETY: what it writes is what its modes store: both follow from the same two constants.
            #[automatically_derived]
            unsafe impl ::ikra::Phase for #kernel {
                const CLASS: ::ikra::rt::ClassId = <#class as ::ikra::Class>::ID;
                const NAME: &'static str = #name;
                const WRITES: ::ikra::rt::FieldSet = #writes;
                const SNAPSHOT: ::ikra::rt::FieldSet = __SNAPSHOT;
                #because
                #lines
                const ATOMICS: &'static ::ikra::rt::AtomicUses = &__REACHED.atomics #declared;
                #gets
            }
            // SAFETY: as for `Phase`.
            #[automatically_derived]
            unsafe impl ::ikra::rt::Method for #kernel {
                type Class = #class;
                type Modes = (#(#modes,)*);
                const EXCLUSIVE: bool = #exclusive;
                const HEAVY: bool = #heavy;
            }
            #call
            #(#reducers)*
            #[automatically_derived]
            #[allow(non_upper_case_globals, dead_code, missing_docs)]
            impl #class {
                #(#docs)*
                #vis const #ident: #kernel = #kernel(::core::marker::PhantomData);
            }
        };
    }
}

/// The type of a kernel handle. It has the class as a parameter to be no more public than the class.
fn handle(kernel: &Ident, class: &syn::Path, vis: &syn::Visibility) -> TokenStream {
    let at = located(kernel);
    let name = kernel.to_string();
    quote_spanned! {at=>
        #[doc(hidden)]
        #[allow(non_camel_case_types, unreachable_pub)]
        #vis struct #kernel<__C = #class>(::core::marker::PhantomData<fn() -> __C>);
        #[automatically_derived]
        impl<__C> ::core::marker::Copy for #kernel<__C> {}
        #[automatically_derived]
        impl<__C> ::core::clone::Clone for #kernel<__C> {
            fn clone(&self) -> Self { *self }
        }
        #[automatically_derived]
        impl<__C> ::core::fmt::Debug for #kernel<__C> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result { f.write_str(#name) }
        }
    }
}

/// For a kernel with mistakes, so that calls of it are not errors too.
fn stand_in(pairs: bool, kernel: &Ident, class: &syn::Path, view: &syn::Path) -> TokenStream {
    let at = located(kernel);
    if pairs {
        return quote_spanned! {at=>
            // SAFETY: does nothing.
            #[automatically_derived]
            unsafe impl<__A> ::ikra::rt::PairKernel<__A> for #kernel {
                type Other = #class;
                fn call<'__w>(
                    _: &mut #view<'__w, Self>,
                    _: <#class as ::ikra::Class>::Ref<'__w, Self>,
                    _: __A,
                ) {
                    ::core::unimplemented!()
                }
            }
        };
    }
    quote_spanned! {at=>
        #[automatically_derived]
        impl<__A> ::ikra::rt::Kernel<__A> for #kernel {
            type Output = ();
            fn call<'__w>(_: &mut #view<'__w, Self>, _: __A) { ::core::unimplemented!() }
        }
    }
}

/// `impl Kernel<Args>`.
fn plain_call(block: &Block, method: &Method, kernel: &Ident, view: &syn::Path) -> TokenStream {
    let at = located(&method.item.sig.ident);
    let (args, generics) = arguments(block, &method.item.sig.generics, &method.parameters);
    let (impl_generics, where_clause) = split(block, &generics);
    let output = match &method.item.sig.output {
        ReturnType::Default => quote_spanned!(at=> ()),
        ReturnType::Type(_, ty) => block.rewrite(ty),
    };
    let name = &method.item.sig.ident;
    let turbofish = turbofish(&method.item.sig.generics);
    let reducers = method.kernel.as_ref().map_or(&[][..], |options| &options.reducers);
    let entries = args.device_entry(block, name, kernel, &generics, &Entry::Rows { output: &output, reducers });
    let examined = args.examined(kernel, &generics, "examine");
    let Args { ty, pattern, followed, names, .. } = args;
    quote_spanned! {at=>
        #entries
        #examined
        #[automatically_derived]
        impl #impl_generics ::ikra::rt::Kernel<#ty> for #kernel #where_clause {
            type Output = #output;
            #[inline(always)]
            fn call<'__w>(view: &mut #view<'__w, Self>, #pattern: #ty) -> #output {
                #(#followed)*
                <#view<'__w, Self>>::#name #turbofish(view #(, #names)*)
            }
        }
    }
}

/// `impl PairKernel<Args>`.
fn pair_call(block: &Block, method: &Method, kernel: &Ident, view: &syn::Path) -> TokenStream {
    let at = located(&method.item.sig.ident);
    let Some((Some(other), rest)) = method.parameters.split_first().map(|(first, rest)| (&first.object, rest)) else {
        return TokenStream::new();
    };
    let other = block.rewrite(other);
    let (args, generics) = arguments(block, &method.item.sig.generics, rest);
    let (impl_generics, where_clause) = split(block, &generics);
    let name = &method.item.sig.ident;
    let turbofish = turbofish(&method.item.sig.generics);
    let entries = args.device_entry(block, name, kernel, &generics, &Entry::Pairs);
    let examined = args.examined(kernel, &generics, "examine_pairs");
    let Args { ty, pattern, followed, names, .. } = args;
    let result = match &method.item.sig.output {
        ReturnType::Default => TokenStream::new(),
        // A mistake, which has been said.
        ReturnType::Type(..) => quote_spanned!(at=> let _ =),
    };
    quote_spanned! {at=>
        #entries
        #examined
        // SAFETY: the entry is for the same class.
        #[automatically_derived]
        unsafe impl #impl_generics ::ikra::rt::PairKernel<#ty> for #kernel #where_clause {
            type Other = #other;
            #[inline(always)]
            fn call<'__w>(
                view: &mut #view<'__w, Self>,
                other: <#other as ::ikra::Class>::Ref<'__w, Self>,
                #pattern: #ty,
            ) {
                #(#followed)*
                #result <#view<'__w, Self>>::#name #turbofish(view, other #(, #names)*);
            }
        }
    }
}

fn constructor_ident(name: &Ident) -> Ident {
    format_ident!("__construct_{}", plain_name(name), span = name.span())
}

/// The constructor itself, under a name of its own: `Body::spawn` is the kernel.
pub(super) fn constructor_fn(constructor: &Constructor) -> TokenStream {
    let mut item = constructor.item.clone();
    item.sig.ident = constructor_ident(&item.sig.ident);
    quote!(#[doc(hidden)] #[allow(clippy::inline_always)] #[inline(always)] #item)
}

/// `impl Constructor<Args>`.
pub(super) fn constructor_kernel(block: &Block, constructor: &Constructor) -> TokenStream {
    let at = located(&constructor.item.sig.ident);
    let class = &block.class;
    let item = &constructor.item;
    let ident = &item.sig.ident;
    let function = constructor_ident(ident);
    let kernel = format_ident!("Constructor_{}", plain_name(ident), span = at);
    let docs = item.attrs.iter().filter(|attr| attr.path().is_ident("doc"));
    let vis = &item.vis;
    let cfgs = cfgs(item);
    let Some((_, rest)) = constructor.parameters.split_first() else { return TokenStream::new() };
    let (args, generics) = arguments(block, &item.sig.generics, rest);
    let (impl_generics, where_clause) = split(block, &generics);
    let handle = handle(&kernel, class, vis);
    let entries = args.device_entry(block, ident, &kernel, &generics, &Entry::Construct);
    let Args { ty, pattern, names, .. } = args;
    quote_spanned! {at=>
        #(#cfgs)*
        const _: () = {
            #handle
            #entries
            #[automatically_derived]
            impl #impl_generics ::ikra::rt::Constructor<#ty> for #kernel #where_clause {
                type Class = #class;
                #[inline(always)]
                fn construct(id: u32, #pattern: #ty) -> #class {
                    <#class>::#function(id #(, #names)*)
                }
            }
            #[automatically_derived]
            #[allow(non_upper_case_globals, dead_code, missing_docs)]
            impl #class {
                #(#docs)*
                #vis const #ident: #kernel = #kernel(::core::marker::PhantomData);
            }
        };
    }
}
