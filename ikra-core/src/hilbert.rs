//! Hilbert curves: an order of the cells of a cube in which neighbours follow each other.

/// The number of a cell along the Hilbert curve through a cube with 2^`bits` cells along each of its edges.
///
/// J. Skilling, "Programming the Hilbert curve" (2004): from the largest cubes to the smallest ones, the coordinates are
/// exchanged and reflected as the curve turns, and then Gray-coded.
#[inline]
pub(crate) fn along<const D: usize>(mut at: [u32; D], bits: u32) -> u64 {
    let mut half = (1_u32 << bits) >> 1;
    while half > 1 {
        for d in 0..D {
            if at[d] & half != 0 {
                at[0] ^= half - 1;
            } else {
                let swapped = (at[0] ^ at[d]) & (half - 1);
                at[0] ^= swapped;
                at[d] ^= swapped;
            }
        }
        half >>= 1;
    }
    for d in 1..D {
        at[d] ^= at[d - 1];
    }
    let mut turned = 0;
    let mut half = (1_u32 << bits) >> 1;
    while half > 1 {
        if at[D - 1] & half != 0 {
            turned ^= half - 1;
        }
        half >>= 1;
    }
    let mut number = 0;
    for bit in (0..bits).rev() {
        for d in 0..D {
            number = number << 1 | u64::from((at[d] ^ turned) >> bit & 1);
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::along;

    /// All cells of a cube, in the order of the curve.
    fn curve<const D: usize>(bits: u32) -> Vec<[u32; D]> {
        let cell = |n: u64| std::array::from_fn(|d| (n >> (d as u32 * bits)) as u32 & ((1 << bits) - 1));
        let mut cells: Vec<_> = (0..1_u64 << (bits * D as u32)).map(cell).map(|at| (along(at, bits), at)).collect();
        cells.sort_unstable();
        assert!(cells.iter().enumerate().all(|(n, &(number, _))| number == n as u64), "{D} dimensions, {bits} bits");
        cells.into_iter().map(|(_, at)| at).collect()
    }

    fn check<const D: usize>(most: u32) {
        for bits in 0..=most {
            for two in curve::<D>(bits).windows(2) {
                let distance: u32 = two[0].iter().zip(two[1]).map(|(&one, other)| one.abs_diff(other)).sum();
                assert_eq!(distance, 1, "{two:?} of {bits} bits");
            }
        }
    }

    #[test]
    fn each_cell_has_a_number_and_the_next_one_is_beside_it() {
        check::<1>(5);
        check::<2>(6);
        check::<3>(4);
        check::<4>(3);
    }

    #[test]
    fn a_cube_is_filled_before_the_next_one() {
        let cubes: Vec<_> = curve::<2>(4).chunks(16).map(|cells| cells[0].map(|x| x / 4)).collect();
        for (cells, cube) in curve::<2>(4).chunks(16).zip(cubes) {
            assert!(cells.iter().all(|at| at.map(|x| x / 4) == cube), "{cells:?}");
        }
    }
}
