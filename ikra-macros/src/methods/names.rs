//! All names that the macros know, in one table with a reason per row.
//!
//! Unsafe code does not rely on any row. A wrong row makes an analysis too strict; or the compiler, an assertion or the
//! executor rejects the method.

use std::collections::HashMap;
use std::sync::LazyLock;

use ikra_marks::uses;

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Is {
    /// A method of every object.
    ObjectMethod,
    /// A method of `Link` itself.
    LinkMethod,
    /// A method of every object that reaches objects to which no field links.
    Reaching,
    /// A function of plain values.
    OfValues,
    /// A method that may change its receiver.
    Mutator,
    /// A method that returns its receiver, or a part of it, if it takes no arguments.
    Passing,
    /// A method that returns the result of its closure.
    Mapping,
    /// A method whose closure receives its own previous result.
    Folding,
    /// An operation on an atomic field.
    Operation(Operation),
    /// A macro of the standard library.
    Macro(Macro),
    /// A crate that exports these macros.
    Crate,
    /// A built-in attribute, not a macro.
    Attribute,
    /// A tool whose attributes the compiler ignores.
    Tool,
}

/// An operation on an atomic field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operation {
    /// A bit of [`uses`].
    pub(crate) bits: u16,
    pub(crate) arguments: usize,
    /// Whether other types are unlikely to have a method of this name.
    pub(crate) is_certain: bool,
}

/// How a standard library macro uses its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Macro {
    /// It formats them, by reference.
    Formatting,
    /// It formats them into the first.
    Writing,
    /// It borrows them mutably.
    Borrowing,
    /// It takes an expression and a pattern.
    Matching,
    /// It only uses them as values.
    Using,
}

const fn operation(bits: u16, arguments: usize, is_certain: bool) -> Is {
    Is::Operation(Operation { bits, arguments, is_certain })
}

/// Meanings, the names that have them, and the reason.
const TABLE: &[(Is, &str, &str)] = &[
    (
        Is::ObjectMethod,
        "all handle link remove resolve set_at_end",
        "of `Object` and `KernelObject`: they touch no field",
    ),
    (Is::Reaching, "all handle resolve", "of `Object`: any object of the world"),
    (Is::OfValues, "Some Ok Err", "variants"),
    (Is::OfValues, "default from from_bits from_fn from_id from_ref new size_of splat to_bits try_from", "make values"),
    (
        Is::OfValues,
        "abs ceil clamp cmp floor fract max max_by min min_by mul_add rem round signum total_cmp",
        "of numbers",
    ),
    (Is::OfValues, "cbrt exp exp2 hypot ln log log10 log2 powf powi recip rsqrt sqrt", "of numbers"),
    (Is::OfValues, "acos asin atan atan2 cos cosh sin sin_cos sinh tan tanh", "of numbers"),
    (
        Is::OfValues,
        "below chance diffuse next_u32 next_u64 normal_f32 normal_f64 uniform_f32 uniform_f64",
        "of random numbers",
    ),
    (Is::OfValues, "drop once repeat repeat_n replace successors swap take zip", "of the standard library"),
    (Is::LinkMethod, "id index", "inherent methods of `Link`"),
    (Is::LinkMethod, "clone cmp eq hash into ne partial_cmp", "of traits that `Link` implements"),
    (Is::Mutator, "append insert replace set take", "of `Option`, `Cell` or lists: they exchange what is there"),
    (Is::Mutator, "get_or_insert get_or_insert_with", "of `Option`: they fill it"),
    (Is::Mutator, "as_deref_mut as_mut as_mut_slice each_mut", "they lend the whole mutably"),
    (Is::Mutator, "first_mut get_many_mut get_mut last_mut range_mut split_at_mut", "they lend a part mutably"),
    (Is::Mutator, "chunks_exact_mut chunks_mut iter_mut", "they lend the elements mutably"),
    (Is::Mutator, "copy_from_slice copy_within fill fill_with swap_with_slice", "of slices: they overwrite elements"),
    (Is::Mutator, "reverse rotate_left rotate_right swap", "of slices: they exchange elements"),
    (Is::Mutator, "select_nth_unstable sort sort_by sort_by_key", "of slices: they order the elements"),
    (Is::Mutator, "sort_unstable sort_unstable_by sort_unstable_by_key", "of slices: they order the elements"),
    (Is::Passing, "as_ref by_ref clone cloned copied", "the same thing, or a copy"),
    (Is::Passing, "first last next next_back peek", "an element"),
    (Is::Passing, "ok unwrap", "what is inside"),
    (Is::Passing, "cycle enumerate flatten fuse into_iter iter peekable rev", "an iterator over the elements"),
    (Is::Mapping, "and_then filter_map flat_map is_some_and map map_or map_or_else then", "the closure's result"),
    (Is::Folding, "fold reduce scan try_fold", "the closure's first argument is what it has returned"),
    (operation(uses::LOAD, 0, true), "load", "reads"),
    (operation(uses::STORE, 1, true), "store", "overwrites"),
    (operation(uses::EXCHANGE, 1, true), "swap", "overwrites and returns the value before"),
    (operation(uses::EXCHANGE, 2, true), "compare_exchange", "the same, if the value is the expected one"),
    (operation(uses::ADD, 1, false), "add sub", "commute with each other; operators have these names too"),
    (operation(uses::MIN, 1, false), "min", "commutes; numbers have a method of this name too"),
    (operation(uses::MIN, 1, true), "claim", "the smallest link wins"),
    (operation(uses::MAX, 1, false), "max", "commutes; numbers have a method of this name too"),
    (operation(uses::OR, 1, false), "or", "commutes; `Option` has a method of this name too"),
    (operation(uses::AND, 1, false), "and", "commutes; `Option` has a method of this name too"),
    (operation(uses::EXCHANGE, 1, true), "fetch_add fetch_sub", "return the value before, as the next four rows do"),
    (operation(uses::EXCHANGE, 1, true), "fetch_min fetch_max", "the value before depends on who came first"),
    (operation(uses::EXCHANGE, 1, true), "fetch_or fetch_and", "the value before depends on who came first"),
    (operation(uses::EXCHANGE, 1, true), "fetch_claim", "the value before depends on who came first"),
    (Is::Macro(Macro::Formatting), "assert assert_eq assert_ne", "check, and format a message"),
    (Is::Macro(Macro::Formatting), "debug_assert debug_assert_eq debug_assert_ne", "check, and format a message"),
    (Is::Macro(Macro::Formatting), "eprint eprintln format format_args print println", "format"),
    (Is::Macro(Macro::Formatting), "panic todo unimplemented unreachable", "format a message"),
    (Is::Macro(Macro::Writing), "write writeln", "format into their first argument"),
    (Is::Macro(Macro::Borrowing), "addr_of_mut", "is `&raw mut`"),
    (Is::Macro(Macro::Matching), "matches", "is a `match`"),
    (Is::Macro(Macro::Using), "addr_of dbg pin vec", "evaluate their arguments"),
    (Is::Macro(Macro::Using), "column file line module_path", "places in the source"),
    (Is::Macro(Macro::Using), "cfg compile_error concat env option_env stringify", "text known to the compiler"),
    (Is::Macro(Macro::Using), "include_bytes include_str", "files as values, which are not code"),
    (Is::Macro(Macro::Using), "offset_of thread_local", "of types, and items"),
    (Is::Crate, "alloc core std", "of the standard library"),
    (Is::Attribute, "allow deny expect forbid warn", "levels of lints"),
    (Is::Attribute, "cfg", "a condition; `cfg_attr` is what it stands for"),
    (Is::Attribute, "deprecated doc must_use", "documentation and its lints"),
    (Is::Attribute, "ignore should_panic", "of tests"),
    (Is::Attribute, "cold coverage inline instruction_set naked optimize target_feature", "how code is made"),
    (Is::Attribute, "track_caller", "which place a panic names"),
    (Is::Attribute, "export_name link link_name link_ordinal link_section no_mangle unsafe used", "for the linker"),
    (Is::Attribute, "macro_export macro_use path proc_macro", "where macros and modules are"),
    (Is::Attribute, "automatically_derived non_exhaustive repr type_length_limit", "of types"),
    (Is::Tool, "clippy diagnostic miri rust_analyzer rustfmt", "the compiler leaves their attributes alone"),
];

