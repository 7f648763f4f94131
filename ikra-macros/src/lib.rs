//! The procedural macros behind the `ikra` crate: parse → model → expand, one folder per attribute.
//!
//! | folder | attribute |
//! | --- | --- |
//! | `class` | `#[soa_class]` |
//! | `methods` | `#[soa_methods]`, and `#[kernel]` within |
//! | `dispatch` | `#[soa_dispatch]`, and `#[soa_methods]` on the block of such a trait |
//! | `world` | `#[soa_world]` |
//! | `value` | `#[derive(Value)]` |
//! | `trace` | `#[derive(Trace)]` |
//!
//! `device_code` is `device_code!()`.

#![warn(unreachable_pub)]

mod class;
mod device_code;
mod diagnostics;
mod dispatch;
#[cfg(test)]
mod expansions;
mod krate;
mod methods;
mod stored;
mod symbol;
mod trace;
mod value;
mod world;

use proc_macro::TokenStream;

/// Makes a struct a class: its objects are stored column by column.
///
/// The struct itself does not change: it is the *row*, used to construct, read and write whole objects. For a struct
/// `Body`, the macro adds:
///
/// | | |
/// | --- | --- |
/// | `BodyMut<'w, P>` | the view: the type of `self` in `#[soa_methods]`, with real fields |
/// | `BodyRef<'w, P>` | the ref: another object, with a getter per field; written `Ref<Body>` in methods |
/// | `body::mass` | a name per column, for `Objects::column` |
///
/// # Options
///
/// `#[soa_class(layout = "soa", capacity = 1_000_000, addressing = "zero")]`
///
/// | option | values |
/// | --- | --- |
/// | `layout` | `"soa"` (default): one array per column; `"tiles"`: SoA in blocks of 128 objects (`tile = 64` for 64); `"aos"`: an array of structs |
/// | `capacity` | the maximum number of objects; makes SoA's strides compile-time constants. Without it the storage grows |
/// | `addressing` | `"zero"` (default), `"storage"`, `"first_field"`: the meaning of `Link::to_bits` |
/// | `arena` | size in bytes of the arena for elements of inner arrays that have no slot; without it the arena grows |
/// | `columns` | the module name before `::mass`; by default the struct's name in snake case |
/// | `crate` | the path to `ikra`, for users of a crate that re-exports it: `crate = other::ikra`. A renamed dependency (`soa = { package = "ikra", … }`) is found automatically |
///
/// # Fields
///
/// | field | in a view | on a ref |
/// | --- | --- | --- |
/// | a number, `bool`, array, `#[derive(Value)]` struct | the value | a getter |
/// | `Link<X>`, `Option<Link<X>>` | `Ref<X>`, `Option<Ref<X>>` | a getter that returns this ref |
/// | `#[atomic]` | [`Atomic`](../ikra/struct.Atomic.html), which every object can change | a getter that returns the `Atomic` |
/// | `#[soa(flatten)]` on a struct | the struct; stored as one column per component | a getter |
/// | `#[inline_array]` on `[T; N]` | [`InnerMut`](../ikra/struct.InnerMut.html): one column per slot (INNER §2.1) | [`InnerRef`](../ikra/struct.InnerRef.html) |
/// | `#[inline_array(object)]` on `[T; N]` | `InnerMut`, in one column of arrays | `InnerRef` |
/// | `#[inline_array(K)]` on `InnerArray<T>` | `InnerMut` of any length: `K` slots, the rest in the class's arena | `InnerRef` |
/// | `#[atomic] #[inline_array…]` | [`InnerAtomics`](../ikra/struct.InnerAtomics.html): each element is an `Atomic` | `InnerAtomics` |
///
/// # Limits
///
/// | quantity | limit | if exceeded |
/// | --- | --- | --- |
/// | fields | 64 | an error of the macro |
/// | alignment of a value, also in an inner array | 4096 bytes; 256 in a class compiled for the device | a build error |
/// | total size of all fields except inner arrays | about 256 KiB | the thread's stack (2 MiB by default) may overflow |
///
/// The last limit concerns the size of a view: a method's `self` is on the stack, and debug builds keep several copies.
/// Use `#[inline_array]` for large arrays: their elements stay in the columns. Otherwise increase rayon's
/// `ThreadPoolBuilder::stack_size`.
///
/// # Example
///
/// ```
/// use ikra::prelude::*;
///
/// #[soa_class(layout = "tiles")]
/// #[derive(Clone, Debug)]
/// pub struct Car {
///     /// Metres per second.
///     pub speed: f32,
///     pub ahead: Option<Link<Car>>,
///     #[atomic]
///     pub honks: u32,
/// }
///
/// let row = Car { speed: 10.0, ahead: None, honks: 0 };
/// assert_eq!(row.clone().speed, 10.0);
/// ```
#[proc_macro_attribute]
pub fn soa_class(args: TokenStream, item: TokenStream) -> TokenStream {
    class::soa_class(args.into(), item.into()).into()
}

