//! What each kind of place implements, and a run of a kernel as a value.

use std::any::Any;
use std::fmt::Debug;
use std::ptr::NonNull;
use std::slice;
use std::sync::Arc;

use super::{Recorded, Recorder, Recording};
use crate::error::Error;
use crate::exec::{Extent, Part};
use crate::kernel::{Argument, Entry};
use crate::list::{ListOrder, Unordered};
use crate::place::Place;
use ikra_core::effects::Effects;

/// What runs kernels at one place, for one world: threads of the host, or a GPU.
///
/// A new kind of place implements this, is written as a [`Place`], and is made by `ikra::rt::open`. A new executor is a
/// [`Form`], and a function of [`On`](super::On) that makes the [`Run`].
///
/// # Safety
///
/// If [`run`](Self::run) returns `Ok`,
///
/// 1. it has called [`Run::on_host`] for [`Run::part`]; or the run's effects are those of the kernel, for these objects, at the
///    latest when the place is waited for; or it was recorded.
/// 2. of a [`Form::Reduce`] it has called [`Run::on_host`] for [`Run::part`], or the results of all sections with objects are
///    where the reduction asks for them.
/// 3. of a [`Form::Construct`] there are then as many more objects, all initialised.
pub unsafe trait Executor<W>: Any + Debug + Send {
    /// Where it runs kernels.
    fn place(&self) -> Place;

    /// Who does the work: a GPU's name, or a number of threads.
    ///
    /// # Errors
    ///
    /// Those of the place, if it can do no more.
    fn worker(&self) -> Result<String, Error>;

    /// Runs a kernel, or starts it.
    ///
    /// # Errors
    ///
    /// Those of the place. The kernel is then called for no object.
    fn run(&mut self, world: &mut W, run: &mut Run<'_, W>) -> Result<(), Error>;

    /// Puts links in order, if the place does that. Where something is wrong with them it does not, and the host says what.
    ///
    /// # Errors
    ///
    /// Those of the place.
    fn order(&mut self, world: &mut W, links: &Unordered<'_>) -> Result<Option<ListOrder>, Error> {
        let _ = (world, links);
        Ok(None)
    }

    /// Waits for what was started.
    ///
    /// # Errors
    ///
    /// What went wrong in one of the kernels.
    fn synchronize(&mut self, world: &mut W) -> Result<(), Error>;

    /// Gets ready to record. The executor is not borrowed while the recorder is used, so that it can be given runs.
    ///
    /// # Errors
    ///
    /// [`Error::NotRecordable`] while something is recorded.
    fn recorder(&mut self, world: &mut W) -> Result<Arc<dyn Recorder>, Error>;

    /// Adds to what one of its recorders recorded what it has to know to run it again.
    ///
    /// # Errors
    ///
    /// [`Error::NotRecordable`] if the world is another one by now.
    fn recorded(&mut self, world: &mut W, recorded: Recorded) -> Result<Recorded, Error>;

    /// Runs what was recorded.
    ///
    /// # Errors
    ///
    /// [`Error::StaleRecording`] if the world is not as it was.
    ///
    /// # Safety
    ///
    /// The world's tables are linked, and all links in its columns are checked.
    unsafe fn replay(&mut self, world: &mut W, recording: &Recording) -> Result<(), Error>;
}

/// A run of a kernel: for executors that call Rust functions, and for those that do not.
#[derive(Debug)]
#[non_exhaustive]
pub struct Run<'a, W> {
    /// The run as data.
    pub launch: Launch<'a>,
    /// The objects that it is for, of each class.
    pub part: Part<'a>,
    pub(super) on_host: OnHost<'a, W>,
}

/// The run as a function of the host.
pub(super) enum OnHost<'a, W> {
    /// One that can be called again.
    Step(&'a dyn Step<W>),
    /// One that returns something to its caller.
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
    /// Runs the kernel on the host, for a part of the objects: for all that the run is for, that is [`part`](Self::part).
    ///
    /// # Errors
    ///
    /// Those of the executor; [`Error::OutOfRange`] and [`Error::NotInWorld`] if the part has objects that do not exist. The
    /// kernel is then called for no object.
    pub fn on_host(&mut self, world: &mut W, part: Part<'_>) -> Result<(), Error> {
        match &mut self.on_host {
            OnHost::Step(step) => step.run(world, part),
            OnHost::Once(run) => run(world, part),
        }
    }
}

