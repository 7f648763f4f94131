use ikra::prelude::*;

#[derive(Clone, Copy, Value)]
#[repr(C)]
pub struct Vel {
    pub x: f32,
    pub y: f32,
}
impl Vel {
    pub fn normalize(&mut self) {
        self.x /= self.x.hypot(self.y);
    }
}

#[soa_class]
pub struct Body {
    pub x: u32,
    pub vel: Vel,
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn go(&mut self) {
        self.vel.normalize();
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {
    Sim::new().execute(Body::go, ());
}
