//! Arenas whose arrays grow and shrink.

use ikra::Error;
use ikra::prelude::*;
use ikra_report::ClassLayout;
use proptest::prelude::*;

/// Two arrays with elements of different sizes, and another with some elements in slots.
macro_rules! boxes {
    ($($name:ident ($($options:tt)*);)*) => { $(
        #[soa_class($($options)*)]
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            #[inline_array(0)]
            pub bytes: InnerArray<u8>,
            #[inline_array(2)]
            pub words: InnerArray<[u32; 3]>,
            #[inline_array(1)]
            pub counts: InnerArray<u64>,
            pub n: u32,
        }
    )* };
}
boxes! {
    Soa ();
    Fixed (capacity = 64, arena = 6000);
    Aos (layout = "aos");
    Tiled (layout = "tiles", tile = 64);
}

#[soa_methods]
impl Soa {
    #[kernel(snapshot(bytes))]
    pub fn turn(&mut self) {
        for n in 0..self.bytes.len() {
            self.bytes[n] = !self.bytes[n];
        }
        self.n += 1;
    }
}

#[soa_world]
pub struct Boxes {
    pub soa: Objects<Soa>,
    pub fixed: Objects<Fixed>,
    pub aos: Objects<Aos>,
    pub tiled: Objects<Tiled>,
}

/// A short version of the original program: one object whose array has up to 59 elements.
#[test]
fn one_array_that_grows_and_shrinks_needs_bounded_space() {
    let mut world = Boxes::new();
    let link = world.soa.push(Soa { bytes: [].into(), words: [].into(), counts: [].into(), n: 0 }).unwrap();
    let calls = if cfg!(debug_assertions) { 300_000 } else { 4_000_000 };
    let all = [7; 60];
    for call in 0..calls {
        world.soa.set_array(soa::bytes, link, &all[..call * 7 % 60]).unwrap();
    }
    let layout = ClassLayout::of(&world.soa);
    assert!(layout.arena_capacity <= 4096, "{} of {} bytes", layout.arena_bytes, layout.arena_capacity);
    for call in 0..calls / 4 {
        let bytes = all[..call * 7 % 60].into();
        let words = vec![[call as u32; 3]; call * 11 % 9].into();
        world.soa.write(link, Soa { bytes, words, counts: vec![1; call % 5].into(), n: 0 }).unwrap();
    }
    let layout = ClassLayout::of(&world.soa);
    assert!(layout.arena_capacity <= 4096, "{} of {} bytes", layout.arena_bytes, layout.arena_capacity);
    // All objects at once, together with arrays of other fields.
    for call in 0..calls / 4 {
        let len = call % 200;
        world.soa.set_arrays(soa::bytes, &[0, len as u32], &vec![9; len]).unwrap();
    }
    let layout = ClassLayout::of(&world.soa);
    assert!(layout.arena_capacity <= 4096, "{} of {} bytes", layout.arena_bytes, layout.arena_capacity);
}

/// Many objects, all of which change: the arena needs at most a few times the live size.
#[test]
fn many_arrays_need_space_in_proportion() {
    let mut world = Boxes::new();
    let row = |n: u32| Soa { bytes: vec![1; n as usize % 50].into(), words: [].into(), counts: [].into(), n };
    let links: Vec<_> = world.soa.extend((0..1000).map(row)).unwrap().collect();
    let mut state = 1_u64;
    for _ in 0..200_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let (link, len) = (links[(state >> 33) as usize % 1000], (state >> 50) as usize % 50);
        world.soa.set_array(soa::bytes, link, &vec![len as u8; len]).unwrap();
    }
    let live: usize = world.soa.iter().map(|row| row.bytes.len()).sum();
    let layout = ClassLayout::of(&world.soa);
    assert!(layout.arena_capacity <= 4 * live + 8 * 1000, "{} for {live}", layout.arena_capacity);
    assert!(world.soa.iter().all(|row| row.bytes.iter().all(|byte| *byte as usize == row.bytes.len() || *byte == 1)));
    // The space of removed arrays is free once other arrays need it.
    for &link in &links {
        world.soa.set_array(soa::bytes, link, &[]).unwrap();
    }
    world.soa.set_array(soa::bytes, links[0], &vec![1; layout.arena_capacity]).unwrap();
    assert!(ClassLayout::of(&world.soa).arena_capacity <= 2 * layout.arena_capacity + 4 * 1000);
}