/// Makes the methods of an impl block available on the class's objects.
///
/// Methods with `&self` or `&mut self` move to the view; those with `&self` can also be called on a `Ref<Body>`. Other
/// functions and constants stay on the struct. In signatures and bodies, `Ref<X>` is another object of class `X`, and
/// `Self` is the struct.
///
/// # Effects on fields
///
/// The macro reads a method's effects from its text. A field is written if it is assigned, borrowed by `&mut`, or
/// changed by a method such as `sort`. Methods called on `self` are included. The executor detects every other write at
/// run time and suggests the `writes(…)` to add.
///
/// | in the text | counts as |
/// | --- | --- |
/// | `self.mass` | a use of `mass` |
/// | `let body = self;`, `f(self)` | a change of every field, unless the kernel says `writes(…)` |
/// | `f(&*self)`, `format!("{self:?}")` | a use of every field |
/// | `my_macro!(self.mass)`, a macro of your own | a use of every field, and a change of `mass` unless the method also reads `other.mass()` |
/// | `my_macro!()`, `include!(…)` | nothing: a `self` that it expands to does not compile |
/// | `self.vel.normalize()`, a `&mut self` method of a value | an error, unless the kernel writes `vel`: write `(&mut self.vel).normalize()` |
///
/// # Effects on atomic fields
///
/// A kernel may treat each `#[atomic]` field in one of three ways. It loads the field; it updates the field by one
/// commutative operation; or it does anything, but only to its own object's field. See
/// [`Atomic`](../ikra/struct.Atomic.html). The macro finds these operations in the text too, by field name. The
/// operation applies to the nearest name before it, as in `self.shop.visits().add(1)`, through local variables,
/// closures, and methods of the same block. The compiler then checks the operations by type. An operation that the text
/// does not show is an error that asks for `updates(…)` or `loads(…)`. An operation that breaks the rule is an error
/// that explains the dependence on order. A field of the same name in another class counts as this field.
///
/// `field.add(1)` is an update; `field.fetch_add(1)` returns the previous value, so it is not an update.
///
/// # Several blocks
///
/// A class may have several blocks, in different modules. A block finds the class's fields through a macro of the
/// class's name, which is imported together with the class. Import the view and the ref too (`use model::{Body,
/// BodyMut, BodyRef}`), or write a path, `impl model::Body`. "Cannot find macro `Body`" means that the struct lacks
/// `#[soa_class]`, or belongs to another crate: all methods of a class are in its own crate. To extend a class of
/// another crate, implement a trait of your own for its view and ref, `BodyMut<'_, P>` and `BodyRef<'_, P>`.
///
/// A block uses the same path to `ikra` as its class; `#[soa_methods(crate = path)]` overrides it.
///
/// # Differences from ordinary methods
///
/// In a pattern, `Self { pos, .. }` is the view, whose links are refs; everywhere else `Self` is the struct. Fields,
/// kernels and methods of a class count as used, so the compiler does not warn if they are unused.
///
/// # `#[kernel]`
///
/// | attribute | the method | executor |
/// | --- | --- | --- |
/// | `#[kernel]` | `fn step(&mut self, …)` | `execute`, for all objects, or a selection with `over` |
/// | `#[kernel(pairs)]` | `fn attract(&mut self, other: Ref<X>, …)` | `execute_pairs` |
/// | `#[kernel(reduce(Sum, …))]` | `fn energy(&self, …) -> T` | `execute_and_reduce` |
/// | `#[kernel]` | `fn spawn(id: u32, …) -> Self` | `construct` |
///
/// | option | meaning |
/// | --- | --- |
/// | `writes(field, …)` | the method changes these fields in ways that its text does not show |
/// | `snapshot(field, …)` | other objects are read as they were before the kernel |
/// | `unordered(field, …)` | allows any atomic operations on these fields: you guarantee that the result is the same in every order |
/// | `updates(add(field), …)`, `loads(field, …)`, `stores(field, …)` | the kernel's operations on atomic fields; replaces the operations found in its text. `stores` concerns the kernel's own object. Updates are `add`, `min`, `max`, `or` and `and` |
/// | `heavy`, `light` | whether a call does much work; if so, the kernel uses several threads even for few objects, and is compiled for several instruction sets. By default a method with a loop is heavy |
///
/// # Example
///
/// ```
/// use ikra::prelude::*;
///
/// # #[soa_class] pub struct Car { pub speed: f32, pub ahead: Option<Link<Car>>, #[atomic] pub honks: u32 }
/// #[soa_methods]
/// impl Car {
///     pub fn new(speed: f32, ahead: Option<Link<Car>>) -> Self { Self { speed, ahead, honks: 0 } }
///
///     /// All cars look at the speeds from before.
///     #[kernel(snapshot(speed))]
///     pub fn drive(&mut self, limit: f32) {
///         self.speed = self.ahead.map_or(limit, |car| car.speed().min(limit));
///         if let Some(car) = self.ahead && car.is_slow() {
///             car.honks().add(1);
///         }
///     }
///
///     pub fn is_slow(&self) -> bool { self.speed < 5.0 }
/// }
/// # #[soa_world] pub struct Road { pub cars: Objects<Car> }
/// # fn main() -> Result<(), ikra::Error> {
/// # let mut road = Road::new();
/// let first = road.cars.push(Car::new(3.0, None))?;
/// let second = road.cars.push(Car::new(20.0, Some(first)))?;
/// road.execute(Car::drive, 10.0);
/// assert_eq!((road.get(first).speed(), road.get(second).speed()), (10.0, 3.0));
/// assert_eq!(road.get(first).honks().load(), 1);
/// # Ok(()) }
/// ```
#[proc_macro_attribute]
pub fn soa_methods(args: TokenStream, item: TokenStream) -> TokenStream {
    methods::soa_methods(args.into(), item.into()).into()
}

