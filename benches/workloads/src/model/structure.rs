//! A sheet of masses and springs that is torn apart. Springs break, and masses that nothing holds any more go.

use ikra::prelude::*;

/// Seconds per step.
pub const DT: f32 = 0.05;
/// What is left of a speed after a step.
pub const DAMPING: f32 = 0.99;
/// The distance of nodes that nothing holds.
pub const LOOSE: u32 = u32::MAX;

/// What springs connect.
#[soa_dispatch(Mass, Anchor, Puller)]
pub trait Node {
    /// Where it is.
    fn place(&self) -> [f32; 2] {
        self.pos
    }
    /// How many springs are between it and a node that is held; 0 if it is held itself.
    fn depth(&self) -> u32 {
        0
    }
}

/// A mass.
#[soa_class]
pub struct Mass {
    /// Where it is.
    pub pos: [f32; 2],
    /// Where it goes.
    pub vel: [f32; 2],
    /// How heavy it is.
    pub mass: f32,
    /// Springs on the way to a node that is held.
    pub distance: u32,
    /// The springs that end here.
    #[inline_array(6)]
    pub springs: InnerArray<Link<Spring>>,
}

#[soa_methods]
impl Node for Mass {
    fn depth(&self) -> u32 {
        self.distance
    }
}

#[soa_methods]
impl Mass {
    /// Moves as the springs pull.
    #[kernel]
    pub fn advance(&mut self) {
        let mut force = [0.0, 0.0];
        for spring in &self.springs {
            let pull = spring.force();
            let sign = if spring.a().link() == self.link().into() { 1.0 } else { -1.0 };
            for k in 0..2 {
                force[k] += sign * pull[k];
            }
        }
        for k in 0..2 {
            self.vel[k] = (self.vel[k] + force[k] / self.mass * DT) * DAMPING;
            self.pos[k] += self.vel[k] * DT;
        }
    }

    /// Forgets what holds it.
    #[kernel]
    pub fn let_go(&mut self) {
        self.distance = LOOSE;
    }

    /// Finds what holds it. Returns whether that is new.
    #[kernel(reduce(Any))]
    pub fn settle(&mut self) -> bool {
        if self.distance != LOOSE {
            return false;
        }
        let mut least = LOOSE;
        for spring in &self.springs {
            least = least.min(spring.distance());
        }
        self.distance = least;
        least != LOOSE
    }

    /// Whether nothing holds it.
    #[kernel(reduce(Any))]
    pub fn is_loose(&self) -> bool {
        self.distance == LOOSE
    }

    /// Goes if nothing holds it.
    #[kernel]
    pub fn fall(&mut self) {
        if self.distance == LOOSE {
            self.remove();
        }
    }
}

/// A node that stays where it is.
#[soa_class]
pub struct Anchor {
    /// Where it is.
    pub pos: [f32; 2],
}
#[soa_methods]
impl Node for Anchor {}

/// A node that pulls at its springs.
#[soa_class]
pub struct Puller {
    /// Where it is.
    pub pos: [f32; 2],
    /// Where it goes.
    pub vel: [f32; 2],
}
#[soa_methods]
impl Node for Puller {}

#[soa_methods]
impl Puller {
    /// Moves on.
    #[kernel]
    pub fn pull(&mut self) {
        for k in 0..2 {
            self.pos[k] += self.vel[k];
        }
    }
}

/// A spring between two nodes.
#[soa_class]
pub struct Spring {
    /// One end. If it goes, so does the spring.
    #[soa(on_remove = "cascade")]
    pub a: NodeLink,
    /// The other.
    #[soa(on_remove = "cascade")]
    pub b: NodeLink,
    /// Its length at rest.
    pub length: f32,
    /// Force per length.
    pub stiffness: f32,
    /// The force at which it breaks.
    pub strength: f32,
    /// What it does to `a`; the opposite to `b`.
    pub force: [f32; 2],
    /// The distance of the nodes behind it.
    pub distance: u32,
    /// Whether it is broken.
    pub broken: bool,
}

#[soa_methods]
impl Spring {
    /// The force that it has now.
    #[kernel]
    pub fn stretch(&mut self) {
        if self.broken {
            return;
        }
        let (a, b) = (self.a.place(), self.b.place());
        let d = [b[0] - a[0], b[1] - a[1]];
        let length = (d[0] * d[0] + d[1] * d[1]).sqrt();
        let force = self.stiffness * (length - self.length);
        if force > self.strength {
            self.broken = true;
            self.force = [0.0; 2];
        } else {
            let scale = force / length;
            self.force = [d[0] * scale, d[1] * scale];
        }
    }

    /// Tells its nodes what is behind it.
    #[kernel]
    pub fn carry(&mut self) {
        let nearest = self.a.depth().min(self.b.depth());
        self.distance = nearest.saturating_add(1);
    }

    /// Whether it is broken.
    #[kernel(reduce(Any))]
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    /// Goes if it is broken.
    #[kernel]
    pub fn part(&mut self) {
        if self.broken {
            self.remove();
        }
    }
}

/// The sheet.
#[soa_world]
pub struct Sheet {
    /// Masses.
    pub masses: Objects<Mass>,
    /// Nodes that stay.
    pub anchors: Objects<Anchor>,
    /// Nodes that pull.
    pub pullers: Objects<Puller>,
    /// What holds them together.
    pub springs: Objects<Spring>,
}
