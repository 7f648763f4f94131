//! An instruction set that the machine may not have cannot be made up.

fn main() {
    let _ = ikra::Isa::V4;
    let _ = ikra::Isa(3);
}
