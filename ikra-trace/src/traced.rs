//! Worlds made of ordinary objects.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;
use std::sync::Arc;

use ikra_runtime::world::World;

use crate::back::Context;
use crate::error::{At, Problem, TraceError};
use crate::graph::Graph;
use crate::object::TraceObject;
use crate::tracer::Tracer;
use crate::trait_objects::TraceAny;

/// Objects from which a trace starts: `Rc<X>`, `Arc<X>`, `Rc<dyn Trait>`, `Arc<dyn Trait>`, and slices, arrays, `Vec`s, `Option`s and
/// tuples of these.
///
/// ```
/// use std::rc::Rc;
/// use ikra::trace::{Roots, TraceAny};
///
/// fn is_root<R: Roots>() {}
/// is_root::<(Vec<Rc<dyn TraceAny>>, Option<Rc<dyn TraceAny>>)>();
/// ```
#[diagnostic::on_unimplemented(
    message = "a trace cannot start from `{Self}`",
    label = "not an `Rc` or `Arc` of a traced type, and not a collection of these",
    note = "put the object into an `Rc`, and its type under `#[derive(Trace)] #[trace(class = Class)]`"
)]
pub trait Roots {
    /// Makes the objects known.
    #[doc(hidden)]
    fn enter(&self, tracer: &mut Tracer<'_, '_>) -> Result<(), Problem>;
}

impl<X: TraceAny + ?Sized + 'static> Roots for Rc<X> {
    fn enter(&self, tracer: &mut Tracer<'_, '_>) -> Result<(), Problem> {
        tracer.graph.remember(self, Rc::as_ptr(self).addr());
        X::enter(Rc::clone(self), tracer)
    }
}
impl<X: TraceAny + Send + Sync + ?Sized + 'static> Roots for Arc<X> {
    fn enter(&self, tracer: &mut Tracer<'_, '_>) -> Result<(), Problem> {
        tracer.graph.remember(self, Arc::as_ptr(self).addr());
        X::enter_shared(Arc::clone(self), tracer)
    }
}
impl<R: Roots> Roots for [R] {
    fn enter(&self, tracer: &mut Tracer<'_, '_>) -> Result<(), Problem> {
        self.iter().try_for_each(|root| root.enter(tracer))
    }
}
impl<R: Roots, const N: usize> Roots for [R; N] {
    fn enter(&self, tracer: &mut Tracer<'_, '_>) -> Result<(), Problem> {
        self.as_slice().enter(tracer)
    }
}
impl<R: Roots> Roots for Vec<R> {
    fn enter(&self, tracer: &mut Tracer<'_, '_>) -> Result<(), Problem> {
        self.as_slice().enter(tracer)
    }
}
impl<R: Roots> Roots for Option<R> {
    fn enter(&self, tracer: &mut Tracer<'_, '_>) -> Result<(), Problem> {
        self.iter().try_for_each(|root| root.enter(tracer))
    }
}
impl<R: Roots + ?Sized> Roots for &R {
    fn enter(&self, tracer: &mut Tracer<'_, '_>) -> Result<(), Problem> {
        (**self).enter(tracer)
    }
}

macro_rules! tuples {
    ($(($($root:ident)*))*) => { $(
        impl<$($root: Roots),*> Roots for ($($root,)*) {
            fn enter(&self, tracer: &mut Tracer<'_, '_>) -> Result<(), Problem> {
                #[allow(non_snake_case, reason = "a variable is named as its type")]
                let ($($root,)*) = self;
                $($root.enter(tracer)?;)*
                Ok(())
            }
        }
    )* };
}
tuples! { (A) (A B) (A B C) (A B C D) }

