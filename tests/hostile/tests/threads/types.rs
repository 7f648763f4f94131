//! Types: the name, the identity and the size of the phase, of views, refs and atomics. A kernel that updates other
//! objects' atomics is compiled twice; the second version is for a single thread.

use std::any::{TypeId, type_name, type_name_of_val};
use std::hash::{DefaultHasher, Hash, Hasher};

use ikra::{AtomicOwner, Phase, prelude::*};
use ikra_hostile_tests::{MANY, hash, same_with_any_threads};

#[soa_class]
#[derive(Clone, Debug)]
pub struct Node {
    pub x: u64,
    #[atomic]
    pub count: u64,
    #[atomic]
    pub least: u64,
    pub next: Link<Node>,
    #[inline_array]
    pub near: [Link<Node>; 2],
}

fn number(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish() >> 16
}

/// Generic over the phase, as the guide shows.
fn of_a_ref<P: Phase>(node: NodeRef<'_, P>) -> u64 {
    number(type_name_of_val(&node))
}
fn of_the_phase<P: Phase>(_: NodeRef<'_, P>) -> u64 {
    number((type_name::<P>(), TypeId::of::<P>(), size_of::<P>(), align_of::<P>()))
}
fn of_a_view<P: Phase>(node: &NodeMut<'_, P>) -> u64 {
    number((type_name_of_val(node), size_of_val(node), align_of_val(node)))
}
fn of_sizes<P: Phase>(node: &NodeMut<'_, P>, other: NodeRef<'_, P>) -> u64 {
    number((size_of_val(node), size_of_val(&other), size_of_val(&other.near()), align_of_val(&other)))
}
fn of_an_atomic<A: AtomicOwner>(atomic: Atomic<'_, u64, A>) -> u64 {
    number((type_name::<A>(), size_of_val(&atomic)))
}
fn of_needs_drop<P: Phase>(_: NodeRef<'_, P>) -> u64 {
    u64::from(std::mem::needs_drop::<NodeRef<'_, P>>())
}

/// A user trait with a default for all types, and a different answer for one phase.
trait Ask {
    fn ask(&self) -> u64 {
        number(type_name::<Self>())
    }
}
impl<P: Phase> Ask for NodeRef<'_, P> {}

macro_rules! kernels {
    ($($name:ident |$self:ident, $other:ident| $value:expr;)*) => {
        #[soa_methods]
        impl Node {
            $(
                #[kernel(updates(add(count), min(least)), writes(x))]
                pub fn $name(&mut $self) {
                    let $other = $self.next;
                    let value = $value;
                    $other.count().add(value);
                    $other.least().min(value);
                    $self.x = value;
                }
            )*
        }

        mod ask {
            use super::*;
            $(
                #[test]
                fn $name() {
                    same_with_any_threads(|| {
                        let mut world = world();
                        world.execute(Node::$name, ());
                        let all = hash(world.nodes.column(node::x));
                        let list: Vec<_> = world.nodes.links().step_by(3).collect();
                        world.over(&list).execute(Node::$name, ());
                        world.over(7..).execute(Node::$name, ());
                        let rows = world.nodes.iter().map(|row| (row.x, row.count, row.least));
                        (all, hash(rows.collect::<Vec<_>>()))
                    });
                }
            )*
        }
    };
}

kernels! {
    name_of_a_ref |self, other| of_a_ref(other);
    the_phase |self, other| of_the_phase(other);
    a_view |self, other| of_a_view(self);
    sizes |self, other| of_sizes(self, other);
    an_atomic |self, other| of_an_atomic(other.count());
    needs_drop |self, other| of_needs_drop(other);
    a_default_of_a_trait |self, other| other.ask();
    name_of_self |self, other| number(type_name_of_val(&*self));
    name_of_a_closure |self, other| number(type_name_of_val(&|| other.link()));
    debug_of_a_ref |self, other| number(format!("{:?}", other.link()));
    size_of_a_closure |self, other| number(size_of_val(&move || other.link()));
    an_iterator |self, other| number(type_name_of_val(&other.near().iter()));
    all_objects |self, other| number(type_name_of_val(&self.all::<Node>()));
}

#[soa_world]
pub struct World1 {
    pub nodes: Objects<Node>,
}

fn world() -> World1 {
    let mut world = World1::new();
    let link = |n: usize| Link::from_index(n % MANY).unwrap();
    world
        .nodes
        .extend((0..MANY).map(|n| Node {
            x: n as u64,
            count: 0,
            least: u64::MAX,
            next: link(n * 31),
            near: [link(n + 1), link(n + 2)],
        }))
        .unwrap();
    world
}
