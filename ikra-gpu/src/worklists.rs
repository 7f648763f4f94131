//! Loops over a worklist: each iteration runs for the objects that the one before has found.
//!
//! Three lists serve three iterations in turn: an iteration reads the first, fills the second, and the third is emptied. Each
//! begins with its number of objects and a number that differs from iteration to iteration. A mark for each object has
//! the number of the last list into which it was put, so that it is in a list once. The host starts the iterations, and
//! reads a list's length after each, until the sequence is one kernel.

use std::time::Instant;

use ikra_runtime::error::Error;
use ikra_runtime::executor::{Recording, WorkLoop, Worked};

use crate::device_world::{DeviceWorld, Scratch};
use crate::driver::Pieces;
use crate::looping::{Loop, Places, in_iteration};
use crate::loops::{LoopForm, TIMED, Times, Wish};
use crate::recordings::{own, read_tables};
use crate::step::{Step, WorkPlace};
use crate::tables::Members;

/// The lists that serve in turn.
const LISTS: u64 = 3;
/// The most iterations without a pause: lists have different numbers in these.
const MOST_TOGETHER: u64 = 1 << 31;
/// The bytes of a list before its first object.
const HEAD: u64 = 16;

/// The memory of a loop's worklist.
#[derive(Clone, Copy, Debug)]
struct Lists {
    /// A mark for each object of the class.
    marks: u64,
    /// The first list; the others follow.
    first: u64,
    /// The bytes of a list.
    bytes: u64,
    /// The number of objects of the class.
    count: u32,
}

impl Lists {
    /// The bytes of the marks, and of a list.
    fn bytes(count: u32) -> [u64; 2] {
        let of_objects = (size_of::<u32>() as u64 * u64::from(count)).next_multiple_of(HEAD);
        [of_objects, HEAD + of_objects]
    }

    /// The list of the iteration with this number.
    fn of(&self, iteration: u64) -> u64 {
        self.first + iteration % LISTS * self.bytes
    }

    /// The worklist of an iteration with so many objects.
    fn place(&self, iteration: u64, len: u32) -> WorkPlace {
        let found = [self.marks, self.of(iteration + 1), u64::from(self.count), 0, 0, 0, 0];
        WorkPlace { len, list: self.of(iteration) + HEAD, found }
    }
}

impl DeviceWorld {
    /// Replays a recording for the objects of a worklist, until none is left or it has been replayed often enough.
    pub(crate) fn repeat_over(
        &mut self,
        members: &mut Members<'_>,
        recording: &Recording,
        work: &WorkLoop<'_>,
    ) -> Result<Worked, Error> {
        let recorded = self.current(members, recording)?;
        let steps = &recorded.steps;
        let Some((_, objects)) = own(members, work.class) else { unreachable!("the world has found the objects") };
        let count = objects.count();
        // SAFETY: the table is alive as long as the objects, which are borrowed.
        let table = unsafe { objects.header().as_ref() }.number;
        if steps.iter().filter_map(|step| step.work.as_ref()).any(|work| work.tables.iter().any(|&own| own != table)) {
            return Err(Error::ForeignWorklist { class: work.class.name() });
        }
        let start = work.start.places_of(0);
        let (mut done, mut len) = (0, start.len() as u32);
        let lists = self.lists(work, count)?;
        self.begin_lists(lists, 0, len)?;
        let wish = Wish::now();
        // A sequence that puts no objects into the worklist ends by itself. Tables in constant memory may differ from
        // iteration to iteration.
        let is_in_work = steps.iter().any(|step| step.work.is_some());
        let may_stay = wish != Wish::Host && is_in_work && !read_tables(steps);
        loop {
            let places = self.places_over(members, steps, lists, done)?;
            let number = self.loops.number(steps, places.work.len(), Some(Vec::new()));
            let most = (work.most - done).min(MOST_TOGETHER);
            let this = Loop { recorded, going: None, most, before: done, number, places: &places };
            if len > 0 && may_stay {
                // It is never a graph.
                let sequence = &mut self.loops.sequences[number];
                if sequence.is_open() {
                    sequence.by_graph = Times::NEVER;
                }
                match self.try_resident(members, this, wish, work.most == 0)? {
                    Ok(count) => {
                        self.log.count_loop(true);
                        done += count;
                        len = self.read_numbers(lists.of(done), 1)?[0];
                        if done < work.most && len > 0 {
                            self.begin_lists(lists, done, len)?;
                            continue;
                        }
                        break;
                    }
                    Err(reason) => self.loops.note(number, LoopForm::Host, Some(reason)),
                }
            }
            if done == work.most || len == 0 {
                break;
            }
            let start = Instant::now();
            (done, len) = self.iterate(members, this, lists, len)?;
            self.begin_lists(lists, done, len)?;
            if may_stay {
                self.add_time(number, start.elapsed());
            }
        }
        // SAFETY: the list has so many objects.
        let mut left = unsafe { self.log.fetched(lists.of(done) + HEAD, len as usize) }?;
        left.sort_unstable();
        Ok(Worked { iterations: done, left })
    }

