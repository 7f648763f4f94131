//! The parsed model of a trait under `#[soa_dispatch]`.

use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Attribute, Ident, ItemTrait, Path, TraitItem, TraitItemConst, TraitItemFn, TypeParamBound, Visibility};

use super::check;
use super::options::Options;
use crate::diagnostics::Errors;
use crate::methods::Receiver;

/// A method or function of the trait.
pub(super) struct Method {
    pub(super) item: TraitItemFn,
    /// `None` for a function.
    pub(super) receiver: Option<Receiver>,
    pub(super) kernel: Option<Kernel>,
    /// Whether the method is invalid; already reported.
    pub(super) is_mistaken: bool,
}

/// A method under `#[kernel]`.
pub(super) struct Kernel {
    pub(super) attr: Attribute,
    /// Its index among the trait's kernels.
    pub(super) number: usize,
}

/// A trait under `#[soa_dispatch]`.
pub(super) struct Dispatch {
    pub(super) attrs: Vec<Attribute>,
    pub(super) vis: Visibility,
    pub(super) ident: Ident,
    pub(super) options: Options,
    pub(super) supertraits: Vec<Path>,
    pub(super) constants: Vec<TraitItemConst>,
    pub(super) methods: Vec<Method>,
    /// The methods of supertraits, without bodies.
    pub(super) inherited: Vec<Method>,
}

/// The supertraits under `#[soa_dispatch]`. `Send` and similar traits hold for every class and are skipped.
pub(super) fn supertraits(item: &ItemTrait) -> Vec<Path> {
    let paths = item.supertraits.iter().filter_map(|bound| match bound {
        TypeParamBound::Trait(bound) => Some(bound.path.clone()),
        _ => None,
    });
    paths.filter(|path| !["Send", "Sync", "Sized"].iter().any(|known| path.is_ident(known))).collect()
}

impl Dispatch {
    pub(super) fn parse(args: TokenStream, item: ItemTrait, inherited: TokenStream, errors: &mut Errors) -> Self {
        let options = Options::parse(args, &item.ident, errors);
        let supertraits = supertraits(&item);
        check::header(&item, errors);
        let mut dispatch = Self {
            attrs: item.attrs,
            vis: item.vis,
            ident: item.ident,
            options,
            supertraits,
            constants: Vec::new(),
            methods: Vec::new(),
            inherited: Vec::new(),
        };
        let mut kernels = 0;
        for item in item.items {
            match item {
                TraitItem::Fn(item) => dispatch.methods.push(Method::parse(item, &mut kernels, errors)),
                TraitItem::Const(item) => dispatch.constants.push(item),
                other => check::item(&other, errors),
            }
        }
        let several = |input: ParseStream<'_>| {
            let mut items = Vec::new();
            while !input.is_empty() {
                items.push(TraitItemFn::parse(input)?);
            }
            Ok(items)
        };
        let items = several.parse2(inherited).unwrap_or_default();
        // The supertrait's own expansion reports its mistakes.
        let mut reported = Errors::default();
        dispatch.inherited = items.into_iter().map(|item| Method::parse(item, &mut 0, &mut reported)).collect();
        dispatch
    }

    /// The method of this name.
    pub(super) fn method(&self, name: &Ident) -> Option<&Method> {
        self.methods.iter().find(|method| method.item.sig.ident == *name)
    }
}

impl Method {
    fn parse(mut item: TraitItemFn, kernels: &mut usize, errors: &mut Errors) -> Self {
        let mut kernel = None;
        item.attrs.retain(|attr| {
            let is_kernel = attr.path().segments.last().is_some_and(|last| last.ident == "kernel");
            if is_kernel && kernel.is_some() {
                errors.at(attr, "`#[kernel]` appears twice; put all options into one");
            } else if is_kernel {
                kernel = Some(attr.clone());
            }
            !is_kernel
        });
        let (receiver, is_mistaken) = check::method(&item, kernel.as_ref(), errors);
        let kernel = kernel.filter(|_| receiver.is_some()).map(|attr| {
            *kernels += 1;
            Kernel { attr, number: *kernels - 1 }
        });
        Self { item, receiver, kernel, is_mistaken }
    }
}
