//! Advice on the number of slots of an inner array to inline, from the arrays' lengths.

mod table;

use std::collections::BTreeMap;

/// The number of bytes of an offset into the arena, and of a length: an object stores these for its array besides
/// slots.
const WORD: u128 = size_of::<u32>() as u128;
/// Shares are kept in billionths, so that 0.8 of ten elements is eight.
const WHOLE: u128 = 1_000_000_000;

/// Proposes the `N` of `#[inline_array(N)]`, and computes the cost of each choice.
///
/// The first `N` slots of each object's array are columns of the class (part of the object in the layout `aos`), used
/// or not; further elements are in the class's arena. A small `N` sends many accesses to the arena, a large one wastes
/// slots. [`proposed`](Self::proposed) is the least `N` that inlines 80 % of all elements. Start measuring from it,
/// because access patterns and hardware matter too.
///
/// ```
/// use ikra::report::InliningAdvice;
///
/// // Crossings by the number of streets that leave them.
/// let advice = InliningAdvice::from_histogram(&[(1, 190), (2, 90), (3, 540), (4, 170), (6, 10)]);
/// assert_eq!(advice.proposed(), 3);
/// let choice = advice.choice(3);
/// assert_eq!(choice.share_of_objects, 0.82);
/// assert_eq!((choice.wasted_bytes, choice.arena_bytes), (1880, 800));
/// println!("{advice}");
/// ```
///
/// Its `Display` prints a table of [`choices`](Self::choices):
///
/// ```text
/// 1000 arrays of up to 6 elements, 4 bytes each, 2730 elements in all
///   inlined            elements  objects  inlined bytes  empty  arena bytes  offset, length  bytes
///         0               0.0 %    0.0 %              0      0        10920            8000  18920
///         1              36.6 %   19.0 %           4000      0         6920            8000  18920
///         2              66.3 %   28.0 %           8000    760         3680            8000  19680
///         3  proposed    92.6 %   82.0 %          12000   1880          800            8000  20800
///         4              99.2 %   99.0 %          16000   5160           80            8000  24080
///         6             100.0 %  100.0 %          24000  13080            0            4000  28000
/// ```
///
/// Bytes are counted for the slots and the arena. In the layout `aos`, slots can also add padding to the objects, which
/// depends on the other fields: [`ClassLayout`](crate::ClassLayout) shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InliningAdvice {
    /// The lengths that occur, ascending, and the number of arrays of each.
    histogram: Vec<(usize, u64)>,
    /// The number of bytes from one element to the next.
    stride: usize,
    /// The share of elements to inline, in billionths.
    share: u128,
}

/// The costs and benefits of a number of inlined slots: [`InliningAdvice::choice`].
///
/// ```
/// use ikra::report::InliningAdvice;
///
/// let choice = InliningAdvice::from_lengths([0, 2, 5]).element_size(8, 8).choice(3);
/// assert_eq!(choice.inlined_bytes, 3 * 3 * 8);
/// assert_eq!((choice.used_bytes, choice.wasted_bytes), ((2 + 3) * 8, (3 + 1) * 8));
/// assert_eq!(choice.arena_bytes, 2 * 8);
/// assert_eq!(choice.bookkeeping_bytes, 3 * 8);
/// assert_eq!(choice.total_bytes, 72 + 16 + 24);
/// assert_eq!(choice.share_of_elements, 5.0 / 7.0);
/// assert_eq!(choice.share_of_objects, 2.0 / 3.0);
/// ```
///
/// Sizes that do not fit in a `u64` are `u64::MAX`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct InliningChoice {
    /// The number of inlined slots per object: `N`.
    pub inlined: usize,
    /// The number of bytes of all objects' inlined slots.
    pub inlined_bytes: u64,
    /// The number of bytes of inlined slots that hold an element.
    pub used_bytes: u64,
    /// The number of bytes of inlined slots that stay empty.
    pub wasted_bytes: u64,
    /// The number of bytes of the elements in the arena.
    pub arena_bytes: u64,
    /// The number of bytes of the objects' lengths and offsets into the arena. If no array exceeds `N`, all arrays are
    /// fully inlined and need no offsets.
    pub bookkeeping_bytes: u64,
    /// The number of all bytes: inlined slots, arena, lengths and offsets.
    pub total_bytes: u64,
    /// The share of all elements that is inlined, from 0 to 1; 1 without elements.
    pub share_of_elements: f64,
    /// The share of objects whose whole array is inlined, from 0 to 1; 1 without objects.
    pub share_of_objects: f64,
}

impl InliningAdvice {
    /// Advice for arrays of these lengths, one per object.
    ///
    /// ```
    /// use ikra::report::InliningAdvice;
    ///
    /// let streets = [vec!["Elm", "Oak"], vec![], vec!["Ash", "Fir", "Yew"]];
    /// assert_eq!(InliningAdvice::from_lengths(streets.iter().map(Vec::len)).proposed(), 2);
    /// assert_eq!(InliningAdvice::from_lengths([]).proposed(), 0);
    /// ```
    pub fn from_lengths(lengths: impl IntoIterator<Item = usize>) -> Self {
        Self::new(lengths.into_iter().map(|len| (len, 1)))
    }