/// Marks a method inside [`macro@soa_methods`] as a kernel; its options are listed there. Anywhere else the attribute
/// is an error.
///
/// Do not import the attribute: `#[soa_methods]` knows it by name, and the compiler would report `use ikra::kernel` as
/// unused.
///
/// ```
/// use ikra::prelude::*;
///
/// #[soa_class]
/// pub struct Body { pub age: u32 }
///
/// #[soa_methods]
/// impl Body {
///     #[kernel]
///     pub fn grow_older(&mut self) { self.age += 1; }
/// }
/// ```
#[proc_macro_attribute]
pub fn kernel(args: TokenStream, item: TokenStream) -> TokenStream {
    methods::misplaced(&args.into(), item.into()).into()
}

/// Makes a trait that several classes share. You can link to objects of these classes, call their methods, and run
/// their kernels, whatever their class.
///
/// `#[soa_dispatch(Car, Pedestrian)]` lists the classes that implement the trait, each by `#[soa_methods] impl Actor
/// for Car`. The trait's name becomes a type that represents all their objects. The macro adds:
///
/// | | |
/// | --- | --- |
/// | `ActorLink` | a link to an object of any of these classes: 4 bytes, the class in the top bits ([`AnyLink`](../ikra/struct.AnyLink.html)) |
/// | `ActorRef<'w, P>` | another object, with the trait's `&self` methods; written `Ref<Actor>` in methods |
/// | `ActorIs` | a link, a ref or a guard as an enum over the classes, for `match` |
/// | `Actor::tick` | the kernel for a `#[kernel]` method; it runs for the objects of all classes |
///
/// # Options
///
/// | option | |
/// | --- | --- |
/// | `wide` | links of 8 bytes; each class may then have as many objects as without the trait |
/// | `strategy = "type_pointer"` | how a link encodes the class: in its bits, which is the default and fastest. The alternatives, in the crate `ikra-strategies`, exist for benchmarks |
/// | `crate = path` | the path to `ikra`, as for [`macro@soa_class`] |
///
/// # Items of the trait
///
/// Methods with `&self` and `&mut self`, with or without default bodies; functions; constants; other such traits as
/// supertraits. Methods have no type parameters. A trait's methods become methods of the class, which can have only one
/// method per name. A default body is copied as if it were written in the class's block: it may use fields that all
/// these classes have.
///
/// The check for data races follows calls: `self.target.pace()` counts as reading every field that `pace` reads in any
/// class. Within a kernel of the trait, no object may read a field that an object of another class writes.
///
/// # Example
///
/// ```
/// use ikra::prelude::*;
///
/// #[soa_class]
/// pub struct Car { pub km: u32, pub ahead: Option<ActorLink> }
/// #[soa_class]
/// pub struct Pedestrian { pub steps: u32 }
///
/// #[soa_dispatch(Car, Pedestrian)]
/// pub trait Actor {
///     const WHEELS: u32 = 0;
///     #[kernel]
///     fn tick(&mut self, hours: u32);
///     #[kernel(reduce(Max))]
///     fn pace(&self) -> u32 { 1 + Self::WHEELS }
/// }
///
/// #[soa_methods]
/// impl Actor for Car {
///     const WHEELS: u32 = 4;
///     fn tick(&mut self, hours: u32) {
///         self.km += hours * self.ahead.map_or(100, |actor| 10 * actor.pace());
///     }
/// }
/// #[soa_methods]
/// impl Actor for Pedestrian {
///     fn tick(&mut self, hours: u32) { self.steps += 5000 * hours; }
/// }
///
/// # #[soa_world] pub struct Town { pub cars: Objects<Car>, pub pedestrians: Objects<Pedestrian> }
/// # fn main() -> Result<(), ikra::Error> {
/// # let mut town = Town::new();
/// let walker = town.pedestrians.push(Pedestrian { steps: 0 })?;
/// let car = town.cars.push(Car { km: 0, ahead: Some(walker.into()) })?;
/// town.execute(Actor::tick, 2);
/// assert_eq!((town.get(car).km(), town.get(walker).steps()), (20, 10_000));
/// assert_eq!(town.execute_and_reduce(Actor::pace, (), Max), 5);
/// let actor: ActorLink = car.into();
/// match town.get(actor).class() {
///     ActorIs::Car(car) => assert_eq!(car.km(), 20),
///     ActorIs::Pedestrian(_) => unreachable!(),
/// }
/// # Ok(()) }
/// ```
#[proc_macro_attribute]
pub fn soa_dispatch(args: TokenStream, item: TokenStream) -> TokenStream {
    dispatch::soa_dispatch(args.into(), item.into()).into()
}

