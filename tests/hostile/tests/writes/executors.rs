//! Hidden writes in kernels for each executor.

use ikra::prelude::*;

use crate::node::{Came, Counted, assert_one_more};

class!();

#[soa_methods]
impl Node {
    fn hidden(&mut self) -> &mut u32 {
        let Vel { ref mut x, .. } = self.v;
        x
    }
    #[kernel(reduce(Sum))]
    pub fn reduces(&mut self) -> u32 {
        *self.hidden() += 1;
        1
    }
    #[kernel]
    pub fn collects(&mut self) -> String {
        *self.hidden() += 1;
        String::new()
    }
    #[kernel(snapshot(v))]
    pub fn snapshots(&mut self) {
        *self.hidden() = self.next.v().x + 1;
    }
    /// Writes only in the first meeting.
    #[kernel(pairs)]
    pub fn meets(&mut self, other: Ref<Node>) {
        if other.link().id() == 1 {
            *self.hidden() += 1;
        }
    }
    #[kernel]
    pub fn ends_early(&mut self) -> Result<(), ()> {
        *self.hidden() += 1;
        Err(())?;
        self.x = 0;
        Ok(())
    }
    #[kernel(heavy)]
    pub fn is_heavy(&mut self) {
        *self.hidden() += 1;
    }
    #[kernel(light)]
    pub fn is_light(&mut self) {
        for _ in 0..1 {
            *self.hidden() += 1;
        }
    }
}

#[soa_dispatch(Node)]
pub trait Grows {
    #[kernel]
    fn grows(&mut self);
    #[kernel]
    fn grows_by_default(&mut self) {
        let x = &mut self.x;
        *x += 1;
    }
}
#[soa_methods]
impl Grows for Node {
    fn grows(&mut self) {
        *self.hidden() += 1;
    }
}

fn all(graph: &Graph) -> Vec<Link<Node>> {
    graph.nodes.links().rev().collect()
}

macro_rules! executors {
    ($($name:ident: |$world:ident| $run:expr;)*) => { $(
        #[test]
        fn $name() {
            assert_one_more::<Graph>(stringify!($name), Came::Stored, |$world| _ = $run);
        }
    )* };
}
executors! {
    reduced: |world| world.execute_and_reduce(Node::reduces, (), Sum);
    reduced_range: |world| world.over(..).execute_and_reduce(Node::reduces, (), Sum);
    reduced_list: |world| world.over(&all(world)).execute_and_reduce(Node::reduces, (), Sum);
    collected: |world| world.execute_and_collect(Node::collects, ());
    snapshot: |world| world.execute(Node::snapshots, ());
    snapshot_of_a_list: |world| world.over(&all(world)).execute(Node::snapshots, ());
    early: |world| world.execute_and_collect(Node::ends_early, ());
    heavy: |world| world.execute(Node::is_heavy, ());
    light: |world| world.over(..).execute(Node::is_light, ());
    list: |world| world.over(&all(world)).execute(Node::is_heavy, ());
    of_a_trait: |world| world.execute(Grows::grows, ());
    of_a_trait_by_default: |world| world.execute(Grows::grows_by_default, ());
    place: |world| world.on(ikra::Place::Host).execute(Node::is_light, ()).unwrap();
    guards: |world| for link in all(world) {
        *world.get_mut(link).hidden() += 1;
    };
    replayed: |world| {
        let recording = world.on(ikra::Place::Host).record(|world| world.execute(Node::is_light, ())).unwrap();
        world.on(ikra::Place::Host).replay(&recording).unwrap();
    };
}

#[test]
fn pairs() {
    let mut graph = Graph::of(300);
    let before = graph.totals();
    graph.execute_pairs(Node::meets, ());
    assert!(graph.totals().iter().zip(before).all(|(after, before)| *after == before + 1));
}
