//! The device code of programs that compile.

use std::fs;

use ikra_build::{ptx, ptxas};

use crate::program::{Program, REAL_IKRA, SMALL_IKRA, fixture, has_compiler, is_long};

fn kernel<'a>(kernels: &'a [ptx::Kernel], name: &str) -> &'a ptx::Kernel {
    let Some(kernel) = kernels.iter().find(|kernel| kernel.name == name) else {
        panic!("{name} is not in {kernels:#?}")
    };
    kernel
}

#[test]
fn a_model_becomes_kernels() {
    if !has_compiler() {
        return;
    }
    let program = Program::new("kernels", "device(\"src/model.rs\")");
    let code = program.code(&[]);
    assert!(code.contains(".target sm_75"));
    let kernels = ptx::kernels(&code);
    let names: Vec<_> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
    assert_eq!(names.len(), 5, "{names:?}");
    assert_eq!(kernel(&kernels, "scale_and_add").parameters.len(), 3);
    assert_eq!(kernel(&kernels, "meet").barriers(), 1, "a barrier in each arm of a branch is never passed");
    assert!(kernels.iter().all(|kernel| kernel.local_bytes() == 0));
    assert_eq!(ptx::problems(&code), [], "comparing slices is resolved");
    // As on the host, and nothing about where it was compiled.
    assert!(holds(&code, "src/model.rs"), "{code}");
    assert!(!holds(&code, program.path("src").to_str().unwrap()));

    let Some(ptxas) = ptxas::find() else {
        assert!(std::env::var_os("IKRA_REQUIRE_DEVICE_CODE").is_none(), "there is no ptxas");
        println!("SKIPPED: there is no ptxas");
        return;
    };
    let path = program.path("model.ptx");
    fs::write(&path, &code).unwrap();
    for architecture in ["sm_75", "sm_90"] {
        let usages = ptxas::assemble(&ptxas, &path, architecture).unwrap();
        assert_eq!(usages.len(), kernels.len());
        for usage in usages {
            assert!(usage.registers > 0 && usage.spill_bytes == 0, "{usage:?}");
        }
    }
    fs::write(&path, code.replace("bar", "baz")).unwrap();
    assert!(ptxas::assemble(&ptxas, &path, "sm_90").is_err());
}

/// Whether a text is among the bytes that device code lists.
fn holds(code: &str, text: &str) -> bool {
    let bytes: Vec<String> = text.bytes().map(|byte| byte.to_string()).collect();
    code.contains(&bytes.join(", ")) || code.contains(&bytes.join(",")) || code.contains(text)
}

#[test]
fn only_a_change_builds_again() {
    if !has_compiler() {
        return;
    }
    let program = Program::new("changes", "device(\"src/model.rs\")");
    program.write("src/model.rs", &format!("{}\nmod part;\n", fixture("src/model.rs")));
    program.write("src/model/part.rs", "pub use crate::model::scale_and_add;\n");
    let first = program.run(&[]).expect_success();
    assert!(first.messages.contains("Compiling changes"), "{}", first.messages);
    let again = program.run(&[]).expect_success();
    assert!(!again.messages.contains("Compiling"), "{}", again.messages);
    assert_eq!(again.printed, first.printed);

    program.write("src/model/part.rs", "ikra::kernel! { fn zero(x: *mut f32) { unsafe { *x = 0.0 } } }\n");
    let code = program.code(&[]);
    kernel(&ptx::kernels(&code), "zero");
    assert!(!program.run(&[]).expect_success().messages.contains("Compiling"));
}

