//! A world's session on a device: module, queue, and the tables that kernels read.

use std::collections::HashMap;
use std::sync::Arc;

use ikra_runtime::error::Error;
use ikra_runtime::mirror::AnyObjects;
use ikra_runtime::phase::FieldSet;

use crate::columns::Columns;
use crate::driver::{Context, DeviceInfo, Function, Grid, Memory, Module, Stream};
use crate::queue::Queue;

/// Calls a function for the objects of each class of a world.
pub(crate) type Members<'a> = &'a mut dyn FnMut(&mut dyn FnMut(&mut dyn AnyObjects));

/// What a world keeps on a device.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) queue: Arc<Queue>,
    /// By the address of the symbol, a constant.
    functions: HashMap<usize, Function>,
    /// By the symbol, for those that are put together.
    named: HashMap<String, Function>,
    /// Where the class tables are, by symbol.
    tables: HashMap<&'static str, u64>,
    /// For copies that are needed while the queue's stream is recorded.
    side: Stream,
    /// Results of reductions, on their way.
    scratch: [Option<Memory>; 3],
    /// How many blocks of a reduction are done.
    blocks_done: Option<Memory>,
    pub(crate) recording: Option<Trace>,
    /// Counts what makes recordings stale.
    pub(crate) generation: u64,
}

/// What was recorded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    pub(crate) kernels: Vec<&'static str>,
    /// What the kernels change, by class.
    pub(crate) changes: Vec<(&'static str, FieldSet)>,
}

impl Trace {
    fn note_change(&mut self, class: &'static str, fields: FieldSet) {
        match self.changes.iter_mut().find(|change| change.0 == class) {
            Some(change) => change.1 = change.1.union(fields),
            None => self.changes.push((class, fields)),
        }
    }
}

/// What a kernel changes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Changes {
    /// The symbol of its class.
    pub(crate) class: &'static str,
    /// Fields that it stores.
    pub(crate) writes: FieldSet,
    /// Fields that it stores for others to see afterwards.
    pub(crate) snapshot: FieldSet,
}

impl Session {
    pub(crate) fn new(device: usize, code: &str) -> Result<Self, Error> {
        let context = Context::open(device)?;
        let module = Module::load(&context, code)?;
        Ok(Self {
            queue: Arc::new(Queue::new(&context, module)?),
            functions: HashMap::new(),
            named: HashMap::new(),
            tables: HashMap::new(),
            side: Stream::new(&context)?,
            scratch: [None, None, None],
            blocks_done: None,
            recording: None,
            generation: 0,
        })
    }

    pub(crate) fn device(&self) -> &DeviceInfo {
        self.queue.context.device()
    }

    /// The kernel of this name, a constant.
    pub(crate) fn function(&mut self, symbol: &'static str, kernel: &str) -> Result<Function, Error> {
        let key = symbol.as_ptr().addr();
        if let Some(&function) = self.functions.get(&key) {
            return Ok(function);
        }
        let function = self.named_function(symbol, kernel)?;
        self.functions.insert(key, function);
        Ok(function)
    }

    /// The kernel of this name.
    pub(crate) fn named_function(&mut self, symbol: &str, kernel: &str) -> Result<Function, Error> {
        if let Some(&function) = self.named.get(symbol) {
            return Ok(function);
        }
        let function =
            self.queue.module.function(symbol)?.ok_or_else(|| Error::NoSuchKernel { kernel: kernel.to_owned() })?;
        self.named.insert(symbol.to_owned(), function);
        Ok(function)
    }

    /// Brings the device up to date: columns that changed on the host, and tables.
    pub(crate) fn prepare(&mut self, members: Members<'_>, changes: Option<Changes>) -> Result<(), Error> {
        self.queue.check()?;
        let mut result = Ok(());
        members(&mut |objects| {
            if result.is_ok() {
                result = self.prepare_class(objects, changes.as_ref());
            }
        });
        result
    }

    fn prepare_class(&mut self, objects: &mut dyn AnyObjects, changes: Option<&Changes>) -> Result<(), Error> {
        if objects.pending() > 0 {
            return Err(Error::NotAllInitialized { class: objects.name(), pending: objects.pending() });
        }
        if changes.is_none_or(|changes| changes.snapshot.is_empty() || changes.class != objects.symbol())
            && Columns::is_current(objects, &self.queue)
        {
            return Ok(());
        }
        let (name, symbol, count, columns) = (objects.name(), objects.symbol(), objects.count(), objects.columns());
        let units = objects.units();
        let arrays = objects.arrays();
        let mirror = Columns::of(objects, &self.queue)?;
        if let Some(changes) = changes
            && changes.class == symbol
        {
            mirror.prepare_shadow(changes.snapshot, name, &self.side)?;
        }
        let dirty = objects.changed_on_host();
        let mirror = Columns::of(objects, &self.queue)?;
        if !dirty.is_empty() {
            if self.recording.is_some() && units.iter().any(|unit| unit.len > 0) {
                return Err(Error::StaleRecording { reason: "columns were changed on the host while it was made" });
            }
            mirror.upload(&units, dirty)?;
        }
        if let Some(changes) = changes
            && changes.class == symbol
        {
            mirror.fill_shadow(changes.snapshot.intersection(arrays))?;
        }
        let words = mirror.table(count, columns);
        if mirror.words != words {
            self.write_table(symbol, &words)?;
            let mirror = Columns::of(objects, &self.queue)?;
            mirror.words = words;
            self.generation += 1;
        }
        objects.uploaded(dirty);
        let capacity = objects.capacity();
        Columns::of(objects, &self.queue)?.current = Some((count, capacity));
        Ok(())
    }

