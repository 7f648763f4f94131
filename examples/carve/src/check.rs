//! The same search on one thread by the crate `aho-corasick`.

use std::io::{self, Read};
use std::time::{Duration, Instant};

use aho_corasick::{AhoCorasick, AhoCorasickKind, BuildError};

use crate::find::overlap;
use crate::pieces::Pieces;
use crate::{Match, Table};

/// The errors of the search.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The image cannot be read.
    #[error("cannot be read: {0}")]
    Image(#[from] io::Error),
    /// The signatures are too many for an automaton.
    #[error("no automaton for these signatures: {0}")]
    Automaton(#[from] BuildError),
}

/// Finds the headers of a table by the longest stretch of each signature that has no arbitrary byte. Returns the time of the
/// search, without that of reading.
///
/// # Errors
///
/// [`CheckError`].
pub fn search(table: &Table, image: impl Read, length: usize) -> Result<(Vec<Match>, Duration), CheckError> {
    let (places, stretches): (Vec<_>, Vec<_>) =
        table.signatures().iter().map(crate::Signature::longest_stretch).unzip();
    let automaton = AhoCorasick::builder().kind(Some(AhoCorasickKind::DFA)).build(stretches)?;
    let mut pieces = Pieces::new(image, length, overlap(table));
    let (mut matches, mut time, mut bytes) = (Vec::new(), Duration::ZERO, Vec::new());
    while let Some(piece) = pieces.next(bytes)? {
        let start = Instant::now();
        let before = matches.len();
        for found in automaton.find_overlapping_iter(&piece.bytes) {
            let number = found.pattern().as_usize();
            let signature = &table.signatures()[number];
            // A pattern that begins before this piece has been found in the piece before.
            let Some(at) = found.start().checked_sub(places[number]).filter(|&at| at < piece.own) else { continue };
            if signature.is_at(&piece.bytes[at..]) {
                let position = piece.start + at as u64;
                let start = position.checked_sub(signature.offset());
                matches.extend(start.map(|start| Match { position, signature: number, start }));
            }
        }
        matches[before..].sort_unstable();
        time += start.elapsed();
        bytes = piece.bytes;
    }
    Ok((matches, time))
}
