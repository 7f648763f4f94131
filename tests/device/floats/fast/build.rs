//! Compiles the model for the GPU, where there is a compiler for it.

use ikra_build::{Device, Floats};

fn main() {
    Device::new("../model.rs").floats(Floats::Fast).build();
}
