//! Zeros of a minimum or maximum: of −0 and 0, host and device choose differently.

use std::collections::HashMap;

use super::ir::Instruction;

/// Whether both operands may be zeros of different signs.
pub(super) fn may_differ_in_zeros(instruction: &Instruction<'_>, values: &HashMap<&str, &Instruction<'_>>) -> bool {
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

/// Facts about a value.
#[derive(Clone, Copy, Debug, Default)]
struct Sign {
    is_never_minus_zero: bool,
    /// It is 0 or positive, or NaN.
    is_never_negative: bool,
}

impl Sign {
    /// Follows a value to its origin, through at most this many instructions.
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
            // A product or quotient of positive numbers may underflow to 0.
            ("fmul" | "fdiv", _, [a, b]) if a.is_never_negative && b.is_never_negative => positive,
            // Rounded to nearest, a sum is −0 only if both numbers are; a difference is −0 only for −0 − 0.
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
