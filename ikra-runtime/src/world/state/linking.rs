//! Tests of linking: one thread uses a world while another links its tables. They run all interleavings, step by step.

use std::cell::{Cell, RefCell};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use super::WorldState;
use crate::class::ClassId;
use crate::error::Error;
use crate::executor::Executors;
use crate::fingerprint::Signature;
use crate::info::FieldInfo;
use crate::list::ListOrder;
use crate::mirror::{Copies, Elements, Span, Unit};
use crate::objects::{AnyObjects, Born, Lives, Shape};
use crate::table::{Directory, Header};
use ikra_core::effects::{Effects, FieldSet};
use ikra_core::holes::Fetch;
use ikra_core::kept::KeptObjects;
use ikra_core::moves::{Moves, Remap};

/// The work of other threads between two steps of linking.
type Others<'a> = &'a mut dyn FnMut();

thread_local! {
    static OTHERS: RefCell<Option<Box<dyn FnMut()>>> = const { RefCell::new(None) };
}

pub(super) fn others_run() {
    // The other threads' own steps are not interleaved again.
    if let Some(mut others) = OTHERS.take() {
        others();
        OTHERS.set(Some(others));
    }
}

/// Stands for the objects of a class with a link to each class of the world.
struct Member {
    header: Header,
    /// The targets of its links, as `point` found them, and the number of calls.
    slots: Cell<[*const Header; TABLES]>,
    pointed: Cell<usize>,
}

const TABLES: usize = 2;

/// A table as a thread sees it: the directory's entry for it, and the directory that it names.
type Seen = [(*mut Header, *mut Directory); TABLES];

struct Scene {
    members: Vec<Member>,
    state: WorldState<()>,
    elsewhere: (Member, Directory),
}

impl Member {
    fn new() -> Self {
        Self { header: Header::EMPTY, slots: Cell::new([ptr::null(); TABLES]), pointed: Cell::new(0) }
    }

    fn start(&self) -> *mut Header {
        ptr::from_ref(&self.header).cast_mut()
    }
}

/// Functions that linking does not call.
macro_rules! not_asked_for {
    ($(($($unsafe:tt)?) $name:ident(&$($mutable:ident)? $(, $arg:ident: $ty:ty)*) -> $output:ty;)*) => { $(
        $($unsafe)? fn $name(&$($mutable)? self $(, $arg: $ty)*) -> $output {
            unreachable!()
        }
    )* };
}

