//! Pictures as PNG files.

use std::io;

use crate::{Output, Unwritable};

/// A picture: rows of pixels from the top; each pixel has red, green and blue.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 3]>,
}

impl Picture {
    /// A picture of one colour.
    #[must_use]
    pub fn new(width: usize, height: usize, colour: [u8; 3]) -> Self {
        Self { width, height, pixels: vec![colour; width * height] }
    }

    /// Its width in pixels.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Its height in pixels.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// All pixels, row by row.
    #[must_use]
    pub fn pixels(&self) -> &[[u8; 3]] {
        &self.pixels
    }

    /// Sets the colour of a pixel.
    ///
    /// # Panics
    ///
    /// If the picture has no such pixel.
    pub fn put(&mut self, x: usize, y: usize, colour: [u8; 3]) {
        assert!(x < self.width && y < self.height, "no pixel at {x}, {y}");
        self.pixels[y * self.width + x] = colour;
    }

    /// Writes the picture as PNG.
    ///
    /// # Errors
    ///
    /// [`Unwritable`].
    pub fn write(&self, output: Output) -> Result<(), Unwritable> {
        output.write(|file| {
            let size = |pixels: usize| u32::try_from(pixels).map_err(io::Error::other);
            let mut encoder = png::Encoder::new(file, size(self.width)?, size(self.height)?);
            encoder.set_color(png::ColorType::Rgb);
            encoder.set_depth(png::BitDepth::Eight);
            let mut writer = encoder.write_header()?;
            writer.write_image_data(self.pixels.as_flattened())?;
            Ok(writer.finish()?)
        })
    }

    /// Reads a picture that [`write`](Self::write) made.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is not such a picture.
    pub fn read(file: impl io::BufRead + io::Seek) -> io::Result<Self> {
        let mut reader = png::Decoder::new(file).read_info()?;
        let (width, height) = (reader.info().width as usize, reader.info().height as usize);
        let kind = (png::ColorType::Rgb, png::BitDepth::Eight);
        match reader.output_buffer_size() {
            Some(bytes) if reader.output_color_type() == kind && bytes == 3 * width * height => {
                let mut pixels = vec![[0; 3]; width * height];
                reader.next_frame(pixels.as_flattened_mut())?;
                Ok(Self { width, height, pixels })
            }
            _ => Err(io::Error::other("not a picture with 8 bits for each of red, green and blue")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::BufReader;

    use super::*;

    #[test]
    fn a_picture_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("picture.png");
        let mut picture = Picture::new(70, 30, [1, 2, 3]);
        for n in 0..30 {
            picture.put(2 * n, n, [n as u8, 255, 100]);
        }
        picture.write(Output::open(&path).unwrap()).unwrap();
        let read = Picture::read(BufReader::new(File::open(&path).unwrap())).unwrap();
        assert_eq!(read, picture);
    }
}
