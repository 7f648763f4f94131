//! Which instructions and intrinsics of LLVM give the same bits on the device as on the host.

use std::collections::HashMap;

use super::ir::{Frame, Instruction};
use super::zeros::may_differ_in_zeros;
use super::{assembly, is_ikras};

/// The verdict on an operation, and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) what: String,
    pub(super) instead: String,
}

impl Refusal {
    /// An operation that is known to give other bits.
    fn other(what: &str, instead: String) -> Self {
        Self { what: format!("{what} gives other bits on the device than on the host"), instead }
    }

    /// An operation that is not known to be exact.
    pub(super) fn unknown(what: &str) -> Self {
        Self {
            what: format!("{what} is not known to give the same bits on the device as on the host"),
            instead: String::from(
                "use the ordinary operators on `f32` and `f64` and the functions of `ikra::math`; where the line has nothing else, the compiler is newer than this `ikra-build`, and `IKRA_RUSTC` can name an older one",
            ),
        }
    }
}

/// Instructions that are not floating-point arithmetic: they compute integers, move bits or jump.
const BITS: &[&str] = &[
    "add",
    "addrspacecast",
    "alloca",
    "and",
    "ashr",
    "bitcast",
    "br",
    "cmpxchg",
    "extractelement",
    "extractvalue",
    "fence",
    "freeze",
    "getelementptr",
    "icmp",
    "indirectbr",
    "insertelement",
    "insertvalue",
    "inttoptr",
    "load",
    "lshr",
    "mul",
    "or",
    "phi",
    "ptrtoaddr",
    "ptrtoint",
    "ret",
    "sdiv",
    "select",
    "sext",
    "shl",
    "shufflevector",
    "srem",
    "store",
    "sub",
    "switch",
    "trunc",
    "udiv",
    "unreachable",
    "urem",
    "va_arg",
    "xor",
    "zext",
];

/// Instructions on `float` and `double` that IEEE 754 defines to the last bit, or whose result is an integer.
const EXACT: &[&str] =
    &["fadd", "fcmp", "fdiv", "fmul", "fneg", "fpext", "fptosi", "fptoui", "fptrunc", "fsub", "sitofp", "uitofp"];

/// Updates of memory that are arithmetic on integers, or move bits.
const UPDATES: &[&str] = &[
    "add",
    "and",
    "max",
    "min",
    "nand",
    "or",
    "sub",
    "uinc_wrap",
    "udec_wrap",
    "umax",
    "umin",
    "usub_cond",
    "usub_sat",
    "xchg",
    "xor",
];

/// Exact floating-point intrinsics: one operation that is rounded once, or none at all. Intrinsics that return one of
/// their operands are here too; [`may_differ_in_zeros`] decides which zero that is.
const EXACT_INTRINSICS: &[&str] = &[
    "ceil",
    "copysign",
    "fabs",
    "floor",
    "fma",
    "fptosi",
    "fptoui",
    "is",
    "maximum",
    "maximumnum",
    "maxnum",
    "minimum",
    "minimumnum",
    "minnum",
    "nearbyint",
    "rint",
    "round",
    "roundeven",
    "sqrt",
    "trunc",
];

/// Intrinsics that take numbers of any type, without computing with them.
const ANY_TYPE: &[&str] =
    &["dbg", "experimental", "expect", "fake", "invariant", "launder", "lifetime", "ssa", "vector"];

/// Names after `llvm.nvvm.` of intrinsics that are not floating-point arithmetic. Their operands do not tell: a product
/// of matrices takes integers of 32 bits.
const DEVICE: &[&str] = &[
    "activemask",
    "atomic.",
    "bar",
    "brev",
    "clz",
    "cp.async.",
    "elect.",
    "exit",
    "fence",
    "fns",
    "globaltimer",
    "idp",
    "isspacep.",
    "laneid",
    "lanemask",
    "ld",
    "mapa",
    "match.",
    "membar.",
    "mulhi",
    "nanosleep",
    "popc",
    "prefetch",
    "prmt",
    "ptr.",
    "read.ptx.sreg.",
    "redux.sync.add",
    "redux.sync.and",
    "redux.sync.max",
    "redux.sync.min",
    "redux.sync.or",
    "redux.sync.umax",
    "redux.sync.umin",
    "redux.sync.xor",
    "sad",
    "shfl.sync.",
    "vote.",
    "warpsize",
];

/// Functions of LLVM that have no instruction or an approximate one.
const APPROXIMATE: &[&str] = &[
    "acos", "asin", "atan", "atan2", "cos", "cosh", "exp", "exp10", "exp2", "log", "log10", "log2", "pow", "powi",
    "sin", "sincos", "sinh", "tan", "tanh",
];

/// Flags that allow the compiler to compute something else. It writes `nnan` and `ninf` if it has proved that there is
/// none.
const FLAGS: &[&str] = &["fast", "reassoc", "arcp", "contract", "afn"];

