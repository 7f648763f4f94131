//! `repeat` and `repeat_while`, against loops.

use std::cell::Cell;

use ikra::{Error, Place, prelude::*};

use super::{on_threads, panic_of};

#[soa_class]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell2 {
    pub value: u32,
    pub next: Option<Link<Cell2>>,
    pub age: u32,
}

#[soa_methods]
impl Cell2 {
    #[kernel(snapshot(value))]
    pub fn mix(&mut self, by: u32) {
        let next = self.next.map_or(1, |next| next.value());
        self.value = self.value.wrapping_mul(31).wrapping_add(next ^ by);
    }
    #[kernel]
    pub fn grow(&mut self) {
        self.age += 1;
    }
    #[kernel(pairs)]
    pub fn meet(&mut self, other: Ref<Cell2>) {
        self.age = self.age.wrapping_add(other.value());
    }
    #[kernel]
    pub fn is_odd(&self) -> bool {
        self.value % 2 == 1
    }
    /// Makes an object if it has a certain value, and goes if it has another.
    #[kernel]
    pub fn live(&mut self, young: Spawn<Cell2>) {
        if self.value % 7 == 1 {
            young.push(Cell2 { value: self.value / 2, next: None, age: 0 });
        } else if self.value % 7 == 2 {
            self.remove();
        }
    }
    #[kernel]
    pub fn fail(&self, at: u32) {
        assert!(self.age < at, "too old");
    }
    #[kernel]
    pub fn home(&self) -> u32 {
        self.value % 5
    }
    #[kernel]
    pub fn crowd(&mut self, near: Groups<Cell2>) {
        self.age += near.of(self.home()).len() as u32;
    }
}

/// What concerns the whole loop: one object.
#[soa_class]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    pub goes_on: bool,
    #[atomic]
    pub any: bool,
    pub number: u32,
    pub sum: u32,
}

#[soa_methods]
impl Cell2 {
    #[kernel(reduce(Sum))]
    pub fn low_bits(&self, mask: u32) -> u32 {
        self.value & mask
    }
    #[kernel(reduce(Any))]
    pub fn is_young(&self, round: Ref<Round>) -> bool {
        self.age < 4 && round.number() < 100
    }
    /// Reads the sum that was stored before.
    #[kernel]
    pub fn add(&mut self, round: Ref<Round>) {
        self.value = self.value.wrapping_add(round.sum());
    }
    #[kernel]
    pub fn tell(&self, round: Ref<Round>, below: u32) {
        if round.number() < below {
            round.any().or(true);
        }
    }
}

#[soa_methods]
impl Round {
    #[kernel]
    pub fn next(&mut self) {
        self.number += 1;
    }
    #[kernel]
    pub fn hear(&mut self) {
        self.number += 1;
        self.goes_on = self.any.load();
        self.any.store(false);
    }
}

#[soa_world]
pub struct Dish {
    pub cells: Objects<Cell2>,
    pub rounds: Objects<Round>,
}

fn dish() -> Dish {
    let mut dish = Dish::new();
    let links: Vec<_> =
        dish.cells.extend((0..500).map(|n| Cell2 { value: n * 77, next: None, age: 0 })).unwrap().collect();
    for n in 0..500 {
        dish.set(links[n], cell2::next, Some(links[n * 13 % 500]));
    }
    dish
}

fn rows(dish: &Dish) -> Vec<Cell2> {
    dish.cells.iter().collect()
}

