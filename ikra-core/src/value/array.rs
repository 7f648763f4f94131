//! Arrays of values: array as object, in one column (INNER §2.1).

use super::Value;
use crate::origin::meaning;
use crate::phase::Phase;
use crate::table::Place;

// SAFETY: 1. arrays have the size, alignment and bytes of their elements in a row, which are values;
// 2. they hold nothing else.
unsafe impl<T: Value, const N: usize> Value for [T; N] {
    type View<'w, P: Phase> = [T::View<'w, P>; N];
    type Target = T::Target;
    type Lanes = [T::Lanes; N];
    const PLACEHOLDER: Self = [T::PLACEHOLDER; N];
    const MEANING: u64 = meaning("[]", &[T::MEANING, N as u64]);

    #[inline(always)]
    fn view<'w, P: Phase>(self, place: Place<'w>) -> Self::View<'w, P> {
        self.map(|element| element.view::<P>(place))
    }

    #[inline(always)]
    fn unview<P: Phase>(view: Self::View<'_, P>) -> Self {
        view.map(T::unview::<P>)
    }

    #[inline(always)]
    fn same(&self, other: &Self) -> bool {
        let mut same = true;
        for n in 0..N {
            same &= self[n].same(&other[n]);
        }
        same
    }
}
