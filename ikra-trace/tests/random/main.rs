//! Random graphs of structs, enums and trait objects in `Rc`s, `Arc`s and `Box`es, against a plain model: a snapshot
//! in which numbers stand for pointers.

#![allow(missing_docs, reason = "a test, not a library")]

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, RwLock, Weak as ArcWeak};

use ikra::prelude::*;
use ikra::trace::{Trace, TraceAs, TraceWorld};
use proptest::prelude::*;

mod model;
mod plain;
mod store;

use model::{Model, Random, Sizes, Snap, counts, reached};
use plain::Plain;
use store::store;

#[derive(Clone, Copy, Debug, PartialEq, Trace, Value)]
#[repr(u8)]
#[trace(value)]
pub enum Kind {
    Red,
    Green,
    Blue,
}
const KINDS: [Kind; 3] = [Kind::Red, Kind::Green, Kind::Blue];

#[soa_class]
pub struct Alpha {
    pub number: u32,
    pub any: Option<ThingLink>,
    #[inline_array(1)]
    pub near: InnerArray<ThingLink>,
    pub form: Option<FormLink>,
    pub shared: Option<SharedLink>,
}
#[soa_class(layout = "tiles")]
pub struct Beta {
    pub number: u64,
    pub kinds: [Kind; 2],
    pub twin: Option<Link<Beta>>,
    pub weak: Option<FormLink>,
    pub same: Link<Beta>,
}
#[soa_class(layout = "aos")]
pub struct Dot {
    pub x: i32,
    pub to: Option<ThingLink>,
}
#[soa_class]
pub struct Line {
    pub length: i16,
    #[inline_array(0)]
    pub via: InnerArray<FormLink>,
    pub tail: Option<Link<Tail>>,
}
#[soa_class]
pub struct Tail {
    pub weight: u8,
}
#[soa_class]
pub struct Gamma {
    pub count: u64,
    #[inline_array(1)]
    pub peers: InnerArray<SharedLink>,
    pub state: StateLink,
}
#[soa_class]
pub struct On {
    pub level: u8,
    pub back: Option<SharedLink>,
}
#[soa_class]
pub struct Off {
    pub since: u32,
}

#[soa_dispatch(Alpha, Beta)]
pub trait Thing {}
#[soa_methods]
impl Thing for Alpha {}
#[soa_methods]
impl Thing for Beta {}
#[soa_dispatch(Dot, Line)]
pub trait Form {}
#[soa_methods]
impl Form for Dot {}
#[soa_methods]
impl Form for Line {}
#[soa_dispatch(Gamma)]
pub trait Shared {}
#[soa_methods]
impl Shared for Gamma {}
#[soa_dispatch(On, Off)]
pub trait State {}
#[soa_methods]
impl State for On {}
#[soa_methods]
impl State for Off {}

#[soa_world]
pub struct Sim {
    pub alphas: Objects<Alpha>,
    pub betas: Objects<Beta>,
    pub dots: Objects<Dot>,
    pub lines: Objects<Line>,
    pub tails: Objects<Tail>,
    pub gammas: Objects<Gamma>,
    pub ons: Objects<On>,
    pub offs: Objects<Off>,
}

/// Counts the objects that are alive.
struct Alive(Arc<AtomicUsize>);

