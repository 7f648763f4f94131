//! Kernels whose text does not show their effects: they work, or do not compile.
#![allow(clippy::clone_on_copy, reason = "reads of every form are tested")]
#![allow(
    clippy::multiple_bound_locations,
    clippy::needless_borrow,
    clippy::needless_lifetimes,
    clippy::infallible_destructuring_match,
    clippy::match_single_binding,
    clippy::wrong_self_convention,
    reason = "unusual forms are what is tested"
)]

use ikra::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Vel {
    pub x: f32,
    pub y: f32,
}

impl Vel {
    pub fn halve(&mut self) {
        self.x *= 0.5;
        self.y *= 0.5;
    }
    pub fn sum(self) -> f32 {
        self.x + self.y
    }
    pub fn largest(&self) -> &f32 {
        if self.x > self.y { &self.x } else { &self.y }
    }
}

impl core::fmt::Write for Vel {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        self.x += text.len() as f32;
        Ok(())
    }
}

#[soa_class]
pub struct Cell {
    pub x: u32,
    pub y: u32,
    pub z: u32,
    pub vel: Vel,
    #[atomic]
    pub hits: u32,
    pub next: Option<Link<Cell>>,
}

macro_rules! increment {
    ($place:expr) => {
        $place += 1
    };
}
macro_rules! x_of {
    ($object:ident . $field:ident) => {
        $object.x + $object.$field
    };
}
/// Changes a field that its caller does not name.
macro_rules! x_plus {
    ($object:ident . $field:ident) => {
        $object.x += $object.$field
    };
}
macro_rules! sum {
    ($($term:expr),*) => { 0 $(+ $term)* };
}
/// Expands to an access that is not visible at the call.
macro_rules! increment_x {
    ($object:ident) => {
        $object.x += 1
    };
}
/// A body that receives a place as an expression.
macro_rules! class_of_parts {
    ($name:ident, $place:ident) => {
        #[soa_methods]
        impl Cell {
            #[kernel]
            pub fn $name(&mut self) {
                increment_x!(self);
                self.$place = 7;
            }
        }
    };
}
class_of_parts!(from_parts, z);

/// Names that the class has too, in other forms.
#[allow(dead_code, reason = "nothing is to call them")]
trait Steal {
    fn energy(&mut self) -> u32;
    fn peek(&mut self) -> u32;
    fn far(&mut self) -> u32;
    fn here(&mut self) -> u32;
    fn link(&mut self) -> u32;
    fn shared(&self) -> u32;
}

impl<P: ikra::Phase> Steal for CellMut<'_, P> {
    fn energy(&mut self) -> u32 {
        self.x += 100;
        self.x
    }
    fn peek(&mut self) -> u32 {
        self.x += 100;
        self.x
    }
    fn far(&mut self) -> u32 {
        self.x += 100;
        self.x
    }
    fn here(&mut self) -> u32 {
        self.x += 100;
        self.x
    }
    fn link(&mut self) -> u32 {
        self.x += 100;
        self.x
    }
    fn shared(&self) -> u32 {
        self.x + 1000
    }
}

/// By value, on a reference to a view.
#[allow(dead_code, reason = "nothing is to call them")]
trait Take {
    fn taken(self) -> u32;
}
impl<P: ikra::Phase> Take for &mut CellMut<'_, P> {
    fn taken(self) -> u32 {
        self.x += 100;
        self.x
    }
}

