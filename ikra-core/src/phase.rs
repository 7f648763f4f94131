//! Phases: the code in which a view or ref is used, and the data races that they rule out.
//!
//! | in CUDA, DynaSOAr, Ikra-Cpp | here |
//! | --- | --- |
//! | thread *i* may read a field that thread *j* writes, unnoticed | does not compile: a kernel that writes a field of its own object cannot read that field of another |
//! | order by splitting kernels and remembering why | split the kernel, `#[kernel(snapshot(field))]`, or `#[atomic]`, whose order [`order`](crate::order) checks |

use core::marker::PhantomData;
use core::ops::{Index, IndexMut};

use crate::effects::{Effects, FieldSet};
use crate::info::ClassInfo;
use crate::message::Message;
use crate::mistakes::ShownAsWritten;
use crate::near::{Near, NoRow};
use crate::order::assert_not_own;

/// The code that a view or ref is used in: one kernel, or sequential code.
///
/// Every kernel is a phase. The type parameter `P: Phase` of views and refs carries it into every method. A getter can
/// therefore reject, at compile time, reading a field through another object that the kernel writes in its own.
/// ```
/// use ikra::prelude::*;
/// #[soa_class]
/// pub struct Body { pub mass: f32 }
///
/// /// A function of your own that takes a view in any phase.
/// fn half<P: ikra::Phase>(body: &BodyMut<'_, P>) -> f32 { 0.5 * body.mass }
///
/// #[soa_methods]
/// impl Body {
///     #[kernel(writes(mass))]
///     pub fn halve(&mut self) { self.mass = half(self); }
/// }
/// # #[soa_world]
/// # pub struct Sim { pub bodies: Objects<Body> }
/// # fn main() -> Result<(), ikra::Error> {
/// let mut sim = Sim::new();
/// sim.bodies.push(Body { mass: 2.0 })?;
/// sim.execute(Body::halve, ());
/// # Ok(()) }
/// ```
///
/// # Safety
///
/// 1. A kernel changes in place only fields of its own objects, of class `EFFECTS.class`, that are in `EFFECTS.writes`
///    (I5). If a field is also in `EFFECTS.snapshot`, it changes only memory that no other code reads meanwhile.
/// 2. `SEQUENTIAL` and `GUARDED` are false for kernels.
/// 3. If kernels of other classes run together with it, `BESIDE` has the effects of all of them, its own at `OWN`
///    (I16).
pub unsafe trait Phase: Copy + 'static {
    /// The effects of the code: constants that the checks below and the executors use.
    const EFFECTS: &'static Effects;
    /// The effects of the kernels that run together with it: for a method of a trait, one kernel per class of the
    /// trait.
    #[doc(hidden)]
    const BESIDE: &'static [&'static Effects] = &[];
    /// Its own index among them.
    #[doc(hidden)]
    const OWN: usize = 0;
    /// The tile rows that refs know of their objects; only kernels for pairs have them.
    #[doc(hidden)]
    type Near: Near;
    /// Whether this is sequential code, which fetches the fields that it reads from a device.
    #[doc(hidden)]
    const SEQUENTIAL: bool = false;
    /// Whether a guard exists that may change an object.
    #[doc(hidden)]
    const GUARDED: bool = false;
}

/// The phase of sequential code. It may read everything, guarded by the borrow of the world.
/// ```
/// use ikra::prelude::*;
/// # #[soa_class]
/// # #[derive(Debug)]
/// # pub struct Body { pub mass: f32 }
/// # #[soa_world]
/// # pub struct Sim { pub bodies: Objects<Body> }
/// # fn main() -> Result<(), ikra::Error> {
/// let mut sim = Sim::new();
/// let link = sim.bodies.push(Body { mass: 2.0 })?;
/// let body: BodyRef<'_, ikra::Sequential> = sim.get(link);
/// assert_eq!(body.mass(), 2.0);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sequential;

// SAFETY: it changes nothing: shared worlds hand out only refs in this phase, and no exclusive views.
unsafe impl Phase for Sequential {
    const EFFECTS: &'static Effects = &Effects::of_no_kernel("sequential code");
    type Near = NoRow;
    const SEQUENTIAL: bool = true;
}

