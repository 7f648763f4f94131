//! New objects that kernels make: [`Spawn`].

use core::fmt;
use core::marker::PhantomData;

use crate::class::Class;
use crate::handle::Handle;
use crate::link::Link;
use crate::lives;
use crate::message::Message;
use crate::phase::Phase;
use crate::table::TableRef;

/// Makes objects of class `C`, as a parameter of a kernel: `young: Spawn<Sheep>`. The caller passes nothing for it.
///
/// The objects exist when the kernel ends. They are ordered by their makers' ids, then by the order of the calls, so
/// their ids do not depend on threads. Each takes an id that was free
/// before the kernel, the lowest first, or a new one.
///
/// ```
/// use ikra::prelude::*;
///
/// #[soa_class]
/// pub struct Sheep { pub energy: f32, pub mother: Option<Link<Sheep>> }
///
/// #[soa_methods]
/// impl Sheep {
///     #[kernel]
///     pub fn breed(&mut self, young: Spawn<Sheep>) {
///         if self.energy > 10.0 {
///             self.energy *= 0.5;
///             young.push(Sheep { energy: self.energy, mother: Some(self.link()) });
///         }
///     }
/// }
///
/// #[soa_world]
/// pub struct Meadow { pub sheep: Objects<Sheep> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut meadow = Meadow::new();
/// let dolly = meadow.sheep.push(Sheep { energy: 16.0, mother: None })?;
/// meadow.execute(Sheep::breed, ());
/// let lamb = meadow.sheep.links().last().unwrap();
/// assert_eq!(meadow.sheep.len(), 2);
/// assert_eq!(meadow.get(lamb).mother().unwrap().link(), dolly);
/// # Ok(()) }
/// ```
///
/// A GPU runs such a kernel too, if its text shows how many objects a call makes: it calls `push` by the parameter's name,
/// and not in loops and closures. Otherwise it passes the kernel on to the host, with the same result.
pub struct Spawn<'w, C, P> {
    /// The table of the maker's class.
    place: TableRef<'w>,
    maker: u32,
    // The order of a maker's calls is that of its thread.
    one_thread: PhantomData<(*const (), fn() -> (C, P))>,
}

impl<C, P> Copy for Spawn<'_, C, P> {}
impl<C, P> Clone for Spawn<'_, C, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Class, P> fmt::Debug for Spawn<'_, C, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Spawn<{}>", C::NAME)
    }
}

impl<'w, C: Class, P: Phase> Spawn<'w, C, P> {
    /// The parameter of a call of kernel `P` for object `maker`.
    ///
    /// # Panics
    ///
    /// When compiled, if the kernel does not say that it makes objects of class `C`.
    #[doc(hidden)]
    #[inline]
    pub fn of<M: Class>(maker: Handle<'w, M, P>) -> Self {
        const { assert_spawns::<P, C>() }
        Self { place: maker.place(), maker: maker.index() as u32, one_thread: PhantomData }
    }

    /// Makes an object when the kernel ends.
    ///
    /// The link names it from then on. It may be stored in rows of other new objects meanwhile. It cannot be followed
    /// or assigned before. Do not return it from the kernel: in results it is a number that names no object.
    ///
    /// # Panics
    ///
    /// If the world has no objects of class `C`, or if the kernel makes more than 2³¹ of them.
    #[track_caller]
    pub fn push(&self, row: C) -> Link<C> {
        lives::spawn(self.place, self.maker, row)
    }
}

/// Fails to compile unless kernel `P` lists class `C` among those of which it makes objects.
const fn assert_spawns<P: Phase, C: Class>() {
    if !P::EFFECTS.spawns(C::ID) {
        let message = Message::new()
            .push("`")
            .push(P::EFFECTS.kernel())
            .push("` makes objects of class `")
            .push(C::NAME)
            .push("` and does not say so: make them in a kernel with a parameter of type `Spawn<")
            .push(C::NAME)
            .push(">`, and pass it on");
        panic!("{}", message.as_str());
    }
}
