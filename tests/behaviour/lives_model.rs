//! Objects that come and go, compared with a plain model of `Vec<Option<Row>>`: random sequences of everything that
//! makes, removes or moves objects, for several layouts and numbers of threads.

use std::collections::BTreeSet;

use ikra::{Error, LinkList, Place, World, prelude::*};
use proptest::prelude::*;

/// The classes of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Of {
    Node,
    Leaf,
    Tag,
}

/// A link: a class and an index. Indices from `YOUNG` on number the objects that a running kernel makes.
type To = (Of, usize);
const YOUNG: usize = 1 << 40;

/// An object of the model.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    id: u64,
    hits: u32,
    /// Links that can be empty.
    some: Vec<Option<To>>,
    /// Arrays of links.
    lists: Vec<Vec<To>>,
    /// Links that cannot be empty, and whether the object goes with the target.
    plain: Vec<(To, bool)>,
}

impl Row {
    /// Remaps all links; false if a link that cannot be empty names a removed object.
    fn remap(&mut self, new: &impl Fn(To) -> Option<To>) -> bool {
        for link in &mut self.some {
            *link = link.and_then(new);
        }
        for list in &mut self.lists {
            *list = list.iter().filter_map(|&to| new(to)).collect();
        }
        self.plain.iter_mut().all(|(to, _)| new(*to).map(|new| *to = new).is_some())
    }

    fn names(&self, to: &BTreeSet<To>, cascades: bool) -> bool {
        self.plain.iter().any(|(named, cascade)| *cascade == cascades && to.contains(named))
    }
}

/// The world's objects by class, with holes.
#[derive(Clone, Debug, Default, PartialEq)]
struct Model([Vec<Option<Row>>; 3], Option<usize>);

/// The reason why a change is impossible.
#[derive(Debug, PartialEq)]
enum Refused {
    Link,
    Capacity,
}

impl Model {
    fn live(&self, of: Of) -> Vec<usize> {
        let rows = self.0[of as usize].iter().enumerate();
        rows.filter(|(_, row)| row.is_some()).map(|(index, _)| index).collect()
    }
    fn row(&self, of: Of, index: usize) -> &Row {
        self.0[of as usize][index].as_ref().unwrap()
    }
    fn row_mut(&mut self, of: Of, index: usize) -> &mut Row {
        self.0[of as usize][index].as_mut().unwrap()
    }
    fn has_holes(&self, of: Of) -> bool {
        self.0[of as usize].iter().any(Option::is_none)
    }
    fn is_full(&self, of: Of) -> bool {
        self.1.is_some_and(|capacity| self.0[of as usize].len() >= capacity)
    }

    /// Adds the owners that go with these objects, and checks the others.
    fn going(&self, mut removed: BTreeSet<To>) -> Result<BTreeSet<To>, Refused> {
        let all = [Of::Node, Of::Leaf, Of::Tag];
        loop {
            let before = removed.len();
            for of in all {
                for index in self.live(of) {
                    if self.row(of, index).names(&removed, true) {
                        removed.insert((of, index));
                    }
                }
            }
            if removed.len() == before {
                break;
            }
        }
        let others = all.iter().flat_map(|&of| self.live(of).into_iter().map(move |index| (of, index)));
        match others.filter(|it| !removed.contains(it)).any(|(of, n)| self.row(of, n).names(&removed, false)) {
            true => Err(Refused::Link),
            false => Ok(removed),
        }
    }

    fn remap(&mut self, new: &impl Fn(To) -> Option<To>) {
        for row in self.0.iter_mut().flatten().flatten() {
            assert!(row.remap(new));
        }
    }

    fn remove(&mut self, removed: BTreeSet<To>) -> Result<(), Refused> {
        let removed = self.going(removed)?;
        for &(of, index) in &removed {
            self.0[of as usize][index] = None;
        }
        self.remap(&|to| (!removed.contains(&to)).then_some(to));
        Ok(())
    }

    /// Keeps these objects of a class, in this order.
    fn reorder(&mut self, of: Of, order: &[usize]) -> Result<(), Refused> {
        let kept: BTreeSet<_> = order.iter().collect();
        let removed = self.live(of).into_iter().filter(|index| !kept.contains(index)).map(|index| (of, index));
        self.remove(removed.collect())?;
        let order: Vec<_> = order.iter().copied().filter(|&n| self.0[of as usize][n].is_some()).collect();
        let rows = order.iter().map(|&old| self.0[of as usize][old].take()).collect();
        self.0[of as usize] = rows;
        self.remap(&|to| match to {
            (class, old) if class == of => Some((of, order.iter().position(|&index| index == old).unwrap())),
            _ => Some(to),
        });
        Ok(())
    }