    /// Advice for arrays given as `(length, count)`, in any order.
    ///
    /// ```
    /// use ikra::report::InliningAdvice;
    ///
    /// let counted = InliningAdvice::from_histogram(&[(7, 2), (0, 1)]);
    /// assert_eq!(counted, InliningAdvice::from_lengths([7, 0, 7]));
    /// ```
    pub fn from_histogram(histogram: &[(usize, u64)]) -> Self {
        Self::new(histogram.iter().copied())
    }

    fn new(arrays: impl Iterator<Item = (usize, u64)>) -> Self {
        let mut counts = BTreeMap::<usize, u64>::new();
        for (len, count) in arrays.filter(|&(_, count)| count > 0) {
            let all = counts.entry(len).or_default();
            *all = all.saturating_add(count);
        }
        Self { histogram: counts.into_iter().collect(), stride: 4, share: WHOLE / 10 * 8 }
    }

    /// Sets the size of an element, and the alignment at which each element begins. The defaults are 4 and 4.
    ///
    /// ```
    /// use ikra::report::InliningAdvice;
    ///
    /// let advice = InliningAdvice::from_lengths([3]);
    /// assert_eq!(advice.choice(0).arena_bytes, 12);
    /// let advice = advice.element_size(size_of::<f64>(), align_of::<f64>());
    /// assert_eq!(advice.choice(0).arena_bytes, 24);
    /// ```
    #[must_use]
    pub fn element_size(mut self, bytes: usize, align: usize) -> Self {
        self.stride = bytes.checked_next_multiple_of(align).unwrap_or(bytes);
        self
    }

    /// Sets the least share of elements that [`proposed`](Self::proposed) inlines. The default is 0.8.
    ///
    /// ```
    /// use ikra::report::InliningAdvice;
    ///
    /// let advice = InliningAdvice::from_lengths(32..=64);
    /// assert_eq!(advice.proposed(), 40);
    /// assert_eq!(advice.share(1.0).proposed(), 64);
    /// ```
    ///
    /// # Panics
    ///
    /// If `share` is not from 0 to 1.
    #[must_use]
    #[track_caller]
    pub fn share(mut self, share: f64) -> Self {
        assert!((0.0..=1.0).contains(&share), "a share is from 0 to 1, not {share}");
        self.share = (share * WHOLE as f64).round() as u128;
        self
    }

    /// The least number of inlined slots that hold the wanted [`share`](Self::share) of all elements.
    ///
    /// ```
    /// use ikra::report::InliningAdvice;
    ///
    /// // Of ten elements, four slots hold 4 + 4.
    /// assert_eq!(InliningAdvice::from_lengths([4, 6]).proposed(), 4);
    /// assert_eq!(InliningAdvice::from_lengths([0, 0]).proposed(), 0);
    /// ```
    pub fn proposed(&self) -> usize {
        let wanted = self.part(self.elements());
        // The elements of the arrays that are shorter than `len`, and the number of the other arrays.
        let (mut elements, mut longer) = (0_u128, self.objects());
        for &(len, count) in &self.histogram {
            if elements.saturating_add(longer.saturating_mul(len as u128)) >= wanted {
                return (wanted - elements).div_ceil(longer) as usize;
            }
            elements = elements.saturating_add(product(len, count));
            longer -= u128::from(count);
        }
        0
    }

    /// The costs and benefits of `inlined` slots.
    ///
    /// ```
    /// use ikra::report::InliningAdvice;
    ///
    /// let advice = InliningAdvice::from_lengths([1, 1, 1, 9]);
    /// assert!(advice.choice(1).total_bytes < advice.choice(9).total_bytes);
    /// ```
    pub fn choice(&self, inlined: usize) -> InliningChoice {
        let (objects, elements) = (self.objects(), self.elements());
        let (mut held, mut whole) = (0_u128, 0_u128);
        for &(len, count) in &self.histogram {
            held = held.saturating_add(product(len.min(inlined), count));
            whole += if len <= inlined { u128::from(count) } else { 0 };
        }
        let slots = objects.saturating_mul(inlined as u128);
        let bytes = |elements: u128| elements.saturating_mul(self.stride as u128);
        let words = if inlined >= self.longest() { WORD } else { 2 * WORD };
        let bookkeeping = objects.saturating_mul(words);
        let (inlined_bytes, arena) = (bytes(slots), bytes(elements - held));
        InliningChoice {
            inlined,
            inlined_bytes: saturated(inlined_bytes),
            used_bytes: saturated(bytes(held)),
            wasted_bytes: saturated(bytes(slots - held)),
            arena_bytes: saturated(arena),
            bookkeeping_bytes: saturated(bookkeeping),
            total_bytes: saturated(inlined_bytes.saturating_add(arena).saturating_add(bookkeeping)),
            share_of_elements: ratio(held, elements),
            share_of_objects: ratio(whole, objects),
        }
    }

