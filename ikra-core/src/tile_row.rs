//! Tile rows: the fields that a kernel for pairs reads of the other object, side by side.
//!
//! On the device the threads of a block load the rows of several other objects, a tile, into shared memory, one row per
//! thread. They visit the rows one after another. A row is a multiple of 16 bytes, so that it is loaded in the widest
//! pieces.

use crate::info::{ClassInfo, FieldInfo};
use crate::phase::Phase;

/// The maximum size of a row: the remaining fields are read from their columns.
const MAX_BYTES: usize = 128;

/// Whether a field can be in a tile row: it has one column of plain values.
const fn fits(field: &FieldInfo) -> bool {
    !field.atomic
        && field.array.is_none()
        && field.columns.len() == 1
        && field.columns[0].component.is_empty()
        && field.columns[0].align <= 16
        && field.columns[0].size > 0
}

/// Whether kernel `P` may read field `k` of another object of class `C`. This is so if its text has a getter's name,
/// which may also be that of some other method. A field that the kernel changes in place is never read through another
/// object (I4), and must not be: other blocks may be storing it already.
const fn is_read<C: ClassInfo, P: Phase>(k: usize) -> bool {
    !P::EFFECTS.writes_in_place::<C>(k) && P::EFFECTS.calls(C::FIELDS[k].name)
}

/// The offset of field `wanted`, or the end if the field is not in the row.
const fn place<C: ClassInfo, P: Phase>(wanted: usize) -> (bool, usize) {
    let mut end: usize = 0;
    let mut k = 0;
    while k < C::FIELDS.len() {
        let field = &C::FIELDS[k];
        if fits(field) && is_read::<C, P>(k) {
            let column = field.columns[0];
            let start = end.next_multiple_of(column.align);
            if k == wanted {
                return (true, start);
            }
            end = start + column.size;
        } else if k == wanted {
            return (false, 0);
        }
        k += 1;
    }
    (false, end)
}

/// The size in bytes of a tile row of class `C` for kernel `P`: 0 if there is no row.
pub const fn bytes<C: ClassInfo, P: Phase>() -> usize {
    let bytes = place::<C, P>(usize::MAX).1.next_multiple_of(16);
    if bytes > MAX_BYTES { 0 } else { bytes }
}

/// The offset of field `field` in the row, if the row has it.
pub const fn offset<C: ClassInfo, P: Phase>(field: usize) -> Option<usize> {
    match place::<C, P>(field) {
        (true, offset) if bytes::<C, P>() > 0 => Some(offset),
        _ => None,
    }
}
