//! `#[soa_world]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Attribute, Fields, GenericArgument, Ident, ItemStruct, Meta, Path, PathArguments, Token, Type};

use crate::class::{forgotten, ungrouped};
use crate::diagnostics::{Errors, located, silent};
use crate::krate::Krate;

/// One `Objects<Class>` of the world.
struct Member {
    ident: Ident,
    class: Type,
}

/// The attribute.
pub(crate) fn soa_world(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let (krate, args) = Krate::take("soa_world", args, &mut errors);
    if !args.is_empty() {
        errors.at(&args, "`#[soa_world]` takes no arguments but `crate = path`");
    }
    krate.reach(world(krate.protect(item), errors))
}

fn world(item: TokenStream, mut errors: Errors) -> TokenStream {
    let Ok(world) = syn::parse2::<ItemStruct>(item.clone()) else {
        errors.at(&item, "`#[soa_world]` belongs on a struct with fields of type `Objects<Class>`");
        let errors = errors.into_tokens();
        return quote!(#item #errors);
    };
    let members = members(&world, &mut errors);
    match errors.into_tokens() {
        None => {
            let forgotten = members.iter().filter_map(|member| match &member.class {
                Type::Path(path) => forgotten(&path.path, "soa_world"),
                _ => None,
            });
            let forgotten: TokenStream = forgotten.collect();
            let made = expand(world, &members);
            quote!(#forgotten #made)
        }
        errors => {
            let generics = world.generics.clone();
            let mut world = world;
            for parameter in world.generics.type_params_mut() {
                // Said above: the compiler need not ask for it.
                parameter.bounds.push(syn::parse_quote!(::ikra::Class));
            }
            silent(&world.ident, &world.vis, &generics, &world, errors)
        }
    }
}

fn members(world: &ItemStruct, errors: &mut Errors) -> Vec<Member> {
    if !world.generics.params.is_empty() {
        errors.at(&world.generics, "a world cannot be generic: it owns the objects of a closed set of classes");
    }
    let Fields::Named(fields) = &world.fields else {
        errors.at(&world.ident, "`#[soa_world]` belongs on a struct with named fields of type `Objects<Class>`");
        return Vec::new();
    };
    let mut members: Vec<Member> = Vec::new();
    for field in &fields.named {
        let Some(ident) = field.ident.clone() else { continue };
        let Some(class) = objects_class(&field.ty) else {
            errors.at(
                &field.ty,
                "a world's fields are of type `Objects<Class>`; keep other data beside the world, and pass it to kernels as arguments",
            );
            continue;
        };
        if members
            .iter()
            .any(|member| quote::ToTokens::to_token_stream(&member.class).to_string() == quote!(#class).to_string())
        {
            errors
                .at(&field.ty, "a world holds the objects of a class once: a link says which object, not which field");
            continue;
        }
        members.push(Member { ident, class });
    }
    if fields.named.is_empty() {
        errors.at(&world.ident, "a world has at least one field of type `Objects<Class>`");
    }
    members
}

/// The class of `Objects<Class>`.
fn objects_class(ty: &Type) -> Option<Type> {
    let Type::Path(path) = ungrouped(ty) else { return None };
    let last = path.path.segments.last()?;
    if last.ident.unraw() != "Objects" {
        return None;
    }
    let PathArguments::AngleBracketed(args) = &last.arguments else { return None };
    match args.args.first()? {
        GenericArgument::Type(class) if args.args.len() == 1 => Some(class.clone()),
        _ => None,
    }
}

fn expand(mut world: ItemStruct, members: &[Member]) -> TokenStream {
    let ident = world.ident.clone();
    let vis = world.vis.clone();
    let skip = skipped_by_serde(&world.attrs);
    if let Fields::Named(fields) = &mut world.fields {
        let state: syn::FieldsNamed = syn::parse_quote!({
            #[doc(hidden)]
            #skip
            __ikra: ::ikra::rt::WorldState<#ident>
        });
        fields.named.extend(state.named);
    }
    let idents: Vec<_> = members.iter().map(|member| &member.ident).collect();
    let classes: Vec<_> = members.iter().map(|member| &member.class).collect();
    let count = members.len();
    let ids = quote!(&[#(<#classes as ::ikra::Class>::ID),*]);
    let all_ids = &ids;
    let ids = vec![&ids; count];
    let name = ident.unraw().to_string();
    let device_code = device_code();
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
                        __ikra: ::ikra::rt::WorldState::new(),
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
                    __ikra: ::ikra::rt::WorldState::new(),
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
            fn state(&self) -> &::ikra::rt::WorldState<Self> { &self.__ikra }
            fn state_mut(&mut self) -> &mut ::ikra::rt::WorldState<Self> { &mut self.__ikra }
            fn new() -> Self { Self::new() }
            fn device_code() -> ::core::option::Option<&'static str> { #device_code }
            fn open(
                world: &mut Self,
                place: ::ikra::Place,
            ) -> ::core::result::Result<::std::boxed::Box<dyn ::ikra::rt::Executor<Self>>, ::ikra::Error> {
                ::ikra::rt::open(world, place)
            }
            fn layout(&self) -> ::ikra::WorldLayout {
                ::ikra::WorldLayout::new(#name, [#(::ikra::Objects::layout(&self.#idents)),*])
            }
        }

        #(#holds)*
        #other

        #(const _: () = ::ikra::rt::assert_closed::<#classes>(#name, #ids);)*
        }
    }
}

/// Whether a `derive` that comes after the attribute makes `Clone`, which then is not made here.
fn derives_clone(world: &ItemStruct) -> bool {
    world.attrs.iter().any(|attribute| derives(&attribute.meta, &["Clone"]))
}

/// Whether an attribute is a `derive` of one of these.
fn derives(attribute: &Meta, names: &[&str]) -> bool {
    let named = |path: &Path| path.segments.last().is_some_and(|last| names.iter().any(|name| last.ident == name));
    attribute.path().is_ident("derive") && arguments(attribute).iter().any(|argument| named(argument.path()))
}

/// The arguments of an attribute. What is no list of them is the compiler's to report.
fn arguments(attribute: &Meta) -> Vec<Meta> {
    let Meta::List(list) = attribute else { return Vec::new() };
    let arguments = Punctuated::<Meta, Token![,]>::parse_terminated.parse2(list.tokens.clone());
    arguments.map_or(Vec::new(), Vec::from_iter)
}

/// What keeps the hidden field out of what serde writes and reads, where a `derive` after the attribute makes
/// `Serialize` or `Deserialize`, perhaps under a `cfg_attr`.
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

/// For a world of one class, so that it is not taken for the world of whatever is asked of it: the compiler
/// then says which class it has no objects of.
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

/// What `ikra-build` compiled for the device in the build script of the crate that the world is in.
fn device_code() -> TokenStream {
    if std::env::var_os("IKRA_DEVICE_CODE").is_some() {
        quote!(::core::option::Option::Some(::core::include_str!(::core::env!("IKRA_DEVICE_CODE"))))
    } else {
        quote!(::core::option::Option::None)
    }
}
