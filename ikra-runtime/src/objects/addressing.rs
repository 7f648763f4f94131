//! Addressing modes: links as numbers (IKRA §3.2, appendix A).

use crate::class::{Addressing, Class};
use crate::error::Error;
use crate::layout::{Layout, LayoutKind, geometry};
use crate::link::{Link, Numbered};
use crate::objects::Objects;

impl<C: Class> Numbered<C> for Objects<C> {
    type Error = Error;

    fn number_of(&self, link: Link<C>) -> Result<u64, Error> {
        self.check(link)?;
        let (start, stride) = scale(self);
        Ok(match C::ADDRESSING {
            Addressing::Zero => u64::from(link.id()),
            Addressing::Storage => start + link.index() as u64,
            Addressing::FirstField => match C::Layout::KIND {
                // Elements are not equally far apart, so the number is the address itself.
                LayoutKind::Tiles(_) => first_field(self, link.index()),
                _ => start + link.index() as u64 * stride,
            },
        })
    }

    fn link_of(&self, bits: u64) -> Result<Link<C>, Error> {
        let error = || Error::NotAnAddress { class: C::NAME, bits };
        let (start, stride) = scale(self);
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
        let exists = |index: &u64| *index < self.slots() as u64 && self.exists(*index as usize);
        let index = index.filter(exists).ok_or_else(error)?;
        Ok(Link::at(index as u32))
    }
}

/// The number of the first object, and the distance from one object to the next, in bytes.
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
