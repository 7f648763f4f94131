//! Range tables: every number leads to its object, by a search and by a walk over all regions.

use ikra_strategies::range_table::{Numbering, RangeTable, Region, splits};
use proptest::prelude::*;

/// What a walk over all regions finds.
fn walk(regions: &[Region], number: u32) -> Option<(u32, u32)> {
    regions.iter().find_map(|region| region.find(number))
}

/// Regions of up to 1,000 classes in a row, with gaps.
fn regions() -> impl Strategy<Value = Vec<Region>> {
    prop::collection::vec((0..5_000_u32, 1..4_000_000_u32, 0..1000_u32, 0..u32::MAX / 2), 1..=1000).prop_map(|parts| {
        let mut next = 1_u32;
        let region = |(gap, len, class, first)| {
            let start = next.checked_add(gap)?;
            next = start.checked_add(len)?;
            Some(Region { start, len, class, first })
        };
        parts.into_iter().map_while(region).collect()
    })
}

proptest! {
    #[test]
    fn a_search_finds_what_a_walk_does(regions in regions(), tried in prop::collection::vec(any::<u32>(), 100)) {
        let mut leaves = [Region::EMPTY; 1024];
        leaves[..regions.len()].copy_from_slice(&regions);
        let splits = splits(&leaves);
        let table = RangeTable::new(&splits, &leaves).unwrap();
        let ends = regions.iter().flat_map(|region| {
            let end = region.start + region.len;
            [region.start - 1, region.start, end - 1, end]
        });
        for number in tried.into_iter().chain(ends).chain([0, 1, u32::MAX]) {
            prop_assert_eq!(table.find(number), walk(&regions, number), "{}", number);
        }
    }
}

fn numbered<const N: usize>(classes: usize) {
    let numbering = Numbering::of(classes);
    let regions = numbering.regions::<N>();
    let splits = splits(&regions);
    let table = RangeTable::new(&splits, &regions).unwrap();
    // One after another, from 1 on, without gaps; none joins one of its class.
    let used = regions.iter().filter(|region| region.len > 0).collect::<Vec<_>>();
    assert_eq!(used[0].start, 1);
    for pair in used.windows(2) {
        assert_eq!(pair[0].start + pair[0].len, pair[1].start);
        assert_ne!(pair[0].class, pair[1].class);
    }
    let end = used.last().map(|last| last.start + (last.len - 1)).unwrap();
    // As many as can be shared out.
    assert!(u32::MAX - end <= classes as u32);
    assert_eq!((table.find(0), table.find(end + 1)), (None, None));
    for class in 0..classes as u32 {
        let indices = (0..32).flat_map(|bit| [(1_u32 << bit) - 1, 1 << bit, 4096_u32.saturating_mul((1 << bit) - 1)]);
        for index in indices.chain([numbering.room() - 1]).filter(|&index| index < numbering.room()) {
            assert_eq!(table.find(numbering.number(class, index)), Some((class, index)), "{classes} classes");
        }
    }
}

#[test]
fn numbers_of_few_and_many_classes() {
    numbered::<1>(1);
    numbered::<{ Numbering::of(2).leaves() }>(2);
    numbered::<{ Numbering::of(3).leaves() }>(3);
    numbered::<{ Numbering::of(4).leaves() }>(4);
    numbered::<{ Numbering::of(7).leaves() }>(7);
    numbered::<{ Numbering::of(32).leaves() }>(32);
    numbered::<{ Numbering::of(100).leaves() }>(100);
    numbered::<{ Numbering::of(256).leaves() }>(256);
}
