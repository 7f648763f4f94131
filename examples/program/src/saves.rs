//! Checkpoints of a program: it goes on from the newest one, and writes one from time to time.

use std::path::PathBuf;

use clap::Args;

use crate::Ranks;
pub use store::Saved;
use store::{Failure, Store};

#[cfg_attr(feature = "checkpoints", path = "saves/store.rs")]
#[cfg_attr(not(feature = "checkpoints"), path = "saves/none.rs")]
mod store;

/// A checkpoint cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Unsaved {
    /// The files are the reason, or the program was built without checkpoints.
    #[error(transparent)]
    Store(#[from] Failure),
    /// The program had other options.
    #[error("--checkpoints: they are of a run with {found}, and this one has {own}; name another folder")]
    Other {
        /// The options of that run.
        found: String,
        /// Those of this run.
        own: String,
    },
}

/// The options `--checkpoints` and `--checkpoint-every`.
#[derive(Args, Clone, Debug)]
pub struct Saving {
    /// Write checkpoints to this folder, and go on from the newest one there, if there is one: also with another number of
    /// processes.
    #[arg(long, value_name = "FOLDER")]
    checkpoints: Option<PathBuf>,

    /// Steps from one checkpoint to the next.
    #[arg(long, value_name = "STEPS", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    checkpoint_every: u32,
}

impl Saving {
    /// Opens the folder with the checkpoints. `run` names the options that a run may not change on its way.
    ///
    /// # Errors
    ///
    /// If it cannot be opened, or if the program was built without checkpoints.
    pub fn open<'r>(&self, ranks: &'r Ranks, run: String) -> Result<Saves<'r>, Unsaved> {
        let store = self.checkpoints.as_deref().map(|folder| Store::open(folder, ranks)).transpose()?;
        let every = if store.is_some() { self.checkpoint_every } else { u32::MAX };
        Ok(Saves { store, every, run, has_ended: false })
    }
}

/// The checkpoints of a program, if it writes some.
#[derive(Debug)]
pub struct Saves<'r> {
    store: Option<Store<'r>>,
    every: u32,
    run: String,
    has_ended: bool,
}

impl Saves<'_> {
    /// The world and the step of the newest checkpoint, if there is one. Says which ones could not be used.
    ///
    /// # Errors
    ///
    /// If there are checkpoints and none can be read, or if they are of another run.
    pub fn newest<W: Saved>(&mut self) -> Result<Option<(W, u32)>, Unsaved> {
        let Some(store) = &mut self.store else { return Ok(None) };
        let Some(newest) = store.newest()? else { return Ok(None) };
        newest.skipped.iter().for_each(|skipped| eprintln!("not used: {skipped}"));
        if newest.state != self.run {
            return Err(Unsaved::Other { found: newest.state, own: self.run.clone() });
        }
        Ok(Some((newest.world, u32::try_from(newest.step).unwrap_or(u32::MAX))))
    }

    /// The step after which the next checkpoint is written, or `end`.
    #[must_use]
    pub fn next(&self, step: u32, end: u32) -> u32 {
        (step / self.every).saturating_add(1).saturating_mul(self.every).min(end)
    }

    /// Writes a checkpoint while the next steps run.
    ///
    /// # Errors
    ///
    /// If this one or the one before cannot be written.
    pub fn write<W: Saved>(&mut self, world: &mut W, step: u32) -> Result<(), Unsaved> {
        let Some(store) = &mut self.store else { return Ok(()) };
        Ok(store.write(world, step.into(), &self.run)?)
    }

    /// Waits until the last checkpoint is on the disk. A program that drops this value before says how to go on.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn end(mut self) -> Result<(), Unsaved> {
        if let Some(store) = &mut self.store {
            store.wait()?;
        }
        self.has_ended = true;
        Ok(())
    }
}

impl Drop for Saves<'_> {
    fn drop(&mut self) {
        let last = self.store.as_ref().and_then(Store::last);
        if let Some(step) = last.filter(|_| !self.has_ended) {
            eprintln!("the same command goes on from the checkpoint of step {step}");
        }
    }
}
