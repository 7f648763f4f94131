//! Kernels: the handle `Body::advance`, and the calls that executors make.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ReturnType;

use super::arguments::{Args, arguments, split, turbofish};
use super::births;
use super::entry::{self, entries};
use super::expand::{bits, cfgs, effects_ident};
use super::model::{Block, Constructor, Method, Receiver};
use super::options::Options;
use super::{plain_name, signature, sums};
use crate::class::{padded, view_ident};
use crate::diagnostics::located;

/// A kernel: the handle `Body::advance` in value position, its effects, and its call by executors.
pub(super) fn kernel(block: &Block, method: &Method) -> TokenStream {
    let at = located(&method.item.sig.ident);
    let Some(options) = &method.kernel else { return TokenStream::new() };
    let class = &block.class;
    let item = &method.item;
    let ident = &item.sig.ident;
    let kernel = format_ident!("Kernel_{}", plain_name(ident), span = at);
    let view = block.beside(view_ident(&block.class_ident()));
    let name = format!("{}::{}", block.fields.class, plain_name(ident));
    let call = if method.has_nested_ref {
        stand_in(options.pairs.is_some(), &kernel, class, &view)
    } else if options.pairs.is_some() {
        pair_call(block, method, &kernel, &view)
    } else {
        plain_call(block, method, &kernel, &view)
    };
    let docs = item.attrs.iter().filter(|attr| attr.path().is_ident("doc"));
    let shown = signature::line(&item.sig);
    let (vis, cfgs) = (&item.vis, cfgs(&item.attrs));
    let fields = (0..padded(block.fields.fields.len())).map(Literal::usize_unsuffixed);
    // The data that refs carry in addition to the link.
    let near = Ident::new(if options.pairs.is_some() { "TileRow" } else { "NoRow" }, at);
    let effects = effects(block, method, options);
    let of = options.of.as_ref().map(|(path, number)| quote_spanned!(at=> as #path, #number;));
    let purpose = format!("The kernel [`{name}`]: its handle, what it does to fields, and how executors call it.");
    quote_spanned! {at=>
        #(#cfgs)*
        #[doc = #purpose]
        const _: () = {
            ::ikra::rt::kernel! {
                #shown #(#docs)*
                #vis const #ident: #kernel = #name for #class [#(#fields)*], #near;
                #effects; #of
            }
            #call
        };
    }
}

/// The kernel's effects, for the runtime's macro, which defines a constant of them.
fn effects(block: &Block, method: &Method, options: &Options) -> TokenStream {
    let at = located(&method.item.sig.ident);
    let (class, found) = (&block.class, effects_ident(&method.item.sig.ident));
    let found = quote_spanned!(at=> <#class>::#found.reach(::ikra::rt::Reached::NONE));
    let heavy = options.heavy.unwrap_or(method.facts.loops || options.pairs.is_some());
    let heavy = heavy.then(|| quote_spanned!(at=> .heavy()));
    let pairs = options.pairs.is_some().then(|| {
        let sums = bits(sums::of(block, method));
        quote_spanned!(at=> .for_pairs(#sums))
    });
    let declared = (!options.order.0.is_empty()).then(|| {
        let listed = options.order.to_tokens();
        quote_spanned!(at=> .declared(#listed))
    });
    let spawned: Vec<_> = method.parameters.iter().filter_map(|parameter| parameter.young.as_ref()).collect();
    let spawning = (!spawned.is_empty()).then(|| {
        let spawned = spawned.iter().map(|class| block.rewrite(class));
        let most = Literal::u32_unsuffixed(births::most(block, method));
        quote_spanned!(at=> .spawning(const { &[#(<#spawned as ::ikra::ClassInfo>::ID),*] }) .births(#most))
    });
    let removing = options.removes.then(|| quote_spanned!(at=> .removing()));
    let snapshot = bits(options.snapshot);
    match method.receiver {
        Receiver::Exclusive => {
            quote_spanned!(at=> exclusive(#found, #snapshot) #heavy #pairs #spawning #removing #declared)
        }
        Receiver::Shared => {
            quote_spanned!(at=> shared(#found) #heavy #pairs #spawning #declared)
        }
    }
}

/// A stand-in for a kernel with mistakes, so that uses of it are not errors too.
fn stand_in(pairs: bool, kernel: &Ident, class: &syn::Path, view: &syn::Path) -> TokenStream {
    let at = located(kernel);
    if pairs {
        return quote_spanned! {at=>
            // SAFETY: does nothing.
            #[automatically_derived]
            unsafe impl<__A> ::ikra::rt::PairCall<__A> for #kernel {
                type Other = #class;
                fn call<'__w, __P: ::ikra::Phase>(
                    _: &mut #view<'__w, __P>,
                    _: <#class as ::ikra::Class>::Ref<'__w, __P>,
                    _: __A,
                ) {
                    ::core::unimplemented!()
                }
            }
        };
    }
    quote_spanned! {at=>
        #[automatically_derived]
        impl<__A> ::ikra::rt::Call<__A> for #kernel {
            type Output = ();
            type Followed<'__w, __P: ::ikra::Phase> = ();
            fn follow<'__w, __P: ::ikra::Phase>(_: ::ikra::rt::Handle<'__w, Self::Class, __P>, _: &__A) {}
            fn call<'__w, __P: ::ikra::Phase>(_: &mut #view<'__w, __P>, _: __A, _: ()) { ::core::unimplemented!() }
        }
    }
}

/// `impl Call<Args>`.
fn plain_call(block: &Block, method: &Method, kernel: &Ident, view: &syn::Path) -> TokenStream {
    let at = located(&method.item.sig.ident);
    let args = arguments(&block.class, &method.item.sig.generics, &method.parameters);
    let (impl_generics, where_clause) = split(block, &args.generics);
    let returned = match &method.item.sig.output {
        ReturnType::Default => None,
        ReturnType::Type(_, ty) => Some(block.rewrite(ty)),
    };
    let output = returned.clone().unwrap_or_else(|| quote_spanned!(at=> ()));
    let name = &method.item.sig.ident;
    let turbofish = turbofish(&method.item.sig.generics);
    let reducers = method.kernel.as_ref().map_or(&[][..], |options| &options.reducers);
    let young: Vec<_> = method.parameters.iter().filter_map(|parameter| parameter.young.as_ref()).collect();
    let entries = entries(block, "execute", name, kernel, &args, returned.as_ref(), reducers);
    let chains = entry::chains(block, method, kernel, &args, returned.as_ref());
    let births = (!young.is_empty() && births::most(block, method) > 0 && !args.has_type_parameters()).then(|| {
        let young: Vec<_> = young.iter().map(|class| block.rewrite(class)).collect();
        entry::births(block, name, &young)
    });
    let Args { ty, pattern, linked, seen, given, .. } = args;
    let (links, objects): (Vec<_>, Vec<_>) = linked.into_iter().unzip();
    // Lints of the user's crate see this code, too: no `()` as an expression.
    let some = !links.is_empty();
    let found = some.then(|| quote!((#(::ikra::rt::Handle::resolve(from, *#links),)*)));
    let taken = some.then(|| quote!(let (#(#links,)*) = followed;));
    quote_spanned! {at=>
        #[automatically_derived]
        impl #impl_generics ::ikra::rt::Call<#ty> for #kernel #where_clause {
            type Output = #output;
            type Followed<'__w, __P: ::ikra::Phase> =
                (#(<#objects as ::ikra::dispatch::Referent>::Ref<'__w, __P>,)*);
            #[inline(always)]
            #[allow(unused_variables)]
            fn follow<'__w, __P: ::ikra::Phase>(
                from: ::ikra::rt::Handle<'__w, Self::Class, __P>,
                #pattern: &#ty,
            ) -> Self::Followed<'__w, __P> {
                #found
            }
            #[inline(always)]
            #[allow(unused_variables)]
            fn call<'__w, __P: ::ikra::Phase>(
                view: &mut #view<'__w, __P>,
                #pattern: #ty,
                followed: Self::Followed<'__w, __P>,
            ) -> #output {
                #taken
                #(#seen)*
                <#view<'__w, __P>>::#name #turbofish(view #(, #given)*)
            }
        }
        #entries
        #chains
        #births
    }
}

/// `impl PairCall<Args>`.
fn pair_call(block: &Block, method: &Method, kernel: &Ident, view: &syn::Path) -> TokenStream {
    let at = located(&method.item.sig.ident);
    let Some((Some(other), rest)) = method.parameters.split_first().map(|(first, rest)| (&first.object, rest)) else {
        return TokenStream::new();
    };
    let other = block.rewrite(other);
    let args = arguments(&block.class, &method.item.sig.generics, rest);
    let (impl_generics, where_clause) = split(block, &args.generics);
    let name = &method.item.sig.ident;
    let turbofish = turbofish(&method.item.sig.generics);
    let entries = entries(block, "execute_pairs", name, kernel, &args, None, &[]);
    let Args { ty, pattern, linked, seen, given, .. } = args;
    let links: Vec<_> = linked.iter().map(|(link, _)| link).collect();
    let result = match &method.item.sig.output {
        ReturnType::Default => TokenStream::new(),
        // An already reported mistake.
        ReturnType::Type(..) => quote_spanned!(at=> let _ =),
    };
    quote_spanned! {at=>
        // SAFETY: the entry is for the same class.
        #[automatically_derived]
        unsafe impl #impl_generics ::ikra::rt::PairCall<#ty> for #kernel #where_clause {
            type Other = #other;
            #[inline(always)]
            fn call<'__w, __P: ::ikra::Phase>(
                view: &mut #view<'__w, __P>,
                other: <#other as ::ikra::Class>::Ref<'__w, __P>,
                #pattern: #ty,
            ) {
                #(let #links = ::ikra::Object::resolve(&*view, #links);)*
                #(#seen)*
                #result <#view<'__w, __P>>::#name #turbofish(view, other #(, #given)*);
            }
        }
        #entries
    }
}

fn constructor_ident(name: &Ident) -> Ident {
    format_ident!("__construct_{}", plain_name(name), span = name.span())
}

/// The constructor itself, under a separate name: `Body::spawn` is the kernel.
pub(super) fn constructor_fn(constructor: &Constructor) -> TokenStream {
    let mut item = constructor.item.clone();
    item.sig.ident = constructor_ident(&item.sig.ident);
    quote!(#[doc(hidden)] #[allow(clippy::inline_always)] #[inline(always)] #item)
}

/// `impl Construct<Args>`.
pub(super) fn constructor_kernel(block: &Block, constructor: &Constructor) -> TokenStream {
    let at = located(&constructor.item.sig.ident);
    let class = &block.class;
    let item = &constructor.item;
    let ident = &item.sig.ident;
    let function = constructor_ident(ident);
    let kernel = format_ident!("Constructor_{}", plain_name(ident), span = at);
    let docs = item.attrs.iter().filter(|attr| attr.path().is_ident("doc"));
    let shown = signature::line(&item.sig);
    let vis = &item.vis;
    let cfgs = cfgs(&item.attrs);
    let Some((_, rest)) = constructor.parameters.split_first() else { return TokenStream::new() };
    let args = arguments(&block.class, &item.sig.generics, rest);
    let (impl_generics, where_clause) = split(block, &args.generics);
    let name = format!("{}::{}", block.fields.class, plain_name(ident));
    let entries = entries(block, "construct", ident, &kernel, &args, None, &[]);
    let purpose = format!("The constructor [`{name}`]: its handle, and how executors call it.");
    let Args { ty, pattern, names, .. } = args;
    quote_spanned! {at=>
        #(#cfgs)*
        #[doc = #purpose]
        const _: () = {
            ::ikra::rt::handle! { #shown #(#docs)* #vis const #ident: #kernel = #name for #class; }
            #[automatically_derived]
            impl #impl_generics ::ikra::rt::Construct<#ty> for #kernel #where_clause {
                type Class = #class;
                #[inline(always)]
                fn construct(id: u32, #pattern: #ty) -> #class {
                    <#class>::#function(id #(, #names)*)
                }
            }
            #entries
        };
    }
}
