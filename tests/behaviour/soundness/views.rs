//! Views, refs and guards: a writer of an object is its only user, and traits capture no calls.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ikra::prelude::*;

/// The same class in every arrangement and layout.
macro_rules! graphs {
    ($($module:ident ($($layout:tt)*) #[$array:meta] $ty:ty;)*) => { $(
        mod $module {
            use super::*;

            #[soa_class($($layout)*)]
            pub struct Node {
                pub value: u32,
                pub next: Link<Node>,
                #[$array]
                pub path: $ty,
                #[$array]
                pub road: $ty,
            }

            #[soa_methods]
            impl Node {
                /// A plausible user method: reads the neighbour, which may be the object itself.
                pub fn shift(&mut self) {
                    for i in 0..3 {
                        self.path[i + 1] = self.next.path().get(i) + 1;
                    }
                }
                /// Borrows an element while other code runs.
                pub fn hold(&self, between: impl FnOnce()) -> (u32, u32) {
                    let borrowed = &self.path[0];
                    between();
                    (*borrowed, self.path[0])
                }
                pub fn total(&self) -> u32 {
                    self.path.iter().sum::<u32>() + self.path.as_slice().map_or(0, |path| path.len() as u32 - 4)
                }
                #[kernel]
                pub fn grow(&mut self) {
                    self.path.iter_mut().for_each(|x| *x += 10);
                }
            }

            #[soa_world]
            pub struct Graph {
                pub nodes: Objects<Node>,
            }

            fn ring(values: [u32; 4]) -> (Graph, Link<Node>) {
                let mut graph = Graph::new();
                let node = graph.nodes.reserve(1).unwrap().next().unwrap();
                let row = Node { value: 7, next: node, path: values.into(), road: [0; 4].into() };
                graph.nodes.init(node, row).unwrap();
                (graph, node)
            }

            fn path(graph: &Graph, node: Link<Node>) -> Vec<u32> {
                graph.get(node).path().iter().collect()
            }

            #[test]
            fn a_link_to_the_object_itself_shows_it_as_it_was() {
                let (mut graph, node) = ring([1, 2, 3, 4]);
                let mut guard = graph.get_mut(node);
                let other = guard.next;
                let element = &mut guard.path[0];
                let before = other.path().get(0);
                *element = 77;
                let after = other.path().get(0);
                assert_eq!((before, *element, after), (1, 77, 1));
                guard.value = 8;
                assert_eq!((guard.path.get(0), other.value()), (77, 7));
                let slice = other.path().iter().collect::<Vec<_>>();
                if let Some(own) = guard.path.as_mut_slice() {
                    own[1] = 78;
                } else {
                    guard.path[1] = 78;
                }
                assert_eq!(slice, [1, 2, 3, 4]);
                assert_eq!(format!("{:?}", other.path()), "[1, 2, 3, 4]");
                drop(guard);
                assert_eq!(other.path().get(0), 77);
                assert_eq!(path(&graph, node), [77, 78, 3, 4]);
                assert_eq!(graph.get(node).value(), 8);
                assert_eq!(graph.get(node).road(), [0; 4]);
            }

            #[test]
            fn a_method_that_reads_its_neighbour_reads_one_state() {
                let (mut graph, node) = ring([1, 2, 3, 4]);
                graph.get_mut(node).shift();
                assert_eq!(path(&graph, node), [1, 2, 3, 4]);
                let (mut graph, node) = ring([5, 0, 0, 0]);
                graph.get_mut(node).shift();
                assert_eq!(path(&graph, node), [5, 6, 1, 1]);
            }

            #[test]
            fn a_method_of_a_ref_keeps_what_it_borrowed() {
                let (mut graph, node) = ring([1, 2, 3, 4]);
                let mut guard = graph.get_mut(node);
                guard.path[0] = 50;
                let other = guard.next;
                assert_eq!(other.total(), 10);
                assert_eq!(other.hold(move || drop(guard)), (1, 1));
                assert_eq!(other.hold(|| ()), (50, 50));
                assert_eq!(graph.get(node).hold(|| ()), (50, 50));
            }

            #[test]
            fn guards_keep_apart() {
                for order in [false, true] {
                    let ((mut a, x), (mut b, y)) = (ring([1, 2, 3, 4]), ring([5, 6, 7, 8]));
                    let (mut first, mut second) = (a.get_mut(x), b.get_mut(y));
                    first.path[0] = 10;
                    second.path[0] = 50;
                    mem::swap(&mut first.path, &mut second.path);
                    let (one, mut other) = if order { (first, second) } else { (second, first) };
                    assert!(catch_unwind(AssertUnwindSafe(|| drop(one))).is_err());
                    // The other guard's array now belongs to the dropped guard.
                    other.path[1] = 99;
                    assert_eq!(other.path[1], 99);
                    assert!(catch_unwind(AssertUnwindSafe(|| drop(other))).is_err());
                    assert_eq!((path(&a, x), path(&b, y)), (vec![1, 2, 3, 4], vec![5, 6, 7, 8]));
                }
            }

            #[test]
            fn whole_views_are_not_exchanged() {
                let ((mut a, x), (mut b, y)) = (ring([1, 2, 3, 4]), ring([5, 6, 7, 8]));
                let (mut first, mut second) = (a.get_mut(x), b.get_mut(y));
                mem::swap(&mut *first, &mut *second);
                first.path[3] = 1000;
                assert!(catch_unwind(AssertUnwindSafe(|| drop(second))).is_err());
                first.path[2] = 1001;
                assert!(catch_unwind(AssertUnwindSafe(|| drop(first))).is_err());
                assert_eq!((path(&a, x), path(&b, y)), (vec![1, 2, 3, 4], vec![5, 6, 7, 8]));
                // Swapped twice: nothing changed.
                let (mut first, mut second) = (a.get_mut(x), b.get_mut(y));
                mem::swap(&mut *first, &mut *second);
                mem::swap(&mut *first, &mut *second);
                first.path[0] = 9;
                drop((first, second));
                assert_eq!((path(&a, x), path(&b, y)), (vec![9, 2, 3, 4], vec![5, 6, 7, 8]));
                // The guards themselves.
                let (mut first, mut second) = (a.get_mut(x), b.get_mut(y));
                mem::swap(&mut first, &mut second);
                first.path[0] = 11;
                drop((first, second));
                assert_eq!((path(&a, x), path(&b, y)), (vec![9, 2, 3, 4], vec![11, 6, 7, 8]));
            }

            #[test]
            fn a_guard_that_is_forgotten_stores_nothing() {
                let (mut graph, node) = ring([1, 2, 3, 4]);
                let mut guard = graph.get_mut(node);
                guard.path[0] = 10;
                guard.value = 10;
                mem::forget(guard);
                assert_eq!((path(&graph, node), graph.get(node).value()), (vec![1, 2, 3, 4], 7));
                graph.execute(Node::grow, ());
                assert_eq!(path(&graph, node), [11, 12, 13, 14]);
            }

            #[test]
            fn a_panic_beside_a_guard_stores_what_was_changed() {
                let (mut graph, node) = ring([1, 2, 3, 4]);
                let result = catch_unwind(AssertUnwindSafe(|| {
                    let mut guard = graph.get_mut(node);
                    guard.value = 1;
                    guard.path[0] = 2;
                    panic!("on purpose");
                }));
                assert!(result.is_err());
                assert_eq!((path(&graph, node), graph.get(node).value()), (vec![2, 2, 3, 4], 1));
            }

            #[test]
            fn fields_are_set_by_their_stored_values() {
                let (mut graph, node) = ring([1, 2, 3, 4]);
                let other = graph.nodes.push(Node { value: 1, next: node, path: [0; 4].into(), road: [0; 4].into() }).unwrap();
                graph.set(node, node::next, other);
                graph.set(other, node::value, 5);
                assert_eq!(graph.get(node).next().value(), 5);
                assert_eq!(path(&graph, node), [1, 2, 3, 4]);
                let strange = Link::from_index(2).unwrap();
                assert!(graph.try_set(strange, node::value, 1).is_err());
                assert!(catch_unwind(AssertUnwindSafe(|| graph.set(strange, node::value, 1))).is_err());
            }
        }
    )* };
}

