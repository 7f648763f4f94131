//! The arguments of `#[kernel(…)]`.

use ikra_marks::uses;
use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Ident, LitInt, LitStr, Meta, Path, Token};

use super::facts::Uses;
use super::{FieldKind, Fields, names, plain_name};
use crate::diagnostics::Errors;

/// The arguments, with their defaults.
pub(crate) struct Options {
    /// The span of `#[kernel]`.
    pub(crate) span: Span,
    pub(crate) pairs: Option<Ident>,
    pub(crate) reducers: Vec<Path>,
    /// The fields, by position; `None` if `writes` was not given.
    pub(crate) writes: Option<u64>,
    pub(crate) snapshot: u64,
    pub(crate) snapshot_at: Option<Ident>,
    pub(crate) heavy: Option<bool>,
    /// Whether it may remove its object, which its text does not show.
    pub(crate) removes: bool,
    /// The trait that declares the kernel, and the kernel's index in the trait.
    pub(crate) of: Option<(Path, LitInt)>,
    /// The listed operations on atomic fields, which replace the operations found in the text.
    pub(crate) order: Uses,
    /// The names in these lists, and whether the name is in `updates(…)` without an operation.
    listed: Vec<(Ident, bool)>,
}

enum Setting {
    Flag(Ident),
    Fields(Ident, Punctuated<Ident, Token![,]>),
    Updates(Punctuated<Update, Token![,]>),
    Reduce(Ident, Punctuated<Path, Token![,]>),
    /// The trait that declares the kernel, and the kernel's index.
    Of(Path, LitInt),
}

const OPTIONS: &str = "`pairs`, `reduce(Sum, …)`, `writes(field, …)`, `snapshot(field, …)`, `removes`, `heavy` and `light`, and for atomic fields `unordered(field, …)`, `loads(field, …)`, `stores(field, …)` and `updates(add(field), …)`";

/// The name of a field.
fn field_name(input: ParseStream<'_>) -> syn::Result<Ident> {
    if input.peek(LitStr) {
        return Err(input.error("a field's name has no quotes here: `snapshot(field)`"));
    }
    let name = Ident::parse_any(input)?;
    match input.peek(Token![::]) {
        true => Err(input.error("a name without a path belongs here: a field of this class")),
        false => Ok(name),
    }
}

/// An entry of `updates(…)`: `field`, or `add(field, …)`.
enum Update {
    Field(Ident),
    By(Ident, Punctuated<Ident, Token![,]>),
}

impl Parse for Update {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = field_name(input)?;
        if !input.peek(syn::token::Paren) {
            return Ok(Self::Field(name));
        }
        let content;
        syn::parenthesized!(content in input);
        Ok(Self::By(name, Punctuated::parse_terminated_with(&content, |field| field.call(field_name))?))
    }
}

impl Parse for Setting {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = Ident::parse_any(input)
            .map_err(|error| syn::Error::new(error.span(), format!("`#[kernel]` takes {OPTIONS}")))?;
        if input.peek(Token![=]) {
            let message = match name.to_string().as_str() {
                "reduce" => "write the reducers in parentheses: `reduce(Sum)`".to_owned(),
                "writes" | "snapshot" | "unordered" | "loads" | "stores" | "updates" => {
                    format!("write the fields in parentheses: `{name}(field, …)`")
                }
                _ => format!("`#[kernel]` takes {OPTIONS}"),
            };
            return Err(syn::Error::new(name.span(), message));
        }
        if !input.peek(syn::token::Paren) {
            return Ok(Self::Flag(name));
        }
        let content;
        syn::parenthesized!(content in input);
        if name == "__of" {
            let path = content.parse()?;
            content.parse::<Token![,]>()?;
            return Ok(Self::Of(path, content.parse()?));
        }
        if name == "reduce" {
            return Ok(Self::Reduce(name, Punctuated::parse_terminated(&content)?));
        }
        if name == "updates" {
            return Ok(Self::Updates(Punctuated::parse_terminated(&content)?));
        }
        let fields = Punctuated::parse_terminated_with(&content, |field| field.call(field_name))?;
        Ok(Self::Fields(name, fields))
    }
}

