//! The parsed model of a class.

use heck::ToSnakeCase;
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Fields, ItemStruct, LitStr, Token, Type, Visibility};

use super::arrays::{Arrangement, Inlining, array_attribute, check_array, ungrouped};
use super::options::Options;
use crate::diagnostics::Errors;
use crate::stored::{self, Holder};

/// The largest number of fields; equals `MAX_FIELDS` of the runtime.
const MAX_FIELDS: usize = 64;

/// The length of the tuple for a class with `fields` fields. The runtime's `for_tuples!` defines only a few lengths.
pub(crate) fn padded(fields: usize) -> usize {
    if fields <= 16 { fields } else { fields.next_multiple_of(fields.next_power_of_two() / 8) }
}

/// How a field is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum StorageKind {
    Plain,
    Flatten,
    Atomic,
}

/// One field.
pub(crate) struct Field {
    /// The class.
    pub(crate) class: Ident,
    /// The field's position in the class.
    pub(crate) place: usize,
    pub(crate) ident: Ident,
    pub(crate) vis: Visibility,
    pub(crate) ty: Type,
    pub(crate) docs: Vec<Attribute>,
    pub(crate) kind: StorageKind,
    /// Whether the object is removed with an object to which the field links.
    pub(crate) cascades: bool,
    /// The arrangement of an inner array.
    pub(crate) array: Option<Arrangement>,
    /// Whether the type cannot be stored; already reported.
    pub(crate) broken: bool,
    /// The earlier field that makes the compiler check the same type.
    pub(crate) asked: Option<usize>,
}

impl Field {
    /// Whether the type can certainly be stored, judged by its tokens alone.
    pub(super) fn is_sure(&self) -> bool {
        self.broken || stored::is_sure(&self.ty, &self.class)
    }

    /// Whether the field is an inner array of links.
    pub(super) fn has_links(&self) -> bool {
        self.array.is_some() && stored::is_link(stored::innermost(&self.ty))
    }

    /// The field's name without `r#`.
    pub(crate) fn name(&self) -> String {
        self.ident.unraw().to_string()
    }
}

/// Whether the type is written as a number, `bool`, or an array of these. Signatures can show such a field's type
/// unchanged.
pub(crate) fn is_number(ty: &Type) -> bool {
    const NUMBERS: [&str; 13] =
        ["u8", "u16", "u32", "u64", "u128", "i8", "i16", "i32", "i64", "i128", "f32", "f64", "bool"];
    match ty {
        Type::Path(path) => path.path.get_ident().is_some_and(|name| NUMBERS.iter().any(|number| name == number)),
        Type::Array(array) => is_number(&array.elem),
        _ => false,
    }
}

/// A class.
pub(crate) struct Class {
    /// The struct as the user wrote it, without the macro's own attributes.
    pub(crate) row: ItemStruct,
    pub(crate) options: Options,
    pub(crate) fields: Vec<Field>,
    /// Whether its fields can be stored in columns.
    pub(crate) has_columns: bool,
}

impl Class {
    /// Parses the class.
    pub(crate) fn parse(args: TokenStream, item: &ItemStruct, errors: &mut Errors) -> Self {
        let mut has_columns = item.generics.params.is_empty();
        let options = Options::parse(args, errors);
        if !item.generics.params.is_empty() {
            errors.at(
                &item.generics,
                "a class cannot be generic: its storage is laid out once; write one struct for each type that you need",
            );
        }
        let mut row = item.clone();
        let mut fields: Vec<Field> = Vec::new();
        match &mut row.fields {
            Fields::Named(named) => {
                for field in &mut named.named {
                    fields.extend(parse_field(field, &item.ident, fields.len(), errors));
                }
                if named.named.is_empty() {
                    has_columns = false;
                    errors.at(&item.ident, "a class has at least one field");
                }
            }
            _ => {
                has_columns = false;
                errors.at(
                    &item.ident,
                    "`#[soa_class]` belongs on a struct with named fields: a column is known by its field's name",
                );
            }
        }
        if item.ident == "Link" {
            for field in fields.iter_mut().filter(|field| hides(stored::innermost(&field.ty), "Link")) {
                field.broken = true;
                errors.at(
                    &field.ty,
                    "a class called `Link` hides Ikra's `Link`: write `ikra::Link<…>`, or give the class another name",
                );
            }
        }
        for place in 1..fields.len() {
            let same = |other: &Field| {
                !other.broken && other.kind == fields[place].kind && stored::same(&other.ty, &fields[place].ty)
            };
            fields[place].asked = fields[..place].iter().position(same);
        }
        if let Some(extra) = fields.get(MAX_FIELDS) {
            has_columns = false;
            errors.at(
                &extra.ident,
                format!("a class has at most {MAX_FIELDS} fields; group some of them into a `#[derive(Value)]` struct"),
            );
        }
        Self { row, options, fields, has_columns }
    }

