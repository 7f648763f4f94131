//! Every atomic, from other objects.

use ikra::prelude::*;

#[soa_class]
pub struct Place {
    #[atomic]
    pub a: u32,
    #[atomic]
    pub b: i32,
    #[atomic]
    pub c: u64,
    #[atomic]
    pub d: i64,
    #[atomic]
    pub e: f32,
    #[atomic]
    pub f: f64,
    #[atomic]
    pub g: bool,
    #[atomic]
    pub owner: Option<Link<Walker>>,
    #[atomic]
    pub best: Link<Walker>,
}

#[soa_class]
pub struct Walker {
    pub goal: Link<Place>,
    pub won: bool,
}

#[soa_methods]
impl Walker {
    // The sums are of powers of two, which are not rounded.
    #[kernel(unordered(e, f))]
    pub fn claim(&self) {
        let goal = self.goal;
        goal.a().add(1);
        goal.b().sub(1);
        goal.c().max(7);
        goal.d().min(-7);
        goal.e().add(0.5);
        goal.f().add(0.25);
        goal.g().or(true);
        goal.owner().claim(self.link());
        goal.best().min(self.link());
    }
    #[kernel]
    pub fn check(&mut self) {
        self.won = self.goal.owner().load() == Some(self.link());
    }
}

#[soa_methods]
impl Place {
    #[kernel]
    pub fn clear(&mut self) {
        self.owner.store(None);
        self.a.store(0);
    }
}

#[soa_world]
pub struct Field {
    pub places: Objects<Place>,
    pub walkers: Objects<Walker>,
}

#[test]
fn every_atomic() {
    let mut field = Field::new();
    let walkers: Vec<_> = field.walkers.reserve(10).unwrap().collect();
    let place = Place { a: 0, b: 0, c: 0, d: 0, e: 0.0, f: 0.0, g: false, owner: None, best: walkers[9] };
    let place = field.places.push(place).unwrap();
    for &walker in &walkers {
        field.walkers.init(walker, Walker { goal: place, won: false }).unwrap();
    }
    field.execute(Walker::claim, ());
    field.execute(Walker::check, ());
    let row = field.places.read(place).unwrap();
    assert_eq!((row.a, row.b, row.c, row.d), (10, -10, 7, -7));
    assert_eq!((row.e, row.f, row.g), (5.0, 2.5, true));
    assert_eq!((row.owner, row.best), (Some(walkers[0]), walkers[0]));
    let won: Vec<_> = field.walkers.iter().map(|walker| walker.won).collect();
    assert_eq!(won, [true, false, false, false, false, false, false, false, false, false]);
    field.execute(Place::clear, ());
    assert_eq!(field.get(place).owner().load(), None);
}
