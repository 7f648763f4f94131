//! Checkpoints: worlds on the disk, from which a program that was stopped goes on with the same bits.

mod folder;
mod manifest;
mod part;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use ikra_runtime::world::World;

use crate::error::TableError;
use crate::export::{Export, TableClasses};
use crate::import::Import;
use folder::Name;
use part::Part;

/// Checkpoints of a world in a folder. Each is a folder of Arrow files, one per class, and a manifest.
///
/// [`write`](Self::write) copies the columns and returns; a thread writes the copy to the disk while the next steps run.
/// [`newest`](Self::newest) reads the newest checkpoint that is whole and undamaged. Objects keep their numbers, and so the
/// places of removed ones, so that a run from a checkpoint has the same bits as one that was never stopped. Columns that a GPU
/// has changed are fetched. Of the program's other values, `write` takes the number of the step, and
/// [`write_with`](Self::write_with) a text. Handles of `sim.track(link)` are not part of it.
///
/// ```
/// use ikra::{prelude::*, tables::{Checkpoints, TableError}};
///
/// #[soa_class]
/// pub struct Body { pub pos: f32 }
/// #[soa_methods]
/// impl Body {
///     #[kernel]
///     pub fn advance(&mut self, dt: f32) { self.pos += dt; }
/// }
/// #[soa_world]
/// pub struct Sim { pub bodies: Objects<Body> }
///
/// /// Runs until step `end`, from the newest checkpoint on, if there is one.
/// fn run(folder: &std::path::Path, end: u64) -> Result<Sim, TableError> {
///     let mut checkpoints = Checkpoints::open(folder)?;
///     let (mut sim, first) = match checkpoints.newest::<Sim>()? {
///         Some(checkpoint) => (checkpoint.world, checkpoint.step),
///         None => {
///             let mut sim = Sim::new();
///             sim.bodies.extend((0..1000).map(|n| Body { pos: n as f32 }))?;
///             (sim, 0)
///         }
///     };
///     for step in first + 1..=end {
///         sim.execute(Body::advance, 0.5);
///         if step % 10 == 0 {
///             checkpoints.write(&sim, step)?;
///         }
///     }
///     checkpoints.wait()?;                      // for the last one
///     Ok(sim)
/// }
///
/// # fn main() -> Result<(), TableError> {
/// # let folder = std::env::temp_dir().join(format!("ikra-checkpoints-{}", std::process::id()));
/// run(&folder, 25)?;                            // as if it was killed after step 25
/// let sim = run(&folder, 40)?;                  // begins at step 20
/// assert_eq!(sim.bodies.column(body::pos)[7], 27.0);
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok(()) }
/// ```
///
/// A class with a field that cannot be a column of a table has no checkpoints: [`TableValue`](crate::TableValue) has the
/// types that can.
#[derive(Debug)]
pub struct Checkpoints {
    folder: PathBuf,
    part: Part,
    keep: usize,
    writing: Option<Writing>,
    /// The last checkpoint that this value wrote.
    last: Option<Name>,
    /// The checkpoints that [`newest`](Self::newest) could not read.
    skipped: Vec<Name>,
    /// Whether the program has asked for the checkpoints that are there.
    has_looked: bool,
    /// Held while this value lives, unless another process holds it for this one.
    _lock: Option<File>,
}

/// A checkpoint that is being written.
#[derive(Debug)]
struct Writing {
    name: Name,
    thread: JoinHandle<Result<(), TableError>>,
}

/// A world that was read from a checkpoint.
#[derive(Debug)]
#[non_exhaustive]
pub struct Checkpoint<W> {
    /// The world.
    pub world: W,
    /// The step with which it was written.
    pub step: u64,
    /// The text with which it was written.
    pub state: String,
    /// Newer checkpoints that could not be used, and why: a line for each. They were not written to the end, or they are
    /// damaged.
    pub skipped: Vec<String>,
}

impl Checkpoints {
    /// Opens a folder for checkpoints, and makes it if it does not exist. One program at a time may have it open; this function
    /// waits three seconds for another one, which may have been killed just now.
    ///
    /// # Errors
    ///
    /// [`TableError::File`]; [`TableError::InUse`].
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, TableError> {
        Self::open_part(folder, 0, 1)
    }

    /// Opens a folder for one of several processes that have the same world. Each writes the rows of its part: process
    /// `rank` of `ranks`, counted from 0, of which the first one locks the folder. `ikra_cluster` calls this and the functions
    /// that take names; with other libraries, all processes call them with the same names.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open).
    ///
    /// # Panics
    ///
    /// If `rank` is not less than `ranks`.
    pub fn open_part(folder: impl AsRef<Path>, rank: usize, ranks: usize) -> Result<Self, TableError> {
        assert!(rank < ranks, "rank {rank} is one of {ranks}");
        let folder = folder.as_ref().to_owned();
        let lock = folder::open(&folder, rank == 0)?;
        Ok(Self {
            folder,
            part: Part { rank, ranks },
            keep: 2,
            writing: None,
            last: None,
            skipped: Vec::new(),
            has_looked: false,
            _lock: lock,
        })
    }

