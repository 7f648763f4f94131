//! Maps as pictures.

use std::io::{self, Write};

use tiny_skia::{Color, LineCap, LineJoin, Paint, PathBuilder, Pixmap, Stroke, Transform};

use crate::{Class, Layer, Network};

/// The number of streets of one colour that are drawn together.
const AT_ONCE: usize = 2048;
/// Space around the network, in pixels.
const MARGIN: f32 = 16.0;
/// The largest radius of points, in pixels.
const LARGEST: f32 = 9.0;

/// Colours of maps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Streets on paper.
    #[default]
    Light,
    /// Streets by night.
    Dark,
}

/// How streets of a class are drawn.
pub(crate) struct Style {
    /// Their width in metres on the ground.
    pub(crate) width: f32,
    /// Their smallest width in pixels.
    pub(crate) least: f32,
    pub(crate) colour: [u8; 3],
    /// The colour of their edges, if they are wide enough.
    pub(crate) casing: [u8; 3],
}

impl Theme {
    /// The colour of the background.
    #[must_use]
    pub fn background(self) -> [u8; 3] {
        match self {
            Self::Light => [0xf3, 0xf0, 0xe9],
            Self::Dark => [0x12, 0x15, 0x1b],
        }
    }

    pub(crate) fn style(self, class: Class) -> Style {
        let (width, least, light, dark) = match class {
            Class::Motorway => (24.0, 2.4, [0xe9_8b_6d, 0xb8_5c_40], [0x6a_80_b4, 0x30_3c_5c]),
            Class::Trunk => (20.0, 2.2, [0xf4_ac_78, 0xc0_7a_48], [0x60_76_a8, 0x2c_38_56]),
            Class::Primary => (17.0, 1.9, [0xf9_cf_86, 0xc9_98_47], [0x56_6b_98, 0x29_34_4f]),
            Class::Secondary => (14.0, 1.5, [0xf7_e2_8b, 0xbf_a9_55], [0x4c_5f_88, 0x26_30_48]),
            Class::Tertiary => (12.0, 1.1, [0xff_ff_ff, 0xa9_a1_94], [0x42_52_72, 0x22_2a_3c]),
            Class::Link => (9.0, 1.1, [0xf4_bf_96, 0xc0_8a_5c], [0x52_64_8e, 0x28_32_4a]),
            Class::Unclassified | Class::Residential => (9.0, 0.7, [0xff_ff_ff, 0xb9_b1_a4], [0x35_40_54, 0x1f_26_31]),
            Class::LivingStreet => (8.0, 0.6, [0xf4_f4_f4, 0xb9_b1_a4], [0x32_3b_4c, 0x1f_25_2f]),
            Class::Service | Class::Track => (5.0, 0.45, [0xfd_fc_fa, 0xc6_bf_b3], [0x29_31_3e, 0x1b_20_28]),
            Class::Pedestrian => (7.0, 0.5, [0xe4_dd_ea, 0xc6_bd_ce], [0x33_34_44, 0x20_20_2a]),
            Class::Cycleway => (2.5, 0.4, [0x8f_ad_cf, 0x8f_ad_cf], [0x2c_3c_52, 0x2c_3c_52]),
            Class::Footway | Class::Steps => (2.0, 0.4, [0x9d_b8_86, 0x9d_b8_86], [0x2b_3d_2f, 0x2b_3d_2f]),
        };
        let [colour, casing] = if self == Self::Light { light } else { dark }.map(rgb);
        Style { width, least, colour, casing }
    }
}

fn rgb(hexadecimal: u32) -> [u8; 3] {
    let [_, red, green, blue] = hexadecimal.to_be_bytes();
    [red, green, blue]
}

/// The network has no positions, so it cannot be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoPositions;

impl std::fmt::Display for NoPositions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the network's junctions have no positions, so there is no map")
    }
}

impl std::error::Error for NoPositions {}

/// A point on a map: a car, a light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marker {
    /// Its position, in metres.
    pub at: [f32; 2],
    /// Red, green and blue.
    pub colour: [u8; 3],
    /// Its radius in pixels.
    pub radius: f32,
}

/// A network drawn as a picture: north is up, and larger streets cover smaller ones.
///
/// ```
/// use streets::{City, Map, Theme};
///
/// let network = City { junctions: 100, ..City::default() }.build();
/// let map = Map::new(&network, 300, 200, Theme::Dark).unwrap();
/// let middle = map.pixel([0.0, 0.0]);
/// assert!((0.0..300.0).contains(&middle[0]) && (0.0..200.0).contains(&middle[1]));
/// assert_eq!(map.picture().pixel(0, 0), Theme::Dark.background());
/// ```
#[derive(Clone, Debug)]
pub struct Map {
    paper: Pixmap,
    /// Pixels per metre.
    scale: f32,
    /// The pixel of the network's middle.
    origin: [f32; 2],
    theme: Theme,
}

