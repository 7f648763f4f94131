//! Phases: which code a view or ref is used in, and the data races that this rules out.
//!
//! | in CUDA, DynaSOAr, Ikra-Cpp | here |
//! | --- | --- |
//! | thread *i* may read what thread *j* writes; nothing says so | does not compile: a kernel that writes a field of its own object cannot read that field of another |
//! | order by splitting kernels and remembering why | split the kernel, `#[kernel(snapshot(field))]`, or `#[atomic]`, whose order [`order`](crate::order) checks |

use core::marker::PhantomData;

use crate::class::{Class, ClassId};
use crate::order::{AtomicUse, AtomicUses, assert_not_own};

/// A set of a class's fields, by position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldSet(u64);

impl FieldSet {
    /// No field.
    pub const EMPTY: Self = Self(0);
    /// Every field.
    pub const ALL: Self = Self(u64::MAX);

    /// The set of the fields whose bits are set, bit 0 for the first field.
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Whether the field is in the set.
    pub const fn contains(self, field: usize) -> bool {
        field < 64 && self.0 >> field & 1 == 1
    }

    /// Its bits.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Whether it is [`ALL`](Self::ALL).
    pub const fn is_all(self) -> bool {
        self.0 == u64::MAX
    }

    /// Whether there is no field in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The fields of either set.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The fields of both sets.
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

/// What a method does to the fields of its own object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldAccess {
    /// Fields that it names, for whatever purpose.
    pub touches: FieldSet,
    /// Fields that it may change.
    pub writes: FieldSet,
    /// Why it is said to access all fields, if it is: words for a message.
    pub because: &'static str,
    /// What it does to atomic fields, of any object.
    pub atomics: &'static [AtomicUse],
}

impl FieldAccess {
    /// May read every field.
    pub const READS_ALL: Self = Self::new(u64::MAX, 0);
    /// May change every field.
    pub const WRITES_ALL: Self = Self::new(u64::MAX, u64::MAX);

    /// Of the fields whose bits are set.
    pub const fn new(touches: u64, writes: u64) -> Self {
        Self { touches: FieldSet::from_bits(touches), writes: FieldSet::from_bits(writes), because: "", atomics: &[] }
    }

    /// The same, with a reason.
    #[must_use]
    pub const fn because(self, because: &'static str) -> Self {
        Self { because, ..self }
    }

    /// With what it does to atomic fields.
    #[must_use]
    pub const fn atomics(mut self, atomics: &'static [AtomicUse]) -> Self {
        self.atomics = atomics;
        self
    }

    /// Adds the accesses of a method that calls no others.
    pub const fn reach(self, mut reached: Reached) -> Reached {
        reached.add(self);
        reached
    }

    /// The accesses of both methods, but for those to atomic fields.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self {
            touches: self.touches.union(other.touches),
            writes: self.writes.union(other.writes),
            because: if self.because.is_empty() { other.because } else { self.because },
            atomics: &[],
        }
    }

    /// How a kernel with these accesses goes about the column of a field: a number for
    /// [`Mode`](crate::access::Mode).
    pub const fn mode(self, field: usize, exclusive: bool, snapshot: FieldSet) -> u8 {
        use crate::access::mode;
        if exclusive && snapshot.contains(field) {
            mode::SNAPSHOT
        } else if exclusive && self.writes.contains(field) {
            mode::WRITE
        } else if !self.touches.contains(field) {
            mode::SKIP
        } else if exclusive {
            mode::CHECKED
        } else {
            mode::READ
        }
    }
}

/// The accesses of a method and of those that it calls, in whatever block of methods, each once.
#[derive(Clone, Copy, Debug)]
pub struct Reached {
    /// The accesses found so far, but for those to atomic fields.
    pub access: FieldAccess,
    /// What is done to atomic fields.
    pub atomics: AtomicUses,
    seen: [&'static str; Self::MOST],
    count: usize,
}

impl Reached {
    /// Methods that are told apart; a kernel that calls more, across blocks, may change every field.
    const MOST: usize = 64;
    /// Nothing yet.
    pub const NONE: Self =
        Self { access: FieldAccess::new(0, 0), atomics: AtomicUses::NONE, seen: [""; Self::MOST], count: 0 };

    const fn add(&mut self, access: FieldAccess) {
        self.access = self.access.union(access);
        self.atomics = self.atomics.and(access.atomics);
    }

    /// Whether a method, by name, has been entered.
    pub const fn contains(&self, method: &str) -> bool {
        let mut n = 0;
        while n < self.count {
            if same(self.seen[n], method) {
                return true;
            }
            n += 1;
        }
        self.count == Self::MOST
    }

