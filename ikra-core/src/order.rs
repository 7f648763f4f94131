//! The order of atomic operations: a kernel's result must not depend on it.
//!
//! A kernel's threads run in any order. Their operations on an `#[atomic]` field have one result only if the operations
//! commute, or if no two of them access one object's field. Each kernel therefore has one [`Rule`] per atomic field, a
//! constant:
//!
//! | rule | operations that the kernel may do on the field |
//! | --- | --- |
//! | [`Anything`](Rule::Anything) | any operation: sequential code, or the kernel has `unordered(field)` |
//! | [`Loads`](Rule::Loads) | load it, of any object |
//! | [`Own`](Rule::Own) | any operation on its own object's field, none on another's: as good as a plain field |
//! | [`Updates`](Rule::Updates) | one kind of operation that commutes, of any object, without the previous value |
//!
//! Every operation on an [`Atomic`](crate::storage::Atomic) holds a `const` assertion that the rule allows it. The
//! guarantee does not rest on the macro's analysis of a kernel's text (I6): the text only chooses the rule.

mod messages;

use core::marker::PhantomData;

#[doc(inline)]
pub use ikra_marks::uses;

use crate::effects::Effects;
use crate::info::ClassInfo;
use crate::message::Message;
use crate::message::same;
use crate::phase::Phase;
use messages::{describe, list, refusal, ways_out};

/// A kernel's operations on the atomic fields with one name.
///
/// The text of a kernel does not show the classes of other objects, so fields are identified by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtomicUse {
    name: &'static str,
    /// Operations on its own object's field.
    own: u16,
    /// Operations on other objects' fields.
    other: u16,
}

impl AtomicUse {
    /// The operations on the field called `name`: bits of [`uses`], for its own object and for others.
    pub const fn new(name: &'static str, own: u16, other: u16) -> Self {
        Self { name, own, other }
    }

    /// The name of the fields.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Whether it loads the fields, or uses the values before a change.
    pub const fn is_loaded(&self) -> bool {
        (self.own | self.other) & (uses::LOAD | uses::EXCHANGE | uses::UNORDERED) != 0
    }

    /// Whether it changes the fields.
    pub const fn is_changed(&self) -> bool {
        (self.own | self.other) & !uses::LOAD != 0
    }

    /// Whether threads that run the kernel may change one field; `with_others` includes the other kernels of its trait.
    const fn is_shared(&self, with_others: bool) -> bool {
        self.is_changed() && (with_others || self.other != 0 || self.own & uses::UNORDERED != 0)
    }

    /// The bit of the only operation, if it is an update that commutes.
    pub const fn update(&self) -> Option<u16> {
        let all = self.own | self.other;
        if all.is_power_of_two() && all & uses::UPDATES != 0 { Some(all) } else { None }
    }

    /// Whether it changes the fields of other objects.
    pub const fn is_of_others(&self) -> bool {
        self.other != 0
    }
}

/// A kernel's operations on atomic fields, one entry per name.
#[derive(Clone, Copy)]
pub struct AtomicUses {
    entries: [AtomicUse; Self::MOST],
    count: usize,
}

impl AtomicUses {
    /// The largest number of names. Operations on further fields count as not shown by the kernel's text.
    const MOST: usize = 64;
    /// No operations.
    pub const NONE: Self = Self { entries: [AtomicUse::new("", 0, 0); Self::MOST], count: 0 };

    pub(crate) fn iter(&self) -> impl Iterator<Item = &AtomicUse> {
        self.entries().iter()
    }

    /// The operations, one entry per name.
    pub(crate) const fn entries(&self) -> &[AtomicUse] {
        self.entries.split_at(self.count).0
    }

    /// Whether threads that run the kernel may change one field.
    pub(crate) const fn are_shared(&self, with_others: bool) -> bool {
        let mut n = 0;
        while n < self.count {
            if self.entries[n].is_shared(with_others) {
                return true;
            }
            n += 1;
        }
        false
    }

