//! No checkpoints, in a program that was built without them.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::path::Path;

use ikra::World;

use crate::Ranks;

/// A world, none of which can be saved.
pub trait Saved: World {}
impl<W: World> Saved for W {}

/// The program was built without checkpoints.
#[derive(Debug, thiserror::Error)]
#[error("--checkpoints: the program was built without them; build it with `--features checkpoints`")]
pub struct Failure(());

/// There is none.
#[derive(Debug)]
pub(super) struct Checkpoint<W> {
    pub(super) world: W,
    pub(super) step: u64,
    pub(super) state: String,
    pub(super) skipped: Vec<String>,
}

/// There is none.
#[derive(Debug)]
pub(super) struct Store<'r>(Infallible, PhantomData<&'r Ranks>);

impl<'r> Store<'r> {
    pub(super) fn open(_: &Path, _: &'r Ranks) -> Result<Self, Failure> {
        Err(Failure(()))
    }
    pub(super) fn newest<W: Saved>(&mut self) -> Result<Option<Checkpoint<W>>, Failure> {
        match self.0 {}
    }
    pub(super) fn write<W: Saved>(&mut self, _: &mut W, _: u64, _: &str) -> Result<(), Failure> {
        match self.0 {}
    }
    pub(super) fn wait(&mut self) -> Result<(), Failure> {
        match self.0 {}
    }
    pub(super) fn last(&self) -> Option<u64> {
        match self.0 {}
    }
}
