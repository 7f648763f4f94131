//! What `#[soa_class]` makes.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::LitStr;
use syn::ext::IdentExt;

use super::model::{Class, Field, Mode};
use super::options::Layout;
use crate::diagnostics::{located, silent};
use crate::symbol::{place, plain};

/// Everything but the struct. If the class has mistakes, its conversions are stand-ins: some field may be of a type
/// that cannot be stored.
pub(crate) fn expand(class: &Class, is_mistaken: bool) -> TokenStream {
    let parts = [columns(class), view(class), reference(class), implementation(class, is_mistaken), no_drop(class)];
    let rest = [symbol(class), macro_rules(class)];
    let is_deprecated = |field: &Field| field.docs.iter().any(|attr| attr.path().is_ident("deprecated"));
    if class.fields.iter().any(is_deprecated) {
        // The user's uses are pointed out, and not those here.
        let parts = parts.map(allow_deprecated);
        return quote!(#(#parts)* #(#rest)*);
    }
    quote!(#(#parts)* #(#rest)*)
}

/// The errors, a stand-in for the struct, and a macro that makes nothing of its methods.
pub(crate) fn fallback(class: &Class, errors: Option<TokenStream>) -> TokenStream {
    let row = &class.row;
    let hidden = hidden_macro(class);
    let name = class.ident();
    let row = silent(name, &row.vis, &row.generics, row, errors);
    quote! {
        #row
        #[doc(hidden)]
        #[allow(unused_macros)]
        macro_rules! #hidden { ($($item:tt)*) => {}; }
        #[doc(hidden)]
        #[allow(unused_imports)]
        pub(crate) use #hidden as #name;
    }
}

/// Items, each under `#[allow(deprecated)]`.
fn allow_deprecated(items: TokenStream) -> TokenStream {
    match syn::parse2::<syn::File>(items.clone()) {
        Ok(file) => {
            let items = file.items;
            quote!(#(#[allow(deprecated)] #items)*)
        }
        Err(_) => items,
    }
}

/// `body::mass`.
fn columns(class: &Class) -> TokenStream {
    let (row, columns, vis) = (class.ident(), class.columns(), &class.row.vis);
    let doc = format!("Names for the columns of [`{}`], one per field.", row.unraw());
    let constants = class.fields.iter().enumerate().map(|(k, field)| {
        let Field { ident, vis, .. } = field;
        let doc = format!("The column of [`{}::{}`].", row.unraw(), field.name());
        quote! {
            #[doc = #doc]
            #vis const #ident: ::ikra::Column<#row, #k> = ::ikra::Column::NEW;
        }
    });
    quote! {
        #[doc = #doc]
        #[allow(non_camel_case_types, missing_debug_implementations, clippy::empty_enums)]
        #vis enum #columns {}
        #[automatically_derived]
        #[allow(non_upper_case_globals, dead_code)]
        impl #columns { #(#constants)* }
    }
}

/// `BodyMut`.
fn view(class: &Class) -> TokenStream {
    let p = class.phase();
    let (row, view, vis) = (class.ident(), class.view(), &class.row.vis);
    let doc = format!(
        "A [`{0}`] as its methods see it: the object's fields, loaded from the columns before the call and, those that were written, stored after it.",
        row.unraw()
    );
    let fields = class.fields.iter().map(|field| {
        let Field { ident, vis, docs, .. } = field;
        let ty = field.view_type(&quote!('w), &p);
        quote!(#(#docs)* #vis #ident: #ty)
    });
    quote! {
        #[doc = #doc]
        #vis struct #view<'w, #p: ::ikra::Phase> {
            #(#fields,)*
            #[doc(hidden)]
            __object: ::ikra::rt::Handle<'w, #row, #p>,
        }
    }
}

/// `BodyRef`.
fn reference(class: &Class) -> TokenStream {
    let p = class.phase();
    let (row, reference, vis) = (class.ident(), class.reference(), &class.row.vis);
    let doc = format!("Another [`{0}`], read through getters; written `Ref<{0}>` in methods.", row.unraw());
    let getters = class.fields.iter().enumerate().map(|(k, field)| {
        let Field { ident, vis, docs, .. } = field;
        let ty = field.seen_type(&quote!('w), &p);
        let at = located(ident);
        let body = if field.broken {
            quote!(::core::unimplemented!())
        } else {
            // At the field, so that the compiler shows it, and the user's call.
            quote_spanned!(at=> ::ikra::rt::Handle::read(self.0, const { ::ikra::rt::RaceFree::<#p, #row, #k>::check() }))
        };
        let docs = if docs.is_empty() {
            let doc = format!("The object's `{}`.", field.name());
            quote!(#[doc = #doc])
        } else {
            quote!(#(#docs)*)
        };
        quote! {
            #docs
            #[inline(always)]
            #[must_use]
            #[track_caller]
            #vis fn #ident(&self) -> #ty { #body }
        }
    });
    quote! {
        #[doc = #doc]
        #vis struct #reference<'w, #p: ::ikra::Phase>(::ikra::rt::Handle<'w, #row, #p>);
        #[automatically_derived]
        #[allow(dead_code, clippy::len_without_is_empty)]
        impl<'w, #p: ::ikra::Phase> #reference<'w, #p> { #(#getters)* }
    }
}

/// How the class is stored, and what its view and ref have in common with all others.
fn implementation(class: &Class, is_mistaken: bool) -> TokenStream {
    let (row, view, reference) = (class.ident(), class.view(), class.reference());
    let name = row.unraw().to_string();
    let fields = class.fields.iter().enumerate().map(|(k, field)| {
        let (ident, field_name, storage) = (&field.ident, field.name(), field.definition());
        let k = Literal::usize_unsuffixed(k);
        let ty = &field.ty;
        let text = quote!(#ty).to_string().replace(' ', "").replace(';', "; ");
        quote_spanned!(located(ty)=> #k #ident = #field_name: #text in #storage;)
    });
    let option = |value: &Option<syn::Expr>| match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    };
    let (capacity, arena) = (option(&class.options.capacity), option(&class.options.arena));
    let addressing = format_ident!("{}", class.options.addressing);
    let layout = match class.options.layout {
        Layout::Soa => quote!(Soa),
        Layout::Aos => quote!(Aos),
        Layout::Tiles(n) => quote!(Tiles<#n>),
    };
    let state = if is_mistaken { quote!(mistaken) } else { quote!(complete) };
    let (place, symbol) = (place(row), symbol_start(&name));
    let doc = format!("How objects of class [`{name}`] are stored, and what [`{view}`] and [`{reference}`] are.");
    quote! {
        #[doc = #doc]
        const _: () = {
            ::ikra::rt::class! {
                #state #row = #name at #place as #symbol,
                seen as #view and #reference,
                stored as ::ikra::rt::#layout, #addressing, #capacity, #arena;
                #(#fields)*
            }
        };
    }
}

/// What the name of the class's table in the device code starts with.
fn symbol_start(name: &str) -> String {
    format!("ikra_class_{}_", plain(name))
}

/// The class's table in the device code.
fn symbol(class: &Class) -> TokenStream {
    let row = class.ident();
    let (place, symbol) = (place(row), symbol_start(&row.unraw().to_string()));
    let fields = (0..class.fields.len()).map(Literal::usize_unsuffixed);
    quote!(::ikra::rt::class_symbol! { #row at #place as #symbol; #(#fields)* })
}

/// Fails to compile, with the trait's name in the message, if the struct implements `Drop`: rows are taken apart into
/// columns, and put together from them as often as they are read, so that it would run at any time and not when an
/// object is gone.
fn no_drop(class: &Class) -> TokenStream {
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

fn hidden_macro(class: &Class) -> Ident {
    format_ident!("__ikra_class_{}", class.ident().unraw())
}

/// The macro through which `#[soa_methods]` learns the fields. It has the class's own name, so that it is
/// found wherever the struct is imported, and before the struct in the file.
fn macro_rules(class: &Class) -> TokenStream {
    let row = class.ident();
    let hidden = hidden_macro(class);
    let fields = class.fields.iter().map(|field| {
        let ident = &field.ident;
        let mode = format_ident!(
            "{}",
            match field.mode {
                Mode::Plain => "plain",
                Mode::Flatten => "flatten",
                Mode::Atomic => "atomic",
            }
        );
        quote!(#ident #mode)
    });
    let name = LitStr::new(&row.unraw().to_string(), row.span());
    let doc = format!("Tells `#[soa_methods]` the fields of [`{}`], under the name of the class.", row.unraw());
    quote! {
        #[doc = #doc]
        #[doc(hidden)]
        #[allow(unused_macros)]
        macro_rules! #hidden {
            ($($item:tt)*) => { ::ikra::rt::__expand_methods! { (::ikra; #name #(#fields),*) $($item)* } };
        }
        #[doc(hidden)]
        #[allow(unused_imports)]
        pub(crate) use #hidden as #row;
    }
}
