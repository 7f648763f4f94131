//! Recursive methods.

use ikra::prelude::*;

#[soa_class]
pub struct Tree {
    pub value: u32,
    pub left: Option<Link<Tree>>,
    pub right: Option<Link<Tree>>,
    pub total: u32,
    pub depth: u32,
}

#[soa_methods]
impl Tree {
    /// A walk over all descendants, whose result shows the order.
    pub fn sum(&self) -> u32 {
        let mut sum = self.value;
        if let Some(left) = self.left {
            sum = sum.wrapping_mul(31).wrapping_add(left.sum());
        }
        if let Some(right) = self.right {
            sum = sum.wrapping_mul(37).wrapping_add(right.sum());
        }
        sum
    }

    /// Two methods that call each other.
    pub fn even(&self) -> u32 {
        self.left.map_or(0, |left| left.odd()).max(self.right.map_or(0, |right| right.odd()))
    }

    pub fn odd(&self) -> u32 {
        let left = self.left.map_or(1, |left| 1 + left.even());
        left.max(self.right.map_or(2, |right| 2 + right.even()))
    }

    #[kernel]
    pub fn walk(&mut self) {
        self.total = self.sum();
    }

    #[kernel]
    pub fn measure(&mut self) {
        self.depth = self.even();
    }

    /// The values of all descendants, with a stack of refs.
    #[kernel]
    pub fn gather(&mut self) {
        let mut stack = [None; 64];
        (stack[0], stack[1]) = (self.left, self.right);
        let (mut depth, mut sum) = (2, self.value);
        while depth > 0 {
            depth -= 1;
            let Some(node) = stack[depth] else { continue };
            sum = sum.wrapping_add(node.value());
            stack[depth] = node.left();
            stack[depth + 1] = node.right();
            depth += 2;
        }
        self.total = sum;
    }

    /// Not recursive.
    #[kernel]
    pub fn look_left(&mut self) {
        self.depth = self.left.map_or(0, |left| left.value());
    }
}

#[soa_world]
pub struct Forest {
    pub trees: Objects<Tree>,
}
