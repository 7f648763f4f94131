//! Operations that give other bits on the device than on the host, found in LLVM's text of the device code.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::path::Path;

use crate::ir::{Frame, Function, Instruction, Module};

/// An operation, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    place: Spot,
    what: String,
    instead: String,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Spot {
    /// File, line and column.
    Line(String, u32, u32),
    Function(String),
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(file, line, column) => write!(f, "{file}:{line}:{column}"),
            Self::Function(name) => write!(f, "`{name}`"),
        }
    }
}

/// What to tell the user of device code with operations that give other bits than on the host, if there are any.
///
/// `package` is the folder of the package that is built, and `root` the one that paths are relative to.
pub(crate) fn complaint(ir: &str, package: &Path, root: &Path) -> Option<String> {
    let findings = findings(ir, package, root);
    if findings.is_empty() {
        return None;
    }
    let mut text = String::from("the device code would not give the same bits as the host:\n\n");
    for Finding { place, what, instead } in findings {
        text.push_str(&format!("error: {what}\n --> {place}\n  = help: {instead}\n\n"));
    }
    text.push_str("`Floats::Strict`, the default, promises the same bits; `.floats(Floats::Contract)` in the build script allows these");
    Some(text)
}

fn findings(ir: &str, package: &Path, root: &Path) -> BTreeSet<Finding> {
    let module = Module::read(ir);
    let mut found = BTreeSet::new();
    for function in &module.functions {
        let values = values(function);
        for instruction in &function.instructions {
            let frames = module.frames(instruction);
            if let Some((what, instead)) = refusal(instruction, &values, &frames) {
                found.insert(Finding { place: place(&frames, function, package, root), what, instead });
            }
        }
    }
    found
}

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

/// Functions of LLVM that have no instruction or an approximate one.
const INTRINSICS: &[&str] = &[
    "acos", "asin", "atan", "atan2", "cos", "cosh", "exp", "exp10", "exp2", "log", "log10", "log2", "pow", "powi",
    "sin", "sincos", "sinh", "tan", "tanh",
];

/// Flags that allow the compiler to compute something else.
const FLAGS: &[&str] = &["fast", "reassoc", "arcp", "contract", "afn"];

/// What is said of an instruction that gives other bits, and what to write instead.
fn refusal(
    instruction: &Instruction<'_>,
    values: &HashMap<&str, &Instruction<'_>>,
    frames: &[Frame<'_>],
) -> Option<(String, String)> {
    let other = |what: &str| format!("{what} gives other bits on the device than on the host");
    if instruction.operation() == "frem" {
        return Some((other("`%` of floating-point numbers"), replacement("rem")));
    }
    // `core::f32::…::midpoint`, mangled.
    let is_midpoint = |function: &str| function.contains("4core3f32") && function.contains("8midpoint");
    let is_float = instruction.text.contains(" float ") || instruction.text.contains(" double ");
    if is_float && frames.iter().any(|frame| is_midpoint(frame.function)) {
        return Some((other("`midpoint` of `f32`"), replacement("midpoint")));
    }
    if instruction.operation().starts_with('f')
        && FLAGS.iter().any(|flag| instruction.text.split(' ').any(|word| word == *flag))
    {
        return Some((other("arithmetic that the compiler may rearrange"), String::from("use the ordinary operators")));
    }
    let callee = instruction.callee()?;
    if is_midpoint(callee) {
        return Some((other("`midpoint` of `f32`"), replacement("midpoint")));
    }
    if let Some(method) = callee.strip_prefix("ikra_refused_") {
        let instead = replacement(if method == "log" {
            "log_base"
        } else if method == "ln" {
            "log"
        } else {
            method
        });
        let what = if method == "powi" {
            "`powi` with another power than −1, 0, 1 or 2"
        } else {
            &format!("`{method}` of `std`")
        };
        return Some((other(what), instead));
    }
    let intrinsic = callee.strip_prefix("llvm.")?.split('.').next()?;
    match intrinsic {
        "minnum" | "minimumnum" | "maxnum" | "maximumnum" if may_differ_in_zeros(instruction, values) => {
            let name = &intrinsic[..3];
            let what = format!("`{name}` of floating-point numbers, of which one may be −0 and the other 0,");
            Some((other(&what), format!("{}, which orders them", replacement(name))))
        }
        "fmuladd" => Some((other("a product and a sum that may be fused"), replacement("mul_add"))),
        _ if INTRINSICS.contains(&intrinsic) => {
            Some((other(&format!("the compiler's `{intrinsic}`")), replacement(intrinsic)))
        }
        _ => None,
    }
}

/// The instructions of a function by their values.
fn values<'m, 't>(function: &'m Function<'t>) -> HashMap<&'t str, &'m Instruction<'t>> {
    function.instructions.iter().filter_map(|instruction| Some((instruction.value?, instruction))).collect()
}

