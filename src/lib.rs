//! Write ordinary structs, impl blocks and methods, and run them for all objects of a class on every core of the host.
//! They run at the speed of hand-written Structure-of-Arrays code, and data races are rejected at compile time.
//!
//! ```
//! use ikra::prelude::*;
//!
//! #[soa_class]
//! pub struct Body {
//!     pub pos: [f32; 2],
//!     pub vel: [f32; 2],
//!     pub mass: f32,
//! }
//!
//! #[soa_methods]
//! impl Body {
//!     #[kernel]
//!     pub fn advance(&mut self, dt: f32) {
//!         for d in 0..2 {
//!             self.pos[d] += self.vel[d] * dt;
//!         }
//!     }
//!     #[kernel(reduce(Sum))]
//!     pub fn kinetic_energy(&self) -> f32 {
//!         0.5 * self.mass * self.vel.iter().map(|v| v * v).sum::<f32>()
//!     }
//! }
//!
//! #[soa_world]
//! pub struct Sim {
//!     pub bodies: Objects<Body>,
//! }
//!
//! fn main() -> Result<(), ikra::Error> {
//!     let mut sim = Sim::new();
//!     let body = sim.bodies.push(Body { pos: [0.0, 1.0], vel: [2.0, 0.0], mass: 3.0 })?;
//!     sim.execute(Body::advance, 0.5);                       // all bodies, all cores
//!     assert_eq!(sim.get(body).pos(), [1.0, 1.0]);
//!     assert_eq!(sim.execute_and_reduce(Body::kinetic_energy, (), Sum), 6.0);
//!     Ok(())
//! }
//! ```
//!
//! # Terms
//!
//! | term | meaning | ordinary Rust |
//! | --- | --- | --- |
//! | class | a struct under [`#[soa_class]`](soa_class); an *object* is one instance | a struct |
//! | row | the struct's value, with which a program constructs, reads or writes one whole object | a value |
//! | column | the storage of one field for all objects | one field of a `Vec`'s elements |
//! | world | a struct under [`#[soa_world]`](soa_world): owns the objects of a closed set of classes | a struct of `Vec`s |
//! | [`Link`] | 4 bytes that name an object; columns store links | an index, `&T` |
//! | view | the `self` of a method, with real fields: `BodyMut` | `&mut self` |
//! | ref | another object, read through getters: `Ref<Body>` in methods, `BodyRef` elsewhere | `&T` |
//! | kernel | a method under `#[kernel]`, which can run for all objects of its class in parallel | a loop's body |
//! | phase | the code that uses a view or ref: one kernel, or sequential code | |
//!
//! # Data races
//!
//! A kernel does not compile if it writes a field of its own object and reads the same field of another one:
//!
//! ```compile_fail
//! # use ikra::prelude::*;
//! # #[soa_class] pub struct Cell { pub alive: bool, pub next: Link<Cell> }
//! # #[soa_world] pub struct Grid { pub cells: Objects<Cell> }
//! #[soa_methods]
//! impl Cell {
//!     #[kernel]
//!     pub fn live(&mut self) {
//!         self.alive = self.next.alive();
//!     }
//! }
//! # fn main() { Grid::new().execute(Cell::live, ()); }
//! ```
//!
//! > data race: kernel `Cell::live` writes `Cell::alive` of its own object and reads it from another;
//! > split the kernel in two, or let others see the value from before it with
//! > `#[kernel(snapshot(alive))]`, or make the field `#[atomic]` and update it in one kernel and load it in
//! > the next
//!
//! The check is made when the kernel is instantiated, by `cargo build`. `cargo check` reports errors that are certain
//! from the text alone. The set of fields that a method writes is inferred from its text, including the methods that it
//! calls on `self`. The text does not show some writes, such as those of a macro or of a `&mut self` method of the
//! field's own type. Such a write panics with the `#[kernel(writes(…))]` to add; it is never lost.
//!
//! # The same result in every order
//!
//! Results do not depend on the number of threads, and this is checked in the same way. Only `#[atomic]` fields could
//! make them depend on it, because objects change them for each other. Here a person's infection depends on the people
//! who were treated before:
//!
//! ```compile_fail
//! # use ikra::prelude::*;
//! # #[soa_class] pub struct Person { #[atomic] pub infected: bool, pub next: Link<Person> }
//! # #[soa_world] pub struct Town { pub people: Objects<Person> }
//! #[soa_methods]
//! impl Person {
//!     #[kernel]
//!     pub fn infect(&mut self) {
//!         if self.next.infected().load() { self.infected.or(true); }
//!     }
//! }
//! # fn main() { Town::new().execute(Person::infect, ()); }
//! ```
//!
//! > order of threads: in kernel `Person::infect`, `Person::infected` is loaded and updated by `or`, so that the
//! > result depends on the order. Split the kernel in two, or only update the field by one operation that commutes
//! > (`add`, `min`, `max`, `or`, `and`) and load it in the next kernel, or, if the result is the same in every order,
//! > say `#[kernel(unordered(infected))]`
//!
//! [`Atomic`] lists the operations that a kernel may use. The promise does not cover state that Ikra does not see: a
//! `static`, a `Mutex` or another world that a kernel receives or captures. It does not cover a kernel that asks
//! [`thread`](mod@thread) or [`warp`] where it runs, or a [`Reducer`] of your own that is not associative and
//! commutative. Nor does it cover fields that a kernel declares `unordered`.
//!
//! # Behaviour that classes share
//!
//! A trait can be implemented for refs (`BodyRef`), to read any object, and for views (`BodyMut`), to change the
//! method's own object. The implementation covers every phase `P`, so the check for data races applies within it.
//!
//! ```
//! use ikra::{Phase, prelude::*};
//!
//! #[soa_class]
//! pub struct Star { pub pos: f64, pub mass: f64 }
//! #[soa_class]
//! pub struct Planet { pub pos: f64, pub vel: f64, pub star: Link<Star>, pub moon: Option<Link<Planet>> }
//!
//! /// Objects that attract others.
//! pub trait Attractor {
//!     fn place(&self) -> f64;
//!     fn weight(&self) -> f64;
//! }
//! impl<P: Phase> Attractor for StarRef<'_, P> {
//!     fn place(&self) -> f64 { self.pos() }
//!     fn weight(&self) -> f64 { self.mass() }
//! }
//! impl<P: Phase> Attractor for PlanetRef<'_, P> {
//!     fn place(&self) -> f64 { self.pos() }
//!     fn weight(&self) -> f64 { 0.001 }
//! }
//! fn pull(at: f64, by: impl Attractor) -> f64 {
//!     (by.place() - at).signum() * by.weight()
//! }
//!
//! /// Objects that move.
//! pub trait Mover {
//!     fn advance(&mut self, dt: f64);
//! }
//! impl<P: Phase> Mover for PlanetMut<'_, P> {
//!     fn advance(&mut self, dt: f64) { self.pos += self.vel * dt; }
//! }
//!
//! #[soa_methods]
//! impl Planet {
//!     #[kernel]
//!     pub fn accelerate(&mut self, dt: f64) {
//!         let mut force = pull(self.pos, self.star);
//!         if let Some(moon) = self.moon { force += pull(self.pos, moon); }
//!         self.vel += force * dt;
//!     }
//!     // Passing on the whole object counts as a change of every field without this attribute.
//!     #[kernel(writes(pos))]
//!     pub fn drift(&mut self, dt: f64) {
//!         Mover::advance(self, dt);
//!     }
//! }
//!
//! #[soa_world]
//! pub struct Sky { pub stars: Objects<Star>, pub planets: Objects<Planet> }
//!
//! # fn main() -> Result<(), ikra::Error> {
//! let mut sky = Sky::new();
//! let star = sky.stars.push(Star { pos: 0.0, mass: 2.0 })?;
//! let moon = sky.planets.push(Planet { pos: 11.0, vel: 0.0, star, moon: None })?;
//! let planet = sky.planets.push(Planet { pos: 10.0, vel: 0.0, star, moon: Some(moon) })?;
//! sky.execute(Planet::accelerate, 0.5);
//! sky.execute(Planet::drift, 2.0);
//! assert_eq!(sky.get(planet).pos(), 10.0 - 1.999);
//! // Traits of refs also work in sequential code.
//! assert_eq!(pull(20.0, sky.get(star)), -2.0);
//! # Ok(()) }
//! ```
//!
//! # Places to run
//!
//! `sim.execute(…)` runs on the host. [`sim.on(place)`](World::on) provides the same executors at any [`Place`]: the
//! host or, with the feature `cuda`, an NVIDIA GPU. The place may come from the command line.
//!
//! ```
//! use ikra::{Place, prelude::*};
//! # #[soa_class] pub struct Body { pub pos: f32, pub vel: f32 }
//! # #[soa_methods]
//! # impl Body {
//! #     #[kernel] pub fn advance(&mut self, dt: f32) { self.pos += self.vel * dt; }
//! #     #[kernel(reduce(Sum))] pub fn energy(&self) -> f32 { self.vel * self.vel }
//! # }
//! # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
//! # fn main() -> Result<(), ikra::Error> {
//! # let mut sim = Sim::new();
//! let place: Place = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(Place::Host);
//! sim.on(place).execute(Body::advance, 0.01)?;
//! let energy = sim.on(place).execute_and_reduce(Body::energy, (), Sum)?;
//! # assert_eq!(energy, 0.0);
//! # Ok(()) }
//! ```
//!
//! # How it works
//!
//! In the repository, `docs/architecture.md` follows a kernel from its attribute to the loop and to the GPU. It also
//! lists the terms that the code uses, and where new features belong. `docs/soundness.md` proves soundness.
//!
//! # Features
//!
//! | feature | effect | default |
//! | --- | --- | --- |
//! | `cuda` | kernels on NVIDIA GPUs: `CudaWorld` in the prelude. A program with it builds and starts without CUDA or a GPU | no |
//! | `cudarc` | `cuda`, and worlds in the contexts of `cudarc`, with columns as its slices: `ikra::gpu::interop`. The program may choose CUDA's version by one of `cudarc`'s features | no |
//! | `cust` | the same interoperation for `cust`, which needs a CUDA toolkit to build | no |
//! | `glam` | `glam`'s vectors, quaternions and matrices as values of fields | no |
//! | `report` | `ikra::report`: the position of each column in memory, as a table or a drawing, and advice on inner arrays | no |
//! | `serde` | [`Link`], [`InnerArray`], [`Objects`] and worlds can be serialized and deserialized; rows by their own `derive`. Deserialized data is checked: ids, lengths, capacities | no |
//! | `tables` | `ikra::tables`: worlds from Arrow's record batches, Parquet and CSV, and back, and checkpoints | no |
//! | `trace` | `ikra::trace`: objects of an ordinary program, in `Rc`s for example, become a world, and changes are written back into them | no |
//!
//! ```toml
//! ikra = { version = "0.1", features = ["cuda", "serde"] }
//! ```
//!
//! With `serde`, a `derive` after the attribute is enough:
//!
//! ```
//! # #[cfg(feature = "serde")] {
//! use ikra::prelude::*;
//! use serde::{Deserialize, Serialize};
//!
//! #[soa_class]
//! #[derive(Serialize, Deserialize)]
//! pub struct Node { pub value: u32, pub next: Option<Link<Node>> }
//! #[soa_world]
//! #[derive(Serialize, Deserialize)]
//! pub struct Graph { pub nodes: Objects<Node> }
//!
//! let text = r#"{"nodes":[{"value":3,"next":2},{"value":4,"next":null}]}"#;
//! let graph: Graph = serde_json::from_str(text).unwrap();
//! let first = graph.nodes.links().next().unwrap();
//! assert_eq!(graph.get(first).next().unwrap().value(), 4);
//! assert_eq!(serde_json::to_string(&graph).unwrap(), text);
//! # }
//! ```

