//! Operations that give other bits on the device than on the host, found in LLVM's text of the device code.
//!
//! The lists say which operations are allowed, not which are refused: an operation that a newer compiler introduces is
//! refused until someone has found that it is exact. [`operations`] lists instructions and intrinsics, [`assembly`] the
//! instructions of inline assembly.

mod assembly;
mod ir;
mod operations;
mod zeros;

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::path::Path;

use operations::{Refusal, refusal};

use ir::{Frame, Function, Instruction, Module};

/// An operation, and its replacement.
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

/// The message about operations in device code that give other bits than on the host, if there are any.
/// `package` is the folder of the package that is built. Paths in the message are relative to `root`.
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
        if let Some(Refusal { what, instead }) = operations::refused_attribute(module.attributes(function)) {
            found.insert(Finding { place: Spot::Function(function.name.to_owned()), what, instead });
        }
        let values = values(function);
        for instruction in &function.instructions {
            let frames = || module.frames(instruction);
            if let Some(Refusal { what, instead }) = refusal(instruction, &values, &frames) {
                found.insert(Finding { place: place(&frames(), function, package, root), what, instead });
            }
        }
    }
    found
}

/// The instructions of a function by their values.
fn values<'m, 't>(function: &'m Function<'t>) -> HashMap<&'t str, &'m Instruction<'t>> {
    function.instructions.iter().filter_map(|instruction| Some((instruction.value?, instruction))).collect()
}

/// The source position of an instruction, as the compiler would show it: in the package if possible, otherwise in a
/// crate that the package uses.
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
    let names: Vec<_> = file.iter().map(|name| name.to_string_lossy()).collect();
    is_ikras(file) || names.windows(2).any(|pair| pair == ["library", "core"] || pair == ["crates", "core_arch"])
}

/// Whether a file belongs to Ikra.
fn is_ikras(file: &Path) -> bool {
    file.iter().any(|name| {
        let name = name.to_string_lossy();
        ["ikra-core", "ikra-gpu"].iter().filter_map(|own| name.strip_prefix(own)).any(|rest| {
            // A version may follow.
            rest.is_empty() || rest.starts_with('-') && rest[1..].starts_with(|c: char| c.is_ascii_digit())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The findings in a kernel of these instructions.
    fn found(instructions: &str) -> Vec<(String, String)> {
        findings_in(instructions).into_iter().map(|finding| (finding.place.to_string(), finding.instead)).collect()
    }

    fn findings_in(instructions: &str) -> Vec<Finding> {
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
!10 = distinct !DISubprogram(name: \"ln\", linkageName: \"_R2ln\", file: !11, line: 9)
!11 = !DIFile(filename: \"ikra-core/src/target/device/approximate.rs\", directory: \"\")
!12 = !DILocation(line: 10, column: 1, scope: !10, inlinedAt: !4)
"
        );
        findings(&text, Path::new("/p"), Path::new("/p")).into_iter().collect()
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
    fn what_is_not_known_is_refused() {
        for (line, named) in [
            ("%1 = call float @llvm.frobnicate.f32(float %a), !dbg !4", "the compiler's `frobnicate`"),
            ("%1 = fblend float %a, %b, !dbg !4", "the compiler's `fblend`"),
            ("%1 = blend i32 %a, %b, !dbg !4", "the compiler's `blend`"),
            ("%1 = call float @llvm.ldexp.f32.i32(float %a, i32 %n), !dbg !4", "the compiler's `ldexp`"),
            (
                "%1 = call double @llvm.experimental.constrained.fadd.f64(double %a, double %b, metadata !\"round.upward\"), !dbg !4",
                "the compiler's `experimental`",
            ),
            (
                "%1 = call float @llvm.vector.reduce.fadd.v2f32(float %a, <2 x float> %b), !dbg !4",
                "the compiler's `vector`",
            ),
            ("%1 = call float @llvm.nvvm.sin.approx.f(float %a), !dbg !4", "`llvm.nvvm.sin.approx.f`"),
            (
                "%1 = call { i32, i32 } @llvm.nvvm.mma.m16n8k8.row.col.f16.f16(i32 %a, i32 %b, i32 %c), !dbg !4",
                "`llvm.nvvm.mma.m16n8k8.row.col.f16.f16`",
            ),
            ("%1 = call i32 @llvm.nvvm.redux.sync.fmin(i32 %a, i32 -1), !dbg !4", "`llvm.nvvm.redux.sync.fmin`"),
            ("%1 = fadd half %a, %b, !dbg !4", "than `f32` and `f64`"),
            ("%1 = fptrunc double %a to half, !dbg !4", "than `f32` and `f64`"),
            ("%1 = fmul <2 x bfloat> %a, %b, !dbg !4", "than `f32` and `f64`"),
            ("%1 = call half @llvm.sqrt.f16(half %a), !dbg !4", "the compiler's `sqrt`"),
            ("%1 = fdiv float %a, %b, !dbg !4, !fpmath !9", "`fdiv` that may be less exact"),
            ("%1 = atomicrmw fadd ptr %p, float %a monotonic, align 4, !dbg !4", "`atomicrmw fadd`"),
            ("%1 = tail call float asm \"mul.f32 $0, $1, $2;\", \"=f,f,f\"(float %a, float %b), !dbg !4", "`mul.f32`"),
            (
                "%1 = call float asm sideeffect \"lg2.approx.f32 $0, $1;\", \"=f,f\"(float %a), !dbg !4",
                "`lg2.approx.f32`",
            ),
        ] {
            let findings = findings_in(line);
            let [Finding { what, .. }] = &findings[..] else { panic!("{line}: {findings:?}") };
            assert!(what.contains(named) && what.contains("is not known to give the same bits"), "{line}: {what}");
        }
        is_found("%1 = fadd nsz float %a, %b, !dbg !4", "ordinary operators");
        is_found("%1 = fmul contract float %a, %b, !dbg !4", "ordinary operators");
        is_found("%1 = call afn float @llvm.sqrt.f32(float %a), !dbg !4", "ordinary operators");
        is_found("%1 = select nsz i1 %c, float %a, float %b, !dbg !4", "ordinary operators");
        is_found(
            "%1 = call float @llvm.fmuladd.f32(float %a, float %b, float %c), !dbg !4",
            "`ikra::math::mul_add(x, a, b)`",
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
            "%1 = fdiv <2 x double> %a, %b, !dbg !4",
            "%1 = fcmp nsz olt float %a, %b, !dbg !4",
            "%1 = fadd nnan ninf float %a, %b, !dbg !4",
            "%1 = select i1 %c, half %a, half %b, !dbg !4",
            "%1 = fptrunc double %a to float, !dbg !4",
            "%1 = call i32 @llvm.fptosi.sat.i32.f64(double %a), !dbg !4",
            "%1 = call i1 @llvm.is.fpclass.f32(float %a, i32 144), !dbg !4",
            "%1 = call i32 @llvm.umin.i32(i32 %a, i32 %b), !dbg !4",
            "%1 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !4",
            "%1 = call i32 @llvm.nvvm.redux.sync.add(i32 %a, i32 -1), !dbg !4",
            "%1 = call float %9(float %a), !dbg !4",
            "%1 = call float asm \"add.rn.f32 $0, $1, $2;\", \"=f,f,f\"(float %a, float %b), !dbg !4",
            "%1 = call float asm \"lg2.approx.f32 $0, $1;\", \"=f,f\"(float %a), !dbg !12",
            "%1 = atomicrmw xchg ptr %p, float %a monotonic, align 4, !dbg !4",
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
