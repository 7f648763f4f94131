//! The contents of a picture, as read or made up: plain values.

use crate::model::{Sky, Vector, View};

/// The material of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Material {
    /// Scatters light in all directions.
    Diffuse {
        /// Its colour.
        colour: Vector,
    },
    /// Diffuse squares of two colours.
    Checks {
        /// The first colour.
        even: Vector,
        /// The second colour.
        odd: Vector,
        /// The side of a square.
        side: f32,
    },
    /// Metal.
    Mirror {
        /// Its colour.
        colour: Vector,
        /// From 0, polished, to 1.
        roughness: f32,
    },
    /// Glass.
    Glass {
        /// Its colour.
        colour: Vector,
        /// How many times faster light is outside.
        index: f32,
    },
    /// A lamp.
    Lamp {
        /// Its colour.
        colour: Vector,
    },
}

/// The form of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// A sphere.
    Sphere {
        /// Its centre.
        centre: Vector,
        /// Its radius.
        radius: f32,
    },
    /// An infinite plane.
    Plane {
        /// A point on it.
        point: Vector,
        /// Its normal, of length 1.
        up: Vector,
    },
    /// A triangle.
    Triangle {
        /// Its corners, counter-clockwise when seen from outside.
        corners: [Vector; 3],
    },
}

/// A form and the number of its material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Its form.
    pub form: Form,
    /// The index of its material.
    pub material: usize,
}

/// The camera's position and direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The eye.
    pub eye: Vector,
    /// The point that it looks at, which is in focus.
    pub target: Vector,
    /// The angle between the picture's upper and lower edge, in degrees.
    pub angle: f32,
    /// The radius of the lens.
    pub lens: f32,
}

/// A scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// All materials.
    pub materials: Vec<Material>,
    /// All shapes.
    pub shapes: Vec<Shape>,
    /// The camera; `None` for one that sees all shapes but planes.
    pub camera: Option<Camera>,
    /// The sky behind all shapes.
    pub sky: Sky,
}

/// The settings besides the scene.
#[derive(Clone, Copy, Debug)]
pub struct Picture {
    /// Pixels per row.
    pub width: u32,
    /// The number of rows.
    pub height: u32,
    /// The largest number of bounces.
    pub bounces: u32,
    /// The seed of all random numbers.
    pub seed: u64,
}

/// The sky of a bright day.
pub const DAY: Sky = Sky {
    horizon: Vector::new(0.9, 0.95, 1.0),
    zenith: Vector::new(0.25, 0.45, 0.9),
    to_sun: Vector::new(0.48, 0.64, 0.6),
    sun: Vector::new(14.0, 12.0, 9.0),
    sharpness: 6,
};

/// A box around points, by its smallest and largest coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) low: Vector,
    pub(crate) high: Vector,
}

impl Bounds {
    /// An empty box.
    pub(crate) const NONE: Self = Self { low: Vector::all(f32::INFINITY), high: Vector::all(f32::NEG_INFINITY) };

    /// The box around two boxes.
    pub(crate) fn and(self, other: Self) -> Self {
        let [a, b] = [self, other];
        Self {
            low: Vector::new(a.low.x.min(b.low.x), a.low.y.min(b.low.y), a.low.z.min(b.low.z)),
            high: Vector::new(a.high.x.max(b.high.x), a.high.y.max(b.high.y), a.high.z.max(b.high.z)),
        }
    }

    /// The length of its diagonal; 0 if it is empty.
    pub(crate) fn diagonal(&self) -> f32 {
        if self.low.x > self.high.x { 0.0 } else { (self.high - self.low).length() }
    }

    /// Its middle.
    pub(crate) fn middle(&self) -> Vector {
        (self.low + self.high) * 0.5
    }
}

impl Form {
    /// The box around it, unless it is infinite.
    pub(crate) fn bounds(&self) -> Option<Bounds> {
        match *self {
            Self::Sphere { centre, radius } => {
                Some(Bounds { low: centre - Vector::all(radius), high: centre + Vector::all(radius) })
            }
            Self::Plane { .. } => None,
            Self::Triangle { corners } => {
                Some(corners.iter().fold(Bounds::NONE, |all, &corner| all.and(Bounds { low: corner, high: corner })))
            }
        }
    }
}

impl Scene {
    /// The light of the brightest spot: no pixel is brighter.
    pub fn brightest(&self) -> Vector {
        let lamps = self.materials.iter().filter_map(|material| match *material {
            Material::Lamp { colour } => Some(colour),
            _ => None,
        });
        let sky = Bounds { low: self.sky.horizon, high: self.sky.horizon };
        let sky = sky.and(Bounds { low: self.sky.zenith, high: self.sky.zenith }).high + self.sky.sun;
        lamps.chain([sky]).fold(Bounds::NONE, |all, colour| all.and(Bounds { low: colour, high: colour })).high
    }

    /// The box around all finite shapes.
    pub(crate) fn bounds(&self) -> Bounds {
        self.shapes.iter().filter_map(|shape| shape.form.bounds()).fold(Bounds::NONE, Bounds::and)
    }

    /// The camera, or one that sees all shapes but planes.
    pub fn camera(&self) -> Camera {
        self.camera.unwrap_or_else(|| {
            let bounds = self.bounds();
            let (target, size) = match bounds.diagonal() {
                0.0 => (Vector::ZERO, 1.0),
                size => (bounds.middle(), size),
            };
            Camera { eye: target + Vector::new(0.5, 0.45, 1.2) * size, target, angle: 40.0, lens: 0.0 }
        })
    }

    /// A length that is small compared with the scene, but larger than rounding errors.
    pub(crate) fn gap(&self) -> f32 {
        let camera = self.camera();
        2e-5 * self.bounds().diagonal().max((camera.eye - camera.target).length())
    }

    /// The view that the camera renders.
    pub fn view(&self, picture: &Picture) -> View {
        let camera = self.camera();
        let forward = camera.target - camera.eye;
        let distance = forward.length();
        let up =
            if forward.x == 0.0 && forward.z == 0.0 { Vector::new(0.0, 0.0, -1.0) } else { Vector::new(0.0, 1.0, 0.0) };
        let right = forward.cross(up).unit();
        let up = right.cross(forward).unit();
        // In the plane that is in focus.
        let pixel = 2.0 * distance * (camera.angle.to_radians() / 2.0).tan() / picture.height as f32;
        let (across, down) = (right * pixel, up * -pixel);
        View {
            seed: picture.seed,
            width: picture.width,
            bounces: picture.bounces,
            eye: camera.eye,
            corner: forward - across * (picture.width as f32 / 2.0) - down * (picture.height as f32 / 2.0),
            across,
            down,
            lens_right: right * camera.lens,
            lens_up: up * camera.lens,
            gap: self.gap(),
            sky: self.sky,
        }
    }
}
