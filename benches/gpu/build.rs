//! Compiles the model for the GPU, products and sums contracted as `nvcc` does.

use ikra_build::{Device, Floats};

fn main() {
    Device::new("src/model.rs").floats(Floats::Contract).build();
}
