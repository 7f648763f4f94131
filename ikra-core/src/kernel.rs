//! Kernels: methods that run for all objects of their class, in parallel.

use crate::class::Class;
use crate::directory::Targets;
use crate::dispatch::Dispatch;
use crate::effects::Effects;
use crate::info::{ClassId, ClassInfo};
use crate::mode::ModeTuple;
use crate::origin::{Origin, meaning};
use crate::phase::Phase;
use crate::storage::FieldTuple;
use crate::value::{BadLink, Value};

/// A method under `#[kernel]`, whatever its arguments. `Body::advance` in value position is one.
///
/// # Safety
///
/// 1. [`EFFECTS.class`](Effects::class) is the id of `Class`.
/// 2. `Modes` are, field by field, those of [`Effects::mode`]: a mode that stores belongs to a field that the kernel
///    writes, and is that of snapshots for those of which it has one. If the kernel is not exclusive, none stores. The
///    executors check this too, when compiled.
pub unsafe trait Kernel: Phase + Send + Sync {
    /// The class whose objects it runs for.
    type Class: Class;
    /// What it does with each column.
    type Modes: ModeTuple<Self::Class>;
}

/// A kernel that can be called with arguments `A`: one argument by itself, none as `()`, several as a
/// tuple. A parameter of type `Ref<X>` takes a `Link<X>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not run by this executor with these arguments",
    label = "wrong arguments for this kernel, or the wrong executor",
    note = "give one argument by itself, several as a tuple, none as `()`; `Link<X>` where the method takes `Ref<X>`",
    note = "`#[kernel(pairs)]` methods run by `execute_pairs`, constructors by `construct`, all others by `execute`"
)]
pub trait Call<A>: Kernel {
    /// What the method returns.
    type Output;
    /// Calls the method, in the kernel's own phase. It is generic over that, so that the method knows nothing of it, not even
    /// whether it can be sent to other threads.
    fn call<'w, P: Phase>(view: &mut <Self::Class as Class>::View<'w, P>, args: A) -> Self::Output;
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
/// The device has code for `Other` as the class of the other object, if it has code for the kernel.
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

/// Fails to compile if a kernel that runs for pairs does not say so: its views come and go several times for each object.
pub const fn assert_for_pairs<K: Kernel>() {
    assert!(K::EFFECTS.is_for_pairs(), "a kernel for pairs has effects that say so");
}

/// Makes the compiler look through a kernel for data races where the kernel is defined, though nothing
/// there may run it. Costs no code: the call is mentioned and not used.
pub fn examine<K: Call<A>, A>() {
    if false {
        let _: fn(&mut <K::Class as Class>::View<'_, K>, A) -> K::Output = K::call::<K>;
    }
}

/// The same for a kernel for pairs.
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
/// `NUMBER` is the place of `R` among the reducers for which the device has code, if it has code for the kernel.
pub unsafe trait ReducedBy<R>: Kernel {
    /// The place of the reducer among those that the kernel declares.
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
    /// The class.
    type Class: Class;
    /// Makes the row of the object with this index.
    fn construct(id: u32, args: A) -> Self::Class;
}

/// A kernel, for pairs or for one object, or a constructor, that the device has code for when called
/// with arguments `A`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot run at every place with arguments `{A}`: a GPU does not take them",
    label = "runs on the host only",
    note = "at every place, a kernel has no type parameters, and takes values only: no references, no closures, no tuples",
    note = "the short forms, as `sim.execute(…)`, run it on the host, whatever it takes"
)]
///
/// # Safety
///
/// 1. The device code's entry at `ENTRY` takes the arguments that `arguments` returns, in this order.
/// 2. So does `entry(n)`, which is that of the kernel of class number `n`; for the kernel of one class it is `ENTRY`.
pub unsafe trait OnDevice<A>: Copy {
    /// By what the device code knows the entry.
    const ENTRY: &'static Entry;
    /// How many classes' [`SectionWords`] it takes, if it is that of a trait's kernel.
    const SECTIONS: usize = 0;
    /// The entry of the kernel of one class, of which a trait's kernel has several.
    fn entry(_class: usize) -> &'static Entry {
        Self::ENTRY
    }
    /// An array with the arguments.
    type Arguments<'a>: AsRef<[Argument<'a>]>
    where
        A: 'a;
    /// Each argument as the device takes it.
    fn arguments(args: &A) -> Self::Arguments<'_>;
}