    /// Adds the accesses of a method.
    #[must_use]
    pub const fn enter(mut self, method: &'static str, access: FieldAccess) -> Self {
        self.add(access);
        self.seen[self.count] = method;
        self.count += 1;
        if self.count == Self::MOST {
            self.access = FieldAccess::WRITES_ALL.because("it calls methods of more than 64 names");
        }
        self
    }
}

/// `==` for constants.
pub(crate) const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut n = 0;
    while n < a.len() && n < b.len() && a[n] == b[n] {
        n += 1;
    }
    n == a.len() && n == b.len()
}

/// Where some text calls getters and methods, by name: where a read may be, for messages.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Lines {
    file: &'static str,
    calls: &'static [(&'static str, u32)],
}

impl Lines {
    /// Nowhere.
    pub const NONE: Self = Self::new("", &[]);

    /// In a file the calls of these names in these lines.
    pub const fn new(file: &'static str, calls: &'static [(&'static str, u32)]) -> Self {
        Self { file, calls }
    }

    /// Adds ` (file:12, file:15)`, where a name is called.
    const fn say(self, name: &str, mut message: Message) -> Message {
        let (mut n, mut said) = (0, 0);
        while n < self.calls.len() {
            if same(self.calls[n].0, name) {
                message = message.push(if said == 0 { " (" } else { ", " }).push(self.file).push(":");
                message = message.push_number(self.calls[n].1);
                said += 1;
            }
            n += 1;
        }
        if said == 0 { message } else { message.push(")") }
    }
}

/// The code that a view or ref is used in: one kernel, or sequential code.
///
/// Every kernel is a phase. The type parameter `P: Phase` of views and refs carries it into every
/// method, so that a getter can reject, at compile time, to read through another object what the
/// kernel writes in its own.
/// ```
/// use ikra::prelude::*;
/// #[soa_class]
/// pub struct Body { pub mass: f32 }
///
/// /// A function of one's own that takes a view in any phase.
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
/// 1. A kernel changes in place only fields of its own objects, of class `CLASS`, that are in `WRITES`; of those that
///    are also in `SNAPSHOT` it changes only what nobody else sees meanwhile.
/// 2. `SEQUENTIAL` and `GUARDED` are false for kernels.
pub unsafe trait Phase: Copy + 'static {
    /// The class whose objects the kernel runs for.
    const CLASS: ClassId;
    /// `Class::method`.
    const NAME: &'static str;
    /// Fields of its own object that the kernel may change.
    const WRITES: FieldSet;
    /// Fields of which others see the value from before the kernel.
    const SNAPSHOT: FieldSet;
    /// What its text does to atomic fields, of which follows what it may do to them.
    #[doc(hidden)]
    const ATOMICS: &'static AtomicUses = &AtomicUses::NONE;
    /// Getters that a kernel for pairs calls, perhaps of the other object.
    #[doc(hidden)]
    const GETS: &'static [&'static str] = &[];
    /// Where the kernel's text calls getters and methods of its class.
    #[doc(hidden)]
    const LINES: Lines = Lines::NONE;
    /// Why the kernel counts as writing every field, if it does.
    #[doc(hidden)]
    const BECAUSE: &'static str = "";
    /// Whether this is sequential code, which fetches from a device what it reads.
    #[doc(hidden)]
    const SEQUENTIAL: bool = false;
    /// Whether there is a guard that may change an object.
    #[doc(hidden)]
    const GUARDED: bool = false;
}

/// The phase of sequential code: may read everything, guarded by the borrow of the world.
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

// SAFETY: it changes nothing: worlds that are shared hand out refs in this phase, and no views to change.
unsafe impl Phase for Sequential {
    const CLASS: ClassId = ClassId::NONE;
    const NAME: &'static str = "sequential code";
    const SEQUENTIAL: bool = true;
    const WRITES: FieldSet = FieldSet::EMPTY;
    const SNAPSHOT: FieldSet = FieldSet::EMPTY;
}

/// The phase of sequential code that has a guard from `world.get_mut(link)`: what the
/// guard shows as an object's view, and every ref that is found from there, are in this phase.
///
/// The guard stores its object's fields when it is dropped, and refs, which may refer to the same object, show the
/// fields from before until then. So in this phase refs stay in the guard's thread, and show elements of inner arrays
/// by value only: `other.path().get(i)` and `other.path().iter()`, but not `&other.path()[i]`. The object's own array,
/// `guard.path[i]`, can be borrowed: it is a copy that belongs to the guard.
///
/// ```
/// use ikra::prelude::*;
///
/// #[soa_class]
/// pub struct Node { pub next: Link<Node>, #[inline_array] pub path: [u32; 2] }
///
/// /// For an object of one's own.
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
    /// Neither `Send` nor `Sync`, and so are refs in this phase.
    _one_thread: PhantomData<*const ()>,
}

