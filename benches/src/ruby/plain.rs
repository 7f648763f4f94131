//! The same objects in ordinary Rust: in columns, in rows, and in `Rc`s.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use super::{GRIP, Kind, Row, STOP, STREETS, advanced, kind, next, row, street, stroll};

/// An object's street, progress, random numbers and waiting time.
pub type State = (u32, u32, u32, u32);

/// Streets of the programs by hand: lengths and next streets.
#[derive(Clone, Debug)]
pub struct Streets {
    lengths: Vec<f32>,
    next: Vec<u32>,
}

impl Default for Streets {
    fn default() -> Self {
        let (lengths, next) = (0..STREETS).map(street).unzip();
        Self { lengths, next }
    }
}

impl Streets {
    #[inline(always)]
    fn go(&self, street: &mut u32, progress: &mut f32, metres: f32) -> bool {
        let (at, is_on) = advanced(*progress, metres, self.lengths[*street as usize]);
        *progress = at;
        if is_on {
            *street = self.next[*street as usize];
        }
        is_on
    }
    #[inline(always)]
    fn car(&self, street: &mut u32, progress: &mut f32, max_velocity: f32) {
        self.go(street, progress, max_velocity * GRIP);
    }
    #[inline(always)]
    fn bus(&self, street: &mut u32, progress: &mut f32, max_velocity: f32, waits: &mut u32) {
        if *waits > 0 {
            *waits -= 1;
        } else if self.go(street, progress, max_velocity * GRIP) {
            *waits = STOP;
        }
    }
    #[inline(always)]
    fn pedestrian(&self, street: &mut u32, progress: &mut f32, max_velocity: f32, random: &mut u32) {
        *random = next(*random);
        self.go(street, progress, stroll(*random, max_velocity));
    }
}

/// Objects of one class in columns. Fields that no kernel reads are in columns of their own, which do not matter.
#[derive(Clone, Debug, Default)]
struct Columns {
    street: Vec<u32>,
    progress: Vec<f32>,
    max_velocity: Vec<f32>,
    random: Vec<u32>,
    waits: Vec<u32>,
}

impl Columns {
    fn push(&mut self, row: Row) {
        self.street.push(row.street);
        self.progress.push(row.progress);
        self.max_velocity.push(row.max_velocity);
        self.random.push(row.random);
        self.waits.push(row.waits);
    }
    fn state(&self, n: usize) -> State {
        (self.street[n], self.progress[n].to_bits(), self.random[n], self.waits[n])
    }
}

/// Objects in columns, and a list of them: the class of each, and its number within the class.
#[derive(Clone, Debug, Default)]
pub struct InColumns {
    streets: Streets,
    /// Of cars, buses and pedestrians.
    classes: [Columns; 3],
    list: Vec<(Kind, u32)>,
}

impl InColumns {
    /// `n` objects.
    pub fn new(n: u32) -> Self {
        let mut all = Self::default();
        for object in 0..n {
            let class = &mut all.classes[kind(object) as usize];
            all.list.push((kind(object), class.street.len() as u32));
            class.push(row(object));
        }
        all
    }

    /// Moves all objects, class by class.
    pub fn by_class(&mut self) {
        let Self { streets, classes: [cars, buses, walkers], .. } = self;
        for ((street, progress), &max_velocity) in
            cars.street.iter_mut().zip(&mut cars.progress).zip(&cars.max_velocity)
        {
            streets.car(street, progress, max_velocity);
        }
        let columns = buses.street.iter_mut().zip(&mut buses.progress).zip(&buses.max_velocity).zip(&mut buses.waits);
        for (((street, progress), &max_velocity), waits) in columns {
            streets.bus(street, progress, max_velocity, waits);
        }
        let columns = walkers.street.iter_mut().zip(&mut walkers.progress).zip(&walkers.max_velocity);
        for (((street, progress), &max_velocity), random) in columns.zip(&mut walkers.random) {
            streets.pedestrian(street, progress, max_velocity, random);
        }
    }