/// The kernel that a class has for a method of a trait: the method with this number.
///
/// # Safety
///
/// The kernel knows of those that run together with it: its [`BESIDE`](Phase::BESIDE) are the
/// [`EFFECTS`](DispatchKernel::EFFECTS) of all classes' kernels for the method, its own at the place of the class in the list.
#[diagnostic::on_unimplemented(
    message = "class `{Self}` does not implement the kernels of `{D}`",
    label = "in the list, and does not implement the trait",
    note = "write `#[soa_methods] impl {D} for {Self} {{ … }}`, or take the class off the list"
)]
pub unsafe trait HasKernel<D, const METHOD: usize>: Class {
    /// The kernel.
    type Kernel: Kernel<Class = Self>;
}

/// What the kernels of all classes do that implement a method of a trait.
///
/// # Safety
///
/// The device code's entry at `TOGETHER`, if there is one, takes a [`SectionWords`] of each class, in the order of the trait's list, a
/// list of objects, and the arguments that [`OnDevice::arguments`] of these kernels returns; it calls the kernels of
/// the classes that the effects are for. `EFFECTS` are those of the kernels of all classes, in the order of the list.
pub unsafe trait DispatchKernel<const METHOD: usize> {
    /// `Actor::tick`.
    const NAME: &'static str;
    /// The kernels' effects.
    const EFFECTS: &'static [&'static Effects];
    /// By what the device code knows the entry that runs the kernels of all classes.
    const TOGETHER: Option<&'static Entry>;
}

/// The effects of the kernels of all classes of a trait, of which each class has this number there.
///
/// # Panics
///
/// When compiled, if they are not.
pub const fn of_all_classes<D: Dispatch>(
    numbers: &[usize],
    effects: &'static [&'static Effects],
) -> &'static [&'static Effects] {
    assert!(effects.len() == D::CLASSES.len(), "the kernels are those of the trait's classes");
    let mut class = 0;
    while class < effects.len() {
        // By their ids, two classes that a macro makes under one name may be taken for one.
        assert!(numbers[class] == class, "the kernels are in the order of the trait's classes");
        assert!(
            effects[class].class().may_be(D::CLASSES[class]),
            "the kernels are in the order of the trait's classes"
        );
        class += 1;
    }
    effects
}

/// The entry that runs the kernels of all classes.
///
/// # Panics
///
/// When compiled, if there is none.
pub const fn together<D: DispatchKernel<METHOD>, const METHOD: usize>() -> &'static Entry {
    match D::TOGETHER {
        Some(entry) => entry,
        None => panic!("the kernel has such an entry"),
    }
}

/// What a launch for objects of several classes says of one of them: the block after those that work for it, which follow those of
/// the class before, its first object, or the first one's place in a list, the one after its last, and whether it is a list: 1 or 0.
pub type SectionWords = [u32; 4];

/// An entry of the device code.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Where the kernel is defined.
    pub origin: Origin,
    /// What host and device must agree on, beside the arguments.
    pub fingerprint: u64,
}

impl Entry {
    /// That of a kernel with this fingerprint, whose arguments mean this.
    pub const fn new(origin: Origin, fingerprint: u64, arguments: &[u64]) -> Self {
        let mut all = meaning("", arguments);
        all = meaning("", &[all, fingerprint]);
        Self { origin, fingerprint: all }
    }
}

/// One argument of a kernel, as bytes to copy.
#[derive(Clone, Copy, Debug)]
pub struct Argument<'a> {
    start: *const (),
    bytes: usize,
    links_to: &'static [ClassId],
    bad_link: unsafe fn(*const (), Targets<'_>) -> Option<BadLink>,
    value: core::marker::PhantomData<&'a ()>,
}

impl<'a> Argument<'a> {
    /// A value.
    pub fn of<T: DeviceArgument>(value: &'a T) -> Self {
        Self {
            start: core::ptr::from_ref(value).cast(),
            bytes: size_of::<T>(),
            links_to: T::LINKS_TO,
            // SAFETY: called with `start` alone, below.
            bad_link: |start, targets| unsafe { &*start.cast::<T>() }.bad_link(targets),
            value: core::marker::PhantomData,
        }
    }

    /// What executors give an entry beside the kernel's arguments: words that are no links.
    pub fn words(words: &'a [u32]) -> Self {
        Self {
            start: words.as_ptr().cast(),
            bytes: size_of_val(words),
            links_to: &[],
            bad_link: |_, _| None,
            value: core::marker::PhantomData,
        }
    }

