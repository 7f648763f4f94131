//! Address arithmetic.

use ikra::layout::Addressing;

use crate::subject::Subject;
use crate::values::Plain;

/// Checks a world of `len` things.
pub fn check<S: Subject>(len: usize) {
    let mut world = S::default();
    assert!(world.decode(0).is_err() && world.decode(1).is_err(), "no object has no address");
    world.construct(len, 7).unwrap();
    elements_are_apart(&world);
    links_are_numbers(&mut world);
}

/// Bytes of every column's elements: aligned, disjoint and inside the storage.
fn elements_are_apart<S: Subject>(world: &S) {
    let layout = world.layout();
    let class = &layout.classes[0];
    assert_eq!(class.columns.len(), S::ALIGNS.len());
    let mut taken: Vec<(usize, usize)> = Vec::new();
    for (column, align) in class.columns.iter().zip(S::ALIGNS) {
        assert_eq!(column.size % align, 0, "{}", column.name);
        assert_eq!(column.stride % align, 0, "{}", column.name);
        let Some(offset) = column.offset else { continue };
        for index in 0..class.capacity {
            let (block, within) = S::TILE.map_or((0, index), |tile| (index / tile, index % tile));
            let start = block * class.block + offset + within * column.stride;
            assert_eq!(start % align, 0, "{} of object {index}", column.name);
            taken.push((start, start + column.size));
        }
    }
    taken.sort_unstable();
    assert!(taken.windows(2).all(|pair| pair[0].1 <= pair[1].0), "two elements overlap");
    let end = taken.last().map_or(0, |last| last.1);
    if class.block > 0 {
        assert!(end <= class.capacity.div_ceil(S::TILE.unwrap_or(1)) * class.block);
    }
}

/// Links convert to distinct numbers and back, and other numbers are invalid links.
fn links_are_numbers<S: Subject>(world: &mut S) {
    let len = world.len();
    let bits: Vec<u64> = (1..=len as u32).map(|id| world.to_bits(id).unwrap()).collect();
    let layout = world.layout();
    let class = &layout.classes[0];
    for (index, &number) in bits.iter().enumerate() {
        assert_ne!(number, 0);
        assert_eq!(world.decode(number).unwrap(), index as u32 + 1);
    }
    assert!(bits.windows(2).all(|pair| pair[0] < pair[1]), "numbers ascend with the ids");
    assert!(world.to_bits(len as u32 + 1).is_err());
    assert!(world.to_bits(u32::MAX).is_err());

    let (first, last) = (bits[0], bits[len - 1]);
    let around = (first.saturating_sub(300)..first + 2000).chain(last.saturating_sub(300)..last + 300);
    for number in around.chain([0, 1, u64::MAX, u64::MAX - 1, u64::MAX / 2, u64::from(u32::MAX), 1 << 32]) {
        match bits.binary_search(&number) {
            Ok(index) => assert_eq!(world.decode(number).unwrap(), index as u32 + 1),
            Err(_) => assert!(world.decode(number).is_err(), "{number:#x} among {bits:x?}"),
        }
    }

    match class.addressing {
        Addressing::Zero => assert_eq!((first, last), (1, len as u64)),
        Addressing::Storage => {
            // Inside the first column, which has at least one byte per object.
            if let Some(address) = world.first_address() {
                assert_eq!(address, first);
            }
            assert_eq!(last - first, len as u64 - 1);
        }
        Addressing::FirstField => {
            if let Some(address) = world.first_address() {
                assert_eq!(address, first);
            }
            // The base of the storage is as aligned as its most aligned column.
            if let Some(offset) = class.columns[0].offset {
                assert_eq!((first - offset as u64) % 256, 0);
            }
            for (index, number) in bits.iter().enumerate() {
                let (block, within) = S::TILE.map_or((0, index), |tile| (index / tile, index % tile));
                let expected = block * class.block + within * class.columns[0].stride;
                assert_eq!(number - first, expected as u64);
            }
        }
    }

    if let Some(capacity) = S::CAPACITY {
        // A link's number never changes.
        while world.len() < capacity {
            world.push(Plain::numbered(1, 1)).unwrap();
        }
        assert!(world.push(Plain::numbered(1, 1)).is_err());
        assert_eq!(world.capacity(), capacity);
        for (index, number) in bits.iter().enumerate() {
            assert_eq!(world.to_bits(index as u32 + 1).unwrap(), *number, "the storage has moved");
        }
    }
}
