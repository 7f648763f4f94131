use proptest::prelude::*;

use super::{CHUNK, Reordered};

/// RUBY's algorithm 1, as it is written: lists of positions by class, one after another.
fn algorithm_1(links: &[(usize, u32)], classes: usize) -> Vec<u32> {
    let mut types = vec![Vec::new(); classes];
    for (position, &(class, _)) in links.iter().enumerate() {
        types[class].push(position as u32);
    }
    let mut result = Vec::new();
    for positions in types {
        result.extend(positions);
        result.resize(result.len().next_multiple_of(32), Reordered::NONE);
    }
    result
}

fn positions(links: &[(usize, u32)], classes: usize) -> Reordered {
    Reordered::new(links, classes, |position, (class, _)| (class, position))
}

fn check(links: &[(usize, u32)], classes: usize) -> Result<(), TestCaseError> {
    let positions = positions(links, classes);
    let objects = Reordered::new(links, classes, |_, link| link);
    prop_assert_eq!(positions.all(), algorithm_1(links, classes));
    // Each link once, with its object.
    let mut seen = vec![0; links.len()];
    prop_assert_eq!(positions.all().len(), objects.all().len());
    for (&position, &object) in positions.all().iter().zip(objects.all()) {
        if position == Reordered::NONE {
            prop_assert_eq!(object, Reordered::NONE);
        } else {
            prop_assert_eq!(links[position as usize].1, object);
            seen[position as usize] += 1;
        }
    }
    prop_assert!(seen.iter().all(|&times| times == 1));
    for warp in positions.all().chunks(32) {
        let mut of = warp.iter().filter_map(|&position| links.get(position as usize)).map(|&(class, _)| class);
        let first = of.next();
        prop_assert!(first.is_some(), "a warp without links");
        prop_assert!(of.all(|class| Some(class) == first), "two classes in a warp");
    }
    for class in 0..classes {
        prop_assert!(positions.of(class).is_sorted(), "the order within class {} is another", class);
        prop_assert_eq!(positions.places_of(class), objects.places_of(class));
        prop_assert_eq!(positions.places_of(class).start % 32, 0);
    }
    Ok(())
}

proptest! {
    #[test]
    fn each_link_once_and_no_warp_of_two_classes(
        (classes, links) in (1_usize..70).prop_flat_map(|classes| {
            (Just(classes), prop::collection::vec((0..classes, 0..u32::MAX), 0..2000))
        })
    ) {
        check(&links, classes)?;
    }
}

/// In several chunks, by pools of several sizes.
#[test]
fn the_order_does_not_depend_on_the_threads() {
    let links: Vec<_> =
        (0..5 * CHUNK as u32 + 77).map(|n| ((n.wrapping_mul(2_654_435_761) >> 27) as usize, n)).collect();
    let orders = [1, 2, 5].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            check(&links, 32).unwrap();
            positions(&links, 32)
        })
    });
    assert!(orders.iter().all(|order| *order == orders[0]));
}

#[test]
fn nothing_and_one_class() {
    assert!(positions(&[], 3).all().is_empty());
    check(&[(0, 3); 32], 1).unwrap();
    check(&[(0, 3); 33], 2).unwrap();
}