// SAFETY: 1. a guard changes its object's columns only when it is dropped, in the one thread that has refs in this
// phase, between their reads; before, it changes copies of its own. 2. It is no kernel.
unsafe impl Phase for Guarded {
    const CLASS: ClassId = ClassId::NONE;
    const NAME: &'static str = "sequential code with a guard";
    const SEQUENTIAL: bool = true;
    const GUARDED: bool = true;
    const WRITES: FieldSet = FieldSet::EMPTY;
    const SNAPSHOT: FieldSet = FieldSet::EMPTY;
}

/// Proof that reading field `K` of another object of class `C` in phase `P` is no data race.
///
/// Made in the getter, `const { RaceFree::check() }`, so that the compiler's note points at the user's
/// call of it.
#[doc(hidden)]
#[derive(Debug)]
pub struct RaceFree<P, C, const K: usize>(PhantomData<fn() -> (P, C)>);

impl<P: Phase, C: Class, const K: usize> RaceFree<P, C, K> {
    /// Fails to compile if it would be one.
    pub const fn check() -> Self {
        assert_race_free::<P, C>(K, C::FIELDS[K].name, "");
        Self(PhantomData)
    }
}

/// Proof that reading the fields in `A` of another object of class `C` in phase `P` is no data race.
#[doc(hidden)]
#[derive(Debug)]
pub struct AllRaceFree<P, C, A>(PhantomData<fn() -> (P, C, A)>);

impl<P: Phase, C: Class, A: Touched> AllRaceFree<P, C, A> {
    /// Fails to compile if it would be one.
    pub const fn check() -> Self {
        let mut field = 0;
        while field < C::FIELDS.len() {
            if A::FIELDS.contains(field) {
                assert_race_free::<P, C>(field, A::METHOD, if A::FIELDS.is_all() { A::BECAUSE } else { "" });
                if C::FIELDS[field].atomic {
                    assert_not_own::<P, C>(field);
                }
            }
            field += 1;
        }
        Self(PhantomData)
    }
}

/// A field of a kernel's own object on which the kernel calls a method, and which its text does not show to
/// be written: it can be read.
///
/// This is what the compiler's message "cannot borrow data in dereference of `NotInKernelWrites`" is about:
/// the method takes `&mut self`, so the change would be lost. Declare it, `#[kernel(writes(field))]`, or
/// make it visible where the method is called: `(&mut self.field).method()`.
///
/// ```compile_fail,E0596
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
    /// The field, to be read.
    #[inline(always)]
    pub fn of(field: &T) -> &Self {
        // SAFETY: `Self` is transparent over `T`.
        unsafe { &*core::ptr::from_ref(field).cast() }
    }
}

impl<T> core::ops::Deref for NotInKernelWrites<T> {
    type Target = T;
    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

/// The fields that a method names, as a type.
#[doc(hidden)]
pub trait Touched {
    /// The fields.
    const FIELDS: FieldSet;
    /// Its name.
    const METHOD: &'static str = "";
    /// Why it counts as reading every field, if it does.
    const BECAUSE: &'static str = "";
}

/// Fails to compile if reading a field by a getter or method of this name is a data race.
const fn assert_race_free<P: Phase, C: Class>(field: usize, read_by: &str, because: &str) {
    let racing =
        P::CLASS.may_be(C::ID) && P::WRITES.contains(field) && !P::SNAPSHOT.contains(field) && !C::FIELDS[field].atomic;
    if racing {
        let name = C::FIELDS[field].name;
        let mut message = Message::new()
            .push("data race: kernel `")
            .push(P::NAME)
            .push("` writes `")
            .push(C::NAME)
            .push("::")
            .push(name)
            .push("` of its own object and reads it from another");
        message = P::LINES.say(read_by, message);
        if P::WRITES.is_all() && !P::BECAUSE.is_empty() {
            message = message.push("; it counts as written because ").push(P::BECAUSE);
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

/// A message put together at compile time.
#[derive(Debug)]
pub struct Message {
    bytes: [u8; 1024],
    len: usize,
}

impl Message {
    /// An empty one.
    pub const fn new() -> Self {
        Self { bytes: [0; 1024], len: 0 }
    }

    /// The message, and this.
    pub const fn push(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        let mut n = 0;
        while n < text.len() && self.len < self.bytes.len() {
            self.bytes[self.len] = text[n];
            self.len += 1;
            n += 1;
        }
        self
    }

    /// The message, and this number.
    pub const fn push_number(self, number: u32) -> Self {
        let message = if number < 10 { self } else { self.push_number(number / 10) };
        let digit = [b'0' + (number % 10) as u8];
        match core::str::from_utf8(&digit) {
            Ok(digit) => message.push(digit),
            Err(_) => message,
        }
    }

    /// The text.
    pub const fn as_str(&self) -> &str {
        match core::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => "data race",
        }
    }
}
