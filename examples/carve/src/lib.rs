//! File carving: the places in the image of a disk where files of known kinds begin. The whole example except its program.
#![forbid(unsafe_code)]

pub mod check;
pub mod find;
pub mod made_up;
pub mod model;
pub mod pieces;
pub mod signatures;

pub use find::find;
pub use signatures::{Signature, Table};

/// A header in an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Match {
    /// Where the pattern is.
    pub position: u64,
    /// The signature's number in the table.
    pub signature: usize,
    /// Where the file begins: before the pattern, if the pattern is not at the start of its files.
    pub start: u64,
}

/// Adds the signatures that are at a position of a piece to `found`, in the order of the table. A file that would begin
/// before the image is none.
fn confirm(table: &Table, piece: &pieces::Piece, at: usize, found: &mut Vec<Match>) {
    let position = piece.start + at as u64;
    for (number, signature) in table.signatures().iter().enumerate() {
        if signature.is_at(&piece.bytes[at..]) {
            let start = position.checked_sub(signature.offset());
            found.extend(start.map(|start| Match { position, signature: number, start }));
        }
    }
}
