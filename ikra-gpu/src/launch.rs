//! Launches of kernels.

use std::slice;
use std::sync::Arc;

use ikra_core::effects::Effects;
use ikra_core::kernel::{Argument, SectionWords};
use ikra_core::transfer::WireType;
use ikra_runtime::error::Error;
use ikra_runtime::executor::{Extent, Form, Launch, OfIteration, Section};

use crate::arguments::Arguments;
use crate::block_size::{threads, threads_for};
use crate::code::{CALL, Kind, Shape, shape_of_sections};
use crate::device_world::{DeviceWorld, Scratch};
use crate::driver::Grid;
use crate::parts;
use crate::special::Called;
use crate::step::{Positions, Step};
use crate::tables::{Loaded, Members};

impl DeviceWorld {
    /// Starts a run, or completes it if it has a result.
    pub(crate) fn run(&mut self, members: &mut Members<'_>, launch: &Launch<'_>) -> Result<(), Error> {
        self.refuse_in_recording(launch)?;
        if launch.arguments.iter().any(|argument| argument.as_groups().is_some()) {
            return self.with_groups(launch, |world, launch| world.run_uploaded(members, launch));
        }
        self.run_uploaded(members, launch)
    }

    /// As [`run`](Self::run), for arguments that are on the device, if they are not passed by value.
    fn run_uploaded(&mut self, members: &mut Members<'_>, launch: &Launch<'_>) -> Result<(), Error> {
        match (launch.form, launch.sections) {
            (Form::Reduce(reduction), sections) => self.reduce_all(members, launch, sections, reduction),
            (Form::Collect(collection), _) => self.collect(members, launch, collection),
            (Form::Choose(_) | Form::Store(_), _) => unreachable!("`run` does not use the results"),
            (Form::Construct, [section]) => self.construct(members, launch, section),
            (_, [section]) => self.start(members, launch, section),
            _ => self.start_classes(members, launch),
        }
    }

    /// Refuses a run that cannot be recorded, if a recording is in progress.
    pub(crate) fn refuse_in_recording(&self, launch: &Launch<'_>) -> Result<(), Error> {
        launch.not_recordable().map_or(Ok(()), |what| self.log.refuse_in_recording(what))
    }

    /// Refuses a run over a worklist, or that takes one, if that is not for its loop, and snapshots for parts of the objects that
    /// only the device knows.
    pub(crate) fn refuse_worklist(&self, launch: &Launch<'_>) -> Result<(), Error> {
        let is_over = |section: &&Section| OfIteration::table(&section.over).is_some();
        let over = launch.sections.iter().find(is_over).map(|section| section.effects);
        let mut taken = launch.arguments.iter().filter_map(|argument| argument.as_groups());
        let taken = taken.find(|groups| groups.is_worklist());
        let Some(class) = over.map(Effects::class).or(taken.map(|list| list.class())) else { return Ok(()) };
        if !self.log.is_recording() {
            return Err(Error::ForeignWorklist { class: class.name() });
        }
        match over {
            Some(effects) if !(effects.shadowed().is_empty() && effects.copied().is_empty()) => {
                self.log.refuse_in_recording("a kernel with snapshots for the objects of a worklist")
            }
            _ => Ok(()),
        }
    }

    /// Starts a class's kernel without a result.
    pub(crate) fn start(
        &mut self,
        members: &mut Members<'_>,
        launch: &Launch<'_>,
        section: &Section,
    ) -> Result<(), Error> {
        let positions = Positions::of(&section.over);
        let sections = slice::from_ref(section);
        self.prepare(members, sections)?;
        let objects = positions.len();
        if objects == 0 {
            return Ok(());
        }
        let general = self.entry(section.entry, Kind::Call, CALL, launch.arguments)?;
        let entry = if launch.changes_objects() {
            general
        } else {
            let (kernel, entry, arguments) = (launch.kernel, section.entry, launch.arguments);
            self.special(members, Called { kernel, sections, entry, kind: Kind::Call, arguments }, general)?
        };
        let list = match launch.form {
            Form::Construct => self.scratch(Scratch::Number, size_of::<u64>())?,
            _ => self.upload_list(positions.list.as_ref())?,
        };
        let turns = match &section.over {
            Extent::Shared(shared) => shared.turns(),
            _ => [0..0, positions.first..positions.end, 0..0],
        };
        for (turn, range) in turns.into_iter().enumerate() {
            if let (1, Extent::Shared(shared)) = (turn, &section.over) {
                shared.sharing().arrive()?;
            }
            if range.is_empty() {
                continue;
            }
            let grid = match launch.form {
                // The threads of a block work together: all of them must run, each with at most one object.
                Form::Pairs { other_bytes, sums } => {
                    parts::grid(range.len(), other_bytes, sums, self.device().multiprocessors as usize)
                }
                _ => self.grid(sections, range.len(), &entry),
            };
            let (first, end) = (range.start as u32, range.end as u32);
            let own = [Argument::of(&first), Argument::of(&end), Argument::of(&list)];
            let arguments = Arguments { own: &own, arguments: launch.arguments };
            // SAFETY: as `entry` has compared, the entry point takes two `u32`, a pointer and the kernel's arguments. The
            // pointer leads to a list, or for a constructor to the flag for bad links. The objects exist, each once (I2,
            // I17). Their columns are on the device (I27), and no other kernel runs in this stream at the same time (I28).
            unsafe { self.begin(members, launch.kernel, sections, &entry, grid, &arguments) }?;
        }
        self.commit_begun(members, sections)
    }

