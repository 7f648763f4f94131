use std::collections::BTreeSet;
use std::ops::Range;

use proptest::prelude::*;

use super::*;

/// A link to an object of one of three classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Three(usize, u32);

impl ListedLink for Three {
    const CLASSES: &'static [ClassId] = &[
        ClassId::of::<u8>("", "First", 1, 1),
        ClassId::of::<u16>("", "Second", 2, 1),
        ClassId::of::<u32>("", "Third", 3, 1),
    ];
    fn parts(self) -> (usize, u32) {
        (self.0, self.1)
    }
    fn words(_: &[Self]) -> Option<LinkWords<'_>> {
        None
    }
}

fn indices(runs: Runs<'_>) -> Vec<u32> {
    runs.flat_map(|run| match run {
        Run::Range(range) => range.map(|index| index as u32).collect(),
        Run::Each(indices) => indices.to_vec(),
    })
    .collect()
}

/// Checks a list and its parts: each object of each class occurs once, in order, and no warp has objects of two
/// classes.
fn check(links: &[Three]) -> Result<(), TestCaseError> {
    let list = LinkList::new(links).unwrap();
    prop_assert_eq!(list.len(), links.len());
    let order = list.order();
    prop_assert_eq!(order.objects().unwrap().len() % 32, 0);
    for class in 0..3 {
        let expected: BTreeSet<_> = links.iter().filter(|link| link.0 == class).map(|link| link.1).collect();
        let expected = Vec::from_iter(expected);
        let places = order.places_of(class);
        prop_assert_eq!(places.start % 32, 0);
        prop_assert_eq!(&order.objects().unwrap()[places.clone()], &expected);
        prop_assert!(
            order.objects().unwrap()[places.end..]
                .iter()
                .take(places.len().next_multiple_of(32) - places.len())
                .all(|&index| index == u32::MAX)
        );
        let listed = order.listed(class).unwrap();
        prop_assert_eq!(listed.len(), expected.len());
        let ranges: Vec<_> = listed.ranges(0..listed.len()).flatten().map(|index| index as u32).collect();
        prop_assert_eq!(&ranges, &expected);
        for chunk in [0..expected.len(), expected.len() / 3..expected.len() / 2, expected.len()..expected.len()] {
            prop_assert_eq!(indices(listed.runs(chunk.clone())), &expected[chunk]);
        }
    }
    Ok(())
}

/// Ranges of indices, shuffled.
fn some_links() -> impl Strategy<Value = Vec<Three>> {
    let range = (0_usize..3, prop_oneof![0_u32..200, 0_u32..20_000, 0_u32..u32::MAX - 40], 1_u32..40);
    prop::collection::vec(range, 0..60).prop_flat_map(|ranges| {
        let links: BTreeSet<_> = ranges
            .into_iter()
            .flat_map(|(class, first, len): (usize, u32, u32)| (first..first + len).map(move |index| (class, index)))
            .collect();
        Just(links.into_iter().map(|(class, index)| Three(class, index)).collect::<Vec<_>>()).prop_shuffle()
    })
}

proptest! {
    #[test]
    fn lists_have_each_object_once(links in some_links()) {
        check(&links)?;
    }

    #[test]
    fn an_object_that_is_there_twice_is_found(links in some_links(), n: prop::sample::Index, m: prop::sample::Index) {
        prop_assume!(!links.is_empty());
        let mut links = links;
        let twice = links[n.index(links.len())];
        links.insert(m.index(links.len() + 1), twice);
        let error = LinkList::new(&links).unwrap_err();
        let name = Three::CLASSES[twice.0].name();
        let is_named = matches!(error, Error::Duplicate { class, id } if class == name && id == twice.1.wrapping_add(1));
        prop_assert!(is_named, "{:?}", error);
    }

    #[test]
    fn runs_are_long_or_mixed(indices_of in prop::collection::btree_set(0_u32..400, 0..300)) {
        let indices_of = Vec::from_iter(indices_of);
        let listed = Listed::new(indices_of.clone());
        let mut before: Option<Range<usize>> = None;
        for run in listed.runs(0..indices_of.len()) {
            let Run::Range(range) = run else {
                before = None;
                continue;
            };
            prop_assert!(range.len() >= 8 || matches!(listed, Listed::Range(_)));
            prop_assert!(before.is_none_or(|before| before.end < range.start), "one run in two pieces");
            before = Some(range);
        }
        prop_assert_eq!(indices(listed.runs(0..indices_of.len())), indices_of);
    }
}

/// Enough links that several threads make the list.
fn many(step: u32) -> Vec<Three> {
    (0..250_000_u64).map(|n| Three(n as usize % 3, (n * 48_271 % 250_007) as u32 * step)).collect()
}

#[test]
fn by_several_threads() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    pool.install(|| {
        // The last step is so large that the links are sorted.
        for step in [1, 3, 10_000] {
            let mut links = many(step);
            check(&links).unwrap();
            links.push(links[7]);
            assert!(matches!(LinkList::new(&links), Err(Error::Duplicate { class: "Second", .. })));
        }
    });
}

#[test]
fn one_of_several_duplicates_is_named_whatever_the_number_of_threads() {
    let mut links = many(1);
    // The first duplicate in the slice is neither the first of its class nor of the first class.
    links.extend_from_within(100_000..100_040);
    links.extend_from_within(5..50);
    let named = [1, 2, 3, 16].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| LinkList::new(&links).unwrap_err().to_string())
    });
    assert!(named.iter().all(|error| *error == named[0]), "{named:?}");
}

#[test]
fn the_last_list_serves_while_the_links_stay_the_same() {
    let mut last = LastList::default();
    let mut links = many(1);
    let list = last.list_of(&links, &mut LinkList::new).unwrap();
    let is_same = |a: &LinkList<Three>, b: &LinkList<Three>| Arc::ptr_eq(a.order(), b.order());
    assert!(is_same(&list, &last.list_of(&links.clone(), &mut LinkList::new).unwrap()));
    // Slices of another length, and with another link in the middle.
    assert!(!is_same(&list, &last.list_of(&links[1..], &mut LinkList::new).unwrap()));
    assert!(!is_same(&list, &last.list_of(&links, &mut LinkList::new).unwrap()));
    let list = last.list_of(&links, &mut LinkList::new).unwrap();
    links[100_000].1 = 1_000_000;
    let changed = last.list_of(&links, &mut LinkList::new).unwrap();
    assert!(!is_same(&list, &changed) && changed.order().objects().unwrap().contains(&1_000_000));
    // After an error the last list is unchanged.
    assert!(last.list_of(&[links[0], links[0]], &mut LinkList::new).is_err());
    assert!(is_same(&changed, &last.list_of(&links, &mut LinkList::new).unwrap()));
    // A copy of a list is equal to it.
    assert!(is_same(&list, &list.clone()));
}
