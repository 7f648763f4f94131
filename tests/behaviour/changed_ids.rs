//! Lists, links and recordings that name objects by their ids, when objects come, go or get other ids.

use ikra::prelude::*;
use ikra::{Error, LinkList, Place};

#[soa_class]
#[derive(Clone, Debug)]
pub struct Bug {
    pub n: u32,
    #[inline_array]
    pub marks: [u32; 2],
}

impl Bug {
    fn new(n: u32) -> Self {
        Self { n, marks: [n; 2] }
    }
}

/// An owner that goes with its bug.
#[soa_class]
pub struct Owner {
    #[soa(on_remove = "cascade")]
    pub bug: Option<Link<Bug>>,
}

#[soa_class]
pub struct Keeper {
    pub bug: Link<Bug>,
}

/// A class that compacts itself.
#[soa_class(compact = 0.9)]
#[derive(Clone, Debug)]
pub struct Fly {
    pub is_dead: bool,
    pub goes_on: bool,
    pub count: u32,
}

#[soa_methods]
impl Bug {
    #[kernel]
    pub fn make(id: u32, base: u32) -> Bug {
        Bug::new(base + id)
    }
    #[kernel]
    pub fn is_kept(&self) -> bool {
        self.n != 1
    }
    #[kernel]
    pub fn hit(&mut self) {
        self.n += 100;
    }
    #[kernel]
    pub fn rank(&self) -> u32 {
        1000 - self.n
    }
    #[kernel]
    pub fn find(&self, work: Worklist<Bug>, which: Link<Bug>) {
        work.push(which);
    }
    #[kernel]
    pub fn die(&mut self, which: u32) {
        if self.n == which {
            self.remove();
        }
    }
    #[kernel]
    pub fn have_child(&mut self, young: Spawn<Bug>) {
        if self.n == 0 {
            young.push(Bug { n: 99, marks: [0; 2] });
        }
    }
}

#[soa_methods]
impl Fly {
    #[kernel(reduce(Sum))]
    pub fn die_and_count(&mut self) -> u32 {
        if self.is_dead {
            self.remove();
        }
        1
    }
    #[kernel]
    pub fn live(&mut self) {
        if self.is_dead {
            self.remove();
        }
    }
    #[kernel]
    pub fn stay(&self, next: Worklist<Fly>) {
        next.push(self.link());
    }
}

/// A link in a flattened struct, which views show as a number.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Held {
    pub kid: Option<Link<Bug>>,
    pub n: u32,
}

#[soa_class]
pub struct Mother {
    #[soa(flatten)]
    pub held: Held,
}

#[soa_methods]
impl Mother {
    #[kernel]
    pub fn bear(&mut self, young: Spawn<Bug>) {
        self.held.kid = Some(young.push(Bug { n: 0, marks: [0; 2] }));
    }
    #[kernel]
    pub fn let_go(&mut self) {
        self.held.kid = None;
        self.held.n += 1;
    }
}

#[soa_world]
pub struct Nursery {
    pub bugs: Objects<Bug>,
    pub mothers: Objects<Mother>,
}

/// The link names the new object only when the kernel has ended.
#[test]
#[should_panic(expected = "an object of class Bug that a kernel makes")]
fn links_to_new_objects_do_not_stay_in_flattened_structs() {
    let mut nursery = Nursery::new();
    nursery.mothers.extend((0..100).map(|n| Mother { held: Held { kid: None, n } })).unwrap();
    nursery.execute(Mother::let_go, ());
    assert_eq!(nursery.mothers.copy_column(mother::held)[7], Held { kid: None, n: 8 });
    nursery.execute(Mother::bear, ());
}

#[soa_world]
#[derive(Clone)]
pub struct Garden {
    pub bugs: Objects<Bug>,
}

#[soa_world]
pub struct House {
    pub bugs: Objects<Bug>,
    pub owners: Objects<Owner>,
    pub keepers: Objects<Keeper>,
}

#[soa_world]
pub struct Flies {
    pub flies: Objects<Fly>,
}

fn garden(count: u32) -> (Garden, Vec<Link<Bug>>) {
    let mut garden = Garden::new();
    let bugs = garden.bugs.extend((0..count).map(Bug::new)).unwrap().collect();
    (garden, bugs)
}