    /// Keeps this number of checkpoints, at least one; 2 without this call. Those that were written before them are removed
    /// when a new one is whole.
    #[must_use]
    pub fn keep(mut self, checkpoints: usize) -> Self {
        self.keep = checkpoints.max(1);
        self
    }

    /// Writes a checkpoint of the world after this step. It waits until the one before is on the disk, copies the columns,
    /// and returns.
    ///
    /// # Errors
    ///
    /// The error of the write before, after which nothing is written by this call; [`TableError::Used`], if the folder has
    /// checkpoints and the program has not asked for the [`newest`](Self::newest); [`TableError::SameName`],
    /// [`TableError::File`], [`TableError::World`]. Checkpoints that are on the disk stay there.
    pub fn write<W: World>(&mut self, world: &W, step: u64) -> Result<(), TableError>
    where
        W::Classes: TableClasses<W>,
    {
        self.write_with(world, step, "")
    }

    /// Writes a checkpoint with a text: what the program holds beside the world, such as the time so far.
    ///
    /// # Errors
    ///
    /// As for [`write`](Self::write).
    pub fn write_with<W: World>(&mut self, world: &W, step: u64, state: &str) -> Result<(), TableError>
    where
        W::Classes: TableClasses<W>,
    {
        self.wait()?;
        self.write_as(&self.name(step)?, world, state)
    }

    /// A name for a new checkpoint after this step. It comes after those of all checkpoints that are there. Each call returns
    /// another one.
    ///
    /// # Errors
    ///
    /// [`TableError::File`].
    pub fn name(&self, step: u64) -> Result<String, TableError> {
        Ok(Name::after(folder::names(&self.folder)?.into_iter().chain(self.last), step).to_string())
    }

    /// Writes this process's part of a checkpoint of this [`name`](Self::name).
    ///
    /// # Errors
    ///
    /// As for [`write`](Self::write); [`TableError::NoCheckpoint`], if the name is another one.
    pub fn write_as<W: World>(&mut self, name: &str, world: &W, state: &str) -> Result<(), TableError>
    where
        W::Classes: TableClasses<W>,
    {
        self.join()?;
        let parsed = Name::parse(name).ok_or_else(|| self.no_checkpoint(name))?;
        if !self.has_looked && folder::names(&self.folder)?.iter().any(|name| part::is_whole(&self.path(*name))) {
            return Err(TableError::Used { folder: self.folder.display().to_string() });
        }
        self.has_looked = true;
        let tables = Export::of(world).saved(self.part.rank, self.part.ranks)?;
        let (path, part, state) = (self.path(parsed), self.part, state.to_owned());
        let write = move || part.write(&path, parsed, state, tables);
        let thread = thread::Builder::new().name("ikra checkpoint".to_owned()).spawn(write);
        let thread = thread.map_err(|error| crate::whole::file_error(&self.folder, error))?;
        self.writing = Some(Writing { name: parsed, thread });
        Ok(())
    }

    /// Waits until the last checkpoint is on the disk, and removes older ones than are to be [kept](Self::keep), unless other
    /// processes write parts. Dropping this value waits too, but tells nobody of an error.
    ///
    /// # Errors
    ///
    /// The errors of writing: [`TableError::File`], [`TableError::Unwritable`]. Checkpoints from before stay.
    pub fn wait(&mut self) -> Result<(), TableError> {
        if self.join()? && self.part.ranks == 1 { self.remove_old() } else { Ok(()) }
    }

    /// Waits for this process's part of the last checkpoint. Returns whether one was being written.
    ///
    /// # Errors
    ///
    /// As for [`wait`](Self::wait).
    pub fn join(&mut self) -> Result<bool, TableError> {
        let Some(Writing { name, thread }) = self.writing.take() else { return Ok(false) };
        let panicked = || TableError::Unwritable {
            path: self.folder.display().to_string(),
            reason: "the thread that wrote it panicked".to_owned(),
        };
        thread.join().map_err(|_| panicked())??;
        self.last = Some(name);
        Ok(true)
    }

    /// Keeps the checkpoints that were written last, as many as are to be [kept](Self::keep), and removes the others and those
    /// that are not whole. The last one of this value stays. Those that [`newest`](Self::newest) could not read do not count.
    /// Nothing else may be writing one.
    ///
    /// # Errors
    ///
    /// [`TableError::NotShared`], if the last one lacks parts of other processes, which have written them; [`TableError::File`].
    pub fn remove_old(&self) -> Result<(), TableError> {
        if let Some(last) = self.last.filter(|last| !folder::soon(|| part::is_whole(&self.path(*last)))) {
            return Err(TableError::NotShared { path: self.path(last).display().to_string() });
        }
        let mut names = folder::names(&self.folder)?;
        // Processes that choose names themselves may write under an earlier one.
        names.sort_by_key(|name| Some(*name) != self.last);
        let mut left = self.keep;
        for name in names {
            let path = self.path(name);
            if left > 0 && part::is_whole(&path) {
                left -= usize::from(!self.skipped.contains(&name));
            } else {
                folder::remove(&path)?;
            }
        }
        Ok(())
    }

