//! Kernels that are compiled again for the present values of objects that seldom change (PE).
//!
//! [`On::specialize_for`](ikra_runtime::executor::On::specialize_for) names a class. When a kernel that reads its objects
//! is launched, a thread evaluates the kernel's device code partially: the addresses of the class's columns, their
//! contents and the number of objects are known. The driver compiles the result, and later launches take it, as long as
//! these facts hold. Each launch checks that. Otherwise the general kernel runs.
//!
//! The driver keeps what it has compiled in its cache on the disk, by content and with a limit, as it does for all code.

use std::mem;
use std::sync::Arc;

use ikra_core::kernel::{Argument, Entry};
use ikra_core::table::DeviceHeader;
use ikra_ptx::specialize::Report;
use ikra_runtime::error::GpuError;
use ikra_runtime::executor::Section;

use crate::code::Kind;
use crate::compiling::{Compiling, Program};
use crate::device_columns::DeviceColumns;
use crate::device_world::{DeviceWorld, columns};
use crate::tables::{Loaded, Members};
use crate::versions::{Facts, Specialized, State, Version, finished, made};

/// The largest number of bytes of a class whose values become part of a kernel.
const MOST_BYTES: usize = 1 << 20;
/// After a change, this many launches without another one come before the kernel is compiled again.
const PATIENCE: u32 = 16;
/// So many versions are kept that no launch takes any more.
const MOST_RETIRED: usize = 8;

/// A launch of an entry point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Called<'a> {
    /// `Class::method`.
    pub(crate) kernel: &'static str,
    pub(crate) sections: &'a [Section],
    pub(crate) entry: &'static Entry,
    pub(crate) kind: Kind,
    /// The kernel's arguments.
    pub(crate) arguments: &'a [Argument<'a>],
}

impl DeviceWorld {
    /// The kernel to launch: the special version of an entry point, if there is one for the present values.
    ///
    /// # Errors
    ///
    /// Errors of the device.
    pub(crate) fn special(
        &mut self,
        members: &mut Members<'_>,
        called: Called<'_>,
        general: Arc<Loaded>,
    ) -> Result<Arc<Loaded>, GpuError> {
        // A recording is checked for other changes, so that it keeps the general kernel.
        if self.log.is_recording() || !self.tables.iter().any(|table| table.is_fixed) {
            return Ok(general);
        }
        let Some(facts) = self.facts(members, called, &general) else { return Ok(general) };
        let Called { kernel, entry, kind, .. } = called;
        let key = (std::ptr::from_ref(entry).addr(), kind);
        let mut version = match self.specials.versions.remove(&key) {
            Some(version) if version.facts == facts => version,
            Some(stale) => {
                self.retire(stale)?;
                Version { kernel, facts, state: State::Waiting(PATIENCE) }
            }
            None => Version { kernel, facts, state: State::Waiting(0) },
        };
        version.state = match version.state {
            State::Waiting(0) => self.compile(members, &version.facts, &general)?,
            State::Waiting(launches) => State::Waiting(launches - 1),
            State::Compiling(thread) if thread.is_done() => finished(thread, &general),
            state => state,
        };
        let chosen = if let State::Ready(special, _) = &version.state { Arc::clone(special) } else { general };
        self.specials.versions.insert(key, version);
        Ok(chosen)
    }

    /// Keeps a version that no launch takes any more, as long as it may run or is being compiled.
    fn retire(&mut self, version: Version) -> Result<(), GpuError> {
        if matches!(version.state, State::Waiting(_) | State::General(_)) {
            return Ok(());
        }
        self.specials.retired.push(version);
        if self.specials.retired.len() >= MOST_RETIRED {
            self.log.stream.synchronize().map_err(|error| self.log.blame(error))?;
            self.specials.retired.clear();
        }
        Ok(())
    }