#[test]
fn objects_that_came_since_are_kept() {
    let (mut garden, _) = garden(3);
    garden.on(Place::Host).compact::<Bug>().unwrap();
    garden.bugs.extend((3..6).map(Bug::new)).unwrap();
    garden.on(Place::Host).compact::<Bug>().unwrap();
    assert_eq!(garden.bugs.column(bug::n), [0, 1, 2, 3, 4, 5]);
    garden.construct(2, Bug::make, 0).unwrap();
    garden.on(Place::Host).compact::<Bug>().unwrap();
    assert_eq!(garden.bugs.len(), 8);
}

/// A failed `retain` has listed the objects, and one comes before the next `retain`.
#[test]
fn owners_of_objects_that_came_since_go_with_them() {
    let mut house = House::new();
    let bugs: Vec<_> = house.bugs.extend((0..2).map(Bug::new)).unwrap().collect();
    let keeper = house.keepers.push(Keeper { bug: bugs[1] }).unwrap();
    assert!(matches!(house.on(Place::Host).retain(Bug::is_kept, ()), Err(Error::LinkToRemoved { .. })));
    house.set(keeper, keeper::bug, bugs[0]);
    let new = house.bugs.push(Bug::new(1)).unwrap();
    house.owners.push(Owner { bug: Some(new) }).unwrap();
    house.on(Place::Host).retain(Bug::is_kept, ()).unwrap();
    assert_eq!((house.bugs.len(), house.owners.len()), (1, 0));
}

#[test]
fn constructors_return_links_to_new_objects_beside_holes() {
    let (mut garden, bugs) = garden(3);
    garden.remove(bugs[0]).unwrap();
    garden.remove(bugs[1]).unwrap();
    let made: Vec<_> = garden.on(Place::Host).construct(2, Bug::make, 100).unwrap().collect();
    assert_eq!(made.iter().map(|&bug| garden.get(bug).n()).collect::<Vec<_>>(), [103, 104]);
}

#[test]
fn lists_that_are_stale_are_stale_in_a_clone() {
    let (mut garden, bugs) = garden(4);
    let list = LinkList::new(&bugs[..1]).unwrap();
    let chosen = garden.on(Place::Host).select(Bug::is_kept, ()).selection().unwrap();
    garden.on(Place::Host).sort_by_key(Bug::rank, ()).unwrap();
    for mut world in [garden.clone(), garden] {
        let error = world.on(Place::Host).over(&list).execute(Bug::hit, ()).unwrap_err();
        assert!(matches!(error, Error::StaleList { class: "Bug" }), "{error}");
        let error = world.on(Place::Host).over(&chosen).execute(Bug::hit, ()).unwrap_err();
        assert!(matches!(error, Error::StaleList { class: "Bug" }), "{error}");
        assert_eq!(world.bugs.column(bug::n), [3, 2, 1, 0]);
    }
}

fn flies(of_second: bool) -> (Flies, Vec<Link<Fly>>) {
    let mut world = Flies::new();
    let fly = |(is_dead, goes_on)| Fly { is_dead, goes_on, count: 0 };
    let flies = world.flies.extend([(true, true), (of_second, true), (false, false)].map(fly)).unwrap().collect();
    (world, flies)
}

#[test]
fn a_reduction_is_stored_in_the_same_object_after_its_kernel_moved_it() {
    let (mut world, links) = flies(false);
    world.on(Place::Host).reduce_into(Fly::die_and_count, (), Sum, links[1], fly::count).unwrap();
    assert_eq!(world.flies.column(fly::count), [3, 0]);
    let (mut world, links) = flies(true);
    let result = world.on(Place::Host).reduce_into(Fly::die_and_count, (), Sum, links[1], fly::count);
    assert!(matches!(result, Err(Error::Removed { class: "Fly", id: 2 })), "{result:?}");
    assert_eq!(world.flies.column(fly::count), [0]);
}

#[test]
fn a_loop_reads_the_same_object_after_an_iteration_moved_it() {
    let (mut world, links) = flies(false);
    let done = world.on(Place::Host).repeat_while(links[1], fly::goes_on, 5, |step| step.execute(Fly::live, ()));
    assert_eq!(done.unwrap(), 5);
    let (mut world, links) = flies(true);
    let done = world.on(Place::Host).repeat_while(links[1], fly::goes_on, 5, |step| step.execute(Fly::live, ()));
    assert!(matches!(done, Err(Error::Removed { class: "Fly", id: 2 })), "{done:?}");
}

