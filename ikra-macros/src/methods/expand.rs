//! What `#[soa_methods]` makes.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::visit_mut::{self, VisitMut};
use syn::{Generics, Lifetime, ReturnType, Type};

use super::access::plain_name;
use super::device::{self, Entry};
use super::model::{Block, Constructor, Method, Parameter, Receiver};
use crate::class::{ref_ident, view_ident};
use crate::device::kernel_symbol;
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

fn access_ident(method: &Ident) -> Ident {
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
fn cfgs(item: &syn::ImplItemFn) -> Vec<&syn::Attribute> {
    item.attrs.iter().filter(|attr| attr.path().is_ident("cfg")).collect()
}

/// A set of fields, as a literal.
fn bits(set: u64) -> TokenStream {
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
    let sig = block.rewrite(&item.sig);
    let body = block.rewrite(&item.block);
    quote!(#(#attrs)* #inline #vis #sig #body)
}

/// A `&self` method on the ref: loads the fields that the method names, and calls it.
fn ref_method(block: &Block, method: &Method) -> Option<TokenStream> {
    let at = located(&method.item.sig.ident);
    let item = &method.item;
    if method.receiver == Receiver::Exclusive || method.clashes || borrows_self(&item.sig.output) {
        return None;
    }
    let class = &block.class;
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
    Some(quote_spanned! {at=>
        #(#docs)*
        #[inline(always)]
        #vis fn #name #generics (&self, #(#args: #types),*) #output #where_clause {
            struct __Touched;
            impl ::ikra::rt::Touched for __Touched {
                const FIELDS: ::ikra::rt::FieldSet = <#class>::#access.reach(::ikra::rt::Reached::NONE).access.touches;
            }
            self.0.view(const { ::ikra::rt::AllRaceFree::<__P, #class, __Touched>::check() }).#name(#(#args),*)
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

/// The kernel handle: `Body::advance` in value position.
fn kernel(block: &Block, method: &Method) -> TokenStream {
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
            #[automatically_derived]
            impl ::ikra::rt::ReducedBy<#reducer> for #kernel {
                const NUMBER: usize = #number;
            }
        }
    });
    let call = if method.has_nested_ref {
        TokenStream::new()
    } else if options.pairs.is_some() {
        pair_call(block, method, &kernel, &view)
    } else {
        plain_call(block, method, &kernel, &view)
    };
    let docs = item.attrs.iter().filter(|attr| attr.path().is_ident("doc"));
    let cfgs = cfgs(item);
    let vis = &item.vis;
    let handle = handle(&kernel, class, vis);
    let gets = options.pairs.as_ref().map(|_| {
        let names = device::method_names(item.block.to_token_stream());
        quote_spanned!(at=> const GETS: &'static [&'static str] = &[#(#names),*];)
    });
    quote_spanned! {at=>
        #(#cfgs)*
        const _: () = {
            #handle
            const __ACCESS: ::ikra::rt::FieldAccess = <#class>::#access.reach(::ikra::rt::Reached::NONE).access;
            const __SNAPSHOT: ::ikra::rt::FieldSet = ::ikra::rt::FieldSet::from_bits(#snapshot);
            #[automatically_derived]
            impl ::ikra::Phase for #kernel {
                const CLASS: ::ikra::rt::ClassId = <#class as ::ikra::Class>::ID;
                const NAME: &'static str = #name;
                const WRITES: ::ikra::rt::FieldSet = #writes;
                const SNAPSHOT: ::ikra::rt::FieldSet = __SNAPSHOT;
                #gets
            }
            #[automatically_derived]
            impl ::ikra::rt::Method for #kernel {
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

/// A kernel's arguments, as one type and as a pattern.
struct Args {
    ty: TokenStream,
    pattern: TokenStream,
    /// What is passed on to the method.
    values: Vec<TokenStream>,
    /// Lifetimes of references in them.
    lifetimes: Vec<Lifetime>,
    /// The types and names one by one.
    types: Vec<TokenStream>,
    names: Vec<Ident>,
}

impl Args {
    /// The entry in the device code, if all arguments are values.
    fn device_entry(
        &self,
        block: &Block,
        method: &Ident,
        handle: &Ident,
        generics: &Generics,
        entry: &Entry<'_>,
    ) -> TokenStream {
        if !generics.params.is_empty() {
            return TokenStream::new();
        }
        let kernel = device::Kernel {
            handle,
            symbol: kernel_symbol(&block.fields.class, method),
            types: &self.types,
            names: &self.names,
            ty: &self.ty,
            pattern: &self.pattern,
        };
        device::entries(&kernel, entry)
    }
}

/// `impl Kernel<Args>`.
fn plain_call(block: &Block, method: &Method, kernel: &Ident, view: &syn::Path) -> TokenStream {
    let at = located(&method.item.sig.ident);
    let (args, mut generics) = arguments(block, method, &method.parameters);
    add_lifetimes(&mut generics, &args.lifetimes);
    let (impl_generics, where_clause) = split(block, &generics);
    let output = match &method.item.sig.output {
        ReturnType::Default => quote_spanned!(at=> ()),
        ReturnType::Type(_, ty) => block.rewrite(ty),
    };
    let name = &method.item.sig.ident;
    let reducers = method.kernel.as_ref().map_or(&[][..], |options| &options.reducers);
    let entries = args.device_entry(block, name, kernel, &generics, &Entry::Rows { output: &output, reducers });
    let Args { ty, pattern, values, .. } = args;
    quote_spanned! {at=>
        #entries
        #[automatically_derived]
        impl #impl_generics ::ikra::rt::Kernel<#ty> for #kernel #where_clause {
            type Output = #output;
            #[inline(always)]
            fn call<'__w>(view: &mut #view<'__w, Self>, #pattern: #ty) -> #output {
                view.#name(#(#values),*)
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
    let (args, mut generics) = arguments(block, method, rest);
    add_lifetimes(&mut generics, &args.lifetimes);
    let (impl_generics, where_clause) = split(block, &generics);
    let name = &method.item.sig.ident;
    let entries = args.device_entry(block, name, kernel, &generics, &Entry::Pairs);
    let Args { ty, pattern, values, .. } = args;
    let result = match &method.item.sig.output {
        ReturnType::Default => TokenStream::new(),
        // A mistake, which has been said.
        ReturnType::Type(..) => quote_spanned!(at=> let _ =),
    };
    quote_spanned! {at=>
        #entries
        #[automatically_derived]
        impl #impl_generics ::ikra::rt::PairKernel<#ty> for #kernel #where_clause {
            type Other = #other;
            #[inline(always)]
            fn call<'__w>(
                view: &mut #view<'__w, Self>,
                other: <#other as ::ikra::Class>::Ref<'__w, Self>,
                #pattern: #ty,
            ) {
                #result view.#name(other #(, #values)*);
            }
        }
    }
}

/// One argument as it is, none as `()`, several as a tuple; `Link<X>` for `Ref<X>`; `impl Trait` as a
/// type parameter.
fn arguments(block: &Block, method: &Method, parameters: &[Parameter]) -> (Args, Generics) {
    let mut generics = method.item.sig.generics.clone();
    let mut lifetimes = Vec::new();
    let (mut types, mut names, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for (n, parameter) in parameters.iter().enumerate() {
        let name = format_ident!("arg{n}");
        if let Some(object) = &parameter.object {
            let object = block.rewrite(object);
            types.push(quote!(::ikra::Link<#object>));
            values.push(quote!(::ikra::Object::resolve(&*view, #name)));
        } else {
            let mut ty = parameter.ty.clone();
            Named { lifetimes: &mut lifetimes, generics: &mut generics, parameter: n }.visit_type_mut(&mut ty);
            types.push(block.rewrite(ty));
            values.push(quote!(#name));
        }
        names.push(name);
    }
    let (ty, pattern) = match (types.as_slice(), names.as_slice()) {
        ([ty], [name]) => (ty.clone(), quote!(#name)),
        _ => (quote!((#(#types),*)), quote!((#(#names),*))),
    };
    (Args { ty, pattern, values, lifetimes, types, names }, generics)
}

/// Gives names to elided lifetimes and to `impl Trait`, which an `impl` header must name.
struct Named<'a> {
    lifetimes: &'a mut Vec<Lifetime>,
    generics: &'a mut Generics,
    parameter: usize,
}

impl Named<'_> {
    fn fresh(&mut self) -> Lifetime {
        let lifetime = Lifetime::new(&format!("'__a{}", self.lifetimes.len()), Span::call_site());
        self.lifetimes.push(lifetime.clone());
        lifetime
    }
}

impl VisitMut for Named<'_> {
    fn visit_type_reference_mut(&mut self, reference: &mut syn::TypeReference) {
        if reference.lifetime.is_none() {
            reference.lifetime = Some(self.fresh());
        }
        visit_mut::visit_type_reference_mut(self, reference);
    }
    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident == "_" {
            *lifetime = self.fresh();
        }
    }
    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Type::ImplTrait(bounds) = ty {
            let name = format_ident!("__T{}_{}", self.parameter, self.generics.params.len());
            let bounds = &bounds.bounds;
            self.generics.params.push(syn::parse_quote!(#name: #bounds));
            *ty = syn::parse_quote!(#name);
            return;
        }
        // Elided lifetimes of function types are their own.
        if !matches!(ty, Type::FnPtr(_)) {
            visit_mut::visit_type_mut(self, ty);
        }
    }
}

fn add_lifetimes(generics: &mut Generics, lifetimes: &[Lifetime]) {
    for (n, lifetime) in lifetimes.iter().enumerate() {
        generics.params.insert(n, syn::parse_quote!(#lifetime));
    }
}

fn split(block: &Block, generics: &Generics) -> (TokenStream, TokenStream) {
    let params = block.rewrite(&generics.params);
    let params = if params.is_empty() { params } else { quote!(<#params>) };
    (params, block.rewrite(generics.where_clause.to_token_stream()))
}

fn constructor_ident(name: &Ident) -> Ident {
    format_ident!("__construct_{}", plain_name(name), span = name.span())
}

/// The constructor itself, under a name of its own: `Body::spawn` is the kernel.
fn constructor_fn(constructor: &Constructor) -> TokenStream {
    let mut item = constructor.item.clone();
    item.sig.ident = constructor_ident(&item.sig.ident);
    quote!(#[doc(hidden)] #[allow(clippy::inline_always)] #[inline(always)] #item)
}

/// `impl Constructor<Args>`.
fn constructor_kernel(block: &Block, constructor: &Constructor) -> TokenStream {
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
    let mut generics = item.sig.generics.clone();
    let mut lifetimes = Vec::new();
    let (mut types, mut names) = (Vec::new(), Vec::new());
    for (n, parameter) in rest.iter().enumerate() {
        let mut ty = parameter.ty.clone();
        Named { lifetimes: &mut lifetimes, generics: &mut generics, parameter: n }.visit_type_mut(&mut ty);
        types.push(block.rewrite(ty));
        names.push(format_ident!("arg{n}"));
    }
    add_lifetimes(&mut generics, &lifetimes);
    let (impl_generics, where_clause) = split(block, &generics);
    let (ty, pattern) = match (types.as_slice(), names.as_slice()) {
        ([ty], [name]) => (ty.clone(), quote_spanned!(at=> #name)),
        _ => (quote_spanned!(at=> (#(#types),*)), quote_spanned!(at=> (#(#names),*))),
    };
    let handle = handle(&kernel, class, vis);
    let args = Args { ty, pattern, values: Vec::new(), lifetimes, types, names };
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