/// The second stage of [`macro@soa_methods`] for an implementation of a trait, called by the trait's macro.
#[doc(hidden)]
#[proc_macro]
pub fn __expand_dispatch(input: TokenStream) -> TokenStream {
    dispatch::expand_dispatch(input.into()).into()
}

/// The second stage of [`macro@soa_methods`], called by the class's macro with the fields.
#[doc(hidden)]
#[proc_macro]
pub fn __expand_methods(input: TokenStream) -> TokenStream {
    methods::expand_methods(input.into()).into()
}

/// Makes a struct of `Objects<…>` a world, which owns the objects of these classes and runs their kernels.
///
/// The struct gets `new()`, `Default`, `Clone` and the trait `World`. Every field must have a type `Objects<Class>`,
/// with each class once. If a class links to another class, the world must contain both. With the feature `serde`,
/// `#[derive(Serialize, Deserialize)]` may follow the attribute. `#[soa_world(crate = path)]` gives the path to `ikra`,
/// like `#[soa_class(crate = path)]`. `#[soa_world(device_code = [shapes::DEVICE_CODE])]` lists device code from other
/// packages: see [`device_code!`].
///
/// ```
/// use ikra::prelude::*;
///
/// #[soa_class]
/// pub struct Cell { pub free: bool }
/// #[soa_class]
/// pub struct Car { pub cell: Link<Cell> }
///
/// #[soa_world]
/// pub struct Road { pub cells: Objects<Cell>, pub cars: Objects<Car> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut road = Road::new();
/// let cell = road.cells.push(Cell { free: false })?;
/// let car = road.cars.push(Car { cell })?;
/// assert!(!road.get(car).cell().free());
/// # Ok(()) }
/// ```
///
/// A clone has the same objects with the same ids. The struct also gets a hidden field, so a pattern that destructures
/// a world needs `..`.
///
/// ```
/// # use ikra::prelude::*;
/// # #[soa_class]
/// # pub struct Cell { pub free: bool }
/// # #[soa_world]
/// # pub struct Road { pub cells: Objects<Cell> }
/// # fn main() -> Result<(), ikra::Error> {
/// let mut road = Road::new();
/// let cell = road.cells.push(Cell { free: false })?;
/// let before = road.clone();
/// road.get_mut(cell).free = true;
/// assert!(road.get(cell).free() && !before.get(cell).free());
/// let Road { cells, .. } = before;
/// assert_eq!(cells.len(), 1);
/// # Ok(()) }
/// ```
#[proc_macro_attribute]
pub fn soa_world(args: TokenStream, item: TokenStream) -> TokenStream {
    world::soa_world(args.into(), item.into()).into()
}

