//! Kernels: methods that run for all objects of their class, in parallel.

#[cfg(not(target_arch = "nvptx64"))]
mod argument;

#[cfg(not(target_arch = "nvptx64"))]
pub use argument::{Argument, DeviceArgument, OnDevice};

use crate::class::Class;
use crate::dispatch::Dispatch;
use crate::effects::Effects;
use crate::handle::Handle;
use crate::info::ClassInfo;
use crate::mode::ModeTuple;
use crate::origin::{Origin, meaning};
use crate::phase::Phase;
use crate::storage::FieldTuple;
#[cfg(target_arch = "nvptx64")]
use crate::value::Value;

/// A method under `#[kernel]`, with any arguments. `Body::advance` in value position is one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no kernel of one class",
    label = "not a kernel of one class",
    note = "chains, groups and sorting take the kernel of one class: for a trait's kernel, `Car::way` instead of `Actor::way`"
)]
///
/// # Safety
///
/// 1. [`EFFECTS.class`](Effects::class) is the id of `Class`.
/// 2. `Modes` are, field by field, those of [`Effects::mode`]. A mode that stores belongs to a field that the kernel
///    writes; it is the mode of snapshots if the field has one. If the kernel is not exclusive, no mode stores. The
///    executors check this too, when compiled.
pub unsafe trait Kernel: Phase + Send + Sync {
    /// The class of the objects that it runs for.
    type Class: Class;
    /// Its access to each column.
    type Modes: ModeTuple<Self::Class>;
}

/// A kernel that can be called with arguments `A`. One argument is passed directly, no argument as `()`, and several as
/// a tuple. A parameter of type `Ref<X>` takes a `Link<X>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not run by this executor with these arguments",
    label = "wrong arguments for this kernel, or the wrong executor",
    note = "give one argument by itself, several as a tuple, none as `()`; `Link<X>` where the method takes `Ref<X>`",
    note = "`#[kernel(pairs)]` methods run by `execute_pairs`, constructors by `construct`, all others by `execute`",
    note = "chains take the kernel of one class: for a trait's kernel, `Car::way` instead of `Actor::way`"
)]
pub trait Call<A>: Kernel {
    /// The method's return type.
    type Output;
    /// The objects to which the arguments link: the same in all calls of a run.
    type Followed<'w, P: Phase>: Copy;
    /// Follows the links among the arguments, from any object of the run.
    ///
    /// # Panics
    ///
    /// If such an object does not exist.
    fn follow<'w, P: Phase>(from: Handle<'w, Self::Class, P>, args: &A) -> Self::Followed<'w, P>;
    /// Calls the method, in the kernel's own phase. It is generic over the phase, so that the method knows nothing
    /// about it, not even whether it can be sent to other threads.
    fn call<'w, P: Phase>(
        view: &mut <Self::Class as Class>::View<'w, P>,
        args: A,
        followed: Self::Followed<'w, P>,
    ) -> Self::Output;
}

/// A kernel for every pair of an object and another, under `#[kernel(pairs)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not run by this executor with these arguments",
    label = "wrong arguments for this kernel, or not a kernel for pairs",
    note = "give the arguments after `other`: one by itself, several as a tuple, none as `()`",
    note = "only methods under `#[kernel(pairs)]` run by `execute_pairs`"
)]
///
/// # Safety
///
/// The device has code with `Other` as the class of the other object, if it has code for the kernel.
pub unsafe trait PairCall<A>: Kernel {
    /// The other object's class.
    type Other: Class;
    /// Calls the method, in the kernel's own phase, as [`Call::call`] does.
    fn call<'w, P: Phase>(
        view: &mut <Self::Class as Class>::View<'w, P>,
        other: <Self::Other as Class>::Ref<'w, P>,
        args: A,
    );
}

/// Fails to compile if a kernel for pairs is not declared as one: its views are made and dropped several times per
/// object.
pub const fn assert_for_pairs<K: Kernel>() {
    assert!(K::EFFECTS.is_for_pairs(), "a kernel for pairs has effects that say so");
}

/// Makes the compiler check a kernel for data races at its definition, even if no code runs it there. It generates no
/// code: the call is mentioned and not used.
pub fn examine<K: Call<A>, A>() {
    if false {
        let _: for<'w> fn(&mut <K::Class as Class>::View<'w, K>, A, K::Followed<'w, K>) -> K::Output = K::call::<K>;
    }
}

/// As above, for a kernel for pairs.
pub fn examine_pairs<K: PairCall<A>, A>() {
    if false {
        let _: for<'w> fn(&mut <K::Class as Class>::View<'w, K>, <K::Other as Class>::Ref<'w, K>, A) = K::call::<K>;
    }
}

