//! Compiles the models for the GPU, with the same bits as on the host.

fn main() {
    ikra_build::device("src/model.rs");
}
