//! A folder with checkpoints, of one process or of ranks.

use std::path::Path;

use ikra::World;
use ikra::tables::{Checkpoint, Checkpoints, TableClasses, TableError};

use crate::Ranks;

/// A world that can be saved.
pub trait Saved: World<Classes: TableClasses<Self>> {}
impl<W: World<Classes: TableClasses<W>>> Saved for W {}

/// Errors of the files.
pub type Failure = TableError;

#[derive(Debug)]
pub(super) enum Store<'r> {
    Alone(Checkpoints),
    Ranks(ikra_cluster::Checkpoints<'r>),
}

impl<'r> Store<'r> {
    pub(super) fn open(folder: &Path, ranks: &'r Ranks) -> Result<Self, Failure> {
        Ok(match ranks.cluster() {
            Some(cluster) => Self::Ranks(cluster.checkpoints(folder)?),
            None => Self::Alone(Checkpoints::open(folder)?),
        })
    }

    pub(super) fn newest<W: Saved>(&mut self) -> Result<Option<Checkpoint<W>>, Failure> {
        match self {
            Self::Alone(checkpoints) => checkpoints.newest(),
            Self::Ranks(checkpoints) => checkpoints.newest(),
        }
    }

    pub(super) fn write<W: Saved>(&mut self, world: &mut W, step: u64, run: &str) -> Result<(), Failure> {
        match self {
            Self::Alone(checkpoints) => checkpoints.write_with(world, step, run),
            Self::Ranks(checkpoints) => checkpoints.write_with(world, step, run),
        }
    }

    pub(super) fn wait(&mut self) -> Result<(), Failure> {
        match self {
            Self::Alone(checkpoints) => checkpoints.wait(),
            Self::Ranks(checkpoints) => checkpoints.wait(),
        }
    }

    pub(super) fn last(&self) -> Option<u64> {
        match self {
            Self::Alone(checkpoints) => checkpoints.last(),
            Self::Ranks(checkpoints) => checkpoints.last(),
        }
    }
}
