//! OpenStreetMap's PBF.

use std::io::{self, BufRead, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use osmpbf::{BlobDecode, BlobReader, PrimitiveBlock};

use super::osm::{Element, Tags};
use super::{Mistake, Place};
use crate::Control;
use crate::memory::addresses_for;

/// The memory for a block of a file, decompressed and decoded.
const BLOCK: u64 = 64 << 20;

/// Iterates over all nodes and ways of a file.
pub(super) fn elements(
    reader: impl BufRead + Send,
    visit: &mut dyn FnMut(Element<'_>) -> Result<(), Mistake>,
) -> Result<(), Mistake> {
    let position = Arc::new(AtomicU64::new(0));
    let mut blobs = BlobReader::new(Counted { inner: reader, position: Arc::clone(&position) });
    loop {
        let start = position.load(Ordering::Relaxed);
        let wrong = |error: osmpbf::Error| (Place::Byte(start), format!("not a block of PBF: {error}"));
        addresses_for(BLOCK).map_err(|_| (Place::Byte(start), "no memory for the next block".to_owned()))?;
        let Some(blob) = blobs.next() else { return Ok(()) };
        let blob = blob.map_err(wrong)?;
        match blob.decode().map_err(wrong)? {
            BlobDecode::OsmData(block) => block_elements(&block, visit)?,
            BlobDecode::OsmHeader(header) => {
                const KNOWN: [&str; 3] = ["OsmSchema-V0.6", "DenseNodes", "LocationsOnWays"];
                let features = header.required_features();
                if let Some(feature) = features.iter().find(|feature| !KNOWN.contains(&feature.as_str())) {
                    return Err((Place::Byte(start), format!("needs `{feature}`, which is not known here")));
                }
            }
            BlobDecode::Unknown(_) => {}
        }
    }
}

/// Iterates over the nodes and ways of a block.
fn block_elements(
    block: &PrimitiveBlock,
    visit: &mut dyn FnMut(Element<'_>) -> Result<(), Mistake>,
) -> Result<(), Mistake> {
    let (mut refs, mut tags) = (Vec::new(), Tags::default());
    for group in block.groups() {
        for node in group.nodes() {
            let control = control(node.tags());
            visit(Element::Node { id: node.id(), position: [node.lon(), node.lat()], control })?;
        }
        for node in group.dense_nodes() {
            let control = control(node.tags());
            visit(Element::Node { id: node.id(), position: [node.lon(), node.lat()], control })?;
        }
        for way in group.ways() {
            refs.clear();
            refs.extend(way.refs());
            tags.clear();
            way.tags().for_each(|(key, value)| tags.set(key, value));
            visit(Element::Way { id: way.id(), refs: &refs, tags: &tags })?;
        }
    }
    Ok(())
}

fn control<'a>(mut tags: impl Iterator<Item = (&'a str, &'a str)>) -> Control {
    tags.find(|&(key, _)| key == "highway").map_or(Control::None, |(_, value)| Control::parse(value))
}

/// Counts the bytes that are read.
struct Counted<R> {
    inner: R,
    position: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.position.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