    /// Whether some field is changed.
    pub(crate) const fn change_any(&self) -> bool {
        let mut n = 0;
        while n < self.count {
            if self.entries[n].is_changed() {
                return true;
            }
            n += 1;
        }
        false
    }

    const fn position(&self, name: &str) -> usize {
        let mut n = 0;
        while n < self.count && !same(self.entries[n].name, name) {
            n += 1;
        }
        n
    }

    const fn of(&self, name: &str) -> AtomicUse {
        match self.position(name) {
            n if n < self.count => self.entries[n],
            _ => AtomicUse::new("", 0, 0),
        }
    }

    const fn put(mut self, entry: AtomicUse) -> Self {
        let n = self.position(entry.name);
        if n < Self::MOST {
            self.entries[n] = entry;
            if n == self.count {
                self.count += 1;
            }
        }
        self
    }

    /// Adds further operations.
    #[must_use]
    pub const fn and(mut self, found: &[AtomicUse]) -> Self {
        let mut n = 0;
        while n < found.len() {
            let AtomicUse { name, own, other } = found[n];
            let before = self.of(name);
            self = self.put(AtomicUse::new(name, before.own | own, before.other | other));
            n += 1;
        }
        self
    }

    /// Replaces the operations found in the text by the user's lists.
    #[must_use]
    pub const fn declared(mut self, listed: &[AtomicUse]) -> Self {
        let mut n = 0;
        while n < listed.len() {
            self = self.put(listed[n]);
            n += 1;
        }
        self
    }
}

impl core::fmt::Debug for AtomicUses {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The operations that a kernel may do on one atomic field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Any operation.
    Anything,
    /// Load it.
    Loads,
    /// Any operation, on its own object's field only.
    Own,
    /// Updates by the operation with this bit of [`uses`].
    Updates(u16),
}

/// A kernel's operations on a field of class `C`. Only objects of the kernel's class can be its own.
const fn of_class<C: ClassInfo>(effects: &Effects, field: usize) -> AtomicUse {
    let AtomicUse { name, own, other } = effects.atomics.of(C::FIELDS[field].name);
    AtomicUse { name, own: if effects.class().may_be(C::ID) { own } else { 0 }, other }
}

impl Rule {
    /// The rule for a field of class `C` in phase `P`; the operations, if they conflict.
    const fn find<P: Phase, C: ClassInfo>(field: usize) -> Result<Self, AtomicUse> {
        if P::SEQUENTIAL || P::GUARDED {
            return Ok(Self::Anything);
        }
        Self::of_kernel::<P, C>(field)
    }

    /// As above, for a kernel, with any number of threads.
    const fn of_kernel<P: Phase, C: ClassInfo>(field: usize) -> Result<Self, AtomicUse> {
        let AtomicUse { name, mut own, mut other } = of_class::<C>(P::EFFECTS, field);
        // Kernels of other classes that run together with it: their operations on own objects count as operations on
        // others.
        let mut n = 0;
        while n < P::BESIDE.len() {
            let beside = of_class::<C>(P::BESIDE[n], field);
            if n == P::OWN {
                own |= beside.own;
                other |= beside.other;
            } else {
                other |= beside.own | beside.other;
            }
            n += 1;
        }
        let all = own | other;
        if all & uses::UNORDERED != 0 {
            Ok(Self::Anything)
        } else if all & !uses::LOAD == 0 {
            Ok(Self::Loads)
        } else if other == 0 {
            Ok(Self::Own)
        } else if all.is_power_of_two() && all & uses::UPDATES != 0 {
            Ok(Self::Updates(all))
        } else {
            Err(AtomicUse::new(name, own, other))
        }
    }

    const fn allows(self, operation: Operation, own: bool) -> bool {
        match self {
            Self::Anything => true,
            Self::Loads => matches!(operation, Operation::Load),
            Self::Own => own,
            Self::Updates(kind) => operation.bit() == kind,
        }
    }
}