/// A kernel whose results can be combined by reducer `R`: `#[kernel(reduce(R))]`.
#[diagnostic::on_unimplemented(
    message = "kernel `{Self}` is not a reduction by this reducer",
    label = "the method does not name the reducer",
    note = "a kernel that is a reduction names its reducers: `#[kernel(reduce(Sum))]`"
)]
///
/// # Safety
///
/// `NUMBER` is the index of `R` among the reducers for which the device has code, if it has code for the kernel.
pub unsafe trait ReducedBy<R>: Kernel {
    /// The index of the reducer among those that the kernel declares.
    const NUMBER: usize;
}

/// A constructor under `#[kernel]`: `fn spawn(id: u32, …) -> Self`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not construct objects from these arguments",
    label = "wrong arguments for this constructor, or not a constructor",
    note = "give the arguments after `id`: one by itself, several as a tuple, none as `()`",
    note = "a constructor is `#[kernel] fn spawn(id: u32, …) -> Self` in `#[soa_methods]`"
)]
pub trait Construct<A>: Copy + Send + Sync + 'static {
    /// The class of the objects that it makes.
    type Class: Class;
    /// Makes the row of the object with this id.
    fn construct(id: u32, args: A) -> Self::Class;
}

/// A class's kernel for the trait's method with this number.
///
/// # Safety
///
/// The kernel knows the kernels that run together with it (I16). Its [`BESIDE`](Phase::BESIDE) are the
/// [`EFFECTS`](DispatchKernel::EFFECTS) of all classes' kernels for the method. Its own effects are at the class's
/// index in the list.
#[diagnostic::on_unimplemented(
    message = "class `{Self}` does not implement the kernels of `{D}`",
    label = "in the list, and does not implement the trait",
    note = "write `#[soa_methods] impl {D} for {Self} {{ … }}`, or take the class off the list"
)]
pub unsafe trait HasKernel<D, const METHOD: usize>: Class {
    /// The kernel.
    type Kernel: Kernel<Class = Self>;
}

/// The effects of all classes' kernels that implement a method of a trait.
///
/// # Safety
///
/// The device code's entry point `TOGETHER`, if it exists, takes three things: a [`SectionWords`] per class in the
/// order of the trait's list, a list of objects, and the arguments that [`OnDevice::arguments`] of these kernels
/// returns. It calls the kernels of the classes that the effects are for. `EFFECTS` are the effects of the kernels of
/// all classes, in the order of the list.
pub unsafe trait DispatchKernel<const METHOD: usize> {
    /// `Actor::tick`.
    const NAME: &'static str;
    /// The effects of the kernels.
    const EFFECTS: &'static [&'static Effects];
    /// The entry point that runs the kernels of all classes.
    const TOGETHER: Option<&'static Entry>;
}

/// The effects of the kernels of all classes of a trait; checks that each class has this number in the list.
///
/// # Panics
///
/// When compiled, if the numbers differ.
pub const fn of_all_classes<D: Dispatch>(
    numbers: &[usize],
    effects: &'static [&'static Effects],
) -> &'static [&'static Effects] {
    assert!(effects.len() == D::CLASSES.len(), "the kernels are those of the trait's classes");
    let mut class = 0;
    while class < effects.len() {
        // Compared by their ids, two classes that a macro makes under one name may be mistaken for one.
        assert!(numbers[class] == class, "the kernels are in the order of the trait's classes");
        assert!(
            effects[class].class().may_be(D::CLASSES[class]),
            "the kernels are in the order of the trait's classes"
        );
        class += 1;
    }
    effects
}

/// The entry point that runs the kernels of all classes.
///
/// # Panics
///
/// When compiled, if it does not exist.
pub const fn together<D: DispatchKernel<METHOD>, const METHOD: usize>() -> &'static Entry {
    match D::TOGETHER {
        Some(entry) => entry,
        None => panic!("the kernel has such an entry"),
    }
}

/// One class's section of a launch for objects of several classes. It has the end of the class's blocks, which follow
/// those of the previous class, and its first object, or that object's position in a list. Then come the end of its
/// objects, and whether it is a list, 1 or 0.
pub type SectionWords = [u32; 4];

/// An entry point of the device code.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The source position of the kernel's definition.
    pub origin: Origin,
    /// A fingerprint on which host and device must agree, besides the arguments.
    pub fingerprint: u64,
}

impl Entry {
    /// The entry point of a kernel with this fingerprint and with arguments of these meanings.
    pub const fn new(origin: Origin, fingerprint: u64, arguments: &[u64]) -> Self {
        let mut all = meaning("", arguments);
        all = meaning("", &[all, fingerprint]);
        Self { origin, fingerprint: all }
    }
}

