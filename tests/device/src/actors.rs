//! Objects of several classes: calls through links in columns, in inner arrays and in atomic fields, and kernels of a trait.

use ikra::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Value)]
#[repr(u8)]
pub enum Weather {
    Sunny,
    Rainy,
}

#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Body {
    pub pos: f32,
    pub vel: f32,
}
impl Body {
    pub fn advance(&mut self, dt: f32) {
        self.pos += self.vel * dt;
    }
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Car {
    #[soa(flatten)]
    pub body: Body,
    pub max: u32,
    pub felt: u32,
    pub target: ActorLink,
    pub far: FarLink,
}

#[soa_class(layout = "tiles")]
#[derive(Clone, Debug, PartialEq)]
pub struct Pedestrian {
    #[soa(flatten)]
    pub body: Body,
    pub steps: u32,
    pub felt: u32,
    pub target: Option<ActorLink>,
    pub far: Option<FarLink>,
    #[inline_array(2)]
    pub friends: InnerArray<ActorLink>,
}

#[soa_class(layout = "aos")]
#[derive(Clone, Debug, PartialEq)]
pub struct Bus {
    #[soa(flatten)]
    pub body: Body,
    pub seats: u32,
    pub felt: u32,
    #[atomic]
    pub first: Option<ActorLink>,
    #[atomic]
    pub last: FarLink,
}

#[soa_dispatch(Car, Pedestrian, Bus)]
pub trait Actor {
    const WHEELS: u32 = 0;

    #[kernel]
    fn drive(&mut self, weather: Weather, dt: f32);

    /// Reads another object, of any class.
    #[kernel]
    fn feel(&mut self, at: Ref<Actor>);

    #[kernel(reduce(Sum, Max))]
    fn weight(&self, factor: u32) -> u32 {
        // Few bits, so that sums have room.
        self.size(factor).wrapping_mul(Self::WHEELS + 1) & 0xffff
    }

    fn size(&self, factor: u32) -> u32;

    fn wheels(&self) -> u32 {
        Self::WHEELS
    }

    fn next(&self) -> Option<Ref<Actor>> {
        None
    }

    fn place(&self) -> f32 {
        self.body.pos
    }
}

/// The trait with links of 8 bytes.
#[soa_dispatch(Bus, Car, wide)]
pub trait Far: Actor {
    fn far_size(&self) -> u32;
}

#[soa_methods]
impl Actor for Car {
    const WHEELS: u32 = 4;
    fn drive(&mut self, weather: Weather, dt: f32) {
        (&mut self.body).advance(if weather == Weather::Rainy { dt * 0.5 } else { dt });
    }
    fn feel(&mut self, at: Ref<Actor>) {
        self.felt = self.target.size(3) ^ at.size(1) ^ self.far.far_size() ^ self.far.wheels();
        if let Some(next) = self.target.next() {
            self.felt = self.felt.wrapping_add(next.size(5));
        }
    }
    fn size(&self, factor: u32) -> u32 {
        self.max.wrapping_mul(factor)
    }
    fn next(&self) -> Option<Ref<Actor>> {
        Some(self.target)
    }
}
#[soa_methods]
impl Far for Car {
    fn far_size(&self) -> u32 {
        self.max ^ 0x5555
    }
}

#[soa_methods]
impl Actor for Pedestrian {
    fn drive(&mut self, _: Weather, dt: f32) {
        (&mut self.body).advance(dt);
        self.steps += 1;
    }
    fn feel(&mut self, at: Ref<Actor>) {
        let friends = self.friends.iter().map(|friend| friend.size(7)).fold(0, u32::wrapping_add);
        self.felt = friends ^ at.wheels() ^ self.far.map_or(0, |far| far.size(2));
        self.felt = match self.target {
            None => self.felt,
            Some(actor) => match actor.class() {
                ActorIs::Car(car) => self.felt.wrapping_add(car.max()),
                ActorIs::Pedestrian(other) => self.felt.wrapping_sub(other.steps()),
                ActorIs::Bus(bus) => self.felt ^ bus.seats(),
            },
        };
    }
    fn size(&self, factor: u32) -> u32 {
        self.steps.wrapping_add(factor)
    }
    fn next(&self) -> Option<Ref<Actor>> {
        self.target
    }
}

#[soa_methods]
impl Actor for Bus {
    const WHEELS: u32 = 6;
    fn drive(&mut self, _: Weather, dt: f32) {
        (&mut self.body).advance(-dt);
    }
    fn feel(&mut self, at: Ref<Actor>) {
        self.felt = at.next().map_or(9, |next| next.wheels());
    }
    fn size(&self, factor: u32) -> u32 {
        self.seats ^ factor
    }
}
#[soa_methods]
impl Far for Bus {
    fn far_size(&self) -> u32 {
        self.seats
    }
}

#[soa_methods]
impl Car {
    /// The first and the last car that reach a bus.
    #[kernel]
    pub fn board(&mut self, bus: Link<Bus>) {
        let bus = self.resolve(bus);
        bus.first().claim(self.link().into());
        bus.last().max(self.link().into());
    }
    /// Continues to its target's target.
    #[kernel(snapshot(target))]
    pub fn turn(&mut self) {
        if let Some(next) = self.target.next() {
            self.target = next;
        }
    }
    /// Nothing but one call.
    #[kernel]
    pub fn ask(&mut self) {
        self.felt = self.target.size(1);
    }
    /// The class, by its bits alone.
    #[kernel]
    pub fn count(&mut self) {
        self.felt = self.target.wheels();
    }
}

#[soa_world]
pub struct Town {
    pub cars: Objects<Car>,
    pub pedestrians: Objects<Pedestrian>,
    pub buses: Objects<Bus>,
}