/// Two checkouts of a workspace that contains `ikra`, like this one: for cargo they are the same packages.
#[test]
fn checkouts_share_a_target_directory() {
    if !has_compiler() {
        return;
    }
    let mut checkouts = [1, 2].map(|number| {
        let program = Program::new(&format!("checkout-{number}"), "device(\"src/model.rs\")");
        let manifest = program.read("Cargo.toml").replace(&format!("checkout-{number}"), "checkout");
        let path = format!("{SMALL_IKRA:?}");
        assert!(manifest.contains(&path), "{manifest}");
        program.write("Cargo.toml", &manifest.replace(&path, "\"ikra\""));
        for file in ["Cargo.toml", "build.rs", "src/lib.rs"] {
            let text = fs::read_to_string(format!("{SMALL_IKRA}/{file}")).unwrap();
            program.write(&format!("ikra/{file}"), &text.replace("[workspace]", ""));
        }
        let library = program.read("ikra/src/lib.rs");
        program.write("ikra/src/lib.rs", &format!("{library}\n/// Its own.\npub const CHECKOUT: u32 = {number};\n"));
        program
    });
    let store = |program: &Program, factor: u32| {
        let kernel =
            format!("ikra::kernel! {{ fn mark(x: *mut u32) {{ unsafe {{ *x = ikra::CHECKOUT * {factor} }} }} }}\n");
        program.write("src/model.rs", &kernel);
    };
    let stores = |program: &Program, value: u32| {
        let code = program.code(&[]);
        kernel(&ptx::kernels(&code), "mark").body.contains(&format!(", {value};"))
    };
    let (first, rest) = checkouts.split_at_mut(1);
    let (first, second) = (&first[0], &mut rest[0]);
    store(first, 1000);
    assert!(stores(first, 1000));
    second.share_folder(first);
    store(second, 1000);
    assert!(stores(second, 2000), "its own ikra");
    // Each change is seen where it is made.
    store(first, 100);
    assert!(stores(first, 100));
    store(second, 100);
    assert!(stores(second, 200));
    store(second, 10);
    assert!(stores(second, 20));
}

#[test]
fn rounding_is_as_the_option_says() {
    if !has_compiler() {
        return;
    }
    let code = |name: &str, options: &str| {
        let program = Program::new(name, &format!("Device::new(\"src/model.rs\"){options}.build()"));
        program.code(&[])
    };
    let strict = code("strict", "");
    let kernels = ptx::kernels(&strict);
    let add = kernel(&kernels, "scale_and_add");
    assert_eq!((add.count("mul.rn.f32"), add.count("add.rn.f32"), add.count("fma")), (1, 1, 0));
    assert_eq!(kernel(&kernels, "divide").count("div.rn.f32"), 1);

    let contracted = code("contract", ".floats(Floats::Contract)");
    let kernels = ptx::kernels(&contracted);
    let add = kernel(&kernels, "scale_and_add");
    assert_eq!((add.count("mul"), add.count("fma.rn.f32")), (0, 1));
    assert_eq!(kernel(&kernels, "divide").count("div.rn.f32"), 1);

    // For another target, `core` is compiled once more.
    let target = if is_long() { "sm_80" } else { "sm_75" };
    let fast = code("fast", &format!(".floats(Floats::Fast).target({target:?})"));
    assert!(fast.contains(&format!(".target {target}")));
    let kernels = ptx::kernels(&fast);
    assert_eq!(kernel(&kernels, "scale_and_add").count("fma.rn.f32"), 1);
    assert_eq!(kernel(&kernels, "divide").count("div.approx.ftz.f32"), 1);
}

