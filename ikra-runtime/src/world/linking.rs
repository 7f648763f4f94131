//! What a thread may see of a world whose tables another thread links: all interleavings of the two, step by step.

use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use super::WorldState;
use crate::class::ClassId;
use crate::table::{AnyTable, Directory, Header};

/// What other threads do between two steps of linking.
type Others<'a> = &'a mut dyn FnMut();

thread_local! {
    static OTHERS: RefCell<Option<Box<dyn FnMut()>>> = const { RefCell::new(None) };
}

pub(super) fn others_run() {
    // Not while they run themselves.
    if let Some(mut others) = OTHERS.take() {
        others();
        OTHERS.set(Some(others));
    }
}

/// Stands for a table of a class with a link to each class of the world.
struct Table {
    directory: AtomicPtr<Directory>,
    /// Whom its links lead to, as `point` found it, and how often it was called.
    slots: Cell<[*const Header; TABLES]>,
    pointed: Cell<usize>,
}

const TABLES: usize = 2;

/// What a thread sees of a table: the directory's entry for it, and the directory that it names.
type Seen = [(*mut Header, *mut Directory); TABLES];

struct Scene {
    tables: Vec<Table>,
    state: WorldState<()>,
    elsewhere: (Table, Directory),
}

impl Table {
    fn new() -> Self {
        let directory = AtomicPtr::new(ptr::null_mut());
        Self { directory, slots: Cell::new([ptr::null(); TABLES]), pointed: Cell::new(0) }
    }

    fn header(&self) -> *mut Header {
        ptr::from_ref(self).cast_mut().cast()
    }

    fn any(&self) -> AnyTable {
        unsafe fn point(header: *const Header, directory: &Directory) {
            // SAFETY: `header` is that of a live `Table`.
            let table = unsafe { &*header.cast::<Table>() };
            table.slots.set(std::array::from_fn(|n| directory.entries[n].1.load(Relaxed).cast_const()));
            table.pointed.set(table.pointed.get() + 1);
        }
        unsafe fn prepare(_: *const Header) {}
        let (header, directory) = (self.header().cast_const(), &raw const self.directory);
        AnyTable { name: "Table", header, directory, class: ClassId::NONE, point, prepare }
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
            device: Mutex::new(None),
            world: PhantomData,
        };
        Self { tables: (0..TABLES).map(|_| Table::new()).collect(), state, elsewhere: (Table::new(), entries(())) }
    }

    fn all(&self) -> Vec<AnyTable> {
        self.tables.iter().map(Table::any).collect()
    }

    fn seen(&self) -> Seen {
        std::array::from_fn(|n| {
            (self.state.directory.entries[n].1.load(Relaxed), self.tables[n].directory.load(Relaxed))
        })
    }

    fn show(&self, seen: Seen) {
        for (n, (entry, directory)) in seen.into_iter().enumerate() {
            self.state.directory.entries[n].1.store(entry, Relaxed);
            self.tables[n].directory.store(directory, Relaxed);
        }
    }

    /// Whether links lead to the tables of this world, from all of them.
    fn is_pointed(&self) -> bool {
        let headers: [_; TABLES] = std::array::from_fn(|n| self.tables[n].header().cast_const());
        self.tables.iter().all(|table| table.slots.get() == headers)
    }

    fn points(&self) -> usize {
        self.tables.iter().map(|table| table.pointed.get()).sum()
    }

    /// All states that a world can be in: each entry empty, right, or that of another table; each table linked by no
    /// directory, by this one, or by another.
    fn starts(&self) -> Vec<Seen> {
        let directories = [
            ptr::null_mut(),
            ptr::from_ref(&*self.state.directory).cast_mut(),
            ptr::from_ref(&self.elsewhere.1).cast_mut(),
        ];
        let of = |n: usize, choice: usize| {
            let headers = [ptr::null_mut(), self.tables[n].header(), self.elsewhere.0.header()];
            (headers[choice % 3], directories[choice / 3])
        };
        (0..9_usize.pow(TABLES as u32)).map(|choice| [of(0, choice % 9), of(1, choice / 9)]).collect()
    }
}

/// Runs something, and other threads' work between its steps.
fn interleave<T>(others: Others<'_>, run: impl FnOnce() -> T) -> T {
    // SAFETY: the box is taken back before the borrow ends; a panic ends the test's thread.
    let others: Others<'static> = unsafe { std::mem::transmute(others) };
    OTHERS.set(Some(Box::new(others)));
    let result = run();
    OTHERS.set(None);
    result
}

/// A thread asks whether the tables are linked; each of its reads comes at some time while another thread links them.
/// If it finds them linked, it follows links at once: so links must lead to the right tables, for good.
#[test]
fn who_finds_tables_linked_can_follow_links() {
    let mut found_linked = 0;
    let scene = Scene::new();
    let tables = scene.all();
    for start in scene.starts() {
        scene.show(start);
        // SAFETY: the tables are alive, and the one thread looks at them.
        if unsafe { scene.state.is_linked(&tables) } {
            continue;
        }
        // What can be seen at each time, whether links are right then, and how many slots were written.
        for table in &scene.tables {
            table.slots.set([scene.elsewhere.0.header(); TABLES]);
        }
        let mut times = vec![(scene.seen(), scene.is_pointed(), scene.points())];
        let mut record = || times.push((scene.seen(), scene.is_pointed(), scene.points()));
        // SAFETY: as above.
        interleave(&mut record, || unsafe { scene.state.relink(&tables) });
        times.dedup();
        let end = scene.points();
        // SAFETY: as above.
        assert!(scene.is_pointed() && unsafe { scene.state.is_linked(&tables) }, "from {start:?}");

        let mut reads = [0; 2 * TABLES];
        loop {
            let mut next = 0;
            let mut wait = || {
                scene.show(times[reads[next]].0);
                next += 1;
            };
            // SAFETY: as above.
            if interleave(&mut wait, || unsafe { scene.state.is_linked(&tables) }) {
                let (_, is_pointed, points) = times[reads[2 * TABLES - 1]];
                assert!(
                    is_pointed && points == end,
                    "links are followed too early: from {start:?}, reads at {reads:?}"
                );
                found_linked += 1;
            }
            // The next times, none before the one of the read before.
            let Some(later) = (0..reads.len()).rev().find(|&n| reads[n] + 1 < times.len()) else { break };
            let time = reads[later] + 1;
            reads[later..].fill(time);
        }
    }
    assert!(found_linked > 80, "{found_linked}");
}

/// A thread that waited for the lock finds the tables linked, and leaves them alone: others follow links by then.
#[test]
fn linked_tables_are_not_linked_again() {
    let scene = Scene::new();
    let tables = scene.all();
    // SAFETY: the tables are alive, and no other thread looks at them.
    unsafe { scene.state.relink(&tables) };
    let (linked, points) = (scene.seen(), scene.points());
    let mut look = || assert_eq!(scene.seen(), linked);
    // SAFETY: as above.
    interleave(&mut look, || unsafe { scene.state.relink(&tables) });
    assert_eq!(scene.points(), points);
}
