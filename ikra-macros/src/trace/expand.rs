//! The expansion of `#[derive(Trace)]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Expr, Ident, Path, Type};

use super::model::{Becomes, Field, Traced};
use crate::diagnostics::located;

pub(super) fn expand(Traced { ident, becomes }: &Traced) -> TokenStream {
    match becomes {
        Becomes::Object { class, fields, rest } => object(ident, class, fields, rest),
        Becomes::Link { dispatch, variants } => link(ident, dispatch, variants),
        Becomes::Value => value(ident),
    }
}

/// A field and its column, for the functions that write it.
struct Column<'a> {
    field: &'a Field,
    /// The constant with its number.
    number: Ident,
}

fn object(ident: &Ident, class: &Path, fields: &[Field], rest: &[(Ident, Expr)]) -> TokenStream {
    let columns: Vec<_> = fields
        .iter()
        .enumerate()
        .map(|(n, field)| Column { field, number: format_ident!("FIELD_{n}", span = located(&field.column)) })
        .collect();
    let numbers = columns.iter().map(|Column { field, number }| {
        let name = field.column.unraw().to_string();
        quote_spanned!(located(&field.column)=> const #number: ::core::primitive::usize = ::ikra::trace::rt::field_named::<#class>(#name);)
    });
    let values = fields.iter().map(|Field { ident, ty, column, with }| {
        let name = column.unraw().to_string();
        match with {
            Some(module) => quote_spanned!(located(module)=> #column: #module::trace(&self.#ident)),
            None => {
                let value = quote_spanned!(located(ty)=> __tracer.field::<_, #ty>(#name, &self.#ident)?);
                quote!(#column: #value)
            }
        }
    });
    let (others, other_values): (Vec<_>, Vec<_>) = rest.iter().map(|(name, value)| (name, value)).unzip();
    let added = columns.iter().map(|Column { field: Field { ty, with, .. }, number }| {
        let column = quote!(::ikra::trace::rt::Column::<#class, #number>::NEW);
        match with {
            Some(module) => quote_spanned!(located(module)=> __columns.add_converted(#column);),
            None => quote_spanned!(located(ty)=> __columns.add::<#ty, #number>(#column);),
        }
    });
    let write = |is_shared: bool| {
        let written = columns.iter().map(move |Column { field: Field { ident, ty, with, .. }, number }| {
            let at = located(ty);
            let column = quote!(::ikra::trace::rt::Column::<#class, #number>::NEW);
            match (with, is_shared) {
                (Some(_), true) => quote_spanned!(at=> __back.refuse((__link, __mask), #column)?;),
                (Some(module), false) => quote_spanned! {located(module)=>
                    if let ::core::option::Option::Some(value) = __back.changed((__link, __mask), #column)? {
                        #module::write_back(&mut self.#ident, value);
                    }
                },
                (None, true) => quote_spanned! {at=>
                    __back.shared::<#class, #ty, #number>((__link, __mask), #column, &self.#ident)?;
                },
                (None, false) => quote_spanned! {at=>
                    __back.exclusive::<#class, #ty, #number>((__link, __mask), #column, &mut self.#ident)?;
                },
            }
        });
        quote!(#(#written)*)
    };
    let (shared, exclusive) = (write(true), write(false));
    let arguments = quote! {
        __link: ::ikra::trace::rt::Link<#class>,
        __mask: ::core::primitive::u64,
        __back: &mut ::ikra::trace::rt::Back<'__o, '_>,
    };
    quote! {
        const _: () = {
            #(#numbers)*
            #[automatically_derived]
            #[allow(unused_variables)]
            impl ::ikra::trace::Trace for #ident {
                type Class = #class;
                fn row<'__o>(
                    &'__o self,
                    __tracer: &mut ::ikra::trace::rt::Tracer<'__o, '_>,
                ) -> ::core::result::Result<#class, ::ikra::trace::rt::At> {
                    ::core::result::Result::Ok(#class { #(#values,)* #(#others: #other_values,)* })
                }
                fn write<'__o>(&'__o self, #arguments) -> ::core::result::Result<(), ::ikra::trace::rt::At> {
                    #shared
                    ::core::result::Result::Ok(())
                }
                fn write_mut<'__o>(&'__o mut self, #arguments) -> ::core::result::Result<(), ::ikra::trace::rt::At> {
                    #exclusive
                    ::core::result::Result::Ok(())
                }
                fn columns(__columns: &mut ::ikra::trace::rt::Columns<#class>) {
                    #(#added)*
                }
            }
        };
    }
}

fn link(ident: &Ident, dispatch: &Path, variants: &[(Ident, Type)]) -> TokenStream {
    let (names, types): (Vec<_>, Vec<_>) = variants.iter().map(|(name, ty)| (name, ty)).unzip();
    let classes: Vec<_> =
        types.iter().map(|ty| quote_spanned!(located(ty)=> <#ty as ::ikra::trace::Pointer>::Class)).collect();
    let links: Vec<_> = classes.iter().map(|class| quote!(::ikra::trace::rt::Link<#class>)).collect();
    let refers: Vec<_> = types
        .iter()
        .zip(&links)
        .map(|(ty, link)| quote_spanned!(located(ty)=> <#ty as ::ikra::trace::Refers<#link>>))
        .collect();
    let any = quote!(::ikra::trace::rt::AnyLink<#dispatch>);
    let problem = quote!(::ikra::trace::Problem);
    let tracer = quote!(::ikra::trace::rt::Tracer<'__o, '_>);
    let owned = |function: Ident| {
        quote! {
            match self {
                #(Self::#names(object) => {
                    if let ::core::result::Result::Ok(link) = <#links as ::core::convert::TryFrom<#any>>::try_from(*link) {
                        #refers::#function(object, &link, back);
                    }
                })*
            }
        }
    };
    let (shared, exclusive) = (owned(format_ident!("owned")), owned(format_ident!("owned_mut")));
    quote! {
        #[automatically_derived]
        impl ::ikra::trace::Refers<#any> for #ident {
            const OWNS: ::core::primitive::bool = false #(|| #refers::OWNS)*;
            fn refer<'__o>(&'__o self, tracer: &mut #tracer) -> ::core::result::Result<#any, #problem> {
                match self {
                    #(Self::#names(object) => ::ikra::trace::rt::any_link(#refers::refer(object, tracer)?),)*
                }
            }
            fn refer_if_alive<'__o>(
                &'__o self,
                tracer: &mut #tracer,
            ) -> ::core::result::Result<::core::option::Option<#any>, #problem> {
                match self {
                    #(Self::#names(object) => {
                        #refers::refer_if_alive(object, tracer)?.map(::ikra::trace::rt::any_link).transpose()
                    })*
                }
            }
            fn again(
                link: #any,
                context: &::ikra::trace::rt::Context<'_>,
            ) -> ::core::result::Result<Self, #problem> {
                #(
                    if let ::core::result::Result::Ok(link) = <#links as ::core::convert::TryFrom<#any>>::try_from(link) {
                        if let ::core::result::Result::Ok(object) = #refers::again(link, context) {
                            return ::core::result::Result::Ok(Self::#names(object));
                        }
                    }
                )*
                ::core::result::Result::Err(#problem::OtherType)
            }
            fn owned<'__o>(&'__o self, link: &#any, back: &mut ::ikra::trace::rt::Back<'__o, '_>) { #shared }
            fn owned_mut<'__o>(&'__o mut self, link: &#any, back: &mut ::ikra::trace::rt::Back<'__o, '_>) { #exclusive }
        }
        #[automatically_derived]
        impl ::ikra::trace::Roots for #ident
        where
            #(for<'__r> #types: ::ikra::trace::Roots,)*
        {
            fn enter(&self, tracer: &mut ::ikra::trace::rt::Tracer<'_, '_>) -> ::core::result::Result<(), #problem> {
                match self {
                    #(Self::#names(object) => ::ikra::trace::Roots::enter(object, tracer),)*
                }
            }
        }
    }
}

fn value(ident: &Ident) -> TokenStream {
    quote! {
        #[automatically_derived]
        impl ::ikra::trace::TraceField<#ident> for #ident {
            fn traced<'__o>(
                &'__o self,
                _: &mut ::ikra::trace::rt::Tracer<'__o, '_>,
            ) -> ::core::result::Result<#ident, ::ikra::trace::Problem> {
                ::core::result::Result::Ok(::ikra::trace::rt::copied(self))
            }
            fn make(
                value: #ident,
                _: &::ikra::trace::rt::Context<'_>,
            ) -> ::core::result::Result<Self, ::ikra::trace::Problem> {
                ::core::result::Result::Ok(value)
            }
        }
    }
}
