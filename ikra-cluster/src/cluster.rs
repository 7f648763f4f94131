//! The ranks, as programs see them.

use std::any::{Any, TypeId};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::MaybeUninit;

use ikra_runtime::error::Error;
use ikra_runtime::place::Place;
use ikra_runtime::world::World;

use crate::device::Device;
use crate::executor;
use crate::ranks::{Ranks, Traffic, What};
use crate::state::{ClassState, Shared};
use crate::transport::{Bytes, Transport, connected};

/// Tells the other ranks that this one has ended.
struct Ends(Shared);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.lock().ranks.end();
    }
}

/// The ranks that share worlds: this one and the others.
#[derive(Debug)]
pub struct Cluster {
    shared: Shared,
}

impl Cluster {
    /// A cluster of ranks that a transport connects.
    #[must_use]
    pub fn over(transport: Box<dyn Transport>) -> Self {
        Self { shared: Shared::new(Ranks::new(transport)) }
    }

    /// The processes that MPI started: `mpirun -n 4 program`. A program that was started without MPI is the only rank.
    ///
    /// `None` if MPI has been started in this process before, or does not allow calls from several threads in turn. Drop the
    /// cluster in the thread that has made it, which ends MPI.
    #[cfg(feature = "mpi")]
    #[cfg_attr(docsrs, doc(cfg(feature = "mpi")))]
    #[must_use]
    pub fn mpi() -> Option<Self> {
        Some(Self::over(Box::new(crate::transport::Mpi::start()?)))
    }

    /// Runs a program on ranks that are threads of this process: for tests. Each calls `program` with its cluster, and
    /// the results are in the order of the ranks. A world that is a result can read what its rank has: call
    /// [`gather`](Self::gather) before.
    ///
    /// ```
    /// use ikra_cluster::Cluster;
    ///
    /// assert_eq!(Cluster::threads(3, |cluster| cluster.rank()), [0, 1, 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// If `ranks` is 0, or if a rank panics.
    pub fn threads<T: Send>(ranks: usize, program: impl Fn(Self) -> T + Sync) -> Vec<T> {
        assert!(ranks > 0, "a cluster has at least one rank");
        let program = &program;
        std::thread::scope(|scope| {
            let run = move |local| {
                let cluster = Self::over(Box::new(local));
                // Worlds that outlive the program exchange nothing any more, also after a panic.
                let _ends = Ends(cluster.shared.clone());
                program(cluster)
            };
            let start = |local| scope.spawn(move || run(local));
            let started: Vec<_> = connected(ranks).into_iter().map(start).collect();
            let ended: Vec<_> = started.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
            let result = |ended: std::thread::Result<T>| ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            ended.into_iter().map(result).collect()
        })
    }

