//! The synthetic benchmark of INNER §5.1 in every layout: 262,144 objects with an `i32` and an array of 32 to
//! 64 of them, to each of which the `i32` is added. One text for the class and its kernel; only attributes
//! and the array's type differ.

/// Objects.
pub const OBJECTS: u32 = 262_144;
/// Elements of the longest array.
pub const MOST: usize = 64;

/// The finaliser of MurmurHash3.
pub fn hash(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x85eb_ca6b);
    x ^= x >> 13;
    x = x.wrapping_mul(0xc2b2_ae35);
    x ^ x >> 16
}

/// The length of object `i`'s array.
pub fn length(i: u32) -> usize {
    32 + hash(i) as usize % 33
}

/// What is added to the elements of object `i`.
pub fn data(i: u32) -> i32 {
    1 + (i % 7) as i32
}

/// Element `j` of object `i`.
pub fn element(i: u32, j: usize) -> i32 {
    ((i + 3 * j as u32) % 1000) as i32
}

macro_rules! layout {
    ($class:ident, $module:ident, [$($option:tt)*], [$($attribute:tt)*], $array:ty, { $($len:tt)* }, |$row:ident| $count:expr, { $($each:tt)* }) => {
        /// One layout.
        pub mod $module {
            use ikra::prelude::*;

            /// An object with an array.
            #[soa_class(capacity = super::OBJECTS, $($option)*)]
            #[derive(Clone, Debug)]
            pub struct $class {
                /// What is added.
                pub data: i32,
                $($len)*
                /// To what it is added.
                $($attribute)*
                pub items: $array,
            }

            #[soa_methods]
            impl $class {
                /// Adds `data` to every element.
                #[kernel]
                pub fn add(&mut self) {
                    let $row = &*self;
                    let count = $count;
                    for j in 0..count {
                        self.items[j as usize] += self.data;
                    }
                }
                $($each)*
            }

            /// The world.
            #[soa_world]
            pub struct Things {
                /// All objects.
                pub things: Objects<$class>,
            }
        }
    };
}

/// Arrays of one length, of which a field says how many elements count.
macro_rules! fixed {
    ($class:ident, $module:ident, [$($option:tt)*], [$($attribute:tt)*]) => {
        layout! {
            $class, $module, [$($option)*], [$($attribute)*], [i32; super::MOST],
            { #[doc = "How many elements count."] pub len: u32, }, |row| row.len.min(super::MOST as u32), {
                /// The same by iteration.
                #[kernel]
                pub fn add_each(&mut self) {
                    let (len, data) = (self.len as usize, self.data);
                    self.items.range_mut(..len).for_each(|item| *item += data);
                }
            }
        }
    };
}

/// Arrays of varying length.
macro_rules! varying {
    ($class:ident, $module:ident, [$($option:tt)*], $slots:literal) => {
        layout! { $class, $module, [$($option)*], [#[inline_array($slots)]], InnerArray<i32>, {}, |row| row.items.len() as u32, {
                /// The same by iteration.
                #[kernel]
                pub fn add_each(&mut self) {
                    let data = self.data;
                    self.items.iter_mut().for_each(|item| *item += data);
                }
            } }
    };
}

fixed!(SoaFull, soa_full, [], [#[inline_array]]);
fixed!(SoaObject, soa_object, [], [#[inline_array(object)]]);
fixed!(AosFull, aos_full, [layout = "aos"], [#[inline_array]]);
varying!(Soa0, soa_0, [], 0);
varying!(Soa8, soa_8, [], 8);
varying!(Soa16, soa_16, [], 16);
varying!(Soa32, soa_32, [], 32);
varying!(Soa48, soa_48, [], 48);
varying!(Soa64, soa_64, [], 64);
varying!(Aos0, aos_0, [layout = "aos"], 0);
varying!(Aos8, aos_8, [layout = "aos"], 8);
varying!(Aos16, aos_16, [layout = "aos"], 16);
varying!(Aos32, aos_32, [layout = "aos"], 32);
varying!(Aos48, aos_48, [layout = "aos"], 48);
varying!(Aos64, aos_64, [layout = "aos"], 64);

/// Makes rows of a class with arrays of one length.
#[cfg(not(target_arch = "nvptx64"))]
macro_rules! fixed_rows {
    ($class:ident) => {
        |i| $class {
            data: inner_array::data(i),
            len: inner_array::length(i) as u32,
            items: std::array::from_fn(|j| if j < inner_array::length(i) { inner_array::element(i, j) } else { 0 }),
        }
    };
}

/// Makes rows of a class with arrays of varying length.
#[cfg(not(target_arch = "nvptx64"))]
macro_rules! varying_rows {
    ($class:ident) => {
        |i| $class {
            data: inner_array::data(i),
            items: (0..inner_array::length(i)).map(|j| inner_array::element(i, j)).collect(),
        }
    };
}

/// Calls a macro for every layout, with its class, its module, its kind, its name as in INNER Fig. 10, and its number of slots.
#[cfg(not(target_arch = "nvptx64"))]
macro_rules! for_each_layout {
    ($one:ident) => {
        $one!(SoaFull, soa_full, fixed_rows, "SoA (full)", "");
        $one!(SoaObject, soa_object, fixed_rows, "SoA (object)", "");
        $one!(AosFull, aos_full, fixed_rows, "AoS (full)", "");
        $one!(Soa0, soa_0, varying_rows, "SoA (partial)", "0");
        $one!(Soa8, soa_8, varying_rows, "SoA (partial)", "8");
        $one!(Soa16, soa_16, varying_rows, "SoA (partial)", "16");
        $one!(Soa32, soa_32, varying_rows, "SoA (partial)", "32");
        $one!(Soa48, soa_48, varying_rows, "SoA (partial)", "48");
        $one!(Soa64, soa_64, varying_rows, "SoA (partial)", "64");
        $one!(Aos0, aos_0, varying_rows, "AoS (partial)", "0");
        $one!(Aos8, aos_8, varying_rows, "AoS (partial)", "8");
        $one!(Aos16, aos_16, varying_rows, "AoS (partial)", "16");
        $one!(Aos32, aos_32, varying_rows, "AoS (partial)", "32");
        $one!(Aos48, aos_48, varying_rows, "AoS (partial)", "48");
        $one!(Aos64, aos_64, varying_rows, "AoS (partial)", "64");
    };
}

#[cfg(not(target_arch = "nvptx64"))]
#[allow(unused_imports, reason = "not every program that has this file uses all")]
pub(crate) use {fixed_rows, for_each_layout, varying_rows};