#[soa_methods]
impl Cell {
    pub fn energy(&self) -> u32 {
        self.z
    }
    pub fn taken(&self) -> u32 {
        self.z
    }
    /// Of this name the trait has a `&self` method.
    #[allow(dead_code, reason = "nothing is to call it")]
    pub fn shared(&mut self) -> u32 {
        self.z
    }
    #[cfg(any())]
    pub fn here(&self) -> u32 {
        self.z
    }
    #[kernel]
    pub fn use_energy(&mut self) {
        self.y = self.energy() + 1;
    }
    #[kernel]
    pub fn use_energy_in_macros(&mut self) {
        assert!(self.energy() == 3);
        self.y = sum!(1, self.z) + (|| self.energy())();
    }
    #[kernel]
    pub fn use_taken(&mut self) {
        self.y = self.taken();
    }
    #[kernel]
    pub fn use_far(&mut self) {
        self.y = self.far() + self.far_of::<u8>(self.z);
    }
    #[kernel]
    pub fn use_here(&mut self) {
        self.y = self.here();
    }
    #[kernel]
    pub fn use_link(&mut self) {
        let me = self.link();
        self.y = self.resolve(me).z() + self.all::<Self>().len() as u32;
    }
    pub fn calls_shared(&self) -> u32 {
        self.shared()
    }
    #[kernel]
    pub fn use_shared(&mut self) {
        self.y = self.calls_shared();
    }
    /// Called by the executor itself.
    #[kernel(reduce(Sum))]
    pub fn peek(&self) -> u32 {
        self.z
    }

    #[kernel]
    pub fn macro_increments(&mut self) {
        increment!(self.x);
    }
    #[kernel]
    pub fn macro_reads_another(&mut self) {
        self.y = x_of!(self.z);
    }
    #[kernel]
    pub fn macro_increments_another(&mut self) {
        increment_x!(self);
    }
    #[kernel(writes(y))]
    pub fn macro_reads(&mut self, other: Link<Self>) {
        let other = self.resolve(other);
        self.y = sum!(self.x, other.x());
    }
    #[kernel]
    pub fn macro_reads_block(&mut self, other: Link<Self>) {
        let other = self.resolve(other);
        self.y = sum!({ self.x }, self.x + 1, other.x());
    }
    #[kernel]
    pub fn table(&mut self) {
        let table = include!("text/table.in");
        self.y = table[self.z as usize - 1];
    }
    #[kernel]
    pub fn macro_within(&mut self) {
        macro_rules! add {
            ($n:expr) => {
                self.x += $n
            };
        }
        add!(include!("text/table.in")[1]);
    }
    #[kernel]
    pub fn table_beside_string(&mut self) {
        let table = include!("text/table.in");
        self.y = table[0];
        assert!(self.y == 1, "{self:?} {table:?}");
    }

    #[kernel]
    pub fn undeclared(&mut self) {
        self.undeclared_sum();
    }
    #[kernel(reduce(Sum))]
    pub fn undeclared_sum(&mut self) -> u32 {
        let _ = self.all::<Self>().map(|other| other.x());
        x_plus!(self.z);
        0
    }

    #[kernel]
    pub fn by_reference(&mut self) {
        match self.vel {
            Vel { ref mut x, .. } => *x = 5.0,
        }
    }
    #[kernel]
    pub fn into_field(&mut self) {
        use core::fmt::Write as _;
        write!(self.vel, "{}", self.x).unwrap();
    }
    #[kernel]
    pub fn halve(&mut self) {
        (&mut self.vel).halve();
    }
    #[kernel(writes(vel))]
    pub fn halve_declared(&mut self) {
        self.vel.halve();
    }
    /// A kernel that writes the field elsewhere, directly or in a called method.
    #[kernel]
    pub fn halve_and_write(&mut self) {
        self.vel.halve();
        self.vel.x += 1.0;
        self.halving();
    }
    fn halving(&mut self) {
        self.vel.halve();
    }
    /// Sequential code.
    pub fn halve_here(&mut self) {
        self.vel.halve();
    }
    /// The result borrows nothing, so the method can also be called on refs.
    pub fn around(&self) -> impl Iterator<Item = Ref<Self>> + use<> {
        self.next.into_iter()
    }
    pub fn around_with<T: Copy + Into<u32>>(&self, by: T) -> impl Iterator<Item = u32> + use<T> {
        let z = self.z;
        (0..2).map(move |n| n + z + by.into())
    }
    /// On `self` alone.
    pub fn borrowing(&self) -> impl Iterator<Item = Ref<Self>> {
        self.next.iter().copied()
    }
    pub fn borrowing_too(&self) -> impl Iterator<Item = &f32> + use<'_> {
        [&self.vel.x, &self.vel.y].into_iter()
    }
    pub fn named<'a>(&'a self) -> &'a f32 {
        &self.vel.x
    }
    #[kernel]
    pub fn use_iterators(&mut self) {
        let sum: u32 = self.around().chain(self.borrowing()).map(|other| other.z()).sum();
        let far: u32 = self.around().flat_map(|other| other.around().chain([other])).map(|other| other.z()).sum();
        let floats = self.borrowing_too().sum::<f32>() + *self.named();
        self.y = sum + 10 * far + 1000 * floats as u32 + self.around_with(1_u8).sum::<u32>();
        if let Some(next) = self.next {
            self.x = next.around_with(1_u8).sum::<u32>() + next.far_of::<u16>(1);
        }
    }

    /// Reads of every form.
    #[kernel]
    pub fn reads(&mut self) {
        let largest = self.vel.largest();
        let clone = self.vel.clone().sum() + (self.vel).sum() + Vel { x: 1.0, ..self.vel }.sum();
        let y = clone + *largest + self.vel.x.sqrt() + f32::from(self.next.is_none()) + (self.vel.x - 1.0).abs();
        let closure = || self.vel.sum();
        self.y = (y + closure()) as u32;
    }
}

