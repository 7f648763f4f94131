//! `#[derive(Value)]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::{Attribute, Data, DataEnum, DataStruct, DeriveInput, Fields, Index, Member, Meta};

use crate::diagnostics::{Errors, located};
use crate::krate::Krate;

/// Components that `#[soa(flatten)]` can store, `MAX_PARTS` of the runtime.
const MAX_PARTS: usize = 16;

/// The derive macro.
pub(crate) fn derive_value(item: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(item.clone()) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let mut errors = Errors::default();
    let krate = krate(&input.attrs, &mut errors);
    match syn::parse2(krate.protect(item)) {
        Ok(input) => krate.reach(value(&input, errors)),
        Err(error) => error.to_compile_error(),
    }
}

/// What `#[value(crate = path)]` says.
fn krate(attrs: &[Attribute], errors: &mut Errors) -> Krate {
    let mut args = TokenStream::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("value")) {
        match &attr.meta {
            Meta::List(list) => args.extend(list.tokens.clone()),
            _ => errors.at(attr, "write `#[value(crate = path)]`"),
        }
    }
    let (krate, rest) = Krate::take("value", args, errors);
    if !rest.is_empty() {
        errors.at(rest, "`#[value(…)]` takes nothing but `crate = path`");
    }
    krate
}

fn value(input: &DeriveInput, mut errors: Errors) -> TokenStream {
    if input.generics.lifetimes().next().is_some() {
        errors.at(&input.generics, "a value holds no references, so it has no lifetimes");
        return errors.into_tokens().unwrap_or_default();
    }
    let made = match &input.data {
        Data::Struct(data) => derive_struct(input, data, &mut errors),
        Data::Enum(data) => derive_enum(input, data, &mut errors),
        Data::Union(data) => {
            errors.at(data.union_token, "a union cannot be a `Value`: nobody knows which of its fields is set");
            TokenStream::new()
        }
    };
    // Also for a type with mistakes, so that its uses are not errors too.
    let errors = errors.into_tokens();
    quote!(#errors #made)
}

/// Whether one of these representations is there.
fn has_repr(attrs: &[Attribute], wanted: &[&str]) -> bool {
    attrs.iter().filter(|attr| attr.path().is_ident("repr")).any(|attr| {
        let mut found = false;
        let _ = attr.parse_nested_meta(|meta| {
            found |= wanted.iter().any(|name| meta.path.is_ident(name));
            // `align(16)` and the like.
            if meta.input.peek(syn::token::Paren) {
                let content;
                syn::parenthesized!(content in meta.input);
                content.parse::<TokenStream>()?;
            }
            Ok(())
        });
        found
    })
}

fn derive_struct(input: &DeriveInput, data: &DataStruct, errors: &mut Errors) -> TokenStream {
    let ident = &input.ident;
    if !has_repr(&input.attrs, &["C", "transparent"]) {
        errors.at(
            ident,
            format!("add `#[repr(C)]` to `{ident}`: Rust may order a struct's fields as it likes, and the device has to find them in the same places"),
        );
    }
    if matches!(data.fields, Fields::Unit) || data.fields.is_empty() {
        errors.at(ident, "a value has at least one field");
        return TokenStream::new();
    }
    let members: Vec<Member> = data
        .fields
        .iter()
        .enumerate()
        .map(|(n, field)| match &field.ident {
            Some(name) => Member::Named(name.clone()),
            None => Member::Unnamed(Index::from(n)),
        })
        .collect();
    let types: Vec<_> = data.fields.iter().map(|field| &field.ty).collect();
    let mut generics = input.generics.clone();
    {
        // Bounds, so that what is missing is one error, where it is missing.
        let predicates = &mut generics.make_where_clause().predicates;
        for ty in &types {
            predicates.push(syn::parse_quote_spanned!(located(ty)=> #ty: ::ikra::Value));
        }
        predicates.push(syn::parse_quote_spanned!(located(ident)=> Self: ::core::marker::Copy));
        if !input.generics.params.is_empty() {
            predicates.push(syn::parse_quote!(Self: ::core::marker::Send + ::core::marker::Sync + 'static));
        }
    }
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let where_clause = quote!(#where_clause);
    let values = types.iter().map(|ty| quote_spanned!(located(ty)=> <#ty as ::ikra::Value>)).collect::<Vec<_>>();
    let placeholder = quote!(Self { #(#members: #values::PLACEHOLDER),* });
    let same = quote!(true #(&& #values::same(&self.#members, &other.#members))*);
    let name = syn::ext::IdentExt::unraw(ident).to_string();
    let meaning = quote!(::ikra::rt::meaning(#name, &[::core::mem::align_of::<Self>() as ::core::primitive::u64, #(#values::MEANING),*]));
    let ty = quote!(#ident #type_generics #where_clause);
    let value = value_impl(quote!(impl #impl_generics), ty, &placeholder, &same, &meaning);
    let flatten = if types.len() <= MAX_PARTS {
        let names = members.iter().map(|member| match member {
            Member::Named(name) => syn::ext::IdentExt::unraw(name).to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        });
        let places: Vec<_> = (0..types.len()).map(|n| format_ident!("part{n}")).collect();
        quote! {
            #[automatically_derived]
            #[allow(trivial_bounds)]
            impl #impl_generics ::ikra::rt::Flatten for #ident #type_generics #where_clause {
                type Parts = (#(#types,)*);
                const PART_NAMES: &'static [&'static str] = &[#(#names),*];
                #[inline(always)]
                fn into_parts(self) -> Self::Parts { (#(self.#members,)*) }
                #[inline(always)]
                fn from_parts((#(#places,)*): Self::Parts) -> Self { Self { #(#members: #places),* } }
            }
        }
    } else {
        TokenStream::new()
    };
    quote!(#value #flatten)
}

fn derive_enum(input: &DeriveInput, data: &DataEnum, errors: &mut Errors) -> TokenStream {
    let ident = &input.ident;
    const INTEGERS: [&str; 8] = ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"];
    if !has_repr(&input.attrs, &INTEGERS) {
        errors.at(
            ident,
            format!("add `#[repr(u8)]` (or `u16`, `u32`, …) to `{ident}`: the device has to know how large it is"),
        );
    }
    if let Some(variant) = data.variants.iter().find(|variant| !variant.fields.is_empty()) {
        errors.at(
            &variant.fields,
            "an enum in a column has no fields: use a struct of a fieldless enum and the data, or a field for each",
        );
        return TokenStream::new();
    }
    let Some(first) = data.variants.first() else {
        errors.at(ident, "an enum without variants has no values");
        return TokenStream::new();
    };
    let first = &first.ident;
    let patterns = data.variants.iter().map(|variant| {
        let variant = &variant.ident;
        quote!((Self::#variant, Self::#variant))
    });
    let same = quote!(::core::matches!((self, other), #(#patterns)|*));
    let is_copy = quote_spanned!(located(ident)=> where Self: ::core::marker::Copy);
    let variants = data.variants.iter().filter(|variant| variant.fields.is_empty()).map(|variant| &variant.ident);
    let numbers = if data.variants.iter().all(|variant| variant.fields.is_empty()) {
        quote!(#(Self::#variants as ::core::primitive::u64),*)
    } else {
        // A mistake, which is already reported.
        TokenStream::new()
    };
    let name = syn::ext::IdentExt::unraw(ident).to_string();
    let size = quote!(::core::mem::size_of::<Self>() as ::core::primitive::u64);
    let meaning = quote!(::ikra::rt::meaning(#name, &[#size, #numbers]));
    value_impl(quote!(impl), quote!(#ident #is_copy), &quote!(Self::#first), &same, &meaning)
}

/// `unsafe impl Value`, for a type that a view shows as it is.
fn value_impl(
    header: TokenStream,
    ty: TokenStream,
    placeholder: &TokenStream,
    same: &TokenStream,
    meaning: &TokenStream,
) -> TokenStream {
    quote! {
        // SAFETY: 1. a fixed representation of values is checked above; 2. values hold no pointers.
        #[automatically_derived]
        #[allow(trivial_bounds)]
        unsafe #header ::ikra::Value for #ty {
            type View<'w, __P: ::ikra::Phase> = Self;
            type Target = ::ikra::rt::NoTarget;
            type Lanes = ::ikra::rt::LaneArray<Self>;
            const PLACEHOLDER: Self = #placeholder;
            const MEANING: ::core::primitive::u64 = #meaning;
            #[inline(always)]
            fn view<'w, __P: ::ikra::Phase>(self, _: ::ikra::rt::Place<'w>) -> Self { self }
            #[inline(always)]
            fn unview<__P: ::ikra::Phase>(view: Self) -> Self { view }
            #[inline(always)]
            fn same(&self, other: &Self) -> bool { #same }
        }
    }
}
