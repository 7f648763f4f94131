//! Draws a network: `cargo run --release -p streets --example draw -- medium city.png`, or with a file instead of the
//! name of a city, and `dark` for one by night.
#![forbid(unsafe_code)]

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::time::Instant;

use streets::{City, Map, Network, Theme};

/// Pixels.
const WIDTH: u32 = 1600;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, output, rest @ ..] = &arguments[..] else {
        return Err("expected a file or the name of a city, and the picture to write".into());
    };
    let start = Instant::now();
    let network = match input.parse::<City>() {
        Ok(city) => city.build(),
        Err(_) => {
            let (network, warnings) = Network::read(input.as_ref())?;
            warnings.iter().for_each(|warning| eprintln!("{input}: {warning}"));
            network
        }
    };
    println!(
        "{} junctions, {} streets, {:.0} km, {:.1} MB, in {:.0} ms",
        network.nodes(),
        network.streets(),
        network.length() / 1e3,
        network.bytes() as f64 / 1e6,
        start.elapsed().as_secs_f64() * 1e3
    );
    let theme = if rest.iter().any(|word| word == "dark") { Theme::Dark } else { Theme::Light };
    let map = Map::new(&network, WIDTH, Map::height_for(&network, WIDTH)?, theme)?;
    map.picture().write_png(BufWriter::new(File::create(output)?))?;
    Ok(())
}
