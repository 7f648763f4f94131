//! Statements repeated for the items of a thread.

/// Repeats a statement for the items of a thread, at most 20. The items' numbers are constants, so that arrays of them stay
/// in registers.
macro_rules! unrolled {
    ($k:ident below $count:expr => $work:block) => {
        unrolled!(@ $k $count => $work; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19)
    };
    (@ $k:ident $count:expr => $work:block; $($n:literal)*) => { $(
        if const { $n < $count } {
            const $k: usize = $n;
            $work
        }
    )* };
}
pub(super) use unrolled;
