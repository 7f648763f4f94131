//! Writes the accepted kernels for `tests/accepted.rs` and `tests/atomics.rs`, and passes `IKRA_LONG` on to the other
//! tests.
#![allow(dead_code, unused_imports, reason = "modules of the library, of which this uses a part")]

#[path = "src/atomics.rs"]
pub mod atomics;
#[path = "src/choose.rs"]
pub mod choose;
#[path = "src/combine.rs"]
pub mod combine;
#[path = "src/ways.rs"]
pub mod ways;
#[path = "src/write.rs"]
pub mod write;

fn main() {
    let folder = std::path::PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    let accepted = write::accepted(&combine::combinations());
    std::fs::write(folder.join("accepted.rs"), accepted).expect("OUT_DIR can be written");
    let atomics = atomics::accepted(&atomics::kernels());
    std::fs::write(folder.join("atomics.rs"), atomics).expect("OUT_DIR can be written");
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-env-changed=IKRA_LONG");
    println!("cargo::rustc-check-cfg=cfg(ikra_long)");
    if choose::is_long() {
        println!("cargo::rustc-cfg=ikra_long");
    }
}
