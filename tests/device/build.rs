//! Compiles the model for the GPU, if a device compiler is available: all classes with `IKRA_LONG=1`.

fn main() {
    println!("cargo::rerun-if-env-changed=IKRA_LONG");
    println!("cargo::rustc-check-cfg=cfg(ikra_long)");
    let is_long = std::env::var_os("IKRA_LONG").is_some_and(|value| !value.is_empty());
    if is_long {
        println!("cargo::rustc-cfg=ikra_long");
    }
    // Strategies of `#[soa_dispatch]`.
    let strategies = "{ path = \"../../ikra-strategies\" }";
    let model = if is_long { "src/all.rs" } else { "src/model.rs" };
    ikra_build::Device::new(model).dependency("ikra-strategies", strategies).build();
}