    /// Gives new objects their indices, in the order of the list, and removes others.
    fn change(&mut self, young: [Vec<Row>; 3], removed: BTreeSet<To>) -> Result<(), Refused> {
        let before = self.clone();
        let mut ids: [Vec<usize>; 3] = Default::default();
        for (of, rows) in young.into_iter().enumerate() {
            for row in rows {
                let hole = self.0[of].iter().position(Option::is_none);
                let index = hole.unwrap_or(self.0[of].len());
                if hole.is_none() {
                    self.0[of].push(None);
                }
                self.0[of][index] = Some(row);
                ids[of].push(index);
            }
            if self.1.is_some_and(|capacity| self.0[of].len() > capacity) {
                *self = before;
                return Err(Refused::Capacity);
            }
        }
        self.remap(&|(of, n)| Some((of, n.checked_sub(YOUNG).map_or(n, |n| ids[of as usize][n]))));
        self.remove(removed).inspect_err(|_| *self = before)
    }
}

/// Numbers that depend on a seed only.
struct Random(u64);
impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }
    fn of(&mut self, indices: &[usize]) -> Option<usize> {
        (!indices.is_empty()).then(|| indices[self.below(indices.len())])
    }
}

/// The objects for which a kernel runs.
#[derive(Clone, Copy, Debug)]
enum Over {
    All,
    Range(u8, u8),
    List(u64),
}

#[derive(Clone, Copy, Debug)]
enum Op {
    PushNode(u64),
    PushLeaf(u64),
    PushTag(u64),
    Remove(Of, u8),
    RetainNodes(u64, u64),
    RetainLeaves(u64, u64),
    Clear(Of),
    Compact(Of),
    SortNodes(u64),
    ReorderLeaves(u64),
    Cull(Over, u64, u64),
    Fall(u64, u64),
    Breed(Over, u64, u32, bool),
    Live(u64, u64),
    Sum(Over),
    SetNext(u8, u8),
    Guard(u8, u8),
    Claim(u8),
    Clone(bool),
    Record(u8),
    Exchange(u8, u64),
}

fn over() -> impl Strategy<Value = Over> {
    prop_oneof![
        3 => Just(Over::All),
        1 => (0_u8..20, 0_u8..20).prop_map(|(from, len)| Over::Range(from, len)),
        1 => any::<u64>().prop_map(Over::List)
    ]
}

fn class() -> impl Strategy<Value = Of> {
    prop_oneof![Just(Of::Node), Just(Of::Leaf), Just(Of::Tag)]
}

fn op() -> impl Strategy<Value = Op> {
    let part = || (1_u64..5, 0_u64..4);
    prop_oneof![
        2 => any::<u64>().prop_map(Op::PushNode),
        1 => any::<u64>().prop_map(Op::PushLeaf),
        1 => any::<u64>().prop_map(Op::PushTag),
        3 => (class(), any::<u8>()).prop_map(|(of, n)| Op::Remove(of, n)),
        1 => part().prop_map(|(m, r)| Op::RetainNodes(m, r)),
        1 => part().prop_map(|(m, r)| Op::RetainLeaves(m, r)),
        1 => class().prop_map(Op::Clear),
        2 => class().prop_map(Op::Compact),
        1 => any::<u64>().prop_map(Op::SortNodes),
        1 => any::<u64>().prop_map(Op::ReorderLeaves),
        4 => (over(), part()).prop_map(|(over, (m, r))| Op::Cull(over, m, r)),
        2 => part().prop_map(|(m, r)| Op::Fall(m, r)),
        5 => (over(), 1_u64..5, 0_u32..4, any::<bool>()).prop_map(|(over, m, n, goes)| Op::Breed(over, m, n, goes)),
        3 => part().prop_map(|(m, r)| Op::Live(m, r)),
        1 => over().prop_map(Op::Sum),
        2 => any::<(u8, u8)>().prop_map(|(k, to)| Op::SetNext(k, to)),
        1 => any::<(u8, u8)>().prop_map(|(k, to)| Op::Guard(k, to)),
        1 => any::<u8>().prop_map(Op::Claim),
        1 => any::<bool>().prop_map(Op::Clone),
        2 => any::<u8>().prop_map(Op::Record),
        1 => any::<(u8, u64)>().prop_map(|(k, seed)| Op::Exchange(k, seed)),
    ]
}

/// Many sequences if the variable `IKRA_LONG` is set.
fn cases() -> u32 {
    if std::env::var_os("IKRA_LONG").is_some() { 200 } else { 24 }
}

/// Calls a function with 1, 3 and 8 threads.
fn on_threads(run: impl Fn() + Sync) {
    for threads in [1, 3, 8] {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(&run);
    }
}

