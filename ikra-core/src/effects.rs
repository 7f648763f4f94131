//! The effects of kernels, as data: one [`Effects`] constant per kernel.
//!
//! | | |
//! | --- | --- |
//! | [`MethodEffects`] | the effects of one method, which `#[soa_methods]` finds in its text |
//! | [`Reached`] | these, with the methods of other blocks that it calls |
//! | [`Effects`] | the effects of a kernel; executors and the race check use them |

mod methods;
mod pairs;

use core::fmt;

pub use crate::field_set::FieldSet;
use crate::info::{ClassId, ClassInfo, FieldInfo, atomics, snapshot_with_arena};
use crate::message::{Message, same};
use crate::order::{AtomicUse, AtomicUses};
use methods::Calls;
pub use methods::{MethodEffects, Reached};

/// The numbers of the [modes](crate::mode::Mode) in which kernels access columns.
pub mod mode {
    /// The kernel does not name the field.
    pub const SKIP: u8 = 0;
    /// The kernel reads it and cannot change it, because it takes `&self`.
    pub const READ: u8 = 1;
    /// The kernel names it, and its text shows no change: compared after the call.
    pub const CHECKED: u8 = 2;
    /// The kernel may change it: stored after the call.
    pub const WRITE: u8 = 3;
    /// The kernel may change it, and other objects see the previous value.
    pub const SNAPSHOT: u8 = 4;
}

/// The effects of a kernel.
///
/// `#[soa_methods]` finds them in the text of the kernel and of the methods that it calls, and in the attribute
/// `#[kernel(…)]`. They are a constant of the kernel. Executors load and store the fields listed here, and the checks
/// for data races and for the order of atomic operations use them. Any other access of a kernel does not compile, or
/// panics; see the crate's documentation.
///
/// ```
/// use ikra::{effects, prelude::*};
///
/// #[soa_class]
/// pub struct Car { pub pos: f32, pub speed: f32, pub colour: u8, pub ahead: Option<Link<Car>>, pub road: Link<Road> }
/// #[soa_class]
/// pub struct Road { pub limit: f32, pub length: f32, #[atomic] pub cars: u32 }
///
/// #[soa_methods]
/// impl Car {
///     #[kernel(snapshot(speed))]
///     pub fn accelerate(&mut self, dt: f32) {
///         let wanted = self.ahead.map_or(self.road.limit(), |car| car.speed());
///         self.speed += (wanted - self.speed) * dt;
///         self.road.cars().add(1);
///     }
/// }
///
/// let effects = effects(Car::accelerate);
/// assert_eq!((effects.kernel(), effects.is_exclusive(), effects.is_heavy()), ("Car::accelerate", true, false));
/// assert!(effects.reads().has(car::ahead) && !effects.reads().has(car::colour));
/// assert!(effects.writes().has(car::speed) && !effects.writes().has(car::pos));
/// assert!(effects.snapshot().has(car::speed));
/// // By links, class by class:
/// let (cars, roads) = (effects.reads_through_links::<Car>(), effects.reads_through_links::<Road>());
/// assert!(cars.has(car::speed) && !cars.has(car::pos));
/// assert!(roads.has(road::limit) && !roads.has(road::length));
/// assert!(effects.atomics().any(|used| used.name() == "cars" && used.is_changed() && !used.is_loaded()));
/// ```
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Effects {
    kernel: &'static str,
    class: ClassId,
    is_exclusive: bool,
    is_heavy: bool,
    is_for_pairs: bool,
    sums: FieldSet,
    removes: bool,
    spawns: &'static [ClassId],
    most_births: u32,
    reads: FieldSet,
    writes: FieldSet,
    snapshot: FieldSet,
    /// The kernel's operations on atomic fields, of its own object and of others.
    pub(crate) atomics: AtomicUses,
    /// Why the kernel counts as writing every field, if it does.
    pub(crate) because: &'static str,
    others: FieldSet,
    roams: bool,
    calls: [Calls; Reached::LISTS],
    lists: usize,
    fields: &'static [FieldInfo],
}

