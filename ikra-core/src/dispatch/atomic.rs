//! Links as `#[atomic]` fields.

use crate::class::{Class, Number};
use crate::dispatch::{AnyLink, Dispatch, LinkBits};
use crate::link::Link;
use crate::order::{AtomicOwner, Operation, assert_allowed};
use crate::storage::atomic::{argument, encoded, sealed, updates};
use crate::storage::{Atomic, AtomicValue};
use crate::target::cells::{AtomicU32, Relaxed};
use crate::value::Value;

/// An atomic link to objects of several classes, over the integer with its bits.
macro_rules! number_of_link {
    ($ty:ty, |$value:ident| $encode:expr, |$found:ident| $decode:expr) => {
        impl<D: Dispatch> AtomicValue for $ty {}
        impl<D: Dispatch> sealed::Cell for $ty {
            type Cell = <NumberOf<D> as sealed::Cell>::Cell;
            const NUMBER: Number = Number::Other;
            #[inline(always)]
            fn load(cell: &Self::Cell) -> Self {
                let $found = AnyLink::of_number(NumberOf::<D>::load(cell));
                $decode
            }
            #[inline(always)]
            fn store(cell: &Self::Cell, $value: Self) {
                NumberOf::<D>::store(cell, AnyLink::number($encode));
            }
            #[inline(always)]
            fn swap(cell: &Self::Cell, $value: Self) -> Self {
                let $found = AnyLink::of_number(NumberOf::<D>::swap(cell, AnyLink::number($encode)));
                $decode
            }
            #[inline(always)]
            fn compare_exchange(cell: &Self::Cell, current: Self, new: Self) -> Result<Self, Self> {
                let encode = |$value: Self| AnyLink::number($encode);
                let decode = |number| {
                    let $found = AnyLink::of_number(number);
                    $decode
                };
                NumberOf::<D>::compare_exchange(cell, encode(current), encode(new)).map(decode).map_err(decode)
            }
        }
    };
}

/// The integer with the bits of a link.
type NumberOf<D> = <<D as Dispatch>::Bits as LinkBits>::Number;

encoded!([C: Class] Option<Link<C>>, AtomicU32 Claim, |value| value.map_or(0, Link::id), |bits| Link::from_id(bits));
encoded!([C: Class] Link<C>, AtomicU32 U32, |value| value.id(), |bits| {
    // Only ids of links are ever stored.
    Link::from_id(bits).unwrap_or(Link::PLACEHOLDER)
});
number_of_link!(Option<AnyLink<D>>, |value| value, |found| found);
number_of_link!(AnyLink<D>, |value| Some(value), |found| {
    // Only the bits of links are ever stored.
    found.unwrap_or(AnyLink::PLACEHOLDER)
});

updates! { [C: Class,] Option<Link<C>>; {
    /// Stores `link` unless the field has an object with a smaller id. After a kernel, the field has the smallest id of
    /// all claims, with any number of threads.
    claim { const { assert_allowed::<A>(Operation::Min) } }
    fetch_claim { const { assert_allowed::<A>(Operation::Exchange) } }
    |atomic, link: Link<C>| {
        atomic.assert_exists(Some(link));
        atomic.change(|current| current.is_none_or(|holder| link < holder).then_some(Some(link)))
    };
} }

updates! { [C: Class,] Link<C>; {
    /// Stores the link with the smaller id.
    min { const { assert_allowed::<A>(Operation::Min) } }
    fetch_min { const { assert_allowed::<A>(Operation::Exchange) } }
    |atomic, link| {
        atomic.assert_exists(link);
        atomic.update(
            |before| before.min(link),
            |cell| Link::from_id(cell.fetch_min(link.id(), Relaxed)).unwrap_or(Link::PLACEHOLDER),
        )
    };
    /// Stores the link with the larger id.
    max { const { assert_allowed::<A>(Operation::Max) } }
    fetch_max { const { assert_allowed::<A>(Operation::Exchange) } }
    |atomic, link| {
        atomic.assert_exists(link);
        atomic.update(
            |before| before.max(link),
            |cell| Link::from_id(cell.fetch_max(link.id(), Relaxed)).unwrap_or(Link::PLACEHOLDER),
        )
    };
} }

updates! { [D: Dispatch,] Option<AnyLink<D>>; {
    /// Stores `link` unless the field has one that comes before it, by class and then by id. After a kernel, the field
    /// has the first of all claims, with any number of threads.
    claim { const { assert_allowed::<A>(Operation::Min) } }
    fetch_claim { const { assert_allowed::<A>(Operation::Exchange) } }
    |atomic, link: AnyLink<D>| {
        atomic.assert_exists(Some(link));
        atomic.change(|current| current.is_none_or(|holder| link < holder).then_some(Some(link)))
    };
} }

updates! { [D: Dispatch,] AnyLink<D>; {
    /// Stores the link that comes first, by class and then by id.
    min { const { assert_allowed::<A>(Operation::Min) } }
    fetch_min { const { assert_allowed::<A>(Operation::Exchange) } }
    |atomic, link| {
        atomic.assert_exists(link);
        atomic.change(|current| (link < current).then_some(link))
    };
    /// Stores the link that comes last, by class and then by id.
    max { const { assert_allowed::<A>(Operation::Max) } }
    fetch_max { const { assert_allowed::<A>(Operation::Exchange) } }
    |atomic, link| {
        atomic.assert_exists(link);
        atomic.change(|current| (link > current).then_some(link))
    };
} }