// SAFETY: the header belongs to the member, and keeps its address while the member is borrowed.
unsafe impl AnyObjects for Member {
    fn class(&self) -> ClassId {
        ClassId::NONE
    }
    fn header(&self) -> NonNull<Header> {
        NonNull::from(&self.header)
    }
    unsafe fn point(&self, directory: &Directory) {
        self.slots.set(std::array::from_fn(|n| directory.entries[n].1.load(Relaxed).cast_const()));
        self.pointed.set(self.pointed.get() + 1);
    }
    not_asked_for! {
        () name(&) -> &'static str;
        () signature(&) -> Signature;
        (unsafe) prepare(&) -> Result<(), Error>;
        () has_unchecked_links(&) -> bool;
        (unsafe) check_links(&) -> Result<(), Error>;
        () remap_links(&mut, _moves: Moves<'_>, _what: Remap) -> Result<(), Error>;
        () distrust(&mut, _fields: FieldSet) -> ();
        () generation(&) -> u64;
        (unsafe) reorder(&mut, _order: &[u32]) -> ();
        (unsafe) close_up(&mut, _kept: &KeptObjects) -> ();
        () fields(&) -> &'static [FieldInfo];
        () is_bounded(&) -> bool;
        () columns(&) -> usize;
        () count(&) -> u32;
        () capacity(&) -> usize;
        () pending(&) -> u32;
        () arena_bytes(&) -> usize;
        () shape(&) -> Shape;
        () units(&) -> Vec<Unit>;
        () spans(&, _fields: FieldSet, _first: usize, _end: usize) -> Vec<Span>;
        () elements(&, _fields: FieldSet) -> Vec<Elements>;
        () visit_links(&mut, _objects: &mut dyn Iterator<Item = usize>, _fields: FieldSet, _moves: Moves<'_>) -> Result<(), Error>;
        () has_own_columns(&) -> bool;
        () atomics(&) -> FieldSet;
        () arrays(&) -> FieldSet;
        () is_complete(&, _number: u64, _count: u32, _capacity: usize) -> bool;
        () copies(&mut) -> Copies<'_>;
        () fetch(&mut, _fields: FieldSet) -> Result<(), Error>;
        (unsafe) set_links_checked(&mut) -> ();
        () make_room(&mut, _len: usize) -> Result<(), Error>;
        (unsafe) add(&mut, _count: usize) -> usize;
        (unsafe) truncate(&mut, _len: usize) -> ();
        (unsafe) lose(&mut, _stream: u64) -> FieldSet;
    }
}

impl Lives for Member {
    not_asked_for! {
        () slots(&) -> usize;
        () holes(&) -> usize;
        () exists(&, _index: usize) -> bool;
        () removed_at(&) -> u64;
        () live(&) -> Arc<ListOrder>;
        () known_live(&) -> Option<&Arc<ListOrder>>;
        (unsafe) put_live(&mut, _live: Arc<ListOrder>) -> ();
        () live_bits(&) -> Vec<u32>;
        (unsafe) changed_on_device(&mut, _holes: u32, _fetch: Fetch, _removed: bool, _filled: bool) -> ();
        () has_tracks(&) -> bool;
        () untrack(&mut, _removed: &[u64]) -> ();
        (unsafe) moved_on_device(&mut, _len: usize, _ids: Option<&[u32]>) -> ();
        () open(&mut, _section: u32, _effects: &Effects) -> ();
        () open_nursery(&mut) -> ();
        () close(&mut, _exist: bool) -> ();
        () take_marks(&mut) -> Vec<u64>;
        () deliver(&mut, _are_named: bool) -> Result<Born, Error>;
        () remap_born(&mut, _born: &Born, _moves: Moves<'_>) -> Result<Vec<u32>, Error>;
        (unsafe) have_good_links(&, _born: &Born, _others: &[u32]) -> bool;
        (unsafe) undo(&mut, _born: &Born) -> ();
        () cascade(&, _moves: Moves<'_>, _known: &[u64], _found: &mut Vec<u64>) -> Result<(), Error>;
        () remove_all(&mut, _removed: &[u64]) -> ();
        () kept(&, _removed: &[u64]) -> KeptObjects;
        () compacts_below(&) -> Option<f32>;
        (unsafe) begin_restore(&mut, _arena: usize) -> Result<(), Error>;
    }
}

impl Scene {
    fn new() -> Self {
        let entries = |_| Directory {
            entries: (0..TABLES).map(|_| (std::any::TypeId::of::<()>(), AtomicPtr::new(ptr::null_mut()))).collect(),
        };
        let state = WorldState {
            directory: Box::new(entries(())),
            linking: Mutex::new(()),
            executors: Mutex::new(Executors::NONE),
            last_list: Mutex::default(),
        };
        Self { members: (0..TABLES).map(|_| Member::new()).collect(), state, elsewhere: (Member::new(), entries(())) }
    }

    fn all(&self) -> Vec<&dyn AnyObjects> {
        self.members.iter().map(|member| member as &dyn AnyObjects).collect()
    }

    fn seen(&self) -> Seen {
        std::array::from_fn(|n| {
            (self.state.directory.entries[n].1.load(Relaxed), self.members[n].header.directory.load(Relaxed))
        })
    }

    fn show(&self, seen: Seen) {
        for (n, (entry, directory)) in seen.into_iter().enumerate() {
            self.state.directory.entries[n].1.store(entry, Relaxed);
            self.members[n].header.directory.store(directory, Relaxed);
        }
    }

    /// Whether all tables' links lead to the tables of this world.
    fn is_pointed(&self) -> bool {
        let headers: [_; TABLES] = std::array::from_fn(|n| self.members[n].start().cast_const());
        self.members.iter().all(|member| member.slots.get() == headers)
    }

    fn points(&self) -> usize {
        self.members.iter().map(|member| member.pointed.get()).sum()
    }

    /// All possible states of a world. Each entry is empty, right, or another table's. Each table was linked by no
    /// directory, by this one, or by another.
    fn starts(&self) -> Vec<Seen> {
        let directories = [
            ptr::null_mut(),
            ptr::from_ref(&*self.state.directory).cast_mut(),
            ptr::from_ref(&self.elsewhere.1).cast_mut(),
        ];
        let of = |n: usize, choice: usize| {
            let headers = [ptr::null_mut(), self.members[n].start(), self.elsewhere.0.start()];
            (headers[choice % 3], directories[choice / 3])
        };
        (0..9_usize.pow(TABLES as u32)).map(|choice| [of(0, choice % 9), of(1, choice / 9)]).collect()
    }
}

/// Runs a function, and other threads' work between its steps.
fn interleave<T>(others: Others<'_>, run: impl FnOnce() -> T) -> T {
    // SAFETY: the box is taken back before the borrow ends; a panic ends the test's thread.
    let others: Others<'static> = unsafe { std::mem::transmute(others) };
    OTHERS.set(Some(Box::new(others)));
    let result = run();
    OTHERS.set(None);
    result
}

/// A thread checks whether the tables are linked, and each of its reads happens at some time while another thread links
/// them. If it finds them linked, it follows links at once. So from then on links must lead to the right tables.
#[test]
fn who_finds_tables_linked_can_follow_links() {
    let mut found_linked = 0;
    let scene = Scene::new();
    let members = scene.all();
    for start in scene.starts() {
        scene.show(start);
        if scene.state.is_linked(&members) {
            continue;
        }
        // For each time: the visible state, whether links are right then, and the number of written slots.
        for member in &scene.members {
            member.slots.set([scene.elsewhere.0.start(); TABLES]);
        }
        let mut times = vec![(scene.seen(), scene.is_pointed(), scene.points())];
        let mut record = || times.push((scene.seen(), scene.is_pointed(), scene.points()));
        // SAFETY: the members are borrowed.
        interleave(&mut record, || unsafe { scene.state.relink(&members) });
        times.dedup();
        let end = scene.points();
        assert!(scene.is_pointed() && scene.state.is_linked(&members), "from {start:?}");

        let mut reads = [0; 2 * TABLES];
        loop {
            let mut next = 0;
            let mut wait = || {
                scene.show(times[reads[next]].0);
                next += 1;
            };
            if interleave(&mut wait, || scene.state.is_linked(&members)) {
                let (_, is_pointed, points) = times[reads[2 * TABLES - 1]];
                assert!(
                    is_pointed && points == end,
                    "links are followed too early: from {start:?}, reads at {reads:?}"
                );
                found_linked += 1;
            }
            // The next times; each read happens at or after the time of the read before it.
            let Some(later) = (0..reads.len()).rev().find(|&n| reads[n] + 1 < times.len()) else { break };
            let time = reads[later] + 1;
            reads[later..].fill(time);
        }
    }
    assert!(found_linked > 80, "{found_linked}");
}

/// A thread that waited for the lock finds the tables linked, and leaves them unchanged, because others already follow
/// links.
#[test]
fn linked_tables_are_not_linked_again() {
    let scene = Scene::new();
    let members = scene.all();
    // SAFETY: the members are borrowed.
    unsafe { scene.state.relink(&members) };
    let (linked, points) = (scene.seen(), scene.points());
    let mut look = || assert_eq!(scene.seen(), linked);
    // SAFETY: the members are borrowed.
    interleave(&mut look, || unsafe { scene.state.relink(&members) });
    assert_eq!(scene.points(), points);
}
