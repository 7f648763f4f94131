//! The objects of a launch, and launches to be started later.

use std::mem::MaybeUninit;
use std::sync::Arc;

use ikra_core::effects::Effects;
use ikra_runtime::error::GpuError;
use ikra_runtime::executor::{Extent, Section};
use ikra_runtime::list::ListOrder;

use crate::arguments::{self, Arguments};
use crate::driver::{Grid, Stream};
use crate::tables::Loaded;

/// The objects that a kernel runs for: the objects `first..end`, or the objects at these positions of the list.
#[derive(Debug)]
pub(crate) struct Positions {
    pub(crate) first: usize,
    pub(crate) end: usize,
    pub(crate) list: Option<Arc<ListOrder>>,
}

impl Positions {
    pub(crate) fn of(over: &Extent) -> Self {
        match over {
            Extent::Range(range) => Self { first: range.start, end: range.end, list: None },
            Extent::List { list, class } => {
                if let Some(all) = list.range_of(*class) {
                    return Self { first: all.start, end: all.end, list: None };
                }
                let places = list.places_of(*class);
                Self { first: places.start, end: places.end, list: Some(Arc::clone(list)) }
            }
            other => unreachable!("objects are in a range or a list: {other:?}"),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.end - self.first
    }
}

/// A launch for objects, to be started later.
#[derive(Debug)]
pub(crate) struct Step {
    /// Its effects on each class, and the objects that it affects.
    pub(crate) sections: Vec<(&'static Effects, Positions)>,
    pub(crate) entry: Arc<Loaded>,
    grid: Grid,
    /// The arguments before the table entries, including the padding bytes of each argument.
    arguments: Vec<Box<[MaybeUninit<u8>]>>,
}

impl Step {
    pub(crate) fn of(sections: &[Section], entry: Arc<Loaded>, grid: Grid, arguments: &Arguments<'_>) -> Self {
        let sections = sections.iter().map(|section| (section.effects, Positions::of(&section.over))).collect();
        Self { sections, entry, grid, arguments: arguments.copied() }
    }

    /// Starts it on a stream, with these table entries.
    ///
    /// # Safety
    ///
    /// As for [`Stream::launch`]: the entry point takes these arguments and table entries.
    pub(crate) unsafe fn start(&self, stream: &Stream, words: &[u64]) -> Result<(), GpuError> {
        let own = self.arguments.iter().map(|argument| argument.as_ptr().cast());
        let all: Vec<*const ()> = own.chain(arguments::start(words)).collect();
        // SAFETY: by the caller.
        unsafe { stream.launch(&self.entry.function, self.grid, &all) }
    }
}
