//! How the class and the id are packed into a link (TYPEPTR §6.1).
//!
//! | | bytes | class | id | objects per class |
//! | --- | --- | --- | --- | --- |
//! | [`Narrow`] | 4 | the top *k* bits, as needed for the classes | the bits below | 2³²⁻ᵏ − 1 |
//! | [`Wide`] | 8 | the top 15 bits | the low 32 bits | 2³² − 1 |

use core::fmt::Debug;
use core::hash::Hash;
use core::num::{NonZeroU32, NonZeroU64};

use crate::storage::AtomicValue;

/// Four bytes.
pub type Narrow = NonZeroU32;

/// Eight bytes: `#[soa_dispatch(…, wide)]`.
pub type Wide = NonZeroU64;

/// The bits of stored links: the class in the top bits, the id below.
#[derive(Clone, Copy, Debug)]
pub enum LinkWords<'a> {
    /// Links of four bytes, with the number of bits for the class.
    Narrow(&'a [Narrow]),
    /// Links of eight bytes.
    Wide(&'a [Wide]),
}

/// The encoding of a link to an object of one of several classes.
///
/// # Safety
///
/// 1. The type is [`Narrow`] or [`Wide`], or `repr(transparent)` over one of them.
/// 2. `Number` is the integer of the same size.
/// 3. The number that `parts` returns is less than `classes`, for any bits.
/// 4. If `IS_WORD`, `parts(1)` returns the whole link, and its id is in the bits of `largest_id`. The class's number is
///    0 if the link is at most `largest_id`, and not 0 otherwise.
pub unsafe trait LinkBits: Copy + Ord + Hash + Debug + Send + Sync + 'static {
    /// The link to the first object of the first class.
    const FIRST: Self;
    /// Whether a link is a 32-bit word, the class in its top bits and the id below: `parts(1)` returns the word.
    const IS_WORD: bool = false;
    /// The integer of the same size, in which 0 is not a link.
    type Number: AtomicValue;

    /// The link to the object with this id in the class with this number, out of `classes`.
    fn pack(tag: usize, id: NonZeroU32, classes: usize) -> Self;
    /// The class's number and the object's id, which is 0 if the bits are not a link.
    fn parts(self, classes: usize) -> (usize, u32);
    /// The largest id of an object, with this number of classes.
    fn largest_id(classes: usize) -> u32;
    /// The bits; 0 for `None`.
    fn number(of: Option<Self>) -> Self::Number;
    /// The link with these bits; `None` for 0.
    fn of_number(bits: Self::Number) -> Option<Self>;
    /// Stored links, if their bits are class and id.
    fn words(_: &[Self]) -> Option<LinkWords<'_>> {
        None
    }
}

/// The number of bits that distinguish `classes` classes.
#[inline(always)]
const fn tag_bits(classes: usize) -> u32 {
    classes.next_power_of_two().trailing_zeros()
}

/// The functions that are equal for both.
macro_rules! numbers {
    ($int:ty) => {
        const FIRST: Self = Self::MIN;
        type Number = $int;
        #[inline(always)]
        fn number(of: Option<Self>) -> $int {
            of.map_or(0, Self::get)
        }
        #[inline(always)]
        fn of_number(bits: $int) -> Option<Self> {
            Self::new(bits)
        }
    };
}

// SAFETY: 1. `Narrow`; 2. four bytes both; 3. as many bits as number the classes, limited to the last class; 4. one
// class takes no bits. With more classes, the number is 0 if no bit above the id is set.
unsafe impl LinkBits for Narrow {
    const IS_WORD: bool = true;
    numbers!(u32);

    fn words(links: &[Self]) -> Option<LinkWords<'_>> {
        Some(LinkWords::Narrow(links))
    }
    #[inline(always)]
    fn pack(tag: usize, id: NonZeroU32, classes: usize) -> Self {
        let shift = 32 - tag_bits(classes);
        // One class needs no bits, and a shift by 32 would overflow.
        id | (tag as u32).unbounded_shl(shift)
    }
    #[inline(always)]
    fn parts(self, classes: usize) -> (usize, u32) {
        let tag = self.get().unbounded_shr(32 - tag_bits(classes)) as usize;
        // No link has bits for the number of a class that does not exist. If such bits come from elsewhere, they mean
        // the last class.
        let tag = if classes.is_power_of_two() { tag } else { tag.min(classes - 1) };
        (tag, self.get() & Self::largest_id(classes))
    }
    #[inline(always)]
    fn largest_id(classes: usize) -> u32 {
        u32::MAX >> tag_bits(classes)
    }
}

/// The number of bits below the class in a wide link.
const WIDE_SHIFT: u32 = 64 - 15;

// SAFETY: 1. `Wide`; 2. eight bytes both; 3. limited to the last class.
unsafe impl LinkBits for Wide {
    numbers!(u64);

    fn words(links: &[Self]) -> Option<LinkWords<'_>> {
        Some(LinkWords::Wide(links))
    }
    #[inline(always)]
    fn pack(tag: usize, id: NonZeroU32, _: usize) -> Self {
        Self::from(id) | (tag as u64) << WIDE_SHIFT
    }
    #[inline(always)]
    fn parts(self, classes: usize) -> (usize, u32) {
        (((self.get() >> WIDE_SHIFT) as usize).min(classes - 1), self.get() as u32)
    }
    #[inline(always)]
    fn largest_id(_: usize) -> u32 {
        u32::MAX
    }
}