/// An arena of fixed length holds every array that fits, whatever it held before.
#[test]
fn a_fixed_arena_is_used_again() {
    let mut world = Boxes::new();
    let empty = || Fixed { bytes: [].into(), words: [].into(), counts: [].into(), n: 0 };
    let links: Vec<_> = world.fixed.extend((0..4).map(|_| empty())).unwrap().collect();
    for call in 0..20_000 {
        let len = call * 13 % 1500;
        world.fixed.set_array(fixed::bytes, links[call % 4], &vec![call as u8; len]).unwrap();
    }
    // One array of all the bytes, replaced by one that is longer where it fits only in its own place.
    for &link in &links {
        world.fixed.set_array(fixed::bytes, link, &[]).unwrap();
    }
    world.fixed.set_array(fixed::bytes, links[2], &[1; 3001]).unwrap();
    world.fixed.set_array(fixed::bytes, links[2], &[2; 6000]).unwrap();
    let before: Vec<_> = world.fixed.iter().collect();
    let error = world.fixed.set_array(fixed::bytes, links[2], &[3; 6001]).unwrap_err();
    assert!(matches!(error, Error::ArenaFull { requested: 6001, available: 6000, .. }), "{error:?}");
    assert!(error.to_string().contains("raise `arena = N`"), "{error}");
    let error = world.fixed.set_array(fixed::bytes, links[1], &[3]).unwrap_err();
    assert!(matches!(error, Error::ArenaFull { requested: 1, available: 0, .. }), "{error:?}");
    assert!(world.fixed.push(Fixed { bytes: [1].into(), ..empty() }).is_err());
    assert!(world.fixed.write(links[0], Fixed { counts: [1, 2].into(), ..empty() }).is_err());
    assert!(world.fixed.set_arrays(fixed::counts, &[0, 2, 2, 2, 2], &[1, 2]).is_err());
    assert!(world.fixed.iter().eq(before));
    world.fixed.write(links[2], Fixed { bytes: vec![4; 5000].into(), ..empty() }).unwrap();
    world.fixed.set_array(fixed::words, links[3], &[[5; 3]; 50]).unwrap();
    assert_eq!(world.get(links[3]).words().len(), 50);
}

#[test]
fn the_message_for_an_arena_that_grows_names_no_limit_of_the_class() {
    let error = Error::ArenaAtLimit { class: "Cell", requested: 212, available: 143 };
    assert!(!error.to_string().contains("arena = N"), "{error}");
}

/// An operation on the arrays of some objects.
#[derive(Clone, Debug)]
enum Step {
    Push(u8, u8, u8),
    Write(u8, u8, u8, u8),
    Bytes(u8, u8),
    Words(u8, u8),
    AllBytes(Vec<u8>),
    AllWords(Vec<u8>),
    Reserve(u8),
    Turn,
    Clone,
}

