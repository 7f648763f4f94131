//! Arrays of values: array as object, in one column (INNER §2.1).

use core::mem::MaybeUninit;

use super::{BadLink, Float, Value};
use crate::directory::Targets;
use crate::info::ClassId;
use crate::moves::Moves;
use crate::origin::meaning;
use crate::phase::Phase;

// SAFETY: 1. an array has the size, alignment and bytes of its consecutive elements, which are values;
// 2. it holds nothing else.
unsafe impl<T: Value, const N: usize> Value for [T; N] {
    type View<'w, P: Phase> = [T::View<'w, P>; N];
    type Lanes = [T::Lanes; N];
    const PLACEHOLDER: Self = [T::PLACEHOLDER; N];
    const LINKS_TO: &'static [ClassId] = T::LINKS_TO;
    const SHOWS_NUMBERS: bool = T::SHOWS_NUMBERS;
    const EMPTIES: bool = T::EMPTIES;
    const MEANING: u64 = meaning("[]", &[T::MEANING, N as u64]);

    #[inline(always)]
    unsafe fn view<'w, P: Phase>(self, targets: Targets<'w>) -> Self::View<'w, P> {
        // SAFETY: in kernels, `bad_link` of the array finds no bad link. It checks each element, so no element has one.
        made(|n| unsafe { self[n].view::<P>(targets) })
    }

    #[inline(always)]
    unsafe fn view_of_some<'w, P: Phase>(targets: Targets<'w>) -> Self::View<'w, P> {
        // SAFETY: in kernels, an array without bad links exists, and each of its elements is such a value.
        made(|_| unsafe { T::view_of_some::<P>(targets) })
    }

    #[inline(always)]
    fn bad_link(&self, targets: Targets<'_>) -> Option<BadLink> {
        if T::LINKS_TO.is_empty() { None } else { self.iter().find_map(|element| element.bad_link(targets)) }
    }

    #[inline(always)]
    unsafe fn assume_good(&self, targets: Targets<'_>) {
        // For few elements, without a loop: before unrolling it, the compiler has already merged the checks of two
        // elements.
        macro_rules! first {
            ($($n:literal)*) => {$(
                if let Some(element) = self.get($n) {
                    // SAFETY: `bad_link` of the array finds no bad link. It checks each element, so this one has none.
                    unsafe { element.assume_good(targets) };
                }
            )*};
        }
        first!(0 1 2 3 4 5 6 7);
        for element in self.iter().skip(8) {
            // SAFETY: `bad_link` of the array checks this element too, and finds no bad link.
            unsafe { element.assume_good(targets) };
        }
    }

    #[inline]
    fn remapped(self, moves: Moves<'_>) -> Option<Self> {
        let mut all = true;
        let elements = self.map(|element| {
            let remapped = element.remapped(moves);
            all &= remapped.is_some();
            remapped.unwrap_or(element)
        });
        all.then_some(elements)
    }

    #[inline]
    fn show_floats(&mut self, show: &mut impl FnMut(Float<'_>)) {
        self.iter_mut().for_each(|element| element.show_floats(show));
    }

    #[inline(always)]
    fn unview<P: Phase>(view: Self::View<'_, P>) -> Self {
        made(|n| T::unview::<P>(view[n]))
    }

    #[inline(always)]
    fn same(&self, other: &Self) -> bool {
        let mut same = true;
        let mut n = 0;
        while n < N {
            same &= self[n].same(&other[n]);
            n += 1;
        }
        same
    }
}

/// The array of these elements.
///
/// Without optimization, `core::array::from_fn` makes ten times as many calls as the loop. With optimization, the loop
/// would keep loops around it from being unrolled.
#[inline(always)]
pub(crate) fn made<T: Copy, const N: usize>(element: impl Fn(usize) -> T) -> [T; N] {
    if cfg!(debug_assertions) {
        let mut array = [const { MaybeUninit::<T>::uninit() }; N];
        let mut n = 0;
        while n < N {
            array[n] = MaybeUninit::new(element(n));
            n += 1;
        }
        // SAFETY: all `N` elements are initialised; an array of `MaybeUninit<T>` has the layout of one of `T`.
        unsafe { (&raw const array).cast::<[T; N]>().read() }
    } else {
        core::array::from_fn(element)
    }
}
