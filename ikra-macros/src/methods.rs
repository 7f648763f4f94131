//! `#[soa_methods]`, and `#[kernel]` within.
//!
//! There are two stages. The attribute passes the block to the class's own macro. That macro adds the class's fields
//! and passes both to [`expand_methods`].

mod arguments;
mod assigned;
mod attributes;
mod births;
mod chains;
mod check;
mod closure;
mod entry;
mod expand;
mod facts;
mod hints;
mod kernel;
mod lenient;
mod lives;
mod macros;
mod misplaced;
mod model;
mod names;
mod often;
mod options;
mod ordinary;
mod own;
mod parse;
mod place;
mod rewrite;
mod signature;
mod sums;
mod turns;
mod walk;

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Ident, ItemImpl, LitStr, PathArguments, Token, Type};

use crate::class::{forgotten, is_foreign};
use crate::diagnostics::Errors;
use crate::dispatch::is_plain;
use crate::krate::Krate;
pub(crate) use arguments::{Args, device_arguments};
pub(crate) use expand::{borrows_self, cfgs};
pub(crate) use hints::{hint, on as hints_on};
pub(crate) use lenient::block as lenient_block;
pub(crate) use misplaced::misplaced;
use model::Block;
pub(crate) use model::Receiver;
pub(crate) use rewrite::rewrite;
pub(crate) use signature::line as signature_line;

