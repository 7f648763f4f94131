//! Models whose device code would give other bits than the host.

use ikra_build::ptx;

use crate::program::{Program, REAL_IKRA, has_compiler, is_long};

/// A program with a model of one class, with these helpers and methods.
fn program(name: &str, statement: &str, helpers: &str, methods: &str) -> Program {
    let program = Program::with(name, statement, REAL_IKRA);
    let model = format!(
        "use ikra::prelude::*;
{helpers}
#[soa_class]
pub struct Body {{ pub x: f32, pub y: f32, pub z: f64, pub n: i32 }}
#[soa_methods]
impl Body {{
{methods}
}}
#[soa_world]
pub struct Sim {{ pub bodies: Objects<Body> }}
"
    );
    program.write("src/model.rs", &model);
    program.write(
        "src/main.rs",
        "mod model;\nfn main() { println!(\"{}\", option_env!(\"IKRA_DEVICE_CODE\").unwrap_or(\"none\")); }\n",
    );
    program
}

/// Every line that gives other bits, with the name that is proposed.
const REFUSED: &[(&str, &str)] = &[
    ("self.x = self.x % self.y;", "rem(x, y)"),
    ("self.x %= 0.1;", "rem(x, y)"),
    ("self.z = core::ops::Rem::rem(self.z, 0.7);", "rem(x, y)"),
    ("self.x = remainder(self.x, self.y);", "rem(x, y)"),
    ("self.x = self.x.max(self.y);", "max(x, y)"),
    ("self.z = self.z.min(0.0);", "min(x, y)"),
    ("self.x = [self.x, self.y].into_iter().fold(-0.0, f32::max);", "max(x, y)"),
    ("self.x = self.x.midpoint(self.y);", "midpoint(x, y)"),
    ("self.x = self.x.powi(3);", "powi(x, n)"),
    ("self.z = self.z.powi(self.n);", "powi(x, n)"),
    ("self.x = self.x.powf(self.y);", "powf(x, y)"),
    ("self.x = self.x.sin();", "sin(x)"),
    ("self.z = f64::cos(self.z);", "cos(x)"),
    ("self.x = [self.x].map(f32::tan)[0];", "tan(x)"),
    ("self.x = self.x.sin_cos().0;", "sin_cos(x)"),
    ("self.x = self.x.asin();", "asin(x)"),
    ("self.x = self.x.acos();", "acos(x)"),
    ("self.x = self.x.atan();", "atan(x)"),
    ("self.x = self.y.atan2(self.x);", "atan2(y, x)"),
    ("self.x = self.x.exp();", "exp(x)"),
    ("self.x = self.x.exp2();", "exp2(x)"),
    ("self.x = self.x.exp_m1();", "exp_m1(x)"),
    ("self.x = self.x.ln();", "ln(x)"),
    ("self.x = self.x.ln_1p();", "ln_1p(x)"),
    ("self.x = self.x.log(3.0);", "log(x, base)"),
    ("self.x = self.x.log2();", "log2(x)"),
    ("self.x = self.x.log10();", "log10(x)"),
    ("self.x = self.x.sinh();", "sinh(x)"),
    ("self.x = self.x.cosh();", "cosh(x)"),
    ("self.x = self.x.tanh();", "tanh(x)"),
    ("self.x = self.x.asinh();", "asinh(x)"),
    ("self.x = self.x.acosh();", "acosh(x)"),
    ("self.x = self.x.atanh();", "atanh(x)"),
    ("self.x = self.x.cbrt();", "cbrt(x)"),
    ("self.x = self.x.hypot(self.y);", "hypot(x, y)"),
];

const HELPERS: &str = "#[inline(never)] fn remainder(x: f32, y: f32) -> f32 { x % y }";

/// A kernel for each of these lines, one in each line of the file.
fn kernels<'l>(lines: impl Iterator<Item = &'l str>) -> String {
    lines.enumerate().map(|(n, line)| format!("    #[kernel] pub fn k{n}(&mut self) {{ {line} }}\n")).collect()
}

