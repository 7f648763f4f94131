//! The names and marks in the device code of [`ikra`](https://docs.rs/ikra): what `ikra-core` and `ikra-gpu` write into it by
//! assembly, what `ikra-build` looks for and adds, and what the host reads.
//!
//! Each is defined once, here: as a constant, and as a macro where assembly needs a literal. Passes of `ikra-build` recognise the
//! rest of core's assembly by its instructions, not by its text: a load from a table is an `ld.const.u64` whose address is a
//! symbol that begins with [`TABLE`], plus a register.
//!
//! Marks are comments, one per line. They have no effect on what the code computes, and stay where they are in the text.
//!
//! | mark | where | says |
//! | --- | --- | --- |
//! | [`CLASS`] | behind a class's table | key, symbol, key of the name, fingerprint, place in the source |
//! | [`FIELD`] | behind that | the fingerprint of one field |
//! | [`ENTRY`] | in an entry of a kernel | key, kind, fingerprint, size and alignment of the result |
//! | [`TAKES`] | in the same | `all` or `some`, and which words of tables the entry takes as its last parameter |
//! | [`RECURSIVE`] | at the end | an entry that calls functions which may call themselves |
//! | [`STACK`] | at the end | bytes of stack that each thread needs |
//! | [`PASSES`] | at the end | how often each pass of `ikra-build` fired |

#![no_std]
#![warn(unreachable_pub)]

macro_rules! marks {
    ($($(#[$doc:meta])* $constant:ident $name:ident = $text:literal;)*) => { $(
        $(#[$doc])*
        pub const $constant: &str = $text;

        #[doc(hidden)]
        #[macro_export]
        macro_rules! $name {
            () => { $text };
        }
    )* };
}

marks! {
    /// How a class's mark begins.
    CLASS class = "//ikra:class";
    /// How a field's mark begins.
    FIELD field = "//ikra:field";
    /// How the mark of a kernel's entry begins.
    ENTRY entry = "//ikra:entry";
    /// How the mark begins that says which words of tables an entry takes.
    TAKES takes = "//ikra:takes";
    /// How the mark of an entry begins whose methods may call themselves.
    RECURSIVE recursive = "//ikra:recursive";
    /// How the mark begins that says how much stack a thread needs.
    STACK stack = "//ikra:stack";
    /// How the mark begins that says how often each pass fired.
    PASSES passes = "//ikra:passes";
    /// How symbols of classes' tables begin.
    TABLE table = "ikra_class_";
    /// How the symbol of the header ends that a table leads to as long as there is no object.
    ABSENT absent = "_absent";
    /// How names of functions begin that stand for methods that are not exact.
    REFUSED refused = "ikra_refused_";
    /// The register that holds the name of the kernel that runs, for the report of a panic.
    NOTED_KERNEL noted_kernel = "%ikra_kernel";
    /// The register that holds the index of the object that a kernel works on.
    NOTED_OBJECT noted_object = "%ikra_object";
    /// The function that reports a panic, of a kernel's name and an object's index.
    FAILING failing = "ikra_failing";
}

/// The words of a mark, behind how it begins.
///
/// ```
/// let words = ikra_marks::words("\t//ikra:stack 4096", ikra_marks::STACK);
/// assert_eq!(words.unwrap().collect::<Vec<_>>(), ["4096"]);
/// assert!(ikra_marks::words("//ikra:stacks 4096", ikra_marks::STACK).is_none());
/// ```
#[must_use]
pub fn words<'t>(line: &'t str, mark: &str) -> Option<impl Iterator<Item = &'t str>> {
    let rest = line.trim_start().strip_prefix(mark)?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.split_whitespace())
}

/// The environment variable that `ikra-build` sets where it compiles a model for the device, for `ikra-macros`.
pub const FOR_DEVICE: &str = "IKRA_FOR_DEVICE";

/// What can be done to an atomic field, as bits of a set.
pub mod uses {
    /// It is loaded.
    pub const LOAD: u16 = 1 << 0;
    /// It is stored.
    pub const STORE: u16 = 1 << 1;
    /// An integer is added or subtracted.
    pub const ADD: u16 = 1 << 2;
    /// It becomes the smaller of two values.
    pub const MIN: u16 = 1 << 3;
    /// It becomes the larger of two values.
    pub const MAX: u16 = 1 << 4;
    /// It becomes the bitwise or of two values.
    pub const OR: u16 = 1 << 5;
    /// It becomes the bitwise and of two values.
    pub const AND: u16 = 1 << 6;
    /// It is changed, and the value before is used.
    pub const EXCHANGE: u16 = 1 << 7;
    /// Anything at all, in any order.
    pub const UNORDERED: u16 = 1 << 8;

    /// The operations that commute with themselves.
    pub const UPDATES: u16 = ADD | MIN | MAX | OR | AND;
}