/// Expands the attribute to `Body! { impl Body { … } }`.
pub(crate) fn soa_methods(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    // Without this argument, the class's macro supplies the path to `ikra`.
    let krate = match args.is_empty() {
        true => None,
        false => {
            let (krate, args) = Krate::take("soa_methods", args, &mut errors);
            if !args.is_empty() {
                errors.at(
                    &args,
                    "`#[soa_methods]` takes no arguments but `crate = path`; options belong on `#[kernel(…)]`",
                );
            }
            Some(krate)
        }
    };
    let (mut known_by, mut is_generic) = (None, false);
    let class = match lenient::header(&item) {
        Ok((block, _)) => {
            known_by = block.trait_.as_ref().and_then(|(path, _)| dispatched(path, &mut errors));
            is_generic = !block.generics.params.is_empty();
            let class = class_path(&block, &mut errors);
            if class.as_ref().is_some_and(|class| is_foreign(class, &mut errors)) {
                return errors.into_tokens().unwrap_or_default();
            }
            class
        }
        Err(error) => {
            // This is not an impl block, or it has a syntax error before its methods. The syntax error is the more
            // useful message.
            match item.clone().into_iter().next() {
                Some(first) if first.to_string() == "impl" || first.to_string() == "#" => errors.add(error),
                _ => {
                    errors.span(Span::call_site(), "`#[soa_methods]` belongs on `impl Class { … }`");
                    let errors = errors.into_tokens();
                    return quote!(#item #errors);
                }
            }
            None
        }
    };
    let errors = errors.into_tokens();
    let krate = krate.map(|krate| krate.reach(quote!([::ikra])));
    match class {
        // The trait's macro adds the trait's items, then invokes the class's macro.
        Some(_) if known_by.is_some() => quote!(#errors #known_by! { #krate #item }),
        Some(class) if errors.is_none() || !is_of_trait(&item) => {
            let forgotten = forgotten(&class, "soa_methods");
            quote!(#errors #forgotten #class! { #krate #item })
        }
        // Emit a plain trait implementation unchanged: it may be correct without Ikra, and other code relies on it.
        _ if !is_generic && !mentions(item.clone(), &["kernel", "Ref"]) && is_of_trait(&item) => quote!(#errors #item),
        _ => quote!(#errors),
    }
}

/// The path of a block's trait, which is also the path of the trait's macro.
fn dispatched(path: &syn::Path, errors: &mut Errors) -> Option<syn::Path> {
    let last = path.segments.last()?;
    if is_plain(&last.ident) {
        errors.at(
            path,
            "`#[soa_methods]` takes the methods of traits under `#[soa_dispatch(Class, …)]`: implement others for the views and refs of the class, `impl<P: ikra::Phase> Trait for ClassRef<'_, P>`, or leave the attribute out for the struct's own",
        );
        return None;
    }
    if !last.arguments.is_none() {
        errors.at(&last.arguments, "a trait under `#[soa_dispatch]` is not generic");
    }
    let mut path = path.clone();
    if let Some(last) = path.segments.last_mut() {
        last.arguments = PathArguments::None;
    }
    Some(path)
}

fn is_of_trait(item: &TokenStream) -> bool {
    lenient::header(item).is_ok_and(|(block, _)| block.trait_.is_some())
}

/// Whether the tokens contain one of these words.
fn mentions(tokens: TokenStream, words: &[&str]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(name) => words.iter().any(|word| name == word),
        TokenTree::Group(group) => mentions(group.stream(), words),
        _ => false,
    })
}

/// The path of the block's class.
fn class_path(block: &ItemImpl, errors: &mut Errors) -> Option<syn::Path> {
    if !block.generics.params.is_empty() {
        errors.at(&block.generics, "a class is not generic, so neither is its `impl`; a method can be");
        return None;
    }
    match &*block.self_ty {
        Type::Path(path) if path.qself.is_none() => {
            let mut path = path.path.clone();
            if let Some(last) = path.segments.last_mut()
                && !last.arguments.is_none()
            {
                errors.at(&last.arguments, "a class is not generic, and neither is its name here");
                last.arguments = PathArguments::None;
            }
            Some(path)
        }
        other => {
            errors.at(other, "`#[soa_methods]` belongs on the `impl` of a struct under `#[soa_class]`");
            None
        }
    }
}

/// A class's name and fields, as its macro passes them on.
pub(crate) struct Fields {
    pub(crate) class: String,
    pub(crate) fields: Vec<(Ident, FieldKind)>,
    /// The names of fields whose elements are links, `self.near[k]`.
    pub(crate) links: Vec<String>,
    /// The names of fields that are inner arrays.
    pub(crate) arrays: Vec<String>,
    /// The names of fields that are a link, and as what methods see them.
    pub(crate) shown: Vec<(String, Shown)>,
}

/// A link, or the object that methods see in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    /// Whether it is the link itself.
    pub(crate) is_link: bool,
    /// Whether it is an `Option` of one.
    pub(crate) is_optional: bool,
    /// Whether it is an object that certainly is of the method's own class.
    pub(crate) is_own: bool,
}

impl Shown {
    pub(crate) const LINK: Self = Self { is_link: true, is_optional: false, is_own: false };
    pub(crate) const OBJECT: Self = Self { is_link: false, ..Self::LINK };

    /// What a field with a given keyword is, or what the operations of an atomic field take and return.
    fn named(word: &Ident) -> Option<Self> {
        Some(match word.to_string().as_str() {
            "own" => Self { is_own: true, ..Self::OBJECT },
            "own_option" => Self { is_own: true, is_optional: true, ..Self::OBJECT },
            "link" => Self::OBJECT,
            "option" => Self { is_optional: true, ..Self::OBJECT },
            "atomic_link" => Self::LINK,
            "atomic_option" => Self { is_optional: true, ..Self::LINK },
            _ => return None,
        })
    }
}

/// A field's kind, as passed by the class's macro.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldKind {
    /// It is `#[atomic]`.
    Atomic,
    /// A number, a `bool`, or a `Link`: no method changes its receiver.
    Number,
    /// An array of such values.
    Numbers,
    /// Any other type.
    Other,
}

impl FieldKind {
    /// The kind with a given keyword.
    fn named(word: &Ident) -> Self {
        match word.to_string().as_str() {
            "atomic" | "atomic_link" | "atomic_option" => Self::Atomic,
            "number" | "own" | "link" => Self::Number,
            "numbers" | "array_of_numbers" => Self::Numbers,
            _ => Self::Other,
        }
    }

    /// Whether some method may change the field, or an element of it, as its receiver.
    pub(crate) fn has_mutators(self, is_element: bool) -> bool {
        match self {
            Self::Number => false,
            Self::Numbers => !is_element,
            Self::Atomic | Self::Other => true,
        }
    }
}

impl Fields {
    /// The position of a field by name.
    pub(crate) fn position(&self, name: &Ident) -> Option<usize> {
        // `self.r#pos` is `self.pos`.
        let name = name.unraw();
        self.fields.iter().position(|(field, _)| field.unraw() == name)
    }

    /// The position of the field whose getter has this name.
    pub(crate) fn named(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|(field, _)| field.unraw() == name)
    }

    /// What the field is, if it is a link.
    pub(crate) fn shown(&self, name: &Ident) -> Option<Shown> {
        self.shown.iter().find(|(field, _)| name.unraw() == field).map(|&(_, shown)| shown)
    }

    /// Whether the field is marked `#[atomic]`.
    pub(crate) fn is_atomic(&self, field: usize) -> bool {
        self.kind(field) == FieldKind::Atomic
    }

    /// The field's kind.
    pub(crate) fn kind(&self, field: usize) -> FieldKind {
        self.fields[field].1
    }
}

