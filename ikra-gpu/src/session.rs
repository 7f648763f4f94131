//! A world's session on a device: module, queue, and the tables that kernels read.

use std::collections::HashMap;
use std::sync::Arc;

use ikra_core::class::ClassId;
use ikra_core::effects::FieldSet;
use ikra_core::kernel::{Argument, Entry};
use ikra_runtime::error::{Error, GpuError};
use ikra_runtime::objects::AnyObjects;

use crate::code::{CALL, Code, Kind, Shape};
use crate::columns::Columns;
use crate::driver::{Context, DeviceInfo, Function, Grid, Memory, Module, Stream};
use crate::queue::Queue;

/// The objects of each class of a world, always in the same order.
pub(crate) type Members<'a> = [&'a mut dyn AnyObjects];

/// What a world keeps on a device.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) queue: Arc<Queue>,
    code: Arc<Code>,
    /// By the address of what names them, a constant, which lives as long as the program.
    functions: HashMap<(usize, Kind), Function>,
    /// The class tables in constant memory, one a member of the world.
    tables: Vec<Table>,
    /// For copies that are needed while the queue's stream is recorded.
    side: Stream,
    /// Results of reductions, on their way.
    scratch: [Option<Memory>; 3],
    /// How many blocks of a reduction are done.
    blocks_done: Option<Memory>,
}

/// A class's table in constant memory.
#[derive(Debug)]
struct Table {
    /// Where it is; `None` for a class that the device code does not know.
    address: Option<u64>,
    state: TableState,
    /// Number of objects and room for which it was brought up to date last, with columns; `None` if it has to be again.
    current: Option<(u32, usize)>,
}

/// What a class's table says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TableState {
    /// The columns that it is for; 0 if there are none yet.
    columns: u64,
    /// Its words.
    words: Vec<u64>,
    /// Bytes of each unit that objects take.
    lens: Vec<usize>,
    /// The class.
    name: &'static str,
}

/// What a kernel changes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Changes {
    /// Its class.
    pub(crate) class: ClassId,
    /// Fields that it stores.
    pub(crate) writes: FieldSet,
    /// Fields that it stores for others to see afterwards.
    pub(crate) snapshot: FieldSet,
}

/// What device code holds, and the name of the table of each of a world's classes.
fn tables(text: &'static str, members: &Members<'_>) -> Result<(Arc<Code>, Vec<Option<String>>), GpuError> {
    let code = Code::of(text);
    if code.is_unknown() {
        return Err(GpuError::DeviceCodeRejected {
            log: String::from("it does not say which classes it holds: it was made by another version of `ikra-build`"),
        });
    }
    let classes: Vec<_> = members.iter().map(|objects| objects.signature()).collect();
    let symbols = code.tables(&classes)?;
    Ok((code, symbols))
}

