//! Entry points of kernels in device code.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Path;

use super::arguments::{Args, arguments};
use super::chains::choosing;
use super::model::{Block, Method};
use super::plain_name;
use crate::diagnostics::located;
use crate::symbol::{kernel_symbol, place};

/// The entry points of a kernel without type parameters, and the items that the host needs to launch them. Includes a
/// check for data races at compile time. `executor` is `execute`, `execute_pairs` or `construct`; `output` is the type that the
/// method returns, if it returns one.
pub(super) fn entries(
    block: &Block,
    executor: &str,
    method: &Ident,
    kernel: &Ident,
    args: &Args,
    output: Option<&TokenStream>,
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
    let collected = output.filter(|_| on_device && executor == "execute").map(|output| {
        let symbol = format!("{symbol}_collect");
        quote_spanned!(at=> ::ikra::rt::entry! {
            collect #kernel; #pattern: #ty = (#(#names: #types),*) -> #output as #symbol
        })
    });
    quote_spanned! {at=>
        ::ikra::rt::entry! {
            #executor #kernel = #name at #place for #class;
            #pattern: #ty = (#(#names: #types),*) #values #symbols
        }
        #collected
        #(#reductions)*
    }
}

/// The entry points that combine a kernel's results for the objects that another kernel of the block chooses: one for each
/// of these and each reducer.
pub(super) fn chains(
    block: &Block,
    method: &Method,
    kernel: &Ident,
    args: &Args,
    output: Option<&TokenStream>,
) -> TokenStream {
    let Some(options) = &method.kernel else { return TokenStream::new() };
    let at = located(&method.item.sig.ident);
    let class = &block.class;
    let Args { ty, pattern, names, .. } = args;
    let types: Vec<_> = args.device_types().collect();
    let symbol = kernel_symbol(&block.fields.class, &method.item.sig.ident, &place(&method.item.sig.ident));
    let filters = choosing(block, method).enumerate().map(|(number, other)| {
        let filter = &other.item.sig.ident;
        let chooses = arguments(class, &other.item.sig.generics, &other.parameters);
        let (name, place) = (format!("{}::{}", block.fields.class, plain_name(filter)), place(filter));
        let own: Vec<_> = (0..chooses.names.len()).map(|n| format_ident!("chooses{n}")).collect();
        let all = if let [one] = own.as_slice() { quote!(#one) } else { quote!((#(#own),*)) };
        let (own_types, own_type) = (chooses.device_types().collect::<Vec<_>>(), &chooses.ty);
        let entries = options.reducers.iter().enumerate().map(|(n, reducer)| {
            let (symbol, kind) = (format!("{symbol}_after{number}_reduce{n}"), format!("reduce{n}"));
            quote_spanned! {at=>
                ::ikra::rt::reduced! {
                    after <#class>::#filter, #name at #place, #all: #own_type = (#(#own: #own_types),*);
                    #kernel by #reducer; #pattern: #ty = (#(#names: #types),*) -> #output as #symbol, #kind
                }
            }
        });
        entries.collect::<TokenStream>()
    });
    filters.collect()
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
