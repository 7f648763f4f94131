//! The items that represent a trait: `Actor`, `ActorLink`, `ActorRef`, `ActorIs`, and the trait's kernels.

use proc_macro2::{Group, Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{FnArg, Path, ReturnType};

use super::model::{Dispatch, Method};
use super::strategy::{self, Strategy};
use crate::class::ref_ident;
use crate::diagnostics::{located, unless_error};
use crate::methods::{Args, Receiver, borrows_self, cfgs, device_arguments, hint, hints_on, rewrite, signature_line};
use crate::symbol::{kernel_symbol, place};

/// The maximum number of classes whose kernels share one entry point. A larger entry compiles slowly, and every thread
/// gets the registers of the most demanding class.
const MOST_TOGETHER: usize = 32;

/// The names of the generated items.
pub(super) struct Names {
    pub(super) link: Ident,
    pub(super) reference: Ident,
    pub(super) is: Ident,
}

impl Names {
    pub(super) fn of(ident: &Ident) -> Self {
        let raw = ident.unraw();
        let named = |suffix: &str| format_ident!("{raw}{suffix}", span = ident.span());
        Self { link: named("Link"), reference: ref_ident(ident), is: named("Is") }
    }
}

/// Expands a trait; `item` is its text, for its macro, and `errors` are its mistakes.
pub(super) fn expand(dispatch: &Dispatch, item: &TokenStream, errors: Option<TokenStream>) -> TokenStream {
    let Dispatch { attrs, vis, ident, options, supertraits, .. } = dispatch;
    let Names { link, reference, is } = Names::of(ident);
    let classes = &options.classes;
    let variants: Vec<_> = classes.iter().filter_map(|class| Some(&class.segments.last()?.ident)).collect();
    let (bits, tags_of_objects) = strategy::bits(options, ident);
    let errors = match options.mistaken.is_empty() {
        true => errors,
        false => {
            let mistake = mistake(ident);
            Some(quote!(#[allow(non_upper_case_globals)] const #mistake: ::core::primitive::usize = { #errors 1 };))
        }
    };
    let name = ident.unraw().to_string();
    let implemented = implementors(dispatch)
        .map(|class| quote_spanned!(located(&class)=> let _: ::core::marker::PhantomData<#class>;));
    let extended = supertraits.iter().map(|supertrait| {
        quote_spanned! {located(supertrait)=>
            // SAFETY: the tags are those of the same classes, in the same order.
            #[automatically_derived]
            unsafe impl ::ikra::rt::Extends<#supertrait> for #ident {
                const TAGS: &'static [::core::primitive::usize] =
                    &[#(<#supertrait as ::ikra::dispatch::Includes<#classes>>::TAG),*];
            }
        }
    });
    let calls = dispatch.inherited.iter().chain(&dispatch.methods).filter_map(|method| call(dispatch, method));
    let kernels = dispatch.methods.iter().map(|method| kernel(dispatch, method));
    let known = known(dispatch, item);
    // `Actor::tick`, if `tick` is a plain method of the trait, not a kernel.
    let not_kernels = dispatch.methods.iter().filter(|method| method.receiver.is_some() && method.kernel.is_none());
    let hints = not_kernels.map(|Method { item, .. }| hint(vis, &cfgs(&item.attrs), &item.sig.ident));
    let hints = hints_on(ident, &quote!(IsKernel), &hints.collect::<Vec<_>>());
    let list = variants.iter().map(|class| format!("[`{}`]", class.unraw())).collect::<Vec<_>>().join(", ");
    let docs = [
        format!("All objects of the classes {list}: the trait as a type, for [`{link}`] and `Ref<{name}>`."),
        format!("A link to an object of one of the classes of [`{name}`]."),
        format!(
            "An object of one of the classes of [`{name}`], read through methods; written `Ref<{name}>` in methods."
        ),
        format!("Something of one of the classes of [`{name}`]: a link or a ref, by class."),
    ];
    let [of_all, of_link, of_ref, of_is] = docs;
    quote! {
        #(#attrs)*
        #[doc = ""]
        #[doc = #of_all]
        #[derive(Clone, Copy, Debug)]
        #vis enum #ident {}
        #[doc = #of_link]
        #vis type #link = ::ikra::dispatch::AnyLink<#ident>;
        #[doc = #of_is]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        #vis enum #is<#(#variants),*> { #(#variants(#variants)),* }
        #[doc = #of_ref]
        #vis struct #reference<'w, __P: ::ikra::Phase>(::ikra::rt::AnyHandle<'w, #ident, __P>);
        #tags_of_objects
        ::ikra::rt::dispatch! {
            #ident = #name as #bits, #reference, #is: #(#variants = #classes;)*
        }
        #errors
        ::ikra::rt::host_only! {
            ::ikra::rt::dispatch_in! { #ident, #is: #(#variants = #classes;)* }
        }
        #[automatically_derived]
        #[allow(dead_code, missing_docs, clippy::too_many_arguments)]
        impl<'__w, __P: ::ikra::Phase> #reference<'__w, __P> { #(#calls)* }
        #(#extended)*
        #(#kernels)*
        #hints
        const _: () = { #(#implemented)* };
        #known
    }
}

/// The classes, each as its implementor type.
fn implementors(dispatch: &Dispatch) -> impl Iterator<Item = TokenStream> {
    let ident = &dispatch.ident;
    dispatch.options.classes.iter().enumerate().map(move |(place, class)| {
        let at = located(class);
        let implemented = match dispatch.options.mistaken.contains(&place) {
            true => mistake(ident).into_token_stream(),
            false => quote_spanned!(at=> <#class as ::ikra::dispatch::Implements<#ident>>::ONE),
        };
        unless_error(class, implemented, at)
    })
}

/// The name of a constant whose evaluation fails with an error already reported.
fn mistake(ident: &Ident) -> Ident {
    format_ident!("__MISTAKE_IN_{}", ident.unraw())
}

/// A `&self` method on refs, which calls the method of the object's class.
fn call(dispatch: &Dispatch, method: &Method) -> Option<TokenStream> {
    let sig = &method.item.sig;
    if method.receiver != Some(Receiver::Shared) || method.is_mistaken || borrows_self(sig) {
        return None;
    }
    let at = located(&sig.ident);
    let kept = ["doc", "deprecated", "must_use", "cfg"];
    let docs = method.item.attrs.iter().filter(|attr| kept.iter().any(|kept| attr.path().is_ident(kept)));
    let (vis, name) = (&dispatch.vis, &sig.ident);
    let rewritten = |tokens: &dyn ToTokens| rewrite(tokens.to_token_stream(), &Path::from(dispatch.ident.clone()));
    let types = sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => Some(rewritten(&typed.ty)),
        FnArg::Receiver(_) => None,
    });
    let types: Vec<_> = types.collect();
    let args: Vec<_> = (0..types.len()).map(|n| format_ident!("arg{n}")).collect();
    let (generics, output) = (&sig.generics, rewritten(&sig.output));
    let body = if dispatch.options.strategy == Strategy::Vtable {
        // A table of functions, indexed by class, like the vtables of C++.
        let classes = &dispatch.options.classes;
        let functions = classes.iter().zip(implementors(dispatch)).map(|(class, implementor)| {
            let args = &args;
            quote_spanned! {at=>
                ::ikra_strategies::ClassFunction::of::<#class, _>(|object, (#(#args,)*)| <<#implementor as ::ikra::Class>::Ref<'__w, __P>>::#name(
                    &<#class as ::ikra::Class>::to_ref(object) #(, #args)*
                ))
            }
        });
        let (count, ident) = (Literal::usize_unsuffixed(classes.len()), &dispatch.ident);
        let result = match &sig.output {
            ReturnType::Default => quote!(()),
            ReturnType::Type(_, result) => rewritten(result),
        };
        quote_spanned! {at=>
            let functions: &::ikra_strategies::Functions<'__w, #ident, __P, (#(#types,)*), #result, #count> =
                const { &::ikra_strategies::Functions::new([#(#functions),*]) };
            ::ikra_strategies::Functions::call(functions, ::ikra::rt::AnyHandle::found(self.0), (#(#args,)*))
        }
    } else {
        // A `match` over `class()` would make the device compiler branch on the class twice.
        let calls = dispatch.options.classes.iter().zip(implementors(dispatch)).map(|(class, implementor)| {
            let args = &args;
            quote_spanned! {at=>
                if let ::ikra::rt::Downcast::Object(object) = ::ikra::rt::Found::downcast::<#class>(found) {
                    let object = <#class as ::ikra::Class>::to_ref(object);
                    return <<#implementor as ::ikra::Class>::Ref<'__w, __P>>::#name(&object #(, #args)*);
                }
                let found = ::ikra::rt::Found::other_than::<#class>(found);
            }
        });
        quote_spanned! {at=>
            let found = ::ikra::rt::AnyHandle::found(self.0);
            #(#calls)*
            let _ = found;
            ::core::unreachable!("an object is of a class in the list")
        }
    };
    Some(quote_spanned! {at=>
        #(#docs)*
        #[inline(always)]
        #[track_caller]
        #vis fn #name #generics (&self, #(#args: #types),*) #output {
            #body
        }
    })
}

/// A kernel of the trait: its handle `Actor::tick`, and the kernels of the classes.
fn kernel(dispatch: &Dispatch, method: &Method) -> TokenStream {
    let Some(kernel) = &method.kernel else { return TokenStream::new() };
    let Dispatch { vis, ident, options, .. } = dispatch;
    let name = &method.item.sig.ident;
    let at = located(name);
    let number = Literal::usize_unsuffixed(kernel.number);
    let (classes, implementors) = (&options.classes, implementors(dispatch));
    let text = format!("{}::{}", ident.unraw(), name.unraw());
    let docs = method.item.attrs.iter().filter(|attr| attr.path().is_ident("doc"));
    let shown = signature_line(&method.item.sig);
    let is_together = (2..=MOST_TOGETHER).contains(&classes.len()) && !method.is_mistaken;
    let args = is_together.then(|| device_arguments(&Path::from(ident.clone()), &method.item.sig)).flatten();
    let (place, entry) = args.map(|args| together(dispatch, method, &number, &args)).unzip();
    quote_spanned! {at=>
        ::ikra::rt::dispatch_kernel! { #ident, #text, #number: [#(#implementors),*] #place }
        #entry
        ::ikra::rt::host_only! {
            ::ikra::rt::every_class! {
                #shown #(#docs)*
                #vis const #name: #number of #ident
            }
        }
    }
}

/// The entry point for the kernels of all classes, and the facts about it on which host and device must agree.
fn together(dispatch: &Dispatch, method: &Method, number: &Literal, args: &Args) -> (TokenStream, TokenStream) {
    let Dispatch { ident, options, .. } = dispatch;
    let name = &method.item.sig.ident;
    let at = located(name);
    let place = place(name);
    let symbol = kernel_symbol(&ident.unraw().to_string(), name, &place);
    let Args { ty, pattern, types, names, .. } = args;
    let (count, tree) = (Literal::usize_unsuffixed(options.classes.len()), tree(0, &options.classes));
    let entry = quote_spanned! {at=>
        ::ikra::rt::together! {
            #ident, #number: #count in #tree
            #pattern: #ty = (#(#names: #types),*) as #symbol
        }
    };
    (quote_spanned!(at=> at #place: (#(#types),*)), entry)
}

/// A binary decision tree over the classes: the number of comparisons is the number of bits in a class number.
fn tree(first: usize, classes: &[Path]) -> TokenStream {
    let number = Literal::usize_unsuffixed;
    match classes {
        [class] => {
            let tag = number(first);
            quote!({#tag #class})
        }
        _ => {
            let (up_to, after) = classes.split_at(classes.len().div_ceil(2));
            let last = first + up_to.len() - 1;
            let (up_to, after, last) = (tree(first, up_to), tree(last + 1, after), number(last));
            quote!([#last #up_to #after])
        }
    }
}

/// The macro that passes the trait to `#[soa_methods] impl Actor for Car`. It has the trait's own name, so that it is
/// found wherever the trait is imported, and even before the trait in the file.
fn known(dispatch: &Dispatch, item: &TokenStream) -> TokenStream {
    let ident = &dispatch.ident;
    let hidden = format_ident!("__ikra_trait_{}", ident.unraw());
    let inherited = dispatch.inherited.iter().map(|method| &method.item);
    let doc = format!("Tells `#[soa_methods]` what [`{}`] has, under its name.", ident.unraw());
    let item = without_dollars(item.clone());
    // A missing list is already reported; reporting every class as unlisted would repeat the error.
    let unlisted = dispatch.options.classes.is_empty().then(|| quote!(_));
    quote! {
        #[doc = #doc]
        #[doc(hidden)]
        #[allow(unused_macros)]
        macro_rules! #hidden {
            ($($item:tt)*) => {
                ::ikra::rt::__expand_dispatch! { (::ikra; { #(#inherited)* } #unlisted #item) $($item)* }
            };
        }
        #[doc(hidden)]
        #[allow(unused_imports)]
        pub(crate) use #hidden as #ident;
    }
}

/// Removes `$` tokens. They are already reported, and would cause more errors in a macro.
fn without_dollars(tokens: TokenStream) -> TokenStream {
    let tokens = tokens.into_iter().filter_map(|token| match token {
        proc_macro2::TokenTree::Punct(punct) if punct.as_char() == '$' => None,
        proc_macro2::TokenTree::Group(group) => {
            let mut made = Group::new(group.delimiter(), without_dollars(group.stream()));
            made.set_span(group.span());
            Some(made.into())
        }
        token => Some(token),
    });
    tokens.collect()
}
