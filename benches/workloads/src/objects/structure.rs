//! A sheet of masses and springs that is torn apart. Springs break, and masses that nothing holds any more go.

/// Seconds per step.
pub const DT: f32 = 0.05;
/// What is left of a speed after a step.
pub const DAMPING: f32 = 0.99;
/// The distance of nodes that nothing holds.
pub const LOOSE: u32 = u32::MAX;

/// What springs connect.
pub trait Node {
    /// Where it is.
    fn place(&self) -> [f32; 2];
    /// How many springs are between it and a node that is held; 0 if it is held itself.
    fn depth(&self) -> u32 {
        0
    }
}

/// Which node, of which class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeLink {
    /// A mass.
    Mass(usize),
    /// A node that stays.
    Anchor(usize),
    /// A node that pulls.
    Puller(usize),
}

/// A mass.
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
    pub springs: Vec<usize>,
}

impl Node for Mass {
    fn place(&self) -> [f32; 2] {
        self.pos
    }
    fn depth(&self) -> u32 {
        self.distance
    }
}

impl Mass {
    /// Moves as the springs pull.
    pub fn advance(&mut self, own: NodeLink, springs: &[Option<Spring>]) {
        let mut force = [0.0, 0.0];
        for spring in self.springs.iter().filter_map(|&spring| springs[spring].as_ref()) {
            let sign = if spring.a == own { 1.0 } else { -1.0 };
            for k in 0..2 {
                force[k] += sign * spring.force[k];
            }
        }
        for k in 0..2 {
            self.vel[k] = (self.vel[k] + force[k] / self.mass * DT) * DAMPING;
            self.pos[k] += self.vel[k] * DT;
        }
    }

    /// Forgets what holds it.
    pub fn let_go(&mut self) {
        self.distance = LOOSE;
    }

    /// Finds what holds it. Returns whether that is new.
    pub fn settle(&mut self, springs: &[Option<Spring>]) -> bool {
        if self.distance != LOOSE {
            return false;
        }
        let mut least = LOOSE;
        for spring in self.springs.iter().filter_map(|&spring| springs[spring].as_ref()) {
            least = least.min(spring.distance);
        }
        self.distance = least;
        least != LOOSE
    }

    /// Whether nothing holds it.
    pub fn is_loose(&self) -> bool {
        self.distance == LOOSE
    }
}

/// A node that stays where it is.
pub struct Anchor {
    /// Where it is.
    pub pos: [f32; 2],
}
impl Node for Anchor {
    fn place(&self) -> [f32; 2] {
        self.pos
    }
}

/// A node that pulls at its springs.
pub struct Puller {
    /// Where it is.
    pub pos: [f32; 2],
    /// Where it goes.
    pub vel: [f32; 2],
}
impl Node for Puller {
    fn place(&self) -> [f32; 2] {
        self.pos
    }
}

impl Puller {
    /// Moves on.
    pub fn pull(&mut self) {
        for k in 0..2 {
            self.pos[k] += self.vel[k];
        }
    }
}

/// A spring between two nodes.
pub struct Spring {
    /// One end.
    pub a: NodeLink,
    /// The other.
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

impl Spring {
    /// The force that it has now.
    pub fn stretch(&mut self, nodes: &Nodes) {
        if self.broken {
            return;
        }
        let (a, b) = (nodes.get(self.a).place(), nodes.get(self.b).place());
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
    pub fn carry(&mut self, nodes: &Nodes) {
        let nearest = nodes.get(self.a).depth().min(nodes.get(self.b).depth());
        self.distance = nearest.saturating_add(1);
    }
}

/// All nodes.
#[derive(Default)]
pub struct Nodes {
    /// Masses, of which some are gone.
    pub masses: Vec<Option<Mass>>,
    /// Nodes that stay.
    pub anchors: Vec<Anchor>,
    /// Nodes that pull.
    pub pullers: Vec<Puller>,
}

impl Nodes {
    /// The node of a link.
    pub fn get(&self, link: NodeLink) -> &dyn Node {
        match link {
            NodeLink::Mass(n) => self.masses[n].as_ref().expect("a spring goes with its nodes"),
            NodeLink::Anchor(n) => &self.anchors[n],
            NodeLink::Puller(n) => &self.pullers[n],
        }
    }
}

/// The sheet.
#[derive(Default)]
pub struct Sheet {
    /// What springs connect.
    pub nodes: Nodes,
    /// Springs, of which some are gone.
    pub springs: Vec<Option<Spring>>,
}

impl Sheet {
    /// Removes broken springs.
    pub fn part(&mut self) {
        for spring in &mut self.springs {
            spring.take_if(|spring| spring.broken);
        }
    }

    /// Removes loose masses, with their springs.
    pub fn fall(&mut self) {
        for spring in &mut self.springs {
            let nodes = &self.nodes;
            spring.take_if(|spring| [spring.a, spring.b].iter().any(|&end| nodes.get(end).depth() == LOOSE));
        }
        for mass in &mut self.nodes.masses {
            mass.take_if(|mass| mass.is_loose());
        }
    }
}