#![warn(unreachable_pub)]
// On docs.rs: shows which feature an item needs, where an attribute names it.
#![cfg_attr(docsrs, feature(doc_cfg), doc(auto_cfg = false))]
#![cfg_attr(target_arch = "nvptx64", no_std)]

// Code that the macros make for Ikra's own classes refers to this crate as `ikra`.
extern crate self as ikra;

/// The items that differ between host and device.
#[cfg_attr(target_arch = "nvptx64", path = "device.rs")]
#[cfg_attr(not(target_arch = "nvptx64"), path = "host.rs")]
mod target;

pub use ikra_core::class::Class;
pub use ikra_core::column::Column;
pub use ikra_core::device_code::DeviceCode;
pub use ikra_core::effects::{Effects, FieldSet};
pub use ikra_core::grid::Grid;
pub use ikra_core::groups::{Around, Group, Grouped, Groups, Keys};
pub use ikra_core::handle::{AllObjects, Follow};
pub use ikra_core::info::ClassInfo;
pub use ikra_core::kernel::effects;
pub use ikra_core::link::Link;
pub use ikra_core::mapped::{Mapped, Of};
pub use ikra_core::object::{KernelObject, LendsFields, Object, Ref};
pub use ikra_core::order::{AtomicOwner, AtomicUse};
pub use ikra_core::phase::{Guarded, NotInKernelWrites, Phase, Sequential};
pub use ikra_core::reduce::{All, Any, Max, Min, Reducer, Sum};
pub use ikra_core::spawn::Spawn;
pub use ikra_core::storage::{Atomic, AtomicValue, InnerArray};
pub use ikra_core::value::{Fixed, Value};
pub use ikra_core::worklist::Worklist;
pub use ikra_core::{math, rng, thread, warp};
pub use ikra_macros::{Value, device_code, kernel, soa_class, soa_dispatch, soa_methods, soa_world};
pub use target::*;

