//! The floating-point numbers of a value, one by one.

/// A part of a value.
#[derive(Debug)]
pub enum Float<'a> {
    /// A number of 4 bytes.
    Single(&'a mut f32),
    /// A number of 8 bytes.
    Double(&'a mut f64),
    /// Something else.
    Other,
}
