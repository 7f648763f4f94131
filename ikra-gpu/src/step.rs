//! The objects of a launch, and launches to be started later.

use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::Arc;

use ikra_core::effects::{Effects, FieldSet};
use ikra_runtime::error::{Error, GpuError};
use ikra_runtime::executor::{Extent, ObjectField, OfIteration, Section};
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
    /// Whether they are those of an iteration over a worklist: `first..end` are all objects then.
    pub(crate) are_of_iteration: bool,
}

impl Positions {
    pub(crate) fn of(over: &Extent) -> Self {
        let within = |range: Range<usize>| {
            let Range { start: first, end } = range;
            Self { first, end, list: None, is_shared: false, are_of_iteration: false }
        };
        match over {
            Extent::Range(range) => within(range.clone()),
            Extent::Shared(shared) => Self { is_shared: true, ..within(shared.own()) },
            Extent::List { list, class } if OfIteration::table(over).is_some() => {
                Self { are_of_iteration: true, ..within(list.places_of(*class)) }
            }
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
        let are_all =
            self.list.is_none() && !self.are_of_iteration && self.first == 0 && self.end == objects.count() as usize;
        are_all && objects.has_own_columns()
    }

    /// Whether they are all objects of a class with removed ones, whose columns can be exchanged.
    pub(crate) fn are_all_left(&self, objects: &dyn AnyObjects) -> bool {
        let known = self.list.as_ref().zip(objects.known_live());
        let are_left = known.is_some_and(|(list, live)| Arc::ptr_eq(list, live)) && !self.are_of_iteration;
        are_left && self.len() == objects.slots() - objects.holes() && objects.has_own_columns()
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
    /// If it is a part of a loop over a worklist: how it uses that.
    pub(crate) work: Option<InWork>,
    /// Whether an argument leads to further memory.
    has_pointers: bool,
}

/// A number for a column of a member; `None` if there are too many.
pub(crate) fn column_number(member: usize, column: usize) -> Option<u32> {
    const COLUMNS: usize = 1 << 16;
    (column < COLUMNS).then(|| u32::try_from(member * COLUMNS + column).ok()).flatten()
}

/// How a launch uses a worklist.
#[derive(Debug)]
pub(crate) struct InWork {
    /// Whether it runs for the objects of the iteration: then its second and third arguments are their number, and the
    /// address of their list.
    pub(crate) is_over: bool,
    /// Which of its arguments are worklists.
    arguments: Vec<usize>,
    /// The numbers of the tables whose objects these worklists have.
    pub(crate) tables: Vec<u64>,
}

/// The worklist of an iteration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorkPlace {
    /// The number of objects in the list.
    pub(crate) len: u32,
    /// The address of the first one.
    pub(crate) list: u64,
    /// The argument of a kernel: the addresses of marks and of the next list, the number of objects of the class, and zeros
    /// for a thread's own use.
    pub(crate) found: [u64; 7],
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

impl InWork {
    /// How a launch uses a worklist, if it does.
    fn of(sections: &[Section], arguments: &Arguments<'_>) -> Option<Self> {
        let mut tables: Vec<u64> = sections.iter().filter_map(|section| OfIteration::table(&section.over)).collect();
        let is_over = !tables.is_empty();
        let mut places = Vec::new();
        for (place, argument) in arguments.taken().enumerate() {
            if let Some(list) = argument.as_groups().filter(|groups| groups.is_worklist()) {
                places.push(place);
                tables.push(list.made().table);
            }
        }
        (!tables.is_empty()).then_some(Self { is_over, arguments: places, tables })
    }
}

impl Step {
    pub(crate) fn of(sections: &[Section], entry: Arc<Loaded>, grid: Grid, arguments: &Arguments<'_>) -> Self {
        let work = InWork::of(sections, arguments);
        let sections = sections.iter().map(|section| (section.effects, Positions::of(&section.over))).collect();
        let has_pointers = arguments.taken().any(|argument| argument.as_groups().is_some());
        Self { sections, entry, grid, arguments: arguments.copied(), stored: None, work, has_pointers }
    }

    /// The columns that it reads or writes, as [`column_number`] numbers them, if it may write no other memory. Compiled code
    /// shows them: it takes their addresses. Columns that are exchanged for others are no memory of their own.
    pub(crate) fn reach(&self) -> Option<Vec<u32>> {
        let is_plain = |(effects, positions): &(&'static Effects, Positions)| {
            effects.shadowed().is_empty()
                && effects.copied().is_empty()
                && !effects.changes_objects()
                && positions.list.is_none()
                && !positions.are_of_iteration
        };
        let has_more = self.has_pointers || self.entry.reads_tables || self.stored.is_some() || self.work.is_some();
        if has_more || !self.sections.iter().all(is_plain) {
            return None;
        }
        let mut all = Vec::new();
        for (member, places) in &self.entry.words {
            let Some(member) = *member else { continue };
            // The first entry of a table is the number of objects, which nothing in a recording changes.
            for column in places.iter().filter_map(|place| place.checked_sub(1)) {
                all.push(column_number(member, column)?);
            }
        }
        Some(all)
    }

    /// Whether it runs for the objects of an iteration over a worklist.
    pub(crate) fn is_over_work(&self) -> bool {
        self.work.as_ref().is_some_and(|work| work.is_over)
    }

    /// The same launch of a reduction, whose result goes there.
    pub(crate) fn storing(self, stored: Stored) -> Self {
        Self { stored: Some(stored), ..self }
    }

    /// The addresses of its arguments, followed by that of these table entries. `result` is the address for
    /// [`stored`](Self::stored), and `place` has what [`work`](Self::work) needs.
    pub(crate) fn places(&self, words: &[u64], result: &u64, place: Option<&WorkPlace>) -> Vec<*const ()> {
        let own = self.arguments.iter().map(|argument| argument.as_ptr().cast());
        let mut all: Vec<*const ()> = own.chain(arguments::start(words)).collect();
        if let Some(stored) = &self.stored {
            all[stored.argument] = std::ptr::from_ref(result).cast();
        }
        if let Some(work) = &self.work {
            let Some(place) = place else { unreachable!("only a loop over a worklist replays it") };
            if work.is_over {
                all[1] = (&raw const place.len).cast();
                all[2] = (&raw const place.list).cast();
            }
            for &argument in &work.arguments {
                if self.arguments[argument].len() != size_of_val(&place.found) {
                    unreachable!("a worklist has as many bytes as it was recorded with");
                }
                all[argument] = place.found.as_ptr().cast();
            }
        }
        all
    }

    /// Starts it on a stream, with these table entries. `result` is the address for [`stored`](Self::stored), and `place` has
    /// what [`work`](Self::work) needs.
    ///
    /// # Safety
    ///
    /// As for [`Stream::launch`]: the entry point takes these arguments and table entries. The worklist is that of a loop which
    /// this launch is a part of.
    pub(crate) unsafe fn start(
        &self,
        stream: &Stream,
        words: &[u64],
        result: u64,
        place: Option<&WorkPlace>,
    ) -> Result<(), GpuError> {
        let over = place.filter(|_| self.is_over_work());
        let blocks = over.map_or(self.grid.blocks, |place| place.len.div_ceil(self.grid.threads));
        let grid = Grid { blocks, ..self.grid };
        // SAFETY: the entry point takes these, by the caller; the list has so many objects.
        unsafe { stream.launch(&self.entry.function, grid, &self.places(words, &result, place)) }
    }

    /// The kernels, as texts.
    pub(crate) fn kernels(&self) -> impl Iterator<Item = &'static str> {
        self.sections.iter().map(|(effects, _)| effects.kernel())
    }
}
