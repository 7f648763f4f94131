//! An image in pieces that overlap, so that each header is whole in the piece in which it begins.

use std::io::{self, ErrorKind, Read};

/// A part of an image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    /// Where it begins in the image.
    pub start: u64,
    /// How many of its bytes are its own. The others are the first of the next piece.
    pub own: usize,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// The pieces of an image, one after another.
#[derive(Debug)]
pub struct Pieces<R> {
    source: R,
    length: usize,
    overlap: usize,
    start: u64,
    /// The bytes of the former piece that are not its own.
    carried: Vec<u8>,
    has_ended: bool,
}

impl<R: Read> Pieces<R> {
    /// Pieces of so many bytes, with so many bytes of the next. The last piece may be shorter, or longer by the overlap.
    pub fn new(source: R, length: usize, overlap: usize) -> Self {
        Self { source, length: length.max(1), overlap, start: 0, carried: Vec::new(), has_ended: false }
    }

    /// The next piece, in the memory of `bytes`; nothing at the end of the image.
    ///
    /// # Errors
    ///
    /// Those of the image.
    pub fn next(&mut self, mut bytes: Vec<u8>) -> io::Result<Option<Piece>> {
        if self.has_ended {
            return Ok(None);
        }
        let most = self.length + self.overlap;
        bytes.try_reserve(most.saturating_sub(bytes.len())).map_err(io::Error::other)?;
        bytes.resize(most, 0);
        bytes[..self.carried.len()].copy_from_slice(&self.carried);
        let mut filled = self.carried.len();
        while filled < bytes.len() {
            match self.source.read(&mut bytes[filled..]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.has_ended = filled < bytes.len();
        bytes.truncate(filled);
        let own = if self.has_ended { filled } else { self.length };
        self.carried.clear();
        self.carried.extend_from_slice(&bytes[own..]);
        let start = self.start;
        self.start += own as u64;
        Ok((own > 0).then_some(Piece { start, own, bytes }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_the_image() {
        let image: Vec<u8> = (0..100).collect();
        for size in 0..60 {
            for length in 1..20 {
                for overlap in 0..9 {
                    let mut pieces = Pieces::new(&image[..size], length, overlap);
                    let mut own: Vec<u8> = Vec::new();
                    while let Some(piece) = pieces.next(vec![7; 3]).unwrap() {
                        assert_eq!(piece.start, own.len() as u64);
                        let end = size.min(own.len() + length + overlap);
                        assert_eq!(piece.bytes, image[own.len()..end]);
                        own.extend(&piece.bytes[..piece.own]);
                    }
                    assert_eq!(own, image[..size]);
                }
            }
        }
    }

    #[test]
    fn errors_and_interruptions() {
        struct Broken(u32);
        impl Read for Broken {
            fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
                self.0 += 1;
                match self.0 {
                    1 => Err(ErrorKind::Interrupted.into()),
                    2 => {
                        bytes[0] = 9;
                        Ok(1)
                    }
                    _ => Err(io::Error::other("worn out")),
                }
            }
        }
        let mut pieces = Pieces::new(Broken(0), 1, 0);
        let piece = pieces.next(Vec::new()).unwrap();
        assert_eq!(piece, Some(Piece { start: 0, own: 1, bytes: vec![9] }));
        assert_eq!(pieces.next(Vec::new()).unwrap_err().to_string(), "worn out");
    }
}
