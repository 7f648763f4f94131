//! Generated scenes, which need no file.

use std::f32::consts::TAU;

use ikra::math;
use ikra::rng::Random;

use crate::model::{Sky, Vector};
use crate::scene::{Camera, DAY, Form, Material, Scene, Shape};

/// A scene under construction.
struct Making {
    materials: Vec<Material>,
    shapes: Vec<Shape>,
}

impl Making {
    fn new() -> Self {
        Self { materials: Vec::new(), shapes: Vec::new() }
    }

    fn material(&mut self, material: Material) -> usize {
        self.materials.push(material);
        self.materials.len() - 1
    }

    fn push(&mut self, form: Form, material: usize) {
        self.shapes.push(Shape { form, material });
    }

    fn sphere(&mut self, centre: Vector, radius: f32, material: usize) {
        self.push(Form::Sphere { centre, radius }, material);
    }

    fn plane(&mut self, point: Vector, up: Vector, material: usize) {
        self.push(Form::Plane { point, up }, material);
    }

    /// A cut stone around a vertical axis. It has rings of `SIDES` corners, given by radius and height from the top.
    /// Each ring is turned by half a side against the previous one. A table closes the stone above, and a tip below.
    fn stone(&mut self, middle: Vector, rings: &[(f32, f32)], tip: f32, material: usize) {
        const SIDES: usize = 8;
        let corner = |ring: usize, side: usize| {
            let (radius, height) = rings[ring];
            let angle = TAU * (side as f32 + 0.5 * ring as f32) / SIDES as f32;
            middle + Vector::new(radius * math::sin(angle), height, radius * math::cos(angle))
        };
        let above = middle + Vector::new(0.0, rings[0].1, 0.0);
        let below = middle + Vector::new(0.0, tip, 0.0);
        let last = rings.len() - 1;
        for side in 0..SIDES {
            self.push(Form::Triangle { corners: [above, corner(0, side), corner(0, side + 1)] }, material);
            for ring in 0..last {
                let corners = [corner(ring, side), corner(ring + 1, side), corner(ring, side + 1)];
                self.push(Form::Triangle { corners }, material);
                let corners = [corner(ring + 1, side), corner(ring + 1, side + 1), corner(ring, side + 1)];
                self.push(Form::Triangle { corners }, material);
            }
            self.push(Form::Triangle { corners: [corner(last, side), below, corner(last, side + 1)] }, material);
        }
    }
}

/// A colour of the rainbow, with red at 0 and 1, made paler by a share.
fn rainbow(hue: f32, pale: f32) -> Vector {
    let part = |shift: f32| {
        let full = 0.5 + 0.5 * math::cos(TAU * (hue + shift));
        (1.0 - pale) * full * full + pale
    };
    Vector::new(part(0.0), part(-1.0 / 3.0), part(1.0 / 3.0))
}