#[test]
fn worklists_do_not_name_new_objects_in_the_place_of_removed_ones() {
    let (mut garden, bugs) = garden(4);
    let start = bugs[..1].iter().copied().collect();
    let repeated = garden.on(Place::Host).repeat_over(&start, 1, |step, work| {
        step.over(work).execute(Bug::find, (work, bugs[1]))?;
        step.execute(Bug::die, 1)?;
        step.execute(Bug::have_child, ())
    });
    let (_, left) = repeated.unwrap();
    assert!(left.is_empty(), "{left:?}");
    // Afterwards, new objects have the ids of removed ones again.
    garden.execute(Bug::die, 2);
    garden.execute(Bug::have_child, ());
    let children: Vec<_> = garden.bugs.links().filter(|&bug| garden.get(bug).n() == 99).collect();
    assert_eq!(children.iter().map(|bug| bug.id()).collect::<Vec<_>>(), [2, 5]);
}

/// Whichever objects were put in, and whether a kernel runs for them afterwards.
#[test]
fn a_worklist_is_stale_when_its_class_compacts_itself() {
    for (most, put_in) in [(1, 0), (1, 1), (5, 1), (1, 2), (5, 2)] {
        let (mut world, links) = flies(false);
        let start = [links[put_in]].into_iter().collect();
        let repeated = world.on(Place::Host).repeat_over(&start, most, |step, work| {
            step.over(work).execute(Fly::stay, work)?;
            step.execute(Fly::live, ())
        });
        assert!(matches!(repeated, Err(Error::StaleList { class: "Fly" })), "{repeated:?}");
        assert_eq!(world.flies.len(), 2, "the iteration has run");
    }
}

/// Ids of objects that were removed in earlier iterations are used again.
#[test]
fn a_loop_of_births_and_deaths_needs_few_ids() {
    let (mut garden, bugs) = garden(4);
    let start = bugs[..1].iter().copied().collect();
    let repeated = garden.on(Place::Host).repeat_over(&start, 20, |step, work| {
        step.over(work).execute(Bug::find, (work, bugs[0]))?;
        step.execute(Bug::die, 99)?;
        step.execute(Bug::have_child, ())
    });
    assert_eq!(repeated.unwrap().0, 20);
    assert_eq!(garden.bugs.len(), 5);
    assert!(garden.bugs.links().all(|bug| bug.id() <= 6), "a child's id is free in the iteration after the next");
}

#[test]
#[should_panic(expected = "objects of class Bug were removed (1)")]
fn slots_of_arrays_are_in_a_row() {
    let (mut garden, bugs) = garden(5);
    garden.remove(bugs[1]).unwrap();
    let _ = garden.bugs.slot(bug::marks, 0);
}

#[test]
fn links_in_a_column_beside_holes() {
    let mut house = House::new();
    let bugs: Vec<_> = house.bugs.extend((0..3).map(Bug::new)).unwrap().collect();
    let keepers: Vec<_> = house.keepers.extend([0, 0, 2].map(|n| Keeper { bug: bugs[n] })).unwrap().collect();
    house.remove(keepers[0]).unwrap();
    let kept: LinkList<Link<Bug>> = house.on(Place::Host).links(keeper::bug).unwrap();
    house.on(Place::Host).over(&kept).execute(Bug::hit, ()).unwrap();
    assert_eq!(house.bugs.column(bug::n), [100, 1, 102]);
}