/// The device code of this package, compiled by `ikra-build` in its build script.
///
/// If other packages use your classes in their worlds, export your device code under a name of your choice. They pass
/// this name to `#[soa_world]`. So each package compiles only its own kernels.
///
/// ```
/// // In the package `shapes`, beside its classes.
/// pub mod shapes {
///     use ikra::prelude::*;
///
///     #[soa_class]
///     pub struct Ball { pub height: f32 }
///
///     #[soa_methods]
///     impl Ball { #[kernel] pub fn fall(&mut self, by: f32) { self.height -= by; } }
///
///     pub const DEVICE_CODE: ikra::DeviceCode = ikra::device_code!();
/// }
///
/// // In the program.
/// use ikra::prelude::*;
/// use shapes::Ball;
///
/// #[soa_class]
/// pub struct Wall { pub length: f32 }
///
/// #[soa_world(device_code = [shapes::DEVICE_CODE])]
/// pub struct Room { pub balls: Objects<Ball>, pub walls: Objects<Wall> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut room = Room::new();
/// room.balls.push(Ball { height: 2.0 })?;
/// room.execute(Ball::fall, 0.5); // or `room.on(place).execute(Ball::fall, 0.5)?`
/// assert_eq!(room.balls.column(shapes::ball::height), [1.5]);
/// # Ok(()) }
/// ```
///
/// A world looks for kernels in the device code of its own package, then in the listed packages in order; a class may
/// be in several. If the program's classes link to classes of the other package, use `Device::dependency` of
/// `ikra-build`. It makes the other package part of the program's device code, which then contains all kernels of both.
///
/// `device_code!(crate = path)` gives the path to `ikra`, like `#[soa_class(crate = path)]`.
#[proc_macro]
pub fn device_code(args: TokenStream) -> TokenStream {
    device_code::device_code(args.into()).into()
}