graphs! {
    soa_full () #[inline_array] [u32; 4];
    soa_object () #[inline_array(object)] [u32; 4];
    soa_partial () #[inline_array(2)] InnerArray<u32>;
    soa_slot () #[inline_array(1)] InnerArray<u32>;
    soa_room () #[inline_array(6)] InnerArray<u32>;
    soa_arena () #[inline_array(0)] InnerArray<u32>;
    fixed_full (capacity = 100) #[inline_array] [u32; 4];
    aos_full (layout = "aos") #[inline_array] [u32; 4];
    aos_partial (layout = "aos") #[inline_array(2)] InnerArray<u32>;
    tiles_full (layout = "tiles") #[inline_array] [u32; 4];
    tiles_arena (layout = "tiles") #[inline_array(0)] InnerArray<u32>;
}

/// Calls that a trait could capture.
mod captured {
    use super::*;

    #[soa_class]
    pub struct Cell {
        pub x: u32,
        pub y: u32,
        pub next: Link<Cell>,
        #[inline_array]
        pub path: [u32; 2],
    }

    #[soa_methods]
    impl Cell {
        pub fn energy(&self) -> u32 {
            self.x + 1
        }
        pub fn peek(&self) -> u32 {
            self.x + self.path[0]
        }
        pub fn twice<T: Into<u32>>(&self, by: T) -> u32 {
            self.x * 2 + 3 + by.into()
        }
        /// `energy`, `peek` and the methods of `Object` are the class's own, whatever traits are in scope.
        #[kernel]
        pub fn measure(&mut self) {
            self.y = self.energy() + self.peek() + self.twice::<u32>(self.y);
            if self.link() == self.resolve(self.link()).link() {
                self.y += self.all::<Cell>().len() as u32;
            }
            let lambda = |n: u32| n + self.energy();
            self.y += lambda(100) + format!("{}", self.energy()).len() as u32;
        }
        /// The same calls for methods of another block.
        #[kernel]
        pub fn measure_open(&mut self) {
            self.y = self.distant();
        }
        /// The view inside a ref's method cannot be moved out.
        #[kernel(snapshot(path))]
        pub fn go(&mut self) {
            self.y = self.next.peek();
            self.path[1] = self.next.steal();
        }
        /// A field that the text does not touch.
        pub fn steal(&self) -> u32 {
            self.path[1]
        }
    }

