//! What methods do, from which a kernel's effects are put together.

use super::{FieldSet, same};
use crate::order::{AtomicUse, AtomicUses};

/// What one method does, as its text and the texts of the methods of its block that it calls show.
#[derive(Clone, Copy, Debug)]
pub struct MethodEffects {
    reads: FieldSet,
    writes: FieldSet,
    others: FieldSet,
    because: &'static str,
    atomics: &'static [AtomicUse],
    calls: Calls,
}

impl MethodEffects {
    /// May read every field.
    pub const READS_ALL: Self = Self::new(u64::MAX, 0);
    /// May change every field.
    pub const WRITES_ALL: Self = Self::new(u64::MAX, u64::MAX);

    /// Of fields of its own object it names these, by their bits, and changes these.
    pub const fn new(reads: u64, writes: u64) -> Self {
        Self {
            reads: FieldSet::from_bits(reads),
            writes: FieldSet::from_bits(writes),
            others: FieldSet::EMPTY,
            because: "",
            atomics: &[],
            calls: Calls::NONE,
        }
    }

    /// Why it counts as accessing all fields: words for a message.
    #[must_use]
    pub const fn because(self, because: &'static str) -> Self {
        Self { because, ..self }
    }

    /// With what it does to atomic fields.
    #[must_use]
    pub const fn atomics(self, atomics: &'static [AtomicUse]) -> Self {
        Self { atomics, ..self }
    }

    /// With the fields, by their bits, that methods of its block read which it calls on other objects.
    #[must_use]
    pub const fn others(self, others: u64) -> Self {
        Self { others: FieldSet::from_bits(others), ..self }
    }

    /// With what it calls on other objects, in this file: names and lines.
    #[must_use]
    pub const fn calls(self, file: &'static str, names: &'static [(&'static str, u32)]) -> Self {
        Self { calls: Calls { file, names }, ..self }
    }

    /// Adds what a method does that calls none of other blocks.
    pub const fn reach(self, mut reached: Reached) -> Reached {
        reached.add(self);
        reached
    }
}

/// What some text calls on other objects: a getter or a method of this name in this line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Calls {
    pub(super) file: &'static str,
    pub(super) names: &'static [(&'static str, u32)],
}

impl Calls {
    pub(super) const NONE: Self = Self { file: "", names: &[] };
}

/// What a method does and those that it calls, in whatever block of methods, each once.
#[derive(Clone, Copy, Debug)]
pub struct Reached {
    pub(super) reads: FieldSet,
    pub(super) writes: FieldSet,
    pub(super) others: FieldSet,
    pub(super) because: &'static str,
    pub(super) atomics: AtomicUses,
    pub(super) calls: [Calls; Self::LISTS],
    pub(super) lists: usize,
    seen: [&'static str; Self::MOST],
    count: usize,
}

impl Reached {
    /// Methods that are told apart; a kernel that calls more, across blocks, may change every field.
    const MOST: usize = 64;
    /// Lists of calls that are kept.
    pub(super) const LISTS: usize = 32;
    /// Nothing yet.
    pub const NONE: Self = Self {
        reads: FieldSet::EMPTY,
        writes: FieldSet::EMPTY,
        others: FieldSet::EMPTY,
        because: "",
        atomics: AtomicUses::NONE,
        calls: [Calls::NONE; Self::LISTS],
        lists: 0,
        seen: [""; Self::MOST],
        count: 0,
    };

    const fn add(&mut self, method: MethodEffects) {
        self.reads = self.reads.union(method.reads);
        self.writes = self.writes.union(method.writes);
        self.others = self.others.union(method.others);
        if self.because.is_empty() {
            self.because = method.because;
        }
        self.atomics = self.atomics.and(method.atomics);
        if !method.calls.names.is_empty() {
            if self.lists < Self::LISTS {
                self.calls[self.lists] = method.calls;
            }
            self.lists += 1;
        }
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

    /// Adds what a method does.
    #[must_use]
    pub const fn enter(mut self, name: &'static str, method: MethodEffects) -> Self {
        self.add(method);
        self.seen[self.count] = name;
        self.count += 1;
        if self.count == Self::MOST {
            self.add(MethodEffects::WRITES_ALL);
            self.because = "it calls methods of more than 64 names";
        }
        self
    }

    /// The bits of the fields of its own object that the method reads.
    pub const fn reads(&self) -> u64 {
        self.reads.bits()
    }

    /// Why it counts as reading every field, if it does.
    pub const fn reason(&self) -> &'static str {
        self.because
    }
}
