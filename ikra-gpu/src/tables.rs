//! The tables in constant memory, in which kernels find a world's objects.

use std::sync::Arc;

use ikra_core::kernel::{Argument, Entry};
use ikra_runtime::error::GpuError;
use ikra_runtime::objects::AnyObjects;

use crate::code::{CALL, Code, Kind};

/// The objects of each class of a world, always in the same order.
pub(crate) type Members<'a> = [&'a mut dyn AnyObjects];

/// A class's table in constant memory.
#[derive(Debug)]
pub(crate) struct Table {
    /// Where it is; `None` for a class that the device code does not know.
    pub(crate) address: Option<u64>,
    pub(crate) state: TableState,
    /// Number of objects and room for which it was brought up to date last, with columns; `None` if it has to be again.
    pub(crate) current: Option<(u32, usize)>,
}

/// What a class's table says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TableState {
    /// The columns that it is for; 0 if there are none yet.
    pub(crate) columns: u64,
    /// Its words.
    pub(crate) words: Vec<u64>,
    /// Bytes of each unit that objects take.
    pub(crate) lens: Vec<usize>,
    /// The class.
    pub(crate) name: &'static str,
}

impl Table {
    /// One that says nothing yet.
    pub(crate) fn new(address: Option<u64>) -> Self {
        Self { address, state: TableState::default(), current: None }
    }

    /// What has changed since the tables said this, if anything has.
    pub(crate) fn difference(tables: &[Self], then: &[TableState]) -> Option<String> {
        let (now, then) = tables.iter().map(|table| &table.state).zip(then).find(|(now, then)| now != then)?;
        let name = then.name;
        let (had, has) = (then.words.first(), now.words.first());
        Some(match (had, has) {
            (Some(had), Some(has)) if had != has => {
                format!("it was made for {had} objects of class {name}, and there are {has}")
            }
            _ if now.columns != then.columns => {
                format!("the columns of class {name} were exchanged for others, or had to grow")
            }
            _ if now.words != then.words => {
                format!(
                    "columns of class {name} were exchanged by a kernel with `snapshot` that is not in it, or an odd number of times"
                )
            }
            _ => format!("arrays of class {name} have other lengths"),
        })
    }
}

/// What device code holds, and the name of the table of each of a world's classes.
pub(crate) fn symbols(text: &'static str, members: &Members<'_>) -> Result<(Arc<Code>, Vec<Option<String>>), GpuError> {
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
    let (code, _) = symbols(text, members)?;
    code.entry(entry, Kind::Call, CALL, arguments).map(drop)
}
