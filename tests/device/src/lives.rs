//! Objects that come and go: cows that die and have calves, their bells, and the patches on which they graze.

use ikra::prelude::*;

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Cow {
    pub energy: u32,
    pub pos: [f32; 2],
    pub mother: Option<Link<Cow>>,
    pub patch: Link<Patch>,
    pub mark: u8,
    pub wool: u64,
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    pub grass: u32,
    pub owner: Option<Link<Cow>>,
    #[atomic]
    pub visits: u32,
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Bell {
    pub cow: Option<Link<Cow>>,
    pub before: Option<Link<Bell>>,
    pub tone: u32,
}

/// A number that depends on the object and the step.
fn hash(id: u32, seed: u32) -> u32 {
    let mixed = (id.wrapping_mul(0x9e37_79b9) ^ seed).wrapping_mul(0x85eb_ca6b);
    (mixed ^ mixed >> 15).wrapping_mul(0xc2b2_ae35) >> 8
}

#[soa_methods]
impl Cow {
    /// Dies, has a calf, or has two, the second of which has a bell with a link to it.
    #[kernel]
    pub fn live(&mut self, seed: u32, deaths: u32, births: u32, young: Spawn<Cow>, bells: Spawn<Bell>) {
        let drawn = hash(self.link().id(), seed) % 1000;
        self.energy += 1;
        if drawn < deaths {
            self.remove();
        } else if drawn >= 1000 - births {
            let mark = self.mark.wrapping_add(drawn as u8);
            let (pos, wool) = (self.pos.map(|x| x + 0.5), self.wool.wrapping_mul(3) + u64::from(drawn));
            let calf = Cow { energy: 0, pos, mother: Some(self.link()), patch: self.patch.link(), mark, wool };
            let first = young.push(calf);
            if drawn.is_multiple_of(3) {
                let second =
                    young.push(Cow { energy: 7, pos, mother: Some(first), patch: self.patch.link(), mark, wool });
                bells.push(Bell { cow: Some(second), before: None, tone: drawn });
            }
        }
        self.wool = self.wool.wrapping_add(u64::from(drawn));
    }

    /// Removes, and makes nothing.
    #[kernel]
    pub fn cull(&mut self, seed: u32, of_thousand: u32) {
        if hash(self.link().id(), seed) % 1000 < of_thousand {
            self.remove();
        }
    }

    /// Changes no objects.
    #[kernel]
    pub fn graze(&mut self) {
        self.patch.visits().add(1);
        self.energy += self.patch.grass();
        self.pos[0] += 1.0;
    }

    #[kernel(snapshot(energy))]
    pub fn follow(&mut self) {
        if let Some(mother) = self.mother {
            self.energy = mother.energy() / 2 + 1;
        }
    }

    #[kernel(reduce(Sum))]
    pub fn weight(&self) -> f32 {
        self.pos[0] * 0.1 + self.energy as f32
    }

    /// Fails for one of them.
    #[kernel]
    pub fn fall(&mut self, id: u32, young: Spawn<Cow>) {
        if self.link().id() == id {
            panic!("it fell");
        }
        young.push(Cow { energy: 1, pos: [0.0; 2], mother: None, patch: self.patch.link(), mark: 0, wool: 0 });
        self.remove();
    }

    /// Makes objects in a loop, so that the host runs it.
    #[kernel]
    pub fn breed(&mut self, most: u32, young: Spawn<Cow>) {
        for n in 0..(self.link().id() % 3).min(most) {
            young.push(Cow { energy: n, pos: [n as f32; 2], mother: None, patch: self.patch.link(), mark: 1, wool: 5 });
        }
    }
}

#[soa_methods]
impl Bell {
    #[kernel]
    pub fn ring(&mut self, bells: Spawn<Bell>) {
        match self.cow {
            None => self.remove(),
            Some(cow) => {
                self.tone = self.tone.wrapping_add(cow.energy());
                if self.tone.is_multiple_of(11) {
                    bells.push(Bell { cow: Some(cow.link()), before: Some(self.link()), tone: 1 });
                }
            }
        }
    }
}

#[soa_methods]
impl Patch {
    /// Makes cows where there are none.
    #[kernel]
    pub fn settle(&mut self, young: Spawn<Cow>) {
        self.grass += 1;
        if self.owner.is_none() {
            young.push(Cow { energy: 3, pos: [0.0; 2], mother: None, patch: self.link(), mark: 0, wool: 1 });
        }
    }
}

/// What cows and bells have in common.
#[soa_dispatch(Cow, Bell)]
pub trait Counted {
    #[kernel]
    fn count(&mut self, by: u32);
}

#[soa_methods]
impl Counted for Cow {
    fn count(&mut self, by: u32) {
        self.energy += by;
    }
}

#[soa_methods]
impl Counted for Bell {
    fn count(&mut self, by: u32) {
        self.tone = self.tone.wrapping_add(2 * by);
    }
}

/// A class without holes.
#[soa_class(compact = 1.0)]
#[derive(Clone, Debug, PartialEq)]
pub struct Hen {
    pub age: u8,
    pub pos: [f64; 3],
    pub weight: u16,
    pub flat: bool,
    pub next: Option<Link<Hen>>,
    pub home: Option<Link<Nest>>,
}

/// One that gets dense from time to time.
#[soa_class(compact = 0.6)]
#[derive(Clone, Debug, PartialEq)]
pub struct Nest {
    pub hen: Option<Link<Hen>>,
    pub eggs: u32,
}

#[soa_methods]
impl Hen {
    #[kernel]
    pub fn live(&mut self, seed: u32, deaths: u32, young: Spawn<Hen>) {
        let drawn = hash(self.link().id(), seed) % 1000;
        self.age = self.age.wrapping_add(1);
        self.weight ^= drawn as u16;
        if drawn < deaths {
            self.remove();
        } else if drawn > 800 {
            let pos = self.pos.map(|x| x * 0.5);
            young.push(Hen {
                age: 0,
                pos,
                weight: 1,
                flat: drawn.is_multiple_of(2),
                next: Some(self.link()),
                home: None,
            });
        }
    }
}

#[soa_methods]
impl Hen {
    #[kernel]
    pub fn order(&self) -> u16 {
        self.weight
    }

    /// Builds a nest, whose link is wrong for one of them.
    #[kernel]
    pub fn build(&self, wrong: u32, nests: Spawn<Nest>) {
        let own = self.link();
        if self.age.is_multiple_of(2) {
            nests.push(Nest { hen: if own.id() == wrong { Link::from_id(1 << 20) } else { Some(own) }, eggs: 7 });
        }
    }
}

#[soa_methods]
impl Nest {
    #[kernel]
    pub fn keep(&mut self, seed: u32) {
        match self.hen {
            None if hash(self.link().id(), seed).is_multiple_of(4) => self.remove(),
            None => {}
            Some(hen) => self.eggs += u32::from(hen.age()) + 1,
        }
    }
}

#[soa_world]
pub struct Coop {
    pub nests: Objects<Nest>,
    pub hens: Objects<Hen>,
}

#[soa_world]
pub struct Farm {
    pub patches: Objects<Patch>,
    pub cows: Objects<Cow>,
    pub bells: Objects<Bell>,
}