    /// A selection of choices, fewest slots first: 0, powers of two, the proposed number, and full inlining. It also
    /// has the numbers that inline the whole array of 50, 80, 90, 95 and 99 % of the objects.
    ///
    /// ```
    /// use ikra::report::InliningAdvice;
    ///
    /// let advice = InliningAdvice::from_lengths([1, 2, 2, 3, 20]);
    /// let inlined: Vec<usize> = advice.choices().iter().map(|choice| choice.inlined).collect();
    /// assert_eq!(inlined, [0, 1, 2, 3, 4, 8, 15, 16, 20]);
    /// ```
    pub fn choices(&self) -> Vec<InliningChoice> {
        let longest = self.longest();
        let powers = (0..usize::BITS).map(|power| 1_usize << power).take_while(|&slots| slots < longest);
        let mut sizes: Vec<usize> = powers.chain([0, self.proposed(), longest]).collect();
        sizes.extend([50, 80, 90, 95, 99].map(|percent| self.quantile(percent)));
        sizes.sort_unstable();
        sizes.dedup();
        sizes.into_iter().map(|inlined| self.choice(inlined)).collect()
    }

    /// The least length that at least `percent` of the arrays do not exceed.
    fn quantile(&self, percent: u128) -> usize {
        let objects = self.objects();
        let mut whole = 0_u128;
        let enough = |&&(_, count): &&(usize, u64)| {
            whole += u128::from(count);
            whole * 100 >= objects * percent
        };
        self.histogram.iter().find(enough).map_or(0, |&(len, _)| len)
    }

    /// The wanted share of a number, rounded up.
    fn part(&self, number: u128) -> u128 {
        number / WHOLE * self.share + (number % WHOLE * self.share).div_ceil(WHOLE)
    }

    fn longest(&self) -> usize {
        self.histogram.last().map_or(0, |&(len, _)| len)
    }

    fn objects(&self) -> u128 {
        self.histogram.iter().map(|&(_, count)| u128::from(count)).sum()
    }

    fn elements(&self) -> u128 {
        self.histogram.iter().fold(0, |sum, &(len, count)| sum.saturating_add(product(len, count)))
    }
}

/// The product cannot overflow: both factors have 64 bits.
fn product(len: usize, count: u64) -> u128 {
    len as u128 * u128::from(count)
}

fn ratio(part: u128, all: u128) -> f64 {
    if all == 0 { 1.0 } else { part as f64 / all as f64 }
}

fn saturated(bytes: u128) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_at_the_limits() {
        for advice in [
            InliningAdvice::from_histogram(&[(usize::MAX, u64::MAX)]),
            InliningAdvice::from_histogram(&[(usize::MAX, u64::MAX), (usize::MAX, 1), (usize::MAX - 1, u64::MAX)]),
            InliningAdvice::from_histogram(&[(1, u64::MAX), (usize::MAX, u64::MAX), (3, u64::MAX)]),
        ] {
            let advice = advice.element_size(usize::MAX, usize::MAX);
            assert!(advice.proposed() > 0);
            assert_eq!(advice.choice(usize::MAX).share_of_elements, 1.0);
            assert_eq!(advice.choice(usize::MAX).inlined_bytes, u64::MAX);
            assert_eq!(advice.choice(0).used_bytes, 0);
            assert!(advice.choices().len() > 64);
            let table = advice.to_string();
            assert!(table.contains("proposed"), "{table}");
        }
    }

    #[test]
    fn odd_sizes_of_elements() {
        let advice = InliningAdvice::from_lengths([1, 2]);
        assert_eq!(advice.clone().element_size(5, 4).choice(0).arena_bytes, 24);
        assert_eq!(advice.clone().element_size(5, 0).choice(0).arena_bytes, 15);
        assert_eq!(advice.clone().element_size(0, 1).choice(1).total_bytes, 2 * 8);
        assert_eq!(advice.element_size(usize::MAX, 2).choice(2).arena_bytes, 0);
    }

    #[test]
    fn shares_are_exact() {
        // 0.55 * 100.0 is a little more than 55.
        let advice = InliningAdvice::from_lengths(std::iter::once(100)).share(0.55);
        assert_eq!(advice.proposed(), 55);
        assert_eq!(InliningAdvice::from_lengths([3, 3]).share(0.0).proposed(), 0);
        assert_eq!(InliningAdvice::from_lengths([1, 3]).share(1.0).proposed(), 3);
    }

    #[test]
    #[should_panic(expected = "a share is from 0 to 1, not 80")]
    fn shares_are_no_percentages() {
        let _ = InliningAdvice::from_lengths([]).share(80.0);
    }

    #[test]
    fn nothing_and_zeros() {
        for (advice, objects) in [
            (InliningAdvice::from_lengths([]), 0),
            (InliningAdvice::from_histogram(&[(5, 0)]), 0),
            (InliningAdvice::from_lengths([0, 0, 0]), 3),
        ] {
            assert_eq!(advice.proposed(), 0);
            let choices = advice.choices();
            assert_eq!(choices.len(), 1);
            assert_eq!((choices[0].inlined, choices[0].total_bytes), (0, objects * 4), "a length each");
            assert_eq!((choices[0].share_of_elements, choices[0].share_of_objects), (1.0, 1.0));
        }
    }
}
