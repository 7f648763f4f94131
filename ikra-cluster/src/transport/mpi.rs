//! Ranks that are processes which MPI started.

use std::mem::{ManuallyDrop, MaybeUninit};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use mpi::datatype::SystemDatatype;
use mpi::environment::Universe;
use mpi::request::scope;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Equivalence, MatchedReceiveVec, Source};
use mpi::{Tag, Threading};

use super::{Bytes, Lost, Transport};
use crate::ranks::{is_last, text};

/// The length of the longest part of a message: counts in MPI are `int`s.
const PART: usize = 1 << 30;

/// The tags of messages: a rank's last one can be seen before those that came earlier are received.
const DATA: Tag = 0;
const LAST: Tag = 1;

/// How long a rank waits until one that has failed or ended drops its cluster, and with it what was sent to it.
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
    /// The number of other ranks whose last message has not been received.
    left: usize,
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
            left: world.size() as usize - 1,
            world: ManuallyDrop::new(world),
            universe: ManuallyDrop::new(universe),
            thread: std::thread::current().id(),
        })
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        if std::thread::current().id() == self.thread {
            // Until then, others may wait for the receipt of long messages. The end of MPI waits for all ranks anyway.
            while self.left > 0 {
                if !discard(&self.world, &mut self.left) {
                    std::thread::sleep(Duration::from_micros(100));
                }
            }
            // SAFETY: it is dropped once, here.
            unsafe { ManuallyDrop::drop(&mut self.world) };
            // SAFETY: as above.
            unsafe { ManuallyDrop::drop(&mut self.universe) };
        }
    }
}

/// Receives a part of some message, if there is one, for a rank that wants none any more.
fn discard(world: &SimpleCommunicator, left: &mut usize) -> bool {
    let Some(part) = world.any_process().immediate_matched_probe() else { return false };
    let (_, status) = part.matched_receive_vec::<Byte>();
    *left -= usize::from(status.tag() == LAST);
    true
}

/// Receives a message, and whether it is the last one.
fn receive(from: &impl Source) -> (Bytes, bool) {
    let mut message = Bytes::new();
    loop {
        let (part, status) = from.matched_probe().matched_receive_vec::<Byte>();
        message.extend(part.iter().map(|byte| byte.0));
        if part.len() < PART {
            return (message, status.tag() == LAST);
        }
    }
}

/// The text of a rank's last message, which has arrived.
fn last_words(from: &impl Source) -> String {
    loop {
        if let (message, true) = receive(from) {
            return text(&message);
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
        let (world, left): (&SimpleCommunicator, _) = (&self.world, &mut self.left);
        let mut received = Vec::with_capacity(from.len());
        scope(|scope| {
            let mut sent = Vec::with_capacity(outgoing.len());
            for (to, message) in &outgoing {
                let (tag, process) = (if is_last(message) { LAST } else { DATA }, world.process_at_rank(*to as i32));
                // A message of whole parts ends with a shorter one, which may be empty.
                for part in 0..=message.len() / PART {
                    let part = &message[part * PART..((part + 1) * PART).min(message.len())];
                    sent.push((*to, tag, process.immediate_send_with_tag(scope, bytes(part), tag)));
                }
            }
            let mut failed = vec![None; world.size() as usize];
            for &rank in from {
                let (message, is_last) = receive(&world.process_at_rank(rank as i32));
                if is_last {
                    *left -= 1;
                    failed[rank] = Some(text(&message));
                }
                received.push(message);
            }
            for (to, tag, mut request) in sent {
                let (process, mut since) = (world.process_at_rank(to as i32), None);
                while let Err(pending) = request.test() {
                    request = pending;
                    if tag == LAST {
                        // The other rank may be sending its last message too.
                        discard(world, left);
                    } else if (failed[to].is_some() || process.immediate_probe_with_tag(LAST).is_some())
                        && since.get_or_insert_with(Instant::now).elapsed() > PATIENCE
                    {
                        let reason = failed[to].take().unwrap_or_else(|| last_words(&process));
                        let rank = world.rank();
                        eprintln!(
                            "rank {rank}: rank {to} has failed, and does not receive what is sent to it: {reason}"
                        );
                        world.abort(1);
                    }
                    std::thread::yield_now();
                }
            }
        });
        Ok(received)
    }
}