    /// A grid with a thread for each object.
    pub(crate) fn grid(&self, sections: &[Section], objects: usize, entry: &Loaded) -> Grid {
        let multiprocessors = self.device().multiprocessors as usize;
        let threads = threads_for(threads(sections), objects, multiprocessors, entry.function.footprint);
        let blocks = blocks(objects, threads as usize);
        // A few objects do not need a whole block.
        let threads = if blocks == 1 { objects.next_multiple_of(32) as u32 } else { threads };
        Grid { blocks, threads, rows: 1, shared_bytes: 0 }
    }

    /// Starts the kernels of several classes, in one launch if there is an entry point for that.
    fn start_classes(&mut self, members: &mut Members<'_>, launch: &Launch<'_>) -> Result<(), Error> {
        let mut with_objects = launch.sections.iter().filter(|section| Positions::of(&section.over).len() > 0);
        let (first, more) = (with_objects.next(), with_objects.next().is_some());
        // One entry point takes one list: classes with holes have a list each.
        let mut lists = launch.sections.iter().filter_map(|section| Positions::of(&section.over).list);
        let one_list = lists.next().is_none_or(|first| lists.all(|list| Arc::ptr_eq(&first, &list)));
        let entry = match (launch.together, first) {
            (Some(entry), Some(_)) if more && one_list => entry,
            (_, None) => return self.prepare(members, launch.sections),
            _ => {
                let mut sections = launch.sections.iter();
                return sections.try_for_each(|section| self.start(members, &launch.alone(section), section));
            }
        };
        self.prepare(members, launch.sections)?;
        let threads = threads(launch.sections);
        let (mut blocks_end, mut list) = (0, None);
        let part = |section: &Section| {
            let positions = Positions::of(&section.over);
            blocks_end += blocks(positions.len(), threads as usize);
            let is_listed = u32::from(positions.list.is_some());
            list = list.take().or(positions.list);
            [blocks_end, positions.first as u32, positions.end as u32, is_listed]
        };
        let parts: Vec<SectionWords> = launch.sections.iter().map(part).collect();
        let grid = Grid { blocks: blocks_end, threads, rows: 1, shared_bytes: 0 };
        let shape = shape_of_sections(parts.len());
        let (kernel, sections, arguments) = (launch.kernel, launch.sections, launch.arguments);
        let called = Called { kernel, sections, entry, kind: Kind::Call, arguments };
        let general = self.entry(entry, Kind::Call, Shape { own: &shape, result: WireType::NONE }, launch.arguments)?;
        let entry = self.special(members, called, general)?;
        let list = self.upload_list(list.as_ref())?;
        let own = [Argument::words(parts.as_flattened()), Argument::of(&list)];
        let arguments = Arguments { own: &own, arguments: launch.arguments };
        // SAFETY: as `entry` has compared, the entry point takes one section per class, a pointer to a list or null,
        // and the kernels' arguments. The number of blocks is the sections' sum. The objects exist, each once (I2,
        // I17). Their columns are on the device (I27), and no other kernel runs in this stream at the same time (I28).
        unsafe { self.begin(members, launch.kernel, launch.sections, &entry, grid, &arguments) }?;
        self.commit_begun(members, launch.sections)
    }

    /// Starts an entry point with its table entries, or adds the launch to a recording.
    ///
    /// # Safety
    ///
    /// As for [`Stream::launch`](crate::driver::Stream::launch), except for these table entries. The launch changes the
    /// sections' objects only as its effects declare.
    unsafe fn begin(
        &mut self,
        members: &mut Members<'_>,
        kernel: &'static str,
        sections: &[Section],
        entry: &Arc<Loaded>,
        grid: Grid,
        arguments: &Arguments<'_>,
    ) -> Result<(), Error> {
        if self.log.is_recording() {
            self.log.note(Step::of(sections, Arc::clone(entry), grid, arguments));
            return Ok(());
        }
        let words = self.words(members, entry)?;
        // SAFETY: by the caller, and these are the table entries that the entry point takes.
        arguments.with_places(&words, |all| unsafe { self.log.launch(kernel, &entry.function, grid, all) })?;
        self.spare = words;
        Ok(())
    }

    /// Records the changes of kernels that were started, unless they are only recorded.
    fn commit_begun(&mut self, members: &mut Members<'_>, sections: &[Section]) -> Result<(), Error> {
        if self.log.is_recording() { Ok(()) } else { self.commit(members, sections) }
    }
}

/// The number of blocks of this size for one thread per object.
fn blocks(objects: usize, threads: usize) -> u32 {
    u32::try_from(objects.div_ceil(threads)).unwrap_or(u32::MAX)
}