#[soa_methods]
impl Cell {
    pub fn far(&self) -> u32 {
        self.z
    }
    pub fn far_of<T: Default + Into<u32>>(&self, z: u32) -> u32 {
        z + self.z + T::default().into()
    }
}

#[soa_world]
pub struct Grid {
    pub cells: Objects<Cell>,
}

fn run<K: ikra::rt::Call<A, Output = ()>, A: Copy + Send + Sync>(kernel: K, args: A) -> (u32, u32, u32, Vel)
where
    K: ikra::rt::Kernel<Class = Cell>,
{
    let mut grid = Grid::new();
    let cell = Cell { x: 5, y: 0, z: 3, vel: Vel { x: 4.0, y: 2.0 }, hits: 0, next: None };
    grid.cells.push(cell).unwrap();
    grid.execute(kernel, args);
    let cell = grid.cells.iter().next().unwrap();
    (cell.x, cell.y, cell.z, cell.vel)
}

const VEL: Vel = Vel { x: 4.0, y: 2.0 };

#[test]
fn methods_that_traits_have_too() {
    assert_eq!(run(Cell::use_energy, ()), (5, 4, 3, VEL));
    assert_eq!(run(Cell::use_energy_in_macros, ()), (5, 7, 3, VEL));
    assert_eq!(run(Cell::use_taken, ()), (5, 3, 3, VEL));
    assert_eq!(run(Cell::use_far, ()), (5, 9, 3, VEL));
    assert_eq!(run(Cell::use_here, ()), (105, 105, 3, VEL));
    assert_eq!(run(Cell::use_link, ()), (5, 4, 3, VEL));
    assert_eq!(run(Cell::use_shared, ()), (5, 1005, 3, VEL));
    let mut grid = Grid::new();
    grid.cells.push(Cell { x: 5, y: 0, z: 3, vel: VEL, hits: 0, next: None }).unwrap();
    assert_eq!(grid.execute_and_reduce(Cell::peek, (), Sum), 3);
}

#[test]
fn iterators_and_type_parameters() {
    let mut grid = Grid::new();
    let mut push = |z, next| grid.cells.push(Cell { x: 0, y: 0, z, vel: VEL, hits: 0, next }).unwrap();
    let first = push(1, None);
    let second = push(2, Some(first));
    let third = push(3, Some(second));
    grid.execute(Cell::use_iterators, ());
    assert_eq!(grid.get(third).y(), 2 + 2 + 10 * (1 + 2) + 1000 * 10 + (4 + 5));
    assert_eq!(grid.get(third).x(), 3 + 4 + 3);
    assert_eq!(grid.get(third).around().map(|cell| cell.z()).collect::<Vec<_>>(), [2]);
    assert_eq!(grid.get_mut(third).borrowing().count(), 1);
}