    /// Waits for kernels that are being compiled, and says what became of them.
    pub(crate) fn specialized(&mut self) -> Vec<Specialized> {
        for (key, version) in &mut self.specials.versions {
            let Some(general) = self.entries.get(key) else { continue };
            version.state = match mem::replace(&mut version.state, State::Waiting(0)) {
                State::Compiling(thread) => finished(thread, general),
                state => state,
            };
        }
        let says = |version: &Version| {
            let (report, general) = match &version.state {
                State::Ready(_, report) => (report.clone(), None),
                State::General(reason) => (Report::default(), Some(reason.clone())),
                State::Waiting(launches) => {
                    let reason =
                        format!("the values have changed; it is compiled after {launches} launches without a change");
                    (Report::default(), Some(reason))
                }
                State::Compiling(_) => (Report::default(), Some(String::from("it is being compiled"))),
            };
            let Report { before, after, loads, branches, iterations, .. } = report;
            Specialized { kernel: version.kernel, instructions: [before, after], loads, branches, iterations, general }
        };
        self.specials.versions.values().map(says).collect()
    }

    /// What is known when an entry point is launched in a [prepared](Self::prepare) world; `None` if that is nothing.
    fn facts(&self, members: &mut Members<'_>, called: Called<'_>, entry: &Loaded) -> Option<Facts> {
        // Functions that are called read tables in constant memory, of which a module of its own would have its own.
        if entry.reads_tables {
            return None;
        }
        let mut facts = Facts { members: Vec::new(), words: Vec::new(), links: Vec::new() };
        let mut position = 0;
        for (member, places) in &entry.words {
            let first = position;
            position += places.len();
            let Some(member) = *member else { continue };
            let table = &self.tables[member];
            // A kernel may change its own objects.
            if !table.is_fixed || called.sections.iter().any(|section| section.effects.class() == table.class) {
                continue;
            }
            let revision = members[member].copies().revision();
            let count = members[member].count();
            let columns = columns(members, member, self.log.number());
            let word = |&place: &usize| match place.checked_sub(1) {
                None => Some(table.header),
                Some(column) => columns.get(column).copied(),
            };
            facts.members.push((member, revision, count));
            facts.words.extend((first..).zip(places).filter_map(|(at, place)| Some((at, word(place)?))));
        }
        if facts.members.is_empty() {
            return None;
        }
        let taken = called.arguments.iter().filter(|argument| argument.bytes() > 0);
        for (from_last, argument) in taken.rev().enumerate() {
            let to = argument.links_to();
            let is_fixed = |&(member, ..): &(usize, u64, u32)| to.contains(&self.tables[member].class);
            if argument.bytes() == size_of::<u32>() && facts.members.iter().any(is_fixed) {
                // SAFETY: the argument is alive and has these bytes. It has a link, which takes four, so it is nothing else.
                let link = unsafe { argument.start().cast::<u32>().read_unaligned() };
                facts.links.push((from_last, link));
            }
        }
        Some(facts)
    }

    /// Starts a thread that makes the special version of an entry point.
    fn compile(&mut self, members: &mut Members<'_>, facts: &Facts, general: &Loaded) -> Result<State, GpuError> {
        let mut memory: Vec<(u64, Vec<u8>)> = Vec::new();
        for &(member, _, count) in &facts.members {
            let objects = &mut *members[member];
            let (units, name) = (objects.units(), objects.name());
            let bytes: usize = units.iter().map(|unit| unit.columns * unit.len).sum();
            if bytes > MOST_BYTES {
                let reason = format!("class {name} takes {bytes} bytes, and {MOST_BYTES} is the most");
                return Ok(State::General(reason));
            }
            if let Some(columns) = DeviceColumns::known(objects, self.log.number()) {
                memory.extend(columns.contents(&units)?);
            }
            let header = DeviceHeader { len: count };
            memory.push((self.tables[member].header, header.len.to_ne_bytes().into()));
        }
        let (text, module) = (self.codes.texts().nth(general.module).unwrap_or_default(), general.module);
        let program = Arc::clone(self.specials.programs.entry(module).or_insert_with(|| Program::of(text)));
        let (context, symbol, facts) = (self.log.context.clone(), general.symbol.clone(), facts.clone());
        let work = move || made(&context, text, &program, &symbol, &facts, &memory);
        Ok(Compiling::start("ikra-specialize", work).map_or_else(State::General, State::Compiling))
    }
}
