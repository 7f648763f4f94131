//! Combines ways into kernels.

use crate::choose::{Meeting, choose};
use crate::ways::{LAYOUTS, OWN_READS, REACHES, READS, Reach, Read, WRITES, Write};

/// The executor of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executor {
    /// `execute`.
    All,
    /// `execute` over a range.
    Range,
    /// `execute` over a list.
    Each,
    /// `execute_and_reduce`.
    Reduce,
    /// `execute_and_reduce` over a range.
    RangeReduce,
    /// `execute_and_reduce` over a list.
    EachReduce,
    /// `execute_and_collect`.
    Collect,
    /// `execute_pairs`.
    Pairs,
    /// `get_mut`, one object after another.
    Sequential,
}

/// A kernel.
#[derive(Clone, Copy, Debug)]
pub struct Combination {
    /// Its number.
    pub number: usize,
    /// The path to the other object; `None` for a kernel for pairs, which receives it.
    pub reach: Option<Reach>,
    /// How it reads a field of the other object.
    pub read: Read,
    /// How it writes its own object.
    pub write: Write,
    /// The executor that runs it.
    pub executor: Executor,
    /// Its class's layout, by position.
    pub layout: usize,
    /// Whether others see the written field's values from before the kernel.
    pub snapshot: bool,
    /// Whether it is `heavy`, and so runs on several threads even for few objects.
    pub heavy: bool,
}

impl Combination {
    /// Whether the kernel writes a field that it reads from another object.
    #[must_use]
    pub fn races(&self) -> bool {
        let on_the_way = self.reach.map_or(&[][..], |reach| reach.reads);
        let read = self.write.fields.contains(&self.read.field);
        !self.snapshot && (read || on_the_way.iter().any(|field| self.write.fields.contains(field)))
    }

    /// Each way to reach, read and write meets each executor and layout. Kernels with a race are counted separately.
    fn meetings(&self) -> Vec<Meeting> {
        let reach = self.reach.map_or("", |reach| reach.ikra);
        let ways = [("reach", reach), ("read", self.read.ikra), ("write", self.write.ikra)];
        let places = [format!("{:?}", self.executor), LAYOUTS[self.layout].0.to_owned(), format!("{}", self.snapshot)];
        let races = self.races();
        let all = ways
            .iter()
            .flat_map(|(what, way)| places.iter().map(move |place| (format!("{what} {way} {races}"), place)));
        all.map(|(way, place)| (way, place.clone())).collect()
    }
}

/// The combinations, in an order that mixes them.
#[must_use]
pub fn combinations() -> Vec<Combination> {
    use Executor::{All, Collect, Each, EachReduce, Range, RangeReduce, Reduce, Sequential};
    const EXECUTORS: [Executor; 8] = [All, Range, Each, Reduce, Sequential, RangeReduce, EachReduce, Collect];
    let mut found = Vec::new();
    let mut push = |reach: Option<Reach>, read: Read, write: Write, executor: Executor, snapshot: bool| {
        let number = found.len();
        let layout = (number + number / LAYOUTS.len()) % LAYOUTS.len();
        found.push(Combination { number, reach, read, write, executor, layout, snapshot, heavy: number % 3 == 0 });
    };
    for (r, &reach) in REACHES.iter().enumerate() {
        for (f, &read) in READS.iter().enumerate() {
            // Every way to write meets every way to reach and every way to read.
            for turn in 0..if (r + f) % 3 == 0 { 2 } else { 1 } {
                let write = WRITES[(r + f * 3 + turn * 11) % WRITES.len()];
                let executor = EXECUTORS[(r * 3 + f + turn) % 8];
                let executor = if executor == Sequential && read.borrows { All } else { executor };
                push(Some(reach), read, write, executor, (r + f / 2) % 2 == turn);
            }
        }
    }
    // The kernel reads the field that it writes.
    for (w, &write) in WRITES.iter().enumerate() {
        for (f, &read) in READS.iter().enumerate().filter(|(_, read)| write.fields.contains(&read.field)) {
            push(Some(REACHES[(w + f * 7) % REACHES.len()]), read, write, All, false);
            push(
                Some(REACHES[(w * 5 + f) % REACHES.len()]),
                read,
                write,
                [All, Range, Each, Reduce][(w + f) % 4],
                true,
            );
        }
    }
    for (w, &write) in WRITES.iter().enumerate() {
        for (f, &read) in OWN_READS.iter().enumerate().filter(|(f, _)| (w + f) % 2 == 0) {
            push(
                Some(REACHES[(w * 3 + f) % REACHES.len()]),
                read,
                write,
                EXECUTORS[(w + f * 3) / 2 % 8],
                (w + f) % 3 == 0,
            );
        }
    }
    for (w, &write) in WRITES.iter().enumerate() {
        for (f, &read) in READS.iter().enumerate() {
            if (w + f) % 3 == 0 || write.fields.contains(&read.field) {
                push(None, read, write, Executor::Pairs, (w + f) % 2 == 0);
            }
        }
    }
    choose(found, Combination::meetings)
}
