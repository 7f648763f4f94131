//! What a picture shows, as it is read or made up: plain values.

use crate::model::{Sky, Vector, View};

/// What a shape is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Material {
    /// Sends light into all directions.
    Diffuse {
        /// Its colour.
        colour: Vector,
    },
    /// Diffuse squares of two colours.
    Checks {
        /// One.
        even: Vector,
        /// The other.
        odd: Vector,
        /// Their side.
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
    /// What shines.
    Lamp {
        /// Its colour.
        colour: Vector,
    },
}

/// What rays hit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// A sphere.
    Sphere {
        /// Its centre.
        centre: Vector,
        /// Its radius.
        radius: f32,
    },
    /// A plane without end.
    Plane {
        /// A point of it.
        point: Vector,
        /// The direction away from it, of length 1.
        up: Vector,
    },
    /// A triangle.
    Triangle {
        /// Its corners, seen from outside against the clock.
        corners: [Vector; 3],
    },
}

/// A form and the number of its material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Where it is.
    pub form: Form,
    /// What it is made of: an index.
    pub material: usize,
}

/// From where the picture is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The eye.
    pub eye: Vector,
    /// What it looks at; seen sharp.
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
    /// What is behind all shapes.
    pub sky: Sky,
}

/// What is asked for besides the scene.
#[derive(Clone, Copy, Debug)]
pub struct Picture {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// How often light may bounce.
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
    /// Around no point.
    pub(crate) const NONE: Self = Self { low: Vector::all(f32::INFINITY), high: Vector::all(f32::NEG_INFINITY) };

    /// Around two boxes.
    pub(crate) fn and(self, other: Self) -> Self {
        let [a, b] = [self, other];
        Self {
            low: Vector::new(a.low.x.min(b.low.x), a.low.y.min(b.low.y), a.low.z.min(b.low.z)),
            high: Vector::new(a.high.x.max(b.high.x), a.high.y.max(b.high.y), a.high.z.max(b.high.z)),
        }
    }

    /// From corner to corner; 0 around no point.
    pub(crate) fn diagonal(&self) -> f32 {
        if self.low.x > self.high.x { 0.0 } else { (self.high - self.low).length() }
    }

    /// Its middle.
    pub(crate) fn middle(&self) -> Vector {
        (self.low + self.high) * 0.5
    }
}

impl Form {
    /// The box around it, of those that end somewhere.
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
    /// The light of the brightest spot: no picture is brighter.
    pub fn brightest(&self) -> Vector {
        let lamps = self.materials.iter().filter_map(|material| match *material {
            Material::Lamp { colour } => Some(colour),
            _ => None,
        });
        let sky = Bounds { low: self.sky.horizon, high: self.sky.horizon };
        let sky = sky.and(Bounds { low: self.sky.zenith, high: self.sky.zenith }).high + self.sky.sun;
        lamps.chain([sky]).fold(Bounds::NONE, |all, colour| all.and(Bounds { low: colour, high: colour })).high
    }

    /// The box around all shapes that end somewhere.
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

    /// A length that is small beside the scene's, but larger than rounding errors.
    pub(crate) fn gap(&self) -> f32 {
        let camera = self.camera();
        2e-5 * self.bounds().diagonal().max((camera.eye - camera.target).length())
    }

    /// How the picture is taken.
    pub fn view(&self, picture: &Picture) -> View {
        let camera = self.camera();
        let forward = camera.target - camera.eye;
        let distance = forward.length();
        let up =
            if forward.x == 0.0 && forward.z == 0.0 { Vector::new(0.0, 0.0, -1.0) } else { Vector::new(0.0, 1.0, 0.0) };
        let right = forward.cross(up).unit();
        let up = right.cross(forward).unit();
        // In the plane that is seen sharp.
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
