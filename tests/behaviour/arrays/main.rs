//! Inner arrays: the seven layouts of INNER §2.1, in kernels and in sequential code.

mod graphs;
mod kernels;
mod loading;
mod renewed;
