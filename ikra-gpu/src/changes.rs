//! The memory for objects that come and go on a device.

use std::sync::Arc;

use ikra_core::device_lives::DeviceLives;
use ikra_core::holes::Fetch;
use ikra_runtime::error::GpuError;
use ikra_runtime::list::ListOrder;

use crate::chunks::{CHUNK, CHUNK_WORDS};
use crate::driver::Memory;
use crate::stream_log::StreamLog;

/// The memory for a class's objects that come and go.
#[derive(Debug, Default)]
pub(crate) struct Lives {
    pub(crate) rows: Option<Memory>,
    pub(crate) numbers: Option<Memory>,
    pub(crate) ranks: Option<Memory>,
    pub(crate) free: Option<Memory>,
    /// The objects that exist, one bit per index, if `list` is still that of the host.
    pub(crate) live: Option<Arc<Memory>>,
    /// Whether the bits are newer than the list.
    pub(crate) is_ahead: bool,
    pub(crate) list: Option<Arc<ListOrder>>,
    /// Memory for the next one.
    pub(crate) next: Option<Arc<Memory>>,
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
            // SAFETY: the memory is longer.
            let fetched = unsafe { log.fetched::<u64>(live.address(), slots.div_ceil(64)) };
            let mut words = fetched.map_err(|error| format!("class {class}: {error}"))?;
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
    /// The numbers of objects that a kernel makes and removes, the marks of its objects and the counts of makers: 0 before it.
    pub(crate) counted: Option<Memory>,
    /// The numbers and marks of objects that go with others.
    pub(crate) owners: Option<Memory>,
    /// The columns of a class that moves.
    pub(crate) columns: Option<Memory>,
    pub(crate) sums: Option<Memory>,
    pub(crate) bits: Option<Memory>,
    /// The results of the chunks of a list.
    pub(crate) chunks: Option<Memory>,
}

impl Changes {
    /// Those of a world with this number of members.
    pub(crate) fn new(log: &StreamLog, members: usize) -> Result<Self, GpuError> {
        let bytes = members.max(1) * size_of::<DeviceLives>();
        let mut places = Memory::new(&log.context, bytes, "a world's table")?;
        log.stream.clear(&mut places)?;
        let lives = (0..members).map(|_| Lives::default()).collect();
        Ok(Self { places, lives, counted: None, owners: None, columns: None, sums: None, bits: None, chunks: None })
    }

    /// Forgets which objects exist: the next kernel asks the host.
    pub(crate) fn forget(&mut self) {
        for lives in &mut self.lives {
            (lives.list, lives.live, lives.is_ahead) = (None, None, false);
        }
    }

    /// The address of the states of the members' classes.
    pub(crate) fn states(&self) -> u64 {
        self.places.address()
    }

    /// The address of the state of a member's class.
    pub(crate) fn state_of(&self, member: usize) -> u64 {
        self.states() + (member * size_of::<DeviceLives>()) as u64
    }
}