/// Whether both operands may be zeros of different signs.
fn may_differ_in_zeros(instruction: &Instruction<'_>, values: &HashMap<&str, &Instruction<'_>>) -> bool {
    let operands = instruction.operands();
    let [a, b] = operands[..] else { return true };
    let is_other_than_zero = |operand| constant(operand).is_some_and(|x| x != 0.0);
    if a == b || is_other_than_zero(a) || is_other_than_zero(b) {
        return false;
    }
    [a, b].iter().any(|operand| !Sign::of(operand, values, 8).is_never_minus_zero)
}

/// A number in LLVM's text.
fn constant(operand: &str) -> Option<f64> {
    match operand.strip_prefix("0x") {
        Some(bits) => u64::from_str_radix(bits, 16).ok().map(f64::from_bits),
        None => operand.parse().ok(),
    }
}

/// What is known of a value.
#[derive(Clone, Copy, Debug, Default)]
struct Sign {
    is_never_minus_zero: bool,
    /// It is 0 or positive, or NaN.
    is_never_negative: bool,
}

impl Sign {
    /// Follows a value to where it comes from, through at most this many instructions.
    fn of(operand: &str, values: &HashMap<&str, &Instruction<'_>>, depth: u32) -> Self {
        let positive = Self { is_never_minus_zero: true, is_never_negative: true };
        if let Some(x) = constant(operand) {
            let is_minus_zero = x == 0.0 && x.is_sign_negative();
            return Self { is_never_minus_zero: !is_minus_zero, is_never_negative: x >= 0.0 && !is_minus_zero };
        }
        let (Some(instruction), Some(depth)) = (values.get(operand), depth.checked_sub(1)) else {
            return Self::default();
        };
        let operands = instruction.operands();
        let signs: Vec<Self> = operands.iter().map(|operand| Self::of(operand, values, depth)).collect();
        let all = |signs: &[Self]| Self {
            is_never_minus_zero: signs.iter().all(|sign| sign.is_never_minus_zero),
            is_never_negative: signs.iter().all(|sign| sign.is_never_negative),
        };
        match (instruction.operation(), &operands[..], &signs[..]) {
            ("uitofp", ..) => positive,
            ("sitofp", ..) => Self { is_never_minus_zero: true, is_never_negative: false },
            ("fmul", [a, b], _) if a == b => positive,
            // A product or quotient of positive numbers may be too small for another number than 0.
            ("fmul" | "fdiv", _, [a, b]) if a.is_never_negative && b.is_never_negative => positive,
            // Rounded to nearest, a sum is −0 only if both numbers are, a difference if it is −0 − 0.
            ("fadd", _, [a, b]) => Self {
                is_never_minus_zero: a.is_never_minus_zero || b.is_never_minus_zero,
                is_never_negative: a.is_never_negative && b.is_never_negative,
            },
            ("fsub", _, [a, _]) => Self { is_never_minus_zero: a.is_never_minus_zero, is_never_negative: false },
            ("fpext", _, [a]) => *a,
            ("fptrunc", _, [a]) if a.is_never_negative => positive,
            ("select", _, [_, a, b]) => all(&[*a, *b]),
            ("phi", ..) => all(&signs),
            ("call", ..) => {
                match instruction.callee().and_then(|callee| callee.strip_prefix("llvm.")?.split('.').next()) {
                    Some("fabs") => positive,
                    Some("sqrt") => all(&signs),
                    Some("minnum" | "minimumnum" | "maxnum" | "maximumnum") => all(&signs),
                    _ => Self::default(),
                }
            }
            _ => Self::default(),
        }
    }
}