    /// Moves all objects in the order of the list.
    pub fn as_they_come(&mut self) {
        let Self { streets, classes: [cars, buses, walkers], list } = self;
        for &(kind, n) in &*list {
            let n = n as usize;
            match kind {
                Kind::Car => streets.car(&mut cars.street[n], &mut cars.progress[n], cars.max_velocity[n]),
                Kind::Bus => {
                    let (street, progress) = (&mut buses.street[n], &mut buses.progress[n]);
                    streets.bus(street, progress, buses.max_velocity[n], &mut buses.waits[n]);
                }
                Kind::Pedestrian => {
                    let (street, progress) = (&mut walkers.street[n], &mut walkers.progress[n]);
                    streets.pedestrian(street, progress, walkers.max_velocity[n], &mut walkers.random[n]);
                }
            }
        }
    }

    /// The states of all objects by their numbers.
    pub fn states(&self) -> Vec<State> {
        self.list.iter().map(|&(kind, n)| self.classes[kind as usize].state(n as usize)).collect()
    }
}

impl Row {
    #[inline(always)]
    fn tick(&mut self, kind: Kind, streets: &Streets) {
        let Self { street, progress, max_velocity, random, waits, .. } = self;
        match kind {
            Kind::Car => streets.car(street, progress, *max_velocity),
            Kind::Bus => streets.bus(street, progress, *max_velocity, waits),
            Kind::Pedestrian => streets.pedestrian(street, progress, *max_velocity, random),
        }
    }
    fn state(&self) -> State {
        (self.street, self.progress.to_bits(), self.random, self.waits)
    }
}

/// Objects in rows, either by class or as they come.
#[derive(Clone, Debug)]
pub struct InRows {
    streets: Streets,
    /// Of cars, buses and pedestrians.
    classes: [Vec<Row>; 3],
    /// All objects, each with its class: an enum by hand.
    mixed: Vec<(Kind, Row)>,
}

impl InRows {
    /// `n` objects, twice.
    pub fn new(n: u32) -> Self {
        let mixed: Vec<_> = (0..n).map(|object| (kind(object), row(object))).collect();
        let of = |wanted| mixed.iter().filter(|(kind, _)| *kind == wanted).map(|(_, row)| *row).collect();
        let classes = [Kind::Car, Kind::Bus, Kind::Pedestrian].map(of);
        Self { streets: Streets::default(), classes, mixed }
    }

    /// Moves the objects that are in order of class.
    pub fn by_class(&mut self) {
        let Self { streets, classes: [cars, buses, walkers], .. } = self;
        cars.iter_mut().for_each(|row| row.tick(Kind::Car, streets));
        buses.iter_mut().for_each(|row| row.tick(Kind::Bus, streets));
        walkers.iter_mut().for_each(|row| row.tick(Kind::Pedestrian, streets));
    }

    /// Moves the objects that are in no order.
    pub fn as_they_come(&mut self) {
        self.mixed.iter_mut().for_each(|(kind, row)| row.tick(*kind, &self.streets));
    }

    /// The states of the objects that are in order of class, by their numbers, and those of the others.
    pub fn states(&self) -> [Vec<State>; 2] {
        let mut by_class: Vec<&Row> = self.classes.iter().flatten().collect();
        by_class.sort_by_key(|row| row.number);
        [by_class.into_iter().map(Row::state).collect(), self.mixed.iter().map(|(_, row)| row.state()).collect()]
    }
}

/// A street of ordinary objects.
#[derive(Debug)]
struct PlainStreet {
    number: u32,
    length: f32,
    /// Set once all streets exist.
    next: RefCell<Weak<PlainStreet>>,
}

