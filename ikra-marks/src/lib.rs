//! The names and marks in the device code of [`ikra`](https://docs.rs/ikra). `ikra-core` and `ikra-gpu` write them as
//! assembly, `ikra-build` searches for them and adds more, and the host reads them.
//!
//! This crate defines each one once: as a constant, and as a macro where assembly needs a literal. Passes of
//! `ikra-build` recognise the rest of core's assembly by its instructions, not by its text. For example, a load from a
//! table is an `ld.const.u64` whose address is a symbol that begins with [`TABLE`], plus a register.
//!
//! Marks are comments, one per line. They do not affect the computation, and keep their position in the text.
//!
//! | mark | position | contents |
//! | --- | --- | --- |
//! | [`CLASS`] | after a class's table | key, symbol, key of the name, fingerprint, position in the source |
//! | [`FIELD`] | after that mark | the fingerprint of one field |
//! | [`ENTRY`] | in a kernel's entry point | key, kind, fingerprint, size and alignment of the result; the key of the kernel that chooses objects, if there is one |
//! | [`TAKES`] | in a kernel's entry point | `all` or `some`, and the table entries that the entry point takes as its last parameter |
//! | [`RECURSIVE`] | at the end | an entry point that calls functions which may call themselves |
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
    /// The start of a class's mark.
    CLASS class = "//ikra:class";
    /// The start of a field's mark.
    FIELD field = "//ikra:field";
    /// The start of the mark of a kernel's entry point.
    ENTRY entry = "//ikra:entry";
    /// The start of the mark that lists the table entries that an entry point takes.
    TAKES takes = "//ikra:takes";
    /// The start of the mark of an entry point whose methods may call themselves.
    RECURSIVE recursive = "//ikra:recursive";
    /// The start of the mark that contains the stack size of a thread.
    STACK stack = "//ikra:stack";
    /// The start of the mark that counts how often each pass fired.
    PASSES passes = "//ikra:passes";
    /// The start of the symbols of classes' tables.
    TABLE table = "ikra_class_";
    /// The start of the symbols of the entry points that change a class's links.
    LINKS links = "ikra_links_";
    /// The end of the symbol of the header to which a table points while its class has no objects.
    ABSENT absent = "_absent";
    /// The start of the names of functions that stand for inexact methods.
    REFUSED refused = "ikra_refused_";
    /// The register with the name of the running kernel, for the report of a panic.
    NOTED_KERNEL noted_kernel = "%ikra_kernel";
    /// The register with the index of the object that a kernel works on.
    NOTED_OBJECT noted_object = "%ikra_object";
    /// The function that reports a panic, given a kernel's name and an object's index.
    FAILING failing = "ikra_failing";
}

/// The words of a mark, after its start.
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

/// The environment variable that `ikra-build` sets for `ikra-macros` when it compiles a model for the device.
pub const FOR_DEVICE: &str = "IKRA_FOR_DEVICE";

/// The operations on an atomic field, as bits of a set.
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
    /// It is changed, and the previous value is used.
    pub const EXCHANGE: u16 = 1 << 7;
    /// Any operations, in any order.
    pub const UNORDERED: u16 = 1 << 8;

    /// The operations that commute with themselves.
    pub const UPDATES: u16 = ADD | MIN | MAX | OR | AND;
}
