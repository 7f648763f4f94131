//! Writes the accepted kernels for `tests/accepted.rs`.
#![allow(dead_code, unused_imports, reason = "modules of the library, of which this uses a part")]

#[path = "src/combine.rs"]
pub mod combine;
#[path = "src/ways.rs"]
pub mod ways;
#[path = "src/write.rs"]
pub mod write;

fn main() {
    let text = write::accepted(&combine::combinations());
    let folder = std::env::var_os("OUT_DIR").expect("cargo sets it");
    std::fs::write(std::path::Path::new(&folder).join("accepted.rs"), text).expect("OUT_DIR can be written");
    println!("cargo::rerun-if-changed=src");
}
