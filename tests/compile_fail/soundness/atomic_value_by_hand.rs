//! Which cell stands for a value is for the library to say.

use ikra::prelude::*;

#[derive(Clone, Copy, Value)]
#[repr(transparent)]
pub struct Counter(u64);

impl ikra::AtomicValue for Counter {
    type Cell = &'static std::sync::atomic::AtomicU64;
    fn load(cell: &Self::Cell) -> Self {
        Counter(cell.load(std::sync::atomic::Ordering::Relaxed))
    }
    fn store(_: &Self::Cell, _: Self) {}
    fn swap(_: &Self::Cell, value: Self) -> Self {
        value
    }
    fn compare_exchange(_: &Self::Cell, current: Self, _: Self) -> Result<Self, Self> {
        Ok(current)
    }
}

fn main() {}