    /// This rank's number, counted from 0.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.shared.lock().ranks.rank()
    }

    /// The number of ranks.
    #[must_use]
    pub fn ranks(&self) -> usize {
        self.shared.lock().ranks.count()
    }

    /// Whether this is the first rank, which prints and writes files.
    #[must_use]
    pub fn is_first(&self) -> bool {
        self.rank() == 0
    }

    /// Shares a world, which each rank has made in the same way: from then on `world.on(Place::Cluster)` runs kernels on all
    /// ranks. A cluster shares one world.
    ///
    /// # Errors
    ///
    /// [`Error::Cluster`] if the worlds have other classes or numbers of objects, or if the cluster shares another world.
    pub fn share<W: World>(&self, world: &mut W) -> Result<(), Error> {
        self.share_with(world, None)
    }

    /// Shares a world, whose kernels run on a device of this rank.
    fn share_with<W: World>(&self, world: &mut W, device: Option<Device>) -> Result<(), Error> {
        let mut state = self.shared.lock();
        if !state.classes.is_empty() {
            let reason = String::from("the cluster shares another world; make a cluster for each world");
            return Err(Error::Cluster { reason });
        }
        let members = world.members();
        let mut hasher = DefaultHasher::new();
        for member in members.as_ref() {
            (member.name(), member.count()).hash(&mut hasher);
            member.fields().iter().for_each(|field| (field.name, field.type_name).hash(&mut hasher));
        }
        drop(members);
        // One program may have worlds of several types whose texts are the same.
        TypeId::of::<W>().hash(&mut hasher);
        let own = [MaybeUninit::new(u8::from(device.is_some()))];
        let all = state.ranks.gather(&What { text: "sharing a world", state: hasher.finish() }, &own)?;
        // SAFETY: it was a byte when it was sent, and a message arrives as it was sent, by the contract of `Transport`.
        let has_device = |bytes: &Bytes| bytes.first().is_some_and(|byte| unsafe { byte.assume_init() } != 0);
        state.has_devices = all.iter().any(has_device);
        state.all_have_devices = all.iter().all(has_device);
        state.device = device;
        state.classes = world.members().as_ref().iter().map(|member| ClassState::of(*member)).collect();
        drop(state);
        world.state_mut().executors().take(Place::Cluster);
        world.state_mut().executors().put(Box::new(executor::Cluster { shared: self.shared.clone() }));
        Ok(())
    }

    /// As [`share`](Self::share), for a rank that runs its kernels on a GPU: `Place::Gpu(n)`. Each rank has a GPU of its own.
    /// Kernels for each object and for pairs run there, and reductions and collections if all ranks have a GPU. Values of
    /// ghosts go from device to device if all ranks have one and are threads of this process. Otherwise they go through the
    /// hosts. The host runs the other kernels, for which it copies the rank's own values.
    ///
    /// ```no_run
    /// # use ikra::{Place, prelude::*};
    /// # use ikra_cluster::Cluster;
    /// # #[soa_class] pub struct Body { pub pos: f32 }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// // All GPUs of a machine, from one process: a thread for each.
    /// Cluster::threads(2, |cluster| {
    ///     let mut sim = Sim::new();
    ///     cluster.share_at(&mut sim, Place::Gpu(cluster.rank()))?;
    ///     // …
    /// #   Ok::<_, ikra::Error>(())
    /// });
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`share`](Self::share); errors of opening the place.
    pub fn share_at<W: World>(&self, world: &mut W, place: Place) -> Result<(), Error> {
        if place == Place::Host {
            return self.share(world);
        }
        world.on(place).open()?;
        let executors = world.state_mut().executors();
        let stream = executors.take(place).and_then(|executor| {
            let stream = executor.stream();
            executors.put(executor);
            stream
        });
        let stream =
            stream.ok_or_else(|| Error::Cluster { reason: format!("ranks cannot run kernels at `{place}`") })?;
        self.share_with(world, Some(Device { place, stream }))
    }

    /// Divides the objects of each class among the ranks again, so that their kernels take equal times. It measures the
    /// kernels since the objects were last divided, so call it after some steps of a simulation. The results of kernels do
    /// not change.
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// # use ikra_cluster::Cluster;
    /// # #[soa_class] pub struct Body { pub pos: f32 }
    /// # #[soa_methods]
    /// # impl Body { #[kernel] pub fn advance(&mut self, by: f32) { self.pos += by; } }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// # Cluster::threads(2, |cluster| {
    /// # let mut sim = Sim::new();
    /// # sim.bodies.extend((0..1000).map(|n| Body { pos: n as f32 }))?;
    /// # cluster.share(&mut sim)?;
    /// for step in 0..100 {
    ///     sim.on(Place::Cluster).execute(Body::advance, 0.5)?;
    ///     if step % 20 == 10 {
    ///         cluster.balance(&mut sim)?;
    ///     }
    /// }
    /// # assert_eq!(sim.bodies.column(body::pos)[7], 57.0);
    /// # Ok::<_, ikra::Error>(())
    /// # }).into_iter().for_each(|rank| rank.unwrap());
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Cluster`].
    pub fn balance<W: World>(&self, world: &mut W) -> Result<(), Error> {
        self.check(world)?;
        executor::Cluster { shared: self.shared.clone() }.balance(world)
    }

    /// Makes all columns current on each rank. After it, a rank may read columns that the others do not read, until the next
    /// kernel.
    ///
    /// # Errors
    ///
    /// [`Error::Cluster`].
    pub fn gather<W: World>(&self, world: &mut W) -> Result<(), Error> {
        self.check(world)?;
        executor::Cluster { shared: self.shared.clone() }.gather(world)
    }

    /// Checks that the cluster shares a world.
    fn check<W: World>(&self, world: &mut W) -> Result<(), Error> {
        let executors = world.state_mut().executors();
        let Some(executor) = executors.take(Place::Cluster) else {
            let reason = String::from("the world is not shared; call `cluster.share(&mut world)` before");
            return Err(Error::Cluster { reason });
        };
        let any: &dyn Any = &*executor;
        let is_own = any.downcast_ref::<executor::Cluster>().is_some_and(|own| own.shared.is(&self.shared));
        executors.put(executor);
        if is_own { Ok(()) } else { Err(Error::Cluster { reason: String::from("another cluster shares the world") }) }
    }

    /// Gives every rank the bytes of the first one, such as the contents of a file that only one rank can read.
    ///
    /// ```
    /// # use ikra_cluster::Cluster;
    /// let texts = Cluster::threads(2, |cluster| {
    ///     let read = if cluster.is_first() { b"contents".to_vec() } else { Vec::new() };
    ///     cluster.from_first(&read).unwrap()
    /// });
    /// assert_eq!(texts[1], b"contents");
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Cluster`].
    pub fn from_first(&self, bytes: &[u8]) -> Result<Vec<u8>, Error> {
        self.bytes_of_first(&What::of("bytes of the first rank"), bytes)
    }

    /// The same, for a purpose.
    pub(crate) fn bytes_of_first(&self, what: &What<'_>, bytes: &[u8]) -> Result<Vec<u8>, Error> {
        let all = self.bytes(what, if self.is_first() { bytes } else { &[] })?;
        Ok(all.into_iter().next().unwrap_or_default())
    }

    /// Tells the others that this rank takes part in nothing any more.
    #[cfg(feature = "metis")]
    pub(crate) fn fail(&self, reason: &str) -> Error {
        self.shared.lock().ranks.fail(reason)
    }

    /// The bytes of each rank.
    pub(crate) fn bytes(&self, what: &What<'_>, own: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        let own: Vec<_> = own.iter().copied().map(MaybeUninit::new).collect();
        let all = self.shared.lock().ranks.gather(what, &own)?;
        // SAFETY: they were bytes when they were sent, and a message arrives as it was sent, by the contract of `Transport`.
        let byte = |byte: MaybeUninit<u8>| unsafe { byte.assume_init() };
        Ok(all.into_iter().map(|bytes| bytes.into_iter().map(byte).collect()).collect())
    }

    /// Waits for all ranks.
    ///
    /// # Errors
    ///
    /// [`Error::Cluster`].
    pub fn wait(&self) -> Result<(), Error> {
        self.shared.lock().ranks.gather(&What::of("waiting for all ranks"), &[]).map(drop)
    }

    /// The messages of this rank so far.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        self.shared.lock().ranks.traffic
    }
}