    /// The memory for a loop, with the objects of its first iteration.
    fn lists(&mut self, work: &WorkLoop<'_>, count: u32) -> Result<Lists, Error> {
        let [of_marks, bytes] = Lists::bytes(count);
        let from = self.upload_list(Some(work.start))?;
        let marks = self.scratch(Scratch::Work, (of_marks + LISTS * bytes) as usize)?;
        let lists = Lists { marks, first: marks + of_marks, bytes, count };
        let places = work.start.places_of(0);
        let width = places.len() * size_of::<u32>();
        let objects = Pieces {
            from: from + (places.start * size_of::<u32>()) as u64,
            to: lists.of(0) + HEAD,
            width,
            rows: 1,
            pitch: width,
        };
        let log = &self.log;
        // SAFETY: the list that was uploaded has these objects; each object is in it once, so that there is room in the first
        // list.
        unsafe { log.stream.copy(objects) }.map_err(|error| log.blame(error))?;
        Ok(lists)
    }

    /// Begins some iterations, the first one with this number and for so many objects.
    fn begin_lists(&self, lists: Lists, iteration: u64, len: u32) -> Result<(), Error> {
        let bytes = size_of::<u32>() * lists.count as usize;
        // SAFETY: there is a mark for each object, and the stream's kernels that used them come before.
        unsafe { self.log.stream.zero(lists.marks, bytes) }.map_err(|error| self.log.blame(error))?;
        for (n, head) in [[len, 0], [0, 1], [0, 2]].into_iter().enumerate() {
            self.set_head(lists.of(iteration + n as u64), head)?;
        }
        Ok(())
    }

    /// Sets the number of objects of a list, and its own number.
    fn set_head(&self, list: u64, head: [u32; 2]) -> Result<(), Error> {
        let bytes = size_of_val(&head);
        // SAFETY: a list begins with two numbers.
        unsafe { self.log.stream.upload(list, head.as_ptr().cast(), bytes) }.map_err(|error| self.log.blame(error))?;
        Ok(())
    }

    /// Where the launches find their data in the iterations from this one on.
    fn places_over(
        &mut self,
        members: &mut Members<'_>,
        steps: &[Step],
        lists: Lists,
        done: u64,
    ) -> Result<Places, Error> {
        let mut places = self.loop_places(members, steps)?;
        let iterations = LISTS as usize * places.alternating();
        let launches = std::mem::take(&mut places.launches);
        places.launches = launches.iter().cycle().take(iterations * steps.len()).cloned().collect();
        let work = |n: u64| (lists.place(done + n, 0), [lists.of(done + n), lists.of(done + n + 2)]);
        places.work = (0..iterations as u64).map(work).collect();
        Ok(places)
    }

    /// Starts some iterations one by one, the first one for so many objects. Returns how many have run, also before, and the
    /// number of objects for the next one.
    fn iterate(
        &mut self,
        members: &mut Members<'_>,
        Loop { recorded, most, before, .. }: Loop<'_>,
        lists: Lists,
        mut len: u32,
    ) -> Result<(u64, u32), Error> {
        let steps = &recorded.steps;
        let log = self.log.clone();
        let mut done = before;
        log.replayed(0, &recorded.effects);
        // Before an error is found: the values are then lost, and not those of the host.
        self.note_replayed(members, recorded);
        while len > 0 && done - before < most.min(TIMED) {
            let place = lists.place(done, len);
            // The launches are for the columns, numbers of objects and array lengths that `current` has compared (I27). The
            // lists are this loop's: the iteration's own has so many objects, each once, and the next one has room for all.
            let mut all = steps.iter();
            let started = all.try_for_each(|step| self.start_step(members, step, Some(&place), &mut Vec::new()));
            started.map_err(|error| log.blame_any(error))?;
            let inbox = log.inbox();
            // SAFETY: a list begins with its number of objects, and the inbox has room for it.
            unsafe { log.copy_to_inbox(inbox.start(), lists.of(done + 1), size_of::<u32>()) }?;
            self.set_head(lists.of(done + 2), [0, (done - before + 2) as u32])?;
            let ended = log.stream.synchronize();
            ended.map_err(|error| log.blame(in_iteration(error, done, &[])))?;
            // SAFETY: it has arrived in the inbox, which is aligned for it, and locked.
            len = unsafe { inbox.start().cast::<u32>().read_volatile() };
            log.count_down(size_of::<u32>());
            log.replayed(steps.len(), &[]);
            done += 1;
        }
        Ok((done, len))
    }
}
