//! The objects of a launch, and launches to be started later.

use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::Arc;

use ikra_core::effects::{Effects, FieldSet};
use ikra_runtime::error::{Error, GpuError};
use ikra_runtime::executor::{Extent, ObjectField, Section};
use ikra_runtime::list::ListOrder;
use ikra_runtime::mirror::Span;
use ikra_runtime::objects::AnyObjects;

use crate::arguments::{self, Arguments};
use crate::driver::{Grid, Memory, Stream};
use crate::tables::Loaded;

/// The objects that a kernel runs for: the objects `first..end`, or the objects at these positions of the list.
#[derive(Debug)]
pub(crate) struct Positions {
    pub(crate) first: usize,
    pub(crate) end: usize,
    pub(crate) list: Option<Arc<ListOrder>>,
    /// Whether other processes have newer values of all other objects after the kernel.
    pub(crate) is_shared: bool,
}

impl Positions {
    pub(crate) fn of(over: &Extent) -> Self {
        let within = |range: Range<usize>| Self { first: range.start, end: range.end, list: None, is_shared: false };
        match over {
            Extent::Range(range) => within(range.clone()),
            Extent::Shared(shared) => Self { is_shared: true, ..within(shared.own()) },
            Extent::List { list, class } => {
                if let Some(all) = list.range_of(*class) {
                    return within(all);
                }
                Self { list: Some(Arc::clone(list)), ..within(list.places_of(*class)) }
            }
            other => unreachable!("objects are in a range or a list: {other:?}"),
        }
    }

    /// The spans that hold some fields of the objects.
    pub(crate) fn spans(&self, objects: &dyn AnyObjects, fields: FieldSet) -> Result<Vec<Span>, Error> {
        let Some(list) = &self.list else { return Ok(objects.spans(fields, self.first, self.end)) };
        let runs = list.objects()?[self.first..self.end].chunk_by(|a, b| b.wrapping_sub(*a) == 1);
        let of_run = |run: &[u32]| objects.spans(fields, run[0] as usize, run[0] as usize + run.len());
        Ok(runs.flat_map(of_run).collect())
    }

    /// Whether they are all objects of a class whose columns can be exchanged.
    pub(crate) fn are_all(&self, objects: &dyn AnyObjects) -> bool {
        let are_all = self.list.is_none() && self.first == 0 && self.end == objects.count() as usize;
        are_all && objects.has_own_columns()
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
    pub(crate) grid: Grid,
    /// The arguments before the table entries, including the padding bytes of each argument.
    arguments: Vec<Box<[MaybeUninit<u8>]>>,
    /// For a reduction: where its result goes.
    pub(crate) stored: Option<Stored>,
}

/// The result of a recorded reduction.
#[derive(Debug)]
pub(crate) struct Stored {
    /// The field that it is stored in. Its address may differ from replay to replay.
    pub(crate) to: ObjectField,
    /// Bytes of the result.
    pub(crate) size: usize,
    /// Which of the arguments is the address.
    pub(crate) argument: usize,
    /// The results of chunks, kept for the replays.
    #[allow(dead_code, reason = "held: an argument is its address")]
    pub(crate) parts: Memory,
}

impl Step {
    pub(crate) fn of(sections: &[Section], entry: Arc<Loaded>, grid: Grid, arguments: &Arguments<'_>) -> Self {
        let sections = sections.iter().map(|section| (section.effects, Positions::of(&section.over))).collect();
        Self { sections, entry, grid, arguments: arguments.copied(), stored: None }
    }

    /// The same launch of a reduction, whose result goes there.
    pub(crate) fn storing(self, stored: Stored) -> Self {
        Self { stored: Some(stored), ..self }
    }

    /// The addresses of its arguments, followed by that of these table entries. `result` is the address for
    /// [`stored`](Self::stored).
    pub(crate) fn places(&self, words: &[u64], result: &u64) -> Vec<*const ()> {
        let own = self.arguments.iter().map(|argument| argument.as_ptr().cast());
        let mut all: Vec<*const ()> = own.chain(arguments::start(words)).collect();
        if let Some(stored) = &self.stored {
            all[stored.argument] = std::ptr::from_ref(result).cast();
        }
        all
    }

    /// Starts it on a stream, with these table entries. `result` is the address for [`stored`](Self::stored).
    ///
    /// # Safety
    ///
    /// As for [`Stream::launch`]: the entry point takes these arguments and table entries.
    pub(crate) unsafe fn start(&self, stream: &Stream, words: &[u64], result: u64) -> Result<(), GpuError> {
        // SAFETY: by the caller.
        unsafe { stream.launch(&self.entry.function, self.grid, &self.places(words, &result)) }
    }

    /// The kernels, as texts.
    pub(crate) fn kernels(&self) -> impl Iterator<Item = &'static str> {
        self.sections.iter().map(|(effects, _)| effects.kernel())
    }
}
