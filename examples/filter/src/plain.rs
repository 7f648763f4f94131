//! The same without objects, to check the results.

use crate::model::Tap;

/// The light of a picture of this width after some passes of a filter.
#[must_use]
pub fn filtered(light: &[[f32; 3]], width: usize, taps: &[Tap], passes: u32) -> Vec<[f32; 3]> {
    let height = light.len() / width;
    let mut light = light.to_vec();
    for _ in 0..passes {
        let mut next = Vec::with_capacity(light.len());
        for y in 0..height {
            for x in 0..width {
                let mut sum = [0.0; 3];
                for tap in taps {
                    let x = (x as i64 + i64::from(tap.dx)).clamp(0, width as i64 - 1) as usize;
                    let y = (y as i64 + i64::from(tap.dy)).clamp(0, height as i64 - 1) as usize;
                    for (sum, part) in sum.iter_mut().zip(light[y * width + x]) {
                        *sum += tap.weight * part;
                    }
                }
                next.push(sum);
            }
        }
        light = next;
    }
    light
}