/// An operation on an atomic field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A load.
    Load,
    /// A store.
    Store,
    /// An addition or subtraction of integers, which wraps around.
    Add,
    /// The lesser of two values.
    Min,
    /// The greater of two values.
    Max,
    /// The bitwise or of two values.
    Or,
    /// The bitwise and of two values.
    And,
    /// Any change whose result is the previous value.
    Exchange,
    /// An addition of floating-point numbers, which rounds.
    AddFloat,
}

impl Operation {
    const fn bit(self) -> u16 {
        match self {
            Self::Load => uses::LOAD,
            Self::Store => uses::STORE,
            Self::Add => uses::ADD,
            Self::Min => uses::MIN,
            Self::Max => uses::MAX,
            Self::Or => uses::OR,
            Self::And => uses::AND,
            Self::Exchange | Self::AddFloat => uses::EXCHANGE,
        }
    }
}

/// The position of an atomic: its phase, class and field, and whether it is the object's own.
///
/// It is the last type parameter of [`Atomic`](crate::storage::Atomic). It lets each operation check whether the kernel
/// may do it. A function of your own that takes an atomic has it as a parameter:
///
/// ```
/// use ikra::prelude::*;
/// use ikra::AtomicOwner;
///
/// #[soa_class]
/// pub struct Shop { #[atomic] pub visits: u32 }
/// #[soa_class]
/// pub struct Visitor { pub favourite: Link<Shop> }
///
/// fn count(visits: Atomic<'_, u32, impl AtomicOwner>) { visits.add(1); }
///
/// #[soa_methods]
/// impl Visitor {
///     // This text does not show the operation on `visits`, so it is listed.
///     #[kernel(updates(add(visits)))]
///     pub fn visit(&mut self) { count(self.favourite.visits()); }
/// }
///
/// # #[soa_world]
/// # pub struct Town { pub shops: Objects<Shop>, pub visitors: Objects<Visitor> }
/// # fn main() -> Result<(), ikra::Error> {
/// let mut town = Town::new();
/// let favourite = town.shops.push(Shop { visits: 0 })?;
/// town.visitors.extend((0..100).map(|_| Visitor { favourite }))?;
/// town.execute(Visitor::visit, ());
/// assert_eq!(town.get(favourite).visits().load(), 100);
/// # Ok(()) }
/// ```
///
/// Implemented by the two types that views and refs use, and by no other types.
pub trait AtomicOwner: sealed::Owner {}

pub(crate) use sealed::Lent;

mod sealed {
    use super::Rule;
    use crate::info::ClassInfo;
    use crate::phase::Phase;

    /// The phase, class and field.
    pub trait Owner {
        type Phase: Phase;
        type Class: ClassInfo;
        const FIELD: usize;
        /// Whether it is the field of the object that the kernel runs for.
        const OWN: bool;
        /// If so, whether it may still be in a view that a ref lent.
        type Lent: Lent;
        /// The kernel's rule for it.
        type Rule: HasRule;
    }

    /// Whether an atomic is in a view that a ref lent, and so is not a kernel's own.
    pub trait Lent: Copy {
        /// It belongs to the object that the code runs for, unless its type is that of any object.
        const OWN: Self;
        /// It belongs to any object.
        const LENT: Self;
        fn is_lent(self) -> bool;
    }

    impl Lent for bool {
        const OWN: Self = false;
        const LENT: Self = true;
        #[inline(always)]
        fn is_lent(self) -> bool {
            self
        }
    }

    impl Lent for () {
        const OWN: Self = ();
        const LENT: Self = ();
        #[inline(always)]
        fn is_lent(self) -> bool {
            true
        }
    }

    /// The rule of a field.
    pub trait HasRule {
        /// The rule: one constant for all operations, so that a conflict is reported once.
        const RULE: Rule;
    }
}

/// Field `K` of the object of class `C` that the code in phase `P` runs for: the atomic in a view.
///
/// A view that a ref lends has this type too, so that one method serves both. The atomic in it knows that it is another
/// object's, and refuses operations that the kernel may do only on its own object.
///
/// Neither `Send` nor `Sync`: one object's call operates on its own field in one order.
#[derive(Debug)]
pub struct OfSelf<P, C, const K: usize>(PhantomData<(*const (), fn() -> (P, C))>);

