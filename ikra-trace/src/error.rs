//! Errors of tracing and of writing back: which object, and what to do.

use std::fmt;

use ikra_core::class::Class;
use ikra_runtime::error::Error;

use crate::held::UntypedLink;

/// The reason why an ordinary object could not be traced, or why a change could not be written into it.
///
/// ```
/// use std::{cell::RefCell, rc::Rc};
/// use ikra::{prelude::*, trace::{Trace, TraceWorld}};
///
/// #[soa_class]
/// pub struct Body { pub mass: f32 }
/// #[soa_world]
/// pub struct Sim { pub bodies: Objects<Body> }
///
/// #[derive(Trace)]
/// #[trace(class = Body)]
/// struct PlainBody { mass: f32 }
///
/// let body = Rc::new(RefCell::new(PlainBody { mass: 1.0 }));
/// let borrowed = body.borrow_mut();
/// let error = Sim::trace(&body).unwrap_err();
/// assert_eq!(error.to_string(), "object Body#1 is borrowed; end its borrows before `trace` and `write_back`");
/// # drop(borrowed);
/// ```
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// An object, or one of its fields, could not be traced or written. After an error of `write_back`, objects and
    /// fields before this one have been written; the next `write_back` writes all changes again.
    #[error("{} {problem}", Place { class, field: *field, id: *id })]
    Object {
        /// The class.
        class: &'static str,
        /// The field; none if the problem is the whole object.
        field: Option<&'static str>,
        /// The object's id.
        id: u32,
        /// The reason.
        problem: Problem,
    },
    /// An object of a class that the world does not hold.
    #[error(
        "an object of class {class} was traced, which the world does not hold; add a field of type `Objects<{class}>` to it"
    )]
    NotInWorld {
        /// The class.
        class: &'static str,
    },
    /// Ids do not name the traced objects any more, or the world holds others in their place.
    #[error(
        "objects of class {class} were removed, replaced or got other ids after they were traced; write back before that, and trace again"
    )]
    IdsChanged {
        /// The class.
        class: &'static str,
    },
    /// An error of the world.
    #[error(transparent)]
    World(#[from] Error),
}

/// Prints the message, because `main` and `unwrap` show this form.
impl fmt::Debug for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What is wrong with an object or a field.
///
/// ```
/// use std::rc::{Rc, Weak};
/// use ikra::{prelude::*, trace::{Problem, Trace, TraceError, TraceWorld}};
///
/// #[soa_class]
/// pub struct Node { pub next: Link<Node> }
/// #[soa_world]
/// pub struct List { pub nodes: Objects<Node> }
///
/// #[derive(Trace)]
/// #[trace(class = Node)]
/// struct PlainNode { next: Weak<PlainNode> }
///
/// let node = Rc::new(PlainNode { next: Weak::new() });
/// assert!(matches!(List::trace(&node), Err(TraceError::Object { id: 1, problem: Problem::Dead, .. })));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A `RefCell` is borrowed, or a lock is held.
    #[error("is borrowed; end its borrows before `trace` and `write_back`")]
    Borrowed,
    /// A lock is poisoned.
    #[error("is behind a lock that a panic has poisoned; call `clear_poison` on it if its value is good")]
    Poisoned,
    /// A `Weak` whose object was dropped.
    #[error(
        "is a `Weak` whose object was dropped, and its link cannot be empty; make it an `Option<Link<…>>` in the class"
    )]
    Dead,
    /// A changed field that is shared and not in a cell.
    #[error(
        "has changed, and nothing can write it through an `Rc`; put the field into a `Cell` or `RefCell`, or the object into a `RefCell`"
    )]
    Immutable,
    /// A changed field of a shared object that functions of `with` convert.
    #[error(
        "has changed, and its function of `with` needs `&mut`, which an `Rc` does not give; put the object into a `RefCell`"
    )]
    With,
    /// A link to an object that is not in this `Box`, nor in one of the same list.
    #[error("is a `Box`, whose link a kernel has changed; objects that change their owner are in an `Rc`")]
    Owned,
    /// A changed object whose `Box` the program has taken out of the traced objects.
    #[error(
        "has changed, and no traced object owns its `Box` any more; write back before the program takes it out, and trace again"
    )]
    Gone,
    /// A new link to an object that several variants of an enum of pointers can hold.
    #[error(
        "has a new link that several variants of its enum can hold; change links of elements that exist, or give each variant a class of its own"
    )]
    Ambiguous,
    /// A link to an object that the trace did not find.
    #[error("is a link to an object that was made after the trace; store links to traced objects before `write_back`")]
    NotTraced,
    /// A link to an object that a field of this type cannot hold.
    #[error("is a link to an object that its ordinary type cannot name; store a link to an object of the field's type")]
    OtherType,
    /// An enum that is in another variant than the trace found.
    #[error("has become another variant, whose class is another one; write back before that, and trace again")]
    OtherVariant,
    /// More objects than links of a trait can name.
    #[error("is a link to one object more than its trait can name; write `#[soa_dispatch(…, wide)]`")]
    TooMany,
    /// A number that the field on the other side cannot hold.
    #[error("has a value that does not fit the other side; use a wider number")]
    OutOfRange,
    /// A number of a text that does not exist.
    #[error("has a number that stands for no text; get numbers by `Traced::intern`")]
    NoText,
    /// Cells with boxes in each other.
    #[error("is in more than {MAX_NESTED} cells that own each other by boxes; use `Rc` in one of them")]
    TooDeep,
    /// An enum whose variant cannot be read.
    #[error("refers to an object that {0}")]
    Pointee(Box<Problem>),
    /// A problem of an object that this field owns.
    #[error("owns an object with a problem: {0}")]
    Inner(Box<TraceError>),
}

/// The maximum number of cells that own each other.
pub(crate) const MAX_NESTED: usize = 100;

/// The object or field of a message.
struct Place<'a> {
    class: &'a str,
    field: Option<&'a str>,
    id: u32,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { class, field, id } = self;
        match field {
            Some(field) => write!(f, "`{class}::{field}` of {class}#{id}"),
            None if *id == 0 => write!(f, "a {class}"),
            None => write!(f, "object {class}#{id}"),
        }
    }
}

/// A problem, and the field that has it.
#[derive(Debug)]
pub struct At {
    pub(crate) field: Option<&'static str>,
    pub(crate) problem: Problem,
}

impl At {
    /// A problem of field `K`.
    pub(crate) fn field<C: Class, const K: usize>(problem: Problem) -> Self {
        Self { field: Some(C::FIELDS[K].name), problem }
    }

    /// The error for an object.
    pub(crate) fn of(self, link: UntypedLink) -> TraceError {
        match self.problem {
            // The message names the object that has the problem.
            Problem::Inner(error) => *error,
            problem => TraceError::Object { class: link.name, field: self.field, id: link.index + 1, problem },
        }
    }
}

impl From<Problem> for At {
    fn from(problem: Problem) -> Self {
        Self { field: None, problem }
    }
}

impl From<TraceError> for Problem {
    fn from(error: TraceError) -> Self {
        Self::Inner(Box::new(error))
    }
}
