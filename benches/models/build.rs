//! Compiles the models for the GPU, with the same bits as on the host.

fn main() {
    let arrayvec = r#"{ version = "0.7", default-features = false }"#;
    ikra_build::Device::new("src/model.rs").dependency("arrayvec", arrayvec).build();
}
