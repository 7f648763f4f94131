//! The expansion of `#[soa_methods]`.

use proc_macro2::{Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::visit::{self, Visit};
use syn::{ImplItemFn, Item, Lifetime, ReceiverKind, Stmt, TypeParamBound};

use super::arguments::turbofish;
use super::hints::changing_methods;
use super::kernel::{constructor_fn, constructor_kernel, kernel};
use super::macros::Standard;
use super::model::{Block, Method, Receiver, RowItem};
use super::{assigned, attributes, own, plain_name, turns};
use crate::class::{ref_ident, view_ident};
use crate::diagnostics::located;

/// Expands the whole block.
pub(crate) fn expand(block: &Block) -> TokenStream {
    let class = &block.class;
    let view = block.beside(view_ident(&block.class_ident()));
    let reference = block.beside(ref_ident(&block.class_ident()));
    let row_items = block.row_items.iter().map(|item| row_item(block, item));
    let attrs = &block.attrs;
    let constructors = block.constructors.iter().map(constructor_fn);
    let (effects, collected): (Vec<_>, Vec<_>) =
        block.methods.iter().map(|method| effects_constant(block, method)).unzip();
    let methods = block.methods.iter().map(|method| view_method(block, method));
    let delegates = block.methods.iter().filter_map(|method| ref_method(block, method));
    let changing = changing_methods(block);
    let lending = lending_methods(block, &reference);
    let kernels = block.methods.iter().filter(|method| method.kernel.is_some()).map(|method| kernel(block, method));
    let constructor_kernels = block.constructors.iter().map(|constructor| constructor_kernel(block, constructor));
    let attributes = attrs.iter().chain(block.methods.iter().flat_map(|method| &method.item.attrs));
    let tools = attributes::tools(attributes);
    // Users write `(&mut self.vel).normalize()` so that the text shows the change.
    let allow_borrows = quote!(#[allow(clippy::needless_borrow)]);
    quote! {
        #(#attrs)*
        impl #class {
            #(#row_items)*
            #(#constructors)*
        }
        #[automatically_derived]
        #[allow(non_upper_case_globals, dead_code)]
        impl #class { #(#effects)* }
        #(#collected)*
        #(#attrs)*
        #allow_borrows
        impl<'__w, __P: ::ikra::Phase> #view<'__w, __P> { #(#methods)* }
        #[automatically_derived]
        #[allow(dead_code, missing_docs, clippy::too_many_arguments, clippy::mut_from_ref)]
        impl<'__w, __P: ::ikra::Phase> #reference<'__w, __P> { #(#delegates)* #changing }
        #lending
        #tools
        #(#kernels)*
        #(#constructor_kernels)*
    }
}

/// An item that stays on the row; a function that takes `Ref`s is generic over their phase.
fn row_item(block: &Block, item: &RowItem) -> TokenStream {
    match item {
        RowItem::Plain(item) => item.to_token_stream(),
        RowItem::OfRefs(item) => {
            let mut item = ImplItemFn::clone(item);
            item.sig.generics.params.insert(0, syn::parse_quote!('__w));
            item.sig.generics.params.push(syn::parse_quote!(__P: ::ikra::Phase));
            block.rewrite(item)
        }
    }
}

pub(super) fn effects_ident(method: &Ident) -> Ident {
    format_ident!("__effects_of_{}", plain_name(method), span = method.span())
}

/// The method's effects, for kernels and for methods that call it. They are a constant of the class. If the method
/// calls methods of other blocks, they are separate items.
fn effects_constant(block: &Block, method: &Method) -> (TokenStream, TokenStream) {
    let at = located(&method.item.sig.ident);
    let class = &block.class;
    let name = effects_ident(&method.item.sig.ident);
    let cfgs = cfgs(&method.item.attrs);
    let own = own_effects(method);
    let facts = &method.facts;
    let key = plain_name(&method.item.sig.ident);
    if facts.calls.is_empty() {
        let constant = quote_spanned! {at=>
            #(#cfgs)*
            #[doc(hidden)]
            pub(crate) const #name: ::ikra::rt::MethodEffects = #own;
        };
        return (constant, TokenStream::new());
    }
    let calls = facts.calls.iter().map(effects_ident);
    let unknown = match method.receiver {
        Receiver::Shared => quote_spanned!(at=> ::ikra::rt::MethodEffects::READS_ALL),
        Receiver::Exclusive => quote_spanned!(at=> ::ikra::rt::MethodEffects::WRITES_ALL),
    };
    let reasons =
        facts.calls.iter().map(|call| format!("`{key}` calls `{}`, which may be a trait's", plain_name(call)));
    let purpose = format!("What `{key}` does, and the methods of other blocks that it calls.");
    let collected = quote_spanned! {at=>
        #(#cfgs)*
        #[doc = #purpose]
        const _: () = {
            ::ikra::rt::reach! { #class, #name = #key, #own; #(#calls or #unknown.because(#reasons)),* }
        };
    };
    (TokenStream::new(), collected)
}

/// The method's effects, without calls to methods of other blocks.
fn own_effects(method: &Method) -> TokenStream {
    let at = located(&method.item.sig.ident);
    let facts = &method.facts;
    let reads = bits(if facts.whole || facts.escapes { u64::MAX } else { facts.touches });
    let writes = bits(if facts.escapes { u64::MAX } else { facts.writes });
    let mut own = quote_spanned!(at=> ::ikra::rt::MethodEffects::new(#reads, #writes));
    if facts.removes {
        own = quote_spanned!(at=> #own.removing());
    }
    if let Some(because) = &facts.because {
        own = quote_spanned!(at=> #own.because(#because));
    }
    if !method.facts.uses.0.is_empty() {
        let atomics = method.facts.uses.to_tokens();
        own = quote_spanned!(at=> #own.atomics(#atomics));
    }
    if method.others != 0 {
        let others = bits(method.others);
        own = quote_spanned!(at=> #own.others(#others));
    }
    if method.roams {
        own = quote_spanned!(at=> #own.roaming());
    }
    if !method.calls.is_empty() {
        let calls = method.calls.iter().map(|(name, line)| {
            let line = Literal::usize_unsuffixed(*line);
            quote_spanned!(at=> (#name, #line))
        });
        own = quote_spanned!(at=> #own.calls(::core::file!(), &[#(#calls),*]));
    }
    own
}

/// The `cfg` attributes of a method.
pub(crate) fn cfgs(attrs: &[syn::Attribute]) -> Vec<&syn::Attribute> {
    attrs.iter().filter(|attr| attr.path().is_ident("cfg")).collect()
}

/// A set of fields, as an integer literal.
pub(super) fn bits(set: u64) -> TokenStream {
    match set {
        u64::MAX => quote!(::core::primitive::u64::MAX),
        set => syn::LitInt::new(&set.to_string(), Span::call_site()).into_token_stream(),
    }
}

/// The method on the view.
fn view_method(block: &Block, method: &Method) -> TokenStream {
    let item = &method.item;
    let (attrs, vis) = (&item.attrs, &item.vis);
    let inline = if item.attrs.iter().any(|attr| attr.path().is_ident("inline")) {
        TokenStream::new()
    } else if method.kernel.is_some() {
        // Called only from the loop over all objects, whose speed depends on inlining.
        quote!(#[allow(clippy::inline_always)] #[inline(always)])
    } else {
        quote!(#[inline])
    };
    let mut body = item.block.clone();
    if is_for_device() {
        turns::join(&mut body);
        if method.receiver == Receiver::Exclusive {
            assigned::mark(&mut body, &block.fields);
        }
    }
    own::rewrite(block, method, &mut body);
    let imports = [standard_names(method), followed_links(method)];
    let imports = imports.into_iter().flatten().map(|import| Stmt::Item(Item::Verbatim(import)));
    body.stmts.splice(0..0, imports);
    let (mut sig, mut body) = (item.sig.to_token_stream(), body.to_token_stream());
    if method.facts.hidden {
        (sig, body) = (own::hygienic(sig), own::hygienic(body));
    }
    let (sig, body) = (with_captures(block.rewrite(sig)), block.rewrite(body));
    quote!(#(#attrs)* #inline #vis #sig #body)
}

/// Whether `ikra-build` compiles this code for the device, with marks for iteration ends and assignments. On the host
/// the statements remain the user's tokens.
fn is_for_device() -> bool {
    std::env::var_os(ikra_marks::FOR_DEVICE).is_some()
}

/// Glob imports of the standard library's macros. Their names then have this meaning, or they are ambiguous.
fn standard_names(method: &Method) -> Option<TokenStream> {
    let at = located(&method.item.sig.ident);
    let Standard { macros, crates } = method.facts.standard;
    let macros = macros.then(|| quote_spanned!(at=> #[allow(unused_imports)] use ::ikra::rt::standard::macros::*;));
    let crates = crates.then(|| quote_spanned!(at=> #[allow(unused_imports)] use ::ikra::rt::standard::crates::*;));
    (macros.is_some() || crates.is_some()).then(|| quote!(#macros #crates))
}

/// Helps with bodies that seem to call methods on links, `self.near[k].mass()`. A link is a number; the compiler, which
/// knows the type, explains how to follow it.
///
/// The explanation is attached to a trait bound that never holds. The body begins with a trait that has the called
/// methods, implemented for links under this bound. Inherent methods of links are called normally.
fn followed_links(method: &Method) -> Option<TokenStream> {
    let called: Vec<Ident> = method.facts.followed.iter().filter_map(|name| syn::parse_str(name).ok()).collect();
    let name = format_ident!("__FollowedLink");
    (!called.is_empty()).then(|| {
        quote_spanned! {located(&method.item.sig.ident)=>
            #[allow(dead_code)]
            trait #name { #(fn #called(&self) {})* }
            impl<C> #name for ::ikra::Link<C> where Self: ::ikra::rt::Followed {}
        }
    })
}

/// A `&self` method on the ref: loads the fields that the method uses, then calls it.
fn ref_method(block: &Block, method: &Method) -> Option<TokenStream> {
    let at = located(&method.item.sig.ident);
    let item = &method.item;
    if method.receiver == Receiver::Exclusive
        || method.clashes
        || matches!(item.sig.safety, syn::Safety::Unsafe(_))
        || borrows_self(&item.sig)
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
    let output = with_captures(block.rewrite(&item.sig.output));
    let args: Vec<_> = (0..method.parameters.len()).map(|n| format_ident!("arg{n}")).collect();
    let types: Vec<_> = method.parameters.iter().map(|parameter| block.rewrite(&parameter.ty)).collect();
    let effects = effects_ident(name);
    let turbofish = turbofish(&item.sig.generics);
    let key = plain_name(name);
    Some(quote_spanned! {at=>
        #(#docs)*
        #[inline(always)]
        #[track_caller]
        #vis fn #name #generics (&self, #(#args: #types),*) #output #where_clause {
            const __EFFECTS: ::ikra::rt::Reached = <#class>::#effects.reach(::ikra::rt::Reached::NONE);
            ::ikra::rt::Handle::with_view(
                <Self as ::ikra::Object<'__w>>::handle(self),
                const {
                    ::ikra::rt::AllRaceFree::<__P, #class, { __EFFECTS.reads() }>::check(#key, __EFFECTS.reason())
                },
                |view| <#view<'__w, __P>>::#name #turbofish(view #(, #args)*),
            )
        }
    })
}

/// Methods on the ref for `&self` methods whose result may borrow from `self`. They explain why they cannot be called.
fn lending_methods(block: &Block, reference: &syn::Path) -> TokenStream {
    let methods: Vec<_> = block
        .methods
        .iter()
        .filter(|method| method.receiver == Receiver::Shared && !method.clashes && borrows_self(&method.item.sig))
        .map(|method| {
            let at = located(&method.item.sig.ident);
            let (vis, name, cfgs) = (&method.item.vis, &method.item.sig.ident, cfgs(&method.item.attrs));
            quote_spanned!(at=> #(#cfgs)* #[doc(hidden)] #vis fn #name(&self) { ::core::unreachable!() })
        })
        .collect();
    if methods.is_empty() {
        return TokenStream::new();
    }
    quote! {
        #[automatically_derived]
        #[allow(dead_code, missing_docs)]
        impl<'__w, __P: ::ikra::Phase> #reference<'__w, __P>
        where
            #reference<'__w, __P>: ::ikra::LendsFields
        {
            #(#methods)*
        }
    }
}

/// Adds the ref's parameters to `use<…>`, which must list all parameters of a type.
fn with_captures(sig: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = sig.into_iter().collect();
    let is = |n: usize, c: char| matches!(tokens.get(n), Some(TokenTree::Punct(punct)) if punct.as_char() == c);
    let mut out = TokenStream::new();
    let mut open = false;
    for (n, token) in tokens.iter().enumerate() {
        let starts = n > 0 && is(n, '<') && matches!(&tokens[n - 1], TokenTree::Ident(word) if word == "use");
        match token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), with_captures(group.stream()));
                inner.set_span(group.span());
                out.extend([TokenTree::Group(inner)]);
            }
            _ if starts => {
                open = true;
                out.extend(quote!(<'__w,));
            }
            TokenTree::Punct(close) if open && close.as_char() == '>' => {
                open = false;
                let comma = (!is(n - 1, ',') && !is(n - 1, '<')).then(|| quote!(,));
                out.extend(quote!(#comma __P>));
            }
            token => out.extend([token.clone()]),
        }
    }
    out
}

/// Whether the result may borrow from `self`. On a ref, `self` is a temporary copy that ends with the call.
pub(crate) fn borrows_self(sig: &syn::Signature) -> bool {
    struct Finder<'a> {
        found: bool,
        /// The lifetime of `&'a self`.
        own: Option<&'a Lifetime>,
    }
    impl<'ast> Visit<'ast> for Finder<'_> {
        fn visit_type_reference(&mut self, reference: &'ast syn::TypeReference) {
            self.found |= reference.lifetime.is_none();
            visit::visit_type_reference(self, reference);
        }
        fn visit_lifetime(&mut self, lifetime: &'ast Lifetime) {
            self.found |= lifetime.ident == "_" || Some(lifetime) == self.own;
        }
        fn visit_type_impl_trait(&mut self, opaque: &'ast syn::TypeImplTrait) {
            // An `impl Trait` without `use<…>` captures all lifetimes in Rust 2024.
            let listed = opaque.bounds.iter().any(|bound| matches!(bound, TypeParamBound::PreciseCapture(_)));
            self.found |= !listed;
            visit::visit_type_impl_trait(self, opaque);
        }
    }
    let own = sig.receiver().and_then(|receiver| match &receiver.kind {
        ReceiverKind::Reference(_, lifetime, _) => lifetime.as_ref(),
        _ => None,
    });
    let mut finder = Finder { found: false, own };
    finder.visit_return_type(&sig.output);
    finder.found
}
