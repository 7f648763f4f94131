//! Fields in the `Debug` output of views.

use core::fmt;

/// A field of a view, of a type that may or may not be `Debug`.
///
/// This type's method is found first, for types that are `Debug`; otherwise the trait's.
pub struct Shown<'a, T>(pub &'a T);

impl<T> fmt::Debug for Shown<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("_")
    }
}

impl<T: fmt::Debug> Shown<'_, T> {
    /// The field.
    pub fn shown(&self) -> &dyn fmt::Debug {
        self.0
    }
}

/// For types that are not `Debug`.
pub trait NotShown {
    /// `_`.
    fn shown(&self) -> &dyn fmt::Debug;
}

impl<T> NotShown for Shown<'_, T> {
    fn shown(&self) -> &dyn fmt::Debug {
        self
    }
}
