//! And where it is said, modes that store more than is said are found when the kernel is compiled.

use ikra::prelude::*;
use ikra::rt::{ClassId, FieldSet, ModeOf};

#[soa_class]
pub struct Node {
    pub value: u64,
}

#[derive(Clone, Copy)]
pub struct Liar;

unsafe impl ikra::Phase for Liar {
    const CLASS: ClassId = <Node as ikra::Class>::ID;
    const NAME: &'static str = "liar";
    const WRITES: FieldSet = FieldSet::EMPTY;
    const SNAPSHOT: FieldSet = FieldSet::EMPTY;
}

unsafe impl ikra::rt::Method for Liar {
    type Class = Node;
    type Modes = (ModeOf<3>,);
    const EXCLUSIVE: bool = true;
    const HEAVY: bool = false;
}

impl ikra::rt::Kernel<()> for Liar {
    type Output = ();
    fn call<'w>(view: &mut NodeMut<'w, Self>, _: ()) {
        view.value += 1;
    }
}

#[soa_world]
pub struct Graph {
    pub nodes: Objects<Node>,
}

fn main() {
    Graph::new().execute(Liar, ());
}
