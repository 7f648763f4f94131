//! The types that a column may hold.

mod array;
mod fixed;
mod floats;
mod lanes;
mod links;
mod loaded;
mod primitive;

pub(crate) use array::made;
pub use fixed::Fixed;
pub use floats::Float;
pub use lanes::{LANES, LaneArray, Lanes};
pub use links::{Joined, assume_good};
pub use loaded::Loaded;
#[cfg(feature = "glam")]
pub(crate) use primitive::plain_value;

use crate::directory::Targets;
use crate::info::ClassId;
use crate::moves::Moves;
use crate::origin::meaning;
use crate::phase::Phase;

/// A type that a column may hold: plain bytes that mean the same on host and device.
///
/// Implemented for the integer and floating-point primitives, `bool`, [`Link`](crate::link::Link), `Option<Link>`, and
/// arrays of values. For a struct or a fieldless enum of your own, write `#[derive(Value)]`.
///
/// | ordinary Rust | Ikra |
/// | --- | --- |
/// | `String`, `Vec<T>`, `Box<T>` | not a value: objects refer to each other by [`Link`](crate::link::Link) |
/// | `&Cell` | `Link<Cell>` |
/// | `Option<&Cell>` | `Option<Link<Cell>>`, also 4 bytes |
///
/// ```
/// use ikra::prelude::*;
///
/// #[derive(Clone, Copy, Debug, PartialEq, Value)]
/// #[repr(C)]
/// pub struct Colour { pub red: u8, pub green: u8, pub blue: u8 }
///
/// #[soa_class]
/// pub struct Light { pub colour: Colour, pub history: [f32; 4], pub next: Option<Link<Light>> }
/// ```
///
/// # Safety
///
/// 1. The type has the same size, alignment and meaning of its bytes on host and device
///    (`repr(C)`, `repr(transparent)`, a fixed integer representation, or a primitive).
/// 2. It holds no pointer and no reference.
/// 3. [`view`](Self::view) makes refs only to objects that [`bad_link`](Self::bad_link) has found to exist.
///    [`view_of_some`](Self::view_of_some) makes refs only to objects that exist if any value without bad links exists.
/// 4. [`remapped`](Self::remapped) remaps every link to the class whose objects moved.
/// 5. If [`bad_link`](Self::bad_link) checks a link that views do not show as a ref, `SHOWS_NUMBERS` is `true`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored in a column",
    label = "not a `Value`",
    note = "a column holds plain bytes: numbers, `bool`, `Link<Class>`, `Option<Link<Class>>`, and arrays of these; instead of `usize`, which may have another size on a device, `u32` or `u64`",
    note = "for a struct of your own, add `#[derive(Clone, Copy, Value)] #[repr(C)]` to it"
)]
pub unsafe trait Value: Copy + Send + Sync + 'static {
    /// The type that a view shows for a field of this type: the value itself, or the object behind a link.
    #[doc(hidden)]
    type View<'w, P: Phase>: Copy;

    /// Storage for [`LANES`] of these values, arranged so that the lanes of each scalar are adjacent.
    #[doc(hidden)]
    type Lanes: Lanes<Self>;

    /// A value to fill storage with before the object is initialised. Users never see it.
    #[doc(hidden)]
    const PLACEHOLDER: Self;

    /// The classes of the value's links.
    #[doc(hidden)]
    const LINKS_TO: &'static [ClassId] = &[];

    /// Whether a view shows links in the value as numbers, and not as refs. Values that a kernel stores are then
    /// checked.
    #[doc(hidden)]
    const SHOWS_NUMBERS: bool = false;
    /// Whether each of its links can be empty, so that a link to a removed object becomes so.
    #[doc(hidden)]
    const EMPTIES: bool = Self::LINKS_TO.is_empty();

    /// A number for the meaning of the bytes. Host and device compare it to check that they mean the same type.
    #[doc(hidden)]
    const MEANING: u64 = meaning("", &[size_of::<Self>() as u64, align_of::<Self>() as u64]);

    /// The value as an object's view shows it; `targets` are the targets of the classes in `LINKS_TO`.
    ///
    /// # Safety
    ///
    /// In kernels, [`bad_link`](Self::bad_link) finds no bad link in the value.
    #[doc(hidden)]
    unsafe fn view<'w, P: Phase>(self, targets: Targets<'w>) -> Self::View<'w, P>;

    /// A view of any value, for a field that is not read.
    ///
    /// # Safety
    ///
    /// In kernels, a value exists in which [`bad_link`](Self::bad_link) finds no bad link.
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn view_of_some<'w, P: Phase>(targets: Targets<'w>) -> Self::View<'w, P> {
        // SAFETY: the placeholder has no links, or one link to the first object of its only class. That class then has
        // an object.
        unsafe { Self::PLACEHOLDER.view::<P>(targets) }
    }

    /// The first bad link of the value, to an object that does not exist; `targets` are the targets of the classes in
    /// `LINKS_TO`.
    #[doc(hidden)]
    #[inline(always)]
    fn bad_link(&self, _targets: Targets<'_>) -> Option<BadLink> {
        None
    }

    /// Tells the compiler that the value's links are to existing objects. Each link is stated separately, because the
    /// compiler does not split conditions.
    ///
    /// # Safety
    ///
    /// [`bad_link`](Self::bad_link) finds no bad link.
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn assume_good(&self, targets: Targets<'_>) {
        // SAFETY: `bad_link` finds no bad link, which is the assumption here.
        unsafe { core::hint::assert_unchecked(self.bad_link(targets).is_none()) }
    }

    /// The value with its links after objects moved. An optional link to a removed object becomes `None`. If another
    /// link is to a removed object, the result is `None`.
    #[doc(hidden)]
    #[inline]
    fn remapped(self, _moves: Moves<'_>) -> Option<Self> {
        const { assert!(Self::LINKS_TO.is_empty(), "a value with links says how they are remapped") };
        Some(self)
    }

    /// Shows its floating-point numbers, one by one, if it consists of these.
    #[doc(hidden)]
    #[inline]
    fn show_floats(&mut self, show: &mut impl FnMut(Float<'_>)) {
        show(Float::Other);
    }

    /// The value behind a view.
    #[doc(hidden)]
    fn unview<P: Phase>(view: Self::View<'_, P>) -> Self;

    /// Whether two values have the same bits, so that NaN equals itself and -0.0 differs from 0.0.
    #[doc(hidden)]
    fn same(&self, other: &Self) -> bool;
}

/// A link to an object that does not exist.
#[derive(Clone, Copy, Debug)]
pub struct BadLink {
    /// Its class.
    pub class: ClassId,
    /// Its id.
    pub id: u32,
    /// The number of objects of the class.
    pub len: u32,
}