    /// Writes a class's table to constant memory.
    fn write_table(&mut self, symbol: &'static str, words: &[u64]) -> Result<(), Error> {
        let address = match self.tables.get(symbol) {
            Some(&address) => address,
            None => {
                // A class that no kernel of the module knows has no table.
                let Some((address, bytes)) = self.queue.module.global(symbol)? else { return Ok(()) };
                if bytes != size_of_val(words) {
                    return Err(Error::DeviceCodeRejected {
                        log: format!(
                            "table {symbol} has {bytes} bytes instead of {}; build the program anew",
                            size_of_val(words)
                        ),
                    });
                }
                self.tables.insert(symbol, address);
                address
            }
        };
        let stream = if self.recording.is_some() { &self.side } else { &self.queue.stream };
        // SAFETY: the table has as many bytes, and the stream orders the copy between kernels; a recording has none
        // running.
        unsafe { stream.upload(address, words.as_ptr().cast(), size_of_val(words)) }?;
        if self.recording.is_some() { self.side.synchronize() } else { Ok(()) }
    }

    /// Starts a kernel for which the device was prepared.
    ///
    /// # Safety
    ///
    /// As for [`Stream::launch`].
    pub(crate) unsafe fn launch(
        &mut self,
        kernel: &'static str,
        function: Function,
        grid: Grid,
        arguments: &[*const ()],
    ) -> Result<(), Error> {
        // SAFETY: by the caller.
        unsafe { self.queue.launch(self.recording.is_some(), kernel, function, grid, arguments) }?;
        if let Some(trace) = &mut self.recording {
            trace.kernels.push(kernel);
        }
        Ok(())
    }

    /// Notes what a kernel that was started changes, and makes snapshots of objects `first..end` or of
    /// those in `list` visible.
    pub(crate) fn commit(
        &mut self,
        members: Members<'_>,
        changes: Changes,
        first: usize,
        end: usize,
        list: Option<&[u32]>,
    ) -> Result<(), Error> {
        let mut result = Ok(());
        members(&mut |objects| {
            if result.is_err() {
                return;
            }
            let mut fields = objects.atomics();
            if objects.symbol() == changes.class {
                fields = fields.union(changes.writes).union(changes.snapshot);
                if !changes.snapshot.is_empty() {
                    result = self.commit_snapshot(objects, changes.snapshot, first, end, list);
                }
            }
            if let Some(trace) = &mut self.recording {
                trace.note_change(objects.symbol(), fields);
            }
            objects.changed_on_device(fields);
        });
        result
    }

    fn commit_snapshot(
        &mut self,
        objects: &mut dyn AnyObjects,
        fields: FieldSet,
        first: usize,
        end: usize,
        list: Option<&[u32]>,
    ) -> Result<(), Error> {
        let whole = list.is_none() && first == 0 && end == objects.count() as usize;
        if whole && objects.has_own_columns() && self.recording.is_none() {
            let mirror = Columns::of(objects, &self.queue)?;
            mirror.swap_shadow(fields);
            mirror.current = None;
            self.generation += 1;
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
        Columns::of(objects, &self.queue)?.copy_shadow(&spans)
    }

    /// Where the blocks of a reduction count themselves, which leave 0 there.
    pub(crate) fn blocks_done(&mut self) -> Result<u64, Error> {
        if let Some(memory) = &self.blocks_done {
            return Ok(memory.address());
        }
        let mut memory = Memory::new(&self.queue.context, size_of::<u32>(), "results")?;
        self.queue.stream.clear(&mut memory)?;
        Ok(self.blocks_done.insert(memory).address())
    }

    /// Device memory for results, at least this many bytes.
    pub(crate) fn scratch(&mut self, which: usize, bytes: usize) -> Result<u64, Error> {
        if self.scratch[which].as_ref().is_none_or(|memory| memory.len() < bytes) {
            self.scratch[which] = None;
            self.scratch[which] = Some(Memory::new(&self.queue.context, bytes.next_power_of_two(), "results")?);
        }
        Ok(self.scratch[which].as_ref().map_or(0, Memory::address))
    }
}
