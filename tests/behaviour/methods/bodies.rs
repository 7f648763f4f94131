//! Bodies of methods may contain any ordinary Rust, which stays unchanged.
#![allow(
    clippy::assign_op_pattern,
    clippy::deref_addrof,
    clippy::eq_op,
    clippy::useless_vec,
    clippy::wrong_self_convention,
    reason = "unusual code is the point"
)]
use ikra::prelude::*;

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Particle {
    pub pos: [f32; 2],
    pub mass: f32,
    pub hits: u32,
    pub state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(u8)]
pub enum State {
    Still,
    Moving,
}

impl State {
    fn toggle(&mut self) {
        *self = match self {
            Self::Still => Self::Moving,
            Self::Moving => Self::Still,
        };
    }
}

macro_rules! double {
    ($place:expr) => {
        $place * 2.0
    };
}
macro_rules! increment {
    ($place:expr) => {
        $place += 1
    };
}
/// Expands to a field that its caller does not name.
macro_rules! mass_beside {
    ($object:ident . $field:ident) => {
        $object.mass + $object.$field as f32
    };
}

/// Changes a field that its caller does not name.
macro_rules! add_mass_beside {
    ($object:ident . $field:ident) => {
        $object.mass += $object.$field as f32
    };
}

#[soa_methods]
impl Particle {
    pub const LIMIT: f32 = 8.0;
    const HALF: f32 = Self::LIMIT / 2.0;

    pub fn new(mass: f32) -> Self {
        Self { pos: [0.0; 2], mass, hits: 0, state: State::Still }
    }
    pub fn at_origin(&self) -> bool {
        self.pos == [0.0; 2]
    }
    pub const fn limit(factor: f32) -> f32 {
        Self::HALF * factor
    }