/// An argument of a kernel, on the device.
#[cfg(target_arch = "nvptx64")]
#[derive(Debug)]
pub struct Checked<'a, T>(pub &'a T);

#[cfg(target_arch = "nvptx64")]
impl<T: Value> Checked<'_, T> {
    /// Tells the compiler that its links are to objects that exist.
    ///
    /// # Safety
    ///
    /// The objects exist as long as the kernel runs.
    #[inline(always)]
    pub unsafe fn trust(&self) {
        if const { !T::LINKS_TO.is_empty() } {
            // SAFETY: its links are to objects that exist, so `bad_link` finds no bad link.
            unsafe { self.0.assume_good(crate::directory::Targets(core::marker::PhantomData)) }
        }
    }
}

/// For arguments that only the type checker can reject: their kernel never runs here.
#[cfg(target_arch = "nvptx64")]
pub trait Unpassed {
    /// Does nothing.
    ///
    /// # Safety
    ///
    /// No requirement: a counterpart of [`Checked::trust`].
    unsafe fn trust(&self);
}

#[cfg(target_arch = "nvptx64")]
impl<T> Unpassed for Checked<'_, T> {
    #[inline(always)]
    unsafe fn trust(&self) {}
}

/// The return type of a kernel that runs by `execute`: `()`, or `Option<()>` so that `?` can end a call early. Any
/// other value would be lost.
#[diagnostic::on_unimplemented(
    message = "`execute` would lose the `{Self}` that the kernel returns",
    label = "this kernel returns a value",
    note = "declare `#[kernel(reduce(Sum))]` (or `Min`, `Max`, `All`, `Any`, a reducer of your own) and use `execute_and_reduce`"
)]
pub trait Discardable {}
impl Discardable for () {}
impl Discardable for Option<()> {}

/// Fails to compile if a kernel's declared writes differ from the fields that its modes store.
///
/// # Panics
///
/// When compiled, in that case.
pub const fn assert_modes<K: Kernel>() {
    let (stores, shadows) = (K::Modes::STORES.bits(), K::Modes::SHADOWS.bits());
    let snapshot = K::EFFECTS.shadowed().bits();
    let writes = if K::EFFECTS.is_exclusive() { K::EFFECTS.writes().bits() } else { 0 };
    assert!(
        K::EFFECTS.is_exclusive() || K::EFFECTS.writes().is_empty() && K::EFFECTS.snapshot().is_empty(),
        "a kernel that takes `&self` writes nothing"
    );
    // A set with more names than the class has fields means all fields.
    let all = match <K::Class as ClassInfo>::FIELDS.len() {
        64 => u64::MAX,
        count => (1 << count) - 1,
    };
    assert!(stores & !writes == 0, "a kernel stores a field that is not among those that it says it writes");
    assert!(snapshot & !shadows & all == 0, "a kernel stores a field of its snapshot in place");
    assert!(shadows & !snapshot == 0, "a kernel stores a field to a shadow that it does not have");
    assert!(K::EFFECTS.class().may_be(<K::Class as ClassInfo>::ID), "a kernel's phase is that of another class");
}

/// Fails to compile unless the positions of a class's fields are in order.
///
/// # Panics
///
/// When compiled, in that case.
pub const fn assert_in_order(places: &[usize]) {
    let mut place = 0;
    while place < places.len() {
        assert!(places[place] == place, "the fields are in the order of their numbers");
        place += 1;
    }
}

/// The storages of the fields of a kernel's class.
pub type FieldsOf<K> = <<K as Kernel>::Class as Class>::Fields;

/// The type of the data that a kernel loads for an object.
pub type ValuesOf<K> = <FieldsOf<K> as FieldTuple<<K as Kernel>::Class>>::Values;

/// The effects of a kernel: `effects(Body::advance)`. See [`Effects`].
///
/// ```
/// use ikra::prelude::*;
///
/// #[soa_class]
/// pub struct Body { pub pos: f32, pub vel: f32 }
///
/// #[soa_methods]
/// impl Body {
///     #[kernel]
///     pub fn advance(&mut self, dt: f32) { self.pos += self.vel * dt; }
/// }
///
/// // Tests can check the fields that a kernel may touch.
/// let advance = ikra::effects(Body::advance);
/// assert!(advance.writes().has(body::pos) && !advance.writes().has(body::vel));
/// assert!(format!("{advance:?}").starts_with(r#"Body::advance { reads: {"pos", "vel"}, writes: {"pos"}"#));
/// ```
pub const fn effects<K: Kernel>(kernel: K) -> &'static Effects {
    let _kernel = kernel;
    K::EFFECTS
}
