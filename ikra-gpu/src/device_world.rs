//! A world's data on a device: its modules' entries, the state of its tables, and scratch memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::{iter, mem};

use ikra_core::effects::{Effects, FieldSet};
use ikra_core::table::DeviceHeader;
use ikra_runtime::error::{Error, GpuError};
use ikra_runtime::executor::{ObjectField, Section};
use ikra_runtime::list::ListOrder;
use ikra_runtime::objects::AnyObjects;

use crate::changes::Changes;
use crate::code::{Codes, Kind};
use crate::device_columns::DeviceColumns;
use crate::driver::{Context, DeviceInfo, Memory, Module, Pieces, Stream};
use crate::loops::Loops;
use crate::step::Positions;
use crate::stream_log::StreamLog;
use crate::tables::{Loaded, Members, Table, TableState, Text, symbols};
use crate::uploaded::Uploaded;
use crate::versions::Specials;

/// A world's data on a device.
#[derive(Debug)]
pub(crate) struct DeviceWorld {
    pub(crate) log: Arc<StreamLog>,
    pub(crate) codes: Codes,
    /// Entries by the address of a constant that names them; the constant lives as long as the program.
    pub(crate) entries: BTreeMap<(usize, Kind), Arc<Loaded>>,
    /// Versions of them for the present values of some objects.
    pub(crate) specials: Specials,
    /// Room for the table entries that are passed with a launch.
    pub(crate) spare: Vec<u64>,
    /// The class tables, for each member of the world.
    pub(crate) tables: Vec<Table>,
    /// The world's table in global memory: the headers of its classes, and one header that lists no objects.
    headers: Memory,
    /// The stream for copies that are needed while the main stream is captured.
    side: Stream,
    /// During a capture: the contents that tables in constant memory must have at some step.
    pub(crate) texts: Option<Vec<Text>>,
    /// Scratch memory, by its use.
    scratch: [Option<Memory>; Scratch::COUNT],
    /// Memory of numbers that the program may keep, for the next ones.
    kept: Vec<Arc<Memory>>,
    /// The lists of objects that kernels ran for; each stays as long as the program keeps its list.
    pub(crate) lists: Vec<(Weak<ListOrder>, Memory)>,
    /// The memory of groups and columns of results that kernels took; each copy stays as long as the program keeps the
    /// original.
    pub(crate) groups: Vec<Uploaded>,
    /// What kernels that make and remove objects need.
    pub(crate) changes: Changes,
    /// The number of finished blocks of a reduction.
    blocks_done: Option<Memory>,
    /// What is known about loops.
    pub(crate) loops: Loops,
}

/// The uses of scratch memory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scratch {
    /// The results for chunks of objects.
    Parts,
    /// The result for all.
    Result,
    /// Links that come from the host.
    Links,
    /// Bit sets of these links, and the results of checking them.
    Sets,
    /// The results of single objects.
    Each,
    /// Keys to sort by.
    Keys,
    /// The keys after every second digit.
    OtherKeys,
    /// What is sorted by them.
    Values,
    /// The same after every second digit.
    OtherValues,
    /// The counts of digits.
    Counts,
    /// The tiles of a scan.
    Tiles,
    /// A list in which some objects are replaced by none.
    Masked,
    /// The worklist of a loop.
    Work,
    /// A number for the host.
    Number,
}

impl Scratch {
    const COUNT: usize = Self::Number as usize + 1;
}

/// The address of a member's header, or after all members the address of the header without objects.
fn header(headers: &Memory, member: usize) -> u64 {
    headers.address() + (member * size_of::<DeviceHeader>()) as u64
}

/// The addresses of the columns of prepared objects.
pub(crate) fn columns<'m>(members: &'m mut Members<'_>, member: usize, stream: u64) -> &'m [u64] {
    match DeviceColumns::known(&mut *members[member], stream) {
        Some(columns) => columns.words(),
        None => unreachable!("prepared objects have columns"),
    }
}

