//! The tables in which kernels find a world's objects. The columns' addresses are passed with a launch or are in
//! constant memory; the numbers of objects are in global memory.

use std::sync::Arc;

use ikra_core::effects::FieldSet;
use ikra_core::info::ClassId;
use ikra_core::kernel::{Argument, Entry};
use ikra_core::table::DeviceHeader;
use ikra_core::transfer::WireType;
use ikra_runtime::error::GpuError;
use ikra_runtime::objects::AnyObjects;

use crate::code::{CALL, Codes, Kind, Shape, shape_of_sections};
use crate::driver::{Context, Function, Memory, Stream};

/// The objects of each class of a world, always in the same order.
pub(crate) type Members<'a> = [&'a mut dyn AnyObjects];

/// The data about a class's objects that kernels use.
#[derive(Debug)]
pub(crate) struct Table {
    /// The class.
    pub(crate) class: ClassId,
    /// Its `#[atomic]` fields, which any kernel may change.
    pub(crate) atomics: FieldSet,
    /// The name of its table in each module that has the class.
    pub(crate) symbols: Vec<Option<String>>,
    /// The addresses of the table in constant memory, in the modules whose kernels may read it there. All copies are
    /// equal.
    pub(crate) addresses: Vec<u64>,
    /// The contents of these copies; empty if unknown.
    pub(crate) said: Vec<u64>,
    /// The address of the class's header in global memory.
    pub(crate) header: u64,
    pub(crate) state: TableState,
    /// The entry point that changes its objects' links, once it was needed.
    pub(crate) links: Option<Arc<Loaded>>,
    /// Whether kernels are specialised for its objects.
    pub(crate) is_fixed: bool,
    /// The number of objects and the capacity at the last update, if its columns exist; `None` if it must be updated.
    pub(crate) current: Option<(u32, usize)>,
    /// The number that the copy on the device was stamped with when it was last complete.
    complete: Option<u64>,
}

/// An entry point of the device code, with the table entries that it takes.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    pub(crate) function: Function,
    /// The module of its device code, and its name there.
    pub(crate) module: usize,
    pub(crate) symbol: String,
    /// The positions of the members' table entries that it takes; position 0 is the header. A class that is not in the
    /// world has no member.
    pub(crate) words: Vec<(Option<usize>, Vec<usize>)>,
    /// Whether it may read other table entries in constant memory.
    pub(crate) reads_tables: bool,
}

/// The objects that a class's table describes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TableState {
    /// The number of the columns that it describes; 0 if none exist yet.
    pub(crate) columns: u64,
    /// The class's header; `None` if its contents are unknown.
    pub(crate) header: Option<DeviceHeader>,
    /// The bytes of each unit per object.
    pub(crate) lens: Vec<usize>,
    /// The class.
    pub(crate) name: &'static str,
}

impl Table {
    /// A table without contents.
    pub(crate) fn new(
        objects: &dyn AnyObjects,
        symbols: Vec<Option<String>>,
        addresses: Vec<u64>,
        header: u64,
    ) -> Self {
        Self {
            class: objects.class(),
            atomics: objects.atomics(),
            symbols,
            addresses,
            said: Vec::new(),
            header,
            state: TableState::default(),
            links: None,
            is_fixed: false,
            current: None,
            complete: None,
        }
    }

    /// Whether the device still has all of these objects current, as the only copy; a launch checks this first.
    pub(crate) fn is_complete(&self, objects: &dyn AnyObjects) -> bool {
        let known = self.complete.zip(self.current);
        known.is_some_and(|(number, (count, capacity))| objects.is_complete(number, count, capacity))
    }

    /// Records that the device may lack some values, until [`note_complete`](Self::note_complete).
    pub(crate) fn note_incomplete(&mut self) {
        self.complete = None;
    }

    /// Records that the device has all values, on this stream, if it has the only copy.
    pub(crate) fn note_complete(&mut self, objects: &mut dyn AnyObjects, stream: u64) {
        self.complete = objects.copies().completed(stream);
    }

    /// The change since the tables described `then`, if any. The addresses of columns and snapshots do not count.
    pub(crate) fn difference(tables: &[Self], then: &[TableState]) -> Option<String> {
        let differ = |now: &TableState, then: &TableState| {
            (now.columns, now.header, &now.lens) != (then.columns, then.header, &then.lens)
        };
        let mut states = tables.iter().map(|table| &table.state).zip(then);
        let (now, then) = states.find(|(now, then)| differ(now, then))?;
        let name = then.name;
        Some(match (then.header, now.header) {
            (Some(had), Some(has)) if had != has => {
                format!("it was made for {} objects of class {name}, and there are {}", had.len, has.len)
            }
            _ if now.columns != then.columns => {
                format!("the columns of class {name} were exchanged for others, or had to grow")
            }
            _ => format!("arrays of class {name} have other lengths"),
        })
    }
}

/// The name of the table of each of a world's classes, in each module.
pub(crate) fn symbols(codes: &Codes, members: &Members<'_>) -> Result<Vec<Vec<Option<String>>>, GpuError> {
    let classes: Vec<_> = members.iter().map(|objects| objects.signature()).collect();
    codes.tables(&classes)
}

/// Checks that device code and program agree on a world's classes and on a kernel.
pub(crate) fn check(
    codes: &Codes,
    entry: &Entry,
    sections: usize,
    arguments: &[Argument<'_>],
    members: &Members<'_>,
) -> Result<(), GpuError> {
    symbols(codes, members)?;
    let of_sections = shape_of_sections(sections);
    let shape = if sections == 0 { CALL } else { Shape { own: &of_sections, result: WireType::NONE } };
    codes.entry(entry, Kind::Call, shape, arguments).map(drop)
}

/// The contents that a table in constant memory must have in a recording, in memory that the device can read.
#[derive(Debug)]
pub(crate) struct Text {
    words: Vec<u64>,
    memory: Memory,
}

impl Text {
    /// The address of memory with these contents.
    pub(crate) fn find(
        texts: &mut Vec<Self>,
        words: &[u64],
        context: &Context,
        side: &Stream,
    ) -> Result<u64, GpuError> {
        if let Some(text) = texts.iter().find(|text| text.words == words) {
            return Ok(text.memory.address());
        }
        let memory = Memory::new(context, size_of_val(words), "a recording")?;
        // SAFETY: the allocation has room for the table entries.
        unsafe { side.upload(memory.address(), words.as_ptr().cast(), size_of_val(words)) }?;
        side.synchronize()?;
        let address = memory.address();
        texts.push(Self { words: words.to_vec(), memory });
        Ok(address)
    }
}
