//! Compiles the model for the GPU, if a device compiler is available. The model links to classes of another package.

fn main() {
    let gears = "{ package = \"ikra-gears-tests\", path = \"../gears\" }";
    ikra_build::Device::new("src/model.rs").dependency("gears", gears).build();
}
