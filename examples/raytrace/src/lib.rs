//! A ray tracer with shapes and materials as objects of several classes: everything except the program's options and
//! files.
#![forbid(unsafe_code)]

pub mod made_up;
pub mod model;
pub mod obj;
pub mod render;
pub mod scene;
mod studio;
mod tree;

pub use studio::Order;
