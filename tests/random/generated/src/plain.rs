//! The objects in plain Rust.

/// An object; links are positions.
#[derive(Clone, Debug, PartialEq)]
pub struct Plain {
    /// A number.
    pub a: u32,
    /// Another number.
    pub b: u32,
    /// A link.
    pub next: usize,
    /// An optional link.
    pub maybe: Option<usize>,
    /// An inner array with a slot per element.
    pub three: [u32; 3],
    /// An inner array in one column.
    pub whole: [u32; 2],
    /// An inner array of varying length.
    pub var: Vec<u32>,
    /// An inner array of links.
    pub links: Vec<usize>,
    /// A small vector by value.
    pub small: [u32; 2],
    /// A flattened struct.
    pub flat: Pair,
}

/// Two numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// One.
    pub x: u32,
    /// The other.
    pub y: u32,
}

/// A pseudo-random number, determined by the arguments.
#[must_use]
pub fn mixed(n: usize, salt: u32) -> u32 {
    let mut x = (n as u32).wrapping_mul(0x9e37_79b9) ^ salt.wrapping_mul(0x85eb_ca6b);
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^ x >> 15
}

/// Objects with many links to each other.
#[must_use]
pub fn objects(count: usize) -> Vec<Plain> {
    (0..count)
        .map(|n| {
            let at = |salt| mixed(n, salt) as usize % count;
            Plain {
                a: mixed(n, 1),
                b: mixed(n, 2),
                next: at(3),
                maybe: (n % 3 != 0).then(|| at(4)),
                three: [mixed(n, 5), mixed(n, 6), mixed(n, 7)],
                whole: [mixed(n, 8), mixed(n, 9)],
                var: (0..1 + n % 4).map(|k| mixed(n, 10 + k as u32)).collect(),
                links: (0..2 + n % 3).map(|k| at(20 + k as u32)).collect(),
                small: [mixed(n, 30), mixed(n, 31)],
                flat: Pair { x: mixed(n, 32), y: mixed(n, 33) },
            }
        })
        .collect()
}
