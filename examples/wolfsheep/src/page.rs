//! The run as a page for browsers, in one file.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use wolfsheep::{Counts, Field, Parameters};

use crate::picture::{COLOURS, kinds};

/// The page without its data.
const PAGE: &str = include_str!("page.html");

/// Frames, one byte per cell, compressed.
pub(crate) struct Page {
    size: [u32; 2],
    frames: ZlibEncoder<Vec<u8>>,
}

impl Page {
    pub(crate) fn new(field: &Field, parameters: &Parameters) -> Self {
        let frames = ZlibEncoder::new(Vec::new(), Compression::default());
        let mut page = Self { size: parameters.size, frames };
        page.frame(field);
        page
    }

    pub(crate) fn frame(&mut self, field: &Field) {
        self.frames.write_all(&kinds(field)).expect("memory takes what is written");
    }

    /// Writes the page. Frames are `stride` steps apart.
    pub(crate) fn write(self, writer: &mut impl Write, history: &[Counts], stride: u32) -> io::Result<()> {
        let counts: Vec<_> = history.iter().map(|of| [of.grass, of.sheep, of.wolves]).collect();
        let frames = STANDARD.encode(self.frames.finish()?);
        let data = format!(
            "{{\"size\":{:?},\"stride\":{stride},\"colours\":{COLOURS:?},\"counts\":{counts:?},\"frames\":\"{frames}\"}}",
            self.size
        );
        write!(writer, "{}", PAGE.replace("@DATA@", &data))
    }
}