#[test]
fn other_bits_are_refused_with_their_line_and_what_to_write() {
    if !has_compiler() {
        return;
    }
    let methods = kernels(REFUSED.iter().map(|(line, _)| *line));
    let program = program("refused", "device(\"src/model.rs\")", HELPERS, &methods);
    let messages = program.run(&[]).expect_failure().messages;
    assert!(messages.contains("would not give the same bits as the host"), "{messages}");
    let model = program.read("src/model.rs");
    for (line, instead) in REFUSED {
        // A helper is shown where it is wrong.
        let wrong = if line.contains("remainder(") { "fn remainder" } else { line };
        let number = model.lines().position(|at| at.contains(wrong)).unwrap() + 1;
        let place = format!("src/model.rs:{number}:");
        let Some((_, after)) = messages.split_once(&place) else { panic!("{line}: no {place} in {messages}") };
        let help = after.lines().nth(1).unwrap_or_default();
        assert!(help.contains(&format!("write `ikra::math::{instead}`")), "{line}: {help}");
    }
    assert_eq!(messages.matches("= help: write").count(), REFUSED.len(), "{messages}");
    assert!(messages.contains(".floats(Floats::Contract)"), "{messages}");
}

#[test]
fn what_is_refused_is_allowed_where_bits_may_differ() {
    if !has_compiler() {
        return;
    }
    // Of all lines, or of some that are as different as can be.
    let step = if is_long() { 1 } else { 6 };
    let lines: Vec<&str> = REFUSED.iter().map(|(line, _)| *line).step_by(step).collect();
    let methods = kernels(lines.iter().copied());
    let contract = "Device::new(\"src/model.rs\").floats(Floats::Contract).build()";
    let code = program("allowed", contract, HELPERS, &methods).code(&[]);
    assert!(ptx::kernels(&code).len() >= lines.len());
}

#[test]
fn what_gives_the_same_bits_is_not_refused() {
    if !has_compiler() {
        return;
    }
    let helpers = "use ikra::math;
fn generic<T: GpuFloat>(x: T) -> T { x.sin().rsqrt() }";
    let lines = [
        "self.x = self.x.sqrt() + self.x.floor() + self.x.ceil() + self.x.trunc() + self.x.round() + self.x.fract();",
        "self.z = self.z.round_ties_even().mul_add(self.z, 1.0).rem_euclid(0.3) + self.z.div_euclid(0.3);",
        "self.x = self.x.clamp(0.0, 1.0).recip().to_degrees().to_radians().signum().copysign(self.y).abs();",
        "self.x = self.x.powi(2) + self.x.powi(-1) + self.x.powi(1) + self.x.powi(0) + generic(self.y);",
        "self.x = self.x.max(1.0).min(0.5) + (self.x * self.x + self.y * self.y).sqrt().max(0.0) + self.x.abs().max(self.y.abs());",
        "self.z = math::rem(self.z, 0.1) + math::max(self.z, 0.0) + math::min(self.z, 0.0) + math::powi(self.z, self.n);",
        "self.x = math::midpoint(self.x, self.y) + math::sin(self.x) + math::log(self.x, self.y) + self.x.next_up();",
        "self.n = (self.n % 7).max(3).pow(2) + self.x as i32 + self.z as i32;",
        "self.x = [self.x, self.y].iter().sum::<f32>() + [self.x, self.y].iter().product::<f32>();",
        "if self.x.total_cmp(&self.y).is_lt() || self.z.is_subnormal() { self.x = self.n as f32; }",
    ];
    let built =
        program("same", "device(\"src/model.rs\")", helpers, &kernels(lines.into_iter())).run(&[]).expect_success();
    let code = std::fs::read_to_string(&built.printed).unwrap();
    assert_eq!(ptx::kernels(&code).iter().filter(|kernel| kernel.name.contains("_k")).count(), lines.len());
    for sign in [".approx", ".ftz", ".loc", ".file", "ikra_refused", ".section"] {
        assert!(!code.contains(sign), "{sign}");
    }
}

#[test]
fn what_the_device_has_not_is_named_with_what_it_has() {
    if !has_compiler() {
        return;
    }
    let failing = |name: &str, helpers: &str, methods: &str| {
        program(name, "device(\"src/model.rs\")", helpers, methods).run(&[]).expect_failure().messages
    };
    let messages =
        failing("consts", "use std::f32::consts::PI;", "    #[kernel] pub fn turn(&mut self) { self.x += PI; }");
    assert!(messages.contains("`core::f32::consts::PI`") && !messages.contains("cargo add"), "{messages}");
    let messages = failing("host_code", "pub fn build() -> Result<Sim, ikra::Error> { Ok(Sim::new()) }", "");
    assert!(messages.contains("`ikra::Error`, belongs outside of the model's file"), "{messages}");
}
