// An enum with fields as a value, which is used.
use ikra::prelude::*;

#[derive(Clone, Copy, Debug, Value)]
#[repr(u8)]
pub enum Shape {
    Point,
    Disc { radius: f32 },
}

#[soa_class]
#[derive(Clone, Debug)]
pub struct Body {
    pub shape: Shape,
    pub mass: f32,
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn grow(&mut self, by: f32) {
        self.mass += by;
        if let Shape::Disc { radius } = &mut self.shape {
            *radius += by;
        }
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() -> Result<(), ikra::Error> {
    let mut sim = Sim::new();
    sim.bodies.push(Body { shape: Shape::Point, mass: 1.0 })?;
    sim.execute(Body::grow, 0.5);
    println!("{:?}", sim.bodies.column(body::shape));
    Ok(())
}
