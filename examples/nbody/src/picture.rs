//! A picture of the bodies, seen along the third axis.

use example_program::Picture;

/// Width and height in pixels.
const SIZE: usize = 800;

/// Draws each body as a soft spot of light on black; several bodies make a brighter spot.
pub(crate) fn draw(positions: &[[f64; 3]]) -> Picture {
    let mut picture = Picture::new(SIZE, SIZE, [0; 3]);
    for (n, light) in light(positions).into_iter().enumerate() {
        // Compresses the range, so that both single bodies and the dense centre are visible.
        let tone = |strength: f32| (255.0 * (1.0 - (-strength * light).exp())) as u8;
        picture.put(n % SIZE, n / SIZE, [tone(0.9), tone(1.1), tone(1.6)]);
    }
    picture
}

/// The light on each pixel.
fn light(positions: &[[f64; 3]]) -> Vec<f32> {
    let mut light = vec![0.0; SIZE * SIZE];
    // The visible region contains nearly all bodies, except the few that have been flung far out.
    let mut distances: Vec<f64> = positions.iter().map(|pos| pos[0].abs().max(pos[1].abs())).collect();
    distances.sort_by(f64::total_cmp);
    let shown = distances.get(distances.len() * 98 / 100).copied().unwrap_or(1.0).max(1e-9) * 1.05;
    let pixel = |x: f64| (x / shown * 0.5 + 0.5) * SIZE as f64;
    for pos in positions {
        let (x, y) = (pixel(pos[0]), pixel(-pos[1]));
        for row in -4..=4 {
            for column in -4..=4 {
                let (px, py) = (x.floor() + f64::from(column), y.floor() + f64::from(row));
                if (0.0..SIZE as f64).contains(&px) && (0.0..SIZE as f64).contains(&py) {
                    let distance2 = (px + 0.5 - x).powi(2) + (py + 0.5 - y).powi(2);
                    light[py as usize * SIZE + px as usize] += 0.6 * (-0.7 * distance2).exp() as f32;
                }
            }
        }
    }
    light
}
