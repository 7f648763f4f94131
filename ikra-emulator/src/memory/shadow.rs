//! The last accesses to each byte in this launch, to find races.
//!
//! Per four bytes (or per byte, in chunks of 4 KiB in which narrower values are accessed) there is one entry for the last
//! write and one for reads since. An entry names the launch, the thread, and the time on its block's clock. The clock ticks at
//! each event that orders threads: barriers, synchronisations of warps, fences.

use std::sync::{
    OnceLock,
    atomic::{AtomicU64, Ordering::Relaxed},
};

/// One access, in 64 bits: launch (14), thread (28), time (19), several threads of a block, several blocks, atomic (1 each).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry(pub(crate) u64);

const LAUNCH_BITS: u32 = 14;
const THREAD_BITS: u32 = 28;
const TIME_BITS: u32 = 19;
const TIME_SHIFT: u32 = 3;
const THREAD_SHIFT: u32 = TIME_SHIFT + TIME_BITS;
const LAUNCH_SHIFT: u32 = THREAD_SHIFT + THREAD_BITS;
const ATOMIC: u64 = 1;
const SEVERAL_BLOCKS: u64 = 2;
const SEVERAL_THREADS: u64 = 4;

/// Threads of a launch that can be told apart. Larger launches are not checked for races.
pub(crate) const THREADS: u64 = 1 << THREAD_BITS;
/// Times on a block's clock. After the last one, accesses are not checked.
pub(crate) const TIMES: u32 = (1 << TIME_BITS) - 1;
/// Launches that can be told apart: numbers from 1 on. When they start again, all entries are cleared.
pub(crate) const LAUNCHES: u32 = (1 << LAUNCH_BITS) - 1;

impl Entry {
    #[inline(always)]
    pub(crate) const fn new(launch: u32, thread: u64, time: u32, atomic: bool) -> Self {
        Self(
            ((launch as u64) << LAUNCH_SHIFT)
                | (thread << THREAD_SHIFT)
                | ((time as u64) << TIME_SHIFT)
                | if atomic { ATOMIC } else { 0 },
        )
    }

    #[inline(always)]
    pub(crate) const fn launch(self) -> u32 {
        (self.0 >> LAUNCH_SHIFT) as u32
    }

    #[inline(always)]
    pub(crate) const fn thread(self) -> u64 {
        (self.0 >> THREAD_SHIFT) & (THREADS - 1)
    }

    #[inline(always)]
    pub(crate) const fn time(self) -> u32 {
        (self.0 >> TIME_SHIFT) as u32 & TIMES
    }

    #[inline(always)]
    pub(crate) const fn is_atomic(self) -> bool {
        self.0 & ATOMIC != 0
    }

    #[inline(always)]
    pub(crate) const fn has_several_threads(self) -> bool {
        self.0 & SEVERAL_THREADS != 0
    }

    #[inline(always)]
    pub(crate) const fn has_several_blocks(self) -> bool {
        self.0 & SEVERAL_BLOCKS != 0
    }

    /// The same, and others of the block.
    pub(crate) const fn and_threads(self) -> Self {
        Self(self.0 | SEVERAL_THREADS)
    }

    /// The same, and threads of other blocks.
    pub(crate) const fn and_blocks(self) -> Self {
        Self(self.0 | SEVERAL_BLOCKS)
    }

    /// The same, and not atomic.
    pub(crate) const fn and_plain(self) -> Self {
        Self(self.0 & !ATOMIC)
    }
}

/// The last write and the reads since.
#[derive(Default)]
pub(crate) struct Pair {
    pub(crate) write: AtomicU64,
    pub(crate) read: AtomicU64,
}

/// Bytes whose entries are stored together.
pub(crate) const CHUNK: usize = 4096;

#[derive(Default)]
struct Chunk {
    /// Per four bytes.
    coarse: OnceLock<Box<[Pair]>>,
    /// Per byte, as soon as a narrower value is accessed.
    fine: OnceLock<Box<[Pair]>>,
}

/// Entries for the bytes of one allocation, or of a block's shared memory; made on demand.
pub(crate) struct Shadow {
    chunks: OnceLock<Box<[Chunk]>>,
    bytes: usize,
}

fn pairs(len: usize) -> Box<[Pair]> {
    (0..len).map(|_| Pair::default()).collect()
}

impl Shadow {
    pub(crate) const fn new(bytes: usize) -> Self {
        Self { chunks: OnceLock::new(), bytes }
    }

    /// The entries of `width` bytes at a multiple of `width`.
    #[inline(always)]
    pub(crate) fn entries(&self, at: usize, width: usize) -> &[Pair] {
        let chunks = match self.chunks.get() {
            Some(chunks) => chunks,
            None => self.chunks.get_or_init(|| (0..self.bytes.div_ceil(CHUNK)).map(|_| Chunk::default()).collect()),
        };
        let (chunk, within) = (&chunks[at / CHUNK], at % CHUNK);
        if let Some(fine) = chunk.fine.get() {
            return &fine[within..within + width];
        }
        if width < 4 {
            return &chunk.refine()[within..within + width];
        }
        let coarse = match chunk.coarse.get() {
            Some(coarse) => coarse,
            None => chunk.coarse.get_or_init(|| pairs(CHUNK / 4)),
        };
        &coarse[within / 4..(within + width) / 4]
    }

    /// Forgets all accesses.
    pub(crate) fn clear(&self) {
        for chunk in self.chunks.get().into_iter().flatten() {
            for pair in [&chunk.coarse, &chunk.fine].into_iter().filter_map(OnceLock::get).flatten() {
                pair.write.store(0, Relaxed);
                pair.read.store(0, Relaxed);
            }
        }
    }
}

impl Chunk {
    #[cold]
    fn refine(&self) -> &[Pair] {
        self.fine.get_or_init(|| match self.coarse.get() {
            None => pairs(CHUNK),
            Some(coarse) => (0..CHUNK)
                .map(|at| {
                    let from = &coarse[at / 4];
                    Pair { write: from.write.load(Relaxed).into(), read: from.read.load(Relaxed).into() }
                })
                .collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_hold_what_they_are_made_of() {
        let entry = Entry::new(LAUNCHES, THREADS - 1, TIMES, false);
        assert_eq!((entry.launch(), entry.thread(), entry.time()), (LAUNCHES, THREADS - 1, TIMES));
        assert!(!entry.is_atomic() && !entry.has_several_blocks() && !entry.has_several_threads());
        let entry = Entry::new(1, 2, 3, true).and_blocks().and_threads();
        assert_eq!((entry.launch(), entry.thread(), entry.time()), (1, 2, 3));
        assert!(entry.is_atomic() && entry.has_several_blocks() && entry.has_several_threads());
        assert!(!entry.and_plain().is_atomic());
    }

    #[test]
    fn chunks_become_finer_when_bytes_are_accessed() {
        let shadow = Shadow::new(5000);
        assert_eq!(shadow.entries(4096, 8).len(), 2);
        shadow.entries(4100, 4)[0].write.store(7, Relaxed);
        assert_eq!(shadow.entries(4102, 1)[0].write.load(Relaxed), 7);
        assert_eq!(shadow.entries(4100, 4).len(), 4);
        shadow.clear();
        assert_eq!(shadow.entries(4102, 1)[0].write.load(Relaxed), 0);
    }
}
