//! How a link encodes its object's class: `strategy = "…"`.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use syn::LitStr;

use super::options::Options;

/// The strategies. `ikra_strategies` documents them, and implements all but the first.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Strategy {
    #[default]
    TypePointer,
    RangeTable,
    ClassTag,
    Vtable,
}

/// The number of objects for which memory is reserved, in strategies that reserve it per class.
const OBJECTS: usize = 1 << 25;

impl Strategy {
    pub(super) fn parse(name: &LitStr) -> Option<Self> {
        Some(match name.value().as_str() {
            "type_pointer" => Self::TypePointer,
            "range_table" => Self::RangeTable,
            "class_tag" => Self::ClassTag,
            "vtable" => Self::Vtable,
            _ => return None,
        })
    }

    /// The maximum number of classes in links of 4 bytes.
    pub(super) fn most(self) -> usize {
        match self {
            Self::TypePointer | Self::RangeTable => 256,
            // One byte per object encodes the class; one value means that it is not known yet.
            Self::ClassTag | Self::Vtable => 255,
        }
    }
}

/// The type of a link's bits, and the additional items that the strategy needs.
pub(super) fn bits(options: &Options, ident: &Ident) -> (TokenStream, TokenStream) {
    let classes = Literal::usize_unsuffixed(options.classes.len());
    let cell = match options.strategy {
        Strategy::TypePointer => {
            let bits = format_ident!("{}", if options.wide { "Wide" } else { "Narrow" });
            return (quote!(::ikra::rt::#bits), TokenStream::new());
        }
        Strategy::RangeTable => {
            let leaves = quote!({ ::ikra_strategies::range_table::Numbering::of(#classes).leaves() });
            return (quote!(::ikra_strategies::Ranged<#classes, #leaves>), TokenStream::new());
        }
        Strategy::ClassTag => quote!(::core::sync::atomic::AtomicU8),
        Strategy::Vtable => quote!(::core::sync::atomic::AtomicU32),
    };
    let objects = Literal::usize_unsuffixed(OBJECTS);
    let tags = quote! {
        // SAFETY: the cells start as 0, and nothing else can name them.
        #[automatically_derived]
        unsafe impl ::ikra_strategies::Tags for #ident {
            type Cell = #cell;
            const CLASSES: u32 = #classes;
            #[inline(always)]
            unsafe fn cells() -> &'static [#cell] {
                static CELLS: ::ikra_strategies::TagCells<#cell, #objects> = ::ikra_strategies::TagCells::zeroed();
                CELLS.cells()
            }
        }
    };
    (quote!(::ikra_strategies::Remembered<#ident>), tags)
}