impl Map {
    /// Draws a network as large as the picture's size allows.
    ///
    /// # Errors
    ///
    /// [`NoPositions`].
    ///
    /// # Panics
    ///
    /// If the picture has no pixels, or more than 2²⁹ pixels.
    pub fn new(network: &Network, width: u32, height: u32, theme: Theme) -> Result<Self, NoPositions> {
        let [low, high] = network.bounds().ok_or(NoPositions)?;
        let size = [width, height].map(|pixels| pixels as f32);
        let margin = MARGIN.min(size[0] / 8.0).min(size[1] / 8.0);
        let scale = (0..2).map(|d| (size[d] - 2.0 * margin) / (high[d] - low[d]).max(1.0)).fold(f32::MAX, f32::min);
        let [x, y] = [0, 1].map(|d| (low[d] + high[d]) / 2.0 * scale);
        let [red, green, blue] = theme.background();
        let is_small = u64::from(width) * u64::from(height) < 1 << 29;
        let mut paper = Pixmap::new(width, height).filter(|_| is_small).expect("a picture has pixels, less than 2²⁹");
        paper.fill(Color::from_rgba8(red, green, blue, 255));
        let mut map = Self { paper, scale, origin: [size[0] / 2.0 - x, size[1] / 2.0 + y], theme };
        map.streets(network);
        Ok(map)
    }

    /// The height at which the network fills a picture of this width.
    ///
    /// # Errors
    ///
    /// [`NoPositions`].
    pub fn height_for(network: &Network, width: u32) -> Result<u32, NoPositions> {
        let [low, high] = network.bounds().ok_or(NoPositions)?;
        let shape = (high[1] - low[1]).max(1.0) / (high[0] - low[0]).max(1.0);
        let inner = (width as f32 - 2.0 * MARGIN).max(1.0);
        Ok((inner * shape.clamp(0.3, 2.0) + 2.0 * MARGIN) as u32)
    }

    /// The position of a point, in pixels from the upper left.
    #[must_use]
    pub fn pixel(&self, at: [f32; 2]) -> [f32; 2] {
        [self.origin[0] + at[0] * self.scale, self.origin[1] - at[1] * self.scale]
    }

    /// Pixels per metre.
    #[must_use]
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// A copy to mark points on.
    #[must_use]
    pub fn picture(&self) -> Picture {
        Picture {
            paper: self.paper.clone(),
            map: MapFrame { scale: self.scale, origin: self.origin, theme: self.theme },
        }
    }

    /// The map with points on it, given by positions and values. Points are drawn layer by layer, and the last layer
    /// lies on top. The more points there are, the smaller they are.
    ///
    /// ```
    /// use streets::{City, Layer, Map, Theme};
    ///
    /// let network = City { junctions: 50, ..City::default() }.build();
    /// let map = Map::new(&network, 200, 150, Theme::Light).unwrap();
    /// let red = [255, 0, 0];
    /// let cars = Layer { name: "cars".into(), count: 1, colours: vec![red], metres: 4.0, least: 2.0 };
    /// let picture = map.draw(&[cars], [(network.position(0), 0)]);
    /// let [x, y] = map.pixel(network.position(0));
    /// assert_eq!(picture.pixel(x as u32, y as u32), red);
    /// ```
    ///
    /// # Panics
    ///
    /// If the number of points differs from the sum of the layers.
    #[must_use]
    pub fn draw(&self, layers: &[Layer], points: impl IntoIterator<Item = ([f32; 2], u8)>) -> Picture {
        let count: usize = layers.iter().map(|layer| layer.count).sum();
        let area = self.paper.width() as f32 * self.paper.height() as f32;
        let size = (0.09 * (area / count.max(1) as f32).sqrt()).clamp(0.4, 1.6);
        let mut points = points.into_iter();
        let mut picture = self.picture();
        for layer in layers {
            let radius = (layer.metres * self.scale).max(layer.least * size).min(LARGEST);
            for _ in 0..layer.count {
                let (at, value) = points.next().expect("as many points as the layers have");
                picture.mark([Marker { at, colour: layer.colour(value), radius }]);
            }
        }
        picture
    }

