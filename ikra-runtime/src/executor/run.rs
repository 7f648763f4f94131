//! The interface of each kind of place, and a run of a kernel as a value.

use std::any::Any;
use std::fmt::Debug;
use std::ptr::NonNull;
use std::slice;
use std::sync::Arc;

use super::{NewOrder, OfIteration, Recorded, Recorder, Recording, Reordered, WorkLoop, Worked};
use crate::class::ClassId;
use crate::error::Error;
use crate::exec::{Extent, Part, SharedExtent, Sharing};
use crate::groups::{GroupKeys, Grouped};
use crate::kernel::{Argument, Entry};
use crate::list::{ListOrder, Unordered};
use crate::place::Place;
use ikra_core::effects::Effects;
use ikra_core::transfer::WireType;

/// Runs kernels at one place, for one world: on threads of the host, or on a GPU.
///
/// A new kind of place implements this trait, has a variant of [`Place`], and is created by `ikra::rt::open`. A new
/// executor is a [`Form`], and a method of [`On`](super::On) that makes the [`Run`].
///
/// # Safety
///
/// If [`run`](Self::run) returns `Ok`, then
///
/// 1. it has called [`Run::on_host`] for [`Run::part`]; or the run's effects are those of the kernel for these objects,
///    at the latest when a caller waits for the place; or the run was recorded.
/// 2. For a [`Form::Reduce`], it has called [`Run::on_host`] for [`Run::part`], or the results of all sections with
///    objects are stored at [`Reduction::results`]. For a [`Form::Collect`], likewise the results of all objects at
///    [`Collection::results`].
///    For a [`Form::Store`], likewise the result is in the field that it names.
/// 3. For a [`Form::Construct`], the class then has the additional objects, all of them initialised.
///
/// If another function returns `Some`, the kernel has run as for 1., and
///
/// 4. a list has the objects for which the kernel returned `true`;
/// 5. the class has the objects that it keeps, in their new order; sorted ones with equal keys are in the order of their
///    former ids. All links are remapped, and those to other objects are empty;
/// 6. groups have the launch's objects by their keys, in the order of their ids: [`Groups`](ikra_core::groups::Groups)
///    hold;
/// 7. the recording was replayed so many times; over a worklist, for the objects of each iteration. Those that are left
///    exist, and are in ascending order, each once.
pub unsafe trait Executor<W>: Any + Debug + Send {
    /// The place where it runs kernels.
    fn place(&self) -> Place;

    /// The stream on which it has copies of columns, if it has any.
    fn stream(&self) -> Option<u64> {
        None
    }

    /// Describes the worker: a GPU's name, or a number of threads.
    ///
    /// # Errors
    ///
    /// Errors of the place, if it no longer works.
    fn worker(&self) -> Result<String, Error>;