/// Whether device code and program agree on a world's classes and on a kernel.
pub(crate) fn check(
    text: &'static str,
    entry: &Entry,
    arguments: &[Argument<'_>],
    members: &Members<'_>,
) -> Result<(), GpuError> {
    let (code, _) = tables(text, members)?;
    code.entry(entry, Kind::Call, CALL, arguments).map(drop)
}

impl Drop for Session {
    fn drop(&mut self) {
        self.queue.finish();
    }
}

impl Session {
    /// For a world with these members.
    ///
    /// # Errors
    ///
    /// Also [`GpuError::DeviceCodeDiffers`] if the code has another idea of one of the classes.
    pub(crate) fn new(
        context: impl FnOnce() -> Result<Context, GpuError>,
        text: &'static str,
        members: &Members<'_>,
    ) -> Result<Self, GpuError> {
        // Before the driver is asked: what does not fit is said on every machine.
        let (code, symbols) = tables(text, members)?;
        let context = context()?;
        let module = Module::load(&context, text)?;
        let mut tables = Vec::new();
        for symbol in symbols {
            let address = match symbol {
                Some(symbol) => module.global(&symbol)?.map(|(address, _)| address),
                None => None,
            };
            tables.push(Table { address, state: TableState::default(), current: None });
        }
        Ok(Self {
            queue: Queue::new(&context, module)?,
            code,
            functions: HashMap::new(),
            tables,
            side: Stream::new(&context)?,
            scratch: [None, None, None],
            blocks_done: None,
        })
    }

    pub(crate) fn device(&self) -> &DeviceInfo {
        self.queue.context.device()
    }

    /// The kernel's entry of this kind, which takes these arguments.
    pub(crate) fn function(
        &mut self,
        entry: &'static Entry,
        kind: Kind,
        shape: Shape<'_>,
        arguments: &[Argument<'_>],
    ) -> Result<Function, GpuError> {
        let key = (std::ptr::from_ref(entry).addr(), kind);
        if let Some(function) = self.functions.get(&key) {
            return Ok(function.clone());
        }
        let symbol = self.code.entry(entry, kind, shape, arguments)?;
        let function =
            self.queue.module.function(symbol)?.ok_or_else(|| GpuError::NoSuchKernel { kernel: symbol.to_owned() })?;
        self.functions.insert(key, function.clone());
        Ok(function)
    }

    /// Brings the device up to date: columns that changed on the host, and tables.
    pub(crate) fn prepare(&mut self, members: &mut Members<'_>, changes: Option<Changes>) -> Result<(), Error> {
        self.queue.check()?;
        for (member, objects) in members.iter_mut().enumerate() {
            self.prepare_class(member, &mut **objects, changes.as_ref())?;
        }
        Ok(())
    }

    /// Whether the device has all that it needs of these objects: what a launch asks first.
    fn is_current(&self, member: usize, objects: &mut dyn AnyObjects) -> bool {
        if !objects.changed_on_host().is_empty() || objects.pending() > 0 {
            return false;
        }
        let now = Some((objects.count(), objects.capacity()));
        let table = &self.tables[member];
        // By the number of the columns: others may have been here meanwhile, whose addresses the table then has.
        table.current == now && Columns::known(objects).is_some_and(|columns| columns.number == table.state.columns)
    }

    fn prepare_class(
        &mut self,
        member: usize,
        objects: &mut dyn AnyObjects,
        changes: Option<&Changes>,
    ) -> Result<(), Error> {
        if objects.pending() > 0 {
            return Err(Error::NotAllInitialized { class: objects.name(), pending: objects.pending() });
        }
        let class = objects.class();
        let changes = changes.filter(|changes| changes.class == class);
        let is_current = self.is_current(member, objects);
        if is_current && changes.is_none_or(|changes| changes.snapshot.is_empty()) {
            return Ok(());
        }
        if !is_current && self.queue.is_recording() {
            let what = format!("a change to objects or columns of class {} on the host", objects.name());
            return Err(GpuError::NotRecordable { what }.into());
        }
        let (name, count, columns) = (objects.name(), objects.count(), objects.columns());
        let (units, arrays) = (objects.units(), objects.arrays());
        let mirror = Columns::of(objects, &self.queue)?;
        if let Some(changes) = changes {
            mirror.prepare_shadow(changes.snapshot, name, &self.side)?;
        }
        let dirty = objects.changed_on_host();
        let mirror = Columns::of(objects, &self.queue)?;
        if !dirty.is_empty() {
            mirror.upload(&units, dirty)?;
        }
        if let Some(changes) = changes {
            mirror.fill_shadow(changes.snapshot.intersection(arrays))?;
        }
        let lens = units.iter().map(|unit| unit.len).collect();
        let state = TableState { columns: mirror.number, words: mirror.table(count, columns), lens, name };
        self.write_table(member, state)?;
        // SAFETY: they were just copied, or the columns had them.
        unsafe { objects.uploaded(dirty) };
        self.tables[member].current = Some((count, objects.capacity()));
        Ok(())
    }

    /// Writes a class's table to constant memory.
    fn write_table(&mut self, member: usize, state: TableState) -> Result<(), GpuError> {
        let table = &mut self.tables[member];
        if let Some(address) = table.address
            && table.state.words != state.words
        {
            // Until it is written, nobody knows what it says.
            table.state = TableState::default();
            let is_recording = self.queue.is_recording();
            let stream = if is_recording { &self.side } else { &self.queue.stream };
            let words = &state.words;
            // SAFETY: the table has as many words, since host and device agree on the class, and the stream orders the
            // copy between kernels; a recording has none running.
            unsafe { stream.upload(address, words.as_ptr().cast(), size_of_val(&words[..])) }?;
            if is_recording {
                self.side.synchronize()?;
            }
        }
        table.state = state;
        Ok(())
    }

    /// What the tables say now.
    pub(crate) fn tables(&self) -> Vec<TableState> {
        self.tables.iter().map(|table| table.state.clone()).collect()
    }

    /// What has changed since the tables said this, if anything has.
    pub(crate) fn changed_since(&self, then: &[TableState]) -> Option<String> {
        self.tables.iter().zip(then).find_map(|(now, then)| {
            let (now, name) = (&now.state, then.name);
            if now == then {
                return None;
            }
            let (had, has) = (then.words.first(), now.words.first());
            Some(match (had, has) {
                (Some(had), Some(has)) if had != has => {
                    format!("it was made for {had} objects of class {name}, and there are {has}")
                }
                _ if now.columns != then.columns => {
                    format!("the columns of class {name} were exchanged for others, or had to grow")
                }
                _ if now.words != then.words => {
                    format!("columns of class {name} were exchanged by a kernel with `snapshot` that is not in it, or an odd number of times")
                }
                _ => format!("arrays of class {name} have other lengths"),
            })
        })
    }

    /// Starts a kernel for which the device was prepared.
    ///
    /// # Safety
    ///
    /// As for [`Stream::launch`].
    pub(crate) unsafe fn launch(
        &self,
        kernel: &'static str,
        function: &Function,
        grid: Grid,
        arguments: &[*const ()],
    ) -> Result<(), GpuError> {
        // SAFETY: by the caller.
        unsafe { self.queue.launch(kernel, function, grid, arguments) }
    }

    /// Notes what a kernel that was started changes, and makes snapshots of objects `first..end` or of
    /// those in `list` visible.
    pub(crate) fn commit(
        &mut self,
        members: &mut Members<'_>,
        changes: Changes,
        first: usize,
        end: usize,
        list: Option<&[u32]>,
    ) -> Result<(), Error> {
        for (member, objects) in members.iter_mut().enumerate() {
            let mut fields = objects.atomics();
            let mut committed = Ok(());
            if objects.class() == changes.class {
                fields = fields.union(changes.writes).union(changes.snapshot);
                if !changes.snapshot.is_empty() {
                    committed = self.commit_snapshot(member, &mut **objects, changes.snapshot, first, end, list);
                }
            }
            self.queue.note_change(objects.class(), fields);
            // SAFETY: `prepare` copied all objects to the columns, in which the kernel changes these.
            unsafe { objects.changed_on_device(fields) };
            committed?;
        }
        Ok(())
    }

    fn commit_snapshot(
        &mut self,
        member: usize,
        objects: &mut dyn AnyObjects,
        fields: FieldSet,
        first: usize,
        end: usize,
        list: Option<&[u32]>,
    ) -> Result<(), Error> {
        let whole = list.is_none() && first == 0 && end == objects.count() as usize;
        if whole && objects.has_own_columns() && !self.queue.is_recording() {
            Columns::of(objects, &self.queue)?.swap_shadow(fields);
            self.tables[member].current = None;
            return Ok(());
        }
        let mut spans = Vec::new();
        match list {
            None => spans = objects.spans(fields, first, end),
            Some(list) => {
                for run in list.chunk_by(|a, b| b.wrapping_sub(*a) == 1) {
                    let first = run[0] as usize;
                    spans.extend(objects.spans(fields, first, first + run.len()));
                }
            }
        }
        Ok(Columns::of(objects, &self.queue)?.copy_shadow(&spans)?)
    }

    /// Where the blocks of a reduction count themselves, which leave 0 there.
    pub(crate) fn blocks_done(&mut self) -> Result<u64, GpuError> {
        if let Some(memory) = &self.blocks_done {
            return Ok(memory.address());
        }
        let mut memory = Memory::new(&self.queue.context, size_of::<u32>(), "results")?;
        self.queue.stream.clear(&mut memory)?;
        Ok(self.blocks_done.insert(memory).address())
    }

    /// Device memory for results, at least this many bytes.
    pub(crate) fn scratch(&mut self, which: usize, bytes: usize) -> Result<u64, GpuError> {
        if self.scratch[which].as_ref().is_none_or(|memory| memory.len() < bytes) {
            self.scratch[which] = None;
            self.scratch[which] = Some(Memory::new(&self.queue.context, bytes.next_power_of_two(), "results")?);
        }
        Ok(self.scratch[which].as_ref().map_or(0, Memory::address))
    }
}
