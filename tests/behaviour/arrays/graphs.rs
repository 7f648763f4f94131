//! Arrays of links: several classes, `all()`, snapshots, constructors, and the messages of the race check.

use ikra::prelude::*;
use ikra_report::ClassLayout;

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct City {
    pub people: u32,
    pub reached: u32,
    #[inline_array(2)]
    pub roads: InnerArray<Link<City>>,
    #[inline_array]
    pub best: [Option<Link<City>>; 3],
}

#[soa_methods]
impl City {
    #[kernel]
    pub fn reach(&mut self) {
        self.reached = self.roads.iter().map(|city| city.people()).sum();
    }
    /// The neighbours' neighbours.
    #[kernel]
    pub fn reach_further(&mut self) {
        let mut sum = 0;
        for city in &self.roads {
            for other in city.roads() {
                sum += other.people();
            }
        }
        self.reached = sum;
    }
    /// Keeps the three largest neighbours.
    #[kernel]
    pub fn rank(&mut self) {
        self.best.fill(None);
        for i in 0..self.roads.len() {
            let mut city = Some(self.roads.get(i));
            for place in 0..3 {
                let Some(now) = city else { break };
                match self.best.get(place) {
                    Some(before) if before.people() >= now.people() => {}
                    before => {
                        self.best.set(place, city);
                        city = before;
                    }
                }
            }
        }
    }
    pub fn is_near(&self, other: Link<City>) -> bool {
        self.roads.iter().any(|city| city.link() == other)
    }
    #[kernel(reduce(Sum))]
    pub fn mutual(&self) -> u32 {
        let me = self.link();
        self.roads.iter().filter(|city| city.is_near(me)).count() as u32
    }
    /// Two arrays at once, and a helper that receives one.
    #[kernel(writes(best))]
    pub fn forget(&mut self) {
        fn clear<P: ikra::Phase, S: ikra::arrays::ArrayStorage<Element = Option<Link<City>>>>(
            array: &mut ikra::arrays::InnerMut<'_, P, S>,
        ) {
            array.fill(None);
        }
        clear(&mut self.best);
    }
}

#[soa_class(layout = "aos")]
#[derive(Clone, Debug, PartialEq)]
pub struct Ring {
    #[inline_array]
    pub items: [u32; 4],
    #[inline_array(1)]
    pub tail: InnerArray<u8>,
}

#[soa_methods]
impl Ring {
    #[kernel]
    pub fn spawn(id: u32, scale: u32) -> Self {
        Self { items: [id * scale; 4], tail: (0..(id % 4) as u8).collect() }
    }
}

#[soa_world]
pub struct Map {
    pub cities: Objects<City>,
    pub rings: Objects<Ring>,
}

/// Cities in a grid, and the neighbours of each.
fn map(side: usize) -> (Map, Vec<Vec<usize>>) {
    let mut map = Map::new();
    let near: Vec<Vec<usize>> = (0..side * side)
        .map(|n| {
            let (x, y) = (n % side, n / side);
            let mut near = Vec::new();
            near.extend((x > 0).then(|| n - 1));
            near.extend((x + 1 < side).then_some(n + 1));
            near.extend((y > 0).then(|| n - side));
            near.extend((y + 1 < side && x % 3 != 0).then_some(n + side));
            near
        })
        .collect();
    map.cities
        .extend(near.iter().enumerate().map(|(n, near)| City {
            people: (n * 37 % 101) as u32,
            reached: 0,
            roads: near.iter().map(|&m| Link::from_index(m).unwrap()).collect(),
            best: [None; 3],
        }))
        .unwrap();
    (map, near)
}

