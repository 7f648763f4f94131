//! Compiles the model for the GPU.

fn main() {
    ikra_build::device("src/model.rs");
}