/// Traces ordinary objects into a world: `Sim::trace(&roots)`.
pub trait TraceWorld: World {
    /// A world of all objects that can be reached from `roots`. Ids follow the order in which they are found, from the
    /// roots on, and each object is found once.
    ///
    /// ```
    /// use std::cell::RefCell;
    /// use std::rc::Rc;
    /// use ikra::{prelude::*, trace::{Trace, TraceWorld}};
    ///
    /// #[soa_class]
    /// pub struct Cell { pub heat: f32, #[inline_array(4)] pub near: InnerArray<Link<Cell>> }
    /// #[soa_world]
    /// pub struct Plate { pub cells: Objects<Cell> }
    ///
    /// #[derive(Trace)]
    /// #[trace(class = Cell)]
    /// struct PlainCell { heat: f32, near: Vec<Rc<RefCell<PlainCell>>> }
    ///
    /// # fn main() -> Result<(), ikra::trace::TraceError> {
    /// let a = Rc::new(RefCell::new(PlainCell { heat: 1.0, near: vec![] }));
    /// let b = Rc::new(RefCell::new(PlainCell { heat: 2.0, near: vec![a.clone(), a.clone()] }));
    /// let mut plate = Plate::trace(&b)?;
    /// assert_eq!(plate.cells.column(cell::heat), [2.0, 1.0]);
    /// plate.cells.column_mut(cell::heat).fill(5.0);
    /// plate.write_back()?;
    /// assert_eq!(a.borrow().heat, 5.0);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// [`TraceError`]: for example if an object is borrowed.
    fn trace<R: Roots + ?Sized>(roots: &R) -> Result<Traced<Self>, TraceError> {
        let mut graph = Graph::default();
        roots.enter(&mut Tracer::new(&mut graph)).map_err(no_field)?;
        graph.visit_all()?;
        let mut world = Self::new();
        for store in graph.stores_mut() {
            let mut members = world.members_mut();
            let is_held = members.as_mut().iter_mut().any(|member| store.enter(&mut **member));
            if !is_held {
                return Err(TraceError::NotInWorld { class: store.class() });
            }
        }
        Ok(Traced { world, graph })
    }
}

impl<W: World> TraceWorld for W {}

/// The error for a root, of which nothing but its place among the objects can be wrong.
fn no_field(problem: Problem) -> TraceError {
    match At::from(problem).problem {
        Problem::Inner(error) => *error,
        problem => TraceError::Object { class: "root", field: None, id: 0, problem },
    }
}

/// A world of ordinary objects, made by [`trace`](TraceWorld::trace). It is used like the world itself. It keeps the
/// ordinary objects alive, and a copy of their columns.
///
/// ```
/// use std::cell::Cell;
/// use std::rc::Rc;
/// use ikra::{prelude::*, trace::{Trace, TraceWorld}};
///
/// #[soa_class]
/// pub struct Body { pub pos: f32, pub vel: f32 }
/// #[soa_methods]
/// impl Body { #[kernel] pub fn advance(&mut self, dt: f32) { self.pos += self.vel * dt; } }
/// #[soa_world]
/// pub struct Sim { pub bodies: Objects<Body> }
///
/// #[derive(Trace)]
/// #[trace(class = Body)]
/// struct PlainBody { pos: Cell<f32>, vel: f32 }
///
/// # fn main() -> Result<(), ikra::trace::TraceError> {
/// let bodies: Vec<_> = (0..3).map(|n| Rc::new(PlainBody { pos: Cell::new(0.0), vel: n as f32 })).collect();
/// let mut sim = Sim::trace(&bodies)?;
/// sim.execute(Body::advance, 0.5);
/// assert_eq!(sim.write_back()?, 2); // the first body stands still
/// assert_eq!(bodies[2].pos.get(), 1.0);
/// let link = sim.link_to(&bodies[2]).unwrap();
/// assert_eq!(sim.get(link).vel(), 2.0);
/// # Ok(()) }
/// ```
pub struct Traced<W: World> {
    world: W,
    graph: Graph,
}

impl<W: World> Traced<W> {
    /// Writes all changes since the trace, or since the last `write_back`, into the ordinary objects. Returns the
    /// number of objects that it wrote. Columns are compared with a copy, so that objects and fields without a change
    /// are not touched; changes that a GPU made are fetched.
    ///
    /// # Errors
    ///
    /// [`TraceError`]: for example if an object is borrowed, or a field is neither in a cell nor in an object in a
    /// cell. Objects and fields before this one have been written; the next call writes all changes again.
    pub fn write_back(&mut self) -> Result<usize, TraceError> {
        self.fetch(false)?;
        let written = self.write()?;
        self.fetch(true)?;
        let members = self.world.members();
        let members = members.as_ref();
        self.graph.stores_mut().for_each(|store| store.keep(members));
        Ok(written)
    }

