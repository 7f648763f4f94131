//! The ordinary program: streets and actors in `Rc`s, whose links are pointers, and virtual calls.
//!
//! It would run without Ikra. Only `derive(Trace)` and the supertrait `TraceAs` say that its objects can be traced.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use ikra::trace::{Trace, TraceAs};

use crate::model::{self, Bus, Car, Pedestrian, SECONDS, STOP, Street, Weather};

/// A street in one direction.
#[derive(Trace)]
#[trace(class = Street)]
pub(crate) struct PlainStreet {
    /// The sign at its beginning. No kernel reads it, so it is not traced.
    #[trace(skip)]
    pub(crate) name: String,
    /// In metres.
    pub(crate) length: f32,
    /// The streets that leave the junction at its end.
    pub(crate) onward: RefCell<Vec<Weak<PlainStreet>>>,
}

/// A car.
#[derive(Trace)]
#[trace(class = Car)]
pub(crate) struct PlainCar {
    pub(crate) street: RefCell<Rc<PlainStreet>>,
    pub(crate) progress: Cell<f32>,
    pub(crate) max_velocity: f32,
    pub(crate) random: Cell<u32>,
}

/// A bus.
#[derive(Trace)]
#[trace(class = Bus)]
pub(crate) struct PlainBus {
    pub(crate) street: RefCell<Rc<PlainStreet>>,
    pub(crate) progress: Cell<f32>,
    pub(crate) max_velocity: f32,
    pub(crate) random: Cell<u32>,
    pub(crate) waits: Cell<u32>,
}

/// A pedestrian.
#[derive(Trace)]
#[trace(class = Pedestrian)]
pub(crate) struct PlainPedestrian {
    pub(crate) street: RefCell<Rc<PlainStreet>>,
    pub(crate) progress: Cell<f32>,
    pub(crate) max_velocity: f32,
    pub(crate) random: Cell<u32>,
}

/// An actor that moves along streets.
pub(crate) trait PlainActor: TraceAs<model::Actor> {
    /// The name of its class.
    fn class(&self) -> &'static str;
    fn street(&self) -> &RefCell<Rc<PlainStreet>>;
    /// Metres from the beginning of the street.
    fn progress(&self) -> &Cell<f32>;
    /// In metres per second.
    fn max_velocity(&self) -> f32;
    /// The state of its random numbers.
    fn random(&self) -> &Cell<u32>;
    /// Ticks until it moves on.
    fn waits(&self) -> u32 {
        0
    }

    /// Moves for a second.
    fn tick(&self, weather: Weather);

    /// A random number.
    fn draw(&self) -> u32 {
        let (state, number) = model::random(self.random().get());
        self.random().set(state);
        number
    }

    /// Moves by some metres. Returns whether it is in another street then, or has turned around.
    fn go(&self, metres: f32) -> bool {
        let street = Rc::clone(&self.street().borrow());
        let progress = self.progress().get() + metres;
        if progress < street.length {
            self.progress().set(progress.max(0.0));
            return false;
        }
        self.progress().set(progress - street.length);
        let onward = street.onward.borrow();
        if !onward.is_empty() {
            let next = onward[self.draw() as usize % onward.len()].upgrade().expect("the city owns all streets");
            *self.street().borrow_mut() = next;
        }
        true
    }
}

/// The fields that all actors have.
macro_rules! common {
    ($class:literal) => {
        fn class(&self) -> &'static str {
            $class
        }
        fn street(&self) -> &RefCell<Rc<PlainStreet>> {
            &self.street
        }
        fn progress(&self) -> &Cell<f32> {
            &self.progress
        }
        fn max_velocity(&self) -> f32 {
            self.max_velocity
        }
        fn random(&self) -> &Cell<u32> {
            &self.random
        }
    };
}

impl PlainActor for PlainCar {
    common!("car");

    fn tick(&self, weather: Weather) {
        self.go(self.max_velocity * weather.grip() * SECONDS);
    }
}

impl PlainActor for PlainBus {
    common!("bus");

    fn waits(&self) -> u32 {
        self.waits.get()
    }

    fn tick(&self, weather: Weather) {
        if self.waits.get() > 0 {
            self.waits.set(self.waits.get() - 1);
        } else if self.go(self.max_velocity * weather.grip() * SECONDS) && self.draw().is_multiple_of(2) {
            self.waits.set(STOP);
        }
    }
}

impl PlainActor for PlainPedestrian {
    common!("pedestrian");

    fn tick(&self, _: Weather) {
        let share = (self.draw() >> 8) as f32 * (1.5 / 16_777_216.0) - 0.5;
        self.go(share * self.max_velocity * SECONDS);
    }
}