    /// Runs a kernel, or starts it.
    ///
    /// # Errors
    ///
    /// Errors of the place. The kernel is then not called for any object.
    fn run(&mut self, world: &mut W, run: &mut Run<'_, W>) -> Result<(), Error>;

    /// Sorts links, if the place can. It returns `None` for links with an error, and the host then reports the error.
    ///
    /// # Errors
    ///
    /// Errors of the place.
    fn order(&mut self, world: &mut W, links: &Unordered<'_>) -> Result<Option<ListOrder>, Error> {
        let _ = (world, links);
        Ok(None)
    }

    /// The objects of a launch for which the kernel returns `true`, if the place can choose them; otherwise nothing has
    /// run.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run).
    fn select(&mut self, world: &mut W, launch: &Launch<'_>) -> Result<Option<ListOrder>, Error> {
        let _ = (world, launch);
        Ok(None)
    }

    /// Keeps some objects of a class, in another order, if the place can; otherwise nothing has run.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run).
    fn reorder(&mut self, world: &mut W, order: NewOrder<'_>) -> Result<Option<Reordered>, Error> {
        let _ = (world, order);
        Ok(None)
    }

    /// Groups the objects of a launch by the keys that the kernel returns, if the place can; otherwise nothing has run.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run).
    fn group(&mut self, world: &mut W, launch: &Launch<'_>, keys: GroupKeys) -> Result<Option<Grouped>, Error> {
        let _ = (world, launch, keys);
        Ok(None)
    }

    /// Says that the objects of a class seldom change, so that the place may compile kernels for their values.
    ///
    /// # Errors
    ///
    /// Errors of the place.
    fn specialize_for(&mut self, world: &mut W, class: ClassId) -> Result<(), Error> {
        let _ = (world, class);
        Ok(())
    }

    /// Waits until all runs started so far have finished.
    ///
    /// # Errors
    ///
    /// Errors of these runs.
    fn synchronize(&mut self, world: &mut W) -> Result<(), Error>;

    /// Prepares a recording. The recorder does not borrow the executor, so that the executor can take runs meanwhile.
    ///
    /// # Errors
    ///
    /// [`Error::NotRecordable`] while another recording is in progress.
    fn recorder(&mut self, world: &mut W) -> Result<Arc<dyn Recorder>, Error>;

    /// Completes the data of one of its recorders, so that it can be replayed.
    ///
    /// # Errors
    ///
    /// [`Error::NotRecordable`] if the world was replaced meanwhile.
    fn recorded(&mut self, world: &mut W, recorded: Recorded) -> Result<Recorded, Error>;

    /// Replays a recording.
    ///
    /// # Errors
    ///
    /// [`Error::StaleRecording`] if the world has changed.
    ///
    /// # Safety
    ///
    /// The world's tables are linked, and all links in its columns are checked.
    unsafe fn replay(&mut self, world: &mut W, recording: &Recording) -> Result<(), Error>;

    /// Replays a recording as long as a field is `true`, at most so many times, and returns how many times it did. The
    /// field is read before each of them. Without a field, replays it exactly so many times. `None` if the place cannot do
    /// that by itself; then nothing has run.
    ///
    /// # Errors
    ///
    /// As for [`replay`](Self::replay).
    ///
    /// # Safety
    ///
    /// As for [`replay`](Self::replay). The field is a `bool`, and its object exists.
    unsafe fn repeat(
        &mut self,
        world: &mut W,
        recording: &Recording,
        going: Option<ObjectField>,
        most: u64,
    ) -> Result<Option<u64>, Error> {
        let _ = (world, recording, going, most);
        Ok(None)
    }

    /// Whether it runs loops over worklists by itself, by [`repeat_over`](Self::repeat_over).
    fn has_worklists(&self) -> bool {
        false
    }

    /// Replays a recording for the objects of a worklist, until none is left, or as often as the loop wants.
    ///
    /// # Errors
    ///
    /// As for [`replay`](Self::replay).
    ///
    /// # Safety
    ///
    /// As for [`replay`](Self::replay). The objects of the start exist.
    unsafe fn repeat_over(
        &mut self,
        world: &mut W,
        recording: &Recording,
        work: &WorkLoop<'_>,
    ) -> Result<Worked, Error> {
        let _ = (world, recording, work);
        Err(Error::NotRecordable { what: String::from("a loop over a worklist") })
    }
}

/// A run of a kernel, both as data and as a function of the host.
#[derive(Debug)]
#[non_exhaustive]
pub struct Run<'a, W> {
    /// The run as data.
    pub launch: Launch<'a>,
    /// The objects of the run, for each class.
    pub part: Part<'a>,
    pub(super) on_host: OnHost<'a, W>,
}

/// The run as a function on the host.
pub(super) enum OnHost<'a, W> {
    /// A function that can be called again.
    Step(&'a dyn Step<W>),
    /// A function that returns a result to its caller.
    Once(&'a mut dyn FnMut(&mut W, Part<'_>) -> Result<(), Error>),
}

impl<W> Debug for OnHost<'_, W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Step(_) => "Step",
            Self::Once(_) => "Once",
        })
    }
}

impl<W> Run<'_, W> {
    /// Runs the kernel on the host for a part of the objects; [`part`](Self::part) covers all objects of the run.
    ///
    /// # Errors
    ///
    /// Errors of the executor; [`Error::OutOfRange`] and [`Error::NotInWorld`] if the part has objects that do not
    /// exist. The kernel is then not called for any object.
    pub fn on_host(&mut self, world: &mut W, part: Part<'_>) -> Result<(), Error> {
        match &mut self.on_host {
            OnHost::Step(step) => step.run(world, part),
            OnHost::Once(run) => run(world, part),
        }
    }
}

