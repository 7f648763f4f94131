//! Classes with names of the prelude.
use ikra::prelude::*;

#[soa_class]
pub struct Objects {
    pub mass: f32,
}

mod chain {
    use ikra::prelude::*;

    #[soa_class]
    pub struct Link {
        pub next: Option<Link<Link>>,
        pub last: ikra::Link<Link>,
    }
}

#[soa_world]
pub struct Sim {
    pub objects: Objects<Objects>,
}

fn main() {}
