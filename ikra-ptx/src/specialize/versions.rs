//! Versions of blocks, and the order in which they are evaluated.
//!
//! A *region* is opened by a branch that is not decided: it reaches up to the block where all ways from the branch
//! meet. That block gets one version per region, for the values that all ways agree on. So threads that a branch
//! separates meet again where they did before, and a variable that a branch changes does not make a version of all that
//! follows for each of its values. A block within a region gets a version per state.
//!
//! Which version a way leads to is never a matter of correctness: a way may lead to each version of its block whose
//! state it satisfies.

use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

use super::{
    block::{Blocks, Evaluated, Leave, Way},
    facts::Facts,
    value::{State, Value},
};
use crate::Register;

/// A region: an index.
type Region = usize;

/// The region of the kernel itself.
const ALL: Region = 0;

#[derive(Debug)]
struct Within {
    /// The block where its ways meet.
    end: Option<usize>,
    outer: Region,
    /// The version of that block, and a block from which a way leads to it.
    met: Option<(usize, Option<usize>)>,
    /// Whether its ways are evaluated.
    is_done: bool,
}

/// A version of a block.
#[derive(Debug)]
pub(super) struct Version {
    pub(super) block: usize,
    pub(super) state: State,
    region: Region,
    /// How often its state lost values.
    losses: usize,
    /// The version that stands for it: the same block and state.
    pub(super) forward: Option<usize>,
    /// The way to each version, with the known values that are in no register yet.
    pub(super) evaluated: Option<Evaluated<Edge>>,
}

/// A way to a version.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub(super) to: usize,
    pub(super) pending: Vec<(Register, Value)>,
}

/// The blocks at which knowledge is given up.
#[derive(Clone, Debug, Default)]
pub(super) struct Widened {
    /// Heads of loops that are not unrolled.
    pub(super) rolled: HashSet<usize>,
    /// Blocks that have one version.
    pub(super) single: HashSet<usize>,
    /// Whether all blocks have one version.
    pub(super) all: bool,
}

/// The reason why an evaluation ended early.
#[derive(Debug)]
pub(super) enum Stopped {
    /// This loop must not be unrolled, since nothing known ends it.
    Roll(usize),
    /// The program becomes too large.
    Large,
    /// A block gets too many versions.
    Many(usize),
    /// It takes too long.
    Long,
    /// The kernel cannot be specialised.
    Never(String),
}

/// Limits of one evaluation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) instructions: usize,
    pub(super) versions: usize,
    pub(super) steps: usize,
}

enum Task {
    Version(usize),
    End(Region),
}

/// The evaluation of a kernel.
pub(super) struct Versions<'f, 'b> {
    facts: &'f Facts<'b>,
    widened: &'f Widened,
    limits: Limits,
    pub(super) all: Vec<Version>,
    states: HashMap<State, usize>,
    by_state: HashMap<(Region, usize, usize), usize>,
    singles: HashMap<usize, usize>,
    regions: Vec<Within>,
    /// Whether something known decided whether to leave a loop.
    is_decided: Vec<bool>,
    tasks: Vec<Task>,
    /// Versions per block.
    pub(super) counts: Vec<usize>,
    instructions: usize,
}

impl<'f, 'b> Versions<'f, 'b> {
    pub(super) fn new(facts: &'f Facts<'b>, widened: &'f Widened, limits: Limits) -> Self {
        Self {
            facts,
            widened,
            limits,
            all: Vec::new(),
            states: HashMap::new(),
            by_state: HashMap::new(),
            singles: HashMap::new(),
            regions: vec![Within { end: None, outer: ALL, met: None, is_done: false }],
            is_decided: vec![false; facts.loops.len()],
            tasks: Vec::new(),
            counts: vec![0; facts.body.blocks.len()],
            instructions: 0,
        }
    }

