//! Tells build scripts of dependent packages where ikra's sources are: `ikra-build` compiles them for
//! the device.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if let Ok(directory) = std::env::var("CARGO_MANIFEST_DIR") {
        println!("cargo::metadata=manifest_dir={directory}");
    }
}
