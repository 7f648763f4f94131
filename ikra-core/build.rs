//! Says whether kernels are compiled for wider vectors too: of what is not optimized, that would be three times the same.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(ikra_vectors)");
    // The first level at which loops become vectors is the second.
    if std::env::var("OPT_LEVEL").is_ok_and(|level| level != "0" && level != "1") {
        println!("cargo::rustc-cfg=ikra_vectors");
    }
}
