//! What `#[soa_class]` makes.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::LitStr;
use syn::ext::IdentExt;

use super::model::{Class, Field, Mode};
use super::options::Layout;
use crate::diagnostics::{located, silent};
use crate::symbol::{place, plain};

/// Everything but the struct. If the class has mistakes, its conversions are stand-ins: some field may be of a type
/// that cannot be stored.
pub(crate) fn expand(class: &Class, stand_in: bool) -> TokenStream {
    let conversions = if stand_in { stand_ins(class) } else { conversions(class) };
    let parts = [
        columns(class),
        view(class),
        reference(class),
        class_impl(class, &conversions),
        field_impls(class),
        no_drop(class),
        macro_rules(class),
    ];
    let is_deprecated = |field: &Field| field.docs.iter().any(|attr| attr.path().is_ident("deprecated"));
    if class.fields.iter().any(is_deprecated) {
        // The user's uses are pointed out, and not those here.
        let parts = parts.map(allow_deprecated);
        return quote!(#(#parts)*);
    }
    quote!(#(#parts)*)
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
    let doc = format!("Names for the columns of [`{}`], one a field.", row.unraw());
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
    let debug = class.fields.iter().map(|field| {
        let (ident, name) = (&field.ident, field.name());
        quote!(.field(#name, ::ikra::rt::Shown(&self.#ident).shown()))
    });
    let name = row.unraw().to_string();
    quote! {
        #[doc = #doc]
        #vis struct #view<'w, #p: ::ikra::Phase> {
            #(#fields,)*
            #[doc(hidden)]
            __object: ::ikra::rt::Handle<'w, #row, #p>,
        }
        #[automatically_derived]
        impl<'w, #p: ::ikra::Phase> ::core::fmt::Debug for #view<'w, #p> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                #[allow(unused_imports)]
                use ::ikra::rt::NotShown as _;
                f.debug_struct(#name) #(#debug)* .finish()
            }
        }
        #[automatically_derived]
        impl<'w, #p: ::ikra::Phase> ::ikra::Object<'w> for #view<'w, #p> {
            type Class = #row;
            type Phase = #p;
            #[inline(always)]
            fn handle(&self) -> ::ikra::rt::Handle<'w, #row, #p> { self.__object }
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
        #[derive(Clone, Copy)]
        #vis struct #reference<'w, #p: ::ikra::Phase>(::ikra::rt::Handle<'w, #row, #p>);
        #[automatically_derived]
        #[allow(dead_code, clippy::len_without_is_empty)]
        impl<'w, #p: ::ikra::Phase> #reference<'w, #p> { #(#getters)* }
        #[automatically_derived]
        impl<'w, #p: ::ikra::Phase> ::core::cmp::PartialEq for #reference<'w, #p> {
            #[inline(always)]
            fn eq(&self, other: &Self) -> bool { self.0 == other.0 }
        }
        #[automatically_derived]
        impl<'w, #p: ::ikra::Phase> ::core::cmp::Eq for #reference<'w, #p> {}
        #[automatically_derived]
        impl<'w, #p: ::ikra::Phase> ::core::fmt::Debug for #reference<'w, #p> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Debug::fmt(&self.0, f)
            }
        }
        #[automatically_derived]
        impl<'w, #p: ::ikra::Phase> ::ikra::Object<'w> for #reference<'w, #p> {
            type Class = #row;
            type Phase = #p;
            #[inline(always)]
            fn handle(&self) -> ::ikra::rt::Handle<'w, #row, #p> { self.0 }
        }
    }
}

