//! Offsets and strides of a class's columns, computed at compile time.

use crate::info::{Addressing, ClassInfo, ColumnInfo, LayoutKind, MAX_FIELDS, column_count};

/// The largest number of physical columns of one class.
pub const MAX_COLUMNS: usize = 4 * MAX_FIELDS;

/// Columns start on a cache line.
pub const LINE: usize = 64;
/// Columns with fewer bytes than this are not worth an offset of their own in a page.
pub const SHORT: usize = 1024;
/// Longer columns start on a page of this size, each shifted by a different number of cache lines. Otherwise
/// power-of-two sizes would fall into the same cache sets.
pub const PAGE: usize = 4096;

/// The offsets of a class's columns relative to the start of its storage.
#[derive(Clone, Copy, Debug)]
pub struct Geometry {
    /// Bytes from the start of the storage (fixed-capacity SoA), of the object (AoS), or of the block (tiles) to the
    /// column's first element. Unused for growing SoA, whose columns are allocated one by one.
    pub offsets: [usize; MAX_COLUMNS],
    /// Bytes of one element of each column.
    pub sizes: [usize; MAX_COLUMNS],
    /// The alignment of the start of each column: a cache line, or more if its type needs more.
    pub aligns: [usize; MAX_COLUMNS],
    /// The alignment of the start of the whole storage.
    pub align: usize,
    /// Bytes of one object (AoS), one block (tiles), or of the whole storage (fixed-capacity SoA).
    pub block: usize,
}

/// The difference between the page offsets of consecutive columns. It follows the golden ratio, so that a few columns
/// are far apart: a load soon after a store to the same offset in another page would stall. It is a multiple of 128,
/// since a GPU's warp that straddles lines of that size takes twice as many accesses.
const SPREAD: usize = 21 * 128;

/// Bytes from one slot of an inner array to the next, each a column of `bytes` bytes. The distance is equal for all
/// slots, so that a multiplication gives the address of a slot, and spreads them over cache sets. It is a multiple of
/// `align`; `None` if it would exceed the address space.
pub const fn checked_pitch(bytes: usize, align: usize) -> Option<usize> {
    if bytes < SHORT {
        return bytes.checked_next_multiple_of(align);
    }
    let Some(long) = bytes.checked_next_multiple_of(larger(PAGE, align)) else { return None };
    let Some(spread) = SPREAD.checked_next_multiple_of(align) else { return None };
    match long.checked_add(spread) {
        Some(apart) if bytes < 16 * PAGE => Some(apart),
        Some(apart) => match apart.checked_add(PAGE) {
            Some(apart) => apart.checked_next_multiple_of(align),
            None => None,
        },
        None => None,
    }
}

/// As above, for columns that exist.
const fn pitch(bytes: usize, align: usize) -> usize {
    checked(checked_pitch(bytes, align))
}

/// Lays out storage of this size at compile time.
const fn checked(bytes: Option<usize>) -> usize {
    match bytes {
        Some(bytes) => bytes,
        None => panic!("the objects of this class take more bytes than there are addresses: lower `capacity`"),
    }
}

/// As above, for slots of `T` in class `C`, if it is known when compiled; for growing SoA it is not.
pub const fn constant_pitch<C: ClassInfo, T>() -> Option<usize> {
    let (size, align) = (size_of::<T>(), larger(align_of::<T>(), LINE));
    match (C::LAYOUT, C::CAPACITY) {
        (LayoutKind::Soa, None) => None,
        (LayoutKind::Soa, Some(capacity)) => Some(pitch(checked(size.checked_mul(capacity as usize)), align)),
        (LayoutKind::Aos, _) => Some(size),
        (LayoutKind::Tiles(tile), _) => Some(round_up(checked(size.checked_mul(tile)), align)),
    }
}

/// The geometry of class `C`.
pub const fn geometry<C: ClassInfo>() -> &'static Geometry {
    const { &compute::<C>() }
}

const fn round_up(value: usize, align: usize) -> usize {
    checked(value.checked_next_multiple_of(align))
}

