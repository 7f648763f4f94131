//! Entries of kernels in the device code.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::Path;
use syn::ext::IdentExt;

/// What an entry calls.
pub(crate) enum Entry<'a> {
    /// A kernel for each of some objects, its results combined by each of the reducers.
    Rows { output: &'a TokenStream, reducers: &'a [Path] },
    /// A kernel for pairs.
    Pairs,
    /// A constructor.
    Construct,
}

/// A kernel whose arguments are values.
pub(crate) struct Kernel<'a> {
    /// The type of its handle.
    pub(crate) handle: &'a Ident,
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
    let Kernel { handle, symbol, types, names, ty, pattern } = kernel;
    let main = match entry {
        Entry::Rows { .. } => launch(kernel, &format_ident!("execute")),
        Entry::Pairs => launch(kernel, &format_ident!("execute_pairs")),
        Entry::Construct => launch(kernel, &format_ident!("construct")),
    };
    let reductions = match entry {
        Entry::Rows { output, reducers } => reductions(kernel, output, reducers),
        Entry::Pairs | Entry::Construct => TokenStream::new(),
    };
    quote! {
        #[cfg(not(target_arch = "nvptx64"))]
        // SAFETY: the entry and the arguments are made from the same list.
        #[automatically_derived]
        unsafe impl ::ikra::rt::OnDevice<#ty> for #handle {
            const SYMBOL: &'static str = #symbol;
            fn arguments(#pattern: #ty, launch: &mut dyn ::core::ops::FnMut(&[::ikra::rt::Argument<'_>])) {
                launch(&[#(::ikra::rt::Argument::of(&#names)),*])
            }
        }
        #[cfg(target_arch = "nvptx64")]
        const _: () = {
            #(::ikra::rt::device::assert_value::<#types>();)*
            #main
            #reductions
        };
    }
}

/// The entry for objects `first..end`, or those in a list of indices if there is one.
fn launch(kernel: &Kernel<'_>, executor: &Ident) -> TokenStream {
    let Kernel { handle, symbol, types, names, ty, pattern } = kernel;
    quote! {
        /// # Safety
        ///
        /// Launched by the host for a world whose tables it has filled, with a list of `end` indices or none.
        #[unsafe(export_name = #symbol)]
        unsafe extern "ptx-kernel" fn entry(first: u32, end: u32, list: *const u32 #(, #names: #types)*) {
            // SAFETY: by the host.
            unsafe { ::ikra::rt::device::#executor::<#handle, #ty>(first, end, list, #pattern) }
        }
    }
}

/// For each reducer the entry that combines the results of objects.
fn reductions(kernel: &Kernel<'_>, output: &TokenStream, reducers: &[Path]) -> TokenStream {
    let Kernel { handle, symbol, types, names, ty, pattern } = kernel;
    let entries = reducers.iter().enumerate().map(|(n, reducer)| {
        let reduce = format!("{symbol}_reduce{n}");
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
    let mut names = Vec::new();
    collect_method_names(body, &mut names);
    names.sort();
    names.dedup();
    names
}

fn collect_method_names(body: TokenStream, names: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    for (n, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => collect_method_names(group.stream(), names),
            TokenTree::Punct(dot) if dot.as_char() == '.' => {
                if let (Some(TokenTree::Ident(name)), Some(TokenTree::Group(group))) =
                    (tokens.get(n + 1), tokens.get(n + 2))
                    && group.delimiter() == Delimiter::Parenthesis
                {
                    names.push(name.unraw().to_string());
                }
            }
            _ => {}
        }
    }
}