/// A run of a kernel on the host that can be remembered.
pub(super) trait Step<W>: Send + Sync {
    fn run(&self, world: &mut W, part: Part<'_>) -> Result<(), Error>;
    /// The same, to keep.
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

/// A run of a kernel as data: which kernel, for which objects, with which arguments. Of a trait's kernel it has a section for
/// each class.
///
/// All of it is true of one kernel, since [`On`](super::On) alone makes these: executors rely on it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Launch<'a> {
    /// The kernel's name.
    pub kernel: &'static str,
    /// The kernels of the classes, one or more. They may run in any order, or at the same time.
    pub sections: &'a [Section<'a>],
    /// The entry in device code that runs all of them, where there are several: each takes the same arguments.
    pub together: Option<&'static Entry>,
    /// What the entries take.
    pub arguments: &'a [Argument<'a>],
    /// How it runs.
    pub form: Form,
}

/// A class's kernel, for some of its objects.
#[derive(Debug)]
#[non_exhaustive]
pub struct Section<'a> {
    /// What it does.
    pub effects: &'static Effects,
    /// The objects. They exist, except those that are to be constructed.
    pub over: Extent<'a>,
    /// Its entry in device code.
    pub entry: &'static Entry,
    /// Of a reduction: which of the kernel's reducers.
    pub reducer: usize,
}

/// How a kernel runs.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Form {
    /// Once for each object.
    Each,
    /// For each object and every other.
    Pairs {
        /// Bytes of what it reads of the other object at most, if that can be copied beforehand; or 0.
        other_bytes: usize,
    },
    /// Once for each object; the results are combined.
    Reduce(Reduction),
    /// Once for each object; [`Run::on_host`] keeps the results, in the order of the classes and of the objects' ids.
    Collect,
    /// Makes objects, from the first position after the last object on.
    Construct,
}

/// How the results of a kernel become one per section.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Reduction {
    /// Bytes of a result.
    pub size: usize,
    /// How results are aligned.
    pub align: usize,
    /// How many accumulators there are for the results of chunks.
    pub accumulators: usize,
    /// Room for a result of each section, one after another.
    pub results: NonNull<u8>,
}

impl<'a> Launch<'a> {
    /// A run of one class's kernel.
    pub(super) fn of(section: &'a Section<'a>, form: Form, arguments: &'a [Argument<'a>]) -> Self {
        let kernel = section.effects.kernel();
        Self { kernel, sections: slice::from_ref(section), together: None, arguments, form }
    }

    /// A run of one of its sections by itself.
    #[must_use]
    pub fn alone(&self, section: &'a Section<'a>) -> Self {
        Self::of(section, self.form, self.arguments)
    }

    /// What cannot be recorded of this run, if anything.
    #[must_use]
    pub fn not_recordable(&self) -> Option<&'static str> {
        let is_listed = |section: &Section<'_>| matches!(section.over, Extent::List { .. });
        match &self.form {
            Form::Reduce(_) => Some("a reduction, which waits for its result,"),
            Form::Collect => Some("collecting results"),
            Form::Construct => Some("making objects"),
            _ if self.sections.iter().any(is_listed) => Some("a kernel for a list of links"),
            _ => None,
        }
    }
}

/// The executors of a world: at most one per place, that which was used last at the end.
#[derive(Debug)]
pub struct Executors<W>(Vec<Box<dyn Executor<W>>>);

impl<W: 'static> Executors<W> {
    pub(crate) const NONE: Self = Self(Vec::new());

    /// Takes the one of a place out.
    pub fn take(&mut self, place: Place) -> Option<Box<dyn Executor<W>>> {
        let at = self.0.iter().position(|executor| executor.place() == place)?;
        Some(self.0.remove(at))
    }

    /// Keeps those for which this is true.
    pub fn retain(&mut self, keep: impl FnMut(&Box<dyn Executor<W>>) -> bool) {
        self.0.retain(keep);
    }

    /// Where they run kernels.
    pub fn places(&self) -> impl DoubleEndedIterator<Item = Place> {
        self.0.iter().map(|executor| executor.place())
    }

    /// Puts one in.
    pub fn put(&mut self, executor: Box<dyn Executor<W>>) {
        self.0.push(executor);
    }
}