/// The largest power of two up to 16 that divides the size of a contiguous column's elements; all elements are at
/// multiples of it.
pub(crate) const fn whole_align(size: usize) -> usize {
    1 << (size | 16).trailing_zeros()
}

const fn larger(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

/// The offset within a page at which column number `column` of `bytes` bytes starts, if it is allocated by itself: a
/// multiple of `align`. Device columns are separate allocations, aligned by the driver, so only the host's cache lines
/// matter here.
pub const fn stagger(column: usize, bytes: usize, align: usize) -> usize {
    if bytes < SHORT { 0 } else { round_up(column * 41 * LINE % PAGE, align) }
}

/// The first possible start of column number `column` of `bytes` bytes, at or after `from`: a multiple of `align`.
const fn staggered_start(from: usize, column: usize, bytes: usize, align: usize) -> usize {
    if bytes < SHORT {
        return round_up(from, align);
    }
    // Long columns also have an extra page between them: the sets of the second-level cache span many pages. In huge
    // pages, addresses that are a power of two apart would fall into one set.
    let from = if bytes >= 16 * PAGE { checked(from.checked_add(PAGE)) } else { from };
    let start = round_up(from, larger(PAGE, align));
    let start = checked(start.checked_add(round_up(column * SPREAD % PAGE, align)));
    if align <= PAGE && start >= from + PAGE { start - PAGE } else { start }
}

const fn compute<C: ClassInfo>() -> Geometry {
    let mut geometry = Geometry {
        offsets: [0; MAX_COLUMNS],
        sizes: [0; MAX_COLUMNS],
        aligns: [LINE; MAX_COLUMNS],
        align: LINE,
        block: 0,
    };
    assert!(
        matches!(C::ADDRESSING, Addressing::Zero) || C::FIELDS[0].columns[0].size > 0,
        "a class with `addressing = \"storage\"` or `\"first_field\"` needs a first field of at least one byte"
    );
    assert!(column_count(C::FIELDS) <= MAX_COLUMNS, "a class has at most 256 columns");
    let mut end = 0;
    let mut block_align = 1;
    let mut column = 0;
    let mut field = 0;
    while field < C::FIELDS.len() {
        let columns: &[ColumnInfo] = C::FIELDS[field].columns;
        let mut part = 0;
        while part < columns.len() {
            let ColumnInfo { size, align, slot, .. } = columns[part];
            geometry.aligns[column] = larger(align, LINE);
            geometry.align = larger(align, geometry.align);
            let (start, bytes) = match (C::LAYOUT, C::CAPACITY) {
                (LayoutKind::Soa, None) => (0, 0),
                (LayoutKind::Soa, Some(capacity)) => {
                    let bytes = checked(size.checked_mul(capacity as usize));
                    let start = match slot {
                        Some(1..) => {
                            checked(geometry.offsets[column - 1].checked_add(pitch(bytes, geometry.aligns[column])))
                        }
                        _ => staggered_start(end, column, bytes, geometry.aligns[column]),
                    };
                    (start, bytes)
                }
                (LayoutKind::Aos, _) => {
                    if align > block_align {
                        block_align = align;
                    }
                    (round_up(end, align), size)
                }
                (LayoutKind::Tiles(tile), _) => {
                    block_align = geometry.align;
                    (round_up(end, geometry.aligns[column]), checked(size.checked_mul(tile)))
                }
            };
            geometry.offsets[column] = start;
            geometry.sizes[column] = size;
            end = checked(start.checked_add(bytes));
            part += 1;
            column += 1;
        }
        field += 1;
    }
    geometry.block = round_up(end, block_align);
    geometry
}

/// The alignment of the arena's start: a line of the device, or more if elements in it need more.
pub const fn arena_align<C: ClassInfo>() -> usize {
    let mut most = 128;
    let mut field = 0;
    while field < C::FIELDS.len() {
        if let Some(array) = C::FIELDS[field].array
            && array.arena
        {
            most = larger(most, array.align);
        }
        field += 1;
    }
    most
}
