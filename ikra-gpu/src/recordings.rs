//! Recordings on a device: graphs of launches.

use std::sync::Arc;

use ikra_runtime::error::Error;
use ikra_runtime::executor::{Recorded, Recorder, Recording};

use crate::device_world::DeviceWorld;
use crate::driver::Graph;
use crate::stream_log::{StreamLog, Trace};
use crate::tables::Members;
use crate::tables::{Table, TableState};

/// What was recorded.
#[derive(Debug)]
struct DeviceRecording {
    // Dropped first: what it runs is in the log's module.
    graph: Graph,
    trace: Trace,
    tables: Vec<TableState>,
    log: Arc<StreamLog>,
}

/// Records on a stream.
struct StreamRecorder(Arc<StreamLog>);

impl Recorder for StreamRecorder {
    fn record(&self, sequence: &mut dyn FnMut() -> Result<(), Error>) -> Result<Recorded, Error> {
        let (graph, trace) = self.0.record(sequence)?;
        Ok(Box::new(DeviceRecording { graph, trace, tables: Vec::new(), log: Arc::clone(&self.0) }))
    }
}

impl DeviceWorld {
    pub(crate) fn recorder(&mut self, members: &mut Members<'_>) -> Result<Arc<dyn Recorder>, Error> {
        self.log.refuse_in_recording("another recording")?;
        self.prepare(members, None)?;
        self.log.synchronize()?;
        Ok(Arc::new(StreamRecorder(Arc::clone(&self.log))))
    }

    /// Adds what the tables said, if this is what was recorded here.
    pub(crate) fn recorded(&mut self, recorded: Recorded) -> Result<Recorded, Error> {
        let own = recorded.downcast::<DeviceRecording>().ok().filter(|made| Arc::ptr_eq(&made.log, &self.log));
        let Some(mut recorded) = own else {
            return Err(Error::NotRecordable { what: String::from("putting another world in this one's place") });
        };
        recorded.tables = self.class_tables().iter().map(|table| table.state.clone()).collect();
        Ok(recorded)
    }

    pub(crate) fn replay(&mut self, members: &mut Members<'_>, recording: &Recording) -> Result<(), Error> {
        self.log.refuse_in_recording("replaying another one")?;
        let own = recording.recorded::<DeviceRecording>().filter(|made| Arc::ptr_eq(&made.log, &self.log));
        let Some(recorded) = own else {
            let reason = String::from("it was made in another world, or before this one was opened again");
            return Err(Error::StaleRecording { reason });
        };
        self.prepare(members, None)?;
        if let Some(reason) = Table::difference(self.class_tables(), &recorded.tables) {
            return Err(Error::StaleRecording { reason });
        }
        // SAFETY: recorded on this stream, whose module is loaded. The launches are for the columns, numbers of
        // objects and lengths of arrays that the tables said then, and say now; columns with the same number are
        // the same memory, which the world has.
        unsafe { self.log.stream.replay(&recorded.graph) }?;
        self.log.replayed(&recorded.trace.kernels);
        for objects in members.iter_mut() {
            for &(class, fields) in &recorded.trace.changes {
                if class == objects.class() {
                    // SAFETY: `prepare` copied all objects to the columns, in which the kernels change these.
                    unsafe { objects.changed_on_device(fields) };
                }
            }
        }
        Ok(())
    }
}
