//! Addressing modes: links as numbers (IKRA §3.2, appendix A).

use crate::class::{Addressing, Class};
use crate::error::Error;
use crate::layout::{Layout, LayoutKind, geometry};
use crate::link::Link;
use crate::objects::Objects;

impl<C: Class> Link<C> {
    /// The link as a number, by the class's addressing mode. Never 0.
    ///
    /// | `addressing` | number |
    /// | --- | --- |
    /// | `"zero"` | the object id |
    /// | `"storage"` | start of the class's storage + index: one byte an object, inside the storage |
    /// | `"first_field"` | the address of the object's value in the first column |
    ///
    /// The last two hold until storage grows (never, with `capacity = N`).
    ///
    /// # Errors
    ///
    /// [`Error::NotInWorld`].
    pub fn to_bits(self, objects: &Objects<C>) -> Result<u64, Error> {
        objects.check(self)?;
        let (start, stride) = scale(objects);
        Ok(match C::ADDRESSING {
            Addressing::Zero => u64::from(self.id()),
            Addressing::Storage => start + self.index() as u64,
            Addressing::FirstField => match C::Layout::KIND {
                // Elements are not equally far apart: take the address itself.
                LayoutKind::Tiles(_) => first_field(objects, self.index()),
                _ => start + self.index() as u64 * stride,
            },
        })
    }

    /// The link behind a number from [`to_bits`](Self::to_bits).
    ///
    /// # Errors
    ///
    /// [`Error::NotAnAddress`] if the number is that of no object.
    pub fn from_bits(bits: u64, objects: &Objects<C>) -> Result<Self, Error> {
        let error = || Error::NotAnAddress { class: C::NAME, bits };
        let (start, stride) = scale(objects);
        let index = match C::ADDRESSING {
            Addressing::Zero => bits.checked_sub(1),
            Addressing::Storage => bits.checked_sub(start),
            Addressing::FirstField => match C::Layout::KIND {
                LayoutKind::Tiles(tile) => {
                    let offset = bits.checked_sub(start).ok_or_else(error)?;
                    let block = geometry::<C>().block as u64;
                    let within = offset % block;
                    (within.is_multiple_of(stride) && within / stride < tile as u64)
                        .then_some(offset / block * tile as u64 + within / stride)
                }
                _ => {
                    bits.checked_sub(start).filter(|offset| offset.is_multiple_of(stride)).map(|offset| offset / stride)
                }
            },
        };
        let index = index.filter(|&index| index < objects.len() as u64).ok_or_else(error)?;
        Ok(Self::at(index as u32))
    }
}

/// Where numbers start, and how far apart they are, in bytes.
fn scale<C: Class>(objects: &Objects<C>) -> (u64, u64) {
    let geometry = geometry::<C>();
    let stride = match C::Layout::KIND {
        LayoutKind::Aos => geometry.block,
        LayoutKind::Soa | LayoutKind::Tiles(_) => geometry.sizes[0],
    };
    (first_field(objects, 0), stride.max(1) as u64)
}

fn first_field<C: Class>(objects: &Objects<C>, index: usize) -> u64 {
    if objects.capacity() == 0 {
        return 0;
    }
    // SAFETY: there is storage, and callers pass the index of an object, or 0.
    unsafe { objects.table().address(0, index) }.addr() as u64
}
