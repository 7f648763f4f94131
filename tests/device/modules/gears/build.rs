//! Compiles the model for the GPU, if a device compiler is available.

fn main() {
    ikra_build::device("src/model.rs");
}