/// Memory of dropped tables is used again.
#[test]
fn recordings_know_objects_that_were_exchanged() {
    let (mut garden, _) = garden(4);
    let recording = garden.on(Place::Host).record(|on| on.execute(Bug::hit, ())).unwrap();
    for _ in 0..10 {
        garden.bugs = Objects::new();
        garden.bugs.extend((0..4).map(Bug::new)).unwrap();
        let result = garden.on(Place::Host).replay(&recording);
        assert!(matches!(result, Err(Error::StaleRecording { .. })), "{result:?}");
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Rope {
    pub of: Link<Leaf>,
    pub len: u32,
}

/// A class that compacts itself.
#[soa_class(compact = 0.6)]
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    pub n: u32,
}

#[soa_class(compact = 1.0)]
#[derive(Clone, Debug, PartialEq)]
pub struct Dew {
    #[soa(on_remove = "cascade")]
    pub leaf: Link<Leaf>,
}

#[soa_class]
pub struct Spider {
    #[soa(flatten)]
    #[soa(on_remove = "cascade")]
    pub rope: Rope,
}

#[soa_class]
pub struct Web {
    #[soa(flatten)]
    pub rope: Rope,
}

/// Behind the others, so that its links are remapped last.
#[soa_class]
pub struct Snail {
    pub leaf: Option<Link<Leaf>>,
}

#[soa_methods]
impl Leaf {
    #[kernel]
    pub fn fall(&mut self, least: u32, onto: u32, drops: Spawn<Dew>) {
        if self.n == 1 {
            drops.push(Dew { leaf: Link::from_index(onto as usize).unwrap() });
        }
        if self.n >= least {
            self.remove();
        }
    }
    #[kernel]
    pub fn stays(&self) -> bool {
        self.n != 2
    }
    #[kernel]
    pub fn place(&self) -> u32 {
        100 - self.n
    }
}

#[soa_methods]
impl Snail {
    #[kernel]
    pub fn seen(&self) -> u32 {
        self.leaf.map_or(0, |leaf| leaf.n())
    }
}

#[soa_world]
pub struct Tree {
    pub leaves: Objects<Leaf>,
    pub drops: Objects<Dew>,
    pub spiders: Objects<Spider>,
    pub webs: Objects<Web>,
    pub snails: Objects<Snail>,
}

/// Leaf #1 is removed. Three snails sit on leaves, and a drop on each of two.
fn tree() -> (Tree, Vec<Link<Leaf>>) {
    let mut tree = Tree::new();
    let leaves: Vec<_> = tree.leaves.extend((0..6).map(|n| Leaf { n })).unwrap().collect();
    tree.snails.extend((1..4).map(|n| Snail { leaf: Some(leaves[n]) })).unwrap();
    tree.drops.extend([2, 3].map(|n| Dew { leaf: leaves[n] })).unwrap();
    tree.remove(leaves[0]).unwrap();
    (tree, leaves)
}

fn assert_nothing_changed(tree: &mut Tree) {
    assert_eq!(tree.leaves.iter().map(|leaf| leaf.n).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert_eq!(tree.leaves.links().map(Link::id).collect::<Vec<_>>(), [2, 3, 4, 5, 6]);
    assert_eq!((tree.drops.len(), tree.snails.len()), (2, 3));
    assert_eq!(tree.execute_and_collect(Snail::seen, ()), [1, 2, 3]);
}

/// An owner whose link names an object that went before does not go with those that go now. No link may be remapped half.
#[test]
fn owners_of_objects_that_went_before_are_found_before_a_class_compacts_itself() {
    let (mut all, _) = tree();
    let error = all.on(Place::Host).execute(Leaf::fall, (4, 0)).unwrap_err();
    assert!(matches!(error, Error::LinkToRemoved { class: "Dew", field: "leaf", object: 3, .. }), "{error}");
    assert_nothing_changed(&mut all);

    let (mut all, leaves) = tree();
    all.spiders.push(Spider { rope: Rope { of: leaves[0], len: 1 } }).unwrap();
    let error = all.remove_all([leaves[4], leaves[5]]).unwrap_err();
    assert!(matches!(error, Error::LinkToRemoved { class: "Spider", field: "rope", object: 1, .. }), "{error}");
    assert_nothing_changed(&mut all);
}

#[test]
fn an_order_that_is_refused_removes_no_owners() {
    let (mut all, leaves) = tree();
    all.webs.push(Web { rope: Rope { of: leaves[0], len: 1 } }).unwrap();
    for result in [all.retain(Leaf::stays, ()).map(drop), all.reorder(&leaves[3..]).map(drop), all.clear::<Leaf>()] {
        assert!(matches!(result, Err(Error::LinkToRemoved { class: "Web", object: 1, .. })), "{result:?}");
    }
    assert_nothing_changed(&mut all);
}

#[test]
fn owners_go_with_objects_that_an_order_leaves_out() {
    let drops = |tree: &Tree| tree.drops.iter().map(|dew| dew.leaf.id()).collect::<Vec<_>>();
    let (mut all, _) = tree();
    all.retain(Leaf::stays, ()).unwrap();
    assert_eq!(drops(&all), [2]);
    assert_eq!(all.execute_and_collect(Snail::seen, ()), [1, 0, 3]);
    let (mut all, leaves) = tree();
    all.reorder(&[leaves[3], leaves[1]]).unwrap();
    assert_eq!(drops(&all), [1]);
    assert_eq!(all.execute_and_collect(Snail::seen, ()), [1, 0, 3]);
    // No object goes: a sort.
    let (mut all, _) = tree();
    all.sort_by_key(Leaf::place, ()).unwrap();
    assert_eq!(drops(&all), [4, 3]);
    assert_eq!(all.execute_and_collect(Snail::seen, ()), [1, 2, 3]);
}