/// One panic per object, on all threads: the caller gets the first object's panic, and few other calls start.
#[test]
fn few_messages() {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    static MESSAGES: AtomicUsize = AtomicUsize::new(0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
    let mut grid = Grid::new();
    let cell = |_| Cell { x: 0, y: 0, z: 1, vel: VEL, hits: 0, next: None };
    grid.cells.extend((0..100_000).map(cell)).unwrap();
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if info.to_string().contains("Cell::undeclared") {
            MESSAGES.fetch_add(1, SeqCst);
        } else {
            before(info);
        }
    }));
    let failing = |run: &mut (dyn FnMut() + Send)| {
        let payload = pool.install(|| std::panic::catch_unwind(std::panic::AssertUnwindSafe(run))).unwrap_err();
        payload.downcast_ref::<String>().unwrap().clone()
    };
    for run in 1..=4 {
        let message = match run {
            1 | 2 => failing(&mut || grid.execute(Cell::undeclared, ())),
            3 => failing(&mut || assert_eq!(grid.execute_and_reduce(Cell::undeclared_sum, (), Sum), 0)),
            _ => failing(&mut || drop(grid.execute_and_collect(Cell::undeclared_sum, ()))),
        };
        assert!(message.contains("changed `Cell::x`"), "{message}");
        let heard = MESSAGES.swap(0, SeqCst);
        assert!((1..=8).contains(&heard), "in run {run}, {heard} chunks began");
    }
    assert_eq!(grid.cells.column(cell::x).iter().sum::<u32>(), 0);
}

#[test]
fn macros_and_included_text() {
    assert_eq!(run(Cell::macro_increments, ()), (6, 0, 3, VEL));
    assert_eq!(run(Cell::macro_reads_another, ()), (5, 8, 3, VEL));
    assert_eq!(run(Cell::macro_increments_another, ()), (6, 0, 3, VEL));
    assert_eq!(run(Cell::table, ()), (5, 3, 3, VEL));
    assert_eq!(run(Cell::macro_within, ()), (7, 0, 3, VEL));
    assert_eq!(run(Cell::table_beside_string, ()), (5, 1, 3, VEL));
    assert_eq!(run(Cell::from_parts, ()), (6, 0, 7, VEL));
}

#[test]
fn macros_that_read_are_no_races() {
    let mut grid = Grid::new();
    let cell = |x| Cell { x, y: 0, z: 3, vel: VEL, hits: 0, next: None };
    let first = grid.cells.push(cell(2)).unwrap();
    let second = grid.cells.push(cell(5)).unwrap();
    grid.execute(Cell::macro_reads, first);
    assert_eq!(grid.get(second).y(), 7);
    grid.execute(Cell::macro_reads_block, first);
    assert_eq!(grid.get(second).y(), 13);
}

#[test]
fn changes_by_methods_of_values() {
    assert_eq!(run(Cell::by_reference, ()).3, Vel { x: 5.0, y: 2.0 });
    assert_eq!(run(Cell::into_field, ()).3, Vel { x: 5.0, y: 2.0 });
    assert_eq!(run(Cell::halve, ()).3, Vel { x: 2.0, y: 1.0 });
    assert_eq!(run(Cell::halve_declared, ()).3, Vel { x: 2.0, y: 1.0 });
    assert_eq!(run(Cell::halve_and_write, ()).3, Vel { x: 1.5, y: 0.5 });
    assert_eq!(run(Cell::reads, ()).1, 31);
    let mut grid = Grid::new();
    let link = grid.cells.push(Cell { x: 5, y: 0, z: 3, vel: VEL, hits: 0, next: None }).unwrap();
    grid.get_mut(link).halve_here();
    assert_eq!(grid.get(link).vel(), Vel { x: 2.0, y: 1.0 });
}