/// Allows a struct, or an enum without fields, to be stored in columns.
///
/// The type must be `Copy` and have a fixed representation: `#[repr(C)]` or `#[repr(transparent)]` on a struct,
/// `#[repr(u8)]` or similar on an enum. All fields must be values. A struct of at most 16 fields can be under
/// `#[soa(flatten)]`. If a `pub` class uses the type, the type must be `pub` too. `#[value(crate = path)]` gives the
/// path to `ikra`, like `#[soa_class(crate = path)]`.
///
/// ```
/// use ikra::prelude::*;
///
/// #[derive(Clone, Copy, Debug, PartialEq, Value)]
/// #[repr(C)]
/// pub struct Vec3 { pub x: f32, pub y: f32, pub z: f32 }
///
/// #[derive(Clone, Copy, Debug, PartialEq, Value)]
/// #[repr(u8)]
/// pub enum Kind { Star, Planet }
///
/// #[soa_class]
/// pub struct Body { #[soa(flatten)] pub pos: Vec3, pub kind: Kind }
/// ```
///
/// Links in a struct stay `Link`s; follow one with `self.resolve(link)`. Like link fields, they are checked when the
/// struct is stored in a column, so that a GPU follows them without a check. Links under `#[soa(flatten)]` and in
/// atomics are not checked there.
///
/// ```
/// use ikra::prelude::*;
///
/// #[derive(Clone, Copy, Debug, Value)]
/// #[repr(C)]
/// pub struct Road { pub to: Link<City>, pub cost: u32 }
///
/// #[soa_class]
/// pub struct City { #[atomic] pub best: u32, pub distance: u32, #[inline_array(0)] pub roads: InnerArray<Road> }
///
/// #[soa_methods]
/// impl City {
///     #[kernel]
///     pub fn relax(&self) {
///         for road in &self.roads { self.resolve(road.to).best().min(self.distance + road.cost); }
///     }
/// }
/// ```
///
/// If a method of the type takes `&mut self`, calling it on a field changes the field, but a kernel's text does not
/// show this. `self.vel.normalize()` does not compile unless the kernel writes the field elsewhere. Write `(&mut
/// self.vel).normalize()`, or `#[kernel(writes(vel))]`.
#[proc_macro_derive(Value, attributes(value))]
pub fn derive_value(item: TokenStream) -> TokenStream {
    value::derive_value(item.into()).into()
}

/// Says which class the objects of a struct, or of an enum's variants, become: `ikra::trace`, with the feature `trace`.
///
/// | on a type | |
/// | --- | --- |
/// | `#[trace(class = Body)]` | a struct: its objects become objects of the class, and its fields those of the same names |
/// | `#[trace(class = Body, rest(age = 0, …))]` | values for fields that only the class has; they may use `self` |
/// | `#[trace(link = Actor)]` | an enum whose variants each hold a pointer, such as `Car(Rc<PlainCar>)`: it becomes an `ActorLink` |
/// | the same, and `class = Car` at each variant | an enum of objects: an `Rc` of it becomes an `ActorLink` |
/// | `#[trace(value)]` | a type that is under `#[derive(Value)]` too: it stays the same value |
/// | `#[trace(crate = path)]` | the path to `ikra` |
///
/// | on a field | |
/// | --- | --- |
/// | none | the class's field of this name has a type that `TraceField` lists |
/// | `#[trace(skip)]` | the class has no such field, and the ordinary field keeps its value |
/// | `#[trace(field = name)]` | the class's field has another name, or the ordinary field has none |
/// | `#[trace(with = module)]` | `module::trace(&field)` makes the class's value, and `module::write_back(&mut field, value)` stores it. To be written, the object must be in a cell |
///
/// The traits `Trace` and `TraceObject` have examples.
#[proc_macro_derive(Trace, attributes(trace))]
pub fn derive_trace(item: TokenStream) -> TokenStream {
    trace::derive_trace(item.into()).into()
}
