//! Files as streams of bytes: decompressed, with the format recognized by the contents.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;

/// The limit for decompressed contents, as a multiple of the file's size, if they are larger than [`SMALL`]. Extracts
/// reach 30; a file that is meant to fill the memory reaches 1000.
const MOST_EXPANSION: u64 = 100;
const SMALL: u64 = 64 << 20;
/// The largest number of bytes that is read from a pipe.
const MOST_PIPED: u64 = 2 << 30;
/// The number of bytes that determine a file's format.
const START: u64 = 16 << 10;

/// A file's format.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Format {
    GraphMl,
    OsmXml,
    OsmPbf,
    EdgeList,
}

/// A source that can be read from its beginning several times.
pub(super) struct Source {
    content: Content,
    len: u64,
}

enum Content {
    File(PathBuf),
    Bytes(Vec<u8>),
}

impl Source {
    /// A file; a pipe is read completely at once.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_file() {
            return Ok(Self { content: Content::File(path.to_owned()), len: metadata.len() });
        }
        let mut bytes = Vec::new();
        file.by_ref().take(START).read_to_end(&mut bytes)?;
        // An endless device is not text, and its start shows that before it exceeds the limit.
        let start = Self::bytes(bytes);
        start.format()?;
        let Content::Bytes(mut bytes) = start.content else { unreachable!("made of bytes") };
        file.take(MOST_PIPED).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MOST_PIPED {
            return Err(io::Error::other(format!("longer than {MOST_PIPED} bytes")));
        }
        Ok(Self::bytes(bytes))
    }

    /// Contents in memory.
    pub(super) fn bytes(bytes: Vec<u8>) -> Self {
        Self { len: bytes.len() as u64, content: Content::Bytes(bytes) }
    }

    /// The decompressed contents, from the beginning.
    pub(super) fn reader(&self) -> io::Result<Box<dyn BufRead + Send + '_>> {
        const BUFFER: usize = 128 << 10;
        let mut raw: Box<dyn BufRead + Send + '_> = match &self.content {
            Content::File(path) => Box::new(BufReader::with_capacity(BUFFER, File::open(path)?)),
            Content::Bytes(bytes) => Box::new(Cursor::new(bytes)),
        };
        let start = raw.fill_buf()?;
        let most = SMALL.max(self.len.saturating_mul(MOST_EXPANSION));
        Ok(if start.starts_with(&[0x1f, 0x8b]) {
            Box::new(BufReader::with_capacity(BUFFER, Limited { inner: MultiGzDecoder::new(raw), left: most }))
        } else if start.starts_with(b"BZh") {
            Box::new(BufReader::with_capacity(BUFFER, Limited { inner: MultiBzDecoder::new(raw), left: most }))
        } else {
            raw
        })
    }

    /// The format.
    pub(super) fn format(&self) -> io::Result<Format> {
        let mut start = Vec::new();
        let read = self.reader()?.take(START).read_to_end(&mut start);
        // A truncated compressed file still shows its format.
        if start.is_empty() {
            read?;
        }
        // "OSMHeader" follows the length of the first block and a few bytes.
        if start[..start.len().min(32)].windows(9).any(|word| word == b"OSMHeader") {
            return Ok(Format::OsmPbf);
        }
        let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start).trim_ascii_start();
        if text.starts_with(b"<") {
            let has = |word: &[u8]| text.windows(word.len()).any(|part| part == word);
            return match (has(b"<graphml"), has(b"<osm")) {
                (true, _) => Ok(Format::GraphMl),
                (false, true) => Ok(Format::OsmXml),
                _ => Err(io::Error::other("XML, but neither <graphml> nor <osm>")),
            };
        }
        if text.contains(&0) {
            return Err(io::Error::other("neither a text nor OpenStreetMap's PBF"));
        }
        Ok(Format::EdgeList)
    }
}

/// A reader that fails if a decompressed file is longer than any map.
struct Limited<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let too_long = || {
            let what = format!("its content is more than {MOST_EXPANSION} times as long, which no map should be");
            io::Error::other(what)
        };
        self.left = self.left.checked_sub(count as u64).ok_or_else(too_long)?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn formats_show_by_content() {
        let format = |text: &[u8]| Source::bytes(text.to_vec()).format().map_err(|error| error.to_string());
        assert_eq!(format(b"\xef\xbb\xbf <?xml version='1.0'?>\n<graphml>"), Ok(Format::GraphMl));
        assert_eq!(format(b"<?xml version='1.0'?><!-- hi --><osm version='0.6'>"), Ok(Format::OsmXml));
        assert_eq!(format(b"\0\0\0\x0e\n\tOSMHeader\x18\x9c"), Ok(Format::OsmPbf));
        assert_eq!(format(b"# comment\n1 2 3\n"), Ok(Format::EdgeList));
        assert_eq!(format(b"<html>"), Err("XML, but neither <graphml> nor <osm>".to_owned()));
        assert_eq!(format(&[0; 100]), Err("neither a text nor OpenStreetMap's PBF".to_owned()));
    }

    #[test]
    fn compressed_content() {
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        let mut bz = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        gz.write_all(b"1 2 3\n").unwrap();
        bz.write_all(b"1 2 3\n").unwrap();
        for bytes in [gz.finish().unwrap(), bz.finish().unwrap()] {
            let source = Source::bytes(bytes);
            // Read twice, with the same result.
            for _ in 0..2 {
                let mut text = String::new();
                source.reader().unwrap().read_to_string(&mut text).unwrap();
                assert_eq!(text, "1 2 3\n");
            }
        }
    }

    #[test]
    fn a_file_that_is_made_to_fill_the_memory() {
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        for _ in 0..SMALL / 1024 + 1 {
            gz.write_all(&[b' '; 1024]).unwrap();
        }
        let source = Source::bytes(gz.finish().unwrap());
        let error = io::copy(&mut source.reader().unwrap(), &mut io::sink()).unwrap_err();
        assert_eq!(error.to_string(), "its content is more than 100 times as long, which no map should be");
    }
}
