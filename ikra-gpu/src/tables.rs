//! The tables in which kernels find a world's objects: where columns are comes with a launch, or is in constant memory, and how
//! many objects there are is in global memory.

use ikra_core::effects::FieldSet;
use ikra_core::info::ClassId;
use ikra_core::kernel::{Argument, Entry};
use ikra_core::table::DeviceHeader;
use ikra_runtime::error::GpuError;
use ikra_runtime::objects::AnyObjects;

use crate::code::{CALL, Codes, Kind, Shape, shape_of_sections};
use crate::driver::{Context, Function, Memory, Stream};

/// The objects of each class of a world, always in the same order.
pub(crate) type Members<'a> = [&'a mut dyn AnyObjects];

/// What a class's kernels know of its objects.
#[derive(Debug)]
pub(crate) struct Table {
    /// The class.
    pub(crate) class: ClassId,
    /// Its `#[atomic]` fields, which any kernel may change.
    pub(crate) atomics: FieldSet,
    /// The name of its words in each module that knows the class.
    pub(crate) symbols: Vec<Option<String>>,
    /// Where they are in constant memory, in modules whose kernels may read them there. All say the same.
    pub(crate) addresses: Vec<u64>,
    /// What they say; nothing if nobody knows.
    pub(crate) said: Vec<u64>,
    /// Where the class's header is, in global memory.
    pub(crate) header: u64,
    pub(crate) state: TableState,
    /// Number of objects and room for which it was brought up to date last, with columns; `None` if it has to be again.
    pub(crate) current: Option<(u32, usize)>,
    /// The number of the copy on the device, since it had all that it is to have.
    complete: Option<u64>,
}

/// An entry of the device code, with what it takes of tables.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) function: Function,
    /// Places in the words of members, the first of which is the header's. There is no member if the class is not in the world.
    pub(crate) words: Vec<(Option<usize>, Vec<usize>)>,
    /// Whether it may read others in constant memory.
    pub(crate) reads_tables: bool,
}

/// The objects that a class's table is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TableState {
    /// The columns that it is for; 0 if there are none yet.
    pub(crate) columns: u64,
    /// The class's header; `None` if nobody knows what it says.
    pub(crate) header: Option<DeviceHeader>,
    /// Bytes of each unit that objects take.
    pub(crate) lens: Vec<usize>,
    /// The class.
    pub(crate) name: &'static str,
}

impl Table {
    /// One that says nothing yet.
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
            current: None,
            complete: None,
        }
    }

    /// Whether the device still has all of these objects, and nobody else has a copy: what a launch asks first.
    pub(crate) fn is_complete(&self, objects: &dyn AnyObjects) -> bool {
        let known = self.complete.zip(self.current);
        known.is_some_and(|(number, (count, capacity))| objects.is_complete(number, count, capacity))
    }

    /// Says that the device may lack some, until [`note_complete`](Self::note_complete).
    pub(crate) fn note_incomplete(&mut self) {
        self.complete = None;
    }

    /// Says that the device has them all, on this stream, if there is no other copy.
    pub(crate) fn note_complete(&mut self, objects: &mut dyn AnyObjects, stream: u64) {
        self.complete = objects.copies().completed(stream);
    }

    /// What has changed since the tables were for these, if anything has. Which memory the columns have now, and which
    /// snapshots, does not count.
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

/// Whether device code and program agree on a world's classes and on a kernel.
pub(crate) fn check(
    codes: &Codes,
    entry: &Entry,
    sections: usize,
    arguments: &[Argument<'_>],
    members: &Members<'_>,
) -> Result<(), GpuError> {
    symbols(codes, members)?;
    let of_sections = shape_of_sections(sections);
    let shape = if sections == 0 { CALL } else { Shape { own: &of_sections, result: (0, 1) } };
    codes.entry(entry, Kind::Call, shape, arguments).map(drop)
}

/// What a table in constant memory is to say in a recording, where the device finds it.
#[derive(Debug)]
pub(crate) struct Text {
    words: Vec<u64>,
    memory: Memory,
}

impl Text {
    /// The address of memory that says this.
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
        // SAFETY: there is room for the words.
        unsafe { side.upload(memory.address(), words.as_ptr().cast(), size_of_val(words)) }?;
        side.synchronize()?;
        let address = memory.address();
        texts.push(Self { words: words.to_vec(), memory });
        Ok(address)
    }
}
