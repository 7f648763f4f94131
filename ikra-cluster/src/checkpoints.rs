//! Checkpoints of a world that ranks share: each writes a part.

use std::path::Path;

use ikra_runtime::error::Error;
use ikra_runtime::world::World;
use ikra_tables::{Checkpoint, TableClasses, TableError};

use crate::cluster::Cluster;
use crate::ranks::What;

/// Checkpoints of a world that the ranks of a cluster share, in a folder that all of them can read. They are the same files
/// as those of [`ikra_tables::Checkpoints`]: any number of ranks goes on from them, or a program without ranks.
///
/// All ranks call the same functions, and get an error if one of them has one.
///
/// ```
/// use ikra::{Place, prelude::*, tables::TableError};
/// use ikra_cluster::Cluster;
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
/// fn run(cluster: &Cluster, folder: &std::path::Path, end: u64) -> Result<Sim, TableError> {
///     let mut checkpoints = cluster.checkpoints(folder)?;
///     let (mut sim, first) = match checkpoints.newest::<Sim>()? {
///         Some(checkpoint) => (checkpoint.world, checkpoint.step),
///         None => {
///             let mut sim = Sim::new();
///             sim.bodies.extend((0..1000).map(|n| Body { pos: n as f32 }))?;
///             (sim, 0)
///         }
///     };
///     cluster.share(&mut sim)?;
///     for step in first + 1..=end {
///         sim.on(Place::Cluster).execute(Body::advance, 0.5)?;
///         if step % 10 == 0 {
///             checkpoints.write(&mut sim, step)?;
///         }
///     }
///     checkpoints.wait()?;
///     cluster.gather(&mut sim)?;
///     Ok(sim)
/// }
///
/// # let folder = std::env::temp_dir().join(format!("ikra-cluster-checkpoints-{}", std::process::id()));
/// // Three ranks until step 25; then two, from step 20 on.
/// Cluster::threads(3, |cluster| run(&cluster, &folder, 25).unwrap());
/// Cluster::threads(2, |cluster| {
///     let sim = run(&cluster, &folder, 40).unwrap();
///     assert_eq!(sim.bodies.column(body::pos)[7], 27.0);
/// });
/// # std::fs::remove_dir_all(&folder).unwrap();
/// ```
#[derive(Debug)]
#[cfg_attr(docsrs, doc(cfg(feature = "checkpoints")))]
pub struct Checkpoints<'c> {
    cluster: &'c Cluster,
    own: ikra_tables::Checkpoints,
    /// The step of the last checkpoint that is whole.
    last: Option<u64>,
}

impl Cluster {
    /// Opens a folder for checkpoints, which all ranks can read and write.
    ///
    /// # Errors
    ///
    /// [`TableError::File`], [`TableError::InUse`]; [`Error::Cluster`] with the number of another rank and its error.
    #[cfg_attr(docsrs, doc(cfg(feature = "checkpoints")))]
    pub fn checkpoints(&self, folder: impl AsRef<Path>) -> Result<Checkpoints<'_>, TableError> {
        let own = ikra_tables::Checkpoints::open_part(folder, self.rank(), self.ranks());
        Ok(Checkpoints { cluster: self, own: self.agreed(own)?, last: None })
    }

    /// This rank's result, if the others have no error.
    fn agreed<T>(&self, own: Result<T, TableError>) -> Result<T, TableError> {
        let text = own.as_ref().err().map_or(String::new(), TableError::to_string);
        let texts = self.bytes(&What::of("checkpoints"), text.as_bytes())?;
        let own = own?;
        match texts.iter().position(|text| !text.is_empty()) {
            None => Ok(own),
            Some(rank) => {
                let reason = format!("rank {rank}: {}", String::from_utf8_lossy(&texts[rank]));
                Err(Error::Cluster { reason }.into())
            }
        }
    }
}

