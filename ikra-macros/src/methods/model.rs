//! The parsed model of a block of methods.

use std::collections::{BTreeSet, HashMap};

use proc_macro2::{Ident, Span, TokenStream};
use syn::{Attribute, ImplItem, ImplItemFn, Path, Type};

use super::facts::Facts;
use super::options::Options;
use super::{Fields, plain_name};

/// The receiver of a method.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Receiver {
    /// `&self`
    Shared,
    /// `&mut self`
    Exclusive,
}

/// A parameter after the receiver.
pub(crate) struct Parameter {
    pub(crate) ty: Type,
    /// The class `X` of a parameter of type `Ref<X>`.
    pub(crate) object: Option<Type>,
    /// The class `X` of a parameter of type `Spawn<X>`, which the caller does not pass.
    pub(crate) young: Option<Type>,
    /// The arguments of a parameter of type `Groups<X>` or `Groups<X, K>`.
    pub(crate) groups: Option<TokenStream>,
    /// The type `T` of a parameter of type `Of<T>`.
    pub(crate) element: Option<Type>,
    /// The class `X` of a parameter of type `Worklist<X>`.
    pub(crate) worklist: Option<Type>,
}

impl Parameter {
    /// Whether the method sees it as something of its own phase.
    pub(super) fn is_of_world(&self) -> bool {
        self.object.is_some() || self.groups.is_some() || self.element.is_some()
    }
}

/// A method with a receiver.
pub(crate) struct Method {
    pub(crate) item: ImplItemFn,
    pub(crate) receiver: Receiver,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) facts: Facts,
    /// Plain fields that some calling kernel does not write.
    pub(crate) unwritten: u64,
    /// Getters and methods called on other objects, directly or by methods of the block that it calls, with their
    /// lines.
    pub(crate) calls: Vec<(String, usize)>,
    /// The fields read by the block's methods that it calls on other objects.
    pub(crate) others: u64,
    /// Whether it, or a method of the block that it calls, may reach objects in ways that these calls do not show.
    pub(crate) roams: bool,
    /// The methods that it calls on other objects, and functions.
    pub(super) called: BTreeSet<String>,
    pub(crate) kernel: Option<Options>,
    /// Whether a field has the same name, already reported.
    pub(crate) clashes: bool,
    /// Whether it is a kernel with an invalid argument or result; already reported.
    pub(crate) has_nested_ref: bool,
}

impl Method {
    /// Whether it is compiled under every `cfg`.
    pub(super) fn is_certain(&self) -> bool {
        !self.item.attrs.iter().any(|attr| attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr"))
    }
}

/// A constructor under `#[kernel]`.
pub(crate) struct Constructor {
    pub(crate) item: ImplItemFn,
    pub(crate) parameters: Vec<Parameter>,
}

/// An item that stays on the row.
pub(crate) enum RowItem {
    /// An item without changes.
    Plain(Box<ImplItem>),
    /// A function that takes `Ref`s, and is therefore generic over the phase.
    OfRefs(Box<ImplItemFn>),
}

/// A block of methods.
pub(crate) struct Block {
    pub(crate) class: Path,
    pub(crate) fields: Fields,
    /// The items that stay on the row.
    pub(crate) row_items: Vec<RowItem>,
    pub(crate) methods: Vec<Method>,
    pub(crate) constructors: Vec<Constructor>,
    pub(crate) attrs: Vec<Attribute>,
    /// The effects of functions without receiver.
    pub(super) functions: HashMap<String, Facts>,
}

impl Block {
    /// The receiver of the method with this name, if this block certainly has one.
    pub(crate) fn receiver(&self, name: &Ident) -> Option<Receiver> {
        self.named(name).map(|method| method.receiver)
    }

    /// The method with this name, if this block certainly has one.
    pub(super) fn named(&self, name: &Ident) -> Option<&Method> {
        let name = plain_name(name);
        self.methods.iter().find(|method| plain_name(&method.item.sig.ident) == name && method.is_certain())
    }

    /// The struct's name.
    pub(crate) fn class_ident(&self) -> Ident {
        match self.class.segments.last() {
            Some(last) => last.ident.clone(),
            None => Ident::new("Self", Span::call_site()),
        }
    }

    /// A path next to the class: `model::BodyMut` for `model::Body`.
    pub(crate) fn beside(&self, ident: Ident) -> Path {
        let mut path = self.class.clone();
        if let Some(last) = path.segments.last_mut() {
            last.ident = ident;
        }
        path
    }
}
