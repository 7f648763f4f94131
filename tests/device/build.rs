//! Compiles the model for the GPU, where there is a compiler for it.

fn main() {
    // Strategies of `#[soa_dispatch]`.
    let strategies = "{ path = \"../../ikra-strategies\" }";
    ikra_build::Device::new("src/model.rs").dependency("ikra-strategies", strategies).build();
}
