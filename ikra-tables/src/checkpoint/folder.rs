//! The folder with all checkpoints: who may write there, and how checkpoints are called.

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::error::TableError;
use crate::whole::file_error;

/// The time for which a process that was killed may still hold the lock, or for which the files of others may be invisible.
const PATIENCE: Duration = Duration::from_secs(3);

/// Calls a function until it is true, for a while. Returns whether it was.
pub(super) fn soon(mut is_true: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    loop {
        if is_true() {
            return true;
        }
        if start.elapsed() > PATIENCE {
            return false;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Makes the folder, and locks it if that is this process's task.
pub(super) fn open(folder: &Path, is_locking: bool) -> Result<Option<File>, TableError> {
    fs::create_dir_all(folder).map_err(|error| file_error(folder, error))?;
    if !is_locking {
        return Ok(None);
    }
    let path = folder.join("lock");
    let lock = File::options().create(true).truncate(false).write(true).open(&path);
    let lock = lock.map_err(|error| file_error(&path, error))?;
    let mut tried = Ok(());
    soon(|| {
        tried = lock.try_lock();
        !matches!(tried, Err(TryLockError::WouldBlock))
    });
    match tried {
        Ok(()) => Ok(Some(lock)),
        Err(TryLockError::WouldBlock) => Err(TableError::InUse { folder: folder.display().to_string() }),
        Err(TryLockError::Error(error)) => Err(file_error(&path, error)),
    }
}

/// The name of a checkpoint. Names are ordered by the time of writing, whatever the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    /// Higher than those of all checkpoints that were there before. It is 0 in names that lack it, from earlier versions.
    number: u64,
    pub(super) step: u64,
    /// Different for each name, so that files of two attempts do not mix.
    pub(super) attempt: u64,
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number {
            0 => write!(f, "step-{}-{:016x}", self.step, self.attempt),
            number => write!(f, "step-{}-{number}-{:016x}", self.step, self.attempt),
        }
    }
}

impl Name {
    /// A new name that comes after these.
    pub(super) fn after(names: impl IntoIterator<Item = Self>, step: u64) -> Self {
        let number = names.into_iter().map(|name| name.number).max().unwrap_or(0).saturating_add(1);
        Self { number, step, attempt: RandomState::new().hash_one(step) }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let (step, rest) = text.strip_prefix("step-")?.split_once('-')?;
        let (number, attempt) = rest.split_once('-').unwrap_or(("0", rest));
        let attempt = u64::from_str_radix(attempt, 16).ok()?;
        let name = Self { number: number.parse().ok()?, step: step.parse().ok()?, attempt };
        (name.to_string() == text).then_some(name)
    }
}

/// All checkpoints, the one that was written last first.
pub(super) fn names(folder: &Path) -> Result<Vec<Name>, TableError> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| file_error(folder, error))? {
        let entry = entry.map_err(|error| file_error(folder, error))?;
        let name = entry.file_name().to_str().and_then(Name::parse);
        // A plain file is not a checkpoint. A link to a folder is: somebody moved the checkpoint to another disk.
        names.extend(name.filter(|_| entry.path().is_dir()));
    }
    names.sort_unstable_by(|a, b| b.cmp(a));
    Ok(names)
}

/// Removes a checkpoint. Its manifests go first: without them it is none. If the path is a link, only the link goes.
pub(super) fn remove(path: &Path) -> Result<(), TableError> {
    if !path.is_symlink() {
        let entries = fs::read_dir(path).map_err(|error| file_error(path, error))?;
        for entry in entries.flatten().filter(|entry| entry.path().extension().is_some_and(|kind| kind == "json")) {
            fs::remove_file(entry.path()).map_err(|error| file_error(&entry.path(), error))?;
        }
    }
    fs::remove_dir_all(path).map_err(|error| file_error(path, error))
}

/// Writes the names in a folder to the disk, where systems can do that.
pub(super) fn sync(folder: &Path) -> Result<(), TableError> {
    if cfg!(unix) {
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(|error| file_error(folder, error))?;
    }
    Ok(())
}
