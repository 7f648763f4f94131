//! `#[soa_methods]`, and `#[kernel]` within.
//!
//! Two stages: the attribute hands the block to the class's own macro, which adds the class's fields and
//! hands both to [`expand_methods`].

mod access;
mod arguments;
mod body;
mod device;
mod expand;
mod kernel;
mod model;
mod options;
mod rewrite;

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Ident, ItemImpl, LitStr, Token, Type};

use crate::diagnostics::Errors;
use model::Block;

/// The attribute: `Body! { impl Body { … } }`.
pub(crate) fn soa_methods(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    if !args.is_empty() {
        errors.at(&args, "`#[soa_methods]` takes no arguments; options belong on `#[kernel(…)]`");
    }
    let class = match syn::parse2::<ItemImpl>(item.clone()) {
        Ok(block) => class_path(&block, &mut errors),
        Err(error) => {
            // Not an impl block at all, or one with a syntax error inside, which is the more useful message.
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
    match (errors.into_tokens(), class) {
        (None, Some(class)) => quote!(#class! { #item }),
        (errors, _) => quote!(#errors),
    }
}

/// The path of the class that a block is for.
fn class_path(block: &ItemImpl, errors: &mut Errors) -> Option<syn::Path> {
    if let Some((path, _)) = &block.trait_ {
        errors.at(path, "`#[soa_methods]` takes the class's own methods, `impl Class { … }`, and no trait's");
        return None;
    }
    if !block.generics.params.is_empty() {
        errors.at(&block.generics, "a class is not generic, so neither is its `impl`; a method can be");
        return None;
    }
    match &*block.self_ty {
        Type::Path(path) if path.qself.is_none() => Some(path.path.clone()),
        other => {
            errors.at(other, "`#[soa_methods]` belongs on the `impl` of a struct under `#[soa_class]`");
            None
        }
    }
}

/// A class's name and fields, as its macro passes them on.
pub(crate) struct Fields {
    pub(crate) class: String,
    pub(crate) fields: Vec<(Ident, bool)>,
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

    /// Whether the field is `#[atomic]`.
    pub(crate) fn is_atomic(&self, field: usize) -> bool {
        self.fields[field].1
    }
}

struct Input {
    fields: Fields,
    block: ItemImpl,
}

impl Parse for Input {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let content;
        syn::parenthesized!(content in input);
        let class: LitStr = content.parse()?;
        let fields = Punctuated::<(Ident, bool), Token![,]>::parse_terminated_with(&content, |field| {
            let name = field.call(Ident::parse_any)?;
            let mode: Ident = field.parse()?;
            Ok((name, mode == "atomic"))
        })?;
        let fields = Fields { class: class.value(), fields: fields.into_iter().collect() };
        Ok(Self { fields, block: input.parse()? })
    }
}

/// The second stage.
pub(crate) fn expand_methods(input: TokenStream) -> TokenStream {
    let Input { fields, block } = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let mut errors = Errors::default();
    let Some(class) = class_path(&block, &mut errors) else {
        return errors.into_tokens().unwrap_or_default();
    };
    let block = Block::parse(class, fields, block, &mut errors);
    // Methods are made even of a block with mistakes, so that calls to them are not errors too.
    let errors = errors.into_tokens();
    let made = expand::expand(&block);
    quote!(#errors #made)
}

/// `#[kernel]` outside of an impl block.
pub(crate) fn misplaced_kernel(item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    errors.span(Span::call_site(), "`#[kernel]` belongs on a method inside `#[soa_methods] impl`");
    let errors = errors.into_tokens();
    quote!(#item #errors)
}
