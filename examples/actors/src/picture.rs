//! Pictures: all actors on the map.

use ikra::prelude::*;
use streets::{Layer, Map, Marker, Network, NoPositions, Picture, Player, Theme};

use crate::model::{Motion, SECONDS, Street, Town};

const CYCLIST: [u8; 3] = [0x5c, 0xe0, 0xb8];
const PEDESTRIAN: [u8; 3] = [0x6f, 0xa8, 0xff];
const BUS: [u8; 3] = [0xe8, 0x7b, 0xff];
/// Of cars from those that stand to those at 100 km/h.
const SPEEDS: [[u8; 3]; 4] = [[0xff, 0x3b, 0x30], [0xff, 0x8a, 0x2b], [0xff, 0xd4, 0x4f], [0xf6, 0xff, 0xd8]];
/// The fastest colour, in metres per second.
const FASTEST: f32 = 100.0 / 3.6;

/// All colours of markers.
pub(crate) fn colours() -> Vec<[u8; 3]> {
    let steps = (0..=16).map(|n| speed_colour(n as f32 / 16.0 * FASTEST));
    [CYCLIST, PEDESTRIAN, BUS].into_iter().chain(steps).collect()
}

/// The map of a network, by night, so that who moves shows.
///
/// # Errors
///
/// [`NoPositions`].
pub(crate) fn map(network: &Network, width: u32) -> Result<Map, NoPositions> {
    Map::new(network, width, Map::height_for(network, width)?, Theme::Dark)
}

/// The map with all actors; cars by their speed.
pub(crate) fn draw(map: &Map, network: &Network, town: &Town) -> Picture {
    let count = town.cars.len() + town.buses.len() + town.cyclists.len() + town.pedestrians.len();
    // The more there are, the smaller.
    let area = map.picture().width() as f32 * map.picture().height() as f32;
    let radius = (0.16 * (area / count.max(1) as f32).sqrt()).clamp(0.6, 3.5);
    let mut picture = map.picture();
    let at = |street: Link<Street>, motion: Motion| network.position_on(street.index() as u32, motion.progress);
    let mark = |at, colour, radius| Marker { at, colour, radius };
    let walkers = town.pedestrians.iter();
    picture.mark(walkers.map(|walker| mark(at(walker.street, walker.motion), PEDESTRIAN, 0.8 * radius)));
    let cyclists = town.cyclists.iter();
    picture.mark(cyclists.map(|cyclist| mark(at(cyclist.street, cyclist.motion), CYCLIST, 0.9 * radius)));
    let cars = town.cars.iter();
    picture.mark(cars.map(|car| mark(at(car.street, car.motion), speed_colour(car.motion.moved / SECONDS), radius)));
    picture.mark(town.buses.iter().map(|bus| mark(at(bus.street, bus.motion), BUS, 1.5 * radius)));
    picture
}

/// A page that plays a run, one frame for so many ticks.
///
/// # Errors
///
/// [`NoPositions`].
pub(crate) fn player(network: &Network, town: &Town, ticks: u32) -> Result<Player, NoPositions> {
    let layer =
        |name: &str, count, colours, metres, least| Layer { name: name.to_owned(), count, colours, metres, least };
    let layers = vec![
        layer("pedestrians", town.pedestrians.len(), vec![PEDESTRIAN], 1.5, 1.3),
        layer("cyclists", town.cyclists.len(), vec![CYCLIST], 2.0, 1.5),
        layer("cars, 0 to 100 km/h", town.cars.len(), SPEEDS.to_vec(), 3.0, 1.7),
        layer("buses", town.buses.len(), vec![BUS], 5.0, 2.6),
    ];
    Player::new(network, "Actors in a city", layers, 0.0, ticks as f32 * SECONDS)
}

/// Adds a frame: where all are.
pub(crate) fn play(player: &mut Player, network: &Network, town: &Town) {
    let at = |street: Link<Street>, motion: Motion| network.position_on(street.index() as u32, motion.progress);
    let value = |motion: Motion| (motion.moved / SECONDS / FASTEST * 255.0).round() as u8;
    let walkers = town.pedestrians.iter().map(|walker| (at(walker.street, walker.motion), 0));
    let cyclists = town.cyclists.iter().map(|cyclist| (at(cyclist.street, cyclist.motion), 0));
    let cars = town.cars.iter().map(|car| (at(car.street, car.motion), value(car.motion)));
    let buses = town.buses.iter().map(|bus| (at(bus.street, bus.motion), 0));
    player.frame(walkers.chain(cyclists).chain(cars).chain(buses));
}

/// From red to white.
fn speed_colour(speed: f32) -> [u8; 3] {
    let place = (speed / FASTEST).clamp(0.0, 1.0) * (SPEEDS.len() - 1) as f32;
    let first = (place as usize).min(SPEEDS.len() - 2);
    let share = place - first as f32;
    std::array::from_fn(|n| {
        let (a, b) = (f32::from(SPEEDS[first][n]), f32::from(SPEEDS[first + 1][n]));
        (a + share * (b - a)).round() as u8
    })
}
