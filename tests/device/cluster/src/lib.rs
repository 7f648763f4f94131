//! A world with every kind of kernel, and programs of steps that ranks run.
#![allow(missing_docs, reason = "for tests")]

pub mod model;
pub mod steps;