    pub(crate) fn ident(&self) -> &Ident {
        &self.row.ident
    }

    /// The name of the view.
    pub(crate) fn view(&self) -> Ident {
        view_ident(self.ident())
    }

    /// The name of the ref.
    pub(crate) fn reference(&self) -> Ident {
        ref_ident(self.ident())
    }

    /// The name of the phase parameter, which differs from every type name in the struct.
    pub(crate) fn phase(&self) -> Ident {
        fn mentions_p(tokens: TokenStream) -> bool {
            tokens.into_iter().any(|token| match token {
                TokenTree::Ident(ident) => ident == "P",
                TokenTree::Group(group) => mentions_p(group.stream()),
                _ => false,
            })
        }
        let name = if mentions_p(self.row.to_token_stream()) { "__P" } else { "P" };
        Ident::new(name, Span::call_site())
    }

    /// The module name before `::field`.
    pub(crate) fn columns(&self) -> Ident {
        self.options.columns.clone().unwrap_or_else(|| {
            let name = self.ident().unraw().to_string().to_snake_case();
            let at = self.ident().span();
            match syn::parse_str::<Ident>(&name) {
                Ok(_) => Ident::new(&name, at),
                // These keywords cannot be raw identifiers.
                Err(_) if ["crate", "self", "super"].contains(&&*name) => format_ident!("{name}_", span = at),
                // A keyword in snake case, such as `Move`, needs a raw identifier.
                Err(_) => Ident::new_raw(&name, at),
            }
        })
    }
}

/// Whether a type is `Name<…>`, or an `Option` of it, where `Name` is what the class is called.
pub(crate) fn hides(ty: &Type, name: &str) -> bool {
    let ty = stored::optional(ty).unwrap_or(ty);
    matches!(ungrouped(ty), Type::Path(path) if path.path.segments.len() == 1
        && path.path.segments[0].ident == name && !path.path.segments[0].arguments.is_none())
}

/// The name of the view of a class.
pub(crate) fn view_ident(class: &Ident) -> Ident {
    format_ident!("{}Mut", class.unraw(), span = class.span())
}

/// The name of the ref of a class.
pub(crate) fn ref_ident(class: &Ident) -> Ident {
    format_ident!("{}Ref", class.unraw(), span = class.span())
}

/// The argument of `#[soa(…)]` on a field.
enum FieldOption {
    Name(Ident),
    /// `on_remove = "cascade"`
    Cascade,
    /// Another value of `on_remove`.
    NoWay(LitStr),
}

impl Parse for FieldOption {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name: Ident = input.parse()?;
        if name != "on_remove" || !input.peek(Token![=]) {
            return Ok(Self::Name(name));
        }
        input.parse::<Token![=]>()?;
        let value: LitStr = input.parse()?;
        Ok(if value.value() == "cascade" { Self::Cascade } else { Self::NoWay(value) })
    }
}

