//! Pictures of a search: a map of its levels, or the number of vertices per level.

use bfs::graph::Graph;
use bfs::model::UNREACHED;
use example_program::Picture;

/// Width and height in pixels.
const SIZE: usize = 800;
const BACKGROUND: [u8; 3] = [16, 18, 24];

/// Draws the levels of a graph.
pub(crate) fn draw(graph: &Graph, levels: &[u32]) -> Picture {
    match &graph.positions {
        Some(positions) => map(positions, levels),
        None => bars(levels),
    }
}

fn deepest(levels: &[u32]) -> u32 {
    levels.iter().copied().filter(|&level| level != UNREACHED).max().unwrap_or(0)
}

/// Blue near the source, yellow far from it, in bands that show the fronts.
fn colour(level: u32, deepest: u32) -> [u8; 3] {
    let at = level as f32 / deepest.max(1) as f32;
    let band = if (level / (deepest / 20).max(1)).is_multiple_of(2) { 1.0 } else { 0.72 };
    let mix = |a: f32, b: f32| (band * (a + (b - a) * at)) as u8;
    [mix(40.0, 255.0), mix(90.0, 210.0), mix(220.0, 70.0)]
}

/// Draws each vertex at its position.
fn map(positions: &[[f32; 2]], levels: &[u32]) -> Picture {
    let mut picture = Picture::new(SIZE, SIZE, BACKGROUND);
    let bound = |pick: fn(f32, f32) -> f32, start| {
        positions.iter().fold([start; 2], |bound: [f32; 2], at| [pick(bound[0], at[0]), pick(bound[1], at[1])])
    };
    let (least, most) = (bound(f32::min, f32::INFINITY), bound(f32::max, f32::NEG_INFINITY));
    let scale = (SIZE - 1) as f32 / (most[0] - least[0]).max(most[1] - least[1]).max(1e-6);
    let deepest = deepest(levels);
    for (at, &level) in positions.iter().zip(levels) {
        let pixel = |d: usize| (((at[d] - least[d]) * scale) as usize).min(SIZE - 1);
        if level != UNREACHED {
            picture.put(pixel(0), pixel(1), colour(level, deepest));
        }
    }
    picture
}

/// Draws one bar per level; its height is the level's number of vertices.
fn bars(levels: &[u32]) -> Picture {
    let mut picture = Picture::new(SIZE, SIZE / 2, BACKGROUND);
    let deepest = deepest(levels);
    let mut counts = vec![0_u64; deepest as usize + 1];
    for &level in levels.iter().filter(|&&level| level != UNREACHED) {
        counts[level as usize] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    for x in 0..SIZE {
        let level = x * counts.len() / SIZE;
        let height = (counts[level] * (SIZE as u64 / 2 - 10)).div_ceil(most) as usize;
        for y in 0..height {
            picture.put(x, SIZE / 2 - 1 - y, colour(level as u32, deepest));
        }
    }
    picture
}
