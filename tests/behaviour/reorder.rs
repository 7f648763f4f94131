//! Sorting and removing objects, compared with a plain model: all links of the world follow.

use ikra::{Error, LinkList, Place, World, prelude::*};
use proptest::prelude::*;

macro_rules! model {
    ($module:ident, #[$options:meta]) => {
        mod $module {
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
                pub wide: [f64; 3],
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

            #[soa_class]
            #[derive(Clone, Debug)]
            pub struct Leaf {
                pub id: u64,
                pub owner: Option<Link<Node>>,
                #[inline_array(0)]
                pub things: InnerArray<ThingLink>,
            }

            #[soa_dispatch(Leaf, Node)]
            pub trait Thing {
                fn number(&self) -> u64;
            }
            #[soa_methods]
            impl Thing for Leaf {
                fn number(&self) -> u64 {
                    self.id
                }
            }
            #[soa_methods]
            impl Thing for Node {
                fn number(&self) -> u64 {
                    1_000_000 + self.id
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
                pub fn visit(&mut self) {
                    if let Some(next) = self.next {
                        self.wide[0] += next.id() as f64;
                    }
                }
            }

            #[soa_methods]
            impl Leaf {
                #[kernel]
                pub fn stays(&self, modulus: u64) -> bool {
                    self.id % modulus != 0
                }
            }

            #[soa_world]
            pub struct Graph {
                pub nodes: Objects<Node>,
                pub leaves: Objects<Leaf>,
            }

            /// The content of an object, with names of objects in place of links.
            type Facts = (u8, [u64; 3], Vec<Option<u64>>, Vec<u64>, Option<u64>, u64);

            fn facts(graph: &Graph, node: &Node) -> Facts {
                let name = |link: Link<Node>| graph.nodes.read(link).unwrap().id;
                let of = |link: Option<Link<Node>>| link.map(name);
                let [a, b] = node.two;
                let [c, d, e] = node.slots;
                let [f, g] = node.whole;
                let links = [node.next, node.pair.to, node.flat.to, a, b, c, d, e, f, g, node.claim];
                let near = node.near.iter().map(|&link| name(link)).collect();
                let thing = node.thing.map(|thing| graph.get(thing).number());
                let leaf = graph.leaves.read(node.leaf).unwrap().id;
                assert_eq!((node.pair.weight, node.flat.weight), (node.id as u32, !node.id as u32));
                (node.byte, node.wide.map(f64::to_bits), links.map(of).to_vec(), near, thing, leaf)
            }

            /// All nodes by name, and their names in order.
            fn nodes(graph: &Graph) -> (Vec<u64>, std::collections::BTreeMap<u64, Facts>) {
                let rows: Vec<_> = graph.nodes.iter().collect();
                let named = rows.iter().map(|node| (node.id, facts(graph, node))).collect();
                (rows.iter().map(|node| node.id).collect(), named)
            }

            fn leaves(graph: &Graph) -> Vec<(u64, Option<u64>, Vec<u64>)> {
                let row = |leaf: Leaf| {
                    let owner = leaf.owner.map(|node| graph.nodes.read(node).unwrap().id);
                    (leaf.id, owner, leaf.things.iter().map(|&thing| graph.get(thing).number()).collect())
                };
                graph.leaves.iter().map(row).collect()
            }

            /// The facts without some nodes.
            fn without(facts: Facts, gone: &dyn Fn(u64) -> bool) -> Facts {
                let (byte, wide, links, near, thing, leaf) = facts;
                let links = links.into_iter().map(|link| link.filter(|&id| !gone(id))).collect();
                let near = near.into_iter().filter(|&id| !gone(id)).collect();
                let thing = thing.filter(|&number| number < 1_000_000 || !gone(number - 1_000_000));
                (byte, wide, links, near, thing, leaf)
            }

            fn graph(len: usize, seed: u64) -> Graph {
                let mut graph = Graph::new();
                let mut state = seed | 1;
                let mut random = move |below: usize| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    ((state >> 33) as usize) % below.max(1)
                };
                let nodes: Vec<_> = graph.nodes.reserve(len).unwrap().collect();
                let leaves: Vec<_> = graph.leaves.reserve(len.div_ceil(2)).unwrap().collect();
                for (n, &node) in nodes.iter().enumerate() {
                    let mut some = || (random(3) > 0).then(|| nodes[random(len)]);
                    let (next, to, other) = (some(), some(), some());
                    let (two, slots, whole, claim) =
                        ([some(), some()], [some(), some(), some()], [some(), some()], some());
                    let near = (0..random(6)).map(|_| nodes[random(len)]).collect();
                    let thing = match random(3) {
                        0 => None,
                        1 => Some(nodes[random(len)].into()),
                        _ => Some(leaves[random(leaves.len())].into()),
                    };
                    let leaf = leaves[random(leaves.len())];
                    let row = Node {
                        id: n as u64,
                        byte: n as u8,
                        wide: [n as f64, 0.5, -1.0],
                        next,
                        pair: Pair { weight: n as u32, to },
                        flat: Pair { weight: !n as u32, to: other },
                        two,
                        slots,
                        whole,
                        near,
                        claim,
                        thing,
                        leaf,
                    };
                    graph.nodes.init(node, row).unwrap();
                }
                for (n, &leaf) in leaves.iter().enumerate() {
                    let owner = (random(2) > 0 && len > 0).then(|| nodes[random(len)]);
                    let things =
                        (0..random(4))
                            .map(|m| {
                                if m % 2 == 0 { nodes[random(len)].into() } else { leaves[random(leaves.len())].into() }
                            })
                            .collect();
                    graph.leaves.init(leaf, Leaf { id: n as u64, owner, things }).unwrap();
                }
                graph
            }

            fn check(len: usize, seed: u64, modulus: u64, rest: u64) {
                let mut graph = graph(len, seed);
                graph.execute(Node::visit, ());
                let (mut names, mut expected) = nodes(&graph);
                let mut expected_leaves = leaves(&graph);

                let before: Vec<_> = graph.nodes.links().collect();
                let moved = graph.sort_by_key(Node::key, seed).unwrap();
                names.sort_by_key(|&id| (id + 1).wrapping_mul(seed) >> 7 & 31);
                assert_eq!(nodes(&graph), (names.clone(), expected.clone()));
                assert_eq!(leaves(&graph), expected_leaves);
                for (n, &link) in before.iter().enumerate() {
                    assert_eq!(graph.nodes.read(moved.link(link).unwrap()).unwrap().id, n as u64);
                }

                let gone = |id: u64| id % modulus == rest;
                let moved = graph.retain(Node::stays, (modulus, rest)).unwrap();
                names.retain(|&id| !gone(id));
                expected = expected
                    .into_iter()
                    .filter(|(id, _)| !gone(*id))
                    .map(|(id, it)| (id, without(it, &gone)))
                    .collect();
                for (_, owner, things) in &mut expected_leaves {
                    *owner = owner.filter(|&id| !gone(id));
                    things.retain(|&number| number < 1_000_000 || !gone(number - 1_000_000));
                }
                assert_eq!(moved.removed(), len - names.len());
                assert_eq!(nodes(&graph), (names.clone(), expected.clone()));
                assert_eq!(leaves(&graph), expected_leaves);

                // `leaf` cannot be empty: as long as a node names it, a leaf stays.
                let named = |id: u64| expected.values().any(|facts| facts.5 == id);
                let fails = expected_leaves.iter().any(|&(id, ..)| id % modulus == 0 && named(id));
                match graph.retain(Leaf::stays, modulus) {
                    Err(Error::LinkToRemoved { class: "Node", field: "leaf", target: "Leaf", object }) => {
                        assert!(fails);
                        let node: Vec<_> = graph.nodes.iter().collect();
                        let leaf = graph.leaves.read(node[object as usize - 1].leaf).unwrap();
                        assert_eq!(leaf.id % modulus, 0);
                        assert_eq!(nodes(&graph), (names.clone(), expected.clone()));
                        assert_eq!(leaves(&graph), expected_leaves);
                    }
                    Ok(_) => assert!(!fails),
                    Err(other) => panic!("{other}"),
                }

                // Kernels follow the links, and more objects may come.
                graph.execute(Node::visit, ());
                let leaf = graph.leaves.links().next();
                if let Some(leaf) = leaf {
                    let row = Node { leaf, ..self::graph(1, 3).nodes.iter().next().unwrap() };
                    let row = Node {
                        next: None,
                        pair: Pair { weight: 0, to: None },
                        flat: Pair { weight: !0, to: None },
                        two: [None; 2],
                        slots: [None; 3],
                        whole: [None; 2],
                        near: InnerArray::from([]),
                        claim: None,
                        thing: None,
                        ..row
                    };
                    let link = graph.nodes.push(row).unwrap();
                    assert_eq!(link.index(), names.len());
                    graph.execute(Node::visit, ());
                    graph.reorder(&[link]).unwrap();
                    assert_eq!(graph.nodes.len(), 1);
                    assert_eq!(nodes(&graph).0, [0]);
                }
            }

            proptest! {
                #![proptest_config(ProptestConfig::with_cases(24))]
                #[test]
                fn links_follow(len in 1_usize..80, seed: u64, modulus in 1_u64..5, rest in 0_u64..5) {
                    check(len, seed, modulus, rest);
                }
            }
        }
    };
}

