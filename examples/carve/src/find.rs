//! Finds the headers: pieces of the image become chunks of a world, which scan themselves.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use ikra::Place;
use ikra::prelude::*;
use rayon::prelude::*;

use crate::model::block::{BYTES, Block};
use crate::model::{Chunk, Image, chunk};
use crate::pieces::{Piece, Pieces};
use crate::{Match, Table, confirm};

/// The errors of a search; `E` is that of the function that takes the headers.
#[derive(Debug, thiserror::Error)]
pub enum FindError<E> {
    /// The image cannot be read.
    #[error("cannot be read: {0}")]
    Image(io::Error),
    /// Kernels fail.
    #[error(transparent)]
    Ikra(#[from] ikra::Error),
    /// The headers cannot be passed on.
    #[error("{0}")]
    Found(E),
}

/// What a search has done.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Bytes of the image.
    pub bytes: u64,
    /// Headers.
    pub matches: u64,
    /// The whole time.
    pub time: Duration,
    /// The time without the waits for the image.
    pub work: Duration,
    /// The place that did the work.
    pub worker: String,
}

/// Bytes of the next piece that a piece needs: the rest of the longest pattern, and the rest of a block.
pub(crate) fn overlap(table: &Table) -> usize {
    table.longest().max(BYTES) - 1
}

/// Searches an image in pieces of `length` bytes. `found` gets the bytes of the image that have been searched, and the headers
/// that begin in a piece, ordered by position and then as the table is.
///
/// Another thread reads the image. On a GPU there are two worlds, of which one scans while the other is filled.
///
/// # Errors
///
/// [`FindError`].
pub fn find<E>(
    table: &Table,
    image: impl Read + Send,
    length: usize,
    place: Place,
    found: &mut dyn FnMut(u64, &[Match]) -> Result<(), E>,
) -> Result<Summary, FindError<E>> {
    let start = Instant::now();
    let worlds = if place == Place::Host { 1 } else { 2 };
    let mut search = Search::new(table, place, worlds)?;
    let mut pieces = Pieces::new(image, length, overlap(table));
    let (empty, empties) = mpsc::channel();
    let (full, fulls) = mpsc::channel();
    // One is read while others are in worlds.
    (0..=worlds).try_for_each(|_| empty.send(Vec::new())).unwrap_or_else(|_| unreachable!("the receiver is here"));
    thread::scope(|scope| {
        scope.spawn(move || {
            for bytes in empties {
                let piece = pieces.next(bytes).transpose();
                // Without a piece the image has ended; without a receiver, the search has.
                if piece.is_none_or(|piece| full.send(piece).is_err()) {
                    break;
                }
            }
        });
        loop {
            let wait = Instant::now();
            let piece = fulls.recv().ok().transpose().map_err(FindError::Image)?;
            search.waited += wait.elapsed();
            let Some(piece) = piece else { break };
            search.begin(piece)?;
            if search.running.len() == worlds {
                let bytes = search.end(found)?;
                // The thread that reads may be done.
                drop(empty.send(bytes));
            }
        }
        while !search.running.is_empty() {
            search.end(found)?;
        }
        let time = start.elapsed();
        let summary = Summary { time, work: time.saturating_sub(search.waited), ..search.summary };
        drop(empty);
        Ok(summary)
    })
}

/// A search that is going on.
struct Search<'t> {
    table: &'t Table,
    place: Place,
    /// Those that are idle.
    idle: VecDeque<Image>,
    /// Those that scan, and their pieces.
    running: VecDeque<(Image, Piece)>,
    matches: Vec<Match>,
    waited: Duration,
    summary: Summary,
}

impl<'t> Search<'t> {
    fn new(table: &'t Table, place: Place, worlds: usize) -> Result<Self, ikra::Error> {
        let mut idle = VecDeque::new();
        let mut worker = String::new();
        for _ in 0..worlds {
            let mut image = Image::new();
            image.signatures.extend(table.signatures().iter().map(crate::Signature::object))?;
            worker = image.on(place).open()?;
            // They are the same for all pieces.
            image.on(place).specialize_for::<crate::model::Signature>()?;
            idle.push_back(image);
        }
        let summary = Summary { worker, ..Summary::default() };
        let (running, matches) = (VecDeque::new(), Vec::new());
        Ok(Self { table, place, idle, running, matches, waited: Duration::ZERO, summary })
    }

    /// Starts the scan of a piece.
    fn begin(&mut self, piece: Piece) -> Result<(), ikra::Error> {
        let mut image = self.idle.pop_front().unwrap_or_else(|| unreachable!("fewer worlds run than there are"));
        // The first piece of a world is the longest, except for the overlap of the last.
        let missing = piece.bytes.len().div_ceil(BYTES).saturating_sub(image.chunks.len());
        image.chunks.extend((0..missing).map(|_| Chunk { block: Block::ZERO, hits: 0 }))?;
        fill(image.chunks.column_mut(chunk::block), &piece.bytes);
        image.on(self.place).execute(Chunk::scan, ())?;
        self.running.push_back((image, piece));
        Ok(())
    }

    /// Waits for the oldest scan, and passes its headers on. Returns the memory of its piece.
    fn end<E>(&mut self, found: &mut dyn FnMut(u64, &[Match]) -> Result<(), E>) -> Result<Vec<u8>, FindError<E>> {
        let (mut image, piece) = self.running.pop_front().unwrap_or_else(|| unreachable!("one runs"));
        let hits = image.on(self.place).select(Chunk::is_hit, ()).map(Chunk::hit, ()).collect()?;
        self.idle.push_back(image);
        self.matches.clear();
        for [chunk, hits] in hits {
            // Those in the bytes of the next piece are found there; those behind the end of the image do not count.
            let places = (0..BYTES).filter(|n| hits >> n & 1 == 1).map(|n| chunk as usize * BYTES + n);
            for at in places.filter(|&at| at < piece.own) {
                confirm(self.table, &piece, at, &mut self.matches);
            }
        }
        self.summary.bytes += piece.own as u64;
        self.summary.matches += self.matches.len() as u64;
        found(self.summary.bytes, &self.matches).map_err(FindError::Found)?;
        Ok(piece.bytes)
    }
}

/// Copies bytes into blocks, on all threads; the rest of the blocks are zeros.
fn fill(blocks: &mut [Block], bytes: &[u8]) {
    /// Blocks that a thread copies at once.
    const PART: usize = 4096;
    blocks.par_chunks_mut(PART).enumerate().for_each(|(part, blocks)| {
        let bytes = bytes.get(part * PART * BYTES..).unwrap_or_default();
        let (whole, rest) = bytes[..bytes.len().min(blocks.len() * BYTES)].as_chunks::<BYTES>();
        let (filled, behind) = blocks.split_at_mut(whole.len());
        for (block, bytes) in filled.iter_mut().zip(whole) {
            *block = Block::of(u128::from_le_bytes(*bytes));
        }
        behind.fill(Block::ZERO);
        if let (Some(block), false) = (behind.first_mut(), rest.is_empty()) {
            let mut last = [0; BYTES];
            last[..rest.len()].copy_from_slice(rest);
            *block = Block::of(u128::from_le_bytes(last));
        }
    });
}