/// An ordinary object.
trait Plain {
    fn fields(&self) -> &Fields;
    fn tick(&self);
    fn go(&self, metres: f32) -> bool {
        let Fields { street, progress, .. } = self.fields();
        let (at, is_on) = advanced(progress.get(), metres, street.borrow().length);
        progress.set(at);
        if is_on {
            let next = street.borrow().next.borrow().upgrade().expect("all streets are alive");
            street.replace(next);
        }
        is_on
    }
}

/// The fields of an ordinary object, as in [`Row`].
struct Fields {
    street: RefCell<Rc<PlainStreet>>,
    progress: Cell<f32>,
    max_velocity: f32,
    random: Cell<u32>,
    waits: Cell<u32>,
    /// Its number, its colour, and the tick of its first move.
    rest: [u32; 3],
}

struct Car(Fields);
struct Bus(Fields);
struct Pedestrian(Fields);

impl Plain for Car {
    fn fields(&self) -> &Fields {
        &self.0
    }
    fn tick(&self) {
        self.go(self.0.max_velocity * GRIP);
    }
}
impl Plain for Bus {
    fn fields(&self) -> &Fields {
        &self.0
    }
    fn tick(&self) {
        let waits = &self.0.waits;
        if waits.get() > 0 {
            waits.set(waits.get() - 1);
        } else if self.go(self.0.max_velocity * GRIP) {
            waits.set(STOP);
        }
    }
}
impl Plain for Pedestrian {
    fn fields(&self) -> &Fields {
        &self.0
    }
    fn tick(&self) {
        self.0.random.set(next(self.0.random.get()));
        self.go(stroll(self.0.random.get(), self.0.max_velocity));
    }
}

/// Ordinary objects in `Rc`s, with virtual calls.
pub struct InRcs {
    /// Keeps the streets alive.
    _streets: Vec<Rc<PlainStreet>>,
    objects: Vec<Rc<dyn Plain>>,
}

impl InRcs {
    /// `n` objects, in order of class if `by_class`. They are allocated in the order of their numbers.
    pub fn new(n: u32, by_class: bool) -> Self {
        let new_street = |number| {
            let (length, _) = street(number);
            Rc::new(PlainStreet { number, length, next: RefCell::default() })
        };
        let streets: Vec<_> = (0..STREETS).map(new_street).collect();
        for this in &streets {
            let (_, next) = street(this.number);
            this.next.replace(Rc::downgrade(&streets[next as usize]));
        }
        let new = |object| -> Rc<dyn Plain> {
            let Row { street, progress, max_velocity, random, waits, number, colour, born } = row(object);
            let street = RefCell::new(Rc::clone(&streets[street as usize]));
            let (progress, random, waits) = (Cell::new(progress), Cell::new(random), Cell::new(waits));
            let fields = Fields { street, progress, max_velocity, random, waits, rest: [number, colour, born] };
            match kind(object) {
                Kind::Car => Rc::new(Car(fields)),
                Kind::Bus => Rc::new(Bus(fields)),
                Kind::Pedestrian => Rc::new(Pedestrian(fields)),
            }
        };
        let mut objects: Vec<(Kind, Rc<dyn Plain>)> = (0..n).map(|object| (kind(object), new(object))).collect();
        if by_class {
            objects.sort_by_key(|(kind, _)| *kind);
        }
        Self { _streets: streets, objects: objects.into_iter().map(|(_, object)| object).collect() }
    }

    /// Moves all objects.
    pub fn tick(&self) {
        self.objects.iter().for_each(|object| object.tick());
    }

    /// The states of all objects by their numbers.
    pub fn states(&self) -> Vec<State> {
        let mut objects: Vec<&Fields> = self.objects.iter().map(|object| object.fields()).collect();
        objects.sort_by_key(|fields| fields.rest[0]);
        let state = |fields: &Fields| {
            (fields.street.borrow().number, fields.progress.get().to_bits(), fields.random.get(), fields.waits.get())
        };
        objects.into_iter().map(state).collect()
    }
}
