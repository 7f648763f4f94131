//! All classes, for `IKRA_LONG=1`.

#[macro_use]
#[path = "model.rs"]
mod model;
#[path = "layouts.rs"]
mod layouts;

pub use layouts::*;
pub use model::*;