/// Parses one field and removes the macro's attributes from it.
fn parse_field(field: &mut syn::Field, class: &Ident, place: usize, errors: &mut Errors) -> Option<Field> {
    let ident = field.ident.clone()?;
    let mut kind = StorageKind::Plain;
    let mut inlining: Option<(Inlining, Attribute)> = None;
    let mut wrong_inlining = false;
    let (mut both, mut cascades) = (false, false);
    let mut docs = Vec::new();
    field.attrs.retain(|attr| {
        if attr.path().is_ident("atomic") {
            if !matches!(attr.meta, syn::Meta::Path(_)) {
                errors.at(attr, "`#[atomic]` takes no arguments");
            }
            if kind != StorageKind::Plain {
                both = true;
                errors.at(attr, "a field is either `#[atomic]` or `#[soa(flatten)]`");
            }
            kind = StorageKind::Atomic;
            return false;
        }
        if attr.path().is_ident("soa") {
            match attr.parse_args::<FieldOption>() {
                Ok(FieldOption::Cascade) => cascades = true,
                Ok(FieldOption::NoWay(value)) => {
                    errors.at(value, "`on_remove` is \"cascade\": the object goes with those that the field names");
                }
                Ok(FieldOption::Name(option)) if option == "flatten" => {
                    if kind != StorageKind::Plain {
                        both = true;
                        errors.at(attr, "a field is either `#[atomic]` or `#[soa(flatten)]`");
                    }
                    kind = if both { StorageKind::Plain } else { StorageKind::Flatten };
                }
                _ => {
                    errors.at(attr, "the field attributes are `#[soa(flatten)]` and `#[soa(on_remove = \"cascade\")]`");
                }
            }
            return false;
        }
        if attr.path().is_ident("inline_array") {
            if inlining.is_some() {
                errors.at(attr, "`#[inline_array]` appears twice");
            } else {
                let found = errors.take(array_attribute(attr));
                // The array attribute's error is already reported; the remaining checks assume that it is correct.
                wrong_inlining = found.is_none();
                inlining = found.map(|found| (found, attr.clone()));
            }
            return false;
        }
        if attr.path().is_ident("cfg") {
            errors.at(attr, "a class's fields cannot depend on `cfg`; put `cfg` on the whole struct");
        }
        if attr.path().is_ident("kernel") {
            errors.at(attr, "`#[kernel]` belongs on a method inside `#[soa_methods] impl`");
            return false;
        }
        if attr.path().is_ident("doc") || attr.path().is_ident("deprecated") {
            docs.push(attr.clone());
        }
        true
    });
    let mut wrong = Errors::default();
    let mut ty = of_class(&field.ty, class);
    stored::check_type(&ty, Holder::Class, &mut wrong);
    let mut arrangement = match wrong_inlining {
        true => None,
        false => check_array(&ty, inlining.as_ref(), kind, &mut wrong),
    };
    if !both && !wrong_inlining && arrangement.is_none() {
        check_mode(&ty, kind, &mut wrong);
    }
    let mut broken = false;
    if let Some(wrong) = wrong.into_error() {
        errors.add(wrong);
        broken = stand_in(&mut field.ty);
        ty = of_class(&field.ty, class);
        if let Some(
            Arrangement::Full { element, .. }
            | Arrangement::Whole { element, .. }
            | Arrangement::Partly { element, .. },
        ) = &mut arrangement
        {
            stand_in(element);
        }
    }
    broken |= wrong_inlining;
    let vis = field.vis.clone();
    Some(Field {
        class: class.clone(),
        place,
        ident,
        vis,
        ty,
        docs,
        kind,
        cascades,
        array: arrangement,
        broken,
        asked: None,
    })
}

/// A field's type outside the struct, where `Self` becomes the class.
pub(crate) fn of_class(ty: &Type, class: &Ident) -> Type {
    fn named(tokens: TokenStream, class: &Ident) -> TokenStream {
        let tokens = tokens.into_iter().map(|token| match token {
            TokenTree::Ident(name) if name == "Self" => {
                let mut class = class.clone();
                class.set_span(name.span());
                TokenTree::Ident(class)
            }
            TokenTree::Group(group) => {
                let mut made = Group::new(group.delimiter(), named(group.stream(), class));
                made.set_span(group.span());
                TokenTree::Group(made)
            }
            token => token,
        });
        tokens.collect()
    }
    // Only names were replaced, so the tokens still parse as a type.
    syn::parse2(named(ty.to_token_stream(), class)).unwrap_or_else(|_| ty.clone())
}

