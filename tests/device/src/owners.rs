//! Objects that go with others, and links in fields of all kinds: tents of a camp, ropes between poles, lamps and bags.

use ikra::prelude::*;

/// What ropes hold.
#[soa_dispatch(Pole, Peg)]
pub trait Held {
    #[kernel]
    fn shake(&mut self, by: u32);
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Pole {
    pub load: u32,
    #[inline_array(3)]
    pub ropes: InnerArray<Link<Rope>>,
    /// Poles that lean on another fall with it.
    #[soa(on_remove = "cascade")]
    pub leans: Option<Link<Pole>>,
}

#[soa_class(compact = 0.9)]
#[derive(Clone, Debug, PartialEq)]
pub struct Peg {
    pub load: u32,
    pub rope: Option<Link<Rope>>,
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Rope {
    #[soa(on_remove = "cascade")]
    pub a: HeldLink,
    #[soa(on_remove = "cascade")]
    pub b: HeldLink,
    pub tension: u32,
}

/// Links in a struct.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Ties {
    pub first: Option<Link<Rope>>,
    pub weight: f32,
    pub held: Option<HeldLink>,
}

#[soa_class(layout = "aos")]
#[derive(Clone, Debug, PartialEq)]
pub struct Lamp {
    pub ties: Ties,
    pub near: [Option<Link<Rope>>; 3],
    #[atomic]
    pub last: Option<Link<Rope>>,
    pub light: u32,
}

#[soa_class(layout = "tiles")]
#[derive(Clone, Debug, PartialEq)]
pub struct Bag {
    pub on: Option<HeldLink>,
    #[inline_array(2)]
    pub lamps: InnerArray<Option<Link<Lamp>>>,
    #[inline_array(0)]
    pub all: InnerArray<HeldLink>,
    pub books: u32,
}

fn hash(id: u32, seed: u32) -> u32 {
    let mixed = (id.wrapping_mul(0x9e37_79b9) ^ seed).wrapping_mul(0x85eb_ca6b);
    (mixed ^ mixed >> 15).wrapping_mul(0xc2b2_ae35) >> 8
}

#[soa_methods]
impl Pole {
    #[kernel]
    pub fn fall(&mut self, seed: u32, of_thousand: u32) {
        self.load += self.ropes.len() as u32;
        if hash(self.link().id(), seed) % 1000 < of_thousand {
            self.remove();
        }
    }
    /// Adds up what its ropes bear.
    #[kernel(snapshot(load))]
    pub fn bear(&mut self) {
        let mut load = 1;
        for rope in &self.ropes {
            load += rope.tension() % 7;
        }
        if let Some(other) = self.leans {
            load += other.load() / 2;
        }
        self.load = load;
    }
}

#[soa_methods]
impl Held for Pole {
    fn shake(&mut self, by: u32) {
        self.load += by;
    }
}

#[soa_methods]
impl Held for Peg {
    fn shake(&mut self, by: u32) {
        self.load ^= by;
    }
}

#[soa_methods]
impl Peg {
    #[kernel]
    pub fn pull_out(&mut self, seed: u32, of_thousand: u32) {
        if hash(self.link().id(), seed) % 1000 < of_thousand {
            self.remove();
        }
    }
}

#[soa_methods]
impl Rope {
    /// A number by which ropes are sorted.
    #[kernel]
    pub fn key(&self) -> u32 {
        hash(self.tension, 7) % 64
    }
    #[kernel]
    pub fn tear(&mut self, seed: u32, of_thousand: u32) {
        self.tension += 1;
        if hash(self.link().id(), seed) % 1000 < of_thousand {
            self.remove();
        }
    }
}

#[soa_methods]
impl Lamp {
    #[kernel]
    pub fn shine(&mut self) {
        self.light = self.light.wrapping_add(u32::from(self.last.load().is_some()));
        for rope in self.near.into_iter().flatten() {
            self.light = self.light.wrapping_mul(3).wrapping_add(rope.tension());
        }
        self.light ^= self.ties.first.map_or(0, Link::id);
    }
    /// New lamps beside old ones.
    #[kernel]
    pub fn part(&mut self, seed: u32, lamps: Spawn<Lamp>) {
        let drawn = hash(self.link().id(), seed) % 10;
        if drawn == 0 {
            self.remove();
        } else if drawn == 1 {
            lamps.push(Lamp { ties: self.ties, near: [None; 3], last: None, light: drawn });
        }
    }
}

/// Classes whose single field with links names a new object, or one of its own class.
#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Post {
    pub load: u32,
}
#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Knot {
    pub of: Option<Link<Post>>,
}
#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Hook {
    pub of: Link<Post>,
}
#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Ring {
    pub tone: u8,
    pub of: Option<Link<Ring>>,
}
#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Tag {
    pub of: [Link<Post>; 2],
    pub tone: u64,
}

#[soa_methods]
impl Post {
    /// Makes objects with links to others that it makes.
    #[kernel]
    pub fn hang(
        &mut self,
        seed: u32,
        posts: Spawn<Post>,
        knots: Spawn<Knot>,
        hooks: Spawn<Hook>,
        rings: Spawn<Ring>,
        tags: Spawn<Tag>,
    ) {
        let drawn = hash(self.link().id(), seed) % 10;
        if drawn < 3 {
            let post = posts.push(Post { load: drawn });
            knots.push(Knot { of: Some(if drawn == 0 { self.link() } else { post }) });
            hooks.push(Hook { of: if drawn == 1 { self.link() } else { post } });
            let ring = rings.push(Ring { tone: drawn as u8, of: None });
            rings.push(Ring { tone: 9, of: Some(ring) });
            tags.push(Tag { of: [post, self.link()], tone: u64::from(drawn) });
        }
    }
}

#[soa_methods]
impl Hook {
    #[kernel]
    pub fn open(&mut self, seed: u32) {
        if hash(self.link().id(), seed).is_multiple_of(10) {
            self.remove();
        }
    }
}

#[soa_world]
pub struct Camp {
    pub poles: Objects<Pole>,
    pub pegs: Objects<Peg>,
    pub ropes: Objects<Rope>,
    pub lamps: Objects<Lamp>,
    pub bags: Objects<Bag>,
    pub posts: Objects<Post>,
    pub knots: Objects<Knot>,
    pub hooks: Objects<Hook>,
    pub rings: Objects<Ring>,
    pub tags: Objects<Tag>,
}