    // Generic methods, `impl Trait`, closures, references.
    pub fn scaled<T: Into<f32> + Copy>(&self, by: T) -> f32 {
        self.mass * by.into()
    }
    pub fn mapped(&self, f: impl Fn(f32) -> f32) -> f32 {
        f(self.mass)
    }
    #[kernel]
    pub fn apply(&mut self, f: impl Fn(f32) -> f32 + Copy + Send + Sync) {
        self.mass = f(self.mass);
    }
    #[kernel]
    pub fn apply_both<F, G>(&mut self, f: F, g: G)
    where
        F: Fn(f32) -> f32,
        G: Fn(f32) -> f32,
    {
        self.mass = g(f(self.mass));
    }
    #[kernel]
    pub fn from_table(&mut self, table: &[f32]) {
        self.mass = table[self.hits as usize];
    }
    #[kernel]
    pub fn from_tables<'t>(&mut self, table: &'t [f32], other: &[f32; 2], scale: f32) {
        let pick: &'t f32 = &table[0];
        self.mass = (*pick + other[1]) * scale;
    }
    #[kernel]
    pub fn add_all<const N: usize>(&mut self, terms: [f32; N]) {
        for term in terms {
            self.mass += term;
        }
    }

    // Control flow.
    #[kernel]
    pub fn early(&mut self) {
        if self.mass > 5.0 {
            return;
        }
        self.hits += 1;
    }
    #[kernel]
    pub fn question_mark(&mut self, divisor: u32) -> Option<()> {
        self.hits = 7;
        let n = 10_u32.checked_div(divisor)?;
        self.hits = n;
        Some(())
    }
    #[kernel]
    pub fn patterns(&mut self) {
        self.hits = match (self.state, self.pos) {
            (State::Still, [x, _]) if x > 0.0 => 1,
            (State::Still, _) => 2,
            (State::Moving, [.., y]) => y as u32,
        };
        let [x, y] = &mut self.pos;
        std::mem::swap(x, y);
    }
    #[kernel]
    pub fn labelled(&mut self) {
        'outer: loop {
            while self.hits < 100 {
                self.hits += 10;
                if self.hits >= 40 {
                    break 'outer;
                }
            }
        }
    }

    // `self` as a whole.
    #[kernel]
    pub fn alias(&mut self) {
        let s = self;
        s.hits += 1;
        s.mass *= 2.0;
    }
    #[kernel]
    pub fn destructure(&mut self) {
        let Self { pos, mass, .. } = self;
        pos[0] = *mass;
    }
    #[kernel]
    pub fn destructure_all(&mut self) {
        let Self { pos: _, mass, hits, state } = self;
        if let State::Still = state {
            *hits = *mass as u32;
        }
    }
    pub fn reading_pattern(&self) -> f32 {
        let Self { mass, pos: [x, _], .. } = *self;
        mass + x
    }
    #[kernel]
    pub fn by_free_function(&mut self) {
        heavier(self);
        self.hits = count(&*self);
    }
    #[kernel]
    pub fn by_closure(&mut self) {
        let mut add = |n: u32| self.hits += n;
        add(1);
        add(2);
    }
    #[kernel]
    pub fn destructuring_assignment(&mut self) {
        (self.mass, self.hits) = (3.0, 4);
        [self.pos[0], _] = [5.0, 6.0];
    }
    #[kernel]
    pub fn parenthesised(&mut self) {
        (self.mass) += 1.0;
        (self.pos)[1] = 2.0;
        *(&mut self.hits) += 3;
    }

    // Macros.
    #[kernel]
    pub fn in_macros(&mut self) {
        assert!(self.mass > 0.0, "mass of {self:?}");
        assert_eq!(self.hits, self.hits);
        if matches!(self.state, State::Still) {
            self.mass = double!(self.mass);
        }
        let [a, b] = [vec![self.mass][0], self.mass];
        self.pos = [a, b];
    }
    pub fn debug(&self) -> String {
        format!("{self:?}")
    }
    pub fn debug_spaced(&self) -> String {
        format!("{self :?}|{{self}}|{0}", 1)
    }
    pub fn beside(&self) -> f32 {
        mass_beside!(self.hits)
    }
    #[kernel(writes(hits))]
    pub fn declared(&mut self) {
        increment!(self.hits);
    }
    #[kernel]
    pub fn changed_in_macro(&mut self) {
        increment!(self.hits);
    }
    #[kernel]
    pub fn undeclared_in_macro(&mut self) {
        let before = self.all::<Self>().map(|other| other.hits()).max();
        assert_eq!(before, Some(0));
        increment!(self.hits);
    }
    #[kernel]
    pub fn undeclared(&mut self) {
        self.hits = 1;
        add_mass_beside!(self.hits);
    }
    #[kernel(writes(state))]
    pub fn declared_toggle(&mut self) {
        self.state.toggle();
    }

    // Items within bodies, raw spelling of a name, shadowing.
    #[kernel]
    pub fn nested_items(&mut self) {
        struct Counter(u32);
        impl Counter {
            fn next(&mut self) -> &mut Self {
                self.0 += 1;
                self
            }
            const fn new() -> Self {
                Self(0)
            }
        }
        fn twice(x: u32) -> u32 {
            x * 2
        }
        let mut hits = Counter::new();
        self.r#hits += twice(hits.next().next().0);
    }

    // Conditional compilation.
    #[kernel]
    pub fn conditional(&mut self) {
        self.platform();
    }
    #[cfg(target_pointer_width = "64")]
    fn platform(&mut self) {
        self.hits = 64;
    }
    #[cfg(not(target_pointer_width = "64"))]
    fn platform(&mut self) {
        self.mass = 32.0;
    }
    #[cfg(any())]
    #[kernel]
    pub fn never(&mut self) {
        self.missing();
    }
    #[cfg(any())]
    #[kernel]
    pub fn never_made(id: u32) -> Self {
        Self::missing(id)
    }

    // Methods that call each other.
    #[kernel]
    pub fn even(&mut self, n: u32) {
        if n > 0 {
            self.odd(n - 1);
        }
    }
    pub fn odd(&mut self, n: u32) {
        self.hits += 1;
        if n > 0 {
            self.even(n - 1);
        }
    }
    #[kernel]
    pub fn ping(&mut self, n: u32) {
        self.hits += 1;
        if n > 0 {
            self.pong(n - 1);
        }
    }
    pub fn total(&self, n: u32) -> f32 {
        if n == 0 { self.mass } else { self.total_and(n - 1) }
    }
}