impl Effects {
    /// `Class::method`.
    pub const fn kernel(&self) -> &'static str {
        self.kernel
    }

    /// The class whose objects the kernel runs for.
    pub const fn class(&self) -> ClassId {
        self.class
    }

    /// Whether it takes `&mut self`.
    pub const fn is_exclusive(&self) -> bool {
        self.is_exclusive
    }

    /// Whether a call does much work. Such a kernel runs on several threads even for few objects, and is compiled for
    /// several instruction sets.
    pub const fn is_heavy(&self) -> bool {
        self.is_heavy
    }

    /// Whether it may remove its own object.
    pub const fn removes(&self) -> bool {
        self.removes
    }

    /// Whether it may make objects of a class.
    pub const fn spawns(&self, class: ClassId) -> bool {
        let mut n = 0;
        while n < self.spawns.len() {
            if self.spawns[n].may_be(class) {
                return true;
            }
            n += 1;
        }
        false
    }

    /// The classes of the objects that it may make.
    pub const fn spawned(&self) -> &'static [ClassId] {
        self.spawns
    }

    /// The most objects that a call makes, or 0 if its text does not show that.
    pub const fn most_births(&self) -> u32 {
        self.most_births
    }

    /// Whether it may make or remove objects.
    pub const fn changes_objects(&self) -> bool {
        self.removes || !self.spawns.is_empty()
    }

    /// Whether it only computes its result: it takes `&self`, changes no atomic field, and makes and removes nothing.
    /// Such kernels can be called one after another for one object before they are called for the next.
    pub const fn is_pure(&self) -> bool {
        !self.is_exclusive && !self.changes_objects() && !self.atomics.change_any()
    }

    /// Fields of its own object that it names; the executor loads them.
    pub const fn reads(&self) -> FieldSet {
        self.reads
    }

    /// Fields of its own object that it may change; empty if it takes `&self`.
    pub const fn writes(&self) -> FieldSet {
        self.writes
    }

    /// Fields whose previous values other objects see; empty if it takes `&self`.
    pub const fn snapshot(&self) -> FieldSet {
        self.snapshot
    }

    /// Whether other objects' fields are read by plain loads. The compiler merges such loads, and unrolls loops with
    /// them. This is so if its objects have links to several classes, since it may handle each class in the same way.
    /// It is also so if they have no links, since it then reaches other objects by loops over all objects.
    pub(crate) const fn reads_plainly(&self) -> bool {
        let (mut field, mut links) = (0, false);
        while field < self.fields.len() {
            let classes = self.fields[field].links_to;
            let mut class = 1;
            while class < classes.len() {
                // A struct may have several links to one class.
                if !classes[class].may_be(classes[0]) {
                    return true;
                }
                class += 1;
            }
            links |= !classes.is_empty();
            field += 1;
        }
        !links
    }

    /// The effects of code outside of kernels.
    pub(crate) const fn of_no_kernel(name: &'static str) -> Self {
        Self {
            kernel: name,
            class: ClassId::NONE,
            is_exclusive: false,
            is_heavy: false,
            is_for_pairs: false,
            sums: FieldSet::EMPTY,
            removes: false,
            spawns: &[],
            most_births: 0,
            reads: FieldSet::EMPTY,
            writes: FieldSet::EMPTY,
            snapshot: FieldSet::EMPTY,
            atomics: AtomicUses::NONE,
            because: "",
            others: FieldSet::EMPTY,
            roams: false,
            calls: [Calls::NONE; Reached::LISTS],
            lists: 0,
            fields: &[],
        }
    }

    /// The fields of class `C` that the kernel's text reads of other objects, also of its own class. They are the
    /// fields whose getters it calls, by name, and those read by methods that it calls on objects of its own class.
    /// The kernel's text does not show the reads in methods of other blocks and classes, and in functions that take a
    /// `Ref`.
    pub const fn reads_through_links<C: ClassInfo>(&self) -> FieldSet {
        let mut found = if self.class.may_be(C::ID) { self.others } else { FieldSet::EMPTY };
        let mut field = 0;
        while field < C::FIELDS.len() {
            if self.calls(C::FIELDS[field].name) {
                found = found.union(FieldSet::from_bits(1 << field));
            }
            field += 1;
        }
        found
    }

    /// Whether it may reach other objects in ways that its text does not show: any object of the world, by
    /// [`all`](crate::object::Object::all) or [`resolve`](crate::object::Object::resolve), or by functions and macros of
    /// the user's. If this is `false`, it reaches the objects that fields and arguments name, those that they
    /// name, and so on.
    pub const fn roams(&self) -> bool {
        self.roams || self.lists > Reached::LISTS
    }

    /// The names of the getters and methods that the text calls on other objects, and perhaps on other values.
    pub fn called(&self) -> impl Iterator<Item = &'static str> {
        let lists = &self.calls[..self.lists.min(Reached::LISTS)];
        lists.iter().flat_map(|calls| calls.names.iter().map(|name| name.0))
    }

    /// The fields of its own class that methods read which it calls on other objects.
    pub const fn others(&self) -> FieldSet {
        self.others
    }

    /// Whether the text calls a getter or a method with this name on other objects.
    pub(crate) const fn calls(&self, name: &str) -> bool {
        let mut list = 0;
        while list < self.lists && list < Reached::LISTS {
            let mut n = 0;
            while n < self.calls[list].names.len() {
                if same(self.calls[list].names[n].0, name) {
                    return true;
                }
                n += 1;
            }
            list += 1;
        }
        // Surplus lists are not kept.
        self.lists > Reached::LISTS
    }

    /// Adds ` (file:12, file:15)` if the text calls a getter or a method with this name.
    pub(crate) const fn say_lines(&self, name: &str, mut message: Message) -> Message {
        let (mut list, mut said) = (0, 0);
        while list < self.lists && list < Reached::LISTS {
            let Calls { file, names } = self.calls[list];
            let mut n = 0;
            while n < names.len() {
                if same(names[n].0, name) {
                    message = message.push(if said == 0 { " (" } else { ", " }).push(file).push(":");
                    message = message.push_number(names[n].1);
                    said += 1;
                }
                n += 1;
            }
            list += 1;
        }
        if said == 0 { message } else { message.push(")") }
    }

    /// The kernel's operations on atomic fields, by the fields' names.
    pub fn atomics(&self) -> impl Iterator<Item = &AtomicUse> {
        self.atomics.iter()
    }

    /// Whether threads that run the kernel may change one atomic field; `with_others` includes the other kernels of its
    /// trait.
    pub const fn shares_atomics(&self, with_others: bool) -> bool {
        self.atomics.are_shared(with_others)
    }

    /// Whether the kernel may change a field of class `C` in place, so that other objects must not read it.
    pub(crate) const fn writes_in_place<C: ClassInfo>(&self, field: usize) -> bool {
        self.class.may_be(C::ID) && self.writes.contains(field) && !self.snapshot.contains(field)
    }
}

