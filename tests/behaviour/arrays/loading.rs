//! Loads arrays in bulk: the arena, and the errors.

use ikra::Error;
use ikra::prelude::*;
use ikra_report::{ClassLayout, WorldLayout};

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Vertex {
    pub level: u32,
    #[inline_array(2)]
    pub neighbours: InnerArray<Link<Vertex>>,
}

#[soa_class(arena = 100)]
#[derive(Clone, Debug, PartialEq)]
pub struct Small {
    #[inline_array(1)]
    pub items: InnerArray<u32>,
    #[inline_array(0)]
    pub bytes: InnerArray<u8>,
}

#[soa_class(layout = "aos")]
#[derive(Clone, Debug, PartialEq)]
pub struct Wide {
    #[inline_array]
    pub items: [u64; 3],
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Full {
    #[inline_array]
    pub items: [u16; 3],
    #[inline_array(object)]
    pub whole: [u16; 3],
    #[atomic]
    #[inline_array]
    pub hits: [u32; 2],
    #[atomic]
    #[inline_array(1)]
    pub more: InnerArray<u64>,
    #[atomic]
    #[inline_array(object)]
    pub flags: [bool; 3],
}

#[soa_methods]
impl Full {
    // Others change other elements of the array.
    #[kernel(unordered(hits))]
    pub fn hit(&mut self, who: Link<Full>) {
        let other = self.resolve(who);
        other.hits().get(1).add(1);
        self.hits.get(0).store(7);
        for n in 0..other.more().len() {
            other.more().get(n).add(n as u64 + 1);
        }
        other.flags().get(self.link().index() % 3).or(true);
    }
}

#[soa_world]
pub struct Stock {
    pub vertices: Objects<Vertex>,
    pub small: Objects<Small>,
    pub wide: Objects<Wide>,
    pub full: Objects<Full>,
}

fn graph(n: usize) -> (Stock, Vec<Link<Vertex>>) {
    let mut world = Stock::new();
    world.vertices.extend((0..n).map(|_| Vertex { level: 0, neighbours: InnerArray::new() })).unwrap();
    let links = world.vertices.links().collect();
    (world, links)
}

#[test]
fn compressed_rows_become_arrays() {
    let (mut world, links) = graph(5);
    let targets = [1, 2, 3, 4, 0, 0, 4, 3].map(|n| links[n]);
    world.vertices.set_arrays(vertex::neighbours, &[0, 4, 4, 5, 5, 8], &targets).unwrap();
    let expected = [&targets[..4], &[], &targets[4..5], &[], &targets[5..]];
    for (link, expected) in links.iter().zip(expected) {
        assert_eq!(world.get(*link).neighbours(), *expected);
    }
    // Load again with other lengths: the arena is rebuilt.
    let used = ClassLayout::of(&world.vertices).arena_bytes;
    for _ in 0..10 {
        world.vertices.set_arrays(vertex::neighbours, &[0, 0, 0, 0, 4, 8], &targets).unwrap();
    }
    assert!(ClassLayout::of(&world.vertices).arena_bytes <= used + 16);
    assert_eq!(world.get(links[4]).neighbours(), targets[4..]);
    assert!(world.get(links[0]).neighbours().is_empty());
}

#[test]
fn a_million_vertices_are_loaded_at_once() {
    let n = 1_000_000;
    let (mut world, links) = graph(n);
    let offsets: Vec<u32> = (0..=n as u32).map(|v| 3 * v).collect();
    let targets: Vec<_> = (0..3 * n).map(|e| links[e * 7919 % n]).collect();
    world.vertices.set_arrays(vertex::neighbours, &offsets, &targets).unwrap();
    for v in [0, 1, n / 2, n - 1] {
        assert_eq!(world.get(links[v]).neighbours(), targets[3 * v..3 * v + 3]);
    }
    let layout = ClassLayout::of(&world.vertices);
    assert_eq!((layout.arena_bytes, layout.inlined_bytes()), (4 * n, 20 * n));
}

#[test]
fn arrays_that_do_not_fit_are_refused() {
    let (mut world, links) = graph(2);
    let mut set = |offsets: &[u32]| match world.vertices.set_arrays(vertex::neighbours, offsets, &[links[0]; 3]) {
        Err(error @ Error::BadArrays { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(set(&[0, 3]), "the arrays for `Vertex::neighbours` do not fit: 2 objects need 3 offsets, not 2");
    assert!(set(&[0, 3, 2]).ends_with("offset 2 is less than the one before it"));
    assert!(set(&[0, 1, 2]).ends_with("offsets go from 0 to 2, and there are 3 elements"));
    assert!(set(&[1, 1, 3]).ends_with("offsets go from 1 to 3, and there are 3 elements"));
    assert!(world.get(links[0]).neighbours().is_empty());
}

#[test]
fn a_full_arena_is_an_error_and_loses_nothing() {
    let mut world = Stock::new();
    let row = Small { items: (0..5).collect(), bytes: [1, 2, 3].into() };
    let mut rows = 0;
    let error = loop {
        match world.small.push(row.clone()) {
            Ok(_) => rows += 1,
            Err(error) => break error,
        }
    };
    assert!(rows >= 2);
    match &error {
        Error::ArenaFull { class: "Small", requested, available } => assert!(requested > available),
        other => panic!("{other:?}"),
    }
    assert!(error.to_string().contains("raise `arena = N`"), "{error}");
    assert_eq!(world.small.len(), rows);
    assert!(world.small.iter().all(|small| small == row));
    // Arrays whose elements all have slots, and empty ones, still fit.
    let fits = Small { items: [9].into(), bytes: InnerArray::new() };
    let link = world.small.push(fits.clone()).unwrap();
    assert_eq!(world.small.read(link).unwrap(), fits);
}

#[test]
fn rows_are_replaced_by_shorter_and_longer_ones() {
    let mut world = Stock::new();
    let rows = |n: u32| Small { items: (0..n).collect(), bytes: (0..n as u8 % 3).collect() };
    let a = world.small.push(rows(4)).unwrap();
    let b = world.small.push(rows(5)).unwrap();
    for n in [3, 4, 1, 4] {
        world.small.write(a, rows(n)).unwrap();
        assert_eq!((world.small.read(a).unwrap(), world.small.read(b).unwrap()), (rows(n), rows(5)));
    }
    world.small.set_array(small::items, b, &[7; 3]).unwrap();
    assert_eq!(world.get(b).items(), [7; 3]);
    assert_eq!(world.get(b).bytes(), [0, 1]);
    assert_eq!(world.small.copy_column(small::items), [(0..4).collect::<InnerArray<u32>>(), [7; 3].into()]);
}

#[test]
fn reserved_objects_get_their_arrays_when_initialised() {
    let mut world = Stock::new();
    let links: Vec<_> = world.vertices.reserve(3).unwrap().collect();
    for n in 0..3 {
        let neighbours = (0..3).filter(|&m| m != n).chain([n, n]).map(|m| links[m]).collect();
        world.vertices.init(links[n], Vertex { level: n as u32, neighbours }).unwrap();
    }
    assert_eq!(world.get(links[1]).neighbours(), [0, 2, 1, 1].map(|n| links[n]));
    assert_eq!(world.get(links[1]).neighbours().iter().map(|v| v.level()).collect::<Vec<_>>(), [0, 2, 1, 1]);
}

#[test]
fn slots_and_whole_arrays_are_slices() {
    let mut world = Stock::new();
    let row = |n: u16| Full {
        items: [n, n + 1, n + 2],
        whole: [n; 3],
        hits: [0; 2],
        more: InnerArray::new(),
        flags: [false; 3],
    };
    let links: Vec<_> = world.full.extend((0..1000).map(row)).unwrap().collect();
    assert!(world.full.slot(full::items, 2).iter().eq(&(2..1002).collect::<Vec<_>>()));
    assert_eq!(world.full.column(full::whole)[5], [5; 3]);
    world.full.slot_mut(full::items, 0).fill(3);
    world.full.column_mut(full::whole)[5] = [1, 2, 3];
    assert_eq!(world.full.read(links[5]).unwrap(), Full { items: [3, 6, 7], whole: [1, 2, 3], ..row(0) });
    assert_eq!(world.get(links[5]).whole().as_slice(), Some(&[1, 2, 3][..]));
    assert_eq!(world.get(links[5]).items().as_slice(), None);
    let wide = world.wide.push(Wide { items: [1, 2, 3] }).unwrap();
    assert_eq!(world.get(wide).items().as_slice(), Some(&[1, 2, 3][..]));
    world.get_mut(wide).items.as_mut_slice().unwrap().reverse();
    assert_eq!(world.wide.read(wide).unwrap().items, [3, 2, 1]);
}

#[test]
#[should_panic(expected = "`Full::items` has 3 slots, so slot 3 is out of range")]
fn a_slot_that_is_not_there() {
    Stock::new().full.slot(full::items, 3);
}

#[test]
fn arrays_of_atomics_are_changed_from_everywhere() {
    let mut world = Stock::new();
    let rows = (0..5000).map(|n| Full {
        items: [0; 3],
        whole: [0; 3],
        hits: [1, 2],
        more: vec![0; n % 4].into(),
        flags: [false; 3],
    });
    let links: Vec<_> = world.full.extend(rows).unwrap().collect();
    world.execute(Full::hit, links[3]);
    let row = world.full.read(links[3]).unwrap();
    assert_eq!((row.hits, row.flags), ([7, 5002], [true; 3]));
    assert_eq!(*row.more, [5000, 10_000, 15_000]);
    assert_eq!(world.full.read(links[4]).unwrap().hits, [7, 2]);
    world.get(links[4]).hits().get(1).store(9);
    assert_eq!(format!("{:?}", world.get(links[4]).hits()), "[7, 9]");
}

#[test]
fn storage_grows_with_its_arrays() {
    let mut world = Stock::new();
    for n in 0..3000_u32 {
        let row = Vertex { level: n, neighbours: (0..n % 7).map(|k| Link::from_index(k as usize).unwrap()).collect() };
        world.vertices.push(row).unwrap();
    }
    for (n, row) in world.vertices.iter().enumerate() {
        assert_eq!((row.level, row.neighbours.len()), (n as u32, n % 7));
        assert!(row.neighbours.iter().enumerate().all(|(k, link)| link.index() == k));
    }
    assert!(format!("{}", ClassLayout::of(&world.vertices)).contains("arena: "));
    assert!(WorldLayout::of(&world).to_svg().contains("neighbours[1]"));
}
