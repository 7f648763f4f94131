//! Worklists: the objects that a loop's kernels have found for its next iteration.

#[cfg(not(target_arch = "nvptx64"))]
mod host;

use core::fmt;
use core::marker::PhantomData;

use crate::class::Class;
use crate::link::Link;
use crate::panics::out_of_range;
use crate::target::worklist::Found;
#[cfg(not(target_arch = "nvptx64"))]
pub use crate::target::worklist::Younger;

/// The objects of class `C` for which a loop runs kernels: those of this iteration, and those that kernels put in for the
/// next one. [`On::repeat_over`](../ikra/struct.On.html#method.repeat_over) has one.
///
/// In methods, a parameter of type `Worklist<Vertex>` is a reference to it: kernels call `next.push(link)`. The kernel's
/// caller passes the loop's worklist. An object that is put in several times is in the next iteration once. The order in
/// which objects are put in does not matter: kernels run for them in the order of their ids, or all at the same time.
///
/// ```
/// use ikra::{Place, prelude::*};
///
/// #[soa_class]
/// pub struct Island { pub seen: bool, pub ferry: Option<Link<Island>> }
///
/// #[soa_methods]
/// impl Island {
///     #[kernel]
///     pub fn visit(&mut self) { self.seen = true; }
///     #[kernel]
///     pub fn depart(&self, next: Worklist<Island>) {
///         if let Some(other) = self.ferry && !other.seen() { next.push(other.link()); }
///     }
/// }
///
/// #[soa_world]
/// pub struct Sea { pub islands: Objects<Island> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// # let mut sea = Sea::new();
/// let links: Vec<_> = sea.islands.reserve(4)?.collect();
/// for (n, ferry) in [Some(1), Some(2), Some(0), None].into_iter().enumerate() {
///     sea.islands.init(links[n], Island { seen: false, ferry: ferry.map(|to: usize| links[to]) })?;
/// }
/// let start = [links[0]].into_iter().collect();
/// let (iterations, _) = sea.on(Place::Host).repeat_over(&start, u64::MAX, |step, work| {
///     step.over(work).execute(Island::visit, ())?;
///     step.over(work).execute(Island::depart, work)
/// })?;
/// assert_eq!(iterations, 3);
/// assert_eq!(sea.islands.column(island::seen), [true, true, true, false]);
/// # Ok(()) }
/// ```
#[repr(C)]
pub struct Worklist<C> {
    pub(crate) found: Found,
    class: PhantomData<fn() -> C>,
}

impl<C: Class> Worklist<C> {
    /// Puts an object into the next iteration: one that exists, or one that this kernel makes.
    ///
    /// # Panics
    ///
    /// On a GPU, when the kernel ends, if there is no such object; on the host the loop ends with an error then. Also if the host
    /// calls it in a loop that a GPU runs.
    #[inline]
    #[track_caller]
    pub fn push(&self, object: Link<C>) {
        let index = object.index() as u32;
        if !self.found.insert(index) {
            out_of_range(C::NAME, index, self.found.count());
        }
    }
}

impl<C: Class> fmt::Debug for Worklist<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worklist").field("class", &C::NAME).field("count", &self.found.count()).finish_non_exhaustive()
    }
}
