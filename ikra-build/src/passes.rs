//! Passes over device code after the compiler, in their order.
//!
//! The code is a program, `ikra_ptx::Module`: parsed once and printed once. A pass makes an equivalent program, and
//! says how often it fired. It finds its patterns in definitions, uses and control flow ([`values`]), never in the
//! text.
//!
//! How often each fired stands at the end of the code: `//ikra:passes rustc=1.96.0 spaces=120 stores=4 …`. Tests compare that with what was expected
//! (`tests/codegen/ptx/tests/passes.rs`): a compiler that writes something else turns a pass off without an error.

mod checks;
mod counts;
mod edits;
mod flushed;
mod loops;
mod offsets;
mod panics;
mod rows;
mod spaces;
mod stores;
mod strides;
mod tables;
#[cfg(test)]
mod testing;
mod uncalled;
mod values;
mod words;

use ikra_marks::{NOTED_KERNEL, NOTED_OBJECT, PASSES as MARK};
use ikra_ptx::{Error, Item, Module, Type};

use crate::Floats;
use crate::ptx::Fired;

/// A pass by its name. It returns how often it fired.
type Pass = (&'static str, fn(&mut Module) -> usize);

const PASSES: &[Pass] = &[
    ("spaces", spaces::named),
    ("stores", stores::after_loads),
    ("strides", strides::stepped),
    ("counts", counts::read_once),
    ("panics", panics::reported),
    ("uncalled", uncalled::emptied),
    ("checks", checks::first),
    ("loops", loops::forbid_unrolling),
    ("offsets", offsets::last),
    ("words", words::passed),
];

/// Passes that change bits: they follow the others with [`Floats::Fast`].
const FAST: &[Pass] = &[("flushed", flushed::approximations)];

/// The names of the passes, in their order.
pub(crate) fn names() -> Vec<&'static str> {
    PASSES.iter().map(|(name, _)| *name).collect()
}

/// The compiler's code as a program. Kernels keep notes in registers that are not declared.
pub(crate) fn parsed(code: &str) -> Result<Module, Error> {
    Module::parse_with(code, &[(NOTED_KERNEL, Type::B64), (NOTED_OBJECT, Type::B32)])
}

/// Turns the code into the driver's input, without the passes that are named in `left_out`. `compiler` is the release
/// of the compiler that wrote the code.
///
/// # Errors
///
/// If a pass, which the message names, made an invalid program. Programs are verified if `is_checked`.
pub(crate) fn done(
    module: &mut Module,
    compiler: &str,
    floats: Floats,
    left_out: &[String],
    is_checked: bool,
) -> Result<(), String> {
    let mut fired = Fired { compiler: compiler.to_owned(), counts: Vec::new() };
    let fast = if floats == Floats::Fast { FAST } else { &[] };
    for (name, pass) in PASSES.iter().chain(fast) {
        let is_left_out = left_out.iter().any(|other| other == name);
        let count = if is_left_out { None } else { Some(pass(module) as u64) };
        fired.counts.push(((*name).to_owned(), count));
        if is_checked {
            module.verify().map_err(|error| format!("behind the pass `{name}`: {error}"))?;
        }
    }
    module.items.push(Item::Annotation(format!("{MARK} {fired}")));
    Ok(())
}

/// The passes that a list such as `-stores,-offsets` leaves out.
///
/// # Errors
///
/// If there is no such pass.
pub(crate) fn left_out(list: &str) -> Result<Vec<String>, String> {
    let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
    let all = || PASSES.iter().chain(FAST).map(|(name, _)| *name);
    let known = |name: &str| all().any(|known| known == name);
    names
        .map(|name| match name.strip_prefix('-') {
            Some(left_out) if known(left_out) => Ok(left_out.to_owned()),
            _ => {
                let all: Vec<String> = all().map(|known| format!("-{known}")).collect();
                Err(format!("IKRA_PASSES: `{name}` is none of {}", all.join(", ")))
            }
        })
        .collect()
}
