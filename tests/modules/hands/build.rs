//! Compiles the model for the GPU, where there is a compiler for it. It links to classes of another package.

fn main() {
    let gears = concat!(env!("CARGO_MANIFEST_DIR"), "/../gears");
    let entry = format!("{{ package = \"ikra-gears-tests\", path = {gears:?} }}");
    ikra_build::Device::new("src/model.rs").dependency("gears", &entry).build();
}