/// For the macros and the executors.
impl Effects {
    /// The effects of a constructor of class `C`.
    pub const fn constructor<C: ClassInfo>() -> Self {
        Self {
            class: C::ID,
            is_exclusive: true,
            writes: FieldSet::ALL,
            fields: C::FIELDS,
            ..Self::of_no_kernel(C::NAME)
        }
    }

    /// The effects of a chain without kernels, for objects of class `C`.
    pub const fn none<C: ClassInfo>() -> Self {
        Self { class: C::ID, fields: C::FIELDS, ..Self::of_no_kernel(C::NAME) }
    }

    /// The effects of a kernel for objects of class `C` that takes `&self`.
    pub const fn shared<C: ClassInfo>(kernel: &'static str, found: Reached) -> Self {
        Self {
            class: C::ID,
            removes: found.removes,
            reads: found.reads,
            atomics: found.atomics,
            because: found.because,
            others: found.others,
            roams: found.roams,
            calls: found.calls,
            lists: found.lists,
            fields: C::FIELDS,
            ..Self::of_no_kernel(kernel)
        }
    }

    /// The effects of a kernel that takes `&mut self`. `snapshot` has the bits of the fields with a declared snapshot.
    pub const fn exclusive<C: ClassInfo>(kernel: &'static str, found: Reached, snapshot: u64) -> Self {
        assert!(snapshot & atomics::<C>().bits() == 0, "others see every change of an atomic field");
        let snapshot = snapshot_with_arena::<C>(snapshot, found.writes);
        let writes = found.writes.union(snapshot);
        Self { is_exclusive: true, writes, snapshot, ..Self::shared::<C>(kernel, found) }
    }

    /// These effects, for a kernel that does much work in a call.
    #[must_use]
    pub const fn heavy(self) -> Self {
        Self { is_heavy: true, ..self }
    }

