//! Animated maps as a page for browsers: pan, zoom, play, and choose the time.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::{Class, Layer, Network, NoPositions, Theme};

/// The page without its data.
const PAGE: &str = include_str!("player/page.html");
/// The number of values of 16-bit integers.
const STEPS: f32 = u16::MAX as f32;

/// A run to be played on a map, frame by frame. Frames are stored as compressed differences.
///
/// ```
/// use streets::{City, Layer, Player};
///
/// let network = City { junctions: 50, ..City::default() }.build();
/// let cars = Layer { name: "cars".into(), count: 1, colours: vec![[200, 40, 40], [40, 200, 40]], metres: 4.0, least: 2.0 };
/// let mut player = Player::new(&network, "One car", vec![cars], 0.0, 1.0).unwrap();
/// for tick in 0..20 {
///     player.frame([(network.position_on(0, 5.0 * tick as f32), 128)]);
/// }
/// let mut page = Vec::new();
/// player.write(&mut page).unwrap();
/// assert!(page.starts_with(b"<!doctype html>"));
/// ```
pub struct Player {
    title: String,
    layers: Vec<Layer>,
    /// The sampling interval of the points.
    stride: usize,
    /// Seconds at the first frame, and between frames.
    start: f32,
    seconds: f32,
    /// The smallest position, and metres per step.
    low: [f32; 2],
    high: [f32; 2],
    step: f32,
    streets: Vec<u8>,
    frames: ZlibEncoder<Vec<u8>>,
    before: [Vec<u16>; 3],
    is_on_earth: bool,
}

impl Player {
    /// The largest number of points that are shown; if there are more, a sample is shown.
    pub const MOST_POINTS: usize = 20_000;

    /// Begins a run on the map of a network. Frames are `seconds` apart; the first is at `start`.
    ///
    /// # Errors
    ///
    /// [`NoPositions`].
    pub fn new(
        network: &Network,
        title: &str,
        layers: Vec<Layer>,
        start: f32,
        seconds: f32,
    ) -> Result<Self, NoPositions> {
        let [low, high] = network.bounds().ok_or(NoPositions)?;
        let step = (0..2).map(|d| high[d] - low[d]).fold(1.0, f32::max) / STEPS;
        let points: usize = layers.iter().map(|layer| layer.count).sum();
        let mut player = Self {
            title: title.to_owned(),
            layers,
            stride: points.div_ceil(Self::MOST_POINTS).max(1),
            start,
            seconds,
            low,
            high,
            step,
            streets: Vec::new(),
            frames: ZlibEncoder::new(Vec::new(), Compression::default()),
            before: Default::default(),
            is_on_earth: network.degrees(low).is_some(),
        };
        for street in network.iter() {
            let is_drawn = |back: u32| back < street.id && (network.street(back).length - street.length).abs() < 1.0;
            if !network.opposite(street.id).is_some_and(is_drawn) {
                player.street(street.class, network.shape(street.id));
            }
        }
        Ok(player)
    }

    /// Converts metres to steps from the upper left.
    fn steps(&self, at: [f32; 2]) -> [u16; 2] {
        // Numbers outside the range are clamped.
        [((at[0] - self.low[0]) / self.step).round() as u16, ((self.high[1] - at[1]) / self.step).round() as u16]
    }

    fn street(&mut self, class: Class, points: impl ExactSizeIterator<Item = [f32; 2]>) {
        let count = u16::try_from(points.len()).unwrap_or(u16::MAX);
        self.streets.push(class as u8);
        self.streets.extend(count.to_le_bytes());
        for point in points.take(usize::from(count)) {
            let steps = self.steps(point);
            self.streets.extend(steps.into_iter().flat_map(u16::to_le_bytes));
        }
    }

