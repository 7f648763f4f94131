//! PageRank of a graph that is two tables: vertices by their ids, and edges by the ids of their ends.

pub mod model;
pub mod rank;
pub mod read;
pub mod sequential;
