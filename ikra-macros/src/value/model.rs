//! The parsed model of a value.

use proc_macro2::TokenStream;
use syn::{Attribute, Data, DataEnum, DataStruct, DeriveInput, Fields, Generics, Ident, Index, Member, Type};

use crate::diagnostics::Errors;
use crate::stored::{self, Holder};

/// A type under `#[derive(Value)]`.
pub(super) struct Value {
    pub(super) ident: Ident,
    pub(super) generics: Generics,
    pub(super) content: Content,
}

/// The content of the type.
pub(super) enum Content {
    /// The fields of a struct.
    Fields(Vec<(Member, Type)>),
    /// The variants of an enum; the first one is its placeholder.
    Variants(Ident, Vec<Ident>),
    /// A type that cannot be stored; the error is already reported.
    Mistaken,
}

impl Value {
    /// Parses a definition. Returns `None` if not even a stand-in is possible.
    pub(super) fn parse(input: &DeriveInput, errors: &mut Errors) -> Option<Self> {
        if input.generics.lifetimes().next().is_some() {
            errors.at(&input.generics, "a value holds no references, so it has no lifetimes");
            return None;
        }
        let content = match &input.data {
            Data::Struct(data) => fields(input, data, errors),
            Data::Enum(data) => variants(input, data, errors),
            Data::Union(data) => {
                errors.at(data.union_token, "a union cannot be a `Value`: nobody knows which of its fields is set");
                Content::Mistaken
            }
        };
        Some(Self { ident: input.ident.clone(), generics: input.generics.clone(), content })
    }
}

/// Whether the type has one of these representations.
fn has_repr(attrs: &[Attribute], wanted: &[&str]) -> bool {
    attrs.iter().filter(|attr| attr.path().is_ident("repr")).any(|attr| {
        let mut found = false;
        let _ = attr.parse_nested_meta(|meta| {
            found |= wanted.iter().any(|name| meta.path.is_ident(name));
            // Skips the argument of `align(16)` and similar.
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

fn fields(input: &DeriveInput, data: &DataStruct, errors: &mut Errors) -> Content {
    let ident = &input.ident;
    if !has_repr(&input.attrs, &["C", "transparent"]) {
        errors.at(
            ident,
            format!("add `#[repr(C)]` to `{ident}`: Rust may order a struct's fields as it likes, and the device has to find them in the same places"),
        );
    }
    if matches!(data.fields, Fields::Unit) || data.fields.is_empty() {
        errors.at(ident, "a value has at least one field");
        return Content::Mistaken;
    }
    let member = |(n, field): (usize, &syn::Field)| match &field.ident {
        Some(name) => (Member::Named(name.clone()), field.ty.clone()),
        None => (Member::Unnamed(Index::from(n)), field.ty.clone()),
    };
    let mut wrong = Errors::default();
    data.fields.iter().for_each(|field| stored::check_type(&field.ty, Holder::Value, &mut wrong));
    if let Some(wrong) = wrong.into_error() {
        errors.add(wrong);
        return Content::Mistaken;
    }
    Content::Fields(data.fields.iter().enumerate().map(member).collect())
}

fn variants(input: &DeriveInput, data: &DataEnum, errors: &mut Errors) -> Content {
    const INTEGERS: [&str; 8] = ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"];
    let ident = &input.ident;
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
        return Content::Mistaken;
    }
    let variants: Vec<Ident> = data.variants.iter().map(|variant| variant.ident.clone()).collect();
    match variants.first() {
        Some(first) => Content::Variants(first.clone(), variants),
        None => {
            errors.at(ident, "an enum without variants has no values");
            Content::Mistaken
        }
    }
}
