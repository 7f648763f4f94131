//! Pictures: all cars and lights on the map.

use streets::{Layer, Map, Network, NoPositions, Theme};
use traffic::Traffic;

/// The colours of cars, from standing ones to 100 km/h.
const SPEEDS: [[u8; 3]; 4] = [[0xff, 0x3b, 0x30], [0xff, 0x8a, 0x2b], [0xff, 0xd4, 0x4f], [0xf6, 0xff, 0xd8]];
/// The speed of the last colour, in kilometres per hour.
const FASTEST: f64 = 100.0;
/// Red and green lights.
const LIGHTS: [[u8; 3]; 2] = [[0xe0, 0x2f, 0x5a], [0x2f, 0xd6, 0x8c]];
/// Metres from the middle of a two-way street to its right lane.
const SIDE: f32 = 2.5;
/// Metres from a light to its junction.
const STOP_LINE: f32 = 4.0;
/// Metres from the middle of a street to the light at its side.
const LIGHT_SIDE: f32 = 8.0;

/// The map of a network, by night, so that moving cars are visible.
///
/// # Errors
///
/// [`NoPositions`].
pub(crate) fn map(network: &Network, width: u32) -> Result<Map, NoPositions> {
    Map::new(network, width, Map::height_for(network, width)?, Theme::Dark)
}

/// The map of a network's traffic.
pub(crate) struct View<'a> {
    network: &'a Network,
    /// The streets with oncoming traffic: cars keep to the right.
    is_two_way: Vec<bool>,
    pub(crate) layers: Vec<Layer>,
}

impl<'a> View<'a> {
    pub(crate) fn new(network: &'a Network, traffic: &Traffic) -> Self {
        let layer = |name: &str, count, colours: &[[u8; 3]], metres, least| Layer {
            name: name.to_owned(),
            count,
            colours: colours.to_vec(),
            metres,
            least,
        };
        let is_two_way = (0..network.streets() as u32).map(|street| network.opposite(street).is_some());
        let lights = traffic.lights().filter(|light| light.is_light).count();
        Self {
            network,
            is_two_way: is_two_way.collect(),
            layers: vec![
                layer("cars, 0 to 100 km/h", traffic.cars().len(), &SPEEDS, 2.0, 1.7),
                layer("lights, red or green", lights, &LIGHTS, 1.6, 1.8),
            ],
        }
    }

    /// The positions of all points, layer by layer, with the lights' states and the cars' speeds.
    pub(crate) fn points(&self, traffic: &Traffic) -> impl Iterator<Item = ([f32; 2], u8)> {
        let lights = traffic.lights().filter(|light| light.is_light).map(|light| {
            let length = self.network.street(light.street).length;
            let at = self.beside(light.street, (length - STOP_LINE).max(0.5 * length), LIGHT_SIDE);
            (at, if light.is_green { 255 } else { 0 })
        });
        let cars = traffic.cars().map(|car| {
            let speed = traffic.parameters().kilometres_per_hour(f64::from(car.velocity));
            (self.place(car.street, car.metres), (speed / FASTEST * 255.0).round() as u8)
        });
        cars.chain(lights)
    }

    /// A position in the lane of a street.
    fn place(&self, street: u32, metres: f32) -> [f32; 2] {
        if self.is_two_way[street as usize] {
            self.beside(street, metres, SIDE)
        } else {
            self.network.position_on(street, metres)
        }
    }

    /// A position this many metres to the right of a street.
    fn beside(&self, street: u32, metres: f32, side: f32) -> [f32; 2] {
        let [at, ahead, behind] = [0.0, 1.0, -1.0].map(|more| self.network.position_on(street, metres + more));
        let (x, y) = (ahead[0] - behind[0], ahead[1] - behind[1]);
        let length = x.hypot(y).max(f32::MIN_POSITIVE);
        [at[0] + y / length * side, at[1] - x / length * side]
    }
}
