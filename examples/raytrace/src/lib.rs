//! A ray tracer whose shapes and materials are objects of several classes: all but the program's options and files.
#![forbid(unsafe_code)]

pub mod made_up;
pub mod model;
pub mod obj;
pub mod render;
pub mod scene;
mod studio;
mod tree;

pub use studio::Order;