/// Where an instruction was written, as the compiler would show it: in the package if it was, and in a crate that
/// the package uses otherwise.
fn place(frames: &[Frame<'_>], function: &Function<'_>, package: &Path, root: &Path) -> Spot {
    let known = || frames.iter().filter(|frame| frame.line > 0 && !is_library(&frame.file));
    match known().find(|frame| root.join(&frame.file).starts_with(package)).or_else(|| known().next()) {
        Some(Frame { file, line, column, .. }) => {
            Spot::Line(file.strip_prefix(root).unwrap_or(file).display().to_string(), *line, *column)
        }
        None => Spot::Function(function.name.to_owned()),
    }
}

/// Whether a file belongs to `core`, or to Ikra.
fn is_library(file: &Path) -> bool {
    let is_ikras = |name: &str| {
        ["ikra-core", "ikra-gpu"].iter().filter_map(|own| name.strip_prefix(own)).any(|rest| {
            // A version may follow.
            rest.is_empty() || rest.starts_with('-') && rest[1..].starts_with(|c: char| c.is_ascii_digit())
        })
    };
    let names: Vec<_> = file.iter().map(|name| name.to_string_lossy()).collect();
    names.iter().any(|name| is_ikras(name))
        || names.windows(2).any(|pair| pair == ["library", "core"] || pair == ["crates", "core_arch"])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The findings in a kernel of these instructions.
    fn found(instructions: &str) -> Vec<(String, String)> {
        let lines: String = instructions.lines().map(|line| format!("  {}\n", line.trim())).collect();
        let text = format!(
            "define ptx_kernel void @kernel() {{\nstart:\n{lines}  ret void\n}}\n{}",
            "!1 = distinct !DISubprogram(name: \"max\", linkageName: \"_R4core3f323max\", file: !2, line: 9)
!2 = !DIFile(filename: \"/rust/library/core/src/num/f32.rs\", directory: \"\")
!3 = !DILocation(line: 10, column: 1, scope: !1, inlinedAt: !4)
!4 = distinct !DILocation(line: 30, column: 9, scope: !5)
!5 = distinct !DISubprogram(name: \"kernel\", file: !6, line: 9)
!6 = !DIFile(filename: \"src/model.rs\", directory: \"\")
!7 = distinct !DISubprogram(name: \"midpoint\", linkageName: \"_R4core3f328midpoint\", file: !2, line: 9)
!8 = !DILocation(line: 10, column: 1, scope: !7, inlinedAt: !4)
"
        );
        let findings = findings(&text, Path::new("/p"), Path::new("/p"));
        findings.into_iter().map(|finding| (finding.place.to_string(), finding.instead)).collect()
    }

    fn is_found(instructions: &str, instead: &str) {
        let found = found(instructions);
        let [(place, text)] = &found[..] else { panic!("{instructions}: {found:?}") };
        assert_eq!(place, "src/model.rs:30:9");
        assert!(text.contains(instead), "{text}");
    }

    #[test]
    fn each_operation_has_its_replacement() {
        is_found("%1 = frem float %a, %b, !dbg !4", "`ikra::math::rem(x, y)`");
        is_found("%1 = frem double %a, 1.0e+00, !dbg !4", "`ikra::math::rem(x, y)`");
        is_found("%1 = frem <2 x float> %a, %b, !dbg !4", "`ikra::math::rem(x, y)`");
        is_found(
            "%1 = tail call noundef double @ikra_refused_powf(double noundef %a) #5, !dbg !3",
            "`ikra::math::powf(x, y)`",
        );
        is_found("%1 = call double @ikra_refused_ln(double %a), !dbg !3", "`ikra::math::ln(x)`");
        is_found("%1 = call double @ikra_refused_log(double %a), !dbg !3", "`ikra::math::log(x, base)`");
        is_found("%1 = call float @llvm.powi.f32.i32(float %a, i32 %n), !dbg !3", "`ikra::math::powi(x, n)`");
        is_found("%1 = call float @llvm.log.f32(float %a), !dbg !3", "`ikra::math::ln(x)`");
        is_found("%1 = fadd reassoc float %a, %b, !dbg !4", "ordinary operators");
        is_found("%1 = fadd float %a, %b, !dbg !8", "`ikra::math::midpoint(x, y)`");
        is_found(
            "%1 = call float @_RNvMNtCs4asx_4core3f328midpoint(float %a, float %b), !dbg !4",
            "`ikra::math::midpoint(x, y)`",
        );
    }

    #[test]
    fn what_is_the_same_is_not_found() {
        for line in [
            "%1 = srem i32 %a, %b, !dbg !4",
            "%1 = fadd float %a, %b, !dbg !4",
            "%1 = fneg float %a, !dbg !4",
            "%1 = call float @llvm.sqrt.f32(float %a), !dbg !4",
            "%1 = call float @llvm.fma.f32(float %a, float %b, float %c), !dbg !4",
            "%1 = call float @llvm.maximum.f32(float %a, float %b), !dbg !4",
            "call void @remainder(float %a), !dbg !4",
            "%1 = call float @_RNvNtCs4asx_5model12midpoint_f32(float %a, float %b), !dbg !4",
        ] {
            assert_eq!(found(line), [], "{line}");
        }
    }

    #[test]
    fn zeros_of_different_signs_are_what_matters() {
        let max = |a: &str, b: &str, before: &str| {
            found(&format!(
                "{before}\n%r = tail call nsz float @llvm.maximumnum.f32(float noundef {a}, float {b}), !dbg !3"
            ))
        };
        let zero = "0.000000e+00";
        for (a, b, before) in [
            ("%a", "%b", ""),
            ("%a", zero, ""),
            ("-0.000000e+00", "%a", ""),
            ("%1", zero, "%1 = fmul float %a, %b"),
            ("%1", "%b", "%1 = call float @llvm.fabs.f32(float %a)"),
            ("%1", zero, "%1 = fsub float %a, %b"),
            ("%1", zero, "%1 = select i1 %c, float %a, float 1.000000e+00"),
            ("%1", "-0.000000e+00", "%1 = call float @llvm.fabs.f32(float %a)"),
        ] {
            let found = max(a, b, before);
            assert!(found.len() == 1 && found[0].1.contains("`ikra::math::max(x, y)`"), "{before} {a} {b}: {found:?}");
        }
        for (a, b, before) in [
            ("%a", "%a", ""),
            ("%a", "1.000000e+00", ""),
            ("0x3FB99999A0000000", "%a", ""),
            ("%1", zero, "%1 = fmul float %a, %a"),
            ("%1", zero, "%1 = sitofp i32 %n to float"),
            ("%1", "%2", "%1 = call float @llvm.fabs.f32(float %a)\n%2 = uitofp nneg i32 %n to float"),
            ("%3", zero, "%1 = fmul float %a, %a\n%2 = fmul float %b, %b\n%3 = fadd float %1, %2"),
            ("%4", zero, "%1 = fmul float %a, %a\n%3 = fadd float %1, %b\n%4 = call float @llvm.sqrt.f32(float %3)"),
            ("%2", zero, "%1 = fmul float %a, %a\n%2 = select i1 %c, float %1, float 1.000000e+00"),
        ] {
            assert_eq!(max(a, b, before), [], "{before} {a} {b}");
        }
    }

    #[test]
    fn the_users_line_is_shown() {
        let user = ["src/model.rs", "/p/ikra/src/lib.rs", "/registry/libm-0.2.11/src/math/pow.rs"];
        let library = [
            "/usr/lib/rustlib/src/rust/library/core/src/num/f32.rs",
            "ikra-core/src/math.rs",
            "/registry/ikra-gpu-0.1.0/src/device/call.rs",
            "/x/../../stdarch/crates/core_arch/src/nvptx/mod.rs",
        ];
        assert!(user.iter().all(|file| !is_library(Path::new(file))));
        assert!(library.iter().all(|file| is_library(Path::new(file))));
    }
}
