//! Ranges of positions.

use core::ops::{Bound, Range, RangeBounds};

/// The positions in a range, among `len`; `None` if it is out of range, where slicing panics.
#[inline(always)]
pub fn within(range: &impl RangeBounds<usize>, len: usize) -> Option<Range<usize>> {
    let start = match range.start_bound() {
        Bound::Included(&start) => start,
        Bound::Excluded(&start) => start.checked_add(1)?,
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(&end) => end.checked_add(1)?,
        Bound::Excluded(&end) => end,
        Bound::Unbounded => len,
    };
    (start <= end && end <= len).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use core::ops::Bound::{Excluded, Included, Unbounded};

    use super::within;

    #[test]
    fn ranges_are_those_of_slices() {
        let values: Vec<usize> = (0..5).collect();
        for start in
            [Unbounded, Included(0), Included(3), Included(5), Included(6), Excluded(0), Excluded(4), Excluded(5)]
        {
            for end in [Unbounded, Included(0), Included(4), Included(5), Excluded(0), Excluded(5), Excluded(6)] {
                let range = (start, end);
                // Slicing panics for such a range.
                let sliced = std::panic::catch_unwind(|| values[range].to_vec()).ok();
                assert_eq!(within(&range, 5).map(Vec::from_iter), sliced, "{range:?}");
            }
        }
        assert_eq!(within(&(Excluded(usize::MAX), Unbounded), 5), None);
        assert_eq!(within(&(..=usize::MAX), 5), None);
    }
}
