//! Vectors in space, and rays.

use core::ops::{Add, AddAssign, Mul, Neg, Sub};

use ikra::prelude::*;
use ikra::rng::Random;

/// A vector; also a colour: the amounts of red, green and blue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Value)]
#[repr(C)]
pub struct Vector {
    /// To the right; red.
    pub x: f32,
    /// Up; green.
    pub y: f32,
    /// Towards the viewer; blue.
    pub z: f32,
}

impl Vector {
    /// The zero vector; black.
    pub const ZERO: Self = Self::new(0.0, 0.0, 0.0);

    /// A vector.
    pub const fn new(x: f32, y: f32, z: f32) -> Self {
        Self { x, y, z }
    }

    /// The same number in all components; a grey.
    pub const fn all(value: f32) -> Self {
        Self::new(value, value, value)
    }

    /// The dot product.
    pub fn dot(self, other: Self) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// The cross product.
    pub fn cross(self, other: Self) -> Self {
        Self::new(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )
    }

    /// Its length.
    pub fn length(self) -> f32 {
        self.dot(self).sqrt()
    }

    /// The vector scaled to length 1.
    pub fn unit(self) -> Self {
        self * (1.0 / self.length())
    }

    /// A random vector of length 1, uniformly distributed.
    pub fn random(random: &mut Random) -> Self {
        let (a, b) = disc(random);
        let square = a * a + b * b;
        let scale = 2.0 * (1.0 - square).sqrt();
        Self::new(a * scale, b * scale, 1.0 - 2.0 * square)
    }
}

/// A random point in the disc of radius 1, uniformly distributed.
pub fn disc(random: &mut Random) -> (f32, f32) {
    loop {
        let (a, b) = (2.0 * random.uniform_f32() - 1.0, 2.0 * random.uniform_f32() - 1.0);
        if a * a + b * b < 1.0 {
            return (a, b);
        }
    }
}

impl Add for Vector {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

impl AddAssign for Vector {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Vector {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y, self.z - other.z)
    }
}

impl Neg for Vector {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y, -self.z)
    }
}

impl Mul<f32> for Vector {
    type Output = Self;
    fn mul(self, factor: f32) -> Self {
        Self::new(self.x * factor, self.y * factor, self.z * factor)
    }
}

/// Multiplies components: light of one colour through glass of another.
impl Mul for Vector {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self::new(self.x * other.x, self.y * other.y, self.z * other.z)
    }
}

/// A half line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Its start.
    pub origin: Vector,
    /// Its direction, of length 1.
    pub direction: Vector,
}

impl Ray {
    /// The point at a distance.
    pub fn at(&self, distance: f32) -> Vector {
        self.origin + self.direction * distance
    }
}
