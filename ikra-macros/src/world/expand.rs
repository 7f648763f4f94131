//! The expansion of `#[soa_world]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Fields, Ident, ItemStruct, Meta, Path, Token};

use super::model::Member;
use crate::device_code;
use crate::diagnostics::located;

/// The struct with its hidden state, and the implementations for it.
pub(super) fn expand(mut world: ItemStruct, members: &[Member], codes: &[Expr]) -> TokenStream {
    let ident = world.ident.clone();
    let vis = world.vis.clone();
    let skip = skipped_by_serde(&world.attrs);
    if let Fields::Named(fields) = &mut world.fields {
        let state: syn::FieldsNamed = syn::parse_quote!({
            #[doc(hidden)]
            #skip
            made_by_new: ::ikra::rt::WorldState<#ident>
        });
        fields.named.extend(state.named);
    }
    let idents: Vec<_> = members.iter().map(|member| &member.ident).collect();
    let classes: Vec<_> = members.iter().map(|member| &member.class).collect();
    let list = classes.iter().rfold(quote!(()), |others, class| quote!((#class, #others)));
    let count = members.len();
    let ids = quote!(&[#(<#classes as ::ikra::ClassInfo>::ID),*]);
    let all_ids = &ids;
    let ids = vec![&ids; count];
    let name = ident.unraw().to_string();
    let own_code = device_code::own();
    let holds = members.iter().map(|Member { ident: member, class }| {
        quote_spanned! {located(class)=>
            // SAFETY: the same member.
            #[automatically_derived]
            unsafe impl ::ikra::Holds<#class> for #ident {
                #[inline]
                fn objects(&self) -> &::ikra::Objects<#class> { &self.#member }
                #[inline]
                fn objects_mut(&mut self) -> &mut ::ikra::Objects<#class> { &mut self.#member }
            }
        }
    });
    let clone = (!derives_clone(&world)).then(|| {
        quote! {
            #[automatically_derived]
            impl ::core::clone::Clone for #ident {
                fn clone(&self) -> Self {
                    Self {
                        #(#idents: <::ikra::Objects<#classes> as ::core::clone::Clone>::clone(&self.#idents),)*
                        made_by_new: ::ikra::rt::WorldState::new(),
                    }
                }
            }
        }
    });
    let other = (count == 1).then(|| holds_another(&ident));
    quote! {
        #world

        // On the device kernels find each other's objects without it.
        ::ikra::rt::host_only! {
        #[automatically_derived]
        impl #ident {
            /// A world without objects.
            #[must_use]
            #vis fn new() -> Self {
                Self {
                    #(#idents: ::ikra::Objects::new(),)*
                    made_by_new: ::ikra::rt::WorldState::new(),
                }
            }
        }

        #[automatically_derived]
        impl ::core::default::Default for #ident {
            fn default() -> Self { Self::new() }
        }

        #clone

        // SAFETY: all members, in the order of `CLASSES`.
        #[automatically_derived]
        unsafe impl ::ikra::World for #ident {
            const CLASSES: &'static [::ikra::rt::ClassId] = #all_ids;
            type Classes = #list;
            const DEVICE_CODE: &'static [::ikra::DeviceCode] = &[#own_code #(, #codes)*];
            #[inline]
            fn members(&self) -> impl ::core::convert::AsRef<[&dyn ::ikra::rt::AnyObjects]> {
                let members: [&dyn ::ikra::rt::AnyObjects; #count] = [#(&self.#idents),*];
                members
            }
            #[inline]
            fn members_mut(&mut self) -> impl ::core::convert::AsMut<[&mut dyn ::ikra::rt::AnyObjects]> {
                let members: [&mut dyn ::ikra::rt::AnyObjects; #count] = [#(&mut self.#idents),*];
                members
            }
            #[inline]
            fn state(&self) -> &::ikra::rt::WorldState<Self> { &self.made_by_new }
            fn state_mut(&mut self) -> &mut ::ikra::rt::WorldState<Self> { &mut self.made_by_new }
            fn new() -> Self { Self::new() }
            fn open(
                world: &mut Self,
                place: ::ikra::Place,
            ) -> ::core::result::Result<::std::boxed::Box<dyn ::ikra::rt::Executor<Self>>, ::ikra::Error> {
                ::ikra::rt::open(world, place)
            }
        }

        #(#holds)*
        #other

        #(const _: () = ::ikra::rt::assert_closed::<#classes>(#name, #ids);)*
        }
    }
}

/// Whether a `derive` after the attribute implements `Clone`; the macro then does not.
fn derives_clone(world: &ItemStruct) -> bool {
    world.attrs.iter().any(|attribute| derives(&attribute.meta, &["Clone"]))
}

/// Whether an attribute derives one of these traits.
fn derives(attribute: &Meta, names: &[&str]) -> bool {
    let named = |path: &Path| path.segments.last().is_some_and(|last| names.iter().any(|name| last.ident == name));
    attribute.path().is_ident("derive") && arguments(attribute).iter().any(|argument| named(argument.path()))
}

/// The arguments of an attribute. The compiler reports malformed ones.
fn arguments(attribute: &Meta) -> Vec<Meta> {
    let Meta::List(list) = attribute else { return Vec::new() };
    let arguments = Punctuated::<Meta, Token![,]>::parse_terminated.parse2(list.tokens.clone());
    arguments.map_or(Vec::new(), Vec::from_iter)
}

/// An attribute that hides the hidden field from serde. It is needed if a `derive` after the attribute, perhaps inside
/// a `cfg_attr`, implements `Serialize` or `Deserialize`.
fn skipped_by_serde(attributes: &[Attribute]) -> Option<TokenStream> {
    let serde = |meta: &Meta| derives(meta, &["Serialize", "Deserialize"]);
    let mut conditions = Vec::new();
    for attribute in attributes {
        if serde(&attribute.meta) {
            return Some(quote!(#[serde(skip)]));
        }
        if attribute.path().is_ident("cfg_attr") {
            let mut arguments = arguments(&attribute.meta).into_iter();
            let condition = arguments.next();
            if arguments.any(|argument| serde(&argument)) {
                conditions.extend(condition);
            }
        }
    }
    (!conditions.is_empty()).then(|| quote!(#[cfg_attr(any(#(#conditions),*), serde(skip))]))
}

/// A second `Holds` implementation for a world of one class. It prevents type inference from assuming the only class,
/// so the compiler names the class that the world does not hold.
fn holds_another(world: &Ident) -> TokenStream {
    quote! {
        // SAFETY: neither method returns.
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        unsafe impl ::ikra::Holds<::ikra::rt::Absent> for #world {
            fn objects(&self) -> &::ikra::Objects<::ikra::rt::Absent> { ::core::unreachable!() }
            fn objects_mut(&mut self) -> &mut ::ikra::Objects<::ikra::rt::Absent> { ::core::unreachable!() }
        }
    }
}