impl Drop for DeviceWorld {
    fn drop(&mut self) {
        self.log.finish();
    }
}

impl DeviceWorld {
    /// The data for a world with these members.
    ///
    /// # Errors
    ///
    /// Also [`GpuError::DeviceCodeDiffers`] if the code defines one of the classes differently.
    pub(crate) fn new(
        context: &dyn Fn() -> Result<Context, GpuError>,
        codes: Codes,
        members: &Members<'_>,
    ) -> Result<Self, GpuError> {
        // Before the driver is called, so that every machine reports code that does not match.
        let symbols = symbols(&codes, members)?;
        let context = context()?;
        let modules = codes.texts().map(|text| Module::load_waiting(&context, text)).collect::<Result<Vec<_>, _>>()?;
        if let Some(bytes) = codes.stack() {
            context.raise_stack(bytes)?;
        }
        let mut headers = Memory::new(&context, (symbols.len() + 1) * size_of::<DeviceHeader>(), "a world's table")?;
        let mut tables = Vec::new();
        for (member, symbols) in symbols.into_iter().enumerate() {
            let mut addresses = Vec::new();
            for (n, (module, symbol)) in modules.iter().zip(&symbols).enumerate() {
                // Only where it exists: tools report the driver's answer as an error of the program.
                if let Some(symbol) = symbol.as_deref().filter(|symbol| codes.has_table(n, symbol)) {
                    addresses.extend(module.global(symbol)?.map(|(address, _)| address));
                }
            }
            tables.push(Table::new(&*members[member], symbols, addresses, header(&headers, member)));
        }
        let log = StreamLog::new(&context, modules)?;
        log.stream.clear(&mut headers)?;
        let changes = Changes::new(&log, tables.len())?;
        Ok(Self {
            log,
            codes,
            entries: BTreeMap::new(),
            specials: Specials::default(),
            spare: Vec::new(),
            tables,
            headers,
            side: Stream::new(&context)?,
            texts: None,
            scratch: [const { None }; Scratch::COUNT],
            kept: Vec::new(),
            changes,
            lists: Vec::new(),
            groups: Vec::new(),
            blocks_done: None,
            loops: Loops::default(),
        })
    }

    pub(crate) fn device(&self) -> &DeviceInfo {
        self.log.context.device()
    }

    /// Makes the device current: copies columns that changed on the host, and numbers of objects.
    pub(crate) fn prepare(&mut self, members: &mut Members<'_>, sections: &[Section]) -> Result<(), Error> {
        self.log.check()?;
        let has_snapshots = sections.iter().any(|section| !section.effects.shadowed().is_empty());
        for (member, objects) in members.iter_mut().enumerate() {
            let table = &self.tables[member];
            let is_own = |section: &&Section| has_snapshots && section.effects.class() == table.class;
            let own = sections.iter().find(is_own);
            let snapshot = own.map_or(FieldSet::EMPTY, |section| section.effects.shadowed());
            let copied = own.map_or(FieldSet::EMPTY, |section| section.effects.copied());
            if snapshot.is_empty() && table.is_complete(&**objects) {
                continue;
            }
            self.tables[member].note_incomplete();
            self.prepare_class(member, &mut **objects, snapshot, copied)?;
            if own.is_some_and(|section| Positions::of(&section.over).are_all_left(&**objects)) {
                self.prepare_exchange(&mut **objects, snapshot)?;
            }
            self.tables[member].note_complete(&mut **objects, self.log.number());
        }
        Ok(())
    }

