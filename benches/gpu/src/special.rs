//! Kernels as they are, and specialised for tables that do not change.

use ikra::Place;
use ikra::prelude::*;
use ikra_baselines::table::{beside, table};
use ikra_baselines::{sizes, time};

use crate::model::tables::{Instruction, Picture, Pixel, Tap};

const GPU: Place = Place::Gpu(0);

/// A picture without pixels, with a filter of this radius and a program of so many instructions.
fn picture(taps: i32, instructions: u32) -> Result<Picture, ikra::Error> {
    let mut picture = Picture::new();
    for dy in -taps..=taps {
        for dx in -taps..=taps {
            // A quarter of the factors is zero.
            let weight = if (dx + dy) % 4 == 0 { 0.0 } else { 1.0 / (1 + dx * dx + dy * dy) as f32 };
            picture.taps.push(Tap { dx, dy, weight })?;
        }
    }
    for n in 0..instructions {
        let (a, b, to) = (n * 5 % 8, n * 3 % 7, (n + 1) % 8);
        let instruction = Instruction { operation: n * 7 % 5, a, b, to, number: n as f32 / 16.0 };
        picture.instructions.push(instruction)?;
    }
    Ok(picture)
}

/// The results of a kernel, all of whose bits count.
fn results(picture: &mut Picture) -> u64 {
    picture.pixels.iter().fold(0_u64, |sum, pixel| sum.rotate_left(5) ^ u64::from(pixel.result.to_bits()))
}

/// Times a kernel on worlds of the same contents; in the second it is specialised.
fn compare(
    name: &str,
    n: usize,
    [general, special]: [&mut Picture; 2],
    mut kernel: impl FnMut(&mut Picture) -> Result<(), ikra::Error>,
) -> Result<(), ikra::Error> {
    kernel(special)?;
    let reports = special.cuda().specialized()?;
    let [before, after] = [time(general, &mut kernel)?, time(special, &mut kernel)?];
    assert_eq!(results(general), results(special), "{name}");
    let report = reports.first().map(ToString::to_string).unwrap_or_default();
    beside(name, n, after, before, &[&report]);
    Ok(())
}

pub fn special() -> Result<(), ikra::Error> {
    table(&["kernel", "pixels", "specialised", "as it is", "ratio", "report"], 1);
    for n in sizes([1 << 20, 1 << 24], 1 << 10) {
        for (radius, instructions) in [(1, 16), (2, 64), (4, 256)] {
            let mut worlds = [picture(radius, instructions)?, picture(radius, instructions)?];
            for world in &mut worlds {
                world.on(GPU).construct(n, Pixel::spawn, ())?;
            }
            let [general, special] = &mut worlds;
            special.on(GPU).specialize_for::<Tap>()?;
            let width = 1_u32 << (n.ilog2() / 2);
            let side = 2 * radius + 1;
            let filter = |world: &mut Picture| world.on(GPU).execute(Pixel::filter, width);
            compare(&format!("filter of {side} × {side}"), n, [&mut *general, &mut *special], filter)?;
            // A world of its own, whose other kernel has no report.
            let mut fresh = picture(radius, instructions)?;
            fresh.on(GPU).construct(n, Pixel::spawn, ())?;
            fresh.on(GPU).specialize_for::<Instruction>()?;
            let execute = |world: &mut Picture| world.on(GPU).execute(Pixel::execute, ());
            compare(&format!("program of {instructions} steps"), n, [general, &mut fresh], execute)?;
        }
    }
    Ok(())
}
