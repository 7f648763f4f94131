//! The layers of points on maps.

/// Points of a kind: cars, lights.
///
/// ```
/// use streets::Layer;
///
/// let colours = vec![[255, 0, 0], [255, 255, 0], [255, 255, 255]];
/// let cars = Layer { name: "cars".into(), count: 1, colours, metres: 4.0, least: 2.0 };
/// assert_eq!([0, 64, 255].map(|value| cars.colour(value)), [[255, 0, 0], [255, 128, 0], [255, 255, 255]]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// The text in the legend.
    pub name: String,
    /// The number of points, in every frame.
    pub count: usize,
    /// The colours of values from 0 to 255: one, or several from the lowest to the highest.
    pub colours: Vec<[u8; 3]>,
    /// The radius in metres on the ground.
    pub metres: f32,
    /// The smallest radius in pixels.
    pub least: f32,
}

impl Layer {
    /// The colour of a value.
    ///
    /// # Panics
    ///
    /// If the layer has no colours.
    #[must_use]
    pub fn colour(&self, value: u8) -> [u8; 3] {
        let last = self.colours.len() - 1;
        let place = f32::from(value) / 255.0 * last as f32;
        let (low, high) = (self.colours[place as usize], self.colours[last.min(place as usize + 1)]);
        std::array::from_fn(|n| {
            let (low, high) = (f32::from(low[n]), f32::from(high[n]));
            (low + place.fract() * (high - low)).round() as u8
        })
    }

    /// Some of its colours, from the lowest value's to the highest value's, for
    /// [`Animation::new`](crate::Animation::new).
    ///
    /// # Panics
    ///
    /// If the layer has no colours.
    #[must_use]
    pub fn palette(&self) -> Vec<[u8; 3]> {
        let steps = if self.colours.len() == 1 { 1 } else { 17 };
        (0..steps).map(|n| self.colour((n * 255 / 16) as u8)).collect()
    }
}
