//! The procedural macros behind the `ikra` crate: parse → model → expand, one folder per attribute.
//!
//! | folder | attribute |
//! | --- | --- |
//! | `class` | `#[soa_class]` |
//! | `methods` | `#[soa_methods]`, and `#[kernel]` within |
//! | `dispatch` | `#[soa_dispatch]`, and `#[soa_methods]` on the block of such a trait |
//! | `world` | `#[soa_world]` |
//! | `value` | `#[derive(Value)]` |
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
mod value;
mod world;

use proc_macro::TokenStream;

/// Turns a struct into a class, whose objects are stored column by column.
///
/// The struct stays as it is: it is the *row*, to construct, read and write whole objects. Beside it
/// appear, for a struct `Body`:
///
/// | | |
/// | --- | --- |
/// | `BodyMut<'w, P>` | the view: what methods in `#[soa_methods]` see as `self`, with real fields |
/// | `BodyRef<'w, P>` | the ref: another object, with a getter for each field; written `Ref<Body>` in methods |
/// | `body::mass` | a name for the column of each field, for `Objects::column` |
///
/// # Options
///
/// `#[soa_class(layout = "soa", capacity = 1_000_000, addressing = "zero")]`
///
/// | option | values |
/// | --- | --- |
/// | `layout` | `"soa"` (default): one array per column; `"tiles"`: SoA in blocks of 128 objects (`tile = 64` for 64); `"aos"`: side by side |
/// | `capacity` | the largest number of objects; makes SoA's strides compile-time constants. Without it storage grows |
/// | `addressing` | `"zero"` (default), `"storage"`, `"first_field"`: what `Link::to_bits` yields |
/// | `arena` | bytes for the elements of inner arrays that have no slot; without it the arena grows |
/// | `columns` | the name before `::mass`, instead of the struct's in snake case |
/// | `crate` | where `ikra` is, for users of a crate that re-exports it: `crate = other::ikra`. A name that Cargo.toml gives it (`soa = { package = "ikra", … }`) is found by itself |
///
/// # Fields
///
/// | field | in a view | on a ref |
/// | --- | --- | --- |
/// | a number, `bool`, array, `#[derive(Value)]` struct | the value | a getter |
/// | `Link<X>`, `Option<Link<X>>` | `Ref<X>`, `Option<Ref<X>>` | a getter of that |
/// | `#[atomic]` | [`Atomic`](../ikra/struct.Atomic.html), which can be changed from any object | the same |
/// | `#[soa(flatten)]` on a struct | the struct; stored as a column per component | a getter |
/// | `#[inline_array]` on `[T; N]` | [`InnerMut`](../ikra/struct.InnerMut.html): elements in a column per slot (INNER §2.1) | [`InnerRef`](../ikra/struct.InnerRef.html) |
/// | `#[inline_array(object)]` on `[T; N]` | the same, in one column of arrays | the same |
/// | `#[inline_array(K)]` on `InnerArray<T>` | the same, of any length: `K` slots, the rest in the class's arena | the same |
/// | `#[atomic] #[inline_array…]` | [`InnerAtomics`](../ikra/struct.InnerAtomics.html): each element is an `Atomic` | the same |
///
/// # Limits
///
/// | what | limit | beyond it |
/// | --- | --- | --- |
/// | fields | 64 | an error of the macro |
/// | alignment of a value, also in an inner array | 4096 bytes, 256 in a class that is compiled for the device | an error of the build |
/// | size of all fields that are not inner arrays, together | 256 KiB, by rule of thumb | the stack of a thread, 2 MiB by default, may overflow |
///
/// The last is the size of a view: a method's `self` lies on the stack, and in debug builds several copies of it. Large arrays
/// belong under `#[inline_array]`: their elements stay where they are. Otherwise rayon's
/// `ThreadPoolBuilder::stack_size` helps.
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