impl<W> Run<'_, W> {
    /// Calls `work` with the same run for the objects of this process, if several processes share it. The host cannot run
    /// it.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`] if the run is not for all objects, or this process has others; errors of `work`.
    pub fn shared<T>(
        &self,
        sharing: &Arc<dyn Sharing>,
        work: impl FnOnce(&mut Run<'_, W>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut sections = Vec::with_capacity(self.launch.sections.len());
        for (class, section) in self.launch.sections.iter().enumerate() {
            let over = match &section.over {
                Extent::Range(all) if all.start == 0 => SharedExtent::new(sharing, class, all.end),
                _ => None,
            };
            let Some(over) = over else {
                let (class, range) = (section.effects.class().name(), format!("{:?}", sharing.own(class)));
                return Err(Error::OutOfRange { class, range, len: section.over.len() });
            };
            // SAFETY: they are among the objects of the run.
            sections.push(unsafe { section.narrowed(Extent::Shared(over)) });
        }
        let kernel = self.launch.kernel;
        let mut refused = |_: &mut W, _: Part<'_>| {
            Err(Error::Cluster { reason: format!("the place of a rank does not run {kernel} for some objects") })
        };
        let launch = Launch { sections: &sections, ..self.launch };
        work(&mut Run { launch, part: Part::Shared(sharing), on_host: OnHost::Once(&mut refused) })
    }
}

/// A run of a kernel on the host that can be stored.
pub(super) trait Step<W>: Send + Sync {
    fn run(&self, world: &mut W, part: Part<'_>) -> Result<(), Error>;
    /// A copy of the run, for storing.
    fn keep(&self) -> Box<dyn Step<W>>;
}

impl<W, F> Step<W> for F
where
    F: Fn(&mut W, Part<'_>) -> Result<(), Error> + Copy + Send + Sync + 'static,
{
    fn run(&self, world: &mut W, part: Part<'_>) -> Result<(), Error> {
        self(world, part)
    }
    fn keep(&self) -> Box<dyn Step<W>> {
        Box::new(*self)
    }
}

/// A run of a kernel as data: the kernel, its objects, and its arguments. A trait's kernel has a section per class.
///
/// All fields describe one kernel, because only [`On`](super::On) makes these values: executors rely on it (I30).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Launch<'a> {
    /// The kernel's name.
    pub kernel: &'static str,
    /// The kernels of the classes, one or more. They may run in any order, or at the same time.
    pub sections: &'a [Section],
    /// The entry point in device code that runs all sections, if there are several. All take the same arguments.
    pub together: Option<&'static Entry>,
    /// The arguments of the entry points.
    pub arguments: &'a [Argument<'a>],
    /// The form of the run.
    pub form: Form,
    /// Pure kernels that choose among the objects, each a run of one section that names no objects: this kernel is called
    /// for an object if all of them return `true`. Only a [`Form::Reduce`] has some. Other objects then count as the
    /// reducer's identity.
    pub filters: &'a [Launch<'a>],
}

/// A class's kernel, for some of its objects.
#[derive(Debug)]
#[non_exhaustive]
pub struct Section {
    /// The kernel's effects.
    pub effects: &'static Effects,
    /// The objects. They exist, except objects that are to be constructed.
    pub over: Extent,
    /// Its entry point in device code.
    pub entry: &'static Entry,
    /// For a reduction: the number of the reducer among the kernel's.
    pub reducer: usize,
}

impl Section {
    /// The same kernel for other objects.
    ///
    /// # Safety
    ///
    /// They exist, and are objects of the kernel's class.
    #[must_use]
    pub unsafe fn narrowed(&self, over: Extent) -> Self {
        Self { over, ..*self }
    }
}

/// The form of a run.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Form {
    /// Once for each object.
    Each,
    /// For each pair of an object and another one.
    Pairs {
        /// The most bytes that it reads of the other object, if they can be copied beforehand; otherwise 0.
        other_bytes: usize,
        /// The numbers that it adds to, if it does nothing else: its calls for one object can then be divided.
        sums: Option<ikra_core::sums::Sums>,
    },
    /// Once for each object; the results are combined.
    Reduce(Reduction),
    /// Once for each object; the results are combined, and stored in a field of an object.
    Store(Store),
    /// Once for each object; the results are kept.
    Collect(Collection),
    /// Once for each object; the place uses the results, of this type.
    Choose(WireType),
    /// Once for each object for which other kernels return `true`; [`Run::on_host`] runs all of them together.
    Chain,
    /// Makes objects after the last one.
    Construct,
}

