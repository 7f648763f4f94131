//! The entry points of a world's device code, found once each.

use std::sync::Arc;

use ikra_core::device_lives::LinkChange;
use ikra_core::fingerprint::Signature;
use ikra_core::kernel::{Argument, Entry};
use ikra_core::transfer::WireType;
use ikra_runtime::error::GpuError;
use ikra_runtime::objects::AnyObjects;

use crate::code::{Compiled, Kind, Shape};
use crate::device_world::DeviceWorld;
use crate::tables::{Loaded, Table};

impl DeviceWorld {
    /// The kernel's entry of this kind, with these arguments.
    pub(crate) fn entry(
        &mut self,
        entry: &'static Entry,
        kind: Kind,
        shape: Shape<'_>,
        arguments: &[Argument<'_>],
    ) -> Result<Arc<Loaded>, GpuError> {
        let key = (std::ptr::from_ref(entry).addr(), kind);
        if let Some(entry) = self.entries.get(&key) {
            return Ok(entry.clone());
        }
        let (module, compiled) = self.codes.entry(entry, kind, shape, arguments)?;
        if self.codes.is_recursive(module, &compiled.symbol) {
            self.log.note_recursive(entry.origin.name());
        }
        let loaded = Arc::new(self.loaded(module, compiled)?);
        Ok(self.entries.entry(key).or_insert(loaded).clone())
    }

    /// The entry point that changes the links of a member's objects, if the device code has it.
    pub(crate) fn links_entry(
        &mut self,
        member: usize,
        objects: &dyn AnyObjects,
    ) -> Result<Option<Arc<Loaded>>, GpuError> {
        if self.tables[member].links.is_none() {
            let Signature { origin, fingerprint, .. } = objects.signature();
            let entry = Entry { origin, fingerprint };
            let shape = Shape { own: &[size_of::<LinkChange>()], result: WireType::NONE };
            if self.codes.find(&entry, Kind::Links).is_none() {
                return Ok(None);
            }
            let (module, compiled) = self.codes.entry(&entry, Kind::Links, shape, &[])?;
            let loaded = self.loaded(module, compiled)?;
            self.tables[member].links = Some(Arc::new(loaded));
        }
        Ok(self.tables[member].links.clone())
    }

    fn loaded(&self, module: usize, compiled: &Compiled) -> Result<Loaded, GpuError> {
        let symbol = &compiled.symbol;
        let function = self.log.modules[module].function(symbol)?.ok_or_else(|| self.codes.no_such_kernel(symbol))?;
        let words = compiled.words.iter().map(|(table, places)| {
            let is_own = |known: &Table| known.symbols[module].as_ref() == Some(table);
            (self.tables.iter().position(is_own), places.clone())
        });
        let (words, symbol) = (words.collect(), symbol.clone());
        Ok(Loaded { function, module, symbol, words, reads_tables: compiled.reads_tables })
    }
}
