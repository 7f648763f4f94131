//! The streets and actors at the beginning, made at random.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use ikra::rng::Random;

use crate::model::LONGEST_WAY;
use crate::plain::{PlainActor, PlainBus, PlainCar, PlainPedestrian, PlainStreet};

/// The most streets that leave a junction: as many as the class has slots for.
const MOST_WAYS: u32 = 4;

/// All objects of the program.
pub(crate) struct City {
    pub(crate) streets: Vec<Rc<PlainStreet>>,
    pub(crate) actors: Vec<Rc<dyn PlainActor>>,
}

impl City {
    /// The city for a seed: whenever it is made, its objects have equal values and equal links.
    pub(crate) fn new(streets: u32, actors: u32, seed: u64) -> Self {
        // Streets and actors draw different numbers.
        let of_street = |n| Random::new(seed, n, 0);
        let of_actor = |n| Random::new(seed, n, 1);
        let new_street = |n| {
            let length = LONGEST_WAY + 170.0 * of_street(n).uniform_f32();
            Rc::new(PlainStreet { name: format!("{n}{} Street", ending(n)), length, onward: RefCell::default() })
        };
        let streets: Vec<_> = (1..=streets).map(new_street).collect();
        let any = |random: &mut Random| &streets[random.below(streets.len() as u32) as usize];
        for (n, street) in (1..).zip(&streets) {
            let mut random = of_street(n);
            let _length = random.next_u32();
            let ways = random.below(MOST_WAYS + 1);
            *street.onward.borrow_mut() = (0..ways).map(|_| Rc::downgrade(any(&mut random))).collect();
        }
        let new_actor = |n| -> Rc<dyn PlainActor> {
            let mut random = of_actor(n);
            let street = Rc::clone(any(&mut random));
            let progress = Cell::new(street.length * random.uniform_f32());
            let street = RefCell::new(street);
            let share = random.uniform_f32();
            let state = Cell::new(random.next_u32());
            match random.below(10) {
                0..5 => Rc::new(PlainCar { street, progress, max_velocity: 10.0 + 20.0 * share, random: state }),
                5 => {
                    let (max_velocity, waits) = (8.0 + 6.0 * share, Cell::new(0));
                    Rc::new(PlainBus { street, progress, max_velocity, random: state, waits })
                }
                _ => Rc::new(PlainPedestrian { street, progress, max_velocity: 1.0 + share, random: state }),
            }
        };
        let actors = (1..=actors).map(new_actor).collect();
        Self { streets, actors }
    }
}

/// The ending of an ordinal number.
fn ending(n: u32) -> &'static str {
    match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    }
}