    /// The step of the last checkpoint that this value wrote and that is on the disk.
    #[must_use]
    pub fn last(&self) -> Option<u64> {
        self.last.map(|name| name.step)
    }

    /// The names of all checkpoints, the one that was written last first. Some may not be whole.
    ///
    /// # Errors
    ///
    /// [`TableError::File`].
    pub fn names(&self) -> Result<Vec<String>, TableError> {
        Ok(folder::names(&self.folder)?.into_iter().map(|name| name.to_string()).collect())
    }

    /// Reads the newest checkpoint that is whole and undamaged: of those, the one that was written last, whatever its step.
    /// `None` if no checkpoint was written to its end.
    ///
    /// # Errors
    ///
    /// If there are whole checkpoints and none can be read, the error of the newest one.
    pub fn newest<W: World>(&mut self) -> Result<Option<Checkpoint<W>>, TableError>
    where
        W::Classes: TableClasses<W>,
    {
        let names = self.names()?;
        let newest = self.newest_of(names.iter().map(String::as_str), Self::read)?;
        self.has_looked = true;
        Ok(newest)
    }

    /// The first checkpoint of these names that can be read: `read` is [`read`](Self::read), and what processes agree about.
    ///
    /// # Errors
    ///
    /// As for [`newest`](Self::newest).
    pub fn newest_of<'n, W>(
        &mut self,
        names: impl Iterator<Item = &'n str>,
        mut read: impl FnMut(&mut Self, &str) -> Result<Checkpoint<W>, TableError>,
    ) -> Result<Option<Checkpoint<W>>, TableError> {
        let (mut skipped, mut first) = (Vec::new(), None);
        self.skipped.clear();
        for name in names {
            match read(self, name) {
                Ok(checkpoint) => return Ok(Some(Checkpoint { skipped, ..checkpoint })),
                Err(error) => {
                    self.skipped.extend(Name::parse(name));
                    skipped.push(format!("{name}: {error}"));
                    match error {
                        TableError::NoCheckpoint { .. } => {}
                        // Nor will others be seen.
                        TableError::NotShared { .. } => return Err(error),
                        _ => drop(first.get_or_insert(error)),
                    }
                }
            }
        }
        first.map_or(Ok(None), Err)
    }

    /// Reads the checkpoint of this name. A program may go on from any of them: the next one that it writes is the newest.
    ///
    /// # Errors
    ///
    /// [`TableError::NoCheckpoint`], if it is not whole; [`TableError::Unreadable`], if it is damaged;
    /// [`TableError::OtherClasses`]; other errors of reading tables.
    pub fn read<W: World>(&mut self, name: &str) -> Result<Checkpoint<W>, TableError>
    where
        W::Classes: TableClasses<W>,
    {
        let path = self.folder.join(name);
        let parsed = Name::parse(name).filter(|_| part::is_whole(&path));
        let step = parsed.ok_or_else(|| self.no_checkpoint(name))?.step;
        let mut saved = part::read(&path, step)?;
        let state = std::mem::take(&mut saved.state);
        let world = Import::saved(saved)?.read()?;
        self.has_looked = true;
        Ok(Checkpoint { world, step, state, skipped: Vec::new() })
    }

    /// Whether the checkpoint of this name was written to its end.
    #[must_use]
    pub fn is_whole(&self, name: &str) -> bool {
        Name::parse(name).is_some_and(|name| part::is_whole(&self.path(name)))
    }

    /// Waits a few seconds for a checkpoint that another process knows to be whole, and returns whether it is.
    #[must_use]
    pub fn sees(&self, name: &str) -> bool {
        folder::soon(|| self.is_whole(name))
    }

    /// The error of several processes for a checkpoint that not all of them see: [`TableError::NotShared`] if it is whole,
    /// [`TableError::NoCheckpoint`] if it is not.
    #[must_use]
    pub fn unseen(&self, name: &str, is_whole: bool) -> TableError {
        if is_whole {
            return TableError::NotShared { path: self.folder.join(name).display().to_string() };
        }
        self.no_checkpoint(name)
    }

    fn path(&self, name: Name) -> PathBuf {
        self.folder.join(name.to_string())
    }

    fn no_checkpoint(&self, name: &str) -> TableError {
        TableError::NoCheckpoint { path: self.folder.join(name).display().to_string() }
    }
}

impl Drop for Checkpoints {
    fn drop(&mut self) {
        // Who wants to know of an error calls `wait`.
        let _ = self.join();
    }
}
