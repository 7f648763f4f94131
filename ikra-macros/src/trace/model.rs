//! The parsed model of a type under `#[derive(Trace)]`.

use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{Data, DataEnum, DeriveInput, Expr, Fields, Ident, Member, Path, Type, Variant};

use super::settings::{Setting, arguments, settings};
use crate::class::of_class;
use crate::diagnostics::Errors;

pub(super) const TWICE: &str = "two variants become objects of this class: give each variant a class of its own";

/// A type under `#[derive(Trace)]`.
pub(super) struct Traced {
    pub(super) ident: Ident,
    pub(super) becomes: Becomes,
}

/// What its values become.
pub(super) enum Becomes {
    /// Objects of a class: a struct.
    Object(Record),
    /// Objects of one class per variant, to which links of a trait lead: an enum.
    Objects { dispatch: Path, variants: Vec<Record> },
    /// Links to objects of one of the classes of a trait: an enum of pointers.
    Link { dispatch: Path, variants: Vec<(Ident, Type)> },
    /// The same values.
    Value,
}

/// A struct or a variant whose values become objects of a class.
pub(super) struct Record {
    /// The variant.
    pub(super) variant: Option<Ident>,
    pub(super) class: Path,
    pub(super) fields: Vec<Field>,
    /// Values of fields that only the class has.
    pub(super) rest: Vec<(Ident, Expr)>,
}