/// Replaces a type that cannot be stored by one that causes no further errors. Returns whether the replacement cannot
/// be stored either.
fn stand_in(ty: &mut Type) -> bool {
    struct Links {
        only: bool,
    }
    impl VisitMut for Links {
        fn visit_path_segment_mut(&mut self, segment: &mut syn::PathSegment) {
            visit_mut::visit_path_segment_mut(self, segment);
            if segment.ident == "Rc" {
                segment.ident = Ident::new("Box", segment.ident.span());
                self.only = false;
            } else if segment.ident == "Ref" {
                segment.ident = Ident::new("Link", segment.ident.span());
            } else if segment.ident != "Option" {
                self.only &= segment.arguments.is_none();
            }
        }
        fn visit_type_mut(&mut self, ty: &mut Type) {
            if matches!(ty, Type::Ptr(_) | Type::TraitObject(_)) {
                // Neither can be sent between threads, as a class must be.
                self.only = false;
                *ty = syn::parse_quote!(());
            }
            visit_mut::visit_type_mut(self, ty);
        }
        fn visit_type_reference_mut(&mut self, reference: &mut syn::TypeReference) {
            self.only = false;
            reference.lifetime.get_or_insert_with(|| syn::Lifetime::new("'static", Span::call_site()));
            visit_mut::visit_type_reference_mut(self, reference);
        }
    }
    let text = ty.to_token_stream().to_string().replace(' ', "");
    let mut links = Links { only: text.contains("Ref<") && !text.contains(['&', '*', '(']) };
    links.visit_type_mut(ty);
    !links.only
}

/// Reports values that cannot be stored in this mode.
pub(super) fn check_mode(ty: &Type, kind: StorageKind, errors: &mut Errors) {
    match (kind, ty) {
        (StorageKind::Atomic, Type::Array(_)) => errors.at(
            ty,
            "an array has no atomic operations, its elements have: add `#[inline_array]` (or `#[inline_array(object)]`), and use `.get(index)`",
        ),
        (StorageKind::Atomic, Type::Path(path))
            if ["u8", "u16", "u128", "i8", "i16", "i128"].iter().any(|name| path.path.is_ident(name)) =>
        {
            errors.at(
                ty,
                "an `#[atomic]` field is a `u32`, `i32`, `u64`, `i64`, `f32`, `f64`, `bool`, `ikra::Fixed`, `Link<Class>` or `Option<Link<Class>>`",
            );
        }
        (StorageKind::Flatten, Type::Array(_)) => errors.at(
            ty,
            "`#[soa(flatten)]` stores a struct as one column per component; an array is not a struct: leave the attribute out",
        ),
        (StorageKind::Flatten, ty) if is_number(ty) => {
            errors.at(ty, "a number has no components for `#[soa(flatten)]`: leave the attribute out");
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{Class, MAX_FIELDS, padded};
    use crate::diagnostics::Errors;

    #[test]
    fn columns_have_a_name_for_each_class() {
        for (class, columns) in [("Body", "body"), ("Move", "r#move"), ("Crate", "crate_"), ("Self_", "self_")] {
            let class: syn::ItemStruct = syn::parse_str(&format!("struct {class} {{ mass: f32 }}")).unwrap();
            let class = Class::parse(Default::default(), &class, &mut Errors::default());
            assert_eq!(class.columns().to_string(), columns);
        }
    }

    #[test]
    fn tuples_have_few_lengths() {
        let mut lengths: Vec<usize> = (1..=MAX_FIELDS).map(padded).collect();
        lengths.dedup();
        // The lengths defined by `for_tuples!`.
        assert_eq!(lengths[..16], *(1..=16).collect::<Vec<_>>());
        assert_eq!(lengths[16..], [20, 24, 28, 32, 40, 48, 56, 64]);
        assert!((1..=MAX_FIELDS).all(|fields| padded(fields) >= fields));
    }
}