    /// The classes that it links to.
    pub fn links_to(self) -> &'static [ClassId] {
        self.links_to
    }

    /// The first link in it that is to no object; `targets` are those of the classes that it links to.
    pub fn bad_link(self, targets: Targets<'_>) -> Option<BadLink> {
        // SAFETY: a value of the type that the function is for, which is borrowed.
        unsafe { (self.bad_link)(self.start, targets) }
    }

    /// Its address.
    pub fn start(self) -> *const () {
        self.start
    }

    /// Its bytes. The device does not take an argument of none.
    pub fn bytes(self) -> usize {
        self.bytes
    }
}

/// A type that an argument of a kernel on the device may have: a [`Value`], whose bytes mean the same there.
#[diagnostic::on_unimplemented(
    message = "an argument of type `{Self}` cannot be passed to the GPU",
    label = "this kernel runs on the host only",
    note = "at every place, a kernel takes values only: numbers, `bool`, `Link<Class>`, arrays of these, and structs of your own with `#[derive(Clone, Copy, Value)] #[repr(C)]`; no tuples, no references, no closures",
    note = "`usize` and `isize` may have another size on a device: take a `u32` or a `u64`, and write `as usize` where you use it",
    note = "several arguments, each of them a value, are fine",
    note = "the short forms, as `sim.execute(…)`, run it on the host, whatever it takes"
)]
pub trait DeviceArgument: Value {}
#[diagnostic::do_not_recommend]
impl<T: Value> DeviceArgument for T {}

/// An argument of a kernel, on the device.
#[cfg(target_arch = "nvptx64")]
#[derive(Debug)]
pub struct Checked<'a, T>(pub &'a T);

#[cfg(target_arch = "nvptx64")]
impl<T: DeviceArgument> Checked<'_, T> {
    /// Tells the compiler that links in it are to objects that exist.
    ///
    /// # Safety
    ///
    /// They are, as long as the kernel runs.
    #[inline(always)]
    pub unsafe fn trust(&self) {
        if const { !T::LINKS_TO.is_empty() } {
            // SAFETY: its links are to objects that exist, so that `bad_link` finds none.
            unsafe { self.0.assume_good(Targets(core::marker::PhantomData)) }
        }
    }
}

/// For arguments of which only the type checker knows that they cannot be passed: their kernel never runs here.
#[cfg(target_arch = "nvptx64")]
pub trait Unpassed {
    /// Tells nothing.
    ///
    /// # Safety
    ///
    /// None needed: a counterpart of [`Checked::trust`].
    unsafe fn trust(&self);
}

#[cfg(target_arch = "nvptx64")]
impl<T> Unpassed for Checked<'_, T> {
    #[inline(always)]
    unsafe fn trust(&self) {}
}

/// What a kernel that runs by `execute` may return: `()`, or `Option<()>` so that `?` can end a call
/// early. Anything else would be lost.
#[diagnostic::on_unimplemented(
    message = "`execute` would lose the `{Self}` that the kernel returns",
    label = "this kernel returns a value",
    note = "declare `#[kernel(reduce(Sum))]` (or `Min`, `Max`, `All`, `Any`, a reducer of your own) and use `execute_and_reduce`"
)]
pub trait Discardable {}
impl Discardable for () {}
impl Discardable for Option<()> {}

/// Fails to compile if what a kernel says that it writes is not what its modes store.
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
    // Names of more fields than the class has mean all of them.
    let all = match <K::Class as ClassInfo>::FIELDS.len() {
        64 => u64::MAX,
        count => (1 << count) - 1,
    };
    assert!(stores & !writes == 0, "a kernel stores a field that is not among those that it says it writes");
    assert!(snapshot & !shadows & all == 0, "a kernel stores a field of its snapshot in place");
    assert!(shadows & !snapshot == 0, "a kernel stores a field to a shadow that it does not have");
    assert!(K::EFFECTS.class().may_be(<K::Class as ClassInfo>::ID), "a kernel's phase is that of another class");
}

/// Fails to compile unless the places of a class's fields are in order.
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

/// What a kernel loads of an object.
pub type ValuesOf<K> = <FieldsOf<K> as FieldTuple<<K as Kernel>::Class>>::Values;

/// What a kernel does: `effects(Body::advance)`. See [`Effects`].
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
/// // Tests can hold on to what a kernel may touch.
/// let advance = ikra::effects(Body::advance);
/// assert!(advance.writes().has(body::pos) && !advance.writes().has(body::vel));
/// assert!(format!("{advance:?}").starts_with(r#"Body::advance { reads: {"pos", "vel"}, writes: {"pos"}"#));
/// ```
pub const fn effects<K: Kernel>(kernel: K) -> &'static Effects {
    let _kernel = kernel;
    K::EFFECTS
}
