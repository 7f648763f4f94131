use proptest::prelude::*;

use super::{Full, Regions};
use crate::range_table::RangeTable;

/// What a search finds, and what a walk over all regions does.
fn walk(table: RangeTable<'_>, number: u32) -> Option<(u32, u32)> {
    table.regions().iter().find_map(|region| region.find(number))
}

#[test]
fn regions_double_and_adjacent_ones_are_merged() {
    let mut regions = Regions::with_first_region(2, 4);
    assert_eq!(regions.table().find(1), None);
    assert_eq!(regions.grow(0, 3), Ok(true));
    assert_eq!(regions.grow(0, 4), Ok(false));
    assert_eq!(regions.grow(0, 5), Ok(true));
    // 4 and 8 numbers, merged.
    assert_eq!((regions.count(), regions.number(0, 11), regions.number(0, 12)), (1, Some(12), None));
    assert_eq!(regions.grow(1, 1), Ok(true));
    // 12 numbers are there: 16 more, elsewhere.
    assert_eq!(regions.grow(0, 13), Ok(true));
    assert_eq!((regions.count(), regions.number(0, 12), regions.number(0, 27)), (3, Some(17), Some(32)));
    assert_eq!((regions.number(0, 28), regions.number(2, 0)), (None, None));
}

#[test]
fn the_last_numbers_are_given_out_and_no_more() {
    let mut regions = Regions::new(2);
    assert_eq!(regions.grow(0, u32::MAX - 10), Ok(true));
    assert_eq!(regions.grow(1, 1), Err(Full { class: 1 }));
    assert_eq!(regions.number(0, u32::MAX - 11), Some(u32::MAX - 10));

    let mut regions = Regions::new(2);
    let half = u32::MAX / 2;
    regions.grow(0, half).unwrap();
    let left = u32::MAX - regions.next;
    assert_eq!(regions.grow(1, left + 1), Err(Full { class: 1 }));
    assert_eq!((regions.count(), regions.table().find(u32::MAX - 1)), (1, None));
    assert_eq!(regions.grow(1, left), Ok(true));
    assert_eq!(regions.table().find(u32::MAX - 1), Some((1, left - 1)));
    assert_eq!(regions.table().find(u32::MAX), None);
    assert_eq!(regions.table().find(0), None);
}

#[test]
fn a_thousand_regions() {
    let mut regions = Regions::with_first_region(125, 1);
    for step in 0..8 {
        for class in 0..125 {
            regions.grow(class, 1 << step).unwrap();
        }
    }
    assert_eq!(regions.count(), 1000);
    for class in 0..125 {
        for index in 0..128 {
            let number = regions.number(class, index).unwrap();
            assert_eq!(regions.table().find(number), Some((class as u32, index)));
        }
    }
}

proptest! {
    #[test]
    fn numbers_lead_back_to_their_objects(
        classes in 1_usize..40,
        first in 1_u32..200,
        growths in prop::collection::vec((any::<prop::sample::Index>(), 1_u32..5000), 1..1000),
        tried in prop::collection::vec(any::<u32>(), 50),
    ) {
        let mut regions = Regions::with_first_region(classes, first);
        let mut lens = vec![0; classes];
        let mut given = Vec::new();
        for (class, more) in growths {
            let class = class.index(classes);
            let before = lens[class];
            lens[class] += more;
            regions.grow(class, lens[class]).unwrap();
            for index in [before, before + more / 2, lens[class] - 1] {
                given.push((class, index, regions.number(class, index).unwrap()));
            }
        }
        let table = regions.table();
        prop_assert!(table.regions().is_sorted_by_key(|region| region.start));
        let same_class_adjacent = table.regions().windows(2).any(|pair| {
            pair[0].class == pair[1].class && pair[1].len > 0 && pair[0].start + pair[0].len == pair[1].start
        });
        prop_assert!(!same_class_adjacent);
        // Those that were given out have stayed, whatever grew since.
        for (class, index, number) in given {
            prop_assert_eq!(regions.number(class, index), Some(number));
            prop_assert_eq!(table.find(number), Some((class as u32, index)));
        }
        let end = regions.next;
        for number in tried.iter().flat_map(|&n| [n, n % end]).chain([0, 1, end - 1, end, u32::MAX]) {
            prop_assert_eq!(table.find(number), walk(table, number));
            prop_assert_eq!(table.find(number).is_some(), (1..end).contains(&number));
        }
    }
}
