//! Compiles the classes for the GPU: no float occurs in them.

fn main() {
    ikra_build::Device::new("src/model.rs").build();
}
