//! Positions: as stored in files, and in metres.

/// The mean radius of the Earth, in metres.
const RADIUS: f64 = 6_371_008.8;

/// The unit of a position's two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinates {
    /// Longitude and latitude.
    Degrees,
    /// Metres east and north of some point, as in projected maps.
    Metres,
}

impl Coordinates {
    /// The number of steps of [`Fixed`] per unit.
    fn steps(self) -> f64 {
        match self {
            Self::Degrees => 1e7,
            Self::Metres => 1e2,
        }
    }
}

/// A position in integers: units of 10⁻⁷ degrees, as in OpenStreetMap, or of centimetres.
pub(crate) type Fixed = [i32; 2];

/// An unknown position.
pub(crate) const UNKNOWN: Fixed = [i32::MIN; 2];

/// Rounds; `None` if the position is impossible.
pub(crate) fn fixed(coordinates: Coordinates, position: [f64; 2]) -> Option<Fixed> {
    let is_there = match coordinates {
        Coordinates::Degrees => position[0].abs() <= 180.0 && position[1].abs() <= 90.0,
        Coordinates::Metres => position.iter().all(|value| value.abs() < 2e7),
    };
    is_there.then(|| position.map(|value| (value * coordinates.steps()).round() as i32))
}

/// The inverse conversion.
pub(crate) fn exact(coordinates: Coordinates, position: Fixed) -> [f64; 2] {
    position.map(|value| f64::from(value) / coordinates.steps())
}

/// Converts degrees that turned out to be metres.
pub(crate) fn degrees_to_metres(position: &mut Fixed) {
    if *position != UNKNOWN {
        *position = position.map(|value| (f64::from(value) / 1e5).round() as i32);
    }
}

/// Metres between two positions.
pub(crate) fn distance(coordinates: Coordinates, a: Fixed, b: Fixed) -> f64 {
    let steps = coordinates.steps();
    let [mut dx, dy] = [0, 1].map(|d| (f64::from(b[d]) - f64::from(a[d])) / steps);
    if coordinates == Coordinates::Metres {
        return dx.hypot(dy);
    }
    dx = around(dx);
    let middle = (f64::from(a[1]) + f64::from(b[1])) / 2.0 / steps;
    (dx.to_radians() * middle.to_radians().cos()).hypot(dy.to_radians()) * RADIUS
}

/// The equivalent difference of longitudes, from −180° to 180°.
fn around(degrees: f64) -> f64 {
    degrees - 360.0 * (degrees / 360.0).round()
}

/// Converts positions in files to metres around the network's middle, by an equirectangular projection that is true to
/// scale there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Projection {
    coordinates: Coordinates,
    origin: [f64; 2],
    /// The length of a degree to the east, relative to a degree to the north.
    squeeze: f64,
}

impl Projection {
    /// The projection for these positions.
    pub(crate) fn around(coordinates: Coordinates, positions: &[Fixed]) -> Self {
        let mut low = [i32::MAX; 2];
        let mut high = [i32::MIN; 2];
        for position in positions.iter().filter(|&&position| position != UNKNOWN) {
            for d in 0..2 {
                low[d] = low[d].min(position[d]);
                high[d] = high[d].max(position[d]);
            }
        }
        let middle = |d: usize| (f64::from(low[d]) + f64::from(high[d])) / 2.0 / coordinates.steps();
        let origin = if low[0] > high[0] { [0.0; 2] } else { [middle(0), middle(1)] };
        // At the poles the map would be a line; a narrow map can still be converted back.
        let squeeze = if coordinates == Coordinates::Degrees { origin[1].to_radians().cos().max(0.01) } else { 1.0 };
        Self { coordinates, origin, squeeze }
    }

    /// Converts to metres.
    pub(crate) fn metres(&self, position: Fixed) -> [f32; 2] {
        let [mut dx, dy] = [0, 1].map(|d| f64::from(position[d]) / self.coordinates.steps() - self.origin[d]);
        match self.coordinates {
            Coordinates::Metres => [dx as f32, dy as f32],
            Coordinates::Degrees => {
                dx = around(dx) * self.squeeze;
                [dx, dy].map(|degrees| (degrees.to_radians() * RADIUS) as f32)
            }
        }
    }

    /// Longitude and latitude, if positions have them.
    pub(crate) fn degrees(&self, metres: [f32; 2]) -> Option<[f64; 2]> {
        let [x, y] = metres.map(|value| (f64::from(value) / RADIUS).to_degrees());
        let is_there = self.coordinates == Coordinates::Degrees;
        is_there.then(|| [around(self.origin[0] + x / self.squeeze), self.origin[1] + y])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let degrees = [[13.35, 52.51], [13.37, 52.52], [13.36, 52.50]];
        let positions = degrees.map(|position| fixed(Coordinates::Degrees, position).unwrap());
        let projection = Projection::around(Coordinates::Degrees, &positions);
        for (there, position) in degrees.iter().zip(positions) {
            let back = projection.degrees(projection.metres(position)).unwrap();
            assert!((0..2).all(|d| (there[d] - back[d]).abs() < 1e-7), "{there:?} {back:?}");
        }
        let [a, b] = [positions[0], positions[1]].map(|position| projection.metres(position));
        let flat = f64::from((b[0] - a[0]).hypot(b[1] - a[1]));
        let real = distance(Coordinates::Degrees, positions[0], positions[1]);
        assert!((flat - real).abs() < 0.2 && (1740.0..1780.0).contains(&real), "{flat} {real}");
    }

    #[test]
    fn across_the_date_line() {
        let [a, b] = [[179.999, 0.0], [-179.999, 0.0]].map(|at| fixed(Coordinates::Degrees, at).unwrap());
        assert!((distance(Coordinates::Degrees, a, b) - 222.4).abs() < 0.1);
    }

    #[test]
    fn what_is_no_position() {
        assert_eq!(fixed(Coordinates::Degrees, [181.0, 0.0]), None);
        assert_eq!(fixed(Coordinates::Degrees, [f64::NAN, 0.0]), None);
        assert_eq!(fixed(Coordinates::Metres, [0.0, f64::INFINITY]), None);
        assert_eq!(fixed(Coordinates::Metres, [500_000.0, 4_000_000.126]), Some([50_000_000, 400_000_013]));
    }
}
