//! And where it is said, modes that store more than is said are found when the kernel is compiled.

use ikra::prelude::*;
use ikra::rt::{MethodEffects, Reached};

#[soa_class]
pub struct Node {
    pub value: u64,
}

#[soa_methods]
impl Node {
    #[kernel]
    pub fn write(&mut self) {
        self.value += 1;
    }
}

/// Stores what another kernel stores, and does not say so.
pub struct Liar<K>(K);
impl<K: Copy> Copy for Liar<K> {}
impl<K: Copy> Clone for Liar<K> {
    fn clone(&self) -> Self {
        *self
    }
}

unsafe impl<K: ikra::rt::Kernel> ikra::Phase for Liar<K> {
    const EFFECTS: &'static ikra::Effects =
        &ikra::Effects::exclusive::<K::Class>("liar", MethodEffects::new(1, 0).reach(Reached::NONE), 0);
    type Near = K::Near;
}

unsafe impl<K: ikra::rt::Kernel<Class = Node>> ikra::rt::Kernel for Liar<K> {
    type Class = Node;
    type Modes = K::Modes;
}

impl<K: ikra::rt::Kernel<Class = Node>> ikra::rt::Call<()> for Liar<K> {
    type Output = ();
    type Followed<'w, P: ikra::Phase> = ();
    fn follow<'w, P: ikra::Phase>(_: ikra::rt::Handle<'w, Node, P>, _: &()) {}
    fn call<'w, P: ikra::Phase>(view: &mut NodeMut<'w, P>, _: (), _: ()) {
        view.value += 1;
    }
}

#[soa_world]
pub struct Graph {
    pub nodes: Objects<Node>,
}

fn main() {
    Graph::new().execute(Liar(Node::write), ());
}
