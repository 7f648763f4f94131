//! Pictures: all actors on the map.

use ikra::prelude::*;
use streets::{Layer, Map, Network, NoPositions, Theme};

use crate::model::{Motion, SECONDS, Street, Town};

const CYCLIST: [u8; 3] = [0x5c, 0xe0, 0xb8];
const PEDESTRIAN: [u8; 3] = [0x6f, 0xa8, 0xff];
const BUS: [u8; 3] = [0xe8, 0x7b, 0xff];
/// The colours of cars, from standing ones to 100 km/h.
const SPEEDS: [[u8; 3]; 4] = [[0xff, 0x3b, 0x30], [0xff, 0x8a, 0x2b], [0xff, 0xd4, 0x4f], [0xf6, 0xff, 0xd8]];
/// The speed of the last colour, in metres per second.
const FASTEST: f32 = 100.0 / 3.6;

/// The map of a network, by night, so that moving actors are visible.
///
/// # Errors
///
/// [`NoPositions`].
pub(crate) fn map(network: &Network, width: u32) -> Result<Map, NoPositions> {
    Map::new(network, width, Map::height_for(network, width)?, Theme::Dark)
}

/// The actors that are shown.
pub(crate) fn layers(town: &Town) -> Vec<Layer> {
    let layer =
        |name: &str, count, colours, metres, least| Layer { name: name.to_owned(), count, colours, metres, least };
    vec![
        layer("pedestrians", town.pedestrians.len(), vec![PEDESTRIAN], 1.5, 1.3),
        layer("cyclists", town.cyclists.len(), vec![CYCLIST], 2.0, 1.5),
        layer("cars, 0 to 100 km/h", town.cars.len(), SPEEDS.to_vec(), 3.0, 1.7),
        layer("buses", town.buses.len(), vec![BUS], 5.0, 2.6),
    ]
}

/// The positions of all actors, layer by layer, and the speeds of cars.
pub(crate) fn points(network: &Network, town: &Town) -> impl Iterator<Item = ([f32; 2], u8)> {
    let at = |street: Link<Street>, motion: Motion| network.position_on(street.index() as u32, motion.progress);
    let value = |motion: Motion| (motion.moved / SECONDS / FASTEST * 255.0).round() as u8;
    let walkers = town.pedestrians.iter().map(move |walker| (at(walker.street, walker.motion), 0));
    let cyclists = town.cyclists.iter().map(move |cyclist| (at(cyclist.street, cyclist.motion), 0));
    let cars = town.cars.iter().map(move |car| (at(car.street, car.motion), value(car.motion)));
    let buses = town.buses.iter().map(move |bus| (at(bus.street, bus.motion), 0));
    walkers.chain(cyclists).chain(cars).chain(buses)
}