impl Checkpoints<'_> {
    /// Keeps this number of checkpoints: [`ikra_tables::Checkpoints::keep`].
    #[must_use]
    pub fn keep(self, checkpoints: usize) -> Self {
        Self { own: self.own.keep(checkpoints), ..self }
    }

    /// Writes a checkpoint of the world after this step. All columns become current on each rank, which then writes its part
    /// of the objects, while the next steps run.
    ///
    /// # Errors
    ///
    /// As for [`ikra_tables::Checkpoints::write`], of any rank.
    pub fn write<W: World>(&mut self, world: &mut W, step: u64) -> Result<(), TableError>
    where
        W::Classes: TableClasses<W>,
    {
        self.write_with(world, step, "")
    }

    /// Writes a checkpoint with a text, the same on each rank.
    ///
    /// # Errors
    ///
    /// As for [`write`](Self::write); [`Error::Cluster`] if ranks have different steps or texts.
    pub fn write_with<W: World>(&mut self, world: &mut W, step: u64, state: &str) -> Result<(), TableError>
    where
        W::Classes: TableClasses<W>,
    {
        self.wait()?;
        let all =
            self.cluster.bytes(&What::of("a checkpoint's step and text"), format!("{step} {state}").as_bytes())?;
        if let Some(rank) = all.iter().position(|other| *other != all[0]) {
            let what = "writes a checkpoint of another step or with another text than rank 0; give all ranks the same";
            return Err(Error::Cluster { reason: format!("rank {rank} {what}") }.into());
        }
        self.cluster.gather(world)?;
        let name = if self.cluster.is_first() { self.own.name(step) } else { Ok(String::new()) };
        let name =
            self.cluster.bytes_of_first(&What::of("a checkpoint's name"), self.cluster.agreed(name)?.as_bytes())?;
        let started = self.own.write_as(&String::from_utf8_lossy(&name), world, state);
        let started = self.cluster.agreed(started);
        if started.is_err() {
            // No rank has a part to wait for, or `wait` would differ between ranks.
            let _ = self.own.join();
        }
        started
    }

    /// Waits until the last checkpoint is on the disk, on all ranks, and removes older ones than are to be kept.
    ///
    /// # Errors
    ///
    /// As for [`ikra_tables::Checkpoints::wait`], of any rank.
    pub fn wait(&mut self) -> Result<(), TableError> {
        let written = self.own.join();
        if self.cluster.agreed(written)? {
            let removed = if self.cluster.is_first() { self.own.remove_old() } else { Ok(()) };
            self.cluster.agreed(removed)?;
            self.last = self.own.last();
        }
        Ok(())
    }

    /// The step of the last checkpoint that this value wrote and that is on the disk. After an error of another rank, a
    /// program begins again from there.
    #[must_use]
    pub fn last(&self) -> Option<u64> {
        self.last
    }

    /// Reads the newest checkpoint that is whole and undamaged, on each rank: of those, the one that was written last. `None` if
    /// no checkpoint was written to its end.
    ///
    /// # Errors
    ///
    /// As for [`ikra_tables::Checkpoints::newest`], of any rank.
    pub fn newest<W: World>(&mut self) -> Result<Option<Checkpoint<W>>, TableError>
    where
        W::Classes: TableClasses<W>,
    {
        let names = self.cluster.agreed(self.own.names())?.join("\n");
        let names = self.cluster.bytes_of_first(&What::of("names of checkpoints"), names.as_bytes())?;
        let names = String::from_utf8_lossy(&names);
        let cluster = self.cluster;
        self.own.newest_of(names.lines(), |own, name| {
            // A rank with a folder of its own would see no checkpoint, and begin anew.
            let is_whole = [u8::from(cluster.is_first() && own.is_whole(name))];
            let is_whole = cluster.bytes_of_first(&What::of("whether a checkpoint is whole"), &is_whole)? == [1];
            let sees = [u8::from(is_whole && own.sees(name))];
            if cluster.bytes(&What::of("whether a checkpoint is seen"), &sees)?.iter().any(|sees| *sees != [1]) {
                return Err(own.unseen(name, is_whole));
            }
            cluster.agreed(own.read(name))
        })
    }
}

/// Errors of one rank, after which the others go on.
///
/// ```
/// # use ikra::{Place, prelude::*};
/// # use ikra_cluster::Cluster;
/// # #[soa_class] pub struct Body { pub pos: f32 }
/// # #[soa_methods]
/// # impl Body { #[kernel] pub fn advance(&mut self) { self.pos += 1.0; } }
/// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
/// let folder = std::env::temp_dir().join(format!("ikra-cluster-failed-{}", std::process::id()));
/// let write = |of_rank: fn(usize) -> &'static str| {
///     Cluster::threads(2, |cluster| {
///         let mut checkpoints = cluster.checkpoints(folder.join(of_rank(cluster.rank()))).unwrap();
///         let mut sim = Sim::new();
///         sim.bodies.extend((0..100).map(|_| Body { pos: 0.0 })).unwrap();
///         cluster.share(&mut sim).unwrap();
///         let (written, waited) = (checkpoints.write(&mut sim, 1).is_ok(), checkpoints.wait().is_ok());
///         sim.on(Place::Cluster).execute(Body::advance, ()).unwrap();
///         cluster.gather(&mut sim).unwrap();
///         (written, waited, checkpoints.last())
///     })
/// };
/// assert_eq!(write(|_| "used"), [(true, true, Some(1)); 2]);
/// // Only the second rank's folder has a checkpoint, which the program has not looked at.
/// assert_eq!(write(|rank| ["new", "used"][rank]), [(false, true, None); 2]);
/// // No checkpoint is whole if each rank has a folder of its own.
/// assert_eq!(write(|rank| ["one", "other"][rank]), [(true, false, None); 2]);
/// # std::fs::remove_dir_all(&folder).unwrap();
/// ```
#[cfg(doctest)]
struct FailedCheckpoints;
