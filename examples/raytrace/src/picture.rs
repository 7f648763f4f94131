//! Conversion of light to colours of a screen.

use example_program::Picture;
use ikra::math;
use raytrace::model::Vector;

/// The picture of the light that this many samples brought to each pixel.
pub(crate) fn develop(light: &[Vector], samples: u32, (width, height): (u32, u32)) -> Picture {
    let (width, height) = (width as usize, height as usize);
    let mut picture = Picture::new(width, height, [0; 3]);
    for (n, &light) in light.iter().enumerate() {
        let light = light * (1.0 / samples as f32);
        picture.put(n % width, n / width, [light.x, light.y, light.z].map(tone));
    }
    picture
}

/// The brightness on a screen. Bright regions keep their differences, as on film (Narkowicz's fit of the ACES curve);
/// then the sRGB curve is applied.
fn tone(light: f32) -> u8 {
    let light = (0.75 * light).min(1000.0);
    let film = (light * (2.51 * light + 0.03)) / (light * (2.43 * light + 0.59) + 0.14);
    let film = film.clamp(0.0, 1.0);
    let screen = if film <= 0.003_130_8 { 12.92 * film } else { 1.055 * math::powf(film, 1.0 / 2.4) - 0.055 };
    (255.0 * screen + 0.5) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brighter_light_is_brighter_on_the_screen() {
        let tones: Vec<u8> = (0..2000).map(|n| tone(n as f32 * 0.01)).collect();
        assert!(tones.is_sorted());
        assert_eq!((tones[0], tones[1999], tone(1e30)), (0, 255, 255));
    }
}
