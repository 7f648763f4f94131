//! How kernels are started.

use ikra_core::kernel::Argument;
use ikra_runtime::error::Error;
use ikra_runtime::executor::{Form, Launch};

use crate::PAIR_THREADS;
use crate::code::{CALL, Kind};
use crate::device_world::DeviceWorld;
use crate::driver::Grid;
use crate::step::{Positions, Step};
use crate::tables::Members;

/// Threads per block.
const THREADS: u32 = 256;
/// The same for kernels that do much work per call, which tend to need more registers.
const HEAVY_THREADS: u32 = 128;

/// The threads of a block that runs this.
pub(crate) fn threads(launch: &Launch<'_>) -> u32 {
    if launch.effects.is_heavy { HEAVY_THREADS } else { THREADS }
}

impl DeviceWorld {
    /// Starts a run, or does it if it has a result.
    pub(crate) fn run(&mut self, members: &mut Members<'_>, launch: &Launch<'_>) -> Result<(), Error> {
        if let Some(what) = launch.not_recordable() {
            self.log.refuse_in_recording(what)?;
        }
        match launch.form {
            Form::Reduce(reduction) => self.reduce(members, launch, reduction),
            Form::Construct => self.construct(members, launch),
            _ => self.start(members, launch),
        }
    }

    /// Starts a kernel that has no result.
    pub(crate) fn start(&mut self, members: &mut Members<'_>, launch: &Launch<'_>) -> Result<(), Error> {
        let positions = Positions::of(&launch.over);
        let Positions { first, end, .. } = positions;
        self.prepare(members, Some(launch))?;
        if first == end {
            return Ok(());
        }
        let grid = match launch.form {
            // The threads of a block work together: all are there, and each has one object at most.
            Form::Pairs { other_bytes } => Grid {
                blocks: blocks(end - first, PAIR_THREADS),
                threads: PAIR_THREADS as u32,
                shared_bytes: (PAIR_THREADS * other_bytes) as u32,
            },
            _ => {
                let threads = threads(launch);
                let blocks = blocks(end - first, threads as usize);
                // Few objects need no whole block.
                let threads = if blocks == 1 { (end - first).next_multiple_of(32) as u32 } else { threads };
                Grid { blocks, threads, shared_bytes: 0 }
            }
        };
        let function = self.function(launch.entry, Kind::Call, CALL, launch.arguments)?;
        if self.log.is_recording() {
            self.log.note(Step::of(launch, function, grid, positions));
            return Ok(());
        }
        let list = match launch.form {
            Form::Construct => self.log.inbox().start().addr() as u64,
            _ => self.upload_list(&positions)?,
        };
        let (first_u32, end_u32) = (first as u32, end as u32);
        let own = [(&raw const first_u32).cast(), (&raw const end_u32).cast(), (&raw const list).cast()];
        let all = Arguments::new(&own, launch.arguments);
        // SAFETY: the entry takes two `u32`, a pointer, to a list or for a constructor to where it says that a link is bad,
        // and the kernel's arguments, as `function` has compared. The objects
        // exist, each once; their columns are on the device, and in this stream no other kernel runs at the same time.
        unsafe { self.log.launch(launch.effects.kernel, &function, grid, all.as_slice()) }?;
        self.commit(members, launch, &positions)
    }
}

/// How many blocks of so many threads there are for one thread per object.
fn blocks(objects: usize, threads: usize) -> u32 {
    u32::try_from(objects.div_ceil(threads)).unwrap_or(u32::MAX)
}

/// Where a kernel's arguments are, most often few enough to need no allocation.
pub(crate) enum Arguments {
    Few([*const (); 16], usize),
    Many(Vec<*const ()>),
}

impl Arguments {
    /// Those of no bytes are left out: the device's compiler makes no parameters of them.
    pub(crate) fn new(own: &[*const ()], arguments: &[Argument<'_>]) -> Self {
        let taken = arguments.iter().filter(|argument| argument.bytes() > 0);
        let len = own.len() + taken.clone().count();
        let all = own.iter().copied().chain(taken.map(|argument| argument.start()));
        let mut few = [std::ptr::null(); 16];
        if len > few.len() {
            return Self::Many(all.collect());
        }
        for (slot, argument) in few.iter_mut().zip(all) {
            *slot = argument;
        }
        Self::Few(few, len)
    }

    pub(crate) fn as_slice(&self) -> &[*const ()] {
        match self {
            Self::Few(few, len) => &few[..*len],
            Self::Many(many) => many,
        }
    }
}