/// A field of a type whose values become objects.
pub(super) struct Field {
    pub(super) member: Member,
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
                Setting::Class(path) => once(&mut class, path, errors),
                Setting::Link(path) => once(&mut link, path, errors),
                Setting::Value(name) => once(&mut value, name, errors),
                Setting::Rest(values) => rest.extend(values),
                Setting::Crate(_) => {}
                other => errors.at(other, "a setting of a field: write it at the field"),
            }
        }
        if let (Some((field, _)), None) = (rest.first(), &class) {
            errors.at(field, "`rest(…)` has values for the other fields of a class: write `class = Class` too");
        }
        let becomes = match (class, link, value) {
            (Some(class), None, None) => {
                let fields = fields(&ident, structure(input, errors)?, errors);
                Becomes::Object(Record { variant: None, class, fields, rest })
            }
            (None, Some(dispatch), None) => {
                let Data::Enum(data) = &input.data else {
                    errors.at(&dispatch, format!("an enum becomes links; `{ident}` is a struct, whose objects become objects: write `class = Class`"));
                    return None;
                };
                variants(&ident, dispatch, data, errors)?
            }
            (None, None, Some(_)) => Becomes::Value,
            (None, None, None) => {
                errors.at(
                    &ident,
                    format!("say what a `{ident}` becomes: `#[trace(class = Class)]` for objects of a class, `#[trace(link = Trait)]` for an enum of pointers, or of objects with `#[trace(class = Class)]` at each variant, `#[trace(value)]` for a type that is under `#[derive(Value)]` too"),
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

/// Keeps a setting, which is given once.
fn once<T: ToTokens>(setting: &mut Option<T>, given: T, errors: &mut Errors) {
    if setting.is_some() {
        errors.at(&given, "this setting is given twice: leave one of them out");
    }
    *setting = Some(given);
}

/// The fields of a struct whose values become objects.
fn structure<'a>(input: &'a DeriveInput, errors: &mut Errors) -> Option<&'a Fields> {
    match &input.data {
        Data::Struct(data) => Some(&data.fields),
        Data::Enum(data) => {
            let name = &input.ident;
            errors.at(
                data.enum_token,
                format!("the objects of `{name}` are of one class per variant: write `#[trace(link = Trait)]` at the enum, with a trait under `#[soa_dispatch]`, and `#[trace(class = Class)]` at each variant"),
            );
            None
        }
        Data::Union(data) => {
            errors.at(data.union_token, "a union cannot be traced: nobody knows which of its fields is set");
            None
        }
    }
}

/// The fields that the class has.
fn fields(ident: &Ident, fields: &Fields, errors: &mut Errors) -> Vec<Field> {
    let mut found = Vec::new();
    for (member, field) in fields.members().zip(fields) {
        let (mut skip, mut with, mut column) = (None, None, None);
        let _ = arguments(&field.attrs, errors);
        for setting in settings(&field.attrs, errors) {
            match setting {
                Setting::Skip(word) => once(&mut skip, word, errors),
                Setting::With(module) => once(&mut with, module, errors),
                Setting::Field(name) => once(&mut column, name, errors),
                other => errors.at(other, "a setting of a type: write it at the struct or enum"),
            }
        }
        if let Some(skip) = skip {
            if with.is_some() || column.is_some() {
                errors.at(skip, "a field that is skipped is not in the class, and needs no other setting");
            }
            continue;
        }
        let Some(column) = column.or_else(|| field.ident.clone()) else {
            errors.at(
                &field.ty,
                "a field without a name: write `#[trace(field = name)]` with the name of the class's field, or `#[trace(skip)]`",
            );
            continue;
        };
        if found.iter().any(|other: &Field| other.column.unraw() == column.unraw()) {
            errors.at(&column, format!("two fields become `{column}`: skip one of them"));
        }
        found.push(Field { member, ty: of_class(&field.ty, ident), column, with });
    }
    found
}

/// The class and the rest of a variant.
fn variant_settings(variant: &Variant, errors: &mut Errors) -> (Option<Path>, Vec<(Ident, Expr)>) {
    let (mut class, mut rest) = (None, Vec::new());
    let _ = arguments(&variant.attrs, errors);
    for setting in settings(&variant.attrs, errors) {
        match setting {
            Setting::Class(path) => once(&mut class, path, errors),
            Setting::Rest(values) => rest.extend(values),
            other @ (Setting::Skip(_) | Setting::Field(_) | Setting::With(_)) => {
                errors.at(other, "a setting of a field; a variant has `class = Class` and `rest(field = value, …)`");
            }
            other => errors.at(other, "a setting of a type: write it at the enum"),
        }
    }
    if let (Some((field, _)), None) = (rest.first(), &class) {
        errors.at(field, "`rest(…)` has values for the other fields of a class: write `class = Class` too");
    }
    (class, rest)
}

/// The variants of an enum: each is an object, or each is a pointer.
fn variants(ident: &Ident, dispatch: Path, data: &DataEnum, errors: &mut Errors) -> Option<Becomes> {
    if data.variants.is_empty() {
        errors.at(ident, "an enum without variants has no values");
        return None;
    }
    let given: Vec<_> = data.variants.iter().map(|variant| (variant, variant_settings(variant, errors))).collect();
    if given.iter().all(|(_, (class, _))| class.is_none()) {
        let variants = given.iter().filter_map(|(variant, _)| pointer(ident, variant, errors)).collect();
        return Some(Becomes::Link { dispatch, variants });
    }
    let mut variants = Vec::<Record>::new();
    for (variant, (class, rest)) in given {
        let Some(class) = class else {
            let message =
                format!("other variants of `{ident}` become objects: write `#[trace(class = Class)]` at this one too");
            errors.at(variant, message);
            continue;
        };
        if variants.iter().any(|other| shown(&other.class) == shown(&class)) {
            errors.at(&class, TWICE);
        }
        let fields = fields(ident, &variant.fields, errors);
        variants.push(Record { variant: Some(variant.ident.clone()), class, fields, rest });
    }
    Some(Becomes::Objects { dispatch, variants })
}

/// A path as text.
pub(super) fn shown(path: &Path) -> String {
    quote!(#path).to_string().replace(' ', "")
}

/// A variant that holds a pointer.
fn pointer(ident: &Ident, variant: &Variant, errors: &mut Errors) -> Option<(Ident, Type)> {
    let mut fields = variant.fields.iter();
    let (Some(field @ syn::Field { ident: None, .. }), None) = (fields.next(), fields.next()) else {
        errors.at(
            variant,
            "a variant holds one pointer, such as `Car(Rc<PlainCar>)`, or its data become an object: write `#[trace(class = Class)]` at it",
        );
        return None;
    };
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("trace")) {
        errors.at(attribute, "a pointer has no settings: it becomes a link");
    }
    Some((variant.ident.clone(), of_class(&field.ty, ident)))
}
