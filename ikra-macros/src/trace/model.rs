//! The parsed model of a type under `#[derive(Trace)]`.

use syn::ext::IdentExt;
use syn::{Data, DataEnum, DeriveInput, Expr, Fields, Ident, Path, Type};

use super::settings::{Setting, arguments, settings};
use crate::diagnostics::Errors;

/// A type under `#[derive(Trace)]`.
pub(super) struct Traced {
    pub(super) ident: Ident,
    pub(super) becomes: Becomes,
}

/// What its values become.
pub(super) enum Becomes {
    /// Objects of a class.
    Object { class: Path, fields: Vec<Field>, rest: Vec<(Ident, Expr)> },
    /// Links to objects of one of the classes of a trait: an enum of pointers.
    Link { dispatch: Path, variants: Vec<(Ident, Type)> },
    /// The same values.
    Value,
}

/// A field of a type whose values become objects.
pub(super) struct Field {
    pub(super) ident: Ident,
    pub(super) ty: Type,
    /// The class's field.
    pub(super) column: Ident,
    /// The module that converts it.
    pub(super) with: Option<Path>,
}

impl Traced {
    pub(super) fn parse(input: &DeriveInput, errors: &mut Errors) -> Option<Self> {
        let ident = input.ident.clone();
        if !input.generics.params.is_empty() {
            errors.at(
                &input.generics,
                format!(
                    "`{ident}` becomes one class, so it has no parameters: derive `Trace` for a struct without them"
                ),
            );
        }
        let (mut class, mut link, mut value, mut rest) = (None, None, None, Vec::new());
        for setting in settings(&input.attrs, errors) {
            match setting {
                Setting::Class(path) => class = Some(path),
                Setting::Link(path) => link = Some(path),
                Setting::Value(name) => value = Some(name),
                Setting::Rest(values) => rest.extend(values),
                Setting::Crate => {}
                Setting::Skip(name) | Setting::Field(name) => {
                    errors.at(name, "a setting of a field: write it at the field");
                }
                Setting::With(path) => errors.at(path, "a setting of a field: write it at the field"),
            }
        }
        if let (Some((field, _)), None) = (rest.first(), &class) {
            errors.at(field, "`rest(…)` has values for the other fields of a class: write `class = Class` too");
        }
        let becomes = match (class, link, value) {
            (Some(class), None, None) => {
                let fields = object(input, errors)?;
                Becomes::Object { class, fields, rest }
            }
            (None, Some(dispatch), None) => {
                let Data::Enum(data) = &input.data else {
                    errors.at(&dispatch, format!("an enum of pointers becomes links; `{ident}` is a struct, whose objects become objects: write `class = Class`"));
                    return None;
                };
                Becomes::Link { dispatch, variants: variants(&ident, data, errors)? }
            }
            (None, None, Some(_)) => Becomes::Value,
            (None, None, None) => {
                errors.at(
                    &ident,
                    format!("say what a `{ident}` becomes: `#[trace(class = Class)]` for objects of a class, `#[trace(link = Trait)]` for an enum of pointers to objects, `#[trace(value)]` for a type that is under `#[derive(Value)]` too"),
                );
                return None;
            }
            _ => {
                errors.at(
                    &ident,
                    format!(
                        "a `{ident}` becomes one of three: an object (`class`), a link (`link`) or a value (`value`)"
                    ),
                );
                return None;
            }
        };
        Some(Self { ident, becomes })
    }
}

/// The fields of a struct whose values become objects.
fn object(input: &DeriveInput, errors: &mut Errors) -> Option<Vec<Field>> {
    let ident = &input.ident;
    let data = match &input.data {
        Data::Struct(data) => data,
        Data::Enum(data) => {
            errors.at(
                data.enum_token,
                format!("the objects of a class are structs: give each variant of `{ident}` a struct of its own and hold it by an `Rc`, and write `#[trace(link = Trait)]` on the enum"),
            );
            return None;
        }
        Data::Union(data) => {
            errors.at(data.union_token, "a union cannot be traced: nobody knows which of its fields is set");
            return None;
        }
    };
    let fields = match &data.fields {
        Fields::Named(fields) => &fields.named,
        Fields::Unit => return Some(Vec::new()),
        Fields::Unnamed(fields) => {
            errors.at(fields, "fields are matched by name, so they need names");
            return None;
        }
    };
    let mut found = Vec::new();
    for field in fields {
        let Some(name) = field.ident.clone() else { continue };
        let (mut skip, mut with, mut column) = (None, None, None);
        let _ = arguments(&field.attrs, errors);
        for setting in settings(&field.attrs, errors) {
            match setting {
                Setting::Skip(word) => skip = Some(word),
                Setting::With(module) => with = Some(module),
                Setting::Field(name) => column = Some(name),
                Setting::Class(path) | Setting::Link(path) => {
                    errors.at(path, "a setting of a type: write it at the struct or enum");
                }
                Setting::Value(word) => errors.at(word, "a setting of a type: write it at the struct or enum"),
                Setting::Rest(values) => {
                    if let Some((field, _)) = values.first() {
                        errors.at(field, "a setting of a type: write it at the struct");
                    }
                }
                Setting::Crate => errors.at(&name, "`crate` is a setting of a type: write it at the struct"),
            }
        }
        if let Some(skip) = skip {
            if with.is_some() || column.is_some() {
                errors.at(skip, "a field that is skipped is not in the class, and needs no other setting");
            }
            continue;
        }
        let column = column.unwrap_or_else(|| name.clone());
        if found.iter().any(|other: &Field| other.column.unraw() == column.unraw()) {
            errors.at(&column, format!("two fields become `{column}`: skip one of them"));
        }
        found.push(Field { ident: name, ty: field.ty.clone(), column, with });
    }
    Some(found)
}

/// The variants of an enum of pointers.
fn variants(ident: &Ident, data: &DataEnum, errors: &mut Errors) -> Option<Vec<(Ident, Type)>> {
    if data.variants.is_empty() {
        errors.at(ident, "an enum without variants has no values");
        return None;
    }
    let mut found = Vec::new();
    for variant in &data.variants {
        match &variant.fields {
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                found.push((variant.ident.clone(), fields.unnamed[0].ty.clone()));
            }
            _ => errors
                .at(variant, "a variant of an enum that becomes a link holds one pointer, such as `Car(Rc<PlainCar>)`"),
        }
    }
    Some(found)
}
