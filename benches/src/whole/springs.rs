//! Nodes of a sheet and the springs between them: each node has an inner array of links to its springs.

use ikra::prelude::*;

use super::{Model, mix, uniform};

/// Seconds per step.
const DT: f32 = 0.01;

/// A mass.
#[soa_class]
pub struct Node {
    /// Where it is.
    pub pos: [f32; 2],
    /// Where it moves.
    pub vel: [f32; 2],
    /// Whether it hangs on the wall.
    pub fixed: bool,
    /// The springs at it.
    #[inline_array(8)]
    pub springs: InnerArray<Link<Spring>>,
}

/// A spring.
#[soa_class]
pub struct Spring {
    /// One end.
    pub a: Link<Node>,
    /// The other end.
    pub b: Link<Node>,
    /// Its length without a force.
    pub length: f32,
    /// The force on its first end.
    pub force: [f32; 2],
}

#[inline]
fn force(d: [f32; 2], rest: f32) -> [f32; 2] {
    let length = (d[0] * d[0] + d[1] * d[1]).sqrt();
    d.map(|d| 50.0 * (length - rest) * d / length)
}

#[soa_methods]
impl Spring {
    /// Pulls its ends.
    #[kernel]
    pub fn stretch(&mut self) {
        let (a, b) = (self.a.pos(), self.b.pos());
        self.force = force([b[0] - a[0], b[1] - a[1]], self.length);
    }
}

#[soa_methods]
impl Node {
    /// Moves, if springs pull.
    #[kernel]
    pub fn advance(&mut self) {
        if self.fixed {
            return;
        }
        let mut sum = [0.0, 0.01];
        for spring in &self.springs {
            let sign = if spring.a().link() == self.link() { 1.0 } else { -1.0 };
            for k in 0..2 {
                sum[k] += sign * spring.force()[k];
            }
        }
        for k in 0..2 {
            self.vel[k] = (self.vel[k] + DT * sum[k]) * 0.999;
            self.pos[k] += DT * self.vel[k];
        }
    }
}

/// The world.
#[soa_world]
pub struct Sheet {
    /// Row by row.
    pub nodes: Objects<Node>,
    /// In the order of their first ends.
    pub springs: Objects<Spring>,
}

struct TwinNode {
    pos: [f32; 2],
    vel: [f32; 2],
    fixed: bool,
    springs: Vec<u32>,
}

struct TwinSpring {
    a: u32,
    b: u32,
    length: f32,
    force: [f32; 2],
}

/// The same in plain Rust.
pub struct Twin {
    nodes: Vec<TwinNode>,
    springs: Vec<TwinSpring>,
}

/// The model.
pub struct Springs;

impl Model for Springs {
    const NAME: &str = "springs";
    type World = Sheet;
    type Twin = Twin;

    fn make(scale: usize) -> (Sheet, Twin) {
        let (side, count) = (245 * scale.max(4) / 100, (245 * scale.max(4) / 100).pow(2));
        let pos = |n: usize| [(n % side) as f32 + 0.2 * uniform(n), (n / side) as f32 + 0.2 * uniform(n + 1)];
        let mut springs = Vec::new();
        let mut of_node = vec![Vec::new(); count];
        for n in 0..count {
            let (x, y) = (n % side, n / side);
            let next =
                [(1, 0), (0, 1), (1, 1)].map(|(dx, dy)| (x + dx < side && y + dy < side).then(|| n + dx + dy * side));
            let last = (x > 0 && y + 1 < side).then(|| n + side - 1);
            for b in next.into_iter().chain([last]).flatten() {
                of_node[n].push(springs.len() as u32);
                of_node[b].push(springs.len() as u32);
                let length = if b == n + 1 || b == n + side { 1.0 } else { std::f32::consts::SQRT_2 };
                springs.push(TwinSpring { a: n as u32, b: b as u32, length, force: [0.0; 2] });
            }
        }
        let mut sheet = Sheet::new();
        let nodes: Vec<_> = sheet.nodes.reserve(count).expect("memory").collect();
        let row = |spring: &TwinSpring| Spring {
            a: nodes[spring.a as usize],
            b: nodes[spring.b as usize],
            length: spring.length,
            force: [0.0; 2],
        };
        let links: Vec<_> = sheet.springs.extend(springs.iter().map(row)).expect("memory").collect();
        for n in 0..count {
            let springs = of_node[n].iter().map(|&spring| links[spring as usize]).collect();
            sheet.nodes.init(nodes[n], Node { pos: pos(n), vel: [0.0; 2], fixed: n < side, springs }).expect("all");
        }
        let node = |(n, springs)| TwinNode { pos: pos(n), vel: [0.0; 2], fixed: n < side, springs };
        (sheet, Twin { nodes: of_node.into_iter().enumerate().map(node).collect(), springs })
    }

    fn step(sheet: &mut Sheet, _: u32) {
        sheet.execute(Spring::stretch, ());
        sheet.execute(Node::advance, ());
    }

    fn twin_step(twin: &mut Twin, _: u32) {
        for spring in &mut twin.springs {
            let (a, b) = (twin.nodes[spring.a as usize].pos, twin.nodes[spring.b as usize].pos);
            spring.force = force([b[0] - a[0], b[1] - a[1]], spring.length);
        }
        for (n, node) in twin.nodes.iter_mut().enumerate() {
            if node.fixed {
                continue;
            }
            let mut sum = [0.0, 0.01];
            for &spring in &node.springs {
                let spring = &twin.springs[spring as usize];
                let sign = if spring.a == n as u32 { 1.0 } else { -1.0 };
                for k in 0..2 {
                    sum[k] += sign * spring.force[k];
                }
            }
            for k in 0..2 {
                node.vel[k] = (node.vel[k] + DT * sum[k]) * 0.999;
                node.pos[k] += DT * node.vel[k];
            }
        }
    }

    fn digest(sheet: &Sheet) -> u64 {
        mix(sheet
            .nodes
            .column(node::pos)
            .iter()
            .map(|pos| u64::from(pos[0].to_bits()) + (u64::from(pos[1].to_bits()) << 32)))
    }

    fn twin_digest(twin: &Twin) -> u64 {
        mix(twin.nodes.iter().map(|node| u64::from(node.pos[0].to_bits()) + (u64::from(node.pos[1].to_bits()) << 32)))
    }
}
