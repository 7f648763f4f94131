//! Compiles the model for the GPU, if a device compiler is available.

fn main() {
    // Strategies of `#[soa_dispatch]`.
    let strategies = "{ path = \"../../ikra-strategies\" }";
    ikra_build::Device::new("src/model.rs").dependency("ikra-strategies", strategies).build();
}
