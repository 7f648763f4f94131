//! Entry points of kernels in device code.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote_spanned};
use syn::Path;

use super::arguments::Args;
use super::model::Block;
use super::plain_name;
use crate::diagnostics::located;
use crate::symbol::{kernel_symbol, place};

/// The entry points of a kernel without type parameters, and the items that the host needs to launch them. Includes a
/// check for data races at compile time. `executor` is `execute`, `execute_pairs` or `construct`.
pub(super) fn entries(
    block: &Block,
    executor: &str,
    method: &Ident,
    kernel: &Ident,
    args: &Args,
    output: &TokenStream,
    reducers: &[Path],
) -> TokenStream {
    let at = located(method);
    let Args { ty, pattern, names, .. } = args;
    let numbers = (0..reducers.len()).map(proc_macro2::Literal::usize_unsuffixed);
    if args.has_type_parameters() {
        return quote_spanned!(at=> #(::ikra::rt::reduced! { #kernel by #reducers = #numbers })*);
    }
    let executor = format_ident!("{executor}", span = at);
    // The other executors take values.
    let may_borrow = executor == "execute" && args.borrows_groups_only();
    if !args.generics.params.is_empty() && !may_borrow {
        let lifetimes = &args.generics.params;
        return quote_spanned! {at=>
            ::ikra::rt::examine! { #executor #kernel [#lifetimes] #ty }
            #(::ikra::rt::reduced! { #kernel by #reducers = #numbers })*
        };
    }
    let types: Vec<_> = args.device_types().collect();
    let values = may_borrow.then(|| {
        let values = args.values();
        quote_spanned!(at=> of [#(#values),*])
    });
    let class = &block.class;
    let name = format!("{}::{}", block.fields.class, plain_name(method));
    let place = place(method);
    let symbol = kernel_symbol(&block.fields.class, method, &place);
    // If an argument is not a value, the host reports it when the kernel is launched on the device.
    let on_device = args.may_be_values();
    let symbols = on_device.then(|| quote_spanned!(at=> as #symbol));
    let reductions = reducers.iter().zip(numbers).enumerate().map(|(n, (reducer, number))| {
        let (symbol, kind) = (format!("{symbol}_reduce{n}"), format!("reduce{n}"));
        let entry = on_device
            .then(|| quote_spanned!(at=> ; #pattern: #ty = (#(#names: #types),*) -> #output as #symbol, #kind));
        quote_spanned!(at=> ::ikra::rt::reduced! { #kernel by #reducer = #number #entry })
    });
    quote_spanned! {at=>
        ::ikra::rt::entry! {
            #executor #kernel = #name at #place for #class;
            #pattern: #ty = (#(#names: #types),*) #values #symbols
        }
        #(#reductions)*
    }
}

/// The entry points that make the objects of a kernel in these classes, when it has ended.
pub(super) fn births(block: &Block, method: &Ident, young: &[TokenStream]) -> TokenStream {
    let at = located(method);
    let symbol = kernel_symbol(&block.fields.class, method, &place(method));
    let all = young.iter().enumerate().map(|(n, class)| {
        let (symbol, kind) = (format!("{symbol}_born{n}"), format!("born{n}"));
        quote_spanned!(at=> ::ikra::rt::entry! { born #class, [#(#young),*] as #symbol, #kind })
    });
    quote_spanned!(at=> #(#all)*)
}
