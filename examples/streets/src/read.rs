//! Networks from files.

mod edge_list;
mod graphml;
mod osm;
mod pbf;
mod source;
mod xml;

use std::fmt;
use std::io::{self, BufRead};
use std::path::Path;

use crate::{Builder, Network, Warnings};
use source::{Format, Source};

/// An error in a file, and its position.
///
/// ```
/// use streets::{Network, Place};
///
/// let error = Network::from_bytes("my.txt", b"# streets\n1 2 50\nx 1 50\n").unwrap_err();
/// assert_eq!(error.place, Place::Line(3));
/// assert_eq!(error.to_string(), "my.txt:3: \"x\" is not a node: nodes are numbers from 0 to 2⁶³ − 1");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct InputError {
    /// The file.
    pub file: String,
    /// The position of the error.
    pub place: Place,
    /// The error, and the expected contents.
    pub what: String,
}

/// A position in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line, counted from 1.
    Line(u64),
    /// A byte of the file, after decompression if the whole file is compressed.
    Byte(u64),
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, place, what } = self;
        match place {
            Place::File => write!(f, "{file}: {what}"),
            Place::Line(line) => write!(f, "{file}:{line}: {what}"),
            Place::Byte(byte) => write!(f, "{file}, byte {byte}: {what}"),
        }
    }
}

impl std::error::Error for InputError {}

impl InputError {
    /// Messages are one line, whatever the file contains.
    fn new(file: String, (place, what): Mistake) -> Self {
        const LONGEST: usize = 200;
        let is_long = what.chars().count() > LONGEST;
        let line = |c: char| if c.is_control() { ' ' } else { c };
        let mut what: String = what.chars().take(LONGEST).map(line).collect();
        if is_long {
            what.push('…');
        }
        Self { file, place, what }
    }
}

/// An error before the file's name is known.
type Mistake = (Place, String);

impl Network {
    /// Reads a file. Its contents determine its format:
    ///
    /// - GraphML, as OSMnx writes it, in degrees or projected to metres;
    /// - OpenStreetMap's PBF;
    /// - OpenStreetMap's XML;
    /// - lists of streets: a line is `FROM TO` or `FROM TO LENGTH`, in metres, `#` begins a comment;
    ///
    /// The file may be compressed by gzip or bzip2. Oddities that are not errors are counted.
    ///
    /// ```no_run
    /// # use streets::Network;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let (network, warnings) = Network::read("monaco.osm.gz".as_ref())?;
    /// for warning in warnings.iter() {
    ///     eprintln!("monaco.osm.gz: {warning}");
    /// }
    /// println!("{} junctions, {} streets", network.nodes(), network.streets());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// [`InputError`]: the file cannot be read, contains an error, or has no streets.
    pub fn read(path: &Path) -> Result<(Self, Warnings), InputError> {
        let file = path.display().to_string();
        Source::open(path).map_err(unreadable).and_then(parse).map_err(|mistake| InputError::new(file, mistake))
    }

    /// Reads the contents of a file; the name is used in messages only.
    ///
    /// # Errors
    ///
    /// [`InputError`].
    pub fn from_bytes(file: &str, content: &[u8]) -> Result<(Self, Warnings), InputError> {
        parse(Source::bytes(content.to_vec())).map_err(|mistake| InputError::new(file.to_owned(), mistake))
    }
}

fn parse(source: Source) -> Result<(Network, Warnings), Mistake> {
    let mut warnings = Warnings::default();
    let network = match source.format().map_err(unreadable)? {
        Format::GraphMl => graphml::read(source.reader().map_err(unreadable)?, &mut warnings)?,
        Format::OsmXml => osm::read(|visit| osm_xml(&source, visit), &mut warnings)?,
        Format::OsmPbf => osm::read(|visit| pbf::elements(source.reader().map_err(unreadable)?, visit), &mut warnings)?,
        Format::EdgeList => edge_list::read(source.reader().map_err(unreadable)?, &mut warnings)?,
    };
    if network.streets() == 0 {
        return Err((Place::File, "no streets between junctions that have positions".to_owned()));
    }
    Ok((network, warnings))
}

fn osm_xml(source: &Source, visit: &mut dyn FnMut(osm::Element<'_>) -> Result<(), Mistake>) -> Result<(), Mistake> {
    xml::elements(source.reader().map_err(unreadable)?, visit)
}

/// The system's error.
fn unreadable(error: io::Error) -> Mistake {
    (Place::File, format!("cannot be read: {error}"))
}

/// Checks that memory is free for a street with this many points, and for its nodes.
fn room(builder: &mut Builder, points: usize) -> Result<(), Mistake> {
    builder.reserve(points).map_err(|_| no_memory(builder.streets()))
}

/// The error if memory runs out.
fn no_memory(streets: usize) -> Mistake {
    (Place::File, format!("no memory for more than {streets} streets: choose a smaller area"))
}

/// Makes the network.
fn build(builder: Builder) -> Result<Network, Mistake> {
    let streets = builder.streets();
    builder.try_build().map_err(|_| no_memory(streets))
}

/// The largest length of a file's element or line, in bytes.
const LONGEST: u64 = 16 << 20;

/// Counts the lines that are read.
struct Lines<R> {
    inner: R,
    line: u64,
    /// The remaining bytes that the element may have.
    left: u64,
}

impl<R: BufRead> Lines<R> {
    fn new(inner: R) -> Self {
        Self { inner, line: 1, left: LONGEST }
    }

    /// Begins the next element.
    fn next(&mut self) -> &mut Self {
        self.left = LONGEST;
        self
    }
}

impl<R: BufRead> io::Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let count = available.len().min(buffer.len());
        buffer[..count].copy_from_slice(&available[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl<R: BufRead> BufRead for Lines<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.left == 0 {
            return Err(io::Error::other(format!("line {}: an element of more than {LONGEST} bytes", self.line)));
        }
        let available = self.inner.fill_buf()?;
        Ok(&available[..available.len().min(self.left as usize)])
    }

    fn consume(&mut self, count: usize) {
        // The buffer exists: the bytes come from it.
        if let Ok(available) = self.inner.fill_buf() {
            self.line += available[..count].iter().filter(|&&byte| byte == b'\n').count() as u64;
        }
        self.left = self.left.saturating_sub(count as u64);
        self.inner.consume(count);
    }
}