/// Makes the methods of an impl block methods of the class's objects.
///
/// Methods with `&self` or `&mut self` move to the view; those with `&self` can be called on a
/// `Ref<Body>` too. Other functions and constants stay on the struct. In signatures and bodies
/// `Ref<X>` means another object of class `X`, and `Self` the struct.
///
/// # What a method does to the fields
///
/// It is found in the text: a field is written if it is assigned to, borrowed by `&mut`, or changed by a
/// method such as `sort`, here or in a method that is called on `self`. Where the text does not show it,
/// the executor notices, and says which `writes(…)` to add.
///
/// | in the text | counts as |
/// | --- | --- |
/// | `self.mass` | a use of `mass` |
/// | `let body = self;`, `f(self)` | a change of every field, unless the kernel says `writes(…)` |
/// | `f(&*self)`, `format!("{self:?}")` | a use of every field |
/// | `my_macro!(self.mass)`, a macro of your own | a use of every field, and a change of `mass` unless `other.mass()` is read too |
/// | `my_macro!()`, `include!(…)` | nothing: a `self` that it expands to does not compile |
/// | `self.vel.normalize()`, a `&mut self` method of a value | an error, unless the kernel writes `vel`: write `(&mut self.vel).normalize()` |
///
/// # What a kernel does to atomic fields
///
/// Of each `#[atomic]` field, a kernel may load it, or update it by one operation that commutes, or do everything to
/// that of its own object; see [`Atomic`](../ikra/struct.Atomic.html). Which of these it is, is found in the text
/// too, for fields by their names: the operation's nearest name before it counts, `self.shop.visits().add(1)`, through local
/// variables, closures, and methods of the same block. The operations themselves are then checked by type. One that
/// the text does not show is an error that asks for `updates(…)` or `loads(…)`; one that fits neither is an error that
/// says what depends on the order. A field of another class with the same name counts as the same.
///
/// `field.add(1)` is an update; `field.fetch_add(1)` returns the value before, and is none.
///
/// # Several blocks
///
/// A class may have several blocks, in different modules. They find the class's fields through a macro of
/// the class's name, which is imported along with it; import the view and the ref too
/// (`use model::{Body, BodyMut, BodyRef}`), or write a path, `impl model::Body`. "Cannot find macro `Body`"
/// means that the struct is not under `#[soa_class]`, or that it is a class of another crate: a class's methods are all
/// in its own crate. For a class of another crate implement a trait of yours for its view and ref, `BodyMut<'_, P>` and
/// `BodyRef<'_, P>`.
///
/// Blocks use the `ikra` that their class uses; `#[soa_methods(crate = path)]` says another path to it.
///
/// # What is different in methods
///
/// In a pattern `Self { pos, .. }` is the view, whose links are refs; everywhere else `Self` is the struct. Fields,
/// kernels and methods of a class count as used, so the compiler does not warn of those that nothing uses.
///
/// # `#[kernel]`
///
/// | attribute | the method | runs by |
/// | --- | --- | --- |
/// | `#[kernel]` | `fn step(&mut self, …)` | `execute`, for all objects or `over` some |
/// | `#[kernel(pairs)]` | `fn attract(&mut self, other: Ref<X>, …)` | `execute_pairs` |
/// | `#[kernel(reduce(Sum, …))]` | `fn energy(&self, …) -> T` | `execute_and_reduce` |
/// | `#[kernel]` | `fn spawn(id: u32, …) -> Self` | `construct` |
///
/// | option | meaning |
/// | --- | --- |
/// | `writes(field, …)` | the method changes these fields in ways that its text does not show |
/// | `snapshot(field, …)` | others see the values from before the kernel |
/// | `unordered(field, …)` | any atomic operations on these fields: their result is the same in every order for a reason that Ikra does not see |
/// | `updates(add(field), …)`, `loads(field, …)`, `stores(field, …)` | what the kernel does to atomic fields, where its text does not show it (in place of what its text shows); `stores` is of its own object's. Updates are `add`, `min`, `max`, `or` and `and` |
/// | `heavy`, `light` | whether a call does much work, so that few objects are worth several threads and several instruction sets; by default, whether the method contains a loop |
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

/// Marks a method inside [`macro@soa_methods`] as a kernel; the options are listed there. Elsewhere it is an
/// error that says so.
///
/// It need not be imported: `#[soa_methods]` knows it by its name, so that the compiler would call `use ikra::kernel`
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

