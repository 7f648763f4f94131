//! Columns of results on the host: how they are made, read, and passed to a device.

use core::marker::PhantomData;
use core::ops::Range;
use core::ptr;
use std::sync::Arc;

use super::Mapped;
use crate::class::Class;
use crate::groups::{GroupsArgument, Source};
use crate::kernel::{Argument, DeviceArgument};
use crate::link::Link;
use crate::target::groups::{Made, Words};
use crate::target::mapped::Elements;
use crate::value::Value;

impl<C: Class, T> Mapped<C, T> {
    /// The values of consecutive objects from index `first` on.
    #[doc(hidden)]
    pub fn of_range(first: u32, values: Arc<[T]>, made: Made) -> Self {
        let count = values.len() as u32;
        let (ids, values) = (Words::new(Arc::default()), Elements::new(values));
        Self { ids, values, first, count, is_range: 1, made, class: PhantomData }
    }

    /// The values of the objects with these indices, which ascend.
    ///
    /// # Panics
    ///
    /// If there are not as many as values.
    #[doc(hidden)]
    pub fn of_list(ids: Arc<[u32]>, values: Arc<[T]>, made: Made) -> Self {
        assert_eq!(ids.len(), values.len(), "each object has a value");
        let count = values.len() as u32;
        let (ids, values) = (Words::new(ids), Elements::new(values));
        Self { ids, values, first: 0, count, is_range: 0, made, class: PhantomData }
    }

    /// The values, in the order of the objects' ids.
    ///
    /// ```
    /// # use ikra::prelude::*;
    /// # #[soa_class] pub struct Car { pub km: u32 }
    /// # #[soa_methods]
    /// # impl Car { #[kernel] pub fn driven(&self) -> u32 { self.km } }
    /// # #[soa_world] pub struct Town { pub cars: Objects<Car> }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut town = Town::new();
    /// town.cars.extend([3, 5, 4].map(|km| Car { km }))?;
    /// let driven = town.over(1..).map(Car::driven, ()).column();
    /// assert_eq!(driven.values(), [5, 4]);
    /// assert_eq!(driven.links().zip(driven.values()).map(|(car, km)| (car.id(), *km)).max(), Some((3, 4)));
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn values(&self) -> &[T] {
        self.values.shared()
    }

    /// The links to the objects, in the order of their ids. See [`values`](Self::values) for an example.
    pub fn links(&self) -> impl ExactSizeIterator<Item = Link<C>> + '_ {
        let index = |n: u32| if self.is_range != 0 { self.first + n } else { self.ids.here()[n as usize] };
        (0..self.count).map(move |n| Link::at(index(n)))
    }

    /// The value of an object, if it is one of the objects.
    ///
    /// ```
    /// # use ikra::prelude::*;
    /// # #[soa_class] pub struct Car { pub km: u32 }
    /// # #[soa_methods]
    /// # impl Car { #[kernel] pub fn driven(&self) -> u32 { self.km } }
    /// # #[soa_world] pub struct Town { pub cars: Objects<Car> }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut town = Town::new();
    /// let cars: Vec<_> = town.cars.extend([3, 5].map(|km| Car { km }))?.collect();
    /// let driven = town.over(1..).map(Car::driven, ()).column();
    /// assert_eq!(cars.iter().map(|&car| driven.get(car)).collect::<Vec<_>>(), [None, Some(5)]);
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn get(&self, link: Link<C>) -> Option<T>
    where
        T: Copy,
    {
        self.place(link.index() as u32).map(|n| self.values()[n as usize])
    }

    /// The number of objects.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there are no objects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// A column as the device's code takes it: the fields of [`Mapped`] that have a size there.
#[repr(C)]
struct OnDevice {
    ids: u64,
    values: u64,
    first: u32,
    count: u32,
    is_range: u32,
}

// SAFETY: `OnDevice` has the fields of the device's `Mapped` that have a size, in the same order, both under `repr(C)`.
#[diagnostic::do_not_recommend]
unsafe impl<C: Class, T: Value> DeviceArgument for &Mapped<C, T> {
    fn argument(&self) -> Argument<'_> {
        let words = [Source::Words(&self.ids), Source::Host(self.values.as_memory())];
        // SAFETY: `write` is given the address of this column, and writes an `OnDevice`.
        let argument = unsafe {
            GroupsArgument::new(
                C::ID,
                self.made,
                words,
                ptr::from_ref::<Mapped<C, T>>(self).cast(),
                size_of::<OnDevice>(),
                write::<C, T>,
            )
        };
        // SAFETY: `lacks` is given the address of this column.
        Argument::groups(unsafe { argument.of_column(lacks::<C, T>) })
    }
}

/// Writes the device's argument for a column.
///
/// # Safety
///
/// `start` is the address of a `Mapped<C, T>`, and `to` has room for an [`OnDevice`].
unsafe fn write<C, T>(start: *const (), [ids, values]: [u64; 2], to: *mut u8) {
    // SAFETY: by the caller.
    let column = unsafe { &*start.cast::<Mapped<C, T>>() };
    let &Mapped { first, count, is_range, .. } = column;
    // SAFETY: by the caller.
    unsafe { to.cast::<OnDevice>().write_unaligned(OnDevice { ids, values, first, count, is_range }) };
}

/// The first index in a range whose object has no element.
///
/// # Safety
///
/// `start` is the address of a `Mapped<C, T>`.
unsafe fn lacks<C: Class, T: Value>(start: *const (), range: Range<u32>) -> Option<u32> {
    // SAFETY: by the caller.
    let column = unsafe { &*start.cast::<Mapped<C, T>>() };
    let own = column.first..column.first + column.count;
    if column.is_range != 0 && own.start <= range.start && range.end <= own.end {
        return None;
    }
    range.into_iter().find(|&index| column.place(index).is_none())
}