/// The rows of each name.
static NAMES: LazyLock<HashMap<&str, Vec<Is>>> = LazyLock::new(|| {
    let mut names = HashMap::<_, Vec<_>>::new();
    for &(is, row, _) in TABLE {
        for name in row.split(' ') {
            names.entry(name).or_default().push(is);
        }
    }
    names
});

/// All meanings of a name.
fn all(name: &str) -> impl Iterator<Item = Is> {
    NAMES.get(name).into_iter().flatten().copied()
}

/// Whether a name has this meaning.
pub(crate) fn is(name: &str, what: Is) -> bool {
    all(name).any(|is| is == what)
}

/// The macro of the standard library that has this name.
pub(crate) fn standard_macro(name: &str) -> Option<Macro> {
    all(name).find_map(|is| match is {
        Is::Macro(found) => Some(found),
        _ => None,
    })
}

/// The operation on atomic fields with this name and number of arguments.
pub(crate) fn atomic_operation(name: &str, arguments: usize) -> Option<Operation> {
    all(name).find_map(|is| match is {
        Is::Operation(found) if found.arguments == arguments => Some(found),
        _ => None,
    })
}

/// The bit of the commutative update with this name.
pub(crate) fn update(name: &str) -> Option<u16> {
    let found = atomic_operation(name, 1)?;
    (found.bits & uses::UPDATES != 0).then_some(found.bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name is ambiguous, and the compiler reports it, if it denotes a different macro than the glob import.
    #[test]
    fn the_macros_are_those_that_a_method_imports() {
        let core = concat!(env!("CARGO_MANIFEST_DIR"), "/../ikra-core/src/");
        let read = |path: &str| std::fs::read_to_string(format!("{core}{path}")).expect("it can be read");
        let text = read("expansion/standard.rs") + &read("target/host.rs");
        let imported = |name: &str| text.split(|c: char| c != '_' && !c.is_alphanumeric()).any(|word| word == name);
        let macros = TABLE.iter().filter(|(is, ..)| matches!(is, Is::Macro(_)));
        for name in macros.flat_map(|(_, names, _)| names.split(' ')) {
            assert!(imported(name), "{name}");
        }
    }

    #[test]
    fn a_name_is_in_one_row_per_kind() {
        for (name, rows) in NAMES.iter() {
            let kinds: Vec<_> = rows.iter().map(std::mem::discriminant).collect();
            for (n, kind) in kinds.iter().enumerate() {
                assert!(matches!(rows[n], Is::Operation(_)) || !kinds[..n].contains(kind), "{name}");
            }
        }
        assert_eq!(update("claim"), Some(uses::MIN));
        assert_eq!((update("store"), update("fetch_add")), (None, None));
    }
}