/// Makes a trait that several classes share: objects of these classes are linked to, called, and run kernels of, whatever
/// their class.
///
/// `#[soa_dispatch(Car, Pedestrian)]` lists the classes that implement the trait, each of them by
/// `#[soa_methods] impl Actor for Car`. The trait's name becomes a type that stands for all their objects. Beside it appear
///
/// | | |
/// | --- | --- |
/// | `ActorLink` | a link to any of them: 4 bytes, the class in the top bits ([`AnyLink`](../ikra/struct.AnyLink.html)) |
/// | `ActorRef<'w, P>` | another object, with the trait's `&self` methods; written `Ref<Actor>` in methods |
/// | `ActorIs` | a link, a ref or a guard, by class, to `match` over |
/// | `Actor::tick` | the kernel of a method under `#[kernel]`, which runs for the objects of all classes |
///
/// # Options
///
/// | option | |
/// | --- | --- |
/// | `wide` | links of 8 bytes, so that each class has as many objects as without the trait |
/// | `strategy = "type_pointer"` | how a link tells the class: by its bits, which is the default and the fastest. Others, in the crate `ikra-strategies`, exist to be measured against |
/// | `crate = path` | where `ikra` is, as for [`macro@soa_class`] |
///
/// # What the trait may have
///
/// Methods with `&self` and `&mut self`, with default bodies or without; functions; constants; other such traits as
/// supertraits. Methods have no type parameters. A trait's methods become those of the class, which has one of a name. A
/// default body is taken over as if it stood in the class's block: it may use fields that all these classes have.
///
/// The check for data races goes through calls: `self.target.pace()` counts as reading what `pace` of every class reads. In a
/// kernel of the trait, what one class's objects write, those of another do not read.
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

/// The second stage of [`macro@soa_methods`] for the block of a trait, once the trait is known.
#[doc(hidden)]
#[proc_macro]
pub fn __expand_dispatch(input: TokenStream) -> TokenStream {
    dispatch::expand_dispatch(input.into()).into()
}

/// The second stage of [`macro@soa_methods`], once the class's fields are known.
#[doc(hidden)]
#[proc_macro]
pub fn __expand_methods(input: TokenStream) -> TokenStream {
    methods::expand_methods(input.into()).into()
}

/// Makes a struct of `Objects<…>` a world: it owns the objects of these classes, and runs their kernels.
///
/// The struct gets `new()`, `Default`, `Clone` and the trait `World`. All its fields must be of type
/// `Objects<Class>`, each class once; every class that a link refers to must be there. With the feature `serde`,
/// `#[derive(Serialize, Deserialize)]` may follow the attribute. `#[soa_world(crate = path)]` says where `ikra` is, as
/// `#[soa_class(crate = path)]` does, and `#[soa_world(device_code = [shapes::DEVICE_CODE])]` where device code is that other
/// packages compiled: see [`device_code!`].
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
/// A clone has the same objects under the same ids. The struct also gets a hidden field: a pattern that takes a world
/// apart needs `..` for it.
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

/// The device code of this package: what `ikra-build` compiled in its build script.
///
/// A package whose classes other packages' worlds hold shows them its device code under some name, which they give to
/// `#[soa_world]`. So neither compiles the other's kernels.
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
/// Kernels are looked for in the device code of the world's own package, then in the others in their order; a class may be
/// in several. Where the program's classes link to those of the other package, `Device::dependency` of `ikra-build` makes the
/// other package part of the program's device code, which then has all of its kernels.
///
/// `device_code!(crate = path)` says where `ikra` is, as `#[soa_class(crate = path)]` does.
#[proc_macro]
pub fn device_code(args: TokenStream) -> TokenStream {
    device_code::device_code(args.into()).into()
}

/// Lets columns hold a struct, or an enum without fields.
///
/// The type must be `Copy` and have a fixed representation: `#[repr(C)]` or `#[repr(transparent)]` on a
/// struct, `#[repr(u8)]` or the like on an enum. All fields must be values. A struct of at most 16
/// fields can be under `#[soa(flatten)]`. A type in a `pub` class must be `pub` itself. `#[value(crate = path)]` says
/// where `ikra` is, as `#[soa_class(crate = path)]` does.
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
/// Links in a struct stay `Link`s, which `self.resolve(link)` follows. They are checked when the struct enters a column, as a field of
/// links is, so that a GPU asks nothing when one is followed; under `#[soa(flatten)]` and in atomics they are not.
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
/// A method of the type that takes `&mut self` changes the field that it is called on, which a kernel's text does
/// not show: `self.vel.normalize()` does not compile unless the kernel writes the field elsewhere. Write
/// `(&mut self.vel).normalize()`, or `#[kernel(writes(vel))]`.
#[proc_macro_derive(Value, attributes(value))]
pub fn derive_value(item: TokenStream) -> TokenStream {
    value::derive_value(item.into()).into()
}
