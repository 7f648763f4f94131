//! The expansion of `#[derive(Value)]`.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Ident, Member, Type, WherePredicate, parse_quote_spanned};

use super::model::{Content, Value};
use crate::class::{StorageKind, is_number};
use crate::diagnostics::located;
use crate::stored::is_stored;

/// The maximum number of components for `#[soa(flatten)]`; equals `MAX_PARTS` of the runtime.
const MAX_PARTS: usize = 16;

/// The implementations for a type, and its mistakes.
pub(super) fn expand(value: &Value, mistakes: Option<TokenStream>) -> TokenStream {
    let made = match &value.content {
        Content::Fields(fields) => of_struct(value, fields),
        Content::Variants(first, variants) => of_enum(value, first, variants),
        Content::Mistaken => stand_in(value),
    };
    let checked = checked(value, mistakes);
    quote!(#made #checked)
}

/// Checks facts that only the compiler knows, and reports each mistake once. The check is a constant on which the
/// type's storage depends.
fn checked(value: &Value, mistakes: Option<TokenStream>) -> TokenStream {
    let (ident, at) = (&value.ident, located(&value.ident));
    // For generic types, trait bounds check this.
    if !value.generics.params.is_empty() {
        return quote!(#mistakes);
    }
    let asked = match &value.content {
        Content::Fields(fields) => fields.iter().filter(|(_, ty)| !is_number(ty)).map(|(_, ty)| ty).collect(),
        _ => Vec::new(),
    };
    let asked = asked.into_iter().map(|ty| {
        let storage = quote_spanned!(located(ty)=> ::ikra::rt::Plain<#ty>);
        is_stored(ty, StorageKind::Plain, &storage)
    });
    let is_mistaken = matches!(value.content, Content::Mistaken);
    let mistakes_here = (!is_mistaken).then_some(&mistakes);
    let no_copy = match is_mistaken {
        false => {
            let message = format!("values are copied, and `{ident}` cannot be: write `#[derive(Clone, Copy, Value)]`");
            quote_spanned!(ident.span()=> ::core::panic!(#message))
        }
        // The function reports the error. If the type is `Copy`, a stand-in implements `Value`, so that its uses count
        // as uses of a value.
        true => quote! {{
            const fn mistake() -> ::core::primitive::usize {
                #mistakes
                1
            }
            mistake();
        }},
    };
    quote_spanned! {at=>
        #[automatically_derived]
        impl #ident {
            #[doc(hidden)]
            #[allow(dead_code)]
            pub const __IS_VALUE: [(); {
                #mistakes_here
                #(let _: ::core::primitive::usize = { #asked };)*
                #[allow(unused_imports)]
                use ::ikra::rt::No as _;
                if !<::ikra::rt::Probe<#ident>>::IS_COPY { #no_copy }
                1
            }] = [()];
        }
    }
}

/// A bound on a type. For a type without parameters, a false bound is not an error here: [`checked`] reports it.
fn bound(value: &Value, ty: &TokenStream, bounds: TokenStream, at: Span) -> WherePredicate {
    if value.generics.params.is_empty() {
        parse_quote_spanned!(at=> for<'__v> #ty: #bounds)
    } else {
        parse_quote_spanned!(at=> #ty: #bounds)
    }
}

fn of_struct(value: &Value, fields: &[(Member, Type)]) -> TokenStream {
    let ident = &value.ident;
    let (members, types): (Vec<_>, Vec<_>) = fields.iter().map(|(member, ty)| (member, ty)).unzip();
    let mut generics = value.generics.clone();
    {
        let predicates = &mut generics.make_where_clause().predicates;
        for ty in &types {
            predicates.push(bound(value, &quote!(#ty), quote!(::ikra::Value), located(ty)));
        }
        predicates.push(bound(value, &quote!(Self), quote!(::core::marker::Copy), located(ident)));
        if !value.generics.params.is_empty() {
            predicates.push(syn::parse_quote!(Self: ::core::marker::Send + ::core::marker::Sync + 'static));
        }
    }
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let where_clause = quote!(#where_clause);
    let values = types.iter().map(|ty| quote_spanned!(located(ty)=> <#ty as ::ikra::Value>)).collect::<Vec<_>>();
    let placeholder = quote!(Self { #(#members: #values::PLACEHOLDER),* });
    let same = quote!(true #(&& #values::same(&self.#members, &other.#members))*);
    let name = ident.unraw().to_string();
    let meaning = quote!(::ikra::rt::meaning(#name, &[::core::mem::align_of::<Self>() as ::core::primitive::u64, #(#values::MEANING),*]));
    let ty = quote!(#ident #type_generics #where_clause);
    let links = Links {
        constants: quote! {
            const LINKS_TO: &'static [::ikra::rt::ClassId] =
                (&const { ::ikra::rt::Joined::of(&[#(#values::LINKS_TO),*]) }).classes();
            const SHOWS_NUMBERS: ::core::primitive::bool = !<Self as ::ikra::Value>::LINKS_TO.is_empty();
            const EMPTIES: ::core::primitive::bool = true #(&& #values::EMPTIES)*;
            // Views show any value for a field that nobody is to look at: nothing is said of its links.
            #[inline(always)]
            unsafe fn view_of_some<'w, __P: ::ikra::Phase>(_: ::ikra::rt::Targets<'w>) -> Self {
                <Self as ::ikra::Value>::PLACEHOLDER
            }
            #[inline(always)]
            fn bad_link(&self, targets: ::ikra::rt::Targets<'_>) -> ::core::option::Option<::ikra::rt::BadLink> {
                let bad = ::core::option::Option::None;
                #(
                    let bad = if const { #values::LINKS_TO.is_empty() } || bad.is_some() {
                        bad
                    } else {
                        #values::bad_link(&self.#members, targets)
                    };
                    let targets = targets.after(#values::LINKS_TO.len());
                )*
                let _ = targets;
                bad
            }
            #[inline]
            fn remapped(mut self, moves: ::ikra::rt::Moves<'_>) -> ::core::option::Option<Self> {
                #(
                    if const { !#values::LINKS_TO.is_empty() } {
                        self.#members = #values::remapped(self.#members, moves)?;
                    }
                )*
                let _ = moves;
                ::core::option::Option::Some(self)
            }
            #[inline(always)]
            unsafe fn assume_good(&self, targets: ::ikra::rt::Targets<'_>) {
                #(
                    if const { !#values::LINKS_TO.is_empty() } {
                        // SAFETY: the contract is the same for each field.
                        unsafe { #values::assume_good(&self.#members, targets) };
                    }
                    let targets = targets.after(#values::LINKS_TO.len());
                )*
                let _ = targets;
            }
        },
        seen: quote! {
            if const { <Self as ::ikra::Value>::SHOWS_NUMBERS } {
                // SAFETY: by the caller.
                unsafe { ::ikra::rt::assume_good::<__P, Self>(&self, targets) };
            }
        },
    };
    let made = value_impl(quote!(impl #impl_generics), ty, &placeholder, &same, &meaning, &links);
    let flatten = (types.len() <= MAX_PARTS).then(|| {
        let names = members.iter().map(|member| match member {
            Member::Named(name) => name.unraw().to_string(),
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
    });
    quote!(#made #flatten)
}

fn of_enum(value: &Value, first: &Ident, variants: &[Ident]) -> TokenStream {
    let ident = &value.ident;
    let patterns = variants.iter().map(|variant| quote!((Self::#variant, Self::#variant)));
    let same = quote!(::core::matches!((self, other), #(#patterns)|*));
    let is_copy = bound(value, &quote!(Self), quote!(::core::marker::Copy), located(ident));
    let name = ident.unraw().to_string();
    let size = quote!(::core::mem::size_of::<Self>() as ::core::primitive::u64);
    let meaning = quote!(::ikra::rt::meaning(#name, &[#size, #(Self::#variants as ::core::primitive::u64),*]));
    value_impl(quote!(impl), quote!(#ident where #is_copy), &quote!(Self::#first), &same, &meaning, &Links::none())
}

/// A stand-in for a type with mistakes, so that its uses are not errors too. It never runs.
fn stand_in(value: &Value) -> TokenStream {
    let ident = &value.ident;
    let mut generics = value.generics.clone();
    let bounds = quote!(::core::marker::Copy + ::core::marker::Send + ::core::marker::Sync + 'static);
    let bound = bound(value, &quote!(Self), bounds, Span::call_site());
    generics.make_where_clause().predicates.push(bound);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let ty = quote!(#ident #type_generics #where_clause);
    let never = quote!(::core::unimplemented!());
    value_impl(quote!(impl #impl_generics), ty, &never, &never, &quote!(0), &Links::none())
}

/// The code for links inside a type.
struct Links {
    /// Items of the `Value` implementation.
    constants: TokenStream,
    /// Code that processes `self` and `targets` before a view shows the value.
    seen: TokenStream,
}

impl Links {
    fn none() -> Self {
        Self { constants: TokenStream::new(), seen: quote!(let _ = targets;) }
    }
}

/// `unsafe impl Value`, for a type that views show unchanged.
fn value_impl(
    header: TokenStream,
    ty: TokenStream,
    placeholder: &TokenStream,
    same: &TokenStream,
    meaning: &TokenStream,
    Links { constants, seen }: &Links,
) -> TokenStream {
    quote! {
        // SAFETY: 1. a fixed representation of values is checked above; 2. values hold no pointers; 3. a view is the value, without
        // refs; 4. where there are links, the type says so.
        #[automatically_derived]
        #[allow(trivial_bounds)]
        unsafe #header ::ikra::Value for #ty {
            type View<'w, __P: ::ikra::Phase> = Self;
            type Lanes = ::ikra::rt::LaneArray<Self>;
            const PLACEHOLDER: Self = #placeholder;
            const MEANING: ::core::primitive::u64 = #meaning;
            #constants
            #[inline(always)]
            unsafe fn view<'w, __P: ::ikra::Phase>(self, targets: ::ikra::rt::Targets<'w>) -> Self {
                #seen
                self
            }
            #[inline(always)]
            fn unview<__P: ::ikra::Phase>(view: Self) -> Self { view }
            #[inline(always)]
            fn same(&self, other: &Self) -> bool { #same }
        }
    }
}