model!(columns, #[soa_class]);
model!(rows, #[soa_class(layout = "aos")]);
model!(tiles, #[soa_class(layout = "tiles")]);
model!(fixed, #[soa_class(capacity = 128, arena = 65536)]);

#[soa_class]
pub struct Cell {
    pub number: u32,
    pub next: Option<Link<Cell>>,
}

#[soa_methods]
impl Cell {
    #[kernel]
    pub fn add(&mut self, by: u32) {
        self.number += by;
    }
    #[kernel]
    pub fn reversed(&self) -> std::cmp::Reverse<u32> {
        std::cmp::Reverse(self.number)
    }
    #[kernel(snapshot(number))]
    pub fn pass_on(&mut self) {
        if let Some(next) = self.next {
            self.number = next.number();
        }
    }
}

#[soa_world]
pub struct Line {
    pub cells: Objects<Cell>,
}

fn line(len: u32) -> Line {
    let mut line = Line::new();
    let cells: Vec<_> = line.cells.reserve(len as usize).unwrap().collect();
    for n in 0..len {
        let next = cells.get(n as usize + 1).copied();
        line.cells.init(cells[n as usize], Cell { number: n, next }).unwrap();
    }
    line
}

#[test]
fn lists_and_recordings_of_before_are_refused() -> Result<(), Error> {
    let mut line = line(5);
    let links: Vec<_> = line.cells.links().collect();
    let list = LinkList::new(&links[1..3])?;
    let recording = line.on(Place::Host).record(|on| on.execute(Cell::add, 1))?;
    line.over(&list).execute(Cell::add, 10);
    line.over(&links[1..3]).execute(Cell::add, 10);
    // An order that changes nothing leaves them as they are.
    line.reorder(&links)?;
    line.over(&list).execute(Cell::add, 10);
    line.on(Place::Host).replay(&recording)?;
    assert_eq!(line.cells.column(cell::number), [1, 32, 33, 4, 5]);
    line.sort_by_key(Cell::reversed, ())?;
    assert_eq!(line.cells.column(cell::number), [33, 32, 5, 4, 1]);
    let message = line.on(Place::Host).over(&list).execute(Cell::add, 10).unwrap_err().to_string();
    assert!(message.contains("the list was made before objects of class Cell got other ids"), "{message}");
    let message = line.on(Place::Host).replay(&recording).unwrap_err().to_string();
    assert!(message.contains("objects of class Cell got other ids"), "{message}");
    // The links now refer to other objects, so a slice of them is a new list.
    line.over(&links[1..3]).execute(Cell::add, 10);
    assert_eq!(line.cells.column(cell::number), [33, 42, 15, 4, 1]);
    // Another world does not change.
    let mut other = self::line(5);
    other.over(&LinkList::new(&links[..2])?).execute(Cell::add, 1);
    Ok(())
}

#[test]
fn a_recording_that_changes_ids_is_refused() -> Result<(), Error> {
    let mut line = line(5);
    let recording = line.on(Place::Host).record(|on| {
        on.execute(Cell::add, 1)?;
        on.world().sort_by_key(Cell::reversed, ()).map(drop)
    })?;
    let message = line.on(Place::Host).replay(&recording).unwrap_err().to_string();
    assert!(message.contains("objects of class Cell got other ids"), "{message}");
    Ok(())
}

#[test]
fn snapshots_go_on_after_a_removal() -> Result<(), Error> {
    let mut line = line(6);
    line.execute(Cell::pass_on, ());
    assert_eq!(line.cells.column(cell::number), [1, 2, 3, 4, 5, 5]);
    let links: Vec<_> = line.cells.links().collect();
    line.reorder(&[links[4], links[3], links[0], links[1]])?;
    line.execute(Cell::pass_on, ());
    // 4 was before 5, which is gone; 3 before 4; 0 before 1; 1 before 2, which is gone.
    assert_eq!(line.cells.column(cell::number), [5, 5, 2, 2]);
    Ok(())
}

#[test]
fn an_order_names_each_object_once() -> Result<(), Error> {
    let mut line = line(3);
    let links: Vec<_> = line.cells.links().collect();
    let message = line.reorder(&[links[1], links[1]]).unwrap_err().to_string();
    assert!(message.contains("Cell#2 is in the list twice"), "{message}");
    let far = self::line(9).cells.links().next_back().unwrap();
    assert!(matches!(line.reorder(&[far]), Err(Error::NotInWorld { id: 9, len: 3, .. })));
    assert_eq!(line.cells.column(cell::number), [0, 1, 2]);
    line.cells.reserve(1)?;
    assert!(matches!(line.reorder(&links), Err(Error::NotAllInitialized { .. })));
    Ok(())
}
