//! Damaged files give errors: no panic reaches the caller, and no allocation follows what a file claims.

use std::sync::OnceLock;

use ikra::tables::{Export, Import, Source, TableError};
use ikra_tables_tests::{Car, Folder, Plan, Route, Street, Thing, Things, Town};
use proptest::prelude::*;

/// The file of a class with all kinds of columns.
fn whole() -> &'static [u8] {
    static WHOLE: OnceLock<Vec<u8>> = OnceLock::new();
    WHOLE.get_or_init(|| {
        let folder = Folder::new();
        let path = folder.path("thing.parquet");
        Export::of(&Things::of(200)).parquet_of::<Thing>(&path).unwrap();
        std::fs::read(path).unwrap()
    })
}

fn read(contents: &[u8]) -> Result<Things, TableError> {
    let folder = Folder::new();
    let path = folder.file("thing.parquet", contents);
    Import::new().table(Source::<Thing>::parquet(path)).read()
}

fn check<T>(read: Result<T, TableError>) {
    if let Err(error) = read {
        let message = error.to_string();
        assert!(!message.contains('\n') && message.len() < 6000, "{message}");
    }
}

#[test]
fn truncated_files() {
    let whole = whole();
    assert_eq!(read(whole).unwrap().rows(), Things::of(200).rows());
    for len in (0..whole.len()).step_by(97) {
        let Err(TableError::Unreadable { .. }) = read(&whole[..len]) else { panic!("{len} bytes") };
    }
}

#[test]
fn claims_of_absurd_lengths() {
    // Varints of the metadata are replaced by large ones.
    let whole = whole();
    let end = whole.len() - 8;
    let len = u32::from_le_bytes(whole[end..end + 4].try_into().unwrap()) as usize;
    for at in (end - len..end).step_by(if std::env::var_os("IKRA_LONG").is_some() { 1 } else { 7 }) {
        let mut damaged = whole[..at].to_vec();
        damaged.extend([0xfe, 0xff, 0xff, 0xff, 0xff, 0x7f]);
        damaged.extend(&whole[at + 1..end]);
        damaged.extend(((len + 5) as u32).to_le_bytes());
        damaged.extend(b"PAR1");
        check(read(&damaged));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if std::env::var_os("IKRA_LONG").is_some() { 3000 } else { 300 }))]

    #[test]
    fn damaged_files(damages in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8), in_metadata in any::<bool>()) {
        let mut bytes = whole().to_vec();
        let first = if in_metadata { bytes.len() - bytes.len() / 3 } else { 0 };
        let len = bytes.len() - first;
        for (at, byte) in damages {
            bytes[first + at.index(len)] = byte;
        }
        check(read(&bytes));
    }

    #[test]
    fn any_text_as_csv(text in "([a-z0-9,\"\n\r.-]|age|street|next|number|\n[0-9],[0-9]\n){0,60}", keyed in any::<bool>()) {
        let folder = Folder::new();
        let path = folder.file("a.csv", &text);
        let streets = Source::<Street>::csv(&path);
        let streets = if keyed { streets.key("number") } else { streets };
        check(Import::<Town>::new().table(streets).table(Source::<Car>::csv(&path)).read());
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(read(&bytes));
        let folder = Folder::new();
        let path = folder.file("a", &bytes);
        check(Import::<Town>::new().table(Source::<Car>::csv(&path)).read());
        check(Import::<Plan>::new().table(Source::<Route>::parquet(&path)).read());
    }
}
