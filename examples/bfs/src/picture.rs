//! Pictures of a search: where each level is, or how many vertices it has.

use std::path::Path;

use image::{ImageFormat, Rgb, RgbImage};

use bfs::graph::Graph;
use bfs::model::UNREACHED;

use crate::Failure;

/// Width and height in pixels.
const SIZE: u32 = 800;
const BACKGROUND: Rgb<u8> = Rgb([16, 18, 24]);

/// Draws the levels of a graph.
pub(crate) fn write(path: &Path, graph: &Graph, levels: &[u32]) -> Result<(), Failure> {
    let picture = match &graph.positions {
        Some(positions) => map(positions, levels),
        None => bars(levels),
    };
    picture
        .save_with_format(path, ImageFormat::Png)
        .map_err(|error| Failure::Output { path: path.display().to_string(), reason: error.to_string() })
}

fn deepest(levels: &[u32]) -> u32 {
    levels.iter().copied().filter(|&level| level != UNREACHED).max().unwrap_or(0)
}

/// Blue near the source, yellow far from it, in bands so that the fronts show.
fn colour(level: u32, deepest: u32) -> Rgb<u8> {
    let at = level as f32 / deepest.max(1) as f32;
    let band = if (level / (deepest / 20).max(1)).is_multiple_of(2) { 1.0 } else { 0.72 };
    let mix = |a: f32, b: f32| (band * (a + (b - a) * at)) as u8;
    Rgb([mix(40.0, 255.0), mix(90.0, 210.0), mix(220.0, 70.0)])
}

/// Each vertex where it lies.
fn map(positions: &[[f32; 2]], levels: &[u32]) -> RgbImage {
    let mut picture = RgbImage::from_pixel(SIZE, SIZE, BACKGROUND);
    let bound = |pick: fn(f32, f32) -> f32, start| {
        positions.iter().fold([start; 2], |bound: [f32; 2], at| [pick(bound[0], at[0]), pick(bound[1], at[1])])
    };
    let (least, most) = (bound(f32::min, f32::INFINITY), bound(f32::max, f32::NEG_INFINITY));
    let scale = (SIZE - 1) as f32 / (most[0] - least[0]).max(most[1] - least[1]).max(1e-6);
    let deepest = deepest(levels);
    for (at, &level) in positions.iter().zip(levels) {
        let pixel = |d: usize| (((at[d] - least[d]) * scale) as u32).min(SIZE - 1);
        if level != UNREACHED {
            picture.put_pixel(pixel(0), pixel(1), colour(level, deepest));
        }
    }
    picture
}

/// A bar a level, as high as it has vertices.
fn bars(levels: &[u32]) -> RgbImage {
    let mut picture = RgbImage::from_pixel(SIZE, SIZE / 2, BACKGROUND);
    let deepest = deepest(levels);
    let mut counts = vec![0_u64; deepest as usize + 1];
    for &level in levels.iter().filter(|&&level| level != UNREACHED) {
        counts[level as usize] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    for x in 0..SIZE {
        let level = (u64::from(x) * counts.len() as u64 / u64::from(SIZE)) as usize;
        let height = (counts[level] * u64::from(SIZE / 2 - 10)).div_ceil(most) as u32;
        for y in 0..height {
            picture.put_pixel(x, SIZE / 2 - 1 - y, colour(level as u32, deepest));
        }
    }
    picture
}
