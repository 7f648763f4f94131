//! Objects that come and go.

use ikra::prelude::*;

/// Spreads the bits of a number.
fn hash(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x85eb_ca6b);
    x ^= x >> 13;
    x = x.wrapping_mul(0xc2b2_ae35);
    x ^ x >> 16
}

/// Objects of seven columns that move, die or have a child.
macro_rules! particle {
    ($class:ident, $world:ident, $options:tt) => {
        #[soa_class $options]
        #[derive(Clone, Debug)]
        pub struct $class {
            pub x: f32,
            pub y: f32,
            pub z: f32,
            pub vel_x: f32,
            pub vel_y: f32,
            pub vel_z: f32,
            pub seed: u32,
        }

        #[soa_methods]
        impl $class {
            #[kernel]
            pub fn spawn(id: u32) -> Self {
                let (x, seed) = (id as f32, hash(id));
                Self { x, y: x, z: x, vel_x: 1.0, vel_y: 1.0, vel_z: 1.0, seed }
            }

            #[kernel]
            pub fn live(&mut self, young: Spawn<$class>) {
                self.x += self.vel_x * 0.01;
                self.y += self.vel_y * 0.01;
                self.z += self.vel_z * 0.01;
                self.seed = self.seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let drawn = (hash(self.seed) >> 8) as f32 * (1.0 / (1 << 24) as f32);
                if drawn < 0.05 {
                    self.remove();
                } else if drawn >= 0.95 {
                    young.push(Self {
                        x: self.x,
                        y: self.y,
                        z: self.z,
                        vel_x: -self.vel_x,
                        vel_y: -self.vel_y,
                        vel_z: -self.vel_z,
                        seed: hash(self.seed ^ 0x9e37_79b9),
                    });
                }
            }
        }

        #[soa_world]
        pub struct $world {
            pub particles: Objects<$class>,
        }
    };
}
particle!(Particle, Particles, ());
particle!(DenseParticle, DenseParticles, (compact = 1.0));

/// Objects of two columns of links.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Friend {
    pub first: Option<Link<Friend>>,
    pub second: Option<Link<Friend>>,
    pub seed: u32,
}

#[soa_methods]
impl Friend {
    #[kernel]
    pub fn spawn(id: u32, count: u32) -> Self {
        let link = |salt: u32| Link::from_id(hash(id ^ salt) % count + 1);
        Self { first: link(1), second: link(2), seed: hash(id) }
    }

    /// One in a hundred goes, and one makes another.
    #[kernel]
    pub fn change(&mut self, young: Spawn<Friend>) {
        self.seed = self.seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let drawn = (hash(self.seed) >> 8) % 100;
        if drawn == 0 {
            self.remove();
        } else if drawn == 1 {
            let first = self.first.map(|first| first.link());
            young.push(Self { first, second: Some(self.link()), seed: hash(self.seed ^ 1) });
        }
    }
}

#[soa_world]
pub struct Friends {
    pub friends: Objects<Friend>,
}