/// `(::ikra; "Body" pos plain, near links, …) [::ikra] impl Body { … }`. The parts are the class's path to `ikra`, its
/// name and fields, the block's path to `ikra` if it gives one, and the block.
struct Input {
    krate: Krate,
    fields: Fields,
    block: TokenStream,
}

impl Parse for Input {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let content;
        syn::parenthesized!(content in input);
        let mut krate = Krate::default();
        if !content.peek(LitStr) {
            krate = Krate::at(content.parse()?);
            content.parse::<Token![;]>()?;
        }
        let class: LitStr = content.parse()?;
        let fields = Punctuated::<(Ident, Ident), Token![,]>::parse_terminated_with(&content, |field| {
            Ok((field.call(Ident::parse_any)?, field.parse()?))
        })?;
        let shown = |(name, word): &(Ident, Ident)| Some((plain_name(name), Shown::named(word)?));
        let named = |words: &[&str]| {
            let fields = fields.iter().filter(|(_, word)| words.iter().any(|other| word == other));
            fields.map(|(name, _)| plain_name(name)).collect()
        };
        let fields = Fields {
            class: class.value(),
            links: named(&["links"]),
            arrays: named(&["links", "array", "array_of_numbers"]),
            shown: fields.iter().filter_map(shown).collect(),
            fields: fields.into_iter().map(|(name, word)| (name, FieldKind::named(&word))).collect(),
        };
        if input.peek(syn::token::Bracket) {
            let own;
            syn::bracketed!(own in input);
            krate = Krate::at(own.parse()?);
        }
        Ok(Self { krate, fields, block: input.parse()? })
    }
}

/// A name without `r#`.
pub(crate) fn plain_name(ident: &Ident) -> String {
    ident.unraw().to_string()
}

fn is_punct(token: Option<&TokenTree>, c: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == c)
}

/// Expands the call of the class's macro, the second stage.
pub(crate) fn expand_methods(input: TokenStream) -> TokenStream {
    match syn::parse2(input) {
        Ok(Input { krate, fields, block }) => krate.reach(methods(fields, krate.protect(block))),
        Err(error) => error.to_compile_error(),
    }
}

fn methods(fields: Fields, block: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let Some(block) = lenient::block(block, &mut errors) else {
        return errors.into_tokens().unwrap_or_default();
    };
    let Some(class) = class_path(&block, &mut errors) else {
        return errors.into_tokens().unwrap_or_default();
    };
    let block = Block::parse(class, fields, block, &mut errors);
    // A block with mistakes still defines its methods, so that calls to them are not errors too.
    let errors = errors.into_tokens();
    let (made, hints) = (expand::expand(&block), hints::hints(&block));
    quote!(#errors #made #hints)
}