/// A stone and two large balls, surrounded by small balls in the spirals of a sunflower.
pub fn default(seed: u64) -> Scene {
    let mut making = Making::new();
    let floor = making.material(Material::Checks {
        even: Vector::new(0.24, 0.25, 0.29),
        odd: Vector::new(0.13, 0.14, 0.18),
        side: 1.5,
    });
    making.plane(Vector::ZERO, Vector::new(0.0, 1.0, 0.0), floor);

    let stone = making.material(Material::Glass { colour: Vector::new(0.86, 0.96, 1.0), index: 1.7 });
    making.stone(Vector::new(0.0, 1.75, 0.0), &[(0.8, 0.62), (1.28, 0.26), (1.42, 0.0)], -1.68, stone);
    let steel = making.material(Material::Mirror { colour: Vector::new(0.93, 0.93, 0.95), roughness: 0.0 });
    making.sphere(Vector::new(-3.4, 1.25, -1.6), 1.25, steel);
    let gold = making.material(Material::Mirror { colour: Vector::new(1.0, 0.76, 0.36), roughness: 0.12 });
    making.sphere(Vector::new(3.3, 1.1, -1.9), 1.1, gold);
    let clear = making.material(Material::Glass { colour: Vector::new(0.99, 0.99, 0.99), index: 1.5 });
    making.sphere(Vector::new(2.3, 0.8, 2.1), 0.8, clear);
    let pearl = making.material(Material::Diffuse { colour: Vector::new(0.92, 0.88, 0.84) });
    making.sphere(Vector::new(-2.5, 0.65, 2.0), 0.65, pearl);

    // The golden angle.
    let turn = TAU * 0.381_966;
    let mut random = Random::new(seed, 0, 0);
    for n in 20..760 {
        let radius = 0.205 * (n as f32).sqrt();
        let angle = turn * n as f32;
        let size = 0.1 + 0.008 * radius;
        let centre = Vector::new(radius * math::sin(angle), size, radius * math::cos(angle));
        let is_free = making.shapes.iter().all(|shape| match shape.form {
            Form::Sphere { centre: other, radius } => (other - centre).length() > radius + size,
            Form::Plane { .. } | Form::Triangle { .. } => true,
        });
        let chance = random.uniform_f32();
        if !is_free {
            continue;
        }
        let hue = radius / 6.6 + 0.5;
        let material = if chance < 0.76 {
            Material::Diffuse { colour: rainbow(hue, 0.06) }
        } else if chance < 0.88 {
            Material::Mirror { colour: rainbow(hue, 0.45), roughness: 0.05 }
        } else if chance < 0.97 {
            Material::Glass { colour: rainbow(hue, 0.7), index: 1.5 }
        } else {
            Material::Lamp { colour: rainbow(hue, 0.2) * 1.8 }
        };
        let material = making.material(material);
        making.sphere(centre, size, material);
    }
    let camera =
        Camera { eye: Vector::new(-1.4, 6.6, 11.0), target: Vector::new(0.0, 0.55, 0.15), angle: 40.0, lens: 0.06 };
    let sky = Sky {
        horizon: Vector::new(0.80, 0.68, 0.60),
        zenith: Vector::new(0.13, 0.24, 0.52),
        to_sun: Vector::new(-0.66, 0.55, 0.28).unit(),
        sun: Vector::new(15.0, 11.0, 7.0),
        sharpness: 5,
    };
    Scene { materials: making.materials, shapes: making.shapes, camera: Some(camera), sky }
}

/// A thousand spheres and planes, the number of TYPEPTR's RAY (table 2): balls in a room.
pub fn many(seed: u64) -> Scene {
    const SHAPES: usize = 1000;
    let mut making = Making::new();
    let wall = making.material(Material::Diffuse { colour: Vector::new(0.75, 0.75, 0.72) });
    let floor =
        making.material(Material::Checks { even: Vector::all(0.7), odd: Vector::new(0.25, 0.3, 0.4), side: 1.0 });
    let light = making.material(Material::Lamp { colour: Vector::new(1.6, 1.5, 1.35) });
    for (point, up, material) in [
        (Vector::ZERO, Vector::new(0.0, 1.0, 0.0), floor),
        (Vector::new(0.0, 9.0, 0.0), Vector::new(0.0, -1.0, 0.0), light),
        (Vector::new(-9.0, 0.0, 0.0), Vector::new(1.0, 0.0, 0.0), wall),
        (Vector::new(9.0, 0.0, 0.0), Vector::new(-1.0, 0.0, 0.0), wall),
        (Vector::new(0.0, 0.0, -9.0), Vector::new(0.0, 0.0, 1.0), wall),
        (Vector::new(0.0, 0.0, 12.0), Vector::new(0.0, 0.0, -1.0), wall),
    ] {
        making.plane(point, up, material);
    }
    for n in making.shapes.len()..SHAPES {
        let mut random = Random::new(seed, n as u32, 0);
        let mut within = |low: f32, high: f32| low + (high - low) * random.uniform_f32();
        let centre = Vector::new(within(-8.5, 8.5), within(0.3, 8.0), within(-8.5, 4.0));
        let (radius, hue, chance) = (within(0.1, 0.45), within(0.0, 1.0), within(0.0, 1.0));
        let material = if chance < 0.6 {
            Material::Diffuse { colour: rainbow(hue, 0.15) }
        } else if chance < 0.8 {
            Material::Mirror { colour: rainbow(hue, 0.6), roughness: 0.02 }
        } else {
            Material::Glass { colour: rainbow(hue, 0.85), index: 1.5 }
        };
        let material = making.material(material);
        making.sphere(centre, radius, material);
    }
    let camera =
        Camera { eye: Vector::new(0.0, 4.5, 11.5), target: Vector::new(0.0, 4.0, 0.0), angle: 50.0, lens: 0.0 };
    Scene { materials: making.materials, shapes: making.shapes, camera: Some(camera), sky: DAY }
}
