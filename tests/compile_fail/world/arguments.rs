// Options.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub mass: f32,
}

#[soa_world(threads = 2)]
pub struct Sim {
    pub bodies: Objects<Body>,
}

#[soa_world(device_code = shapes::DEVICE_CODE)]
pub struct NoList {
    pub bodies: Objects<Body>,
}

#[soa_world(device_code = [OTHER], crate = ikra)]
pub struct NoCode {
    pub bodies: Objects<Body>,
}

pub const OTHER: Option<&str> = None;
pub const OWN: ikra::DeviceCode = ikra::device_code!("src/model.rs");

fn main() {}