/// Another block, in the same module: in a cycle with the first.
#[soa_methods]
impl Particle {
    pub fn pong(&mut self, n: u32) {
        self.mass += 1.0;
        if n > 0 {
            self.ping(n - 1);
        }
    }
    pub fn total_and(&self, n: u32) -> f32 {
        if n == 0 { self.hits as f32 } else { self.total(n - 1) }
    }
}

/// Five lines above the one that follows a link.
const LINE_ABOVE: u32 = line!();
#[soa_methods]
impl Particle {
    #[kernel]
    pub fn follow(&mut self, id: u32) {
        self.hits = self.resolve(Link::<Self>::from_id(id).unwrap()).mass() as u32;
    }
}

fn heavier<P: ikra::Phase>(particle: &mut ParticleMut<'_, P>) {
    particle.mass += 1.0;
}
fn count<P: ikra::Phase>(particle: &ParticleMut<'_, P>) -> u32 {
    particle.mass as u32
}

#[soa_world]
pub struct World1 {
    pub particles: Objects<Particle>,
}

fn one(mass: f32) -> (World1, Link<Particle>) {
    let mut world = World1::new();
    let link = world.particles.push(Particle::new(mass)).unwrap();
    (world, link)
}

#[test]
fn generic_and_impl_trait() {
    let (mut w, p) = one(2.0);
    assert_eq!(w.get(p).scaled(3.0_f32), 6.0);
    assert_eq!(w.get(p).scaled(2_u8), 4.0);
    let offset = 1.5;
    assert_eq!(w.get(p).mapped(|m| m + offset), 3.5);
    w.execute(Particle::apply, |m: f32| m + offset);
    assert_eq!(w.get(p).mass(), 3.5);
    w.execute(Particle::apply_both, (|m: f32| m * 2.0, |m: f32| m + 1.0));
    assert_eq!(w.get(p).mass(), 8.0);
    let table = vec![9.0, 1.0];
    w.execute(Particle::from_table, &table[..]);
    assert_eq!(w.get(p).mass(), 9.0);
    w.execute(Particle::from_tables, (&table[..], &[1.0, 2.0], 2.0));
    assert_eq!(w.get(p).mass(), 22.0);
    w.execute(Particle::add_all, [1.0, 2.0, 3.0]);
    assert_eq!(w.get(p).mass(), 28.0);
    assert_eq!((Particle::limit(2.0), Particle::LIMIT), (8.0, 8.0));
    assert!(w.get(p).at_origin());
}

#[test]
fn control_flow() {
    let (mut w, p) = one(2.0);
    w.execute(Particle::early, ());
    assert_eq!(w.get(p).hits(), 1);
    w.get_mut(p).mass = 6.0;
    w.execute(Particle::early, ());
    assert_eq!(w.get(p).hits(), 1);
    w.execute(Particle::question_mark, 0);
    assert_eq!(w.get(p).hits(), 7);
    w.execute(Particle::question_mark, 2);
    assert_eq!(w.get(p).hits(), 5);
    w.get_mut(p).pos = [1.0, 4.0];
    w.execute(Particle::patterns, ());
    assert_eq!((w.get(p).hits(), w.get(p).pos()), (1, [4.0, 1.0]));
    w.execute(Particle::labelled, ());
    assert_eq!(w.get(p).hits(), 41);
}