#[test]
fn repeating_is_a_loop() {
    on_threads(|| {
        for count in [0, 1, 2, 7] {
            let (mut dish, mut expected) = (dish(), dish());
            let calls = Cell::new(0);
            let link = dish.cells.links().nth(3).unwrap();
            dish.on(Place::Host)
                .repeat(count, |step| {
                    calls.set(calls.get() + 1);
                    step.execute(Cell2::mix, 5)?;
                    step.over(10..90).execute(Cell2::grow, ())?;
                    step.over(3..8).execute_pairs(Cell2::meet, ())
                })
                .unwrap();
            assert_eq!(calls.get(), 1, "recorded once, also to run it 0 times");
            for _ in 0..count {
                expected.execute(Cell2::mix, 5);
                expected.over(10..90).execute(Cell2::grow, ());
                expected.over(3..8).execute_pairs(Cell2::meet, ());
            }
            assert_eq!(rows(&dish), rows(&expected));
            // These cannot be recorded.
            dish.on(Place::Host)
                .repeat(count, |step| {
                    step.execute(Cell2::mix, 9)?;
                    step.select(Cell2::is_odd, ()).execute(Cell2::grow, ())?;
                    step.over(&[link]).execute(Cell2::grow, ())
                })
                .unwrap();
            for _ in 0..count {
                expected.execute(Cell2::mix, 9);
                expected.select(Cell2::is_odd, ()).execute(Cell2::grow, ());
                expected.over(&[link]).execute(Cell2::grow, ());
            }
            assert_eq!(rows(&dish), rows(&expected));
            let groups = [&mut dish, &mut expected].map(|dish| dish.group_by(Cell2::home, 5, ()).unwrap());
            dish.on(Place::Host).repeat(count, |step| step.execute(Cell2::crowd, &groups[0])).unwrap();
            for _ in 0..count {
                expected.execute(Cell2::crowd, &groups[1]);
            }
            assert_eq!(rows(&dish), rows(&expected));
            // Objects that come and go.
            dish.on(Place::Host)
                .repeat(count, |step| {
                    step.execute(Cell2::mix, 1)?;
                    step.execute(Cell2::live, ())
                })
                .unwrap();
            for _ in 0..count {
                expected.execute(Cell2::mix, 1);
                expected.execute(Cell2::live, ());
            }
            assert_eq!(rows(&dish), rows(&expected));
            assert!(count < 2 || dish.cells.len() != 500);
        }
    });
}

#[test]
fn errors_and_panics_end_the_loop() {
    let mut dish = dish();
    let error = dish.on(Place::Host).repeat(3, |step| step.over(400..600).execute(Cell2::grow, ())).unwrap_err();
    assert!(matches!(error, Error::OutOfRange { .. }), "{error}");
    let message = panic_of(|| {
        dish.on(Place::Host).repeat(9, |step| {
            step.execute(Cell2::grow, ())?;
            step.execute(Cell2::fail, 4)
        })
    });
    assert!(message.contains("too old"), "{message}");
    assert!(dish.cells.iter().all(|row| row.age == 4));
    dish.on(Place::Host).repeat(2, |step| step.execute(Cell2::grow, ())).unwrap();
    assert!(dish.cells.iter().all(|row| row.age == 6));
    let error = dish.on(Place::Host).record(|sim| sim.repeat(2, |step| step.execute(Cell2::grow, ()))).unwrap_err();
    assert!(matches!(error, Error::NotRecordable { .. }), "{error}");
}

fn round(dish: &mut Dish) -> Link<Round> {
    dish.rounds.push(Round { goes_on: true, any: false, number: 0, sum: 0 }).unwrap()
}

#[test]
fn a_field_ends_the_loop() {
    on_threads(|| {
        let (mut dish, mut expected) = (dish(), dish());
        let (link, same) = (round(&mut dish), round(&mut expected));
        let steps = dish
            .on(Place::Host)
            .repeat_while(link, round::goes_on, 50, |step| {
                step.reduce_into(Cell2::low_bits, 255, Sum, link, round::sum)?;
                step.execute(Cell2::add, link)?;
                step.execute(Cell2::grow, ())?;
                step.execute(Round::next, ())?;
                step.over(2..90).reduce_into(Cell2::is_young, link, Any, link, round::goes_on)
            })
            .unwrap();
        let mut count = 0;
        while expected.get(same).goes_on() && count < 50 {
            let sum = expected.execute_and_reduce(Cell2::low_bits, 255, Sum);
            expected.set(same, round::sum, sum);
            expected.execute(Cell2::add, same);
            expected.execute(Cell2::grow, ());
            expected.execute(Round::next, ());
            let is_young = expected.over(2..90).execute_and_reduce(Cell2::is_young, same, Any);
            expected.set(same, round::goes_on, is_young);
            count += 1;
        }
        assert_eq!((steps, count), (4, 4));
        assert_eq!(rows(&dish), rows(&expected));
        assert_eq!(dish.rounds.read(link).unwrap(), expected.rounds.read(same).unwrap());
    });
}

