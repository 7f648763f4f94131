//! The expansion of `#[derive(Trace)]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Ident, Path, Type};

use super::model::{Becomes, Field, Record, TWICE, Traced, shown};
use crate::diagnostics::{located, unless_error};

pub(super) fn expand(Traced { ident, becomes }: &Traced) -> TokenStream {
    match becomes {
        Becomes::Object(record) => objects(ident, None, std::slice::from_ref(record)),
        Becomes::Objects { dispatch, variants } => objects(ident, Some(dispatch), variants),
        Becomes::Link { dispatch, variants } => link(ident, dispatch, variants),
        Becomes::Value => value(ident),
    }
}

/// A struct or variant, and the alias of its class.
struct Part<'a> {
    record: &'a Record,
    class: Ident,
    columns: Vec<Column<'a>>,
}

impl<'a> Part<'a> {
    fn new(number: usize, record: &'a Record) -> Self {
        let class = format_ident!("__Class{number}");
        let column = |(n, field)| Column {
            field,
            class: format_ident!("__Class{number}"),
            name: format_ident!("__FIELD_{number}_{n}"),
            binding: format_ident!("__field_{n}"),
        };
        Self { record, class, columns: record.fields.iter().enumerate().map(column).collect() }
    }

    /// The pattern that binds the fields.
    fn pattern(&self) -> TokenStream {
        let variant = self.record.variant.iter();
        let fields =
            self.columns.iter().map(|Column { field: Field { member, .. }, binding, .. }| quote!(#member: #binding));
        quote!(Self #(::#variant)* { #(#fields,)* .. })
    }

    /// The constants.
    fn definitions(&self) -> TokenStream {
        let Self { record, class, columns } = self;
        let class_type = checked(&record.class, &quote!(IS_CLASS), NOT_A_CLASS);
        let columns = columns.iter().map(Column::definition);
        quote!(type #class = #class_type; #(#columns)*)
    }

    /// Fails if an earlier variant is of the same class, under another name.
    fn alone(&self, others: &[Self]) -> TokenStream {
        let (class, others) = (&self.class, others.iter().map(|other| &other.class));
        let twice = quote_spanned!(self.record.class.span()=> ::core::panic!(#TWICE));
        quote! {
            const _: () = {
                #[allow(unused_imports)]
                use ::ikra::trace::rt::Differ as _;
                if false #(|| <::ikra::trace::rt::Two<#class, #others>>::SAME)* { #twice }
            };
        }
    }

    /// Makes the row and stores it.
    fn traced(&self) -> TokenStream {
        let (Self { record: Record { class: path, rest, .. }, class, columns }, pattern) = (self, self.pattern());
        let columns = columns.iter().map(Column::value);
        let (others, values): (Vec<_>, Vec<_>) = rest.iter().map(|(name, value)| (name, value)).unzip();
        quote! {
            #pattern => {
                let __link = ::ikra::trace::rt::Tracer::link::<#class>(__tracer, __untyped)?;
                let __row: #class = #path { #(#columns,)* #(#others: #values,)* };
                ::ikra::trace::rt::Tracer::put::<#class>(__tracer, __link, __row)
            }
        }
    }

    /// Writes the fields.
    fn written(&self, write: fn(&Column<'a>) -> TokenStream) -> TokenStream {
        let (Self { class, columns, .. }, pattern) = (self, self.pattern());
        let columns = columns.iter().map(write);
        quote! {
            #pattern => {
                let __changed = ::ikra::trace::rt::Back::changes::<#class>(__back, __untyped)?;
                #(#columns)*
                ::core::result::Result::Ok(())
            }
        }
    }

    /// Adds the object to those of the class.
    fn held(&self) -> TokenStream {
        let Self { class, columns, .. } = self;
        let columns = columns.iter().map(Column::add);
        quote!(__object.hold::<Self, #class>(|__columns| { #(#columns)* }))
    }
}

/// A field, and the constant with its code or, if a module converts it, its column.
struct Column<'a> {
    field: &'a Field,
    class: Ident,
    name: Ident,
    binding: Ident,
}

impl Column<'_> {
    /// The constant.
    fn definition(&self) -> TokenStream {
        let Self { field: Field { ty, column, with, .. }, class, name, .. } = self;
        let text = column.unraw().to_string();
        let number = quote!({ ::ikra::trace::rt::field_named::<#class>(#text) });
        match with {
            Some(_) => quote! {
                const #name: ::ikra::trace::rt::Column<#class, #number> = ::ikra::trace::rt::Column::NEW;
            },
            // The type's own span, so that the compiler does not show it as part of an expansion. Lints about the type
            // are shown at the field.
            None => quote_spanned! {ty.span()=>
                #[allow(clippy::all)]
                const #name: ::ikra::trace::rt::FieldCode<#class, #ty, #number> = ::ikra::trace::rt::FieldCode::find();
            },
        }
    }

    /// The value in the row.
    fn value(&self) -> TokenStream {
        let Self { field: Field { column, with, .. }, name, binding, .. } = self;
        match with {
            Some(module) => quote_spanned!(located(module)=> #column: #module::trace(#binding)),
            None => quote!(#column: #name.row(#binding, __tracer)?),
        }
    }

    /// Writes the field of an object that is shared.
    fn shared(&self) -> TokenStream {
        let Self { field: Field { with, .. }, name, binding, .. } = self;
        match with {
            Some(_) => quote!(::ikra::trace::rt::Back::refuse(__back, __changed, #name)?;),
            None => quote!(#name.shared(#binding, __changed, __back)?;),
        }
    }

    /// Writes the field of an object that is not shared.
    fn exclusive(&self) -> TokenStream {
        let Self { field: Field { with, .. }, name, binding, .. } = self;
        match with {
            Some(module) => quote_spanned! {located(module)=>
                if let ::core::option::Option::Some(__value) = ::ikra::trace::rt::Back::changed(__back, __changed, #name)? {
                    #module::write_back(#binding, __value);
                }
            },
            None => quote!(#name.exclusive(#binding, __changed, __back)?;),
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

const NOT_A_CLASS: &str = "is not a class: `class = …` names a struct under `#[soa_class]`";
const NOT_A_TRAIT: &str = "is not a trait under `#[soa_dispatch]`: `link = …` names one";

/// The class or trait, or an error if it has not a property.
fn checked(ty: &Path, property: &TokenStream, problem: &str) -> TokenStream {
    let message = format!("`{}` {problem}", shown(ty));
    let panic = quote_spanned!(ty.span()=> ::core::panic!(#message));
    let number = quote! {
        #[allow(unused_imports)]
        use ::ikra::rt::No as _;
        if !<::ikra::rt::Probe<#ty>>::#property { #panic }
        1
    };
    unless_error(ty, number, located(ty))
}

/// A type whose values become objects: an enum, if there is a trait.
fn objects(ident: &Ident, dispatch: Option<&Path>, records: &[Record]) -> TokenStream {
    let parts: Vec<_> = records.iter().enumerate().map(|(number, record)| Part::new(number, record)).collect();
    let definitions = parts.iter().map(Part::definitions);
    let trait_type = dispatch.map(|dispatch| checked(dispatch, &quote!(IS_DISPATCH), NOT_A_TRAIT)).into_iter();
    let alone = parts.iter().enumerate().skip(1).map(|(n, part)| part.alone(&parts[..n]));
    let traced = parts.iter().map(Part::traced);
    let shared = parts.iter().map(|part| part.written(Column::shared));
    let exclusive = parts.iter().map(|part| part.written(Column::exclusive));
    let untyped = quote!(__untyped: ::ikra::trace::rt::UntypedLink);
    let back = quote!(__back: &mut ::ikra::trace::rt::Back<'__o, '_>);
    let done = quote!(::core::result::Result<(), ::ikra::trace::rt::At>);
    let result = |ty: TokenStream| quote!(::core::result::Result<#ty, ::ikra::trace::Problem>);
    let (held_at, link_at) = (result(quote!(::ikra::trace::rt::UntypedLink)), result(quote!(Self::Link)));
    let (link, variant, held, linked) = match dispatch {
        Some(_) => of_variants(&parts),
        None => {
            let (class, held) = (&parts[0].class, parts[0].held());
            (quote!(::ikra::trace::rt::Link<#class>), None, held, quote!(__untyped.typed()))
        }
    };
    let class = dispatch.is_none().then(|| &parts[0].class).into_iter();
    quote! {
        const _: () = {
            #(type __Trait = #trait_type;)*
            #(#definitions)*
            #(#alone)*
            #(#[automatically_derived]
            impl ::ikra::trace::Trace for #ident { type Class = #class; })*
            #[automatically_derived]
            #[allow(unused_variables)]
            impl ::ikra::trace::TraceObject for #ident {
                type Link = #link;
                #variant
                fn hold(__variant: ::core::primitive::usize, __object: ::ikra::trace::rt::NewObject<'_>) -> #held_at {
                    #held
                }
                fn link(#untyped) -> #link_at {
                    #linked
                }
                fn trace<'__o>(&'__o self, #untyped, __tracer: &mut ::ikra::trace::rt::Tracer<'__o, '_>) -> #done {
                    match self { #(#traced)* }
                }
                fn write<'__o>(&'__o self, #untyped, #back) -> #done {
                    match self { #(#shared)* }
                }
                fn write_mut<'__o>(&'__o mut self, #untyped, #back) -> #done {
                    match self { #(#exclusive)* }
                }
            }
        };
    }
}

/// For an enum of objects: the type of links, the number of a variant, and the code that uses it.
fn of_variants(parts: &[Part<'_>]) -> (TokenStream, Option<TokenStream>, TokenStream, TokenStream) {
    let numbers: Vec<_> = (0..parts.len()).collect();
    let (variants, held) = (parts.iter().map(|part| &part.record.variant), parts.iter().map(Part::held));
    let links = parts.iter().map(|Part { record, class, .. }| {
        let [any, dispatch] = ["any", "__Trait"].map(|name| Ident::new(name, located(&record.class)));
        quote! {
            if let ::core::option::Option::Some(__link) =
                ::ikra::trace::rt::UntypedLink::#any::<#class, #dispatch>(__untyped)
            {
                return __link;
            }
        }
    });
    let variant = quote! {
        const IS_ENUM: ::core::primitive::bool = true;
        fn variant(&self) -> ::core::result::Result<::core::primitive::usize, ::ikra::trace::Problem> {
            ::core::result::Result::Ok(match self { #(Self::#variants { .. } => #numbers,)* })
        }
    };
    let held = quote! {
        match __variant {
            #(#numbers => #held,)*
            _ => ::core::result::Result::Err(::ikra::trace::Problem::OtherVariant),
        }
    };
    let linked = quote!(#(#links)* ::core::result::Result::Err(::ikra::trace::Problem::OtherType));
    (quote!(::ikra::trace::rt::AnyLink<__Trait>), Some(variant), held, linked)
}

fn link(ident: &Ident, dispatch: &Path, variants: &[(Ident, Type)]) -> TokenStream {
    let (names, types): (Vec<_>, Vec<_>) = variants.iter().map(|(name, ty)| (name, ty)).unzip();
    let codes: Vec<_> = (0..names.len()).map(|n| format_ident!("__VARIANT_{n}")).collect();
    let definitions = types.iter().zip(&codes).map(|(ty, code)| {
        quote_spanned! {ty.span()=>
            const #code: ::ikra::trace::rt::VariantCode<__Trait, #ty> = ::ikra::trace::rt::VariantCode::find();
        }
    });
    let any = quote!(::ikra::trace::rt::AnyLink<__Trait>);
    let trait_type = checked(dispatch, &quote!(IS_DISPATCH), NOT_A_TRAIT);
    let result = |ty: TokenStream| quote!(::core::result::Result<#ty, ::ikra::trace::Problem>);
    let (made, done) = (result(quote!(Self)), result(quote!(())));
    let maybe = result(quote!(::core::option::Option<#any>));
    let tracer = quote!(__tracer: &mut ::ikra::trace::rt::Tracer<'__o, '_>);
    let back = quote!(__back: &mut ::ikra::trace::rt::Back<'__o, '_>);
    let context = quote!(__context: &::ikra::trace::rt::Context<'_>);
    quote! {
        const _: () = {
            type __Trait = #trait_type;
            #(#definitions)*
            #[automatically_derived]
            impl ::ikra::trace::Refers<#any> for #ident {
                const OWNS: ::core::primitive::bool = false #(|| #codes.owns)*;
                const KEEPS: ::core::primitive::bool = true;
                fn refer_if_alive<'__o>(&'__o self, #tracer) -> #maybe {
                    match self { #(Self::#names(__pointer) => #codes.refer_if_alive(__pointer, __tracer),)* }
                }
                fn again(__link: #any, #context) -> #made {
                    ::ikra::trace::rt::only([#(#codes.again(__link, __context).map(Self::#names)),*])
                }
                fn like(&self, __link: #any, #context) -> #made {
                    match self { #(Self::#names(_) => #codes.again(__link, __context).map(Self::#names),)* }
                        .or_else(|_| Self::again(__link, __context))
                }
                fn target(&self, #context) -> ::core::option::Option<::ikra::trace::rt::UntypedLink> {
                    match self { #(Self::#names(__pointer) => #codes.target(__pointer, __context),)* }
                }
                fn owned<'__o>(&'__o self, #back) {
                    match self { #(Self::#names(__pointer) => #codes.owned(__pointer, __back),)* }
                }
                fn owned_mut<'__o>(&'__o mut self, #back) {
                    match self { #(Self::#names(__pointer) => #codes.owned_mut(__pointer, __back),)* }
                }
            }
            #[automatically_derived]
            impl ::ikra::trace::Roots for #ident
            where
                #(for<'__r> #types: ::ikra::trace::Roots,)*
            {
                fn enter(&self, __tracer: &mut ::ikra::trace::rt::Tracer<'_, '_>) -> #done {
                    match self { #(Self::#names(__pointer) => ::ikra::trace::Roots::enter(__pointer, __tracer),)* }
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
            fn make(__value: #ident, _: &::ikra::trace::rt::Context<'_>) -> ::core::result::Result<Self, #problem> {
                ::core::result::Result::Ok(__value)
            }
        }
    }
}
