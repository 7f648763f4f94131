//! Lists of links on a device, and the kernels that sort them; `device/lists.rs` describes the algorithm.

use std::any::Any;
use std::sync::Arc;

use ikra_runtime::error::{Error, GpuError};
use ikra_runtime::list::{ListMemory, ListOrder};

use crate::driver::{Function, Memory};
use crate::stream_log::StreamLog;

/// The kernels.
#[derive(Clone, Debug)]
pub(crate) struct Ordering {
    pub(crate) mark: Function,
    pub(crate) count: Function,
    pub(crate) place: Function,
    pub(crate) write: Function,
}

impl Ordering {
    /// The kernels of the first module, if it has them; every module contains its own.
    pub(crate) fn of(log: &StreamLog) -> Result<Option<Self>, GpuError> {
        let find = |name| log.modules[0].function(name);
        let all =
            (find("ikra_list_mark")?, find("ikra_list_count")?, find("ikra_list_place")?, find("ikra_list_write")?);
        let (Some(mark), Some(count), Some(place), Some(write)) = all else { return Ok(None) };
        Ok(Some(Self { mark, count, place, write }))
    }
}

/// A list in device memory.
#[derive(Debug)]
pub(crate) struct DeviceList {
    pub(crate) memory: Arc<Memory>,
    pub(crate) log: Arc<StreamLog>,
    pub(crate) len: usize,
}

impl DeviceList {
    /// The address of a list, if it is on this stream's device.
    pub(crate) fn address(list: &ListOrder, log: &Arc<StreamLog>) -> Option<u64> {
        let own: &Self = list.memory()?.as_any().downcast_ref()?;
        Arc::ptr_eq(&own.log, log).then(|| own.memory.address())
    }
}

// SAFETY: the stream's kernels wrote the list's objects to the memory, before this copy (I28).
unsafe impl ListMemory for DeviceList {
    fn fetch(&self) -> Result<Vec<u32>, Error> {
        self.log.check()?;
        let mut objects = vec![u32::MAX; self.len];
        let bytes = size_of_val(&objects[..]);
        // SAFETY: both buffers have this many bytes; the stream is synchronised below.
        unsafe { self.log.stream.download(objects.as_mut_ptr().cast(), self.memory.address(), bytes) }
            .map_err(|error| self.log.blame(error))?;
        self.log.synchronize()?;
        self.log.count_down(bytes);
        Ok(objects)
    }
    fn is_there(&self) -> bool {
        self.log.check().is_ok()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