macro_rules! model {
    ($module:ident, $capacity:expr, #[$options:meta]) => {
        mod $module {
            use super::{Model, Of, Op, Over, Random, Refused, Row, To, YOUNG, on_threads, op};
            use super::*;

            #[derive(Clone, Copy, Debug, PartialEq, Value)]
            #[repr(C)]
            pub struct Pair {
                pub weight: u32,
                pub to: Option<Link<Node>>,
            }

            #[$options]
            #[derive(Clone, Debug)]
            pub struct Node {
                pub id: u64,
                pub byte: u8,
                pub hits: u32,
                pub next: Option<Link<Node>>,
                pub pair: Pair,
                #[soa(flatten)]
                pub flat: Pair,
                pub two: [Option<Link<Node>>; 2],
                #[inline_array]
                pub slots: [Option<Link<Node>>; 3],
                #[inline_array(object)]
                pub whole: [Option<Link<Node>>; 2],
                #[inline_array(2)]
                pub near: InnerArray<Link<Node>>,
                #[atomic]
                pub claim: Option<Link<Node>>,
                pub thing: Option<ThingLink>,
                pub leaf: Link<Leaf>,
            }

            #[$options]
            #[derive(Clone, Debug)]
            pub struct Leaf {
                pub id: u64,
                pub hits: u32,
                pub owner: Option<Link<Node>>,
                pub tag: Option<Link<Tag>>,
                #[inline_array(0)]
                pub things: InnerArray<ThingLink>,
            }

            /// The plain field comes first, and does not keep the other from taking the object along.
            #[$options]
            #[derive(Clone, Debug)]
            pub struct Tag {
                pub id: u64,
                pub thing: ThingLink,
                #[soa(on_remove = "cascade")]
                pub node: Link<Node>,
            }

            #[soa_dispatch(Leaf, Node)]
            pub trait Thing {
                #[kernel(heavy)]
                fn live(&mut self, modulus: u64, rest: u64, nodes: Spawn<Node>, leaves: Spawn<Leaf>, tags: Spawn<Tag>);
            }
            #[soa_methods]
            impl Thing for Leaf {
                fn live(&mut self, modulus: u64, rest: u64, nodes: Spawn<Node>, leaves: Spawn<Leaf>, tags: Spawn<Tag>) {
                    self.hits += 1;
                    if self.id % modulus == rest {
                        let leaf = leaves.push(leaf(self.id + 3));
                        let node = nodes.push(node(self.id + 5, leaf));
                        let tag = tags.push(Tag { id: self.id + 2, thing: self.link().into(), node });
                        self.set_at_end(leaf::tag, Some(tag));
                    }
                }
            }
            #[soa_methods]
            impl Thing for Node {
                fn live(&mut self, modulus: u64, rest: u64, nodes: Spawn<Node>, leaves: Spawn<Leaf>, tags: Spawn<Tag>) {
                    self.hits += 1;
                    if (self.id + 1) % modulus == rest {
                        let mut young = leaf(self.id * 2);
                        young.things = [self.link().into()].into();
                        let leaf = leaves.push(young);
                        let kid = nodes.push(Node { thing: Some(leaf.into()), ..node(self.id * 3, leaf) });
                        tags.push(Tag { id: self.id, thing: leaf.into(), node: self.link() });
                        tags.push(Tag { id: self.id, thing: kid.into(), node: kid });
                        self.remove();
                    }
                }
            }

            #[soa_methods]
            impl Node {
                #[kernel]
                pub fn stays(&self, modulus: u64, rest: u64) -> bool {
                    self.id % modulus != rest
                }
                #[kernel]
                pub fn key(&self, factor: u64) -> u64 {
                    (self.id + 1).wrapping_mul(factor) >> 7 & 31
                }
                #[kernel]
                pub fn cull(&mut self, modulus: u64, rest: u64) {
                    self.hits += 1;
                    if self.id % modulus == rest {
                        self.remove();
                    }
                }
                #[kernel(heavy)]
                pub fn breed(
                    &mut self,
                    modulus: u64,
                    times: u32,
                    goes: bool,
                    nodes: Spawn<Node>,
                    leaves: Spawn<Leaf>,
                ) {
                    self.hits += 1;
                    let mut last = None;
                    if self.id % modulus == 0 {
                        for n in 0..times {
                            let leaf = leaves.push(Leaf { owner: last, ..leaf(self.id + n as u64) });
                            let own = self.link();
                            let kid = Node {
                                next: Some(own),
                                pair: Pair { weight: n, to: last },
                                two: [last, Some(own)],
                                slots: [None, last, Some(own)],
                                whole: [last, last],
                                near: last.into_iter().chain([own, own]).collect(),
                                claim: last,
                                thing: Some(leaf.into()),
                                ..node(self.id + 7 * n as u64, leaf)
                            };
                            last = Some(nodes.push(kid));
                        }
                        if times > 0 {
                            self.set_at_end(node::next, last);
                            self.set_at_end(node::flat, Pair { weight: times, to: last });
                            self.set_at_end(node::claim, last);
                        }
                        if goes {
                            self.remove();
                        }
                    }
                }
                #[kernel(reduce(Sum))]
                pub fn number(&self) -> u64 {
                    self.id
                }
                #[kernel]
                pub fn claims(&mut self, to: Link<Node>) {
                    self.claim.store(Some(to));
                }
                #[kernel]
                pub fn visit(&mut self) {
                    if let Some(next) = self.next {
                        self.byte = self.byte.wrapping_add(next.id() as u8);
                    }
                }
            }

            #[soa_methods]
            impl Leaf {
                #[kernel]
                pub fn stays(&self, modulus: u64, rest: u64) -> bool {
                    self.id % modulus != rest
                }
                #[kernel]
                pub fn fall(&mut self, modulus: u64, rest: u64) {
                    self.hits += 1;
                    if self.id % modulus == rest {
                        self.remove();
                    }
                }
            }

            #[soa_world]
            #[derive(Clone)]
            pub struct Graph {
                pub tags: Objects<Tag>,
                pub nodes: Objects<Node>,
                pub leaves: Objects<Leaf>,
            }

            fn node(id: u64, leaf: Link<Leaf>) -> Node {
                Node {
                    id,
                    byte: 0,
                    hits: 0,
                    next: None,
                    pair: Pair { weight: 0, to: None },
                    flat: Pair { weight: 0, to: None },
                    two: [None; 2],
                    slots: [None; 3],
                    whole: [None; 2],
                    near: [].into(),
                    claim: None,
                    thing: None,
                    leaf,
                }
            }
            fn leaf(id: u64) -> Leaf {
                Leaf { id, hits: 0, owner: None, tag: None, things: [].into() }
            }

            fn to_node(link: Link<Node>) -> To {
                (Of::Node, link.index())
            }
            fn to_thing(thing: ThingLink) -> To {
                if let Ok(link) = Link::<Node>::try_from(thing) {
                    return (Of::Node, link.index());
                }
                (Of::Leaf, Link::<Leaf>::try_from(thing).unwrap().index())
            }

            fn of_node(node: &Node) -> Row {
                let ([a, b], [c, d, e], [f, g]) = (node.two, node.slots, node.whole);
                let links = [node.next, node.pair.to, node.flat.to, node.claim, a, b, c, d, e, f, g];
                let mut some: Vec<_> = links.map(|link| link.map(to_node)).into();
                some.push(node.thing.map(to_thing));
                Row {
                    id: node.id,
                    hits: node.hits,
                    some,
                    lists: vec![node.near.iter().map(|&link| to_node(link)).collect()],
                    plain: vec![((Of::Leaf, node.leaf.index()), false)],
                }
            }
            fn of_leaf(leaf: &Leaf) -> Row {
                let tag = leaf.tag.map(|tag| (Of::Tag, tag.index()));
                Row {
                    id: leaf.id,
                    hits: leaf.hits,
                    some: vec![leaf.owner.map(to_node), tag],
                    lists: vec![leaf.things.iter().map(|&thing| to_thing(thing)).collect()],
                    plain: vec![],
                }
            }
            fn of_tag(tag: &Tag) -> Row {
                let plain = vec![(to_thing(tag.thing), false), (to_node(tag.node), true)];
                Row { id: tag.id, hits: 0, some: vec![], lists: vec![], plain }
            }
            fn rows<C: ikra::Class>(objects: &Objects<C>, row: fn(&C) -> Row) -> Vec<Option<Row>> {
                let mut rows = Vec::new();
                for (link, object) in objects.links().zip(objects.iter()) {
                    rows.resize(link.index(), None);
                    rows.push(Some(row(&object)));
                }
                rows
            }

            /// The objects of the world, which equal the model's but for holes at the end.
            fn compare(graph: &Graph, model: &Model) {
                let found = [rows(&graph.nodes, of_node), rows(&graph.leaves, of_leaf), rows(&graph.tags, of_tag)];
                for (mut found, (expected, of)) in
                    found.into_iter().zip(model.0.iter().zip([Of::Node, Of::Leaf, Of::Tag]))
                {
                    found.resize(found.len().max(expected.len()), None);
                    assert_eq!(&found, expected);
                    assert_eq!(graph_len(graph, of), model.live(of).len());
                }
            }
            fn graph_len(graph: &Graph, of: Of) -> usize {
                match of {
                    Of::Node => graph.nodes.len(),
                    Of::Leaf => graph.leaves.len(),
                    Of::Tag => graph.tags.len(),
                }
            }

            fn at<C>(index: usize) -> Link<C> {
                Link::from_id(index as u32 + 1).unwrap()
            }

            /// The row of a new node with random links to objects that exist.
            fn random_node(model: &Model, random: &mut Random, leaf: usize) -> Node {
                let nodes = model.live(Of::Node);
                let mut some = || if random.below(3) > 0 { random.of(&nodes).map(at) } else { None };
                let near = (0..3).filter_map(|_| some()).collect();
                Node {
                    next: some(),
                    pair: Pair { weight: 1, to: some() },
                    flat: Pair { weight: 2, to: some() },
                    two: [some(), some()],
                    slots: [some(), some(), some()],
                    whole: [some(), some()],
                    near,
                    claim: some(),
                    thing: match some() {
                        Some(node) => Some(node.into()),
                        None => Some(at::<Leaf>(leaf).into()),
                    },
                    ..node(random.below(1000) as u64, at(leaf))
                }
            }

            fn refused<T>(result: Result<T, Error>) -> Result<(), Refused> {
                match result {
                    Ok(_) => Ok(()),
                    Err(Error::LinkToRemoved { class, field, target, .. }) => {
                        assert!([("Node", "leaf"), ("Tag", "thing")].contains(&(class, field)), "{class}::{field}");
                        assert!(class == "Tag" || target == "Leaf", "{target}");
                        Err(Refused::Link)
                    }
                    Err(Error::CapacityExceeded { .. }) => Err(Refused::Capacity),
                    Err(error) => panic!("{error}"),
                }
            }

            /// The indices of a kernel's objects, and the run of it.
            macro_rules! run {
                ($graph:ident, $model:ident, $over:ident, $kernel:expr, $args:expr) => {{
                    let live = $model.live(Of::Node);
                    match $over {
                        Over::All => (live, refused($graph.on(Place::Host).execute($kernel, $args))),
                        Over::Range(from, len) => {
                            let from = (from as usize).min(live.len());
                            let end = (from + len as usize).min(live.len());
                            let run = $graph.on(Place::Host).over(from..end).execute($kernel, $args);
                            (live[from..end].to_vec(), refused(run))
                        }
                        Over::List(seed) => {
                            let mut random = Random(seed);
                            let mut some = live;
                            some.retain(|_| random.below(2) == 0);
                            let links: Vec<Link<Node>> = some.iter().rev().map(|&index| at(index)).collect();
                            (some, refused($graph.on(Place::Host).over(&links).execute($kernel, $args)))
                        }
                    }
                }};
            }

            fn apply(graph: &mut Graph, model: &mut Model, op: Op) {
                match op {
                    Op::PushNode(seed) => {
                        let mut random = Random(seed);
                        let Some(leaf) = random.of(&model.live(Of::Leaf)) else { return };
                        let row = random_node(model, &mut random, leaf);
                        let expected = of_node(&row);
                        match graph.nodes.push(row) {
                            Ok(link) => {
                                model.0[0].push(Some(expected));
                                assert_eq!(link.index() + 1, model.0[0].len());
                            }
                            Err(error) => {
                                assert!(matches!(error, Error::CapacityExceeded { .. }) && model.is_full(Of::Node))
                            }
                        }
                    }
                    Op::PushLeaf(seed) => {
                        let mut random = Random(seed);
                        let mut row = leaf(random.below(1000) as u64);
                        row.owner = random.of(&model.live(Of::Node)).map(at);
                        row.things = (0..random.below(4))
                            .filter_map(|n| match n % 2 {
                                0 => random.of(&model.live(Of::Node)).map(|node| at::<Node>(node).into()),
                                _ => random.of(&model.live(Of::Leaf)).map(|leaf| at::<Leaf>(leaf).into()),
                            })
                            .collect();
                        let expected = of_leaf(&row);
                        match graph.leaves.extend([row]) {
                            Ok(_) => model.0[1].push(Some(expected)),
                            Err(error) => {
                                assert!(matches!(error, Error::CapacityExceeded { .. }) && model.is_full(Of::Leaf))
                            }
                        }
                    }
                    Op::PushTag(seed) => {
                        let mut random = Random(seed);
                        let Some(node) = random.of(&model.live(Of::Node)) else { return };
                        let leaf = random.of(&model.live(Of::Leaf)).unwrap();
                        let thing = match random.below(2) {
                            0 => at::<Node>(random.of(&model.live(Of::Node)).unwrap()).into(),
                            _ => at::<Leaf>(leaf).into(),
                        };
                        let row = Tag { id: seed, thing, node: at(node) };
                        let expected = of_tag(&row);
                        match graph.tags.push(row) {
                            Ok(_) => model.0[2].push(Some(expected)),
                            Err(error) => {
                                assert!(matches!(error, Error::CapacityExceeded { .. }) && model.is_full(Of::Tag))
                            }
                        }
                    }
                    Op::Remove(of, n) => {
                        let slots = model.0[of as usize].len();
                        if slots == 0 {
                            return;
                        }
                        let index = n as usize % slots;
                        let removed = match of {
                            Of::Node => graph.remove::<Node>(at(index)),
                            Of::Leaf => graph.remove::<Leaf>(at(index)),
                            Of::Tag => graph.remove::<Tag>(at(index)),
                        };
                        if model.0[of as usize][index].is_none() {
                            assert!(matches!(removed, Err(Error::Removed { id, .. }) if id as usize == index + 1));
                            return;
                        }
                        assert_eq!(refused(removed), model.remove([(of, index)].into()));
                    }
                    Op::RetainNodes(m, r) => {
                        let mut order = model.live(Of::Node);
                        order.retain(|&index| model.row(Of::Node, index).id % m != r);
                        let before = model.live(Of::Node).len();
                        let moved = graph.retain(Node::stays, (m, r));
                        if let Ok(moved) = &moved {
                            assert_eq!(moved.removed(), before - graph.nodes.len());
                        }
                        assert_eq!(refused(moved), model.reorder(Of::Node, &order));
                    }
                    Op::RetainLeaves(m, r) => {
                        let mut order = model.live(Of::Leaf);
                        order.retain(|&index| model.row(Of::Leaf, index).id % m != r);
                        assert_eq!(refused(graph.retain(Leaf::stays, (m, r))), model.reorder(Of::Leaf, &order));
                    }
                    Op::Clear(of) => {
                        let cleared = match of {
                            Of::Node => graph.clear::<Node>(),
                            Of::Leaf => graph.clear::<Leaf>(),
                            Of::Tag => graph.clear::<Tag>(),
                        };
                        assert_eq!(refused(cleared), model.reorder(of, &[]));
                    }
                    Op::Compact(of) => {
                        match of {
                            Of::Node => graph.compact::<Node>().map(drop).unwrap(),
                            Of::Leaf => graph.compact::<Leaf>().map(drop).unwrap(),
                            Of::Tag => graph.compact::<Tag>().map(drop).unwrap(),
                        }
                        let order = model.live(of);
                        model.reorder(of, &order).unwrap();
                    }
                    Op::SortNodes(factor) => {
                        let mut order = model.live(Of::Node);
                        order.sort_by_key(|&n| (model.row(Of::Node, n).id + 1).wrapping_mul(factor) >> 7 & 31);
                        let moved = graph.sort_by_key(Node::key, factor).unwrap();
                        for (new, &old) in order.iter().enumerate() {
                            assert_eq!(moved.link(at(old)), Some(at(new)));
                        }
                        model.reorder(Of::Node, &order).unwrap();
                    }
                    Op::ReorderLeaves(seed) => {
                        let mut random = Random(seed);
                        let mut order = model.live(Of::Leaf);
                        for n in (1..order.len()).rev() {
                            order.swap(n, random.below(n + 1));
                        }
                        if seed % 4 == 0 {
                            order.pop();
                        }
                        let links: Vec<Link<Leaf>> = order.iter().map(|&index| at(index)).collect();
                        assert_eq!(refused(graph.reorder(&links)), model.reorder(Of::Leaf, &order));
                    }
                    Op::Cull(over, m, r) => {
                        let (called, result) = run!(graph, model, over, Node::cull, (m, r));
                        let before = model.clone();
                        called.iter().for_each(|&n| model.row_mut(Of::Node, n).hits += 1);
                        let gone = called.into_iter().filter(|&n| model.row(Of::Node, n).id % m == r);
                        let gone = gone.map(|n| (Of::Node, n)).collect();
                        assert_eq!(result, model.remove(gone).inspect_err(|_| *model = before));
                    }
                    Op::Fall(m, r) => {
                        let before = model.clone();
                        let called = model.live(Of::Leaf);
                        called.iter().for_each(|&n| model.row_mut(Of::Leaf, n).hits += 1);
                        let gone = called.into_iter().filter(|&n| model.row(Of::Leaf, n).id % m == r);
                        let gone = gone.map(|n| (Of::Leaf, n)).collect();
                        let expected = model.remove(gone).inspect_err(|_| *model = before);
                        assert_eq!(refused(graph.on(Place::Host).execute(Leaf::fall, (m, r))), expected);
                    }
                    Op::Breed(over, m, times, goes) => {
                        let (called, result) = run!(graph, model, over, Node::breed, (m, times, goes));
                        let before = model.clone();
                        let (mut young, mut gone) = (<[Vec<Row>; 3]>::default(), std::collections::BTreeSet::new());
                        for n in called {
                            model.row_mut(Of::Node, n).hits += 1;
                            let id = model.row(Of::Node, n).id;
                            if id % m != 0 {
                                continue;
                            }
                            let mut last = None;
                            let own = (Of::Node, n);
                            for n in 0..times as u64 {
                                let leaf = (Of::Leaf, YOUNG + young[1].len());
                                let row =
                                    Row { some: vec![last, None], lists: vec![vec![]], ..of_leaf(&self::leaf(id + n)) };
                                young[1].push(row);
                                let some = vec![
                                    Some(own),
                                    last,
                                    None,
                                    last,
                                    last,
                                    Some(own),
                                    None,
                                    last,
                                    Some(own),
                                    last,
                                    last,
                                    Some(leaf),
                                ];
                                let lists = vec![last.into_iter().chain([own, own]).collect()];
                                last = Some((Of::Node, YOUNG + young[0].len()));
                                young[0].push(Row {
                                    id: id + 7 * n,
                                    hits: 0,
                                    some,
                                    lists,
                                    plain: vec![(leaf, false)],
                                });
                            }
                            if times > 0 {
                                let row = model.row_mut(Of::Node, n);
                                (row.some[0], row.some[2], row.some[3]) = (last, last, last);
                            }
                            if goes {
                                gone.insert(own);
                            }
                        }
                        assert_eq!(result, model.change(young, gone).inspect_err(|_| *model = before));
                    }
                    Op::Live(m, r) => {
                        let before = model.clone();
                        let (mut young, mut gone) = (<[Vec<Row>; 3]>::default(), std::collections::BTreeSet::new());
                        let row = |id, plain| Row { id, hits: 0, some: vec![], lists: vec![], plain };
                        let node = |id, leaf, thing| {
                            let mut some = vec![None; 12];
                            some[11] = thing;
                            Row { some, lists: vec![vec![]], ..row(id, vec![(leaf, false)]) }
                        };
                        for n in model.live(Of::Leaf) {
                            model.row_mut(Of::Leaf, n).hits += 1;
                            let id = model.row(Of::Leaf, n).id;
                            if id % m == r {
                                let leaf = (Of::Leaf, YOUNG + young[1].len());
                                young[1].push(of_leaf(&self::leaf(id + 3)));
                                let kid = (Of::Node, YOUNG + young[0].len());
                                young[0].push(node(id + 5, leaf, None));
                                model.row_mut(Of::Leaf, n).some[1] = Some((Of::Tag, YOUNG + young[2].len()));
                                young[2].push(row(id + 2, vec![((Of::Leaf, n), false), (kid, true)]));
                            }
                        }
                        for n in model.live(Of::Node) {
                            model.row_mut(Of::Node, n).hits += 1;
                            let id = model.row(Of::Node, n).id;
                            if (id + 1) % m == r {
                                let leaf = (Of::Leaf, YOUNG + young[1].len());
                                let own = (Of::Node, n);
                                young[1].push(Row { lists: vec![vec![own]], ..of_leaf(&self::leaf(id * 2)) });
                                let kid = (Of::Node, YOUNG + young[0].len());
                                young[0].push(node(id * 3, leaf, Some(leaf)));
                                young[2].push(row(id, vec![(leaf, false), (own, true)]));
                                young[2].push(row(id, vec![(kid, false), (kid, true)]));
                                gone.insert(own);
                            }
                        }
                        let result = refused(graph.on(Place::Host).execute(Thing::live, (m, r)));
                        assert_eq!(result, model.change(young, gone).inspect_err(|_| *model = before));
                    }
                    Op::Sum(over) => {
                        let live = model.live(Of::Node);
                        let ids: Vec<_> = live.iter().map(|&n| model.row(Of::Node, n).id).collect();
                        let part = match over {
                            Over::Range(from, len) => {
                                let from = (from as usize).min(ids.len());
                                from..(from + len as usize).min(ids.len())
                            }
                            _ => 0..ids.len(),
                        };
                        let sum = graph.over(part.clone()).execute_and_reduce(Node::number, (), Sum);
                        assert_eq!(sum, ids[part.clone()].iter().sum::<u64>());
                        assert_eq!(graph.over(part.clone()).execute_and_collect(Node::number, ()), ids[part]);
                        assert!(graph.on(Place::Host).over(..ids.len() + 1).execute(Node::visit, ()).is_err());
                        if let Over::List(_) = over {
                            let links: Vec<Link<Node>> = live.iter().rev().map(|&n| at(n)).collect();
                            let list = LinkList::new(&links).unwrap();
                            assert_eq!(graph.over(&list).execute_and_collect(Node::number, ()), ids);
                        }
                    }
                    Op::SetNext(k, to) => {
                        let Some(index) = Random(k as u64).of(&model.live(Of::Node)) else { return };
                        let to = to as usize % model.0[0].len();
                        graph.set(at(index), node::next, Some(at(to)));
                        if model.0[0][to].is_some() {
                            model.row_mut(Of::Node, index).some[0] = Some((Of::Node, to));
                            return;
                        }
                        let error = graph.on(Place::Host).execute(Node::visit, ()).unwrap_err();
                        let Error::LinkToNone { class, field, object, target } = error else { panic!("{error}") };
                        assert_eq!((class, field, object as usize, target), ("Node", "next", index + 1, "Node"));
                        assert!(matches!(graph.compact::<Leaf>(), Err(Error::LinkToNone { .. })));
                        graph.set(at(index), node::next, None);
                        model.row_mut(Of::Node, index).some[0] = None;
                    }
                    Op::Guard(k, to) => {
                        let Some(index) = Random(k as u64).of(&model.live(Of::Node)) else { return };
                        let to = Random(to as u64).of(&model.live(Of::Node)).unwrap();
                        let mut node = graph.get_mut(at::<Node>(index));
                        node.pair = Pair { weight: 9, to: Some(at(to)) };
                        node.hits += 1;
                        drop(node);
                        let row = model.row_mut(Of::Node, index);
                        row.some[1] = Some((Of::Node, to));
                        row.hits += 1;
                    }
                    Op::Claim(to) => {
                        let slots = model.0[0].len();
                        if slots == 0 {
                            return;
                        }
                        let to = to as usize % slots;
                        let claimed = graph.on(Place::Host).execute(Node::claims, at(to));
                        if model.0[0][to].is_none() {
                            let Err(Error::Removed { class: "Node", id }) = claimed else { panic!("{claimed:?}") };
                            assert_eq!(id as usize, to + 1);
                            return;
                        }
                        claimed.unwrap();
                        model.live(Of::Node).into_iter().for_each(|n| {
                            model.row_mut(Of::Node, n).some[3] = Some((Of::Node, to));
                        });
                    }
                    Op::Clone(keep) => {
                        let mut clone = graph.clone();
                        if keep {
                            std::mem::swap(&mut clone, graph);
                        }
                        clone.clear::<Tag>().unwrap();
                    }
                    Op::Record(n) => {
                        let recording = graph.on(Place::Host).record(|on| on.execute(Node::visit, ()));
                        if model.has_holes(Of::Node) {
                            let message = recording.unwrap_err().to_string();
                            assert!(message.contains("compact"), "{message}");
                            return;
                        }
                        let recording = recording.unwrap();
                        graph.on(Place::Host).replay(&recording).unwrap();
                        apply(graph, model, Op::Remove(Of::Node, n));
                        let is_stale = model.has_holes(Of::Node) || model.0[0].is_empty();
                        match graph.on(Place::Host).replay(&recording) {
                            Ok(()) => assert!(!model.has_holes(Of::Node)),
                            Err(Error::StaleRecording { .. }) => assert!(is_stale || model.has_holes(Of::Tag)),
                            Err(error) => panic!("{error}"),
                        }
                    }
                    Op::Exchange(k, seed) => {
                        let Some(index) = Random(k as u64).of(&model.live(Of::Node)) else { return };
                        let leaf = Random(seed).of(&model.live(Of::Leaf)).unwrap();
                        let row = random_node(model, &mut Random(seed), leaf);
                        *model.row_mut(Of::Node, index) = of_node(&row);
                        graph.nodes.write(at(index), row).unwrap();
                    }
                }
            }

            fn check(ops: &[Op], size: usize) {
                let (mut graph, mut model) = (Graph::new(), Model(Default::default(), $capacity));
                for n in 0..size as u64 {
                    apply(&mut graph, &mut model, Op::PushLeaf(n));
                    apply(&mut graph, &mut model, Op::PushNode(n));
                    apply(&mut graph, &mut model, Op::PushTag(n * 3));
                }
                for &op in ops {
                    // Worlds stay small.
                    if model.0.iter().flatten().count() > 500 {
                        apply(&mut graph, &mut model, Op::Cull(Over::All, 2, 1));
                        continue;
                    }
                    apply(&mut graph, &mut model, op);
                    compare(&graph, &model);
                    graph.execute(Node::visit, ());
                }
            }

            proptest! {
                #![proptest_config(ProptestConfig::with_cases(cases()))]
                #[test]
                fn equals_the_model(size in 0_usize..30, ops in proptest::collection::vec(op(), 1..40)) {
                    on_threads(|| check(&ops, size));
                }
            }
        }
    };
}

model!(columns, None, #[soa_class]);
model!(rows, None, #[soa_class(layout = "aos")]);
model!(tiles, None, #[soa_class(layout = "tiles")]);
model!(fixed, Some(64), #[soa_class(capacity = 64, arena = 8192)]);
