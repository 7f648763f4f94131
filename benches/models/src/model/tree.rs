//! The nearest point to each of many: a k-d tree of linked nodes, walked by each query.

use arrayvec::ArrayVec;
use ikra::prelude::*;

/// Places in a stack.
const DEPTH: usize = 64;

/// A node that is to be looked at, with how near it is at least. At a multiple of its size, so that it is one access.
#[derive(Clone, Copy)]
#[repr(align(8))]
struct Entry<T> {
    node: T,
    bound: f32,
}

/// Puts a node on a stack.
fn push<T>(stack: &mut ArrayVec<Entry<T>, DEPTH>, node: T, bound: f32) {
    let Ok(()) = stack.try_push(Entry { node, bound }) else { panic!("the tree is too deep") };
}

/// A point of the tree, with those on either side of it along one axis.
#[soa_class]
pub struct Node {
    /// Where it is.
    pub pos: [f32; 2],
    /// The axis along which it divides the others.
    pub axis: u8,
    /// Those with smaller coordinates.
    pub left: Option<Link<Node>>,
    /// The others.
    pub right: Option<Link<Node>>,
}

/// What a walk needs of a node, in 16 bytes, which are one access.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Branch {
    /// Where it is.
    pub pos: [f32; 2],
    /// Those with smaller coordinates.
    pub left: Option<Link<Fork>>,
    /// The others.
    pub right: Option<Link<Fork>>,
}

/// A node of the same tree. The root divides the others along the first axis, its children along the second, and so on.
#[soa_class]
pub struct Fork {
    /// The node.
    pub branch: Branch,
}

/// A point whose nearest is looked for.
#[soa_class]
pub struct Query {
    /// Where it is.
    pub pos: [f32; 2],
    /// The tree's root.
    pub root: Link<Node>,
    /// The nearest node.
    pub nearest: Option<Link<Node>>,
    /// Its distance, squared.
    pub distance: f32,
}

#[soa_methods]
impl Query {
    fn distance_to(&self, pos: [f32; 2]) -> f32 {
        let (x, y) = (pos[0] - self.pos[0], pos[1] - self.pos[1]);
        x * x + y * y
    }

    /// The nearest node, with a stack of refs.
    #[kernel]
    pub fn search_refs(&mut self) {
        let mut stack = ArrayVec::<Entry<Ref<Node>>, DEPTH>::new();
        push(&mut stack, self.root, 0.0);
        let (mut best, mut nearest) = (f32::INFINITY, None);
        while let Some(&Entry { node, bound }) = stack.last() {
            stack.pop();
            if bound >= best {
                continue;
            }
            let (pos, axis, left, right) = (node.pos(), node.axis(), node.left(), node.right());
            let distance = self.distance_to(pos);
            if distance < best {
                best = distance;
                nearest = Some(node);
            }
            let side = if axis == 0 { self.pos[0] - pos[0] } else { self.pos[1] - pos[1] };
            let (near, far) = if side < 0.0 { (left, right) } else { (right, left) };
            // Asked once, so that neither push asks.
            assert!(stack.len() <= DEPTH - 2, "the tree is too deep");
            if let Some(far) = far {
                push(&mut stack, far, side * side);
            }
            if let Some(near) = near {
                push(&mut stack, near, bound);
            }
        }
        self.nearest = nearest;
        self.distance = best;
    }

    /// The same with a stack of links.
    #[kernel]
    pub fn search_links(&mut self) {
        let mut stack = ArrayVec::<Entry<Link<Node>>, DEPTH>::new();
        push(&mut stack, self.root.link(), 0.0);
        let (mut best, mut nearest) = (f32::INFINITY, None);
        while let Some(&Entry { node: link, bound }) = stack.last() {
            stack.pop();
            if bound >= best {
                continue;
            }
            let node: Ref<Node> = self.resolve(link);
            let (pos, axis, left, right) = (node.pos(), node.axis(), node.left(), node.right());
            let distance = self.distance_to(pos);
            if distance < best {
                best = distance;
                nearest = Some(node);
            }
            let side = if axis == 0 { self.pos[0] - pos[0] } else { self.pos[1] - pos[1] };
            let (near, far) = if side < 0.0 { (left, right) } else { (right, left) };
            // Asked once, so that neither push asks.
            assert!(stack.len() <= DEPTH - 2, "the tree is too deep");
            if let Some(far) = far {
                push(&mut stack, far.link(), side * side);
            }
            if let Some(near) = near {
                push(&mut stack, near.link(), bound);
            }
        }
        self.nearest = nearest;
        self.distance = best;
    }

    /// The same over forks: the nearer child is next and needs no stack, the further one is pushed if it may be near enough.
    #[kernel]
    pub fn search_forks(&mut self, root: Ref<Fork>) {
        // A bound is negative where the node divides along the second axis.
        let mut stack = ArrayVec::<Entry<Link<Fork>>, DEPTH>::new();
        let (mut best, mut nearest) = (f32::INFINITY, root.link());
        let (mut next, mut its_bound) = (root.link(), 0.0);
        loop {
            // Down to where there is no nearer child.
            let (mut link, mut axis) = (next, 1.0_f32.copysign(its_bound));
            loop {
                let Branch { pos, left, right } = self.resolve(link).branch();
                let distance = self.distance_to(pos);
                if distance < best {
                    best = distance;
                    nearest = link;
                }
                let side = if axis > 0.0 { self.pos[0] - pos[0] } else { self.pos[1] - pos[1] };
                let (near, far) = if side < 0.0 { (left, right) } else { (right, left) };
                axis = -axis;
                let bound = side * side;
                if let Some(far) = far
                    && bound < best
                {
                    push(&mut stack, far, bound.copysign(axis));
                }
                let Some(near) = near else { break };
                link = near;
            }
            loop {
                let Some(&Entry { node, bound }) = stack.last() else {
                    self.nearest = Link::<Node>::from_id(nearest.id()).map(|nearest| self.resolve(nearest));
                    self.distance = best;
                    return;
                };
                stack.pop();
                (next, its_bound) = (node, bound);
                if bound.abs() < best {
                    break;
                }
            }
        }
    }

    /// The nearest node of a subtree, if it is nearer than the best so far.
    fn nearest_below(&self, node: Option<Ref<Node>>, bound: f32, best: &mut f32, nearest: &mut Option<Link<Node>>) {
        let Some(node) = node else { return };
        if bound >= *best {
            return;
        }
        let pos = node.pos();
        let distance = self.distance_to(pos);
        if distance < *best {
            *best = distance;
            *nearest = Some(node.link());
        }
        let side = if node.axis() == 0 { self.pos[0] - pos[0] } else { self.pos[1] - pos[1] };
        let (near, far) = if side < 0.0 { (node.left(), node.right()) } else { (node.right(), node.left()) };
        self.nearest_below(near, bound, best, nearest);
        self.nearest_below(far, side * side, best, nearest);
    }

    /// The same by recursion.
    #[kernel]
    pub fn search_recursively(&mut self) {
        let (mut best, mut nearest) = (f32::INFINITY, None);
        self.nearest_below(Some(self.root), 0.0, &mut best, &mut nearest);
        self.nearest = nearest.map(|link| self.resolve(link));
        self.distance = best;
    }
}

/// The tree, and what is looked for in it.
#[soa_world]
pub struct Points {
    /// The tree.
    pub nodes: Objects<Node>,
    /// The same in another form.
    pub forks: Objects<Fork>,
    /// Who asks.
    pub queries: Objects<Query>,
}