impl Alive {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, SeqCst);
        Self(Arc::clone(count))
    }
}
impl Drop for Alive {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

trait PlainThing: TraceAs<Thing> {}
impl PlainThing for RefCell<PlainAlpha> {}
impl PlainThing for PlainBeta {}
trait PlainShared: TraceAs<Shared> + Send + Sync {}
impl PlainShared for Mutex<PlainGamma> {}

type Things = Rc<dyn PlainThing>;
type Forms = Rc<RefCell<PlainForm>>;
type Peers = Arc<dyn PlainShared>;
type States = Arc<RwLock<PlainState>>;

#[derive(Trace)]
#[trace(class = Alpha)]
struct PlainAlpha {
    number: u32,
    any: Option<Things>,
    near: Vec<Things>,
    form: Option<Forms>,
    shared: Option<Peers>,
    #[trace(skip)]
    _alive: Alive,
}
#[derive(Trace)]
#[trace(class = Beta)]
struct PlainBeta {
    number: Cell<usize>,
    kinds: [Cell<Kind>; 2],
    twin: RefCell<Option<Rc<PlainBeta>>>,
    weak: RefCell<Weak<RefCell<PlainForm>>>,
    same: RefCell<Weak<PlainBeta>>,
    #[trace(skip)]
    _alive: Alive,
}
#[derive(Trace)]
#[trace(link = Form)]
enum PlainForm {
    #[trace(class = Dot)]
    Dot {
        x: i32,
        to: Option<Weak<dyn PlainThing>>,
        #[trace(skip)]
        _alive: Alive,
    },
    #[trace(class = Line)]
    Line(
        #[trace(field = length)] i16,
        #[trace(field = via)] Vec<Forms>,
        #[trace(field = tail)] Option<Box<PlainTail>>,
        #[trace(skip)]
        #[allow(dead_code, reason = "only its drop counts")]
        Alive,
    ),
}
#[derive(Trace)]
#[trace(class = Tail)]
struct PlainTail {
    weight: u8,
    #[trace(skip)]
    _alive: Alive,
}
#[derive(Trace)]
#[trace(class = Gamma)]
struct PlainGamma {
    count: u64,
    peers: Vec<Peers>,
    state: States,
    #[trace(skip)]
    _alive: Alive,
}
#[derive(Trace)]
#[trace(link = State)]
enum PlainState {
    #[trace(class = On)]
    On {
        level: u8,
        back: Option<ArcWeak<dyn PlainShared>>,
        #[trace(skip)]
        _alive: Alive,
    },
    #[trace(class = Off)]
    Off {
        since: u32,
        #[trace(skip)]
        _alive: Alive,
    },
}

fn sizes() -> impl Strategy<Value = Sizes> {
    [1..6_usize, 1..6, 1..8, 1..5, 1..5]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// What the columns get arrives in the same objects, and the trace leaves no pointer behind.
    #[test]
    fn columns_arrive_in_the_objects(sizes in sizes(), seed: u64, rounds in 1..4) {
        let random = &mut Random(seed);
        let mut model = Model::new(sizes, random);
        let alive = Arc::default();
        let plain = Plain::new(&model, &alive);
        let objects = alive.load(SeqCst);
        prop_assert_eq!(&plain.model(), &model);
        prop_assert_eq!(plain.counts(), counts(&model));
        let mut sim = plain.trace();
        let tails = model.forms.iter().filter(|form| matches!(form, Snap::Line { tail: Some(_), .. })).count();
        let found = [sim.alphas.len(), sim.betas.len(), sim.dots.len() + sim.lines.len(), sim.gammas.len()];
        prop_assert_eq!(found, [sizes[0], sizes[1], sizes[2], sizes[3]]);
        prop_assert_eq!((sim.ons.len() + sim.offs.len(), sim.tails.len()), (sizes[4], tails));
        prop_assert_eq!(sim.write_back().unwrap(), 0);
        for _ in 0..rounds {
            // The same values again are no change.
            store(&mut sim, &model, sizes[0]);
            prop_assert_eq!(sim.write_back().unwrap(), 0);
            let before = model.clone();
            model.change(sizes, random);
            store(&mut sim, &model, sizes[0]);
            prop_assert_eq!(sim.write_back().unwrap(), before.differences(&model));
            prop_assert_eq!(&plain.model(), &model);
        }
        // A trace of the objects as they are now is the same world.
        prop_assert_eq!(plain.trace().write_back().unwrap(), 0);
        drop(sim);
        prop_assert_eq!(plain.counts(), counts(&model));
        prop_assert_eq!(alive.load(SeqCst), objects);
        plain.unlink();
        drop(plain);
        prop_assert_eq!(alive.load(SeqCst), 0);
    }

    /// A trace finds the objects that the roots reach and no others, keeps them alive, and changes none.
    #[test]
    fn a_trace_finds_what_roots_reach(sizes in sizes(), seed: u64, roots in prop::collection::vec(0..12_usize, 0..4)) {
        let model = Model::new(sizes, &mut Random(seed));
        let alive = Arc::default();
        let plain = Plain::new(&model, &alive);
        let roots: Vec<_> = roots.iter().map(|n| n % model.things.len()).collect();
        let things: Vec<_> = roots.iter().map(|&n| plain.thing(n)).collect();
        let mut sim = Sim::trace(&things).unwrap();
        let things_found = sim.alphas.len() + sim.betas.len();
        let (forms, states) = (sim.dots.len() + sim.lines.len(), sim.ons.len() + sim.offs.len());
        prop_assert_eq!([things_found, forms, sim.gammas.len(), states], reached(&model, &roots));
        prop_assert_eq!(sim.write_back().unwrap(), 0);
        prop_assert_eq!(&plain.model(), &model);
        drop((sim, things));
        prop_assert_eq!(plain.counts(), counts(&model));
        // The trace alone keeps objects alive.
        let sim = plain.trace();
        let objects = alive.load(SeqCst);
        plain.unlink();
        drop(plain);
        prop_assert_eq!(alive.load(SeqCst), objects);
        drop(sim);
        prop_assert_eq!(alive.load(SeqCst), 0);
    }
}
