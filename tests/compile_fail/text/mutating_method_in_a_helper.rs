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

trait Bump {
    fn bump(&mut self) -> &mut Self;
}
impl Bump for u32 {
    fn bump(&mut self) -> &mut Self {
        *self += 1;
        self
    }
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn go(&mut self) {
        self.vel.x = 1.0;
        self.helper();
    }
    fn helper(&mut self) {
        let all = [0; 4];
        if all.len() > 3 {
            *(self.x).bump() = 4;
        }
        (|| self.x.bump())();
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {
    Sim::new().execute(Body::go, ());
}