impl Options {
    /// Parses a `#[kernel]` attribute.
    pub(crate) fn parse(attr: &Attribute, class: &Fields, errors: &mut Errors) -> Self {
        let mut options = Self {
            span: syn::spanned::Spanned::span(attr.path()),
            pairs: None,
            reducers: Vec::new(),
            writes: None,
            snapshot: 0,
            snapshot_at: None,
            heavy: None,
            removes: false,
            of: None,
            order: Uses::default(),
            listed: Vec::new(),
        };
        let settings = match &attr.meta {
            Meta::Path(_) => return options,
            Meta::List(list) => errors.settings(list.tokens.clone()),
            Meta::NameValue(_) => {
                errors.take(attr.meta.require_list().map(drop));
                return options;
            }
        };
        for setting in settings {
            match setting {
                Setting::Flag(name) if name == "pairs" => options.pairs = Some(name),
                Setting::Flag(name) if name == "removes" => options.removes = true,
                Setting::Of(path, number) => options.of = Some((path, number)),
                Setting::Flag(name) if name == "heavy" => {
                    if options.heavy == Some(false) {
                        errors.at(&name, "a kernel is either `heavy` or `light`");
                    }
                    options.heavy = Some(true);
                }
                Setting::Flag(name) if name == "light" => {
                    if options.heavy == Some(true) {
                        errors.at(&name, "a kernel is either `heavy` or `light`");
                    }
                    options.heavy = Some(false);
                }
                Setting::Flag(name) | Setting::Fields(name, _) if name == "reduce" => {
                    errors.at(
                        name,
                        "name the reducers: `reduce(Sum)`, or `Min`, `Max`, `All`, `Any`, or a reducer of your own",
                    );
                }
                Setting::Flag(name)
                    if ["writes", "snapshot", "unordered", "loads", "stores", "updates"]
                        .iter()
                        .any(|one| name == one) =>
                {
                    errors.at(&name, format!("name the fields: `{name}(field, …)`"));
                }
                Setting::Fields(name, fields) if name == "writes" => {
                    let set = options.writes.get_or_insert(0);
                    *set |= field_set(&name, &fields, class, errors);
                }
                Setting::Fields(name, fields) if name == "snapshot" => {
                    options.snapshot |= field_set(&name, &fields, class, errors);
                    options.snapshot_at = Some(name);
                }
                Setting::Fields(name, fields) if name == "unordered" => {
                    options.list(fields, uses::UNORDERED, uses::UNORDERED);
                }
                Setting::Fields(name, fields) if name == "loads" => options.list(fields, uses::LOAD, uses::LOAD),
                Setting::Fields(name, fields) if name == "stores" => options.list(fields, uses::STORE, 0),
                Setting::Updates(updates) => {
                    for update in updates {
                        options.updates(update, errors);
                    }
                }
                Setting::Reduce(name, reducers) => {
                    if reducers.is_empty() {
                        errors.at(
                            &name,
                            "name the reducers: `reduce(Sum)`, or `Min`, `Max`, `All`, `Any`, or a reducer of your own",
                        );
                    }
                    options.reducers.extend(reducers);
                }
                Setting::Flag(name) | Setting::Fields(name, _) => {
                    errors.at(&name, format!("no such option; `#[kernel]` takes {OPTIONS}"));
                }
            }
        }
        options
    }

    fn list(&mut self, names: impl IntoIterator<Item = Ident>, own: u16, other: u16) {
        for name in names {
            let entry = self.order.0.entry(plain_name(&name)).or_default();
            entry.0 |= own;
            entry.1 |= other;
            self.listed.push((name, false));
        }
    }

    fn updates(&mut self, update: Update, errors: &mut Errors) {
        match update {
            Update::Field(name) => self.listed.push((name, true)),
            Update::By(operation, names) => match names::update(&plain_name(&operation)) {
                // An update of other objects includes the kernel's own object.
                Some(bit) => self.list(names, 0, bit),
                None => errors.at(
                    &operation,
                    "an update that commutes is one of `add`, `min`, `max`, `or` and `and`: `updates(add(field))`",
                ),
            },
        }
    }

    /// Checks the lists for atomic fields against the operations found in the text, `found`.
    pub(crate) fn check_order(&mut self, found: &Uses, class: &Fields, errors: &mut Errors) {
        for (name, by_text) in std::mem::take(&mut self.listed) {
            let key = plain_name(&name);
            let field = class.position(&name);
            let shown = found.0.get(&key).map_or(0, |(own, other)| own | other);
            if by_text {
                if shown.is_power_of_two() && shown & uses::UPDATES != 0 {
                    self.order.0.insert(key.clone(), (0, shown));
                } else {
                    errors.at(
                        &name,
                        format!("the text does not show by which operation `{name}` is updated: name it, as in `updates(add({name}))`; it is one of `add`, `min`, `max`, `or` and `and`"),
                    );
                    continue;
                }
            }
            let is_atomic = field.is_some_and(|field| class.is_atomic(field));
            if is_atomic || shown != 0 {
                continue;
            }
            let known =
                class.fields.iter().filter(|(_, kind)| *kind == FieldKind::Atomic).map(|(field, _)| plain_name(field));
            let known: Vec<String> = known.chain(found.0.keys().cloned()).collect();
            if let Some(similar) = known.iter().find(|known| is_similar(known, &key)) {
                errors.at(&name, format!("the kernel uses no atomic field `{name}`; did you mean `{similar}`?"));
            } else if field.is_some() {
                errors.at(
                    &name,
                    format!("`{}::{name}` is not `#[atomic]`, and the kernel uses no atomic field of this name in another class", class.class),
                );
            }
        }
    }
}

/// Whether one name may be a typo of the other. They differ by at most two insertions, deletions or replacements, and
/// by less than half.
fn is_similar(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (n, from) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = n + 1;
        for (m, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[m + 1];
            row[m + 1] = replaced.min(diagonal + 1).min(row[m] + 1);
        }
    }
    let distance = row[b.len()];
    (1..=2).contains(&distance) && 2 * distance < a.len().max(b.len())
}

fn field_set(option: &Ident, names: &Punctuated<Ident, Token![,]>, class: &Fields, errors: &mut Errors) -> u64 {
    let mut set = 0;
    for name in names {
        match class.position(name) {
            Some(field) if class.is_atomic(field) => errors.at(
                name,
                format!("`{name}` is `#[atomic]`: other objects see every change immediately, so it cannot be in `{option}(…)`"),
            ),
            Some(field) => set |= 1 << field,
            None => errors.at(name, format!("class `{}` has no field `{name}`", class.class)),
        }
    }
    set
}