/// The phase of sequential code with a guard from `world.get_mut(link)`. The guard's view of its object, and every ref
/// that is reached from there, are in this phase.
///
/// The guard stores its object's fields when it is dropped. Until then, refs show the previous values, also refs to the
/// same object. So in this phase refs stay in the guard's thread, and show elements of inner arrays only by value:
/// `other.path().get(i)` and `other.path().iter()`, but not `&other.path()[i]`. The object's own array,
/// `guard.path[i]`, can be borrowed: it is a copy that belongs to the guard.
///
/// ```
/// use ikra::prelude::*;
///
/// #[soa_class]
/// pub struct Node { pub next: Link<Node>, #[inline_array] pub path: [u32; 2] }
///
/// /// For an object of your own.
/// fn follow(node: &mut NodeMut<'_, ikra::Guarded>) {
///     node.path[0] = node.next.path().get(1);
/// }
///
/// #[soa_world]
/// pub struct Graph { pub nodes: Objects<Node> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut graph = Graph::new();
/// let node = graph.nodes.reserve(1)?.next().unwrap();
/// graph.nodes.init(node, Node { next: node, path: [1, 2] })?;
/// let mut guard = graph.get_mut(node);
/// guard.path[1] = 5;
/// follow(&mut guard);
/// assert_eq!(guard.path, [2, 5]); // the link, to the object itself, shows the array from before
/// drop(guard);
/// assert_eq!(graph.get(node).path(), [2, 5]);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guarded {
    /// Neither `Send` nor `Sync`; refs in this phase are neither too.
    _one_thread: PhantomData<*const ()>,
}

// SAFETY: 1. a guard changes its object's columns only when it is dropped, between reads of refs in this phase, which
// are all in its thread. Before, it changes copies of its own. 2. It is not a kernel.
unsafe impl Phase for Guarded {
    const EFFECTS: &'static Effects = &Effects::of_no_kernel("sequential code with a guard");
    type Near = NoRow;
    const SEQUENTIAL: bool = true;
    const GUARDED: bool = true;
}

/// Proof that reading field `K` of another object of class `C` in phase `P` is not a data race.
///
/// Made in the getter, `const { RaceFree::check() }`, so that the compiler's note points at the user's call.
#[derive(Debug)]
pub struct RaceFree<P, C, const K: usize>(PhantomData<fn() -> (P, C)>);

impl<P: Phase, C: ClassInfo, const K: usize> RaceFree<P, C, K> {
    /// Fails to compile if reading it would be a race.
    pub const fn check() -> Self {
        assert_race_free::<P, C>(K, C::FIELDS[K].name, "");
        Self(PhantomData)
    }
}

/// Proof that reading the fields with the bits `FIELDS` of another object of class `C` in phase `P` is not a data race.
#[derive(Debug)]
pub struct AllRaceFree<P, C, const FIELDS: u64>(PhantomData<fn() -> (P, C)>);

impl<P: Phase, C: ClassInfo, const FIELDS: u64> AllRaceFree<P, C, FIELDS> {
    /// Fails to compile if reading them would be a race. A method reads the fields, perhaps all for a reason.
    pub const fn check(method: &str, because: &str) -> Self {
        let fields = FieldSet::from_bits(FIELDS);
        let mut field = 0;
        while field < C::FIELDS.len() {
            if fields.contains(field) {
                assert_race_free::<P, C>(field, method, if fields.is_all() { because } else { "" });
                if C::FIELDS[field].atomic {
                    assert_not_own::<P, C>(field);
                }
            }
            field += 1;
        }
        Self(PhantomData)
    }
}

/// A field of a kernel's own object on which the kernel calls a method, and that its text does not show as written. It
/// can be read.
///
/// If the method takes `&mut self`, the change would be lost, so it does not compile. Declare the write, `#[kernel(writes(field))]`, or make it visible at the call:
/// `(&mut self.field).method()`.
///
/// ```compile_fail,E0277
/// use ikra::prelude::*;
///
/// #[derive(Clone, Copy, Value)]
/// #[repr(C)]
/// pub struct Vel { pub x: f32, pub y: f32 }
/// impl Vel {
///     pub fn normalize(&mut self) { self.x /= self.x.hypot(self.y); }
/// }
///
/// #[soa_class]
/// pub struct Body { pub vel: Vel }
///
/// #[soa_methods]
/// impl Body {
///     #[kernel] // `#[kernel(writes(vel))]` is the cure
///     pub fn slow_down(&mut self) { self.vel.normalize(); }
/// }
/// ```
#[derive(Debug)]
#[repr(transparent)]
pub struct NotInKernelWrites<T>(T);