    /// Adds a frame: the positions and values of all points, layer by layer.
    ///
    /// # Panics
    ///
    /// If the number of points differs from the sum of the layers.
    pub fn frame(&mut self, points: impl IntoIterator<Item = ([f32; 2], u8)>) {
        let mut points = points.into_iter();
        let mut now: [Vec<u16>; 3] = Default::default();
        for layer in 0..self.layers.len() {
            for n in 0..self.layers[layer].count {
                let (at, value) = points.next().expect("as many points as the layers have");
                if n % self.stride == 0 {
                    let [x, y] = self.steps(at);
                    now[0].push(x);
                    now[1].push(y);
                    now[2].push(u16::from(value));
                }
            }
        }
        for (part, (now, before)) in now.iter().zip(&self.before).enumerate() {
            let differences: Vec<[u8; 2]> = now
                .iter()
                .enumerate()
                .map(|(n, value)| value.wrapping_sub(before.get(n).copied().unwrap_or(0)).to_le_bytes())
                .collect();
            // Low bytes and high bytes are stored separately: nearly all high bytes are 0.
            let bytes = if part == 2 { 1 } else { 2 };
            for byte in 0..bytes {
                let bytes: Vec<u8> = differences.iter().map(|pair| pair[byte]).collect();
                self.frames.write_all(&bytes).expect("memory takes what is written");
            }
        }
        self.before = now;
    }

    /// Writes the page: a single self-contained file.
    ///
    /// # Errors
    ///
    /// The errors of the writer.
    pub fn write(self, mut writer: impl Write) -> io::Result<()> {
        let mut streets = ZlibEncoder::new(Vec::new(), Compression::default());
        streets.write_all(&self.streets)?;
        let title = escaped(&self.title);
        let shown = |count: usize| count.div_ceil(self.stride);
        let points: usize = self.layers.iter().map(|layer| shown(layer.count)).sum();
        let mut note = String::new();
        if self.stride > 1 {
            let all: usize = self.layers.iter().map(|layer| layer.count).sum();
            note.push_str(&format!("{points} of {all} points shown"));
        }
        if self.is_on_earth {
            note.push_str(if note.is_empty() { "" } else { " · " });
            note.push_str("© OpenStreetMap contributors");
        }
        let (start, rest) = PAGE.split_once("@DATA@").expect("the page has a place for its data");
        let named = |text: &str| text.replace("@TITLE@", &title).replace("@NOTE@", &note);
        write!(writer, "{}", named(start))?;
        let size = [0, 1].map(|d| self.high[d] - self.low[d]);
        write!(
            writer,
            "{{\"points\":{points},\"step\":{},\"size\":[{},{}],",
            self.step,
            size[0].max(1.0),
            size[1].max(1.0)
        )?;
        write!(
            writer,
            "\"start\":{},\"seconds\":{},\"major\":{},\"layers\":[",
            self.start,
            self.seconds,
            Class::Link as u8
        )?;
        for (n, layer) in self.layers.iter().enumerate() {
            let (comma, name, ramp) = (if n == 0 { "" } else { "," }, json(&layer.name), &layer.colours);
            let (count, metres, least) = (shown(layer.count), layer.metres, layer.least);
            write!(
                writer,
                "{comma}{{\"name\":{name},\"count\":{count},\"ramp\":{ramp:?},\"metres\":{metres},\"least\":{least}}}"
            )?;
        }
        write!(writer, "],")?;
        for (name, theme) in [("light", Theme::Light), ("dark", Theme::Dark)] {
            let colour = |[red, green, blue]: [u8; 3]| format!("\"rgb({red},{green},{blue})\"");
            let streets = Class::ALL.map(|class| {
                let style = theme.style(class);
                format!("[{},{},{},{}]", style.width, style.least, colour(style.colour), colour(style.casing))
            });
            write!(
                writer,
                "\"{name}\":{{\"paper\":{},\"streets\":[{}]}},",
                colour(theme.background()),
                streets.join(",")
            )?;
        }
        write!(writer, "\"streets\":\"{}\",", STANDARD.encode(streets.finish()?))?;
        write!(writer, "\"run\":\"{}\"}}", STANDARD.encode(self.frames.finish()?))?;
        write!(writer, "{}", named(rest))?;
        writer.flush()
    }
}

/// A text as HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A text as JSON that is safe inside a script.
fn json(text: &str) -> String {
    let character = |c: char| match c {
        '"' | '\\' | '<' | '>' | '&' | '\0'..='\x1f' | '\u{2028}' | '\u{2029}' => format!("\\u{:04x}", c as u32),
        _ => c.to_string(),
    };
    format!("\"{}\"", text.chars().map(character).collect::<String>())
}
