//! How the class and the id are packed into a link (TYPEPTR §6.1).
//!
//! | | bytes | class | id | objects per class |
//! | --- | --- | --- | --- | --- |
//! | [`Narrow`] | 4 | as many top bits as the classes need, *k* | the bits below | 2³²⁻ᵏ − 1 |
//! | [`Wide`] | 8 | the top 15 bits | the low 32 bits | 2³² − 1 |

use core::fmt::Debug;
use core::hash::Hash;
use core::num::{NonZeroU32, NonZeroU64};

use crate::storage::AtomicValue;

/// Four bytes.
pub type Narrow = NonZeroU32;

/// Eight bytes: `#[soa_dispatch(…, wide)]`.
pub type Wide = NonZeroU64;

/// Links as they are stored: in the top bits the class, as many as number the classes, or 15 of the wide ones.
#[derive(Clone, Copy, Debug)]
pub enum LinkWords<'a> {
    /// Of four bytes.
    Narrow(&'a [Narrow]),
    /// Of eight.
    Wide(&'a [Wide]),
}

/// How a link to an object of one of several classes is packed.
///
/// # Safety
///
/// 1. The type is [`Narrow`] or [`Wide`], or `repr(transparent)` over one of them.
/// 2. `Number` is the integer of the same size.
/// 3. The number that `parts` returns is less than `classes`, whatever the bits are.
/// 4. If `IS_WORD`, `parts(1)` has the whole link, of which the id is what is in `largest_id`; and the class's number is 0 if the link
///    is at most that, and not 0 otherwise.
pub unsafe trait LinkBits: Copy + Ord + Hash + Debug + Send + Sync + 'static {
    /// The link to the first object of the first class.
    const FIRST: Self;
    /// Whether a link is one word, of which a class's number is the top bits and an object's id the others: `parts(1)` has it.
    const IS_WORD: bool = false;
    /// The integer of the same size, in which 0 is no link.
    type Number: AtomicValue;

    /// The link to the object with this id of the class with this number, of so many.
    fn pack(tag: usize, id: NonZeroU32, classes: usize) -> Self;
    /// The class's number and the object's id, which is 0 in what is no link.
    fn parts(self, classes: usize) -> (usize, u32);
    /// The largest id of an object, of so many classes.
    fn largest_id(classes: usize) -> u32;
    /// The bits, and 0 for none.
    fn number(of: Option<Self>) -> Self::Number;
    /// The link of these bits, unless they are 0.
    fn of_number(bits: Self::Number) -> Option<Self>;
    /// Links as they are stored, if that is class and id.
    fn words(_: &[Self]) -> Option<LinkWords<'_>> {
        None
    }
}

/// How many bits number so many classes.
#[inline(always)]
const fn tag_bits(classes: usize) -> u32 {
    classes.next_power_of_two().trailing_zeros()
}

/// What is the same for both.
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

// SAFETY: 1. `Narrow`; 2. four bytes both; 3. as many bits as number the classes, and no more than the last; 4. one class takes no
// bits, and where there are more the number is 0 if there is nothing above the id.
unsafe impl LinkBits for Narrow {
    const IS_WORD: bool = true;
    numbers!(u32);

    fn words(links: &[Self]) -> Option<LinkWords<'_>> {
        Some(LinkWords::Narrow(links))
    }
    #[inline(always)]
    fn pack(tag: usize, id: NonZeroU32, classes: usize) -> Self {
        let shift = 32 - tag_bits(classes);
        // One class needs no bits, and a shift by all of them is none.
        id | (tag as u32).unbounded_shl(shift)
    }
    #[inline(always)]
    fn parts(self, classes: usize) -> (usize, u32) {
        let tag = self.get().unbounded_shr(32 - tag_bits(classes)) as usize;
        // Bits for numbers that no class has are in no link. Where they came from elsewhere, they are the last class's.
        let tag = if classes.is_power_of_two() { tag } else { tag.min(classes - 1) };
        (tag, self.get() & Self::largest_id(classes))
    }
    #[inline(always)]
    fn largest_id(classes: usize) -> u32 {
        u32::MAX >> tag_bits(classes)
    }
}

/// The bits above which the class is in a wide link.
const WIDE_SHIFT: u32 = 64 - 15;

// SAFETY: 1. `Wide`; 2. eight bytes both; 3. no more than the last.
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