/// `unsafe impl Class`.
fn class_impl(class: &Class, conversions: &TokenStream) -> TokenStream {
    let p = class.phase();
    let (row, view, reference) = (class.ident(), class.view(), class.reference());
    let name = row.unraw().to_string();
    let infos = class.fields.iter().map(|field| {
        let (storage, name) = (field.storage(), field.name());
        let ty = &field.ty;
        let ty = quote!(#ty).to_string().replace(' ', "").replace(';', "; ");
        quote_spanned!(located(&field.ty)=> ::ikra::rt::FieldInfo::of::<#storage>(#name, #ty))
    });
    let storages: Vec<_> = class.fields.iter().map(Field::storage).collect();
    let count = class.fields.len();
    let capacity = match &class.options.capacity {
        Some(capacity) => quote!(::core::option::Option::Some(#capacity)),
        None => quote!(::core::option::Option::None),
    };
    let arena = class
        .options
        .arena
        .as_ref()
        .map(|bytes| quote!(const ARENA: ::core::option::Option<usize> = ::core::option::Option::Some(#bytes);));
    let addressing = format_ident!("{}", class.options.addressing);
    let layout = match class.options.layout {
        Layout::Soa => quote!(Soa),
        Layout::Aos => quote!(Aos),
        Layout::Tiles(n) => quote!(Tiles<#n>),
    };
    // The table's name holds a number for where the class is defined, so that classes of one name differ.
    let place = place(row);
    let symbol = format!("ikra_class_{}_{{key}}", plain(&name));
    let mut declaration = format!(
        ".visible .const .align 8 .b64 {symbol}[{{words}}];\n//ikra:class {{key}} {symbol} {{name}} {{fingerprint}} {place}"
    );
    let prints: Vec<_> = (0..count).map(|field| format_ident!("f{field}")).collect();
    for print in &prints {
        declaration.push_str(&format!("\n//ikra:field {{{print}}}"));
    }
    let numbers = 0..count;
    let load = format!("{{{{ .reg .b64 a; mov.b64 a, {symbol}; add.u64 a, a, {{0}}; ld.const.u64 {{1}}, [a]; }}}}");
    quote! {
        #[cfg(target_arch = "nvptx64")]
        ::core::arch::global_asm!(
            #declaration,
            words = const ::ikra::rt::table_words(::ikra::rt::base_count(<#row as ::ikra::Class>::FIELDS)),
            key = const <#row as ::ikra::Class>::ORIGIN.key(),
            name = const <#row as ::ikra::Class>::ORIGIN.name_key(),
            fingerprint = const ::ikra::rt::class_fingerprint::<#row>(),
            #(#prints = const ::ikra::rt::field_fingerprint(&<#row as ::ikra::Class>::FIELDS[#numbers])),*
        );
        // SAFETY: `FIELDS`, `Fields` and the arrays are made from the same list of fields; the id is that of the place
        // where the class is defined.
        #[automatically_derived]
        unsafe impl ::ikra::Class for #row {
            const ID: ::ikra::rt::ClassId =
                ::ikra::rt::ClassId::of::<#row>(::core::module_path!(), #name, ::core::line!(), ::core::column!());
            const NAME: &'static str = #name;
            const FIELDS: &'static [::ikra::rt::FieldInfo] = &[#(#infos),*];
            const CAPACITY: ::core::option::Option<u32> = #capacity;
            const ADDRESSING: ::ikra::rt::Addressing = ::ikra::rt::Addressing::#addressing;
            #arena
            type Layout = ::ikra::rt::#layout;
            const ORIGIN: ::ikra::rt::Origin = ::ikra::rt::Origin::new(::core::module_path!(), #name, #place);
            #[cfg(not(target_arch = "nvptx64"))]
            type Bases = [::ikra::rt::Base; ::ikra::rt::base_count(<#row as ::ikra::Class>::FIELDS)];
            #[cfg(target_arch = "nvptx64")]
            type Bases = ::ikra::rt::DeviceBases<#row>;
            #[cfg(target_arch = "nvptx64")]
            #[inline(always)]
            fn constant(word: usize) -> u64 {
                let value: u64;
                // SAFETY: reads a word of the class's table in constant memory, which holds still during a launch.
                unsafe {
                    ::core::arch::asm!(
                        #load,
                        in(reg64) word * 8,
                        out(reg64) value,
                        key = const <Self as ::ikra::Class>::ORIGIN.key(),
                        options(pure, nomem, nostack, preserves_flags)
                    )
                }
                value
            }
            type Targets = [::ikra::rt::TargetSlot; #count];
            #[cfg(not(target_arch = "nvptx64"))]
            const BASES: Self::Bases = [const { ::ikra::rt::Base::NONE }; _];
            #[cfg(target_arch = "nvptx64")]
            const BASES: Self::Bases = ::ikra::rt::DeviceBases::COLUMNS;
            const TARGETS: Self::Targets = [const { ::ikra::rt::TargetSlot::NONE }; #count];
            type Fields = (#(#storages,)*);
            type View<'w, #p: ::ikra::Phase> = #view<'w, #p>;
            type Ref<'w, #p: ::ikra::Phase> = #reference<'w, #p>;
            #conversions
            #[inline(always)]
            fn to_ref<'w, #p: ::ikra::Phase>(object: ::ikra::rt::Handle<'w, Self, #p>) -> #reference<'w, #p> {
                #reference(object)
            }
            #[inline(always)]
            fn from_ref<'w, #p: ::ikra::Phase>(object: Self::Ref<'w, #p>) -> ::ikra::rt::Handle<'w, Self, #p> {
                object.0
            }
        }
    }
}

/// Rows and views, taken apart and put together.
fn conversions(class: &Class) -> TokenStream {
    let p = class.phase();
    let view = class.view();
    let idents: Vec<_> = class.fields.iter().map(|field| &field.ident).collect();
    let places: Vec<_> = (0..idents.len()).map(|k| format_ident!("f{k}")).collect();
    quote! {
        #[inline(always)]
        fn into_values(self) -> <Self::Fields as ::ikra::rt::FieldTuple<Self>>::Row {
            (#(self.#idents,)*)
        }
        #[inline(always)]
        fn from_values((#(#places,)*): <Self::Fields as ::ikra::rt::FieldTuple<Self>>::Row) -> Self {
            Self { #(#idents: #places),* }
        }
        #[inline(always)]
        fn to_view<'w, #p: ::ikra::Phase>(
            (#(#places,)*): <Self::Fields as ::ikra::rt::FieldTuple<Self>>::Views<'w, #p>,
            object: ::ikra::rt::Handle<'w, Self, #p>,
        ) -> #view<'w, #p> {
            #view { #(#idents: #places,)* __object: object }
        }
        #[inline(always)]
        fn from_view<'w, #p: ::ikra::Phase>(
            view: Self::View<'w, #p>,
        ) -> <Self::Fields as ::ikra::rt::FieldTuple<Self>>::Views<'w, #p> {
            (#(view.#idents,)*)
        }
    }
}

/// The same for a class with mistakes, which is never run.
fn stand_ins(class: &Class) -> TokenStream {
    let p = class.phase();
    let view = class.view();
    quote! {
        fn into_values(self) -> <Self::Fields as ::ikra::rt::FieldTuple<Self>>::Row { ::core::unimplemented!() }
        fn from_values(_: <Self::Fields as ::ikra::rt::FieldTuple<Self>>::Row) -> Self { ::core::unimplemented!() }
        fn to_view<'w, #p: ::ikra::Phase>(
            _: <Self::Fields as ::ikra::rt::FieldTuple<Self>>::Views<'w, #p>,
            _: ::ikra::rt::Handle<'w, Self, #p>,
        ) -> #view<'w, #p> {
            ::core::unimplemented!()
        }
        fn from_view<'w, #p: ::ikra::Phase>(
            _: Self::View<'w, #p>,
        ) -> <Self::Fields as ::ikra::rt::FieldTuple<Self>>::Views<'w, #p> {
            ::core::unimplemented!()
        }
    }
}

/// `unsafe impl Field<K>`, one a field.
fn field_impls(class: &Class) -> TokenStream {
    let row = class.ident();
    let impls = class.fields.iter().enumerate().map(|(k, field)| {
        let storage = field.definition();
        quote_spanned! {located(&field.ty)=>
            // SAFETY: the same storage at the same place of `Fields`.
            #[automatically_derived]
            unsafe impl ::ikra::rt::Field<#k> for #row { type Storage = #storage; }
        }
    });
    quote!(#(#impls)*)
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
    quote! {
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
