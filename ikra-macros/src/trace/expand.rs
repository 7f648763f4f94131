//! The expansion of `#[derive(Trace)]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Expr, Ident, Path, Type};

use super::model::{Becomes, Field, Traced};
use crate::diagnostics::{located, unless_error};

pub(super) fn expand(Traced { ident, becomes }: &Traced) -> TokenStream {
    match becomes {
        Becomes::Object { class, fields, rest } => object(ident, class, fields, rest),
        Becomes::Link { dispatch, variants } => link(ident, dispatch, variants),
        Becomes::Value => value(ident),
    }
}

/// A field, and the constant with its code or, if a module converts it, its column.
struct Column<'a> {
    field: &'a Field,
    name: Ident,
}

impl Column<'_> {
    /// The constant.
    fn definition(&self) -> TokenStream {
        let Self { field: Field { ty, column, with, .. }, name } = self;
        let text = column.unraw().to_string();
        let number = quote!({ ::ikra::trace::rt::field_named::<__Class>(#text) });
        match with {
            Some(_) => quote! {
                const #name: ::ikra::trace::rt::Column<__Class, #number> = ::ikra::trace::rt::Column::NEW;
            },
            // The type's own span, so that the compiler does not show it as part of an expansion.
            None => quote_spanned! {ty.span()=>
                const #name: ::ikra::trace::rt::FieldCode<__Class, #ty, #number> = ::ikra::trace::rt::FieldCode::find();
            },
        }
    }

    /// The value in the row.
    fn value(&self) -> TokenStream {
        let Self { field: Field { ident, column, with, .. }, name } = self;
        match with {
            Some(module) => quote_spanned!(located(module)=> #column: #module::trace(&self.#ident)),
            None => quote!(#column: #name.row(&self.#ident, __tracer)?),
        }
    }

    /// Writes the field of an object that is shared.
    fn shared(&self) -> TokenStream {
        let Self { field: Field { ident, with, .. }, name } = self;
        match with {
            Some(_) => quote!(__back.refuse((__link, __mask), #name)?;),
            None => quote!(#name.shared(&self.#ident, (__link, __mask), __back)?;),
        }
    }

    /// Writes the field of an object that is not shared.
    fn exclusive(&self) -> TokenStream {
        let Self { field: Field { ident, with, .. }, name } = self;
        match with {
            Some(module) => quote_spanned! {located(module)=>
                if let ::core::option::Option::Some(value) = __back.changed((__link, __mask), #name)? {
                    #module::write_back(&mut self.#ident, value);
                }
            },
            None => quote!(#name.exclusive(&mut self.#ident, (__link, __mask), __back)?;),
        }
    }

    /// Adds the field to those of the class.
    fn add(&self) -> TokenStream {
        let name = &self.name;
        match self.field.with {
            Some(_) => quote!(__columns.add(#name, false);),
            None => quote!(#name.add(__columns);),
        }
    }
}

/// The class, or an error if it is none.
fn class_type(class: &Path) -> TokenStream {
    let shown = quote!(#class).to_string().replace(' ', "");
    let message = format!("`{shown}` is not a class: `class = …` names a struct under `#[soa_class]`");
    let panic = quote_spanned!(class.span()=> ::core::panic!(#message));
    let number = quote! {
        #[allow(unused_imports)]
        use ::ikra::rt::No as _;
        if !<::ikra::rt::Probe<#class>>::IS_CLASS { #panic }
        1
    };
    unless_error(class, number, located(class))
}

fn object(ident: &Ident, class: &Path, fields: &[Field], rest: &[(Ident, Expr)]) -> TokenStream {
    let columns = fields.iter().enumerate().map(|(n, field)| Column { field, name: format_ident!("FIELD_{n}") });
    let columns: Vec<_> = columns.collect();
    let definitions = columns.iter().map(Column::definition);
    let values = columns.iter().map(Column::value);
    let shared = columns.iter().map(Column::shared);
    let exclusive = columns.iter().map(Column::exclusive);
    let added = columns.iter().map(Column::add);
    let (others, other_values): (Vec<_>, Vec<_>) = rest.iter().map(|(name, value)| (name, value)).unzip();
    let class_type = class_type(class);
    let result = |ty: TokenStream| quote!(::core::result::Result<#ty, ::ikra::trace::rt::At>);
    let (row, done) = (result(quote!(__Class)), result(quote!(())));
    let arguments = quote! {
        __link: ::ikra::trace::rt::Link<__Class>,
        __mask: ::core::primitive::u64,
        __back: &mut ::ikra::trace::rt::Back<'__o, '_>,
    };
    quote! {
        const _: () = {
            type __Class = #class_type;
            #(#definitions)*
            #[automatically_derived]
            #[allow(unused_variables)]
            impl ::ikra::trace::Trace for #ident {
                type Class = __Class;
                fn row<'__o>(&'__o self, __tracer: &mut ::ikra::trace::rt::Tracer<'__o, '_>) -> #row {
                    ::core::result::Result::Ok(#class { #(#values,)* #(#others: #other_values,)* })
                }
                fn write<'__o>(&'__o self, #arguments) -> #done {
                    #(#shared)*
                    ::core::result::Result::Ok(())
                }
                fn write_mut<'__o>(&'__o mut self, #arguments) -> #done {
                    #(#exclusive)*
                    ::core::result::Result::Ok(())
                }
                fn columns(__columns: &mut ::ikra::trace::rt::Columns<__Class>) {
                    #(#added)*
                }
            }
        };
    }
}

fn link(ident: &Ident, dispatch: &Path, variants: &[(Ident, Type)]) -> TokenStream {
    let (names, types): (Vec<_>, Vec<_>) = variants.iter().map(|(name, ty)| (name, ty)).unzip();
    let codes: Vec<_> = (0..names.len()).map(|n| format_ident!("VARIANT_{n}")).collect();
    let definitions = types.iter().zip(&codes).map(|(ty, code)| {
        quote_spanned! {ty.span()=>
            const #code: ::ikra::trace::rt::VariantCode<#dispatch, #ty> = ::ikra::trace::rt::VariantCode::find();
        }
    });
    let any = quote!(::ikra::trace::rt::AnyLink<#dispatch>);
    let result = |ty: TokenStream| quote!(::core::result::Result<#ty, ::ikra::trace::Problem>);
    let (one, maybe) = (result(any.clone()), result(quote!(::core::option::Option<#any>)));
    let (made, done) = (result(quote!(Self)), result(quote!(())));
    let tracer = quote!(tracer: &mut ::ikra::trace::rt::Tracer<'__o, '_>);
    let back = quote!(link: &#any, back: &mut ::ikra::trace::rt::Back<'__o, '_>);
    quote! {
        const _: () = {
            #(#definitions)*
            #[automatically_derived]
            impl ::ikra::trace::Refers<#any> for #ident {
                const OWNS: ::core::primitive::bool = false #(|| #codes.owns)*;
                fn refer<'__o>(&'__o self, #tracer) -> #one {
                    match self { #(Self::#names(pointer) => #codes.refer(pointer, tracer),)* }
                }
                fn refer_if_alive<'__o>(&'__o self, #tracer) -> #maybe {
                    match self { #(Self::#names(pointer) => #codes.refer_if_alive(pointer, tracer),)* }
                }
                fn again(link: #any, context: &::ikra::trace::rt::Context<'_>) -> #made {
                    #(
                        if let ::core::result::Result::Ok(pointer) = #codes.again(link, context) {
                            return ::core::result::Result::Ok(Self::#names(pointer));
                        }
                    )*
                    ::core::result::Result::Err(::ikra::trace::Problem::OtherType)
                }
                fn owned<'__o>(&'__o self, #back) {
                    match self { #(Self::#names(pointer) => #codes.owned(pointer, link, back),)* }
                }
                fn owned_mut<'__o>(&'__o mut self, #back) {
                    match self { #(Self::#names(pointer) => #codes.owned_mut(pointer, link, back),)* }
                }
            }
            #[automatically_derived]
            impl ::ikra::trace::Roots for #ident
            where
                #(for<'__r> #types: ::ikra::trace::Roots,)*
            {
                fn enter(&self, tracer: &mut ::ikra::trace::rt::Tracer<'_, '_>) -> #done {
                    match self { #(Self::#names(pointer) => ::ikra::trace::Roots::enter(pointer, tracer),)* }
                }
            }
        };
    }
}

fn value(ident: &Ident) -> TokenStream {
    let problem = quote!(::ikra::trace::Problem);
    quote! {
        #[automatically_derived]
        impl ::ikra::trace::TraceField<#ident> for #ident {
            fn traced<'__o>(
                &'__o self,
                _: &mut ::ikra::trace::rt::Tracer<'__o, '_>,
            ) -> ::core::result::Result<#ident, #problem> {
                ::core::result::Result::Ok(::ikra::trace::rt::copied(self))
            }
            fn make(value: #ident, _: &::ikra::trace::rt::Context<'_>) -> ::core::result::Result<Self, #problem> {
                ::core::result::Result::Ok(value)
            }
        }
    }
}