impl<T> NotInKernelWrites<T> {
    /// The field, for reading.
    #[inline(always)]
    pub fn of(field: &T) -> &Self {
        // SAFETY: `Self` is transparent over `T`.
        unsafe { &*core::ptr::from_ref(field).cast() }
    }
}

/// The index in `NotInKernelWrites::of(&self.field)[0]`. The literal could be several types until the compiler knows
/// whether the method takes `&mut self`.
#[doc(hidden)]
pub trait Whole {}
impl Whole for i32 {}
impl Whole for u8 {}

impl<T, I: Whole> Index<I> for NotInKernelWrites<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, _: I) -> &T {
        &self.0
    }
}

// The literal stays an `i32`, which lacks the second bound, so the compiler shows that bound's message.
#[diagnostic::do_not_recommend]
impl ShownAsWritten for u64 {}
#[diagnostic::do_not_recommend]
impl ShownAsWritten for u128 {}
impl<T, I: Whole + ShownAsWritten> IndexMut<I> for NotInKernelWrites<T> {
    fn index_mut(&mut self, _: I) -> &mut T {
        &mut self.0
    }
}

/// Fails to compile if reading a field by a getter or method with this name is a data race.
const fn assert_race_free<P: Phase, C: ClassInfo>(field: usize, read_by: &str, because: &str) {
    if C::FIELDS[field].atomic {
        return;
    }
    assert_no_own_write::<P, C>(field, read_by, because);
    assert_no_write_beside::<P, C>(field, read_by);
}

/// As above, for writes of the kernel itself.
const fn assert_no_own_write<P: Phase, C: ClassInfo>(field: usize, read_by: &str, because: &str) {
    let effects = P::EFFECTS;
    if effects.writes_in_place::<C>(field) {
        let name = C::FIELDS[field].name;
        let mut message = Message::new()
            .push("data race: kernel `")
            .push(effects.kernel())
            .push("` writes `")
            .push(C::NAME)
            .push("::")
            .push(name)
            .push("` of its own object and reads it from another");
        message = effects.say_lines(read_by, message);
        if effects.writes().is_all() && !effects.because.is_empty() {
            message = message.push("; it counts as written because ").push(effects.because);
            message = message.push(", so list what the kernel writes, `#[kernel(writes(\u{2026}))]`, or");
        } else {
            message = message.push(";");
        }
        if !because.is_empty() {
            message = message.push(" it counts as read because ").push(because).push(";");
        }
        message = message
            .push(" split the kernel in two, or let others see the value from before it with `#[kernel(snapshot(")
            .push(name)
            .push("))]`, or make the field `#[atomic]` and update it in one kernel and load it in the next");
        panic!("{}", message.as_str());
    }
}

/// As above, for writes of kernels of other classes that run together with this one, as kernels of their trait.
/// These run in any order, and changes to their own objects become visible when all have finished.
const fn assert_no_write_beside<P: Phase, C: ClassInfo>(field: usize, read_by: &str) {
    let mut n = 0;
    while n < P::BESIDE.len() {
        let (beside, is_own) = (P::BESIDE[n], n == P::OWN);
        n += 1;
        if is_own || !beside.class().may_be(C::ID) || !beside.writes().contains(field) {
            continue;
        }
        let message = Message::new()
            .push("data race: kernel `")
            .push(P::EFFECTS.kernel())
            .push("` reads `")
            .push(C::NAME)
            .push("::")
            .push(C::FIELDS[field].name)
            .push("` of another object");
        let message = P::EFFECTS
            .say_lines(read_by, message)
            .push(", and `")
            .push(beside.kernel())
            .push("` writes it: both are the same kernel of a trait, and run together; let one kernel of the trait read what others need, and another write, or make the field `#[atomic]` and update it in one kernel and load it in the next");
        panic!("{}", message.as_str());
    }
}