/// Floating-point types for which host and device may compute differently.
const OTHER_TYPES: &[&str] = &["half", "bfloat", "fp128", "x86_fp80", "ppc_fp128"];

/// The function of `ikra::math` for one of `std` or LLVM, with its arguments.
fn replacement(name: &str) -> String {
    let name = match name {
        "log" => "ln",
        "pow" => "powf",
        "sincos" => "sin_cos",
        name => name,
    };
    let arguments = match name {
        "atan2" => "y, x",
        "hypot" | "powf" | "rem" | "min" | "max" | "midpoint" => "x, y",
        "powi" => "x, n",
        "log_base" => "x, base",
        "mul_add" => "x, a, b",
        _ => "x",
    };
    format!("write `ikra::math::{}({arguments})`", if name == "log_base" { "log" } else { name })
}

/// The verdict on an instruction unless it is known to be exact. `frames` finds its source position.
pub(super) fn refusal<'t>(
    instruction: &Instruction<'t>,
    values: &HashMap<&str, &Instruction<'t>>,
    frames: &dyn Fn() -> Vec<Frame<'t>>,
) -> Option<Refusal> {
    let operation = instruction.operation();
    // Most instructions: nothing in them looks like a floating-point type.
    if BITS.contains(&operation) && !["float", "double", "half", "fp"].iter().any(|ty| instruction.text.contains(ty)) {
        return None;
    }
    let words = words(instruction.text);
    let has = |names: &[&str]| words.iter().any(|word| names.contains(word));
    if operation == "frem" {
        return Some(Refusal::other("`%` of floating-point numbers", replacement("rem")));
    }
    let is_float = has(&["float", "double"]) || has(OTHER_TYPES);
    if is_float && frames().iter().any(|frame| is_midpoint(frame.function)) {
        return Some(Refusal::other("`midpoint` of `f32`", replacement("midpoint")));
    }
    let flags = flags(instruction.text, operation);
    if flags.iter().any(|flag| FLAGS.contains(flag)) {
        let instead = String::from("use the ordinary operators");
        return Some(Refusal::other("arithmetic that the compiler may rearrange", instead));
    }
    match operation {
        "call" => return refused_call(instruction, values, is_float, frames),
        "atomicrmw" => {
            let update = words.iter().find(|word| !["atomicrmw", "volatile"].contains(word));
            let is_known = update.is_some_and(|update| UPDATES.contains(update));
            return (!is_known).then(|| Refusal::unknown(&format!("`atomicrmw {}`", update.unwrap_or(&"…"))));
        }
        // The sign of a zero does not matter for these.
        "fcmp" | "fptosi" | "fptoui" => {}
        _ if flags.contains(&"nsz") => {
            let instead = String::from("use the ordinary operators, and `ikra::math::min(x, y)` and `max(x, y)`");
            return Some(Refusal::other("arithmetic in which −0 and 0 are the same", instead));
        }
        _ => {}
    }
    if EXACT.contains(&operation) {
        if has(OTHER_TYPES) {
            return Some(Refusal::unknown("arithmetic on other floating-point numbers than `f32` and `f64`"));
        }
        if instruction.text.contains("!fpmath") {
            return Some(Refusal::unknown(&format!("`{operation}` that may be less exact")));
        }
        return None;
    }
    (!BITS.contains(&operation)).then(|| Refusal::unknown(&format!("the compiler's `{operation}`")))
}

/// The verdict on a call unless it is known to be exact.
fn refused_call<'t>(
    instruction: &Instruction<'t>,
    values: &HashMap<&str, &Instruction<'t>>,
    is_float: bool,
    frames: &dyn Fn() -> Vec<Frame<'t>>,
) -> Option<Refusal> {
    if let Some(text) = instruction.assembly() {
        let is_ours = || frames().first().is_some_and(|frame| is_ikras(&frame.file));
        return assembly::refused(text, &is_ours).map(|name| Refusal::unknown(&format!("the instruction `{name}`")));
    }
    // Through an address it leads to a function whose instructions are examined, or to none that the device has.
    let callee = instruction.callee()?;
    if is_midpoint(callee) {
        return Some(Refusal::other("`midpoint` of `f32`", replacement("midpoint")));
    }
    if let Some(method) = callee.strip_prefix(ikra_marks::REFUSED) {
        let instead = replacement(match method {
            "log" => "log_base",
            "ln" => "log",
            method => method,
        });
        let what = match method {
            "powi" => "`powi` with another power than −1, 0, 1 or 2",
            method => &format!("`{method}` of `std`"),
        };
        return Some(Refusal::other(what, instead));
    }
    // Other functions without a body do not exist on the device, which is another error.
    let intrinsic = callee.strip_prefix("llvm.")?;
    if let Some(device) = intrinsic.strip_prefix("nvvm.") {
        let is_known = DEVICE.iter().any(|known| device.starts_with(known)) && !is_float;
        return (!is_known).then(|| Refusal::unknown(&format!("the compiler's `{callee}`")));
    }
    let name = intrinsic.split('.').next().unwrap_or_default();
    match name {
        "minnum" | "minimumnum" | "maxnum" | "maximumnum" if may_differ_in_zeros(instruction, values) => {
            let name = &name[..3];
            let what = format!("`{name}` of floating-point numbers, of which one may be −0 and the other 0,");
            Some(Refusal::other(&what, format!("{}, which orders them", replacement(name))))
        }
        "fmuladd" => Some(Refusal::other("a product and a sum that may be fused", replacement("mul_add"))),
        _ if APPROXIMATE.contains(&name) => {
            Some(Refusal::other(&format!("the compiler's `{name}`"), replacement(name)))
        }
        _ if !is_float || ANY_TYPE.contains(&name) && !is_vector_arithmetic(intrinsic) => None,
        _ if EXACT_INTRINSICS.contains(&name) && !words(instruction.text).iter().any(|ty| OTHER_TYPES.contains(ty)) => {
            None
        }
        _ => Some(Refusal::unknown(&format!("the compiler's `{name}`"))),
    }
}

