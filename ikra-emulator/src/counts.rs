//! The work of a launch: instructions by kind, loads and stores by space and width, and more.

use std::ops::{Add, AddAssign};

/// Kinds of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// Integer arithmetic, logic, comparisons of integers.
    Integer,
    /// Floating-point arithmetic and comparisons.
    Float,
    /// Conversions between types.
    Convert,
    /// Moves, selections, address conversions, logic of predicates.
    Move,
    /// Loads and stores, atomics, fences.
    Memory,
    /// Branches, calls, returns, exits.
    Control,
    /// Barriers, shuffles, votes: exchange between threads.
    Exchange,
}

impl Kind {
    /// All kinds, in the order of [`Counts::by_kind`].
    pub const ALL: [Kind; 7] =
        [Self::Integer, Self::Float, Self::Convert, Self::Move, Self::Memory, Self::Control, Self::Exchange];

    /// The kind's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Float => "float",
            Self::Convert => "convert",
            Self::Move => "move",
            Self::Memory => "memory",
            Self::Control => "control",
            Self::Exchange => "exchange",
        }
    }
}

/// Spaces of memory, for counting. A generic access counts for the space of its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum CountedSpace {
    /// Global memory.
    Global,
    /// Shared memory.
    Shared,
    /// Local memory.
    Local,
    /// Constant memory.
    Constant,
    /// Parameters of kernels and functions.
    Parameter,
}

impl CountedSpace {
    /// All spaces, in the order of [`Counts::loads`].
    pub const ALL: [CountedSpace; 5] = [Self::Global, Self::Shared, Self::Local, Self::Constant, Self::Parameter];

    /// The space's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Shared => "shared",
            Self::Local => "local",
            Self::Constant => "constant",
            Self::Parameter => "parameter",
        }
    }
}

/// Widths of accesses in bytes, in the order of [`Counts::loads`]: a vector's elements together.
pub const WIDTHS: [usize; 6] = [1, 2, 4, 8, 16, 32];

/// Counts of one launch, or of several added up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Launches that were added up.
    pub launches: u64,
    /// Instructions by kind, one per active thread.
    pub by_kind: [u64; 7],
    /// Instructions, one per warp.
    pub warp_instructions: u64,
    /// Loads by space and width, one per active thread.
    pub loads: [[u64; 6]; 5],
    /// Stores by space and width, one per active thread.
    pub stores: [[u64; 6]; 5],
    /// Atomic operations, one per active thread.
    pub atomics: u64,
    /// Sectors of 32 bytes that loads of global memory touch, per warp instruction.
    pub load_sectors: u64,
    /// Sectors of 32 bytes that stores and atomics to global memory touch, per warp instruction.
    pub store_sectors: u64,
    /// Branches, one per warp.
    pub branches: u64,
    /// Branches that some threads of the warp took and others did not.
    pub divergent_branches: u64,
    /// Calls of functions, one per active thread.
    pub calls: u64,
    /// Barriers of blocks, one per warp.
    pub barriers: u64,
    /// Registers that the kernel and the functions that it may call declare, in units of 32 bits: the largest of all launches.
    pub declared_registers: u64,
}

impl Counts {
    /// All instructions, one per active thread.
    #[must_use]
    pub fn thread_instructions(&self) -> u64 {
        self.by_kind.iter().sum()
    }

    /// Instructions of one kind, one per active thread.
    #[must_use]
    pub const fn of(&self, kind: Kind) -> u64 {
        self.by_kind[kind as usize]
    }

    /// Loads from a space, of all widths.
    #[must_use]
    pub fn loads_from(&self, space: CountedSpace) -> u64 {
        self.loads[space as usize].iter().sum()
    }

    /// Stores to a space, of all widths.
    #[must_use]
    pub fn stores_to(&self, space: CountedSpace) -> u64 {
        self.stores[space as usize].iter().sum()
    }
}

impl AddAssign<&Counts> for Counts {
    fn add_assign(&mut self, other: &Counts) {
        fn add<const N: usize>(to: &mut [u64; N], from: &[u64; N]) {
            for n in 0..N {
                to[n] += from[n];
            }
        }
        self.launches += other.launches;
        add(&mut self.by_kind, &other.by_kind);
        self.warp_instructions += other.warp_instructions;
        for space in 0..5 {
            add(&mut self.loads[space], &other.loads[space]);
            add(&mut self.stores[space], &other.stores[space]);
        }
        self.atomics += other.atomics;
        self.load_sectors += other.load_sectors;
        self.store_sectors += other.store_sectors;
        self.branches += other.branches;
        self.divergent_branches += other.divergent_branches;
        self.calls += other.calls;
        self.barriers += other.barriers;
        self.declared_registers = self.declared_registers.max(other.declared_registers);
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        *self += &other;
    }
}

impl Add for Counts {
    type Output = Counts;

    fn add(mut self, other: Counts) -> Counts {
        self += &other;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_add_up_and_registers_are_the_largest() {
        let mut a = Counts { launches: 1, declared_registers: 7, ..Counts::default() };
        a.loads[0][2] = 3;
        a.by_kind[Kind::Float as usize] = 5;
        let mut b = Counts { launches: 2, declared_registers: 4, ..Counts::default() };
        b.loads[0][2] = 4;
        b.by_kind[Kind::Move as usize] = 1;
        let sum = a + b;
        assert_eq!(sum.launches, 3);
        assert_eq!(sum.declared_registers, 7);
        assert_eq!(sum.loads_from(CountedSpace::Global), 7);
        assert_eq!(sum.thread_instructions(), 6);
        assert_eq!(sum.of(Kind::Float), 5);
    }
}