/// How the results of a kernel are combined into one per section.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Reduction {
    /// The type of a result.
    pub wire: WireType,
    /// The number of accumulators for the results of chunks.
    pub accumulators: usize,
    /// Memory for one result per section, one after another.
    pub results: NonNull<u8>,
}

/// How the results of a kernel are combined into one, and where that goes. It has the type of the field, and no links.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Store {
    /// The type of a result.
    pub wire: WireType,
    /// The number of accumulators for the results of chunks.
    pub accumulators: usize,
    /// The field.
    pub to: ObjectField,
}

/// A field of an object that exists.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ObjectField {
    /// The object's class.
    pub class: ClassId,
    /// The field's number in the class.
    pub field: usize,
    /// The object's index.
    pub index: usize,
}

/// Where the results of single objects go.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Collection {
    /// The type of a result.
    pub wire: WireType,
    /// Memory for the results of all sections, one after another, each in the order of its objects.
    pub results: NonNull<u8>,
}

impl<'a> Launch<'a> {
    /// A run of one class's kernel.
    pub(super) fn of(section: &'a Section, form: Form, arguments: &'a [Argument<'a>]) -> Self {
        let kernel = section.effects.kernel();
        Self { kernel, sections: slice::from_ref(section), together: None, arguments, form, filters: &[] }
    }

    /// A run of one section by itself.
    #[must_use]
    pub fn alone<'b>(&self, section: &'b Section) -> Launch<'b>
    where
        'a: 'b,
    {
        Launch::of(section, self.form, self.arguments)
    }

    /// Whether the kernel may make or remove objects.
    #[must_use]
    pub fn changes_objects(&self) -> bool {
        self.sections.iter().any(|section| section.effects.changes_objects())
    }

    /// The same run with other arguments: those of a device.
    ///
    /// # Safety
    ///
    /// They are this run's arguments, in the form that the device takes.
    #[must_use]
    pub unsafe fn with_arguments<'b>(&'b self, arguments: &'b [Argument<'b>]) -> Launch<'b> {
        Launch { arguments, ..*self }
    }

    /// The part of this run that cannot be recorded, if any.
    #[must_use]
    pub fn not_recordable(&self) -> Option<&'static str> {
        let is_of_iteration = |section: &Section| OfIteration::table(&section.over).is_some();
        let is_listed = |section: &Section| matches!(section.over, Extent::List { .. }) && !is_of_iteration(section);
        match &self.form {
            Form::Reduce(_) => Some("a reduction, which waits for its result,"),
            Form::Collect(_) | Form::Choose(_) => Some("collecting results"),
            Form::Chain => Some("the result of a chain"),
            Form::Construct => Some("making objects"),
            _ if self.changes_objects() => Some("a kernel that makes or removes objects"),
            Form::Pairs { .. } | Form::Store(_) if self.sections.iter().any(is_of_iteration) => {
                Some("a kernel for the objects of a worklist, other than by `execute`,")
            }
            _ if self.arguments.iter().filter_map(|one| one.as_groups()).any(|groups| !groups.is_worklist()) => {
                Some("a kernel that takes groups or a column")
            }
            _ if self.sections.iter().any(is_listed) => {
                Some("a kernel for a list of links, or for a class with removed objects (`world.compact` before it),")
            }
            _ => None,
        }
    }
}

/// The executors of a world: at most one per place, the last used one at the end.
#[derive(Debug)]
pub struct Executors<W>(Vec<Box<dyn Executor<W>>>);

impl<W: 'static> Executors<W> {
    pub(crate) const NONE: Self = Self(Vec::new());

    /// Removes and returns the executor of a place.
    pub fn take(&mut self, place: Place) -> Option<Box<dyn Executor<W>>> {
        let at = self.0.iter().position(|executor| executor.place() == place)?;
        Some(self.0.remove(at))
    }

    /// Keeps the executors for which `keep` returns true.
    pub fn retain(&mut self, keep: impl FnMut(&Box<dyn Executor<W>>) -> bool) {
        self.0.retain(keep);
    }

    /// The places of the executors.
    pub fn places(&self) -> impl DoubleEndedIterator<Item = Place> {
        self.0.iter().map(|executor| executor.place())
    }

    /// Adds an executor.
    pub fn put(&mut self, executor: Box<dyn Executor<W>>) {
        self.0.push(executor);
    }
}
