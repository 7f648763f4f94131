//! Compiles the classes for the GPU: no float occurs in them.

fn main() {
    // Strategies of `#[soa_dispatch]`, to measure against.
    let strategies = "{ path = \"../../ikra-strategies\" }";
    ikra_build::Device::new("src/model.rs").dependency("ikra-strategies", strategies).build();
}
