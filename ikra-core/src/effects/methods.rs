//! The effects of methods, from which a kernel's effects are composed.

use super::FieldSet;
use crate::message::same;
use crate::order::{AtomicUse, AtomicUses};

/// The effects of one method, as shown by its text and the texts of the methods that it calls in its block.
#[derive(Clone, Copy, Debug)]
pub struct MethodEffects {
    reads: FieldSet,
    writes: FieldSet,
    removes: bool,
    others: FieldSet,
    roams: bool,
    because: &'static str,
    atomics: &'static [AtomicUse],
    calls: Calls,
}

impl MethodEffects {
    /// May read every field.
    pub const READS_ALL: Self = Self::new(u64::MAX, 0).roaming();
    /// May change every field.
    pub const WRITES_ALL: Self = Self::new(u64::MAX, u64::MAX).roaming();

    /// It names these fields of its own object, by their bits, and changes these.
    pub const fn new(reads: u64, writes: u64) -> Self {
        Self {
            reads: FieldSet::from_bits(reads),
            writes: FieldSet::from_bits(writes),
            removes: false,
            others: FieldSet::EMPTY,
            roams: false,
            because: "",
            atomics: &[],
            calls: Calls::NONE,
        }
    }

    /// With a removal of its own object.
    #[must_use]
    pub const fn removing(self) -> Self {
        Self { removes: true, ..self }
    }

    /// The reason why it counts as accessing all fields: text for a message.
    #[must_use]
    pub const fn because(self, because: &'static str) -> Self {
        Self { because, ..self }
    }

    /// With its operations on atomic fields.
    #[must_use]
    pub const fn atomics(self, atomics: &'static [AtomicUse]) -> Self {
        Self { atomics, ..self }
    }

    /// With the fields, by their bits, that it reads of other objects through methods of its block.
    #[must_use]
    pub const fn others(self, others: u64) -> Self {
        Self { others: FieldSet::from_bits(others), ..self }
    }

    /// With reads of objects that its calls do not show.
    #[must_use]
    pub const fn roaming(self) -> Self {
        Self { roams: true, ..self }
    }

    /// With its calls on other objects in this file: names and lines.
    #[must_use]
    pub const fn calls(self, file: &'static str, names: &'static [(&'static str, u32)]) -> Self {
        Self { calls: Calls { file, names }, ..self }
    }

    /// Adds the effects of a method that calls no method of other blocks.
    pub const fn reach(self, mut reached: Reached) -> Reached {
        reached.add(self);
        reached
    }
}

/// The calls of a text on other objects: a getter's or method's name, and the line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Calls {
    pub(super) file: &'static str,
    pub(super) names: &'static [(&'static str, u32)],
}

impl Calls {
    pub(super) const NONE: Self = Self { file: "", names: &[] };
}

/// The effects of a method and of all methods that it calls, in any block, each once.
#[derive(Clone, Copy, Debug)]
pub struct Reached {
    pub(super) reads: FieldSet,
    pub(super) writes: FieldSet,
    pub(super) removes: bool,
    pub(super) others: FieldSet,
    pub(super) roams: bool,
    pub(super) because: &'static str,
    pub(super) atomics: AtomicUses,
    pub(super) calls: [Calls; Self::LISTS],
    pub(super) lists: usize,
    seen: [&'static str; Self::MOST],
    count: usize,
}

impl Reached {
    /// The largest number of methods. A kernel that calls more, across blocks, may change every field.
    const MOST: usize = 64;
    /// The largest number of lists of calls.
    pub(super) const LISTS: usize = 32;
    /// No methods.
    pub const NONE: Self = Self {
        reads: FieldSet::EMPTY,
        writes: FieldSet::EMPTY,
        removes: false,
        others: FieldSet::EMPTY,
        roams: false,
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
        self.removes |= method.removes;
        self.others = self.others.union(method.others);
        self.roams |= method.roams;
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

    /// Whether the method with this name has been entered.
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

    /// Adds a method's effects.
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

    /// The reason why it counts as reading every field, if it does.
    pub const fn reason(&self) -> &'static str {
        self.because
    }
}