fn step() -> impl Strategy<Value = Step> {
    use Step::*;
    prop_oneof![
        2 => (any::<u8>(), 0..9_u8, 0..9_u8).prop_map(|(a, b, c)| Push(a, b, c)),
        3 => (any::<u8>(), any::<u8>(), 0..9_u8, 0..9_u8).prop_map(|(n, a, b, c)| Write(n, a, b, c)),
        4 => (any::<u8>(), any::<u8>()).prop_map(|(n, len)| Bytes(n, len)),
        4 => (any::<u8>(), 0..20_u8).prop_map(|(n, len)| Words(n, len)),
        1 => proptest::collection::vec(0..60_u8, 64).prop_map(AllBytes),
        1 => proptest::collection::vec(0..9_u8, 64).prop_map(AllWords),
        1 => (0..9_u8).prop_map(Reserve),
        1 => Just(Turn),
        1 => Just(Clone),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Compares arrays with vectors, in every layout, through random operations.
    #[test]
    fn arrays_hold_what_vectors_hold(steps in proptest::collection::vec(step(), 1..80)) {
        let mut world = Boxes::new();
        macro_rules! run {
            ($name:ident $column:ident $turn:expr) => {{
                let mut model: Vec<$name> = Vec::new();
                let mut filler = 0_u8;
                let mut fill = |len: u8| {
                    filler = filler.wrapping_add(1);
                    (0..len).map(|n| n.wrapping_mul(3).wrapping_add(filler)).collect::<Vec<u8>>()
                };
                let wide = |bytes: &[u8]| bytes.iter().map(|&n| [u32::from(n); 3]).collect::<Vec<_>>();
                for step in &steps {
                    let objects = &mut world.$column;
                    let link = |n: u8, len: usize| Link::from_index(usize::from(n) % len.max(1)).unwrap();
                    let mut row = |a, b, c| $name {
                        bytes: fill(a).into(),
                        words: wide(&fill(b)).into(),
                        counts: fill(c).iter().map(|&n| u64::from(n)).collect(),
                        n: u32::from(a),
                    };
                    match step {
                        Step::Push(a, b, c) => {
                            let row = row(*a, *b, *c);
                            if model.len() < 64 && objects.push(row.clone()).is_ok() {
                                model.push(row);
                            }
                        }
                        Step::Reserve(a) if model.len() < 64 => {
                            let row = row(*a, 2, *a);
                            let link = objects.reserve(1).unwrap().next().unwrap();
                            if objects.init(link, row.clone()).is_err() {
                                objects.init(link, $name { bytes: [].into(), words: [].into(), counts: [].into(), n: 0 })
                                    .unwrap();
                                model.push(objects.read(link).unwrap());
                            } else {
                                model.push(row);
                            }
                        }
                        Step::Write(n, a, b, c) if !model.is_empty() => {
                            let (row, link) = (row(*a, *b, *c), link(*n, model.len()));
                            if objects.write(link, row.clone()).is_ok() {
                                model[link.index()] = row;
                            }
                        }
                        Step::Bytes(n, len) if !model.is_empty() => {
                            let (bytes, link) = (row(*len, 0, 0).bytes, link(*n, model.len()));
                            if objects.set_array($column::bytes, link, &bytes).is_ok() {
                                model[link.index()].bytes = bytes;
                            }
                        }
                        Step::Words(n, len) if !model.is_empty() => {
                            let (words, link) = (row(0, *len, 0).words, link(*n, model.len()));
                            if objects.set_array($column::words, link, &words).is_ok() {
                                model[link.index()].words = words;
                            }
                        }
                        Step::AllBytes(lens) => {
                            let arrays: Vec<_> = model.iter().zip(lens).map(|(_, len)| row(*len, 0, 0).bytes).collect();
                            let offsets: Vec<u32> = std::iter::once(0)
                                .chain(arrays.iter().scan(0, |end, array| { *end += array.len() as u32; Some(*end) }))
                                .collect();
                            let all: Vec<_> = arrays.iter().flatten().copied().collect();
                            if objects.set_arrays($column::bytes, &offsets, &all).is_ok() {
                                model.iter_mut().zip(arrays).for_each(|(row, array)| row.bytes = array);
                            }
                        }
                        Step::AllWords(lens) => {
                            let arrays: Vec<_> = model.iter().zip(lens).map(|(_, len)| row(0, *len, 0).words).collect();
                            let offsets: Vec<u32> = std::iter::once(0)
                                .chain(arrays.iter().scan(0, |end, array| { *end += array.len() as u32; Some(*end) }))
                                .collect();
                            let all: Vec<_> = arrays.iter().flatten().copied().collect();
                            if objects.set_arrays($column::words, &offsets, &all).is_ok() {
                                model.iter_mut().zip(arrays).for_each(|(row, array)| row.words = array);
                            }
                        }
                        Step::Clone => *objects = objects.clone(),
                        Step::Turn => $turn(&mut world, &mut model),
                        _ => {}
                    }
                    prop_assert!(world.$column.iter().eq(model.iter().cloned()), "after {:?}", step);
                }
            }};
        }
        run!(Soa soa |world: &mut Boxes, model: &mut Vec<Soa>| {
            world.execute(Soa::turn, ());
            for row in model {
                row.n += 1;
                row.bytes.iter_mut().for_each(|byte| *byte = !*byte);
            }
        });
        run!(Fixed fixed |_, _| {});
        run!(Aos aos |_, _| {});
        run!(Tiled tiled |_, _| {});
    }
}
