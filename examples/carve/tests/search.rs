//! The search finds what a plain loop finds, wherever the pieces end.
#![allow(missing_docs, reason = "a test, not a library")]

use std::convert::Infallible;

use carve::find::FindError;
use carve::made_up::{BLOCK, MadeUp};
use carve::{Match, Table, check, find};
use ikra::Place;
use proptest::prelude::*;

/// What the search finds in pieces of so many bytes.
fn found(table: &Table, image: &[u8], length: usize, place: Place) -> Vec<Match> {
    let mut all = Vec::new();
    let mut found = |_, matches: &[Match]| {
        all.extend_from_slice(matches);
        Ok::<(), Infallible>(())
    };
    let summary = find(table, image, length, place, &mut found).unwrap();
    assert_eq!((summary.bytes, summary.matches), (image.len() as u64, all.len() as u64));
    all
}

/// What a loop over all bytes and signatures finds.
fn expected(table: &Table, image: &[u8]) -> Vec<Match> {
    let mut all = Vec::new();
    for position in 0..image.len() {
        for (signature, of) in table.signatures().iter().enumerate() {
            if of.is_at(&image[position..])
                && let Some(start) = (position as u64).checked_sub(of.offset())
            {
                all.push(Match { position: position as u64, signature, start });
            }
        }
    }
    all
}

fn table(rows: &str) -> Table {
    Table::parse(rows.as_bytes()).unwrap()
}

/// Short and long patterns that overlap, with arbitrary bytes at all places, and one that is not at the start of its files.
const ROWS: &str = "\
a,0,61
ab,0,61 62
gap,0,61 ?? 61
word,0,61 ?? ?? ?? 62
behind,3,62 62
long,0,61 ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? 62 ?? 61
sixteen,0,61 62 61 62 61 62 61 62 61 62 61 62 61 62 61 62
seventeen,0,61 62 61 62 61 62 61 62 61 62 61 62 61 62 61 62 61
";

#[test]
fn a_header_across_the_end_of_a_piece_is_found_once() {
    let table = table("long,0,01 02 03 04 ?? 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13 14\nshort,2,03 04\n");
    let header: Vec<u8> = (1..=20).collect();
    for length in [1, 5, 16, 20, 32] {
        for position in 0..70 {
            let mut image = vec![0; 100];
            image[position..][..20].copy_from_slice(&header);
            let found = found(&table, &image, length, Place::Host);
            assert_eq!(found, expected(&table, &image), "{length} {position}");
            assert_eq!(found.len(), 2);
            assert!(found.iter().all(|header| header.start == position as u64));
        }
    }
}

#[test]
fn images_that_are_shorter_than_a_header() {
    let table = table("long,0,61 61 61 61 61\nzeros,0,00 00\n");
    for size in 0..5 {
        for length in 1..7 {
            assert_eq!(found(&table, &vec![0x61; size], length, Place::Host), []);
        }
    }
    // Zeros behind the end of the image are no bytes of it.
    assert_eq!(found(&table, &[0], 16, Place::Host), []);
    assert_eq!(found(&table, &[0; 3], 16, Place::Host).len(), 2);
}

#[test]
fn a_file_that_begins_before_the_image_is_none() {
    let table = table("behind,3,62\n");
    let found = found(&table, b"bbbbb", 16, Place::Host);
    assert_eq!(found.iter().map(|header| (header.start, header.position)).collect::<Vec<_>>(), [(0, 3), (1, 4)]);
}

#[test]
fn headers_that_overlap_are_all_found() {
    let table = table(ROWS);
    for image in ["a".repeat(50), "ab".repeat(40), "aab".repeat(30), "b".repeat(33)] {
        let image = image.as_bytes();
        for length in [1, 2, 16, 17, 1000] {
            assert_eq!(found(&table, image, length, Place::Host), expected(&table, image));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn all_searches_find_the_same(image in prop::collection::vec(prop::sample::select(&b"ab\0"[..]), 0..300), length in 1..100_usize) {
        let table = table(ROWS);
        let expected = expected(&table, &image);
        prop_assert_eq!(&found(&table, &image, length, Place::Host), &expected);
        prop_assert_eq!(check::search(&table, &image[..], length).unwrap().0, expected);
    }
}

#[test]
fn a_gpu_finds_what_the_host_does() {
    if !ikra_test_gpu::has_gpu(option_env!("IKRA_DEVICE_CODE")) {
        return;
    }
    let table = table(ROWS);
    for image in ["ab\0".repeat(100), "aab".repeat(30), String::new()] {
        let image = image.as_bytes();
        for length in [16, 50, 1000] {
            assert_eq!(found(&table, image, length, Place::Gpu(0)), expected(&table, image), "pieces of {length}");
        }
    }
}

#[test]
fn headers_of_a_made_up_image() {
    let table = Table::built_in();
    let image = MadeUp::new(&table, 4 * BLOCK, 3);
    let mut all = Vec::new();
    let mut found = |_, matches: &[Match]| {
        all.extend_from_slice(matches);
        Ok::<(), Infallible>(())
    };
    find(&table, image, 100_000, Place::Host, &mut found).unwrap();
    for block in 0..3 {
        let (position, signature) = image.planted(block);
        let is_found = |header: &Match| (header.position, header.signature) == (position, signature);
        assert!(all.iter().any(is_found) || position < table.signatures()[signature].offset(), "{block}");
    }
    assert_eq!(check::search(&table, image, 1000).unwrap().0, all);
}

#[test]
fn who_takes_the_headers_may_stop_the_search() {
    let table = table("a,0,61\n");
    let mut calls = 0;
    let mut found = |_, _: &[Match]| {
        calls += 1;
        Err("enough")
    };
    let error = find(&table, &[0x61; 100][..], 16, Place::Host, &mut found).unwrap_err();
    assert!(matches!(error, FindError::Found("enough")), "{error}");
    assert_eq!(calls, 1);
}