    /// These effects, for a kernel that may make objects of some classes.
    #[must_use]
    pub const fn spawning(self, spawns: &'static [ClassId]) -> Self {
        Self { spawns, ..self }
    }

    /// These effects, for a kernel whose calls make at most this many objects, as its text shows.
    #[must_use]
    pub const fn births(self, most: u32) -> Self {
        Self { most_births: most, ..self }
    }

    /// These effects, for a kernel that may remove its own object.
    #[must_use]
    pub const fn removing(self) -> Self {
        Self { removes: true, ..self }
    }

    /// These effects, with the attribute's list of atomic operations in place of the list from the text.
    #[must_use]
    pub const fn declared(self, listed: &[AtomicUse]) -> Self {
        Self { atomics: self.atomics.declared(listed), ..self }
    }

    /// The effects of two pure kernels of a class that are called for the same objects, under a common name.
    ///
    /// # Panics
    ///
    /// If one of them is not pure.
    #[must_use]
    pub const fn and(self, other: &Self, kernel: &'static str) -> Self {
        assert!(self.is_pure() && other.is_pure(), "only pure kernels are called together");
        let mut both = self;
        both.kernel = kernel;
        both.is_heavy |= other.is_heavy;
        both.reads = self.reads.union(other.reads);
        both.others = self.others.union(other.others);
        both.roams |= other.roams;
        both.atomics = self.atomics.and(other.atomics.entries());
        if both.because.is_empty() {
            both.because = other.because;
        }
        let mut list = 0;
        while list < other.lists {
            if both.lists < Reached::LISTS && list < Reached::LISTS {
                both.calls[both.lists] = other.calls[list];
            }
            both.lists += 1;
            list += 1;
        }
        both
    }

    /// The kernel's access to the column of a field: a number for [`Mode`](crate::mode::Mode).
    pub const fn mode(&self, field: usize) -> u8 {
        if self.is_exclusive && self.snapshot.contains(field) {
            mode::SNAPSHOT
        } else if self.is_exclusive && self.writes.contains(field) {
            mode::WRITE
        } else if !self.reads.contains(field) {
            mode::SKIP
        } else if self.is_exclusive {
            mode::CHECKED
        } else {
            mode::READ
        }
    }

    /// The fields that the kernel writes to a shadow, so that other objects see the previous values.
    pub const fn shadowed(&self) -> FieldSet {
        if self.is_exclusive { self.snapshot } else { FieldSet::EMPTY }
    }

    /// Whether a call of the kernel writes every element of this inner array of its own object to the shadow. Elements
    /// that the method does not write are copied.
    ///
    /// This is limited to arrays in columns, whose elements fit the bits of a number, and to kernels with one call per
    /// object.
    pub(crate) const fn renews(&self, field: usize) -> bool {
        if self.is_for_pairs || !self.shadowed().contains(field) || field >= self.fields.len() {
            return false;
        }
        let FieldInfo { array, atomic, .. } = &self.fields[field];
        matches!(array, Some(array) if !array.arena && array.slots <= u32::BITS as usize) && !*atomic
    }

    /// The fields whose shadow starts as a copy. These are inner arrays, whose elements are changed in place, except
    /// arrays that calls renew.
    pub const fn copied(&self) -> FieldSet {
        let (mut copied, mut field) = (FieldSet::EMPTY, 0);
        while field < self.fields.len() {
            if self.fields[field].array.is_some() && self.shadowed().contains(field) && !self.renews(field) {
                copied = copied.union(FieldSet::from_bits(1 << field));
            }
            field += 1;
        }
        copied
    }
}

impl fmt::Debug for Effects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Fields by their names.
        struct Names(FieldSet, &'static [FieldInfo]);
        impl fmt::Debug for Names {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let Self(set, fields) = self;
                let names = fields.iter().enumerate().filter(|(field, _)| set.contains(*field));
                f.debug_set().entries(names.map(|(_, field)| field.name)).finish()
            }
        }
        f.debug_struct(self.kernel)
            .field("reads", &Names(self.reads, self.fields))
            .field("writes", &Names(self.writes, self.fields))
            .field("snapshot", &Names(self.snapshot, self.fields))
            .field("atomics", &self.atomics)
            .finish_non_exhaustive()
    }
}