    #[soa_methods]
    impl Cell {
        pub fn distant(&self) -> u32 {
            self.y + 10
        }
    }

    /// By value, by `&mut`, for the view and for the reference to it.
    #[allow(dead_code, reason = "that nobody calls them is the point")]
    pub trait Thief {
        fn energy(&mut self) -> u32;
        fn twice(&mut self) -> u32;
        fn link(&mut self) -> u32;
        fn all(&mut self) -> u32;
        fn distant(&mut self) -> u32;
    }
    impl<P: ikra::Phase> Thief for CellMut<'_, P> {
        fn energy(&mut self) -> u32 {
            self.x = 1000;
            1000
        }
        fn twice(&mut self) -> u32 {
            1000
        }
        fn link(&mut self) -> u32 {
            1000
        }
        fn all(&mut self) -> u32 {
            1000
        }
        fn distant(&mut self) -> u32 {
            self.x
        }
    }
    #[allow(dead_code, reason = "that nobody calls them is the point")]
    pub trait Taker: Sized {
        fn peek(self) -> u32;
        fn steal(self) -> u32;
        fn resolve(self, _: u32) -> u32 {
            1000
        }
    }
    impl<P: ikra::Phase> Taker for CellMut<'_, P> {
        fn peek(self) -> u32 {
            1000
        }
        fn steal(mut self) -> u32 {
            self.x = 1000;
            1000
        }
    }
    impl<P: ikra::Phase> Taker for &mut CellMut<'_, P> {
        fn peek(self) -> u32 {
            1000
        }
        fn steal(self) -> u32 {
            1000
        }
    }

    #[soa_world]
    pub struct Grid {
        pub cells: Objects<Cell>,
    }

    fn grid(count: u32) -> (Grid, Vec<Link<Cell>>) {
        let mut grid = Grid::new();
        let links: Vec<_> = grid.cells.reserve(count as usize).unwrap().collect();
        for (n, &link) in links.iter().enumerate() {
            let next = links[(n + 1) % links.len()];
            grid.cells.init(link, Cell { x: n as u32, y: 1, next, path: [n as u32, 5] }).unwrap();
        }
        (grid, links)
    }

    #[test]
    fn methods_of_the_class_are_called() {
        let (mut grid, links) = grid(3);
        grid.execute(Cell::measure, ());
        let expected = |x: u32| (x + 1) + (x + x) + (x * 2 + 3 + 1) + 3 + 100 + (x + 1) + 1;
        for (n, &link) in links.iter().enumerate() {
            assert_eq!((grid.get(link).x(), grid.get(link).y()), (n as u32, expected(n as u32)));
        }
        grid.set(links[2], cell::y, 1);
        grid.get_mut(links[2]).measure();
        assert_eq!(grid.get(links[2]).y(), expected(2));
    }

    #[test]
    fn methods_of_other_blocks_are_called() {
        let (mut grid, links) = grid(3);
        grid.execute(Cell::measure_open, ());
        assert_eq!(grid.get(links[2]).y(), 11);
    }

    #[test]
    fn views_of_refs_are_not_taken() {
        let (mut grid, links) = grid(1000);
        assert_eq!((grid.get(links[3]).peek(), grid.get(links[3]).steal()), (6, 5));
        grid.execute(Cell::go, ());
        for (n, &link) in links.iter().enumerate() {
            let next = (n as u32 + 1) % 1000;
            assert_eq!((grid.get(link).y(), grid.get(link).path().get(1)), (2 * next, 5));
        }
    }
}
