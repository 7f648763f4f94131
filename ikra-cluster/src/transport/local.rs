//! Ranks that are threads of one process.

use std::sync::mpsc::{Receiver, RecvError, Sender, TryRecvError, channel};
use std::time::{Duration, Instant};

use super::{Bytes, Lost, Transport};

/// One of some ranks in a process.
#[derive(Debug)]
pub(crate) struct Local {
    rank: usize,
    /// To each rank, and from each rank.
    to: Vec<Sender<Bytes>>,
    from: Vec<Receiver<Bytes>>,
}

/// For so long a rank asks for a message before it sleeps: waking it takes as long as several messages.
const PATIENCE: Duration = Duration::from_micros(100);

/// The next message.
fn receive(from: &Receiver<Bytes>) -> Result<Bytes, RecvError> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        match from.try_recv() {
            Ok(message) => return Ok(message),
            Err(TryRecvError::Disconnected) => return Err(RecvError),
            // Another rank may need this core.
            Err(TryRecvError::Empty) => std::thread::yield_now(),
        }
    }
    from.recv()
}

/// The connections of some ranks.
pub(crate) fn connected(ranks: usize) -> Vec<Local> {
    let mut all: Vec<_> = (0..ranks).map(|rank| Local { rank, to: Vec::new(), from: Vec::new() }).collect();
    for to in 0..ranks {
        for from in 0..ranks {
            let (sender, receiver) = channel();
            all[from].to.push(sender);
            all[to].from.push(receiver);
        }
    }
    all
}

// SAFETY: 1. channels keep messages and their order; 2. and 3. ranks are threads of one process.
unsafe impl Transport for Local {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.to.len()
    }

    fn are_threads(&self) -> bool {
        true
    }

    fn exchange(&mut self, outgoing: Vec<(usize, Bytes)>, from: &[usize]) -> Result<Vec<Bytes>, Lost> {
        for (to, message) in outgoing {
            // A rank that has ended left a last message, which says why.
            let _ = self.to[to].send(message);
        }
        from.iter().map(|&rank| receive(&self.from[rank]).map_err(|_| Lost { rank })).collect()
    }
}