/// Whether an intrinsic on vectors computes; those that only move elements do not.
fn is_vector_arithmetic(intrinsic: &str) -> bool {
    let moves = [
        "vector.insert",
        "vector.extract",
        "vector.reverse",
        "vector.splice",
        "vector.interleave",
        "vector.deinterleave",
    ];
    let experimental = ["experimental.noalias.scope.decl", "experimental.convergence."];
    (intrinsic.starts_with("vector.") && !moves.iter().any(|moves| intrinsic.starts_with(moves)))
        || (intrinsic.starts_with("experimental.") && !experimental.iter().any(|known| intrinsic.starts_with(known)))
}

/// The verdict on the attributes of a function, if they allow other arithmetic.
pub(super) fn refused_attribute(attributes: &str) -> Option<Refusal> {
    let is_about = |name: &str| name.contains("fp-math") || name.contains("fp_math") || name.contains("ftz");
    let mut quoted = attributes.split('"').skip(1).step_by(2).peekable();
    while let Some(name) = quoted.next() {
        if is_about(name) {
            let value = quoted.next().unwrap_or_default();
            if !["false", "ieee", "ieee,ieee"].contains(&value) {
                return Some(Refusal::unknown(&format!("code that is compiled with `{name}={value}`")));
            }
        }
    }
    let denormals = attributes.split_once("denormal_fpenv(")?.1.split(')').next().unwrap_or_default();
    let is_exact = denormals.split(['|', ',', ':', ' ']).all(|word| ["", "ieee", "float", "double"].contains(&word));
    (!is_exact).then(|| Refusal::unknown(&format!("code that is compiled with `denormal_fpenv({denormals})`")))
}

/// The tokens before an instruction's operands that are not types: `nnan` and `nsz` of `fadd nnan nsz float %a, %b`.
fn flags<'t>(text: &'t str, operation: &str) -> Vec<&'t str> {
    let after = text.split_whitespace().skip_while(|word| *word != operation).skip(1);
    after.take_while(|word| word.bytes().all(|byte| byte.is_ascii_lowercase())).collect()
}

/// The tokens of an instruction, without strings and everything after them, and without numbers of descriptions.
fn words(text: &str) -> Vec<&str> {
    let text = text.split(", !").next().unwrap_or_default();
    let code = text.split('"').step_by(2);
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '%' | '@' | '.' | '$' | '-');
    code.flat_map(|part| part.split(move |c| !is_part(c))).filter(|word| !word.is_empty()).collect()
}

/// `core::f32::…::midpoint`, mangled.
fn is_midpoint(function: &str) -> bool {
    function.contains("4core3f32") && function.contains("8midpoint")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_may_allow_other_arithmetic() {
        for known in [
            "nounwind \"target-cpu\"=\"sm_75\"",
            "\"unsafe-fp-math\"=\"false\" \"denormal-fp-math\"=\"ieee,ieee\"",
            "denormal_fpenv(ieee|ieee)",
        ] {
            assert_eq!(refused_attribute(known), None, "{known}");
        }
        for (other, named) in [
            ("nounwind \"unsafe-fp-math\"=\"true\"", "unsafe-fp-math=true"),
            ("\"denormal-fp-math-f32\"=\"preserve-sign,preserve-sign\"", "denormal-fp-math-f32"),
            ("\"nvptx-f32ftz\"=\"true\"", "nvptx-f32ftz"),
            ("denormal_fpenv(float: preservesign)", "denormal_fpenv(float: preservesign)"),
        ] {
            assert!(refused_attribute(other).unwrap().what.contains(named), "{other}");
        }
    }

    #[test]
    fn flags_stand_before_types() {
        assert_eq!(flags("tail call nsz float @llvm.maxnum.f32(float %fast)", "call"), ["nsz", "float"]);
        assert_eq!(flags("fadd reassoc nnan double %a, %b", "fadd"), ["reassoc", "nnan", "double"]);
        assert_eq!(flags("select i1 %c, float %a, float %b", "select"), [""; 0]);
    }
}
