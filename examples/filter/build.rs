//! Compiles the model for the GPU, where there is a compiler for it.

fn main() {
    ikra_build::device("src/model.rs");
}
