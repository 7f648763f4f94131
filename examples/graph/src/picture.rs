//! Pictures of results: a map, or the number of vertices with each result.

use example_program::Picture;
use graph::Graph;

/// Width and height in pixels.
const SIZE: usize = 800;
const BACKGROUND: [u8; 3] = [16, 18, 24];
/// Bands of colour, which show where results are equal.
const BANDS: f32 = 20.0;

/// Draws results from 0 to 1; vertices without one are not drawn.
pub(crate) fn draw(graph: &Graph, shades: &[Option<f32>]) -> Picture {
    match &graph.positions {
        Some(positions) => map(positions, shades),
        None => bars(shades),
    }
}

/// Blue for 0, yellow for 1.
fn colour(shade: f32) -> [u8; 3] {
    let band = if ((shade * BANDS) as u32).is_multiple_of(2) { 1.0 } else { 0.72 };
    let mix = |a: f32, b: f32| (band * (a + (b - a) * shade)) as u8;
    [mix(40.0, 255.0), mix(90.0, 210.0), mix(220.0, 70.0)]
}

/// Draws each vertex at its position.
fn map(positions: &[[f32; 2]], shades: &[Option<f32>]) -> Picture {
    let mut picture = Picture::new(SIZE, SIZE, BACKGROUND);
    let bound = |pick: fn(f32, f32) -> f32, start| {
        positions.iter().fold([start; 2], |bound: [f32; 2], at| [pick(bound[0], at[0]), pick(bound[1], at[1])])
    };
    let (least, most) = (bound(f32::min, f32::INFINITY), bound(f32::max, f32::NEG_INFINITY));
    let scale = (SIZE - 1) as f32 / (most[0] - least[0]).max(most[1] - least[1]).max(1e-6);
    for (at, shade) in positions.iter().zip(shades) {
        let pixel = |d: usize| (((at[d] - least[d]) * scale) as usize).min(SIZE - 1);
        if let Some(shade) = shade {
            picture.put(pixel(0), pixel(1), colour(*shade));
        }
    }
    picture
}

/// Draws bars over the results; their heights are numbers of vertices.
fn bars(shades: &[Option<f32>]) -> Picture {
    let mut picture = Picture::new(SIZE, SIZE / 2, BACKGROUND);
    let mut counts = vec![0_u64; SIZE];
    for shade in shades.iter().flatten() {
        counts[((shade * SIZE as f32) as usize).min(SIZE - 1)] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    for (x, count) in counts.iter().enumerate() {
        let height = (count * (SIZE as u64 / 2 - 10)).div_ceil(most) as usize;
        for y in 0..height {
            picture.put(x, SIZE / 2 - 1 - y, colour(x as f32 / SIZE as f32));
        }
    }
    picture
}
