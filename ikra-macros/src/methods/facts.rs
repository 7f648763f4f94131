//! What a body does, as far as its text shows.
//!
//! Reads are found completely: a field can be reached only through the token `self`, either as `self.field`, or through
//! another method, or through `self` as a whole, which counts as every field. Writes are found where the text shows them;
//! the executor checks the rest at run time. What is done to atomic fields decides which rule the runtime's `order`
//! module applies to a field in a kernel; whatever is done that the list does not show is a compile error there, and an entry
//! for something that is not done forbids something at worst.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::macros::Standard;

/// What a body does.
#[derive(Clone, Default)]
pub(crate) struct Facts {
    /// Fields of its own object that it names, by position.
    pub(crate) touches: u64,
    /// Fields that it may change.
    pub(crate) writes: u64,
    /// Fields that macros of the user's are given as places, `increment!(self.a)`: perhaps changed.
    pub(crate) given: u64,
    /// Methods that it calls on `self`.
    pub(crate) calls: Vec<Ident>,
    /// Whether it uses `self` as a whole, to read.
    pub(crate) whole: bool,
    /// Whether it hands on `self` as a whole in a way that may change any field.
    pub(crate) escapes: bool,
    /// The method that is `whole` or `escapes`: this one or one that it calls.
    pub(crate) because: Option<String>,
    /// Whether it calls macros that are not known and are not given `self`, or contains text that cannot be read.
    pub(crate) hidden: bool,
    /// Whether it calls macros of the standard library, by their names alone or by paths that begin with `std`.
    pub(crate) standard: Standard,
    /// Whether strings in it format `self`: `"{self:?}"`.
    pub(crate) formats_self: bool,
    /// Whether it contains a loop.
    pub(crate) loops: bool,
    /// What it does to atomic fields, of any object.
    pub(crate) uses: Uses,
    /// What it calls by name: methods of any object, and functions.
    pub(crate) called: BTreeSet<Called>,
    /// Methods that it seems to call on links.
    pub(crate) followed: BTreeSet<String>,
    /// Where it certainly reads a field of another object of its class by a getter.
    pub(crate) reads: Vec<Read>,
}

impl Facts {
    /// Methods that it calls on other objects, and functions. A getter of an atomic is not one of them: a method of the class
    /// that has its name is another one.
    pub(crate) fn others(&self) -> impl Iterator<Item = &String> {
        let is_other = |called: &&Called| !matches!(called.how, How::OnSelf | How::Getter);
        self.called.iter().filter(is_other).map(|called| &called.name)
    }
}

/// A getter that is called on another object of the same class.
#[derive(Clone)]
pub(crate) struct Read {
    /// Where.
    pub(crate) at: TokenStream,
    /// The field, by position.
    pub(crate) field: usize,
    /// The parameter that is the object, if it is not another variable of this name.
    pub(crate) other: Option<String>,
}

/// A name that a body calls.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Called {
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) how: How,
}

/// How something is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum How {
    /// As a method of `self`.
    OnSelf,
    /// As a method of something else, or named by a path, `BodyRef::pos`.
    OnOther,
    /// As a method of something else, whose result an atomic operation follows: `other.hits().add(1)`.
    Getter,
    /// As a function, `pos(x)`.
    Function,
}

/// What is done to atomic fields, by name: bits for those of the method's own object, and for others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Uses(pub(crate) BTreeMap<String, (u16, u16)>);

impl Uses {
    /// Adds bits for a field.
    pub(crate) fn add(&mut self, name: &str, own: u16, other: u16) {
        if own | other != 0 {
            let entry = self.0.entry(name.to_owned()).or_default();
            entry.0 |= own;
            entry.1 |= other;
        }
    }

    /// Adds those of a method that is called on `self`, or of a function.
    pub(crate) fn merge(&mut self, called: &Self) {
        for (name, &(own, other)) in &called.0 {
            self.add(name, own, other);
        }
    }

    /// Adds those of a method that is called on another object.
    pub(crate) fn merge_of_other(&mut self, called: &Self) {
        for (name, &(own, other)) in &called.0 {
            self.add(name, 0, own | other);
        }
    }

    /// As an array of the runtime's entries.
    pub(crate) fn to_tokens(&self) -> TokenStream {
        let entries = self.0.iter().map(|(name, &(own, other))| {
            let (own, other) = (Literal::u16_unsuffixed(own), Literal::u16_unsuffixed(other));
            quote!(::ikra::AtomicUse::new(#name, #own, #other))
        });
        quote!(const { &[#(#entries),*] })
    }
}
