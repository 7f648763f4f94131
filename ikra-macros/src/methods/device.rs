//! Entries of kernels in the device code.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{Path, Type};

/// What an entry calls.
pub(crate) enum Entry<'a> {
    /// A kernel for each of some objects, its results combined by each of the reducers.
    Rows { output: &'a TokenStream, reducers: &'a [Path] },
    /// A kernel for pairs.
    Pairs,
    /// A constructor.
    Construct,
}

/// A kernel without type parameters.
pub(crate) struct Kernel<'a> {
    /// The type of its handle.
    pub(crate) handle: &'a Ident,
    pub(crate) class: &'a Path,
    /// `Body::advance`.
    pub(crate) name: String,
    /// Where it stands.
    pub(crate) place: String,
    /// The name of the entry.
    pub(crate) symbol: String,
    /// Types and names of the arguments, and all of them as one type and one pattern.
    pub(crate) types: &'a [TokenStream],
    pub(crate) names: &'a [Ident],
    pub(crate) ty: &'a TokenStream,
    pub(crate) pattern: &'a TokenStream,
}

/// The entries, and on the host what is needed to call them.
pub(crate) fn entries(kernel: &Kernel<'_>, entry: &Entry<'_>) -> TokenStream {
    let Kernel { handle, class, name, place, types, names, ty, pattern, .. } = kernel;
    let (main, fingerprint) = match entry {
        Entry::Rows { .. } => (launch(kernel, "execute"), quote!(::ikra::rt::kernel_fingerprint::<#handle>())),
        Entry::Pairs => (launch(kernel, "execute_pairs"), quote!(::ikra::rt::pairs_fingerprint::<#handle, #ty>())),
        Entry::Construct => (launch(kernel, "construct"), quote!(::ikra::rt::class_fingerprint::<#class>())),
    };
    let reductions = match entry {
        Entry::Rows { output, reducers } => reductions(kernel, output, reducers),
        Entry::Pairs | Entry::Construct => TokenStream::new(),
    };
    let count = names.len();
    // Of a kernel whose arguments are no values the host says so when it is to run there.
    let on_device = types.iter().all(may_be_value).then(|| {
        quote! {
            #[cfg(target_arch = "nvptx64")]
            const _: () = {
                #main
                #reductions
            };
        }
    });
    quote! {
        const __ENTRY: ::ikra::rt::Entry = {
            #[allow(unused_imports)]
            use ::ikra::rt::NoMeaning as _;
            let origin = ::ikra::rt::Origin::new(::core::module_path!(), #name, #place);
            ::ikra::rt::Entry::new(origin, #fingerprint, &[#(::ikra::rt::Meaning::<#types>::OF),*])
        };
        // SAFETY: the entry and the arguments are made from the same list.
        #[cfg(not(target_arch = "nvptx64"))]
        #[automatically_derived]
        unsafe impl ::ikra::rt::OnDevice<#ty> for #handle
        where
            #(for<'__v> #types: ::ikra::rt::DeviceArgument,)*
        {
            const ENTRY: &'static ::ikra::rt::Entry = &__ENTRY;
            type Arguments<'__v> = [::ikra::rt::Argument<'__v>; #count];
            fn arguments(#pattern: &#ty) -> Self::Arguments<'_> {
                [#(::ikra::rt::Argument::of(#names)),*]
            }
        }
        #on_device
    }
}

/// Whether a type can be that of a value, as far as its text shows.
fn may_be_value(ty: &TokenStream) -> bool {
    fn shows(ty: &Type) -> bool {
        match ty {
            Type::Path(_) | Type::Macro(_) => true,
            Type::Array(array) => shows(&array.elem),
            Type::Paren(inner) => shows(&inner.elem),
            Type::Group(inner) => shows(&inner.elem),
            _ => false,
        }
    }
    syn::parse2::<Type>(ty.clone()).is_ok_and(|ty| shows(&ty))
}

/// The entry for objects `first..end`, or those in a list of indices if there is one.
fn launch(kernel: &Kernel<'_>, executor: &str) -> TokenStream {
    let Kernel { handle, symbol, types, names, ty, pattern, .. } = kernel;
    let executor = format_ident!("{executor}");
    quote! {
        /// # Safety
        ///
        /// Launched by the host for a world whose tables it has filled, with a list of `end` indices or none.
        #[unsafe(export_name = #symbol)]
        unsafe extern "ptx-kernel" fn entry(first: u32, end: u32, list: *const u32 #(, #names: #types)*) {
            ::ikra::rt::device::mark!("call", __ENTRY, ());
            // SAFETY: by the host.
            unsafe { ::ikra::rt::device::#executor::<#handle, #ty>(first, end, list, #pattern) }
        }
    }
}

/// For each reducer the entry that combines the results of objects.
fn reductions(kernel: &Kernel<'_>, output: &TokenStream, reducers: &[Path]) -> TokenStream {
    let Kernel { handle, symbol, types, names, ty, pattern, .. } = kernel;
    let entries = reducers.iter().enumerate().map(|(n, reducer)| {
        let reduce = format!("{symbol}_reduce{n}");
        let kind = format!("reduce{n}");
        quote! {
            const _: () = {
                /// # Safety
                ///
                /// Launched by the host for a world whose tables it has filled, with a list of `end` indices or none, and
                /// with room for the results.
                #[unsafe(export_name = #reduce)]
                unsafe extern "ptx-kernel" fn reduce(
                    first: u32,
                    end: u32,
                    list: *const u32,
                    chunks: *mut <#output as ::ikra::rt::Transfer>::Wire,
                    all: *mut <#output as ::ikra::rt::Transfer>::Wire,
                    done: *mut u32
                    #(, #names: #types)*
                ) {
                    ::ikra::rt::device::mark!(#kind, __ENTRY, <#output as ::ikra::rt::Transfer>::Wire);
                    let results = ::ikra::rt::device::Results { chunks, all, done };
                    // SAFETY: by the host.
                    unsafe {
                        ::ikra::rt::device::reduce::<#handle, #ty, #reducer>(first, end, list, results, #pattern)
                    }
                }
            };
        }
    });
    quote!(#(#entries)*)
}

/// The names that a body calls as methods, sorted: getters of the other object among them.
pub(crate) fn method_names(body: TokenStream) -> Vec<String> {
    let mut names: Vec<_> = method_calls(body).iter().map(|name| name.unraw().to_string()).collect();
    names.sort();
    names.dedup();
    names
}

/// The names that a body calls as methods, where it does.
pub(crate) fn method_calls(body: TokenStream) -> Vec<Ident> {
    let mut names = Vec::new();
    collect_method_calls(body, &mut names);
    names
}

fn collect_method_calls(body: TokenStream, names: &mut Vec<Ident>) {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    for (n, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => collect_method_calls(group.stream(), names),
            TokenTree::Punct(dot) if dot.as_char() == '.' => {
                if let (Some(TokenTree::Ident(name)), Some(TokenTree::Group(group))) =
                    (tokens.get(n + 1), tokens.get(n + 2))
                    && group.delimiter() == Delimiter::Parenthesis
                {
                    names.push(name.clone());
                }
            }
            _ => {}
        }
    }
}