    fn streets(&mut self, network: &Network) {
        let mut by_class: [Vec<u32>; Class::ALL.len()] = Default::default();
        for street in network.iter() {
            // Both directions of a street are one line.
            let is_drawn = |back: u32| back < street.id && (network.street(back).length - street.length).abs() < 1.0;
            if !network.opposite(street.id).is_some_and(is_drawn) {
                by_class[street.class as usize].push(street.id);
            }
        }
        // All edges of streets lie below all streets of the same importance, so that crossings are open.
        let minor = Class::Link as usize;
        for classes in [minor..Class::ALL.len(), 0..minor] {
            for is_casing in [true, false] {
                for n in classes.clone().rev() {
                    self.class(network, Class::ALL[n], &by_class[n], is_casing);
                }
            }
        }
    }

    /// Draws streets of a class, or their edges.
    fn class(&mut self, network: &Network, class: Class, streets: &[u32], is_casing: bool) {
        let style = self.theme.style(class);
        let mut width = (style.width * self.scale).clamp(style.least, 14.0);
        let is_thin = width < 1.6;
        if is_casing && is_thin {
            return;
        }
        // White on paper is visible by its edges; a street too thin for edges has the edges' colour.
        let is_pale = is_thin && self.theme == Theme::Light && class >= Class::Tertiary;
        let [red, green, blue] = if is_casing || is_pale { style.casing } else { style.colour };
        let mut paint = Paint { anti_alias: true, ..Paint::default() };
        paint.set_color_rgba8(red, green, blue, 255);
        if is_casing {
            width += (0.25 * width).clamp(0.8, 2.4);
        }
        let stroke = Stroke { width, line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() };
        for streets in streets.chunks(AT_ONCE) {
            let mut path = PathBuilder::new();
            for &street in streets {
                for (n, point) in network.shape(street).enumerate() {
                    let [x, y] = self.pixel(point);
                    if n == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
                }
            }
            if let Some(path) = path.finish() {
                self.paper.stroke_path(&path, &paint, &stroke, Transform::identity(), None);
            }
        }
    }
}

/// The facts about its map that a picture needs.
#[derive(Clone, Copy, Debug)]
struct MapFrame {
    scale: f32,
    origin: [f32; 2],
    theme: Theme,
}

/// A map with points on it.
#[derive(Clone, Debug)]
pub struct Picture {
    paper: Pixmap,
    map: MapFrame,
}

impl Picture {
    /// Its width in pixels.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.paper.width()
    }

    /// Its height in pixels.
    #[must_use]
    pub fn height(&self) -> u32 {
        self.paper.height()
    }

    /// Draws points as discs. Discs larger than two pixels have an outline that makes them stand out.
    pub fn mark(&mut self, markers: impl IntoIterator<Item = Marker>) {
        let edge = self.map.theme.background().map(|value| value / 2);
        for Marker { at, colour, radius } in markers {
            let MapFrame { scale, origin, .. } = self.map;
            let middle = [origin[0] + at[0] * scale, origin[1] - at[1] * scale];
            if radius > 2.0 {
                self.disc(middle, radius + 0.9, edge, 0.65);
            }
            self.disc(middle, radius, colour, 1.0);
        }
    }

    /// A disc with soft edges.
    fn disc(&mut self, [x, y]: [f32; 2], radius: f32, colour: [u8; 3], opacity: f32) {
        let (width, height) = (self.paper.width() as i64, self.paper.height() as i64);
        let range = |middle: f32, size: i64| {
            ((middle - radius - 1.0).floor() as i64).max(0)..((middle + radius + 2.0).ceil() as i64).min(size)
        };
        let pixels = self.paper.data_mut();
        for row in range(y, height) {
            for column in range(x, width) {
                let distance = (column as f32 + 0.5 - x).hypot(row as f32 + 0.5 - y);
                let cover = (radius + 0.5 - distance).clamp(0.0, 1.0) * opacity;
                if cover > 0.0 {
                    let first = (row * width + column) as usize * 4;
                    for (value, colour) in pixels[first..first + 3].iter_mut().zip(colour) {
                        *value = (f32::from(*value) + cover * (f32::from(colour) - f32::from(*value))).round() as u8;
                    }
                }
            }
        }
    }

    /// Red, green and blue of a pixel.
    ///
    /// # Panics
    ///
    /// If the pixel does not exist.
    #[must_use]
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 3] {
        let pixel = self.paper.pixel(x, y).expect("a pixel of the picture");
        [pixel.red(), pixel.green(), pixel.blue()]
    }

    /// Red, green and blue of all pixels, row by row from the top.
    #[must_use]
    pub fn rgb(&self) -> Vec<u8> {
        self.paper.data().chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()
    }

    /// Writes the picture as PNG.
    ///
    /// # Errors
    ///
    /// The errors of the writer.
    pub fn write_png(&self, writer: impl Write) -> io::Result<()> {
        let mut encoder = png::Encoder::new(writer, self.width(), self.height());
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.rgb())?;
        Ok(writer.finish()?)
    }
}