/// Arrays in objects: the types that methods and getters show for a field under `#[inline_array]`.
pub mod arrays {
    pub use ikra_core::storage::{ArrayStorage, Enumerated, InnerAtomics, InnerIter, InnerIterMut, InnerMut, InnerRef};
}

/// Traits over classes, under `#[soa_dispatch]`: the traits and types behind `Ref<Actor>`, `ActorLink` and `Actor::tick`.
pub mod dispatch {
    pub use crate::target::dispatch::*;
    pub use ikra_core::dispatch::{AnyLink, Dispatch, Implements, Includes, OtherClass, Referent};
}

/// The options of `#[soa_class]` as data: how a class is laid out.
pub mod layout {
    pub use ikra_core::info::{Addressing, LayoutKind};
}

/// The contents of `use ikra::prelude::*`: the macros, the traits, and the types that models name.
///
/// ```
/// use ikra::prelude::*;
///
/// #[derive(Clone, Copy, Value)]
/// #[repr(C)]
/// pub struct Colour { pub red: u8, pub green: u8, pub blue: u8 }
/// #[soa_class]
/// pub struct Light { pub colour: Colour, #[atomic] pub switched: u32 }
/// ```
pub mod prelude {
    pub use crate::target::prelude::*;
    pub use crate::{
        All, Any, Atomic, InnerArray, KernelObject, Link, Max, Min, Object, Objects, Of, Phase, Reducer, Ref, Spawn,
        Sum, Value, kernel, soa_class, soa_dispatch, soa_methods, soa_world,
    };
    pub use ikra_core::math::GpuFloat;
}

