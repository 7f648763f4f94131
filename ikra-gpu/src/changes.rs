//! The memory for objects that come and go on a device, and the kernels that end a run.

use std::sync::Arc;

use ikra_core::device_lives::DeviceLives;
use ikra_core::holes::Fetch;
use ikra_runtime::error::{Error, GpuError};
use ikra_runtime::list::ListOrder;

use crate::chunks::{CHUNK, CHUNK_WORDS};
use crate::driver::{Function, Memory};
use crate::lists::Ordering;
use crate::stream_log::StreamLog;

/// The kernels that end a run.
#[derive(Clone, Debug)]
pub(crate) struct Ending {
    pub(crate) sum: Function,
    pub(crate) place: Function,
    pub(crate) rank: Function,
    pub(crate) tally: Function,
    pub(crate) invert: Function,
    pub(crate) clear: Function,
    pub(crate) unlink: Function,
    pub(crate) relink: Function,
    pub(crate) gather: Function,
    pub(crate) lists: Ordering,
}

impl Ending {
    /// The kernels of the first module, if it has them; every module contains its own.
    pub(crate) fn of(log: &StreamLog) -> Result<Option<Self>, GpuError> {
        let Some(lists) = Ordering::of(log)? else { return Ok(None) };
        let mut found = Vec::new();
        for name in ["sum", "place", "rank", "tally", "invert", "clear", "unlink", "relink", "gather"] {
            found.extend(log.modules[0].function(&format!("ikra_lives_{name}"))?);
        }
        let Ok([sum, place, rank, tally, invert, clear, unlink, relink, gather]) = <[_; 9]>::try_from(found) else {
            return Ok(None);
        };
        Ok(Some(Self { sum, place, rank, tally, invert, clear, unlink, relink, gather, lists }))
    }
}

/// The memory for a class's objects that come and go.
#[derive(Debug, Default)]
pub(crate) struct Lives {
    pub(crate) marks: Option<Memory>,
    pub(crate) rows: Option<Memory>,
    pub(crate) counts: Option<Memory>,
    pub(crate) numbers: Option<Memory>,
    pub(crate) ranks: Option<Memory>,
    pub(crate) free: Option<Memory>,
    /// The objects that exist, one bit per index, if `list` is still that of the host.
    pub(crate) live: Option<Arc<Memory>>,
    /// Whether the bits are newer than the list.
    pub(crate) is_ahead: bool,
    pub(crate) list: Option<Arc<ListOrder>>,
    /// The memory of that list, for the next one.
    pub(crate) listed: Option<Arc<Memory>>,
}

impl Lives {
    /// The address of the bits.
    pub(crate) fn live(&self) -> u64 {
        self.live.as_ref().map_or(0, |live| live.address())
    }

    /// A function that reads the bits of the removed objects below `slots`, `holes` of them. It fails if there are more or
    /// fewer, since a later kernel that failed has changed them (I33).
    pub(crate) fn fetch(&self, log: &Arc<StreamLog>, slots: usize, holes: usize, class: &'static str) -> Fetch {
        let Some(live) = self.live.clone() else { return Arc::new(|| Ok(Vec::new())) };
        let log = log.clone();
        Arc::new(move || {
            // The memory is longer.
            let mut words = vec![0_u64; slots.div_ceil(64)];
            let bytes = size_of_val(&words[..]);
            let fetched = log.check().map_err(Error::from).and_then(|()| {
                // SAFETY: both have this many bytes; the stream is synchronised before the words are read.
                unsafe { log.stream.download(words.as_mut_ptr().cast(), live.address(), bytes) }
                    .map_err(|error| log.blame(error))?;
                log.synchronize()
            });
            if let Err(error) = fetched {
                return Err(format!("class {class}: {error}"));
            }
            log.count_down(bytes);
            words.iter_mut().for_each(|word| *word = !*word);
            if let Some(last) = words.last_mut().filter(|_| !slots.is_multiple_of(64)) {
                *last &= u64::MAX >> (64 - slots % 64);
            }
            let found: usize = words.iter().map(|word| word.count_ones() as usize).sum();
            if found == holes { Ok(words) } else { Err(format!("class {class}: which objects exist is lost")) }
        })
    }
}

/// The address of memory of at least this many bytes.
pub(crate) fn room(memory: &mut Option<Memory>, log: &StreamLog, bytes: usize) -> Result<u64, GpuError> {
    Memory::with_room(memory, &log.context, bytes, "objects that come and go")
}

/// The number of bytes of one bit per index, in whole chunks.
pub(crate) fn bits_bytes(slots: usize) -> usize {
    slots.div_ceil(CHUNK as usize).max(1) * CHUNK_WORDS as usize * size_of::<u32>()
}

/// What a world's kernels that make and remove objects need.
#[derive(Debug)]
pub(crate) struct Changes {
    /// The changes of each member's objects, for the running kernel.
    places: Memory,
    /// The memory for them.
    pub(crate) lives: Vec<Lives>,
    pub(crate) totals: Option<Memory>,
    pub(crate) sums: Option<Memory>,
    pub(crate) bits: Option<Memory>,
    /// The table of chunks of a list, and their number.
    pub(crate) chunks: Option<(Memory, u32)>,
    pub(crate) ending: Option<Ending>,
}

impl Changes {
    /// Those of a world with this number of members.
    pub(crate) fn new(log: &StreamLog, members: usize) -> Result<Self, GpuError> {
        let bytes = members.max(1) * size_of::<DeviceLives>();
        let mut places = Memory::new(&log.context, bytes, "a world's table")?;
        log.stream.clear(&mut places)?;
        let lives = (0..members).map(|_| Lives::default()).collect();
        Ok(Self { places, lives, totals: None, sums: None, bits: None, chunks: None, ending: None })
    }

    /// Forgets which objects exist: the next kernel asks the host.
    pub(crate) fn forget(&mut self) {
        for lives in &mut self.lives {
            (lives.list, lives.live, lives.is_ahead) = (None, None, false);
        }
    }

    /// The address of the state of a member's class.
    pub(crate) fn state_of(&self, member: usize) -> u64 {
        self.places.address() + (member * size_of::<DeviceLives>()) as u64
    }
}
