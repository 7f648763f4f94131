//! The model.

use ikra::prelude::*;

/// An object with links to others.
#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// A number that a kernel changes.
    pub value: u32,
    /// A number that no kernel changes.
    pub weight: f32,
    /// Another object.
    pub next: Option<Link<Node>>,
    /// Others.
    #[inline_array(1)]
    pub near: InnerArray<Link<Node>>,
}

#[soa_methods]
impl Node {
    /// Adds up the neighbours' values.
    #[kernel(snapshot(value))]
    pub fn gather(&mut self) {
        for other in &self.near {
            self.value += other.value();
        }
    }

    /// Links to the next but one.
    #[kernel(snapshot(next))]
    pub fn skip(&mut self) {
        if let Some(next) = self.next {
            self.next = next.next();
        }
    }
}