/// Items for the macros' code.
#[doc(hidden)]
pub mod rt {
    pub use crate::target::rt::*;
    pub use ikra_core::class::Field;
    pub use ikra_core::dispatch::{AnyHandle, Downcast, Extends, Found, Narrow, Wide};
    pub use ikra_core::effects::{MethodEffects, Reached};
    pub use ikra_core::expansion::{
        class, class_symbol, dispatch, dispatch_kernel, examine, handle, kernel, reach, standard, turn_end,
    };
    pub use ikra_core::handle::{Handle, Own};
    pub use ikra_core::info::ClassId;
    pub use ikra_core::kernel::{Call, Construct, Kernel, PairCall, ReducedBy};
    pub use ikra_core::known::{FieldSeen, FieldView, No, NotDerived, Probe};
    pub use ikra_core::layout::{Aos, Soa, Tiles};
    pub use ikra_core::link::Followed;
    pub use ikra_core::mistakes;
    pub use ikra_core::moves::Moves;
    pub use ikra_core::order::{OfAny, OfSelf};
    pub use ikra_core::origin::meaning;
    pub use ikra_core::phase::{AllRaceFree, RaceFree};
    pub use ikra_core::storage::{
        AtomicColumn, AtomicInner, Flat, Flatten, FullyInlined, Inner, PartlyInlined, Plain, WholeArray,
    };
    pub use ikra_core::table::Targets;
    pub use ikra_core::target::host_only;
    pub use ikra_core::value::{BadLink, Joined, LaneArray, assume_good};
    pub use ikra_macros::{__expand_dispatch, __expand_methods};
}

/// The README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The guide's examples.
#[cfg(doctest)]
#[doc = include_str!("../docs/guide.md")]
struct Guide;

/// The examples of traits over classes.
#[cfg(doctest)]
#[doc = include_str!("../docs/dispatch.md")]
struct ObjectsOfSeveralClasses;

/// The examples of arrays in objects.
#[cfg(doctest)]
#[doc = include_str!("../docs/arrays.md")]
struct Arrays;

/// The examples of atomic fields.
#[cfg(doctest)]
#[doc = include_str!("../docs/atomics.md")]
struct AtomicFields;
