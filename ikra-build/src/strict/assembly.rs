//! Which instructions of inline assembly give the same bits on the device as on the host.

/// Instructions that move or compare floating-point numbers, and do not compute.
const BITS: &[&str] = &["ld", "ldu", "mov", "selp", "set", "setp", "shfl", "slct", "st", "testp"];
/// Instructions that are exact if they round to the nearest number explicitly; otherwise the assembler may fuse a
/// product and a sum, or compute an approximation.
const ROUNDED: &[&str] = &["add", "div", "fma", "mul", "rcp", "sqrt", "sub"];
/// Instructions whose result is an operand, perhaps with another sign.
const CHOSEN: &[&str] = &["abs", "copysign", "max", "min", "neg"];
/// Approximations that `ikra::math::approximate` offers under their names.
const APPROXIMATE: &[&str] = &["cos", "ex2", "lg2", "rcp", "rsqrt", "sin"];

/// The first instruction of an assembly text that is floating-point arithmetic and not known to be exact. Some are
/// allowed in Ikra's own code: functions named approximate, and sums in memory, which depend on the order anyway.
pub(super) fn refused(text: &str, is_ours: &dyn Fn() -> bool) -> Option<String> {
    let text = text.replace("\\0A", "\n").replace("\\09", "\t");
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    let mut statements = code.flat_map(|line| line.split([';', '{', '}']));
    statements.find_map(|statement| {
        let statement = statement.trim();
        let instruction = match statement.strip_prefix('@') {
            Some(guarded) => guarded.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim()),
            None => statement,
        };
        let name = instruction.split_whitespace().next().unwrap_or_default();
        (!name.starts_with('.') && !is_exact(name, is_ours)).then(|| name.to_owned())
    })
}

/// Whether an instruction such as `add.rn.f32` is exact, or not floating-point arithmetic.
fn is_exact(name: &str, is_ours: &dyn Fn() -> bool) -> bool {
    let mut parts = name.split('.');
    let operation = parts.next().unwrap_or_default();
    let parts: Vec<&str> = parts.collect();
    let types: Vec<&str> = parts.iter().copied().filter(|part| is_float(part)).collect();
    if types.is_empty() || BITS.contains(&operation) && !parts.contains(&"ftz") {
        return true;
    }
    let others = |known: &[&str]| {
        let mut others = parts.iter().filter(|part| !is_float(part));
        others.all(|part| known.contains(part)) && types.iter().all(|ty| ["f32", "f64"].contains(ty))
    };
    match operation {
        "cvt" => {
            let integers = ["s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64"];
            let roundings = ["rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi"];
            others(&[&integers[..], &roundings[..]].concat())
        }
        "atom" | "red" => is_ours() && parts.contains(&"add"),
        _ if APPROXIMATE.contains(&operation) && parts.contains(&"approx") => is_ours() && others(&["approx", "ftz"]),
        _ if ROUNDED.contains(&operation) => parts.contains(&"rn") && others(&["rn"]),
        _ if CHOSEN.contains(&operation) => others(&["NaN"]),
        _ => false,
    }
}

/// Whether a part of a name is a type of floating-point numbers: `f32`, `f16x2`, `bf16`, `tf32`, `e4m3`.
fn is_float(part: &str) -> bool {
    ["bf", "tf", "f", "e", "ue"].iter().any(|kind| {
        let rest = part.strip_prefix(kind);
        rest.is_some_and(|rest| {
            rest.starts_with(|c: char| c.is_ascii_digit()) && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_exact_is_known() {
        for text in [
            "{ .reg .b64 a; cvta.to.global.u64 a, ${1}; ld.global.nc.f32 ${0}, [a]; }",
            "mov.b64 %ikra_kernel, ${0};\\0Amov.b32 %ikra_object, ${1};",
            "//ikra:entry 5 fma.f32",
            "@p add.rn.f32 ${0}, ${1}, ${2};",
            "fma.rn.f64 ${0}, ${1}, ${2}, ${3};",
            "cvt.rzi.s32.f32 ${0}, ${1}; cvt.f64.f32 ${2}, ${3}; abs.f32 ${0}, ${1}; max.f32 ${0}, ${1}, ${2};",
            "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {${0}}, {${1}}, {${2}}, {${3}};",
            "",
        ] {
            assert_eq!(refused(text, &|| false), None, "{text}");
        }
    }

    #[test]
    fn what_is_not_known_is_named() {
        for (text, name) in [
            ("mul.f32 ${0}, ${1}, ${2};", "mul.f32"),
            ("add.rn.ftz.f32 ${0}, ${1}, ${2};", "add.rn.ftz.f32"),
            ("add.rn.f16x2 ${0}, ${1}, ${2};", "add.rn.f16x2"),
            ("{ .reg .pred p; @p div.full.f32 ${0}, ${1}, ${2}; }", "div.full.f32"),
            ("tanh.approx.f32 ${0}, ${1};", "tanh.approx.f32"),
            ("frobnicate.f64 ${0}, ${1};", "frobnicate.f64"),
            ("cvt.rn.bf16.f32 ${0}, ${1};", "cvt.rn.bf16.f32"),
            (
                "mov.b32 ${0}, 0;\\0Amma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {${0}}, {${1}};",
                "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
            ),
        ] {
            assert_eq!(refused(text, &|| true).as_deref(), Some(name), "{text}");
        }
    }

    #[test]
    fn what_is_named_approximate_is_ikras() {
        for text in ["sin.approx.f32 ${0}, ${1};", "atom.relaxed.gpu.global.add.f32 ${0}, [at], ${2};"] {
            assert_eq!(refused(text, &|| true), None);
            assert!(refused(text, &|| false).is_some());
        }
        assert!(refused("sin.approx.sat.f32 ${0}, ${1};", &|| true).is_some());
    }
}
