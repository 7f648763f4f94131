// Must be refused.
//! A kernel from the hidden macro with forged effects: not exclusive, but writing. A bad link stays in a column as if
//! checked.

use ikra::prelude::*;

#[soa_class]
pub struct Node {
    pub x: u32,
    #[inline_array]
    pub near: [Link<Node>; 2],
}

#[soa_world]
pub struct Graph {
    pub nodes: Objects<Node>,
}

#[cfg(not(feature = "attack"))]
#[soa_methods]
impl Node {
    #[kernel]
    pub fn store(&mut self, link: Link<Node>) {
        self.near[0] = link;
    }
}

#[cfg(feature = "attack")]
const fn lie() -> ikra::Effects {
    let mut effects = ikra::Effects::shared::<Node>("Node::store", ikra::rt::Reached::NONE);
    effects.reads = ikra::FieldSet::ALL;
    effects.writes = ikra::FieldSet::ALL;
    effects
}

#[cfg(feature = "attack")]
const _: () = {
    ikra::rt::kernel! {
        pub const store: Kernel_store = "Node::store" for Node [0 1], NoRow;
        lie();
    }
    impl ikra::rt::Call<Link<Node>> for Kernel_store {
        type Output = ();
        type Followed<'w, P: ikra::Phase> = ();
        fn follow<'w, P: ikra::Phase>(_: ikra::rt::Handle<'w, Node, P>, _: &Link<Node>) {}
        fn call<'w, P: ikra::Phase>(view: &mut NodeMut<'w, P>, link: Link<Node>, _: ()) {
            view.near[0] = link;
        }
    }
};

fn main() {
    let mut graph = Graph::new();
    let own = Link::from_id(1).unwrap();
    graph.nodes.push(Node { x: 1, near: [own; 2] }).unwrap();
    graph.over(..).execute(Node::store, own);
}