    /// Evaluates the kernel, from its first block on.
    pub(super) fn run(&mut self, blocks: &mut Blocks<'_, '_, '_>) -> Result<(), Stopped> {
        let start = Way { block: 0, state: Rc::from([]), pending: Vec::new() };
        self.arrive(None, start, ALL)?;
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Version(version)
                    if self.all[version].evaluated.is_none() && self.all[version].forward.is_none() =>
                {
                    self.evaluate(version, blocks)?;
                }
                Task::Version(_) => {}
                Task::End(region) => {
                    self.regions[region].is_done = true;
                    if let Some((met, from)) = self.regions[region].met {
                        self.settle(met, from)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn evaluate(&mut self, version: usize, blocks: &mut Blocks<'_, '_, '_>) -> Result<(), Stopped> {
        let Version { block, state, region, .. } = &self.all[version];
        let (block, mut region) = (*block, *region);
        let state = Rc::clone(state);
        let Evaluated { code, leave, tally, is_decided } = blocks.evaluate(block, &state).map_err(Stopped::Never)?;
        if blocks.steps > self.limits.steps {
            return Err(Stopped::Long);
        }
        self.instructions += code.len() + 1;
        if self.instructions > self.limits.instructions {
            // Without those that nothing leads to any more.
            let reached = self.reached();
            blocks.steps += reached.len();
            self.instructions = reached.into_iter().map(|one| self.size(one)).sum::<usize>() + code.len() + 1;
            if self.instructions > self.limits.instructions {
                return Err(Stopped::Large);
            }
        }
        if is_decided {
            self.decide(block);
        }
        if matches!(leave, Leave::Either(..) | Leave::Table(..))
            && let Some(end) = self.facts.meets[block]
            && self.regions[region].end != Some(end)
        {
            self.regions.push(Within { end: Some(end), outer: region, met: None, is_done: false });
            region = self.regions.len() - 1;
            self.tasks.push(Task::End(region));
        }
        let leave = match leave {
            Leave::End => Leave::End,
            Leave::To(to) => Leave::To(self.arrive(Some(block), to, region)?),
            Leave::Either(one, to, other) => {
                let other = self.arrive(Some(block), other, region)?;
                Leave::Either(one, self.arrive(Some(block), to, region)?, other)
            }
            Leave::Table(one, ways) => {
                let edges = ways.into_iter().map(|way| self.arrive(Some(block), way, region));
                Leave::Table(one, edges.collect::<Result<_, _>>()?)
            }
        };
        self.all[version].evaluated = Some(Evaluated { code, leave, tally, is_decided });
        Ok(())
    }

    fn size(&self, version: usize) -> usize {
        self.all[version].evaluated.as_ref().map_or(1, |one| one.code.len() + 1)
    }

    /// Notes that the jump of a block was decided: if it leaves a loop, the loop may end by that.
    fn decide(&mut self, block: usize) {
        for (n, one) in self.facts.loops.iter().enumerate() {
            if one.has[block] && self.facts.exits[n][block] {
                self.is_decided[n] = true;
            }
        }
    }

    /// The version of a block to which a way leads.
    fn arrive(&mut self, from: Option<usize>, way: Way, mut region: Region) -> Result<Edge, Stopped> {
        let Way { block, mut state, pending } = way;
        // The region whose ways meet here: it waits for all of them.
        let mut met = None;
        while self.regions[region].end == Some(block) {
            met = Some(region);
            region = self.regions[region].outer;
        }
        let is_single = self.widened.all || self.facts.is_single[block] || self.widened.single.contains(&block);
        let is_rolled = self.widened.all || self.widened.rolled.contains(&block);
        if is_single || is_rolled {
            let carried = |one: &super::facts::Loop| if is_single { one.has[block] } else { one.head == block };
            let lost: HashSet<Register> = self
                .facts
                .loops
                .iter()
                .filter(|one| carried(one))
                .flat_map(|one| one.carried.iter().copied())
                .collect();
            if state.iter().any(|(register, _)| lost.contains(register)) {
                state = state.iter().copied().filter(|(register, _)| !lost.contains(register)).collect();
            }
        }
        let known = if is_single {
            self.singles.get(&block).copied()
        } else {
            met.and_then(|met| self.regions[met].met).map(|(version, _)| version)
        };
        let to = match (known, met) {
            (Some(known), _) => {
                if self.meet(known, &state) && met.is_none_or(|met| self.regions[met].is_done) {
                    self.settle(known, from)?;
                }
                known
            }
            (None, None) if !is_single => self.by_state(from, block, state, region)?,
            _ => {
                let new = self.add(block, state, region)?;
                if is_single {
                    self.singles.insert(block, new);
                }
                if met.is_none_or(|met| self.regions[met].is_done) {
                    self.settle(new, from)?;
                }
                new
            }
        };
        if let Some(met) = met {
            self.regions[met].met.get_or_insert((to, from));
        }
        Ok(Edge { to, pending })
    }

    /// Has a version evaluated whose ways are known, unless another one stands for it.
    fn settle(&mut self, version: usize, from: Option<usize>) -> Result<(), Stopped> {
        let Version { block, ref state, region, .. } = self.all[version];
        if self.singles.get(&block) == Some(&version) {
            self.tasks.push(Task::Version(version));
            return Ok(());
        }
        let number = self.number(&Rc::clone(state));
        match self.found(block, number, region) {
            Some(other) if other != version => self.all[version].forward = Some(other),
            _ => {
                self.check_loop(from, block)?;
                self.by_state.insert((region, block, number), version);
                self.tasks.push(Task::Version(version));
            }
        }
        Ok(())
    }

    fn number(&mut self, state: &State) -> usize {
        let count = self.states.len();
        *self.states.entry(Rc::clone(state)).or_insert(count)
    }

    /// The version for a state, from this region or an outer one.
    fn found(&self, block: usize, number: usize, mut region: Region) -> Option<usize> {
        loop {
            if let Some(&version) = self.by_state.get(&(region, block, number)) {
                return Some(version);
            }
            if region == ALL {
                return None;
            }
            region = self.regions[region].outer;
        }
    }

    /// Whether the next iteration of a loop may get versions of its own: something known must be able to end the loop.
    fn check_loop(&self, from: Option<usize>, block: usize) -> Result<(), Stopped> {
        let Some(from) = from else { return Ok(()) };
        for (n, one) in self.facts.loops.iter().enumerate() {
            let is_again = one.head == block && one.has[from];
            if is_again && !self.is_decided[n] && !self.widened.rolled.contains(&block) && !self.widened.all {
                return Err(Stopped::Roll(block));
            }
        }
        Ok(())
    }

    /// The version for a state, or a new one.
    fn by_state(&mut self, from: Option<usize>, block: usize, state: State, region: Region) -> Result<usize, Stopped> {
        let number = self.number(&state);
        if let Some(found) = self.found(block, number, region) {
            return Ok(found);
        }
        self.check_loop(from, block)?;
        let new = self.add(block, state, region)?;
        self.by_state.insert((region, block, number), new);
        self.tasks.push(Task::Version(new));
        Ok(new)
    }

    fn add(&mut self, block: usize, state: State, region: Region) -> Result<usize, Stopped> {
        self.counts[block] += 1;
        if self.counts[block] > self.limits.versions {
            return Err(Stopped::Many(block));
        }
        self.all.push(Version { block, state, region, losses: 0, forward: None, evaluated: None });
        Ok(self.all.len() - 1)
    }

    /// Removes from a version's state what does not hold in another one; whether there was any.
    fn meet(&mut self, version: usize, other: &State) -> bool {
        /// After so many losses, nothing remains known.
        const LOSSES: usize = 8;
        let one = &mut self.all[version];
        let has = |entry: &(Register, Value)| {
            other.binary_search_by_key(&entry.0, |entry| entry.0).is_ok_and(|at| other[at].1 == entry.1)
        };
        if one.state.iter().all(has) {
            return false;
        }
        one.losses += 1;
        one.state = if one.losses > LOSSES { Rc::from([]) } else { one.state.iter().copied().filter(has).collect() };
        one.forward = None;
        if let Some(old) = one.evaluated.take() {
            self.instructions = self.instructions.saturating_sub(old.code.len() + 1);
        }
        true
    }

    /// The version that stands for one.
    pub(super) fn standing(&self, mut version: usize) -> usize {
        while let Some(other) = self.all[version].forward {
            version = other;
        }
        version
    }

    /// The versions that are reached from the first one.
    pub(super) fn reached(&self) -> Vec<usize> {
        let mut is_seen = vec![false; self.all.len()];
        let mut open = vec![0];
        let mut found = Vec::new();
        while let Some(version) = open.pop().map(|version| self.standing(version)) {
            if std::mem::replace(&mut is_seen[version], true) {
                continue;
            }
            found.push(version);
            if let Some(evaluated) = &self.all[version].evaluated {
                evaluated.leave.for_each(|edge| open.push(edge.to));
            }
        }
        found
    }
}

impl<E> Leave<E> {
    pub(super) fn for_each<'e>(&'e self, mut show: impl FnMut(&'e E)) {
        match self {
            Self::End => {}
            Self::To(to) => show(to),
            Self::Either(_, to, other) => [to, other].into_iter().for_each(show),
            Self::Table(_, all) => all.iter().for_each(show),
        }
    }
}