#[test]
fn loops_have_limits_and_may_not_begin() {
    let mut dish = dish();
    let link = round(&mut dish);
    let tell = |dish: &mut Dish, most, below| {
        dish.on(Place::Host).repeat_while(link, round::goes_on, most, |step| {
            step.execute(Cell2::tell, (link, below))?;
            step.execute(Round::hear, ())
        })
    };
    assert_eq!(tell(&mut dish, 0, 9).unwrap(), 0);
    assert_eq!(tell(&mut dish, 5, 9).unwrap(), 5);
    assert_eq!((dish.get(link).number(), dish.get(link).goes_on()), (5, true));
    assert_eq!(tell(&mut dish, u64::MAX, 9).unwrap(), 5, "the tenth iteration hears nothing");
    assert_eq!(tell(&mut dish, u64::MAX, 99).unwrap(), 0, "the field is false");
    // An object that does not exist, an error and a panic of an iteration.
    let error =
        dish.on(Place::Host).repeat_while(Link::from_id(2).unwrap(), round::goes_on, 1, |_| Ok(())).unwrap_err();
    assert!(matches!(error, Error::NotInWorld { class: "Round", .. }), "{error}");
    let error =
        dish.on(Place::Host).reduce_into(Cell2::low_bits, 1, Sum, Link::from_id(2).unwrap(), round::sum).unwrap_err();
    assert!(matches!(error, Error::NotInWorld { class: "Round", .. }), "{error}");
    dish.set(link, round::goes_on, true);
    let error = dish
        .on(Place::Host)
        .repeat_while(link, round::goes_on, 3, |step| step.over(400..600).execute(Cell2::grow, ()))
        .unwrap_err();
    assert!(matches!(error, Error::OutOfRange { .. }), "{error}");
    let message = panic_of(|| {
        dish.on(Place::Host).repeat_while(link, round::goes_on, 9, |step| {
            step.execute(Cell2::grow, ())?;
            step.execute(Cell2::fail, 4)
        })
    });
    assert!(message.contains("too old"), "{message}");
    assert!(dish.cells.iter().all(|row| row.age == 4), "the fourth iteration failed");
    let error = dish
        .on(Place::Host)
        .record(|sim| sim.repeat_while(link, round::goes_on, 2, |step| step.execute(Cell2::grow, ())).map(drop))
        .unwrap_err();
    assert!(matches!(error, Error::NotRecordable { .. }), "{error}");
}

/// The number of objects changes within the loop, and storage grows.
#[test]
fn objects_come_and_go_in_loops() {
    on_threads(|| {
        let (mut dish, mut expected) = (dish(), dish());
        let (link, same) = (round(&mut dish), round(&mut expected));
        let steps = dish
            .on(Place::Host)
            .repeat_while(link, round::goes_on, 1000, |step| {
                step.execute(Cell2::mix, 3)?;
                step.execute(Cell2::live, ())?;
                step.reduce_into(Cell2::low_bits, 7, Sum, link, round::sum)?;
                step.execute(Cell2::tell, (link, 12))?;
                step.execute(Round::hear, ())
            })
            .unwrap();
        for _ in 0..13 {
            expected.execute(Cell2::mix, 3);
            expected.execute(Cell2::live, ());
        }
        assert_eq!(steps, 13);
        assert_eq!(rows(&dish), rows(&expected));
        let sum = expected.execute_and_reduce(Cell2::low_bits, 7, Sum);
        assert_eq!((dish.get(link).sum(), dish.get(link).number()), (sum, 13));
        assert!(dish.cells.len() != 500 && expected.get(same).number() == 0);
    });
}
