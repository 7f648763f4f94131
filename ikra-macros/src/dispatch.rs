//! `#[soa_dispatch(Class, …)]` on a trait, and `#[soa_methods] impl Trait for Class`.
//!
//! | stage | input | output |
//! | --- | --- | --- |
//! | the attribute | the trait | a macro of the trait's name, which passes the trait on; and, through the macros of its supertraits, the items that represent it: [`expand`] |
//! | that macro, invoked for a block | the trait and the block | the block with the trait's defaults and kernels, passed to the class's macro: [`implementor`] |
//! | that macro, invoked for a trait | the supertrait and the trait | the trait with its inherited methods |

mod check;
mod expand;
mod implementor;
mod model;
mod options;
mod strategy;

use std::collections::BTreeSet;
use std::sync::Mutex;

use proc_macro2::{Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::visit::Visit;
use syn::{ItemTrait, TraitItemFn};

use crate::class::forgotten;
use crate::diagnostics::Errors;
use crate::krate::Krate;
use model::Dispatch;

/// Expands the attribute `#[soa_dispatch]`.
pub(crate) fn soa_dispatch(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let (krate, args) = Krate::take("soa_dispatch", args, &mut errors);
    if krate.is_missing {
        return errors.into_tokens().unwrap_or_default();
    }
    let Ok(parsed) = syn::parse2::<ItemTrait>(item.clone()) else {
        let message = "`#[soa_dispatch(Class, …)]` belongs on a trait, whose methods have a body or end with `;`";
        match syn::parse2::<ItemTrait>(item.clone()) {
            Err(error) if starts_trait(&item) => errors.add(error),
            _ => errors.span(Span::call_site(), message),
        }
        return errors.into_tokens().unwrap_or_default();
    };
    if let Ok(mut made) = MADE.lock() {
        made.insert(parsed.ident.unraw().to_string());
    }
    let item = krate.protect(item);
    let errors = errors.into_tokens();
    let made = inherit(&krate, Inherited::default(), args, item, &parsed);
    krate.reach(quote!(#errors #made))
}

fn starts_trait(item: &TokenStream) -> bool {
    item.clone().into_iter().any(|token| matches!(token, TokenTree::Ident(word) if word == "trait"))
}

/// The methods of supertraits, and the number of supertraits already read.
#[derive(Default)]
struct Inherited {
    methods: TokenStream,
    told: usize,
}

/// Invokes the macro of the next supertrait; after the last one, expands the trait.
fn inherit(
    krate: &Krate,
    inherited: Inherited,
    args: TokenStream,
    item: TokenStream,
    parsed: &ItemTrait,
) -> TokenStream {
    let Inherited { methods, told } = inherited;
    match model::supertraits(parsed).get(told) {
        Some(next) => {
            let (told, krate) = (Literal::usize_unsuffixed(told), krate.reach(quote!(::ikra)));
            quote!(#next! { super #told { #methods } [#krate] (#args) #item })
        }
        None => {
            let mut errors = Errors::default();
            let mut dispatch = Dispatch::parse(args, parsed.clone(), methods, &mut errors);
            for class in without_attribute(&parsed.ident).unwrap_or_default() {
                plain_block(&mut dispatch, &class, &mut errors);
            }
            let forgotten = dispatch.options.classes.iter().filter_map(|class| forgotten(class, "soa_dispatch"));
            let forgotten: TokenStream = forgotten.collect();
            let made = expand::expand(&dispatch, &item, errors.into_tokens());
            quote!(#forgotten #made)
        }
    }
}

/// Reports an implementation of the trait that lacks `#[soa_methods]`.
fn plain_block(dispatch: &mut Dispatch, class: &str, errors: &mut Errors) {
    let name = &dispatch.ident;
    let message =
        format!("put `#[soa_methods]` on `impl {name} for {class}`: the name is that of a type, not of a trait");
    let options = &mut dispatch.options;
    let is_last = |path: &syn::Path| path.segments.last().is_some_and(|last| last.ident.unraw() == class);
    match options.classes.iter().position(is_last) {
        Some(place) => {
            errors.at(&options.classes[place], message);
            options.mistaken.push(place);
        }
        None => errors.at(name, message),
    }
}

/// `(::ikra; { inherited } trait Actor { … })`, followed by the input of the trait's macro.
struct Input {
    krate: Krate,
    /// The methods that the trait inherits.
    inherited: TokenStream,
    /// Whether the attribute lists classes.
    is_listed: bool,
    item: ItemTrait,
    given: Given,
}

enum Given {
    /// `[::ikra] impl Actor for Car { … }`; the brackets are present if the block names the path to `ikra`.
    Block { krate: Option<Group>, block: TokenStream },
    /// A trait that has this one as a supertrait.
    Trait { krate: Krate, inherited: Inherited, args: TokenStream, item: TokenStream },
}

impl Parse for Input {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let content;
        syn::parenthesized!(content in input);
        let krate = Krate::at(content.parse()?);
        content.parse::<syn::Token![;]>()?;
        let inherited: Group = content.parse()?;
        let is_listed = content.parse::<Option<syn::Token![_]>>()?.is_none();
        let item = content.parse()?;
        let given = if input.peek(syn::Token![super]) {
            input.parse::<syn::Token![super]>()?;
            let told: syn::LitInt = input.parse()?;
            let methods: Group = input.parse()?;
            let path;
            syn::bracketed!(path in input);
            let args: Group = input.parse()?;
            Given::Trait {
                krate: Krate::at(path.parse()?),
                inherited: Inherited { methods: methods.stream(), told: told.base10_parse()? },
                args: args.stream(),
                item: input.parse()?,
            }
        } else {
            let krate = if input.peek(syn::token::Bracket) { Some(input.parse()?) } else { None };
            Given::Block { krate, block: input.parse()? }
        };
        Ok(Self { krate, inherited: inherited.stream(), is_listed, item, given })
    }
}

/// Expands the call of a trait's macro, the second stage.
pub(crate) fn expand_dispatch(input: TokenStream) -> TokenStream {
    let Input { krate, inherited, is_listed, item, given } = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    match given {
        Given::Block { krate: own, block } => {
            let own_krate = match &own {
                Some(group) => syn::parse2(group.stream()).map_or_else(|_| krate.clone(), Krate::at),
                None => krate.clone(),
            };
            // The trait's own expansion reports its mistakes.
            let dispatch = Dispatch::parse(TokenStream::new(), item, inherited, &mut Errors::default());
            own_krate.reach(implementor::implementor(&dispatch, is_listed, own, own_krate.protect(block)))
        }
        Given::Trait { krate: own, inherited: mut found, args, item: subtrait } => {
            let methods = item.items.iter().filter_map(|item| match item {
                syn::TraitItem::Fn(TraitItemFn { attrs, sig, .. }) if sig.receiver().is_some() => {
                    let docs = attrs.iter().filter(|attr| attr.path().is_ident("doc"));
                    Some(quote!(#(#docs)* #sig;))
                }
                _ => None,
            });
            found.methods.extend(quote!(#inherited #(#methods)*));
            found.told += 1;
            match syn::parse2::<ItemTrait>(subtrait.clone()) {
                Ok(parsed) => own.reach(inherit(&own, found, args, subtrait, &parsed)),
                Err(error) => error.to_compile_error(),
            }
        }
    }
}

/// Whether a trait evidently lacks `#[soa_dispatch]`. It is then a common trait of the standard library, or a trait in
/// the same file without the attribute.
pub(crate) fn is_plain(name: &Ident) -> bool {
    const NAMES: [&str; 26] = [
        "Add",
        "AddAssign",
        "AsRef",
        "Clone",
        "Copy",
        "Debug",
        "Default",
        "Deref",
        "Display",
        "Div",
        "Drop",
        "Eq",
        "Error",
        "Extend",
        "From",
        "FromStr",
        "Hash",
        "Index",
        "Into",
        "IntoIterator",
        "Iterator",
        "Mul",
        "Ord",
        "PartialEq",
        "PartialOrd",
        "Sub",
    ];
    let is_made = MADE.lock().is_ok_and(|made| made.contains(&name.unraw().to_string()));
    !is_made && (NAMES.iter().any(|known| name == known) || stands_without(name).unwrap_or(false))
}

/// Names of the traits expanded so far.
static MADE: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// The classes whose block of the trait in this file lacks `#[soa_methods]`, provided that no other trait has this
/// name.
fn without_attribute(name: &Ident) -> Option<Vec<String>> {
    struct Blocks<'a>(&'a Ident, usize, Vec<String>);
    impl<'i> Visit<'i> for Blocks<'_> {
        fn visit_item_trait(&mut self, item: &'i ItemTrait) {
            self.1 += usize::from(item.ident.unraw() == self.0.unraw());
        }
        fn visit_item_impl(&mut self, item: &'i syn::ItemImpl) {
            let is_of = |path: &syn::Path| path.get_ident().is_some_and(|name| name.unraw() == self.0.unraw());
            if item.attrs.is_empty() && item.trait_.as_ref().is_some_and(|(path, _)| is_of(path)) {
                self.2.push(quote::ToTokens::to_token_stream(&item.self_ty).to_string());
            }
        }
    }
    let text = std::fs::read_to_string(Span::call_site().local_file()?).ok()?;
    let block = format!("impl {} for", name.unraw());
    // Skip parsing if every block in the file has an attribute, as is usual.
    text.match_indices(&block).any(|(at, _)| !text[..at].trim_end().ends_with(']')).then_some(())?;
    let mut blocks = Blocks(name, 0, Vec::new());
    blocks.visit_file(&syn::parse_file(&text).ok()?);
    (blocks.1 == 1).then_some(blocks.2)
}

/// Whether this file has traits of this name, all without the attribute.
fn stands_without(name: &Ident) -> Option<bool> {
    struct Traits<'a>(&'a Ident, Vec<bool>);
    impl<'i> Visit<'i> for Traits<'_> {
        fn visit_item_trait(&mut self, item: &'i ItemTrait) {
            let is_named =
                |attr: &syn::Attribute| attr.path().segments.last().is_some_and(|last| last.ident == "soa_dispatch");
            if item.ident.unraw() == self.0.unraw() {
                self.1.push(item.attrs.iter().any(is_named));
            }
        }
    }
    let text = std::fs::read_to_string(Span::call_site().local_file()?).ok()?;
    let mut traits = Traits(name, Vec::new());
    traits.visit_file(&syn::parse_file(&text).ok()?);
    Some(!traits.1.is_empty() && traits.1.iter().all(|is_under| !is_under))
}
