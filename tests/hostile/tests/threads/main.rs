//! A program can observe the number of threads through time only. Each program probes differently, and gets the same
//! answer with 1, 2 and 4 threads.
#![allow(missing_docs, reason = "tests, not a library")]
#![forbid(unsafe_code)]

mod combine_calls;
mod constants;
mod layouts;
mod shared_worlds;
mod types;
