//! Which objects a launch is for, and launches to be started later.

use std::mem::MaybeUninit;
use std::sync::Arc;

use ikra_core::effects::Effects;
use ikra_core::kernel::Argument;
use ikra_runtime::error::GpuError;
use ikra_runtime::executor::{Launch, Over};
use ikra_runtime::list::ListOrder;

use crate::driver::{Function, Grid, Stream};

/// Which objects a kernel runs for: those at `first..end`, or those that are there in the list.
#[derive(Debug)]
pub(crate) struct Positions {
    pub(crate) first: usize,
    pub(crate) end: usize,
    pub(crate) list: Option<Arc<ListOrder>>,
}

impl Positions {
    pub(crate) fn of(over: &Over<'_>) -> Self {
        match over {
            Over::Range(range) => Self { first: range.start, end: range.end, list: None },
            Over::List { list, class } => {
                let places = list.places_of(*class);
                Self { first: places.start, end: places.end, list: Some(Arc::clone(list)) }
            }
            other => unreachable!("objects are in a range or a list: {other:?}"),
        }
    }
}

/// A launch for a range of objects, to be started later.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) effects: &'static Effects,
    pub(crate) positions: Positions,
    function: Function,
    grid: Grid,
    /// The kernel's arguments, with such bytes between their parts as they have.
    arguments: Vec<Box<[MaybeUninit<u8>]>>,
}

impl Step {
    pub(crate) fn of(launch: &Launch<'_>, function: Function, grid: Grid, positions: Positions) -> Self {
        let bytes = |argument: &Argument<'_>| {
            // SAFETY: the argument is alive, and has so many bytes.
            unsafe { std::slice::from_raw_parts(argument.start().cast::<MaybeUninit<u8>>(), argument.bytes()) }
        };
        let taken = launch.arguments.iter().filter(|argument| argument.bytes() > 0);
        let arguments = taken.map(|argument| bytes(argument).into()).collect();
        Self { effects: launch.effects, positions, function, grid, arguments }
    }

    /// Starts it on a stream.
    ///
    /// # Safety
    ///
    /// As for [`Stream::launch`]: the arguments are those that the function takes.
    pub(crate) unsafe fn start(&self, stream: &Stream) -> Result<(), GpuError> {
        let (first, end, list) = (self.positions.first as u32, self.positions.end as u32, 0_u64);
        let own = [(&raw const first).cast(), (&raw const end).cast(), (&raw const list).cast()];
        let arguments = self.arguments.iter().map(|argument| argument.as_ptr().cast());
        let all: Vec<*const ()> = own.into_iter().chain(arguments).collect();
        // SAFETY: by the caller.
        unsafe { stream.launch(&self.function, self.grid, &all) }
    }
}