#[test]
fn links_in_arrays_are_followed() {
    let (mut map, near) = map(70);
    let people: Vec<u32> = map.cities.column(city::people).to_vec();
    map.execute(City::reach, ());
    for (n, near) in near.iter().enumerate() {
        assert_eq!(map.cities.column(city::reached)[n], near.iter().map(|&m| people[m]).sum::<u32>());
    }
    map.execute(City::reach_further, ());
    for (n, at) in near.iter().enumerate() {
        let further = at.iter().flat_map(|&m| &near[m]).map(|&m| people[m]).sum::<u32>();
        assert_eq!(map.cities.column(city::reached)[n], further);
    }
    map.execute(City::rank, ());
    for (n, near) in near.iter().enumerate() {
        let mut largest: Vec<u32> = near.iter().map(|&m| people[m]).collect();
        largest.sort_unstable_by(|a, b| b.cmp(a));
        largest.truncate(3);
        let city = map.get(Link::<City>::from_index(n).unwrap());
        let best: Vec<u32> = city.best().iter().flatten().map(|city| city.people()).collect();
        assert_eq!(best, largest);
    }
    let mutual = near.iter().enumerate().flat_map(|(n, at)| at.iter().map(move |&m| (n, m)));
    let mutual = mutual.filter(|&(n, m)| near[m].contains(&n)).count();
    assert_eq!(map.execute_and_reduce(City::mutual, (), Sum) as usize, mutual);
    map.execute(City::forget, ());
    assert!(map.cities.iter().all(|city| city.best == [None; 3]));
}

#[test]
fn constructors_make_arrays_the_same_with_any_number_of_threads() {
    let made = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut map = Map::new();
            map.construct(10_000, Ring::spawn, 3).unwrap();
            (map.rings.iter().collect::<Vec<_>>(), ClassLayout::of(&map.rings).arena_bytes)
        })
    };
    let (rings, bytes) = made(1);
    assert_eq!(rings[4999], Ring { items: [14_997; 4], tail: [0, 1, 2].into() });
    assert_eq!((rings, bytes), made(3));
}

#[test]
fn a_link_in_an_array_that_leads_nowhere_panics() {
    let (mut map, _) = map(2);
    let stranger = Link::from_index(77).unwrap();
    let first = map.cities.links().next().unwrap();
    map.cities.set_array(city::roads, first, &[first, stranger]).unwrap();
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| map.execute(City::reach, ()))).unwrap_err();
    assert!(panic.downcast_ref::<String>().unwrap().contains("`City::roads` of City#1 is a link to City#78"));
}

#[test]
fn views_show_their_arrays() {
    let (mut map, _) = map(2);
    let first = map.cities.links().next().unwrap();
    let shown = format!("{:?}", &*map.get_mut(first));
    assert_eq!(shown, "City { people: 0, reached: 0, roads: [City#2], best: [None, None, None] }");
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    pub next: Link<Pair>,
    #[inline_array(0)]
    pub a: InnerArray<u32>,
    #[inline_array(1)]
    pub b: InnerArray<u32>,
}

#[soa_methods]
impl Pair {
    /// A snapshot of one array, and changes to another in the same arena.
    #[kernel(snapshot(a))]
    pub fn shift(&mut self) {
        for i in 0..self.a.len() {
            self.a[i] = self.next.a()[i];
            self.b[i] += 1;
        }
    }
}

#[soa_world]
pub struct Pairs {
    pub pairs: Objects<Pair>,
}

#[test]
fn a_snapshot_of_one_array_keeps_what_is_written_to_others() {
    let mut sim = Pairs::new();
    let links: Vec<_> = sim.pairs.reserve(100).unwrap().collect();
    for n in 0..100 {
        let row = Pair { next: links[(n + 1) % 100], a: vec![n as u32; 3].into(), b: vec![10 * n as u32; 3].into() };
        sim.pairs.init(links[n], row).unwrap();
    }
    for round in 1..=3 {
        sim.execute(Pair::shift, ());
        for n in 0..100 {
            let pair = sim.get(links[n]);
            assert_eq!(pair.a(), [(n as u32 + round) % 100; 3]);
            assert_eq!(pair.b(), [10 * n as u32 + round; 3]);
        }
    }
    sim.over(..50).execute(Pair::shift, ());
    assert_eq!(sim.get(links[0]).b(), [4; 3]);
    assert_eq!(sim.get(links[60]).b(), [603; 3]);
}
