//! Ranks that are processes which MPI started.

use std::mem::{ManuallyDrop, MaybeUninit};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use mpi::Threading;
use mpi::datatype::SystemDatatype;
use mpi::environment::Universe;
use mpi::request::multiple_scope;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Equivalence, MatchedReceiveVec, Source};

use super::{Bytes, Lost, Transport};
use crate::ranks::is_last;

/// The length of the longest part of a message: counts in MPI are `int`s.
const PART: usize = 1 << 30;

/// How long a rank waits for the receipt of a message after another rank has failed.
const PATIENCE: Duration = Duration::from_secs(5);

/// A byte that may be padding.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Byte(MaybeUninit<u8>);

// SAFETY: a byte for MPI, which copies it, whatever it is.
unsafe impl Equivalence for Byte {
    type Out = SystemDatatype;
    fn equivalent_datatype() -> SystemDatatype {
        u8::equivalent_datatype()
    }
}

/// The process's connection by MPI.
pub(crate) struct Mpi {
    /// A communicator of its own: nobody else's messages arrive there.
    world: ManuallyDrop<SimpleCommunicator>,
    /// Ends MPI when it is dropped, which the thread that has started it must do.
    universe: ManuallyDrop<Universe>,
    thread: ThreadId,
}

impl std::fmt::Debug for Mpi {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "rank {} of {} by MPI", self.rank(), self.ranks())
    }
}

impl Mpi {
    /// Starts MPI, once in a process.
    pub(crate) fn start() -> Option<Self> {
        let (universe, provided) = mpi::initialize_with_threading(Threading::Serialized)?;
        if provided < Threading::Serialized {
            return None;
        }
        let world = universe.world().duplicate();
        Some(Self {
            world: ManuallyDrop::new(world),
            universe: ManuallyDrop::new(universe),
            thread: std::thread::current().id(),
        })
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        if std::thread::current().id() == self.thread {
            // SAFETY: it is dropped once, here.
            unsafe { ManuallyDrop::drop(&mut self.world) };
            // SAFETY: as above.
            unsafe { ManuallyDrop::drop(&mut self.universe) };
        }
    }
}

fn bytes(message: &[MaybeUninit<u8>]) -> &[Byte] {
    // SAFETY: `Byte` is transparent over it.
    unsafe { std::slice::from_raw_parts(message.as_ptr().cast(), message.len()) }
}

// SAFETY: MPI allows calls from any thread, one at a time, as `start` has checked, and `exchange` takes `&mut self`. Only the
// thread that has started MPI ends it.
unsafe impl Send for Mpi {}

// SAFETY: 1. MPI keeps messages, and their order between two ranks; 2. `mpirun` starts one program, as `Cluster::mpi` asks
// for.
unsafe impl Transport for Mpi {
    fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    fn ranks(&self) -> usize {
        self.world.size() as usize
    }

    fn exchange(&mut self, outgoing: Vec<(usize, Bytes)>, from: &[usize]) -> Result<Vec<Bytes>, Lost> {
        // A message of whole parts ends with a shorter one, which may be empty.
        let parts = |message: &Bytes| message.len() / PART + 1;
        let count = outgoing.iter().map(|(_, message)| parts(message)).sum();
        let mut received = Vec::with_capacity(from.len());
        multiple_scope(count, |scope, requests| {
            for (to, message) in &outgoing {
                let to = self.world.process_at_rank(*to as i32);
                for part in 0..parts(message) {
                    let end = ((part + 1) * PART).min(message.len());
                    requests.add(to.immediate_send(scope, bytes(&message[part * PART..end])));
                }
            }
            for &rank in from {
                let from = self.world.process_at_rank(rank as i32);
                let mut message = Bytes::new();
                loop {
                    let (part, _) = from.matched_probe().matched_receive_vec::<Byte>();
                    message.extend(part.iter().map(|byte| byte.0));
                    if part.len() < PART {
                        break;
                    }
                }
                received.push(message);
            }
            let mut statuses = Vec::with_capacity(count);
            if !received.iter().any(is_last) {
                requests.wait_all(&mut statuses);
                return;
            }
            // A rank that has failed receives nothing any more, so a long message to it may never arrive.
            let start = Instant::now();
            while !requests.test_all(&mut statuses) {
                if start.elapsed() > PATIENCE {
                    eprintln!("rank {}: another rank has failed, and does not receive what is sent to it", self.rank());
                    self.world.abort(1);
                }
                std::thread::yield_now();
            }
        });
        Ok(received)
    }
}
