//! Layouts: where the columns of a class lie in memory.
//!
//! | option | an object's fields | one column |
//! | --- | --- | --- |
//! | `layout = "soa"` | each in its own array | contiguous |
//! | `layout = "aos"` | side by side, as in a plain struct | strided |
//! | `layout = "tiles"` | in blocks of 128 objects, SoA within | contiguous within a block |

mod geometry;
mod slices;

pub use geometry::constant_pitch;
pub(crate) use geometry::whole_align;
pub use geometry::{Geometry, MAX_COLUMNS, geometry};
pub use geometry::{LINE, PAGE, SHORT, arena_align, checked_pitch, stagger};
pub use slices::{Strided, StridedMut};

use crate::info::ClassInfo;
pub use crate::info::LayoutKind;
use crate::target::element;
use crate::value::Value;
use crate::window::Window;

impl LayoutKind {
    /// The option's value: `soa`, `aos`, `tiles`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Soa => "soa",
            Self::Aos => "aos",
            Self::Tiles(_) => "tiles",
        }
    }
}

/// A storage layout, chosen by `#[soa_class(layout = "…")]`.
///
/// # Safety
///
/// `KIND` and `WINDOW` describe the positions of the elements that [`shared`](Self::shared) and
/// [`exclusive`](Self::exclusive) borrow.
pub unsafe trait Layout: 'static {
    /// The kind of layout.
    const KIND: LayoutKind;
    /// The maximum number of consecutive objects whose columns can be borrowed as slices.
    const WINDOW: usize;
    /// A window of a column, for reading.
    type Shared<'a, C: ClassInfo, T: Value>: Window<T> + Copy + Send + Sync;
    /// A window of a column, for reading and writing.
    type Exclusive<'a, C: ClassInfo, T: Value>: Window<T> + Send;

    /// Borrows a window of a column.
    ///
    /// # Safety
    ///
    /// 1. `first` is the address of an element of a column of `C` under this layout. It and the `len - 1` elements
    ///    after it are initialised and within one window.
    /// 2. Nothing writes them during `'a`.
    unsafe fn shared<'a, C: ClassInfo, T: Value>(first: *const u8, len: usize) -> Self::Shared<'a, C, T>;

    /// Reads an element of a column as if it could change: the device's compiler merges such loads in several arms of a
    /// branch.
    ///
    /// # Safety
    ///
    /// It is initialised, and nothing writes it meanwhile.
    #[inline(always)]
    unsafe fn read_one<T: Value>(element: *const T) -> T {
        if matches!(Self::KIND, LayoutKind::Aos) {
            // SAFETY: the element is initialised, and nothing writes it meanwhile.
            return unsafe { element.read() };
        }
        // SAFETY: by the caller; with tiles, a part of a block is a contiguous column.
        unsafe { element::read_own(element) }
    }

    /// Borrows a window of a column exclusively.
    ///
    /// # Safety
    ///
    /// 1. As for [`shared`](Self::shared).
    /// 2. Nothing else accesses these elements during `'a`.
    unsafe fn exclusive<'a, C: ClassInfo, T: Value>(first: *mut u8, len: usize) -> Self::Exclusive<'a, C, T>;
}

/// Layouts whose columns are contiguous, and can be borrowed as slices.
#[diagnostic::on_unimplemented(
    message = "the columns of this class are not contiguous",
    label = "needs `layout = \"soa\"`",
    note = "with `layout = \"aos\"` or `\"tiles\"`, copy the column with `copy_column`, or choose `#[soa_class(layout = \"soa\")]`"
)]
///
/// # Safety
///
/// The elements of a column are contiguous, in any number.
pub unsafe trait Contiguous: Layout {}

/// `layout = "soa"`.
#[derive(Debug)]
pub struct Soa;

/// `layout = "aos"`.
#[derive(Debug)]
pub struct Aos;

/// `layout = "tiles"`, with blocks of `N` objects.
#[derive(Debug)]
pub struct Tiles<const N: usize>;

// SAFETY: each column is an array.
unsafe impl Contiguous for Soa {}

/// The body of [`Layout`] for layouts whose windows are slices.
macro_rules! slices {
    () => {
        type Shared<'a, C: ClassInfo, T: Value> = &'a [T];
        type Exclusive<'a, C: ClassInfo, T: Value> = &'a mut [T];

        #[inline(always)]
        unsafe fn shared<'a, C: ClassInfo, T: Value>(first: *const u8, len: usize) -> &'a [T] {
            // SAFETY: by 1 the `len` elements are adjacent and initialised, by 2 unchanged during `'a`.
            unsafe { core::slice::from_raw_parts(first.cast(), len) }
        }
        #[inline(always)]
        unsafe fn exclusive<'a, C: ClassInfo, T: Value>(first: *mut u8, len: usize) -> &'a mut [T] {
            // SAFETY: by 1 the `len` elements are adjacent and initialised, by 2 accessed by nothing else.
            unsafe { core::slice::from_raw_parts_mut(first.cast(), len) }
        }
    };
}

// SAFETY: each column is an array, one run of any length.
unsafe impl Layout for Soa {
    const KIND: LayoutKind = LayoutKind::Soa;
    const WINDOW: usize = usize::MAX;
    slices!();
}

// SAFETY: the elements of a block are an array, and a run.
unsafe impl<const N: usize> Layout for Tiles<N> {
    const KIND: LayoutKind = LayoutKind::Tiles(N);
    const WINDOW: usize = N;
    slices!();
}

// SAFETY: elements are spaced by the object size, in one run of any length.
unsafe impl Layout for Aos {
    const KIND: LayoutKind = LayoutKind::Aos;
    const WINDOW: usize = usize::MAX;
    type Shared<'a, C: ClassInfo, T: Value> = Strided<'a, C, T>;
    type Exclusive<'a, C: ClassInfo, T: Value> = StridedMut<'a, C, T>;

    #[inline(always)]
    unsafe fn shared<'a, C: ClassInfo, T: Value>(first: *const u8, len: usize) -> Strided<'a, C, T> {
        // SAFETY: by 1 the `len` elements are spaced by the object size and are initialised, by 2 nothing writes them
        // during `'a`.
        unsafe { Strided::new(first, len) }
    }
    #[inline(always)]
    unsafe fn exclusive<'a, C: ClassInfo, T: Value>(first: *mut u8, len: usize) -> StridedMut<'a, C, T> {
        // SAFETY: by 1 the `len` elements are spaced by the object size and are initialised, by 2 nothing else accesses
        // them during `'a`.
        unsafe { StridedMut::new(first, len) }
    }
}