#[test]
fn whole_self() {
    let (mut w, p) = one(2.0);
    w.execute(Particle::alias, ());
    assert_eq!((w.get(p).hits(), w.get(p).mass()), (1, 4.0));
    w.execute(Particle::destructure, ());
    assert_eq!(w.get(p).pos(), [4.0, 0.0]);
    w.execute(Particle::destructure_all, ());
    assert_eq!(w.get(p).hits(), 4);
    assert_eq!(w.get(p).reading_pattern(), 8.0);
    w.execute(Particle::by_free_function, ());
    assert_eq!((w.get(p).hits(), w.get(p).mass()), (5, 5.0));
    w.execute(Particle::by_closure, ());
    assert_eq!(w.get(p).hits(), 8);
    w.execute(Particle::destructuring_assignment, ());
    assert_eq!((w.get(p).hits(), w.get(p).mass(), w.get(p).pos()[0]), (4, 3.0, 5.0));
    w.execute(Particle::parenthesised, ());
    assert_eq!((w.get(p).hits(), w.get(p).mass(), w.get(p).pos()[1]), (7, 4.0, 2.0));
}

#[test]
fn macros() {
    let (mut w, p) = one(2.0);
    w.execute(Particle::in_macros, ());
    assert_eq!((w.get(p).mass(), w.get(p).pos()), (4.0, [4.0, 4.0]));
    let shown = "Particle { pos: [4.0, 4.0], mass: 4.0, hits: 0, state: Still }";
    assert_eq!(w.get(p).debug(), shown);
    assert_eq!(w.get(p).debug_spaced(), format!("{shown}|{{self}}|1"));
    assert_eq!(format!("{:?}", w.get_mut(p)), shown);
    assert_eq!(w.get(p).beside(), 4.0);
    w.execute(Particle::declared, ());
    assert_eq!(w.get(p).hits(), 1);
    w.execute(Particle::changed_in_macro, ());
    assert_eq!(w.get(p).hits(), 2);
    w.execute(Particle::declared_toggle, ());
    assert_eq!(w.get(p).state(), State::Moving);
}

#[test]
#[should_panic(expected = "write `#[kernel(writes(hits))]`")]
fn undeclared_write_in_a_macro_is_loud() {
    let (mut w, _) = one(2.0);
    w.execute(Particle::undeclared_in_macro, ());
}

#[test]
#[should_panic(expected = "kernel `Particle::undeclared` changed `Particle::mass`")]
fn undeclared_write_is_loud() {
    let (mut w, _) = one(2.0);
    w.execute(Particle::undeclared, ());
}

/// A panic inside a called method reports the user's line.
#[test]
fn lines_of_panics() {
    use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
    use std::sync::Mutex;
    static PLACES: Mutex<Vec<(String, u32)>> = Mutex::new(Vec::new());
    let before = take_hook();
    set_hook(Box::new(move |info| match info.location() {
        Some(place) if info.to_string().contains("link Particle#2 does not belong") => {
            PLACES.lock().unwrap().push((place.file().to_string(), place.line()));
        }
        _ => before(info),
    }));
    let (mut w, _) = one(2.0);
    w.execute(Particle::follow, 1);
    catch_unwind(AssertUnwindSafe(|| w.execute(Particle::follow, 2))).unwrap_err();
    assert_eq!(*PLACES.lock().unwrap(), [(file!().to_string(), LINE_ABOVE + 5)]);
}

#[test]
fn items_and_recursion() {
    let (mut w, p) = one(2.0);
    w.execute(Particle::conditional, ());
    assert!(w.get(p).hits() == 64 || w.get(p).mass() == 32.0);
    w.get_mut(p).hits = 0;
    w.execute(Particle::nested_items, ());
    assert_eq!(w.get(p).hits(), 4);
    w.execute(Particle::even, 4);
    assert_eq!(w.get(p).hits(), 6);
    w.execute(Particle::ping, 3);
    assert_eq!((w.get(p).hits(), w.get(p).mass()), (8, 4.0));
    assert_eq!((w.get(p).total(2), w.get(p).total(3)), (4.0, 8.0));
    let row = w.particles.read(p).unwrap();
    assert_eq!(row, Particle { mass: 4.0, hits: 8, ..Particle::new(0.0) });
}
