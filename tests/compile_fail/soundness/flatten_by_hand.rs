//! A flattened struct has as many columns as components.

use ikra::prelude::*;

#[derive(Clone, Copy, Value)]
#[repr(u8)]
pub enum Flag {
    No,
    Yes,
}

impl ikra::rt::Flatten for Flag {
    type Parts = (u8, bool);
    const PART_NAMES: &'static [&'static str] = &["number"];
    fn into_parts(self) -> (u8, bool) {
        (self as u8, true)
    }
    fn from_parts(parts: (u8, bool)) -> Self {
        if parts.1 { Flag::Yes } else { Flag::No }
    }
}

#[soa_class]
pub struct Node {
    #[soa(flatten)]
    pub flag: Flag,
    pub other: u8,
}

#[soa_world]
pub struct Graph {
    pub nodes: Objects<Node>,
}

fn main() {
    let mut graph = Graph::new();
    let _ = graph.nodes.push(Node { flag: Flag::Yes, other: 255 });
}