    /// Finds the changes and writes them.
    fn write(&mut self) -> Result<usize, TraceError> {
        let members = self.world.members();
        let members = members.as_ref();
        self.graph.stores().try_for_each(|store| store.check(members))?;
        let mut has_owned_changes = false;
        for store in self.graph.stores_mut() {
            has_owned_changes |= store.compare(members);
        }
        let context = Context { graph: &self.graph, members, has_owned_changes };
        self.graph.stores().try_for_each(|store| store.write(&context))?;
        if has_owned_changes {
            context.write_removed().map_err(no_field)?;
            self.graph.stores().try_for_each(|store| store.check_reached())?;
        }
        Ok(self.graph.stores().map(|store| store.written()).sum())
    }

    /// Fetches what devices have changed: before the comparison what ordinary objects have, after it what is kept.
    fn fetch(&mut self, all: bool) -> Result<(), TraceError> {
        let mut members = self.world.members_mut();
        for store in self.graph.stores() {
            members.as_mut().iter_mut().try_for_each(|member| store.fetch(&mut **member, all))?;
        }
        Ok(())
    }

    /// The link to an ordinary object, if it was traced.
    pub fn link_to<X: TraceObject>(&self, object: &Rc<X>) -> Option<X::Link> {
        self.graph.find::<X>(Rc::as_ptr(object).addr())
    }

    /// The ordinary object of a link: the opposite of [`link_to`](Self::link_to). `None` if the link is to an object of
    /// another ordinary type, to one in an `Arc` or `Box`, or to one that was made after the trace.
    ///
    /// ```
    /// # use std::rc::Rc;
    /// # use ikra::{prelude::*, trace::{Trace, TraceWorld}};
    /// # #[soa_class]
    /// # pub struct Body { pub mass: f32 }
    /// # #[soa_world]
    /// # pub struct Sim { pub bodies: Objects<Body> }
    /// # #[derive(Trace)]
    /// # #[trace(class = Body)]
    /// # struct PlainBody { mass: f32 }
    /// # fn main() -> Result<(), ikra::trace::TraceError> {
    /// let body = Rc::new(PlainBody { mass: 1.0 });
    /// let sim = Sim::trace(&body)?;
    /// let link = sim.bodies.links().next().unwrap();
    /// assert!(Rc::ptr_eq(&sim.object::<PlainBody>(link).unwrap(), &body));
    /// # Ok(()) }
    /// ```
    pub fn object<X: TraceObject>(&self, link: X::Link) -> Option<Rc<X>> {
        self.graph.pointer(link.into()).ok()
    }

    /// The text that a number stands for.
    ///
    /// ```
    /// use std::rc::Rc;
    /// use ikra::{prelude::*, trace::{Trace, TraceWorld}};
    ///
    /// #[soa_class]
    /// pub struct City { pub name: u32 }
    /// #[soa_world]
    /// pub struct Map { pub cities: Objects<City> }
    /// #[derive(Trace)]
    /// #[trace(class = City)]
    /// struct PlainCity { name: String }
    ///
    /// # fn main() -> Result<(), ikra::trace::TraceError> {
    /// let cities = ["Aarhus", "Basel", "Aarhus"].map(|name| Rc::new(PlainCity { name: name.into() }));
    /// let map = Map::trace(&cities)?;
    /// assert_eq!(map.cities.column(city::name), [0, 1, 0]);
    /// assert_eq!(map.text(1), Some("Basel"));
    /// # Ok(()) }
    /// ```
    pub fn text(&self, number: u32) -> Option<&str> {
        self.graph.texts.text(number)
    }

    /// The number of a text, a new one if no `String` had it: for kernels that store texts.
    ///
    /// # Errors
    ///
    /// [`TraceError`] if there are 2³² texts.
    pub fn intern(&mut self, text: &str) -> Result<u32, TraceError> {
        self.graph.texts.number(text).map_err(no_field)
    }

    /// The world, without the ordinary objects.
    pub fn into_world(self) -> W {
        self.world
    }
}

impl<W: World> Deref for Traced<W> {
    type Target = W;
    fn deref(&self) -> &W {
        &self.world
    }
}

impl<W: World> DerefMut for Traced<W> {
    fn deref_mut(&mut self) -> &mut W {
        &mut self.world
    }
}

impl<W: World> fmt::Debug for Traced<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let members = self.world.members();
        let counts = members.as_ref().iter().map(|member| (member.name(), member.count()));
        f.write_str("Traced")?;
        f.debug_map().entries(counts).finish()
    }
}
