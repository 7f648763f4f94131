//! Compiles the model for the GPU, if a device compiler is available.

use ikra_build::{Device, Floats};

fn main() {
    Device::new("../model.rs").floats(Floats::Fast).build();
}
