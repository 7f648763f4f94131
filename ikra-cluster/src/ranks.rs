//! The ranks as one: exchanges that all take part in, checked against each other.

use ikra_runtime::error::Error;

use crate::transport::{Bytes, Lost, Transport};

/// The bytes before a message's text: its kind, the length of the text, and two numbers.
const HEADER: usize = 24;
const DATA: u8 = 0;
const FAILED: u8 = 1;
const ENDED: u8 = 2;

/// Whether a message is the last one of its rank.
#[cfg(feature = "mpi")]
pub(crate) fn is_last(message: &Bytes) -> bool {
    byte(message, 0) != DATA
}

/// A byte of a message's header or text.
fn byte(message: &Bytes, place: usize) -> u8 {
    match message.get(place) {
        // SAFETY: headers and texts have no padding, and a message arrives as it was sent, by the contract of `Transport`.
        Some(byte) => unsafe { byte.assume_init() },
        None => 0,
    }
}

/// A number of a message's header.
fn number(message: &Bytes, place: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|n| byte(message, place + n)))
}

/// The text of a message: what its rank was at, or why it has failed.
pub(crate) fn text(message: &Bytes) -> String {
    let text: Vec<u8> = (0..(number(message, 0) >> 8) as usize).map(|n| byte(message, HEADER + n)).collect();
    String::from_utf8_lossy(&text).into_owned()
}

/// Numbers about the messages of a rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Traffic {
    /// The number of messages that it has sent.
    pub messages: u64,
    /// Their bytes, without headers.
    pub bytes: u64,
    /// Bytes that its device has copied from devices of other ranks.
    pub bytes_across: u64,
    /// How many times some objects' values of some columns were exchanged before a kernel.
    pub exchanges: u64,
    /// How many times whole columns were collected: for a kernel that may read any object, or for the program.
    pub gathers: u64,
    /// The number of kernels that ran for some of the objects on each rank.
    pub shared: u64,
    /// The number of kernels that ran for all objects on every rank.
    pub repeated: u64,
}

/// The ranks, as one of them sees them.
#[derive(Debug)]
pub(crate) struct Ranks {
    transport: Box<dyn Transport>,
    /// The number of exchanges so far; all ranks count the same ones.
    sequence: u64,
    /// Why nothing works any more.
    broken: Option<String>,
    pub(crate) traffic: Traffic,
}

impl Ranks {
    pub(crate) fn new(transport: Box<dyn Transport>) -> Self {
        Self { transport, sequence: 0, broken: None, traffic: Traffic::default() }
    }

    pub(crate) fn rank(&self) -> usize {
        self.transport.rank()
    }

    pub(crate) fn count(&self) -> usize {
        self.transport.ranks()
    }

    pub(crate) fn are_threads(&self) -> bool {
        self.transport.are_threads()
    }

    fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let own = self.rank();
        (0..self.count()).filter(move |&rank| rank != own)
    }

    /// The error of an earlier operation.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match &self.broken {
            Some(reason) => Err(Error::Cluster { reason: reason.clone() }),
            None => Ok(()),
        }
    }

    /// Tells the others that this rank takes part in nothing any more.
    pub(crate) fn fail(&mut self, reason: &str) -> Error {
        if self.broken.is_none() {
            self.tell(FAILED, reason);
            self.broken = Some(reason.to_owned());
        }
        Error::Cluster { reason: reason.to_owned() }
    }

    /// Tells the others that this rank exchanges nothing any more.
    pub(crate) fn end(&mut self) {
        if self.broken.is_none() {
            self.tell(ENDED, "its program has ended");
            self.broken =
                Some(String::from("the rank's program has ended; call `cluster.gather(&mut world)` before it does"));
        }
    }

    fn tell(&mut self, kind: u8, text: &str) {
        let messages = self.others().map(|rank| (rank, message(kind, self.sequence, 0, text, 0))).collect();
        // It is the last message, so nobody asks whether it has arrived.
        let _ = self.transport.exchange(messages, &[]);
    }

    /// Begins a message for [`exchange`](Self::exchange).
    pub(crate) fn begin(&self, what: &What<'_>, bytes: usize) -> Bytes {
        message(DATA, self.sequence + 1, what.state, what.text, bytes)
    }

    /// Sends messages that [`begin`](Self::begin) began, and receives one from each rank in `from`: its bytes, and where
    /// its contents begin.
    pub(crate) fn exchange(
        &mut self,
        what: &What<'_>,
        outgoing: Vec<(usize, Bytes)>,
        from: &[usize],
    ) -> Result<Vec<(Bytes, usize)>, Error> {
        self.check()?;
        self.sequence += 1;
        let start = HEADER + what.text.len();
        self.traffic.messages += outgoing.len() as u64;
        self.traffic.bytes += outgoing.iter().map(|(_, message)| (message.len() - start) as u64).sum::<u64>();
        let received = match self.transport.exchange(outgoing, from) {
            Ok(received) => received,
            Err(Lost { rank }) => {
                return Err(self.fail(&format!("rank {rank} has ended without a word during {}", what.text)));
            }
        };
        let mut opened = Vec::with_capacity(received.len());
        for (message, &rank) in received.into_iter().zip(from) {
            match self.open(&message, rank, what) {
                Ok(start) => opened.push((message, start)),
                Err(reason) => return Err(self.fail(&reason)),
            }
        }
        Ok(opened)
    }

    /// Where the contents of a message begin, if it is the expected one.
    fn open(&self, message: &Bytes, rank: usize, what: &What<'_>) -> Result<usize, String> {
        let (number, text) = (|place| number(message, place), text(message));
        match byte(message, 0) {
            FAILED if text.starts_with("rank ") => return Err(text),
            FAILED => return Err(format!("rank {rank}: {text}")),
            ENDED => {
                return Err(format!(
                    "rank {rank} has ended, or dropped its world, while rank {} is at {}: each rank runs the same program, \
                     and reads the same columns, also if it does not print them",
                    self.rank(),
                    what.text
                ));
            }
            _ => {}
        }
        if number(8) != self.sequence || text != what.text || number(16) != what.state {
            let differ = if text == what.text { ", with other numbers of objects" } else { "" };
            return Err(format!(
                "rank {rank} is at {text}{differ}, and rank {} at {}: each rank runs the same kernels for the same world, and \
                 reads the same columns, also if it does not print them",
                self.rank(),
                what.text
            ));
        }
        Ok(HEADER + (number(0) >> 8) as usize)
    }

    /// Sends the same bytes to all ranks, and returns the bytes of each rank, in the order of the ranks.
    pub(crate) fn gather(&mut self, what: &What<'_>, own: &[std::mem::MaybeUninit<u8>]) -> Result<Vec<Bytes>, Error> {
        let others: Vec<_> = self.others().collect();
        let outgoing = others.iter().map(|&rank| {
            let mut message = self.begin(what, own.len());
            message.extend_from_slice(own);
            (rank, message)
        });
        let outgoing = outgoing.collect();
        let mut received = self.exchange(what, outgoing, &others)?.into_iter();
        let rank = self.rank();
        let of = |other: usize| {
            if other == rank {
                return own.to_vec();
            }
            received.next().map(|(mut message, start)| message.split_off(start)).unwrap_or_default()
        };
        Ok((0..self.count()).map(of).collect())
    }
}

impl Drop for Ranks {
    fn drop(&mut self) {
        self.end();
    }
}

/// The purpose of an exchange, which is the same on all ranks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct What<'a> {
    /// For people.
    pub(crate) text: &'a str,
    /// A number for the world's state.
    pub(crate) state: u64,
}

impl<'a> What<'a> {
    /// An exchange that has nothing to do with the world's state.
    pub(crate) fn of(text: &'a str) -> Self {
        Self { text, state: 0 }
    }
}

fn message(kind: u8, sequence: u64, state: u64, text: &str, bytes: usize) -> Bytes {
    let mut message = Bytes::with_capacity(HEADER + text.len() + bytes);
    let first = u64::from(kind) | (text.len() as u64) << 8;
    let header = [first, sequence, state].into_iter().flat_map(u64::to_le_bytes);
    message.extend(header.chain(text.bytes()).map(std::mem::MaybeUninit::new));
    message
}
