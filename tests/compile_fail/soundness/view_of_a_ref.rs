//! The view that a ref's method gets is lent: it cannot be written, taken, or kept, whoever makes it.

use ikra::prelude::*;
use ikra::rt::AllRaceFree;

#[soa_class]
pub struct Node {
    pub value: u32,
    #[inline_array]
    pub path: [u32; 2],
}

fn write(node: NodeRef<'_, ikra::Sequential>) {
    node.handle().with_view(AllRaceFree::<_, Node, { u64::MAX }>::check("", ""), |view| view.path[0] = 1);
}

fn take(node: NodeRef<'_, ikra::Sequential>) {
    node.handle().with_view(AllRaceFree::<_, Node, { u64::MAX }>::check("", ""), |view| *view);
}

fn keep(node: NodeRef<'_, ikra::Sequential>) {
    node.handle().with_view(AllRaceFree::<_, Node, { u64::MAX }>::check("", ""), |view| &view.path[0]);
}

fn main() {}
