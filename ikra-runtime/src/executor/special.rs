//! Kernels for the values of objects that seldom change.

use super::On;
use crate::class::{Class, atomics};
use crate::error::Error;
use crate::world::{Holds, World};

impl<W: World> On<'_, W> {
    /// Says that the objects of a class seldom change. A GPU then compiles kernels that read them once more, for their
    /// present values: loops over them are unrolled, and their fields are constants (PE). On the host nothing changes.
    ///
    /// The results are the same, bit for bit. With `Floats::Contract` or `Floats::Fast` they are within their bounds, since
    /// the driver's compiler decides what it contracts. The general kernel runs until a thread has compiled the special
    /// one, which takes some hundredths of a second. After a change of these objects the general kernel runs again, at
    /// once; after 16 launches without another change the kernel is compiled anew. This suits tables of rules, patterns,
    /// weights and small graphs, of up to a mebibyte.
    ///
    /// Loops over all these objects are unrolled, and loops along links that begin at an argument of the kernel or at such
    /// an object. A kernel is not specialised for objects of the class that it runs for, nor in recordings, nor if it uses
    /// a `static` that changes. It holds until the world is opened there again, for example after a loss.
    /// `sim.cuda().specialized()` says what became of each kernel.
    ///
    /// ```
    /// use ikra::{Place, prelude::*};
    ///
    /// #[soa_class]
    /// pub struct Rule { pub least: u32, pub most: u32 }
    /// #[soa_class]
    /// pub struct Cell { pub alive: bool, pub neighbours: u32 }
    ///
    /// #[soa_methods]
    /// impl Cell {
    ///     #[kernel]
    ///     pub fn live(&mut self) {
    ///         self.alive = false;
    ///         for rule in self.all::<Rule>() {
    ///             self.alive |= (rule.least()..=rule.most()).contains(&self.neighbours);
    ///         }
    ///     }
    /// }
    /// # #[soa_world] pub struct Life { pub cells: Objects<Cell>, pub rules: Objects<Rule> }
    ///
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let place = Place::Host;
    /// let mut life = Life::new();
    /// life.rules.extend([Rule { least: 2, most: 3 }, Rule { least: 6, most: 6 }])?;
    /// life.cells.extend((0..9).map(|neighbours| Cell { alive: false, neighbours }))?;
    /// life.on(place).specialize_for::<Rule>()?;
    /// life.on(place).execute(Cell::live, ())?;
    /// let alive = life.cells.column(cell::alive).iter().filter(|&&alive| alive).count();
    /// assert_eq!(alive, 3);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [all executors](Self#errors).
    pub fn specialize_for<C: Class>(&mut self) -> Result<(), Error>
    where
        W: Holds<C>,
    {
        const {
            assert!(
                atomics::<C>().is_empty(),
                "kernels cannot be specialised for a class with `#[atomic]` fields, which any kernel may change: keep the fields that seldom change in a class of their own"
            );
        }
        self.at().with(|executor, world| executor.specialize_for(world, C::ID))
    }
}
