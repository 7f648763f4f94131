// Fields of another object, assigned; and three mistakes in one attribute.
use ikra::prelude::*;

#[soa_class(layout = "AoS", capacity = "100", fast)]
pub struct Body { pub pos: f32, pub vel: f32 }

#[derive(Clone, Copy)]
pub struct Plain { pub pos: f32 }

#[soa_methods]
impl Body {
    #[kernel(pairs)]
    pub fn collide(&mut self, other: Ref<Body>) {
        if other.pos() == self.pos { other.vel = -self.vel; }
        other.pos += 1.0;
    }
    #[kernel(pairs, fast, slow)]
    pub fn look(&mut self, other: Ref<Body>) {
        let mut other = Plain { pos: other.pos() };
        other.pos += 1.0;
        self.vel += other.pos;
    }
}

fn main() {}
