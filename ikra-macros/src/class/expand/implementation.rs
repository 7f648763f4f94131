//! Implementations that store a class on host and device.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;

use crate::class::model::{Class, is_number, padded};
use crate::class::options::Layout;
use crate::diagnostics::located;
use crate::stored::innermost;
use crate::symbol::{links_symbol, place, plain};

/// Storage of the class, and the traits that every view and ref implements.
pub(super) fn implementation(class: &Class, is_mistaken: bool) -> TokenStream {
    let (row, view, reference) = (class.ident(), class.view(), class.reference());
    let name = row.unraw().to_string();
    let fields = class.fields.iter().enumerate().map(|(k, field)| {
        let (ident, field_name, storage) = (&field.ident, field.name(), field.definition());
        let k = Literal::usize_unsuffixed(k);
        let ty = &field.ty;
        let text = quote!(#ty).to_string().replace(' ', "").replace(';', "; ");
        let cascading = field.cascades.then(|| quote!(.cascading()));
        quote_spanned!(located(ty)=> #k #ident = #field_name: #text #cascading in #storage;)
    });
    let option = |value: &Option<syn::Expr>| match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    };
    let (capacity, arena) = (option(&class.options.capacity), option(&class.options.arena));
    let compact = option(&class.options.compact);
    let addressing = format_ident!("{}", class.options.addressing);
    let layout = match class.options.layout {
        Layout::Soa => quote!(Soa),
        Layout::Aos => quote!(Aos),
        Layout::Tiles(n) => quote!(Tiles<#n>),
    };
    let nothing = (class.fields.len()..padded(class.fields.len())).map(|_| quote!(()));
    let state = if is_mistaken { quote!(mistaken) } else { quote!(complete) };
    let (place, symbol) = (place(row), symbol_start(&name));
    let doc = format!("How objects of class [`{name}`] are stored, and what [`{view}`] and [`{reference}`] are.");
    quote! {
        #[doc = #doc]
        const _: () = {
            ::ikra::rt::class! {
                #state #row = #name at #place as #symbol,
                seen as #view and #reference,
                stored as ::ikra::rt::#layout, #addressing, #capacity, #arena, #compact, and [#(#nothing)*];
                #(#fields)*
            }
        };
    }
}

/// The prefix of the class table's symbol in device code.
fn symbol_start(name: &str) -> String {
    format!("{}{}_", ikra_marks::TABLE, plain(name))
}

/// The symbol of the class's table in device code.
pub(super) fn symbol(class: &Class) -> TokenStream {
    let row = class.ident();
    let (place, symbol) = (place(row), symbol_start(&row.unraw().to_string()));
    let fields = (0..class.fields.len()).map(Literal::usize_unsuffixed);
    // All but numbers and their arrays may hold links.
    let links = class.fields.iter().any(|field| !is_number(innermost(&field.ty))).then(|| {
        let symbol = links_symbol(row);
        quote!(::ikra::rt::entry! { links #row as #symbol })
    });
    quote! {
        ::ikra::rt::class_symbol! { #row at #place as #symbol; #(#fields)* }
        #links
    }
}

/// Fails to compile, with the trait's name in the message, if the struct implements `Drop`. Rows are split into columns
/// and rebuilt on every read, so `drop` would run at arbitrary times, not when an object is removed.
pub(super) fn no_drop(class: &Class) -> TokenStream {
    let row = class.ident();
    quote! {
        const _: () = {
            #[allow(dead_code)]
            trait AClassCannotImplementDrop {}
            #[allow(drop_bounds)]
            impl<T: ::core::ops::Drop> AClassCannotImplementDrop for T {}
            impl AClassCannotImplementDrop for #row {}
        };
    }
}