#[test]
fn lines_come_and_go_with_the_option() {
    if !has_compiler() {
        return;
    }
    let statement = "println!(\"cargo::rerun-if-env-changed=LINES_WANTED\");
    Device::new(\"src/model.rs\").line_info(std::env::var_os(\"LINES_WANTED\").is_some()).build()";
    let program = Program::new("lines", statement);
    let has_lines = |variables: &[(&str, &str)]| program.code(variables).contains("\t.loc\t");
    assert!(!has_lines(&[]));
    assert!(has_lines(&[("LINES_WANTED", "1")]));
    assert!(!has_lines(&[]), "the code of the build before last, which cargo did not have to repeat");
}

#[test]
fn a_model_may_use_listed_crates() {
    if !has_compiler() {
        return;
    }
    let halves = Program::new("halves", "");
    let path = halves.path("halves");
    halves.write(
        "halves/Cargo.toml",
        "[package]\nname = \"halves\"\nversion = \"1.0.0\"\nedition = \"2024\"\n[workspace]\n",
    );
    halves.write("halves/src/lib.rs", "#![no_std]\npub fn half(x: f32) -> f32 { 0.5 * x }\n");
    let entry = format!("{{ path = {path:?} }}");
    let program = Program::new(
        "listed",
        &format!("Device::new(\"src/model.rs\").dependency(\"halves\", r#\"{entry}\"#).build()"),
    );
    let manifest = program.read("Cargo.toml").replace("[dependencies]", &format!("[dependencies]\nhalves = {entry}"));
    program.write("Cargo.toml", &manifest);
    program.write("src/model.rs", "ikra::kernel! { fn half(x: *mut f32) { unsafe { *x = halves::half(*x) } } }\n");
    let kernels = ptx::kernels(&program.code(&[]));
    assert_eq!(kernel(&kernels, "half").count("mul.rn.f32"), 1);
    // Its sources count as the model's.
    halves.write("halves/src/lib.rs", "#![no_std]\npub fn half(x: f32) -> f32 { x + 0.5 }\n");
    assert_eq!(kernel(&ptx::kernels(&program.code(&[])), "half").count("add.rn.f32"), 1);
}

#[test]
fn the_users_configuration_is_for_the_host() {
    if !has_compiler() {
        return;
    }
    let program = Program::new("configured", "device(\"src/model.rs\")");
    program.write(
        ".cargo/config.toml",
        "[build]\nrustc-wrapper = \"/nowhere/wrapper\"\nrustflags = [\"--cfg=host_only\", \"-Ctarget-cpu=native\"]
[profile.release]\nlto = false\npanic = \"unwind\"\ncodegen-units = 16\n",
    );
    program.write(
        "src/model.rs",
        &format!(
            "{}\n#[cfg(all(host_only, target_arch = \"nvptx64\"))]\ncompile_error!(\"host\");\n",
            fixture("src/model.rs")
        ),
    );
    let code = program.code(&[("RUSTC_WRAPPER", ""), ("CARGO_PROFILE_RELEASE_LTO", "false")]);
    assert_eq!(ptx::problems(&code), []);
}

#[test]
fn ikra_itself_is_found_and_compiled() {
    if !has_compiler() {
        return;
    }
    let program = Program::with("real", "device(\"src/model.rs\")", REAL_IKRA);
    program.write(
        "src/model.rs",
        "use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub at: f32,
    pub speed: f32,
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn advance(&mut self, dt: f32) {
        self.at += self.speed * dt;
    }
}

#[soa_world]
pub struct Space {
    pub bodies: Objects<Body>,
}
",
    );
    let main = "mod model;
fn main() {
    let mut space = model::Space::new();
    space.execute(model::Body::advance, 0.5);
    println!(\"{}\", option_env!(\"IKRA_DEVICE_CODE\").unwrap_or(\"none\"));
}
";
    program.write("src/main.rs", &format!("use ikra::prelude::*;\n{main}"));
    let kernels = ptx::kernels(&program.code(&[]));
    assert!(kernels.iter().any(|kernel| kernel.name.starts_with("ikra_kernel_Body_advance")), "{kernels:#?}");
}

#[test]
fn functions_that_nobody_calls_are_emptied() {
    if !has_compiler() {
        return;
    }
    let program = Program::with("uncalled", "device(\"src/model.rs\")", REAL_IKRA);
    program.write(
        "src/model.rs",
        "use ikra::prelude::*;
#[soa_class]
pub struct Body { pub n: u32, pub x: f32 }
#[soa_methods]
impl Body {
    #[kernel] pub fn take(&mut self) { self.x = u8::try_from(self.n).expect(\"a small number\") as f32; }
}
#[soa_world]
pub struct Sim { pub bodies: Objects<Body> }
",
    );
    program.write(
        "src/main.rs",
        "mod model;\nfn main() { println!(\"{}\", option_env!(\"IKRA_DEVICE_CODE\").unwrap_or(\"none\")); }\n",
    );
    let fired = |code: &str| ptx::Fired::read(code).unwrap();
    let code = program.code(&[]);
    assert!(fired(&code).count("uncalled") > Some(0), "{}", fired(&code));
    assert!(fired(&code).count("panics") > Some(0), "{}", fired(&code));
    // A pass that is left out says so, and another is no pass.
    let code = program.code(&[("IKRA_PASSES", "-uncalled")]);
    assert_eq!(fired(&code).count("uncalled"), None);
    let messages = program.run(&[("IKRA_PASSES", "-sideways")]).expect_failure().messages;
    assert!(messages.contains("IKRA_PASSES: `-sideways` is none of -spaces, "), "{messages}");
}