/// Field `K` of any object of class `C` in phase `P`: the atomic that a ref's getter returns.
///
/// `Send` and `Sync` if the phase is: kernels that one thread runs alone rely on it.
#[derive(Debug)]
pub struct OfAny<P, C, const K: usize>(PhantomData<(P, fn() -> C)>);

/// The rule for field `K` of class `C` in phase `P`.
#[derive(Debug)]
pub struct RuleFor<P, C, const K: usize>(PhantomData<fn() -> (P, C)>);

impl<P: Phase, C: ClassInfo, const K: usize> sealed::HasRule for RuleFor<P, C, K> {
    const RULE: Rule = match Rule::find::<P, C>(K) {
        Ok(rule) => rule,
        Err(conflict) => panic!("{}", explain::<P, C>(K, conflict).as_str()),
    };
}

/// The conflict in a kernel's operations on a field.
const fn explain<P: Phase, C: ClassInfo>(field: usize, AtomicUse { own, other, .. }: AtomicUse) -> Message {
    let message = list(describe::<P, C>(field).push(" is "), own, other);
    ways_out(message, own | other, C::FIELDS[field].name)
}

impl<P: Phase, C: ClassInfo, const K: usize> AtomicOwner for OfSelf<P, C, K> {}
impl<P: Phase, C: ClassInfo, const K: usize> sealed::Owner for OfSelf<P, C, K> {
    type Phase = P;
    type Class = C;
    const FIELD: usize = K;
    const OWN: bool = true;
    type Lent = bool;
    type Rule = RuleFor<P, C, K>;
}

impl<P: Phase, C: ClassInfo, const K: usize> AtomicOwner for OfAny<P, C, K> {}
impl<P: Phase, C: ClassInfo, const K: usize> sealed::Owner for OfAny<P, C, K> {
    type Phase = P;
    type Class = C;
    const FIELD: usize = K;
    const OWN: bool = false;
    type Lent = ();
    type Rule = RuleFor<P, C, K>;
}

/// Fails to compile if the operation's result may depend on the order of threads.
pub(crate) const fn assert_allowed<A: AtomicOwner>(operation: Operation) {
    if !<A::Rule as sealed::HasRule>::RULE.allows(operation, A::OWN) {
        panic!("{}", refusal::<A>(operation).as_str());
    }
}

/// Whether no other thread changes the field while the kernel runs, so that a plain load suffices. This is so if the
/// kernel and all kernels that run at the same time only load it. It is also so if each call uses only its own object's
/// field.
pub(crate) const fn is_left_alone<A: AtomicOwner>() -> bool {
    // Not `HasRule::RULE`: the operation's assertion reports a conflict, once.
    match Rule::find::<A::Phase, A::Class>(A::FIELD) {
        Ok(Rule::Loads) => true,
        Ok(Rule::Own) => A::OWN,
        Ok(Rule::Anything | Rule::Updates(_)) | Err(_) => false,
    }
}

/// Whether a kernel may use only its own object's field. Then it must not use another object's field in a view that a
/// ref lent, whose type claims that it is its own. One thread that runs the kernel obeys this too, so that the number
/// of threads does not show.
pub(crate) const fn is_own_alone<A: AtomicOwner>() -> bool {
    A::OWN && matches!(Rule::of_kernel::<A::Phase, A::Class>(A::FIELD), Ok(Rule::Own))
}

/// Fails to compile if a kernel uses a field as its own object's only, and calls a method of another object that uses
/// it.
pub(crate) const fn assert_not_own<P: Phase, C: ClassInfo>(field: usize) {
    // The operation's assertion reports any other conflict.
    if let Ok(Rule::Own) = Rule::find::<P, C>(field) {
        let uses = P::EFFECTS.atomics.of(C::FIELDS[field].name).own;
        let message = list(describe::<P, C>(field).push(" is "), uses, 0);
        let message = message.push(" and used by a method that is called on another object");
        panic!("{}", ways_out(message, uses, C::FIELDS[field].name).as_str());
    }
}
