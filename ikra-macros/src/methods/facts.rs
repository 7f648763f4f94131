//! The effects of a body, as its text shows them.
//!
//! Reads are found completely. A field is reachable only through the token `self`: as `self.field`, through another
//! method, or through `self` as a whole, which counts as every field. Writes are found where the text shows them; the
//! executor checks the rest at run time. The operations on an atomic field decide which rule of the runtime's `order`
//! module applies to it. An operation missing from the list is a compile error there. An entry without an operation
//! only makes the check too strict.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::macros::Standard;
use super::names::{self, Is};

/// The effects of a body.
#[derive(Clone, Default)]
pub(crate) struct Facts {
    /// Fields of its own object that it uses, by position.
    pub(crate) touches: u64,
    /// Fields that it may write.
    pub(crate) writes: u64,
    /// Whether it removes its object.
    pub(crate) removes: bool,
    /// Fields passed to user macros as places, as in `increment!(self.a)`: possibly written.
    pub(crate) given: u64,
    /// Methods that it calls on `self`.
    pub(crate) calls: Vec<Ident>,
    /// Whether it reads `self` as a whole.
    pub(crate) whole: bool,
    /// Whether it passes on `self` as a whole, so that any field may change.
    pub(crate) escapes: bool,
    /// The method that sets `whole` or `escapes`: this one or one that it calls.
    pub(crate) because: Option<String>,
    /// Whether it calls unknown macros without passing `self`, or contains text that does not parse.
    pub(crate) hidden: bool,
    /// Whether it calls macros of the standard library, by plain name or by a path that begins with `std`.
    pub(crate) standard: Standard,
    /// Whether a format string in it names `self`: `"{self:?}"`.
    pub(crate) formats_self: bool,
    /// Whether it contains a loop.
    pub(crate) loops: bool,
    /// Its operations on atomic fields, of any object.
    pub(crate) uses: Uses,
    /// Its calls by name: methods of any object, and functions.
    pub(crate) called: BTreeSet<Called>,
    /// Methods that it seems to call on links.
    pub(crate) followed: BTreeSet<String>,
    /// Getter calls that certainly read another object of its class.
    pub(crate) reads: Vec<Read>,
}

impl Facts {
    /// Whether it may reach objects in ways that its calls of getters do not show: any object of the world, or by
    /// functions and macros that it does not know.
    pub(crate) fn roams(&self) -> bool {
        let roams = |called: &Called| match called.how {
            How::Function => !names::is(&called.name, Is::OfValues),
            How::OnSelf | How::OnOther | How::Getter => names::is(&called.name, Is::Reaching),
        };
        self.hidden || self.whole || self.escapes || self.called.iter().any(roams)
    }

    /// Methods that it calls on other objects, and functions. A getter of an atomic is not one of them: a method of the class
    /// that has its name is another one.
    pub(crate) fn others(&self) -> impl Iterator<Item = &String> {
        let is_other = |called: &&Called| !matches!(called.how, How::OnSelf | How::Getter);
        self.called.iter().filter(is_other).map(|called| &called.name)
    }
}

/// A getter call on another object of the same class.
#[derive(Clone)]
pub(crate) struct Read {
    /// The tokens of the call.
    pub(crate) at: TokenStream,
    /// The field, by position.
    pub(crate) field: usize,
    /// The parameter that is the object; a local variable may shadow this name.
    pub(crate) other: Option<String>,
}

/// A name that a body calls.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Called {
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) how: How,
}

/// The form of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum How {
    /// As a method of `self`.
    OnSelf,
    /// As a method of another value, or by a path, `BodyRef::pos`.
    OnOther,
    /// As a method of something else, whose result an atomic operation follows: `other.hits().add(1)`.
    Getter,
    /// As a function, `pos(x)`.
    Function,
}

/// Operations on atomic fields, by field name: bits for the method's own object, and for other objects.
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

    /// Adds the operations of a function, or of a method called on `self`.
    pub(crate) fn merge(&mut self, called: &Self) {
        for (name, &(own, other)) in &called.0 {
            self.add(name, own, other);
        }
    }

    /// Adds the operations of a method called on another object.
    pub(crate) fn merge_of_other(&mut self, called: &Self) {
        for (name, &(own, other)) in &called.0 {
            self.add(name, 0, own | other);
        }
    }

    /// An array of the runtime's entries.
    pub(crate) fn to_tokens(&self) -> TokenStream {
        let entries = self.0.iter().map(|(name, &(own, other))| {
            let (own, other) = (Literal::u16_unsuffixed(own), Literal::u16_unsuffixed(other));
            quote!(::ikra::AtomicUse::new(#name, #own, #other))
        });
        quote!(const { &[#(#entries),*] })
    }
}
