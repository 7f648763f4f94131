//! Errors: what happened, to which class, and what to do.

#[cfg(feature = "gpu")]
mod gpu;

#[cfg(feature = "gpu")]
pub use gpu::GpuError;

use std::fmt;

use crate::place::{ParsePlaceError, Place};

/// Errors in data that a program meets at run time.
///
/// ```
/// use ikra::prelude::*;
/// # #[soa_class]
/// # #[derive(Debug)]
/// # pub struct Body { pub mass: f32 }
/// # #[soa_world]
/// # pub struct Sim { pub bodies: Objects<Body> }
/// # fn main() -> Result<(), ikra::Error> {
/// let mut sim = Sim::new();
/// let stranger = Link::from_id(7).unwrap();
/// match sim.bodies.write(stranger, Body { mass: 1.0 }) {
///     Err(ikra::Error::NotInWorld { id: 7, len: 0, .. }) => {}
///     other => panic!("{other:?}"),
/// }
/// # Ok(()) }
/// ```
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A class with `capacity = N` is full.
    #[error(
        "class {class} has `capacity = {capacity}` and cannot hold {requested} objects; raise the capacity or leave it out, so that storage grows"
    )]
    CapacityExceeded {
        /// The class.
        class: &'static str,
        /// Its capacity in objects.
        capacity: u32,
        /// The number of objects that it would have to hold.
        requested: usize,
    },
    /// The class would need more objects than there are ids.
    #[error(
        "class {class} cannot hold {requested} objects: ids are 32 bits wide, which allows {max} objects per class; split them over several classes or worlds",
        max = u32::MAX - 1
    )]
    TooManyObjects {
        /// The class.
        class: &'static str,
        /// The number of objects that it would have to hold.
        requested: usize,
    },
    /// There is not enough memory for a class's columns.
    #[error(
        "no memory for {bytes} bytes of class {class}; make fewer objects at a time, or free memory: the objects that it had are still there"
    )]
    OutOfMemory {
        /// The class.
        class: &'static str,
        /// The number of bytes requested.
        bytes: usize,
    },
    /// The arena of a class with `arena = N` is full. It holds the elements of inner arrays that have no slot.
    #[error(
        "the arena of class {class} has {available} bytes left and {requested} are needed; raise `arena = N`, leave it out so that the arena grows, or inline more elements"
    )]
    ArenaFull {
        /// The class.
        class: &'static str,
        /// The number of bytes requested.
        requested: usize,
        /// The number of bytes that were free.
        available: usize,
    },
    /// The arena of a class has reached the largest size that an arena can have.
    #[error(
        "the arena of class {class} can have {max} bytes, of which {available} are left and {requested} are needed; inline more elements, or spread the arrays over several classes or worlds",
        max = u32::MAX
    )]
    ArenaAtLimit {
        /// The class.
        class: &'static str,
        /// The number of bytes requested.
        requested: usize,
        /// The number of bytes that were free.
        available: usize,
    },
    /// Arrays whose lengths or offsets do not match.
    #[error("the arrays for `{class}::{field}` do not fit: {reason}")]
    BadArrays {
        /// The class.
        class: &'static str,
        /// The field.
        field: &'static str,
        /// The mismatch.
        reason: String,
    },
    /// A link that does not name an object of this world.
    #[error(
        "link {class}#{id} does not belong to this world, which has {len} objects of class {class}; use links that this world returned, by `push`, `extend` or `links`"
    )]
    NotInWorld {
        /// The class.
        class: &'static str,
        /// The link's id.
        id: u32,
        /// The number of objects of the class in this world.
        len: usize,
    },
    /// A link to an object that was removed.
    #[error(
        "object {class}#{id} was removed; `world.track(link)` makes a handle that tells whether an object still exists"
    )]
    Removed {
        /// The class.
        class: &'static str,
        /// The object's id.
        id: u32,
    },
    /// A column has a link to an object that was removed before. No kernel ran; store another link to continue.
    #[error(
        "`{class}::{field}` of {class}#{object} is a link to an object of class {target} that was removed; store a link to an object that exists"
    )]
    LinkToNone {
        /// The class whose objects have the field.
        class: &'static str,
        /// The field.
        field: &'static str,
        /// The id of the object that has the link.
        object: u32,
        /// The class that the link points to.
        target: &'static str,
    },
    /// An operation needs all objects of a class in a row, and some were removed.
    #[error(
        "objects of class {class} were removed ({holes}), and this needs the others in a row: call `world.compact::<{class}>()` before it, or declare `#[soa_class(compact = 1.0)]`"
    )]
    HasHoles {
        /// The class.
        class: &'static str,
        /// The number of removed objects whose ids are not in use.
        holes: usize,
    },
    /// A column has a link to an object that does not exist. No kernel ran; store another link to continue.
    #[error(
        "`{class}::{field}` of {class}#{object} is a link to {target}#{id}, and this world has {len} objects of class {target}; store links that this world returned, by `push`, `extend` or `links`, before kernels run"
    )]
    BadLink {
        /// The class whose objects have the field.
        class: &'static str,
        /// The field.
        field: &'static str,
        /// The id of the object that has the link.
        object: u32,
        /// The class that the link points to.
        target: &'static str,
        /// The link's id.
        id: u32,
        /// The number of objects of that class in this world.
        len: usize,
    },
    /// A number that is not the address of an object under the class's addressing mode.
    #[error(
        "{bits:#x} is not the address of an object of class {class} in this world; use numbers that `Link::to_bits` returned after the last object was added"
    )]
    NotAnAddress {
        /// The class.
        class: &'static str,
        /// The number.
        bits: u64,
    },
    /// A reserved object was used before it was initialised.
    #[error("object {class}#{id} is reserved but not initialised; call `init` with its link and row first")]
    NotInitialized {
        /// The class.
        class: &'static str,
        /// The object's id.
        id: u32,
    },
    /// An object was initialised twice.
    #[error("object {class}#{id} is already initialised; replace it with `write`")]
    AlreadyInitialized {
        /// The class.
        class: &'static str,
        /// The object's id.
        id: u32,
    },
    /// A range of positions beyond the objects of a class.
    #[error("range `{range}` is out of range for {len} objects of class {class}")]
    OutOfRange {
        /// The class.
        class: &'static str,
        /// The range, as the program writes it.
        range: String,
        /// The number of objects of the class in this world.
        len: usize,
    },
    /// A list of links names the same object twice.
    #[error("object {class}#{id} is in the list twice; a kernel runs for each object once, so remove the duplicate")]
    Duplicate {
        /// The class.
        class: &'static str,
        /// The object's id.
        id: u32,
    },
    /// An object to be removed is the target of a link that cannot be empty. Nothing was removed.
    #[error(
        "`{class}::{field}` of {class}#{object} is a link to an object of class {target} that would be removed; store another link first, or make the field an `Option` of its type, which becomes `None`"
    )]
    LinkToRemoved {
        /// The class whose objects have the field.
        class: &'static str,
        /// The field.
        field: &'static str,
        /// The id of the object that has the link.
        object: u32,
        /// The class that the link points to.
        target: &'static str,
    },
    /// A list of links was used after its objects received new ids. No kernel ran.
    #[error(
        "the list was made before objects of class {class} got other ids (`compact`, `retain`, `reorder`, `sort_by_key`, `shuffle`); make it again of current links"
    )]
    StaleList {
        /// The class.
        class: &'static str,
    },
    /// A kernel gave an object no key, so it is in no group. No groups were made.
    #[error(
        "object {class}#{id} has no key to group it by; a position in a grid has none if it is not a number, or if it is infinite and the grid periodic: look for the kernel that stored it"
    )]
    NoKey {
        /// The class.
        class: &'static str,
        /// The object's id.
        id: u32,
    },
    /// A kernel gave an object a key beyond the last group. No groups were made.
    #[error(
        "object {class}#{id} has key {key}, and the keys of {groups} groups are less than {groups}; ask `group_by` for more groups, or let the kernel return a smaller key"
    )]
    KeyOutOfRange {
        /// The class.
        class: &'static str,
        /// The object's id.
        id: u32,
        /// Its key.
        key: u32,
        /// The number of groups.
        groups: u32,
    },
    /// Groups were used after their objects received new ids or were removed, or in another world. No kernel ran.
    #[error(
        "the groups were made before objects of class {class} were removed or got other ids, or in another world; make them again by `group_by`"
    )]
    StaleGroups {
        /// The class.
        class: &'static str,
    },
    /// A kernel was to run for an object that has no element in a column of results. No kernel ran.
    #[error("the column has no element for {class}#{id}: make it for all objects of the kernel")]
    NoElement {
        /// The class.
        class: &'static str,
        /// The object's id.
        id: u32,
    },
    /// A column of results was used after its objects received new ids or were removed, or in another world. No kernel
    /// ran.
    #[error(
        "the column was made before objects of class {class} were removed or got other ids, or in another world; make it again by `map`"
    )]
    StaleColumn {
        /// The class.
        class: &'static str,
    },
    /// A loop's worklist was used in another world. No kernel ran.
    #[error("the worklist is that of a loop over objects of class {class} in another world")]
    ForeignWorklist {
        /// The class.
        class: &'static str,
    },
    /// A kernel was started while objects were reserved but not initialised.
    #[error(
        "{pending} objects of class {class} are reserved but not initialised; call `init` for each before the world is used"
    )]
    NotAllInitialized {
        /// The class.
        class: &'static str,
        /// The number of these objects.
        pending: u32,
    },
    /// The program was built without support for a place.
    #[error("cannot run at `{place}`: {reason}")]
    NoSuchPlace {
        /// The place.
        place: Place,
        /// The missing part, and what to do.
        reason: &'static str,
    },
    /// A text does not name a place.
    #[error(transparent)]
    NotAPlace(#[from] ParsePlaceError),
    /// A recording was replayed in another world, or in its own world after that had changed. Nothing was run.
    #[error("the recording does not fit the world: {reason}; record it again, in this world as it is now")]
    StaleRecording {
        /// The change.
        reason: String,
    },
    /// An operation that cannot be recorded was started while kernels were recorded. The recording is discarded.
    #[error(
        "{what} cannot be part of a recording, nor of a GPU's loop over a worklist; start nothing but kernels there, and do the rest before it or after it"
    )]
    NotRecordable {
        /// The operation.
        what: String,
    },
    /// An error of the processes that share a world. The world cannot be used at this place again.
    #[error("{reason}")]
    Cluster {
        /// The error, and which process had it.
        reason: String,
    },
    /// An error of a GPU.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

/// Prints the message, with what to do, because `main` and `unwrap` show this form.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
