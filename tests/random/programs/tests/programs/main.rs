//! Random programs give the results of a plain model, on the host with any number of threads and on a GPU.
#![allow(missing_docs, reason = "a test, not a library")]

mod commands;
mod emulated;
mod equal;
mod lives;
mod passes;