    /// Records that only the device is current for the fields that kernels change.
    pub(crate) fn note_changes<'e>(
        &self,
        members: &mut Members<'_>,
        effects: impl Iterator<Item = &'e Effects> + Clone,
    ) {
        for (objects, table) in members.iter_mut().zip(&self.tables) {
            let own = effects.clone().filter(|effects| effects.class() == table.class);
            let changes = |effects: &Effects| effects.writes().union(effects.shadowed());
            let fields = own.fold(table.atomics, |fields, effects| fields.union(changes(effects)));
            if !fields.is_empty() {
                // SAFETY: all objects were copied to the columns before the kernel was started, and the kernel changes
                // these fields there (I26).
                unsafe { objects.copies().changed(self.log.number(), fields) };
            }
        }
    }

    /// Records that only the device is current for a field that a reduction was stored in.
    pub(crate) fn note_stored(&self, members: &mut Members<'_>, to: ObjectField) {
        if let Some(objects) = members.iter_mut().find(|objects| objects.class() == to.class) {
            // SAFETY: as above: all objects were copied before, and the kernel changes this field (I26).
            unsafe { objects.copies().changed(self.log.number(), FieldSet::from_bits(1 << to.field)) };
        }
    }

    /// The address of a field of an object, which has this many bytes, in a [prepared](Self::prepare) world. `None` if
    /// the class's fields share memory.
    pub(crate) fn field_address(&self, members: &mut Members<'_>, of: ObjectField, bytes: usize) -> Option<u64> {
        let objects = members.iter_mut().find(|objects| objects.class() == of.class)?;
        let spans = objects.spans(FieldSet::from_bits(1 << of.field), of.index, of.index + 1);
        let [span] = &spans[..] else { return None };
        if !objects.has_own_columns() || (span.rows, span.width) != (1, bytes) {
            return None;
        }
        DeviceColumns::known(&mut **objects, self.log.number())?.address(span)
    }

    /// Whether the device has all objects current; a launch checks this first.
    fn is_current(&self, member: usize, objects: &mut dyn AnyObjects) -> bool {
        self.knows(member, objects) && objects.copies().missing(self.log.number()).is_empty()
    }

    /// Whether the device has columns for these objects, possibly stale ones.
    pub(crate) fn knows(&self, member: usize, objects: &mut dyn AnyObjects) -> bool {
        let now = Some((objects.count(), objects.capacity()));
        let table = &self.tables[member];
        // Compares the columns' number: other columns may have been here meanwhile.
        table.current == now
            && DeviceColumns::known(objects, self.log.number())
                .is_some_and(|columns| columns.number == table.state.columns)
    }

    /// Makes a class current, and allocates the snapshots of some fields. The snapshots of fields in `copied` start as
    /// copies of the columns.
    fn prepare_class(
        &mut self,
        member: usize,
        objects: &mut dyn AnyObjects,
        snapshot: FieldSet,
        copied: FieldSet,
    ) -> Result<(), Error> {
        if objects.pending() > 0 {
            return Err(Error::NotAllInitialized { class: objects.name(), pending: objects.pending() });
        }
        let is_current = self.is_current(member, objects);
        if is_current && snapshot.is_empty() {
            return Ok(());
        }
        if !is_current && self.log.is_recording() {
            let what = format!("a change to objects or columns of class {} elsewhere", objects.name());
            return Err(Error::NotRecordable { what });
        }
        let name = objects.name();
        DeviceColumns::of(objects, &self.log)?.prepare_shadow(snapshot, name)?;
        if self.log.is_recording() {
            // The copies that follow are part of the recording.
            return Ok(());
        }
        if !is_current {
            let (units, missing) = (objects.units(), objects.copies().missing(self.log.number()));
            // Fetches the values that only another device has.
            objects.fetch(missing)?;
            let missing_units = objects.copies().missing_units(self.log.number(), &units);
            DeviceColumns::of(objects, &self.log)?.upload(&missing_units)?;
            // SAFETY: the columns hold these values: they were just copied, or were current before (I26).
            unsafe { objects.copies().uploaded(self.log.number(), missing) };
            self.tables[member].current = Some((objects.count(), objects.capacity()));
            self.write_header(member, objects)?;
        }
        Ok(DeviceColumns::of(objects, &self.log)?.fill_shadow(copied)?)
    }

    /// Gives snapshots values of all objects, for a kernel that runs for all that were not removed. Then its writes become
    /// visible by exchanging columns, without a list of removed objects.
    fn prepare_exchange(&self, objects: &mut dyn AnyObjects, snapshot: FieldSet) -> Result<(), Error> {
        let units = objects.units();
        let columns = DeviceColumns::of(objects, &self.log)?;
        if !self.log.is_recording() && !columns.has_all(snapshot, &units) {
            columns.complete_shadow(snapshot, &units)?;
        }
        Ok(())
    }

    /// Writes the number of objects to a class's header, and notes the columns that it describes.
    fn write_header(&mut self, member: usize, objects: &mut dyn AnyObjects) -> Result<(), Error> {
        let (name, header) = (objects.name(), DeviceHeader { len: objects.count() });
        let lens = objects.units().iter().map(|unit| unit.len).collect();
        let columns = DeviceColumns::of(objects, &self.log)?.number;
        let table = &mut self.tables[member];
        // Until it is written, its contents are unknown.
        let before = mem::take(&mut table.state);
        if before.header != Some(header) {
            // SAFETY: there is one header per member, and the stream orders the copy between kernels (I28).
            unsafe { self.log.stream.upload(table.header, (&raw const header).cast(), size_of::<DeviceHeader>()) }?;
        }
        table.state = TableState { columns, header: Some(header), lens, name };
        Ok(())
    }

    /// The table entries that an entry point takes, for [prepared](Self::prepare) objects. If the entry point reads
    /// tables in constant memory, they are current afterwards.
    pub(crate) fn words(&mut self, members: &mut Members<'_>, entry: &Loaded) -> Result<Vec<u64>, Error> {
        if entry.reads_tables {
            self.write_tables(members)?;
        }
        let mut words = mem::take(&mut self.spare);
        words.clear();
        for (member, places) in &entry.words {
            let (header, columns, lives) = match *member {
                // No objects, so no columns.
                None => (header(&self.headers, self.tables.len()), &[][..], 0),
                Some(member) => {
                    let lives = self.changes.state_of(member);
                    (self.tables[member].header, columns(members, member, self.log.number()), lives)
                }
            };
            let word = |&place: &usize| match place.checked_sub(1) {
                None => header,
                Some(column) => columns.get(column).copied().unwrap_or(lives),
            };
            words.extend(places.iter().map(word));
        }
        Ok(words)
    }

    /// Writes the columns' addresses to the tables in constant memory. While kernels are captured, the copies become
    /// part of the capture.
    pub(crate) fn write_tables(&mut self, members: &mut Members<'_>) -> Result<(), Error> {
        for (member, table) in self.tables.iter_mut().enumerate().filter(|(_, table)| !table.addresses.is_empty()) {
            let columns = columns(members, member, self.log.number());
            if matches!(&table.said[..], [_, said @ .., _] if said == columns) {
                continue;
            }
            let lives = self.changes.state_of(member);
            let words: Vec<u64> =
                iter::once(table.header).chain(columns.iter().copied()).chain(iter::once(lives)).collect();
            let width = size_of_val(&words[..]);
            // Until all are written, their contents are unknown.
            table.said.clear();
            for &to in &table.addresses {
                match &mut self.texts {
                    // SAFETY: each table has `words.len()` entries, since host and device agree on the class (I25). The
                    // stream orders the copy between kernels (I28).
                    None => unsafe { self.log.stream.upload(to, words.as_ptr().cast(), width)? },
                    Some(texts) => {
                        let from = Text::find(texts, &words, &self.log.context, &self.side)?;
                        let words = Pieces { from, to, width, rows: 1, pitch: width };
                        // SAFETY: as above. A capture copies the entries later, from memory that holds the same entries
                        // by then.
                        unsafe { self.log.stream.copy(words)? };
                    }
                }
            }
            table.said = words;
        }
        Ok(())
    }

    /// Records the changes of kernels that were started, and makes their snapshots visible.
    pub(crate) fn commit(&mut self, members: &mut Members<'_>, sections: &[Section]) -> Result<(), Error> {
        let log = self.log.clone();
        let mut commit = |section: &Section| {
            let (class, snapshot) = (section.effects.class(), section.effects.shadowed());
            let member = self.tables.iter().position(|table| table.class == class);
            let Some(member) = member.filter(|_| !snapshot.is_empty()) else { return Ok(()) };
            self.commit_snapshot(&mut *members[member], snapshot, &Positions::of(&section.over)).map(drop)
        };
        let committed = log.whole(|| sections.iter().try_for_each(&mut commit));
        self.note_changes(members, sections.iter().map(|section| section.effects));
        committed
    }

    /// Makes a kernel's writes to its snapshots visible, and returns whether that exchanged columns.
    pub(crate) fn commit_snapshot(
        &mut self,
        objects: &mut dyn AnyObjects,
        fields: FieldSet,
        positions: &Positions,
    ) -> Result<bool, Error> {
        let Positions { first, end, is_shared, .. } = *positions;
        if first == end {
            return Ok(false);
        }
        if positions.are_all(objects) {
            DeviceColumns::of(objects, &self.log)?.swap_shadow(fields);
            return Ok(true);
        }
        if positions.are_all_left(objects) && !self.log.is_recording() {
            let units = objects.units();
            let columns = DeviceColumns::of(objects, &self.log)?;
            if columns.has_all(fields, &units) {
                columns.swap_shadow(fields);
                return Ok(true);
            }
        }
        let spans = positions.spans(objects, fields)?;
        let units = if is_shared && objects.has_own_columns() { objects.units() } else { Vec::new() };
        let columns = DeviceColumns::of(objects, &self.log)?;
        Ok(if units.is_empty() {
            columns.copy_shadow(&spans).map(|()| false)
        } else {
            columns.exchange_shadow(fields, &units, &spans)
        }?)
    }

    /// The address of the counter of finished blocks in a reduction, which each reduction leaves at 0.
    pub(crate) fn blocks_done(&mut self) -> Result<u64, GpuError> {
        if let Some(memory) = &self.blocks_done {
            return Ok(memory.address());
        }
        let mut memory = Memory::new(&self.log.context, size_of::<u32>(), "results")?;
        self.log.stream.clear(&mut memory)?;
        Ok(self.blocks_done.insert(memory).address())
    }

    /// Device memory of at least this many bytes.
    pub(crate) fn scratch(&mut self, of: Scratch, bytes: usize) -> Result<u64, GpuError> {
        Memory::with_room(&mut self.scratch[of as usize], &self.log.context, bytes, "results")
    }

    /// Memory for numbers that the program may keep. It is used again when the program has dropped them: in the stream, the
    /// kernels that read them come before those that write the next ones.
    pub(crate) fn memory_to_keep(&mut self, len: usize, what: &str) -> Result<Arc<Memory>, GpuError> {
        /// The most that are kept for later.
        const MOST: usize = 8;
        let bytes = (len.max(1) * size_of::<u32>()).next_power_of_two();
        let fits = |memory: &Arc<Memory>| Arc::strong_count(memory) == 1 && memory.len() == bytes;
        if let Some(memory) = self.kept.iter().find(|memory| fits(memory)) {
            return Ok(memory.clone());
        }
        if self.kept.len() >= MOST {
            self.kept.retain(|memory| Arc::strong_count(memory) > 1);
        }
        let memory = Arc::new(Memory::new(&self.log.context, bytes, what)?);
        if self.kept.len() < MOST {
            self.kept.push(memory.clone());
        }
        Ok(memory)
    }

    /// Runs an operation on the device. If it fails, the causes that are known are added to the error, and a recording
    /// is marked as unusable.
    pub(crate) fn attempt<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        let result = self.log.check().map_err(Error::from).and_then(|()| work(self));
        let result = result.map_err(|error| self.log.blame_any(error));
        if let Err(error) = &result {
            self.log.spoil_recording(error);
        }
        result
    }
}
