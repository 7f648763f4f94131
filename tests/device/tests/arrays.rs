//! Inner arrays give the same results on host and device, in every layout.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::prelude::*;
use ikra_build::ptx;
use ikra_device_tests::model::arrays::*;
#[cfg(ikra_long)]
use ikra_device_tests::model::{
    AosNone, AosNoneWorld, AosObject, AosObjectWorld, SoaCapacityFull, SoaCapacityFullWorld, SoaFullByte,
    SoaFullByteWorld, SoaPartialTriple, SoaPartialTripleWorld, SoaPartialWide, SoaPartialWideWorld, TilesNone,
    TilesNoneWorld,
};
use ikra_device_tests::{device_code, has_gpu, is_short};

fn hash(mut x: u32) -> u32 {
    x = (x ^ x >> 16).wrapping_mul(0x85eb_ca6b);
    x = (x ^ x >> 13).wrapping_mul(0xc2b2_ae35);
    x ^ x >> 16
}

/// An element computed from a number.
trait Of {
    fn of(n: u32) -> Self;
}
macro_rules! of {
    ($($ty:ty)*) => { $(impl Of for $ty { fn of(n: u32) -> Self { n as $ty } })* };
}
of!(u8 u16 i32 u64 f64);
impl Of for u128 {
    fn of(n: u32) -> Self {
        u128::from(n) << 50
    }
}
impl Of for bool {
    fn of(n: u32) -> Self {
        n.is_multiple_of(3)
    }
}
impl Of for Triple {
    fn of(n: u32) -> Self {
        Triple::of(n)
    }
}

/// Lengths near the number of slots, and occasionally a long one.
fn len(n: usize) -> usize {
    [3, 0, 1, 4, 5, 2, 70, 6, 0, 8][n % 10]
}

/// An array of fixed or variable length.
trait FromElements<T> {
    fn from_elements(len: usize, element: impl FnMut(usize) -> T) -> Self;
}
impl<T, const N: usize> FromElements<T> for [T; N] {
    fn from_elements(_: usize, element: impl FnMut(usize) -> T) -> Self {
        std::array::from_fn(element)
    }
}
impl<T> FromElements<T> for InnerArray<T> {
    fn from_elements(len: usize, element: impl FnMut(usize) -> T) -> Self {
        (0..len).map(element).collect()
    }
}

macro_rules! equality {
    ($($test:ident: $class:ident, $world:ident, $len:expr;)*) => { $(
        #[test]
        fn $test() {
            if !has_gpu() {
                return;
            }
            let counts: &[usize] = if is_short() { &[1, 2, 65, 300] } else { &[1, 2, 65, 1000, 5000] };
            for &count in counts {
                let row = |n: usize| $class {
                    weight: hash(n as u32) % 1000,
                    items: FromElements::from_elements($len(n), |i| Of::of(hash((n * 100 + i) as u32))),
                    sum: 0,
                    near: FromElements::from_elements(n % 5, |i| {
                        Link::from_index(hash((n + 31 * i) as u32) as usize % count).unwrap()
                    }),
                    hits: [0; 3],
                };
                let (mut host, mut device) = ($world::new(), $world::new());
                host.things.extend((0..count).map(row)).unwrap();
                device.things.extend((0..count).map(row)).unwrap();
                let same = |what: &str, host: &$world, device: &$world| {
                    for (n, (a, b)) in host.things.iter().zip(&device.things).enumerate() {
                        assert!(a == b, "{what}, {count} objects, object {n}: {a:?} on the host, {b:?} on the device");
                    }
                    assert_eq!(host.things.len(), device.things.len());
                };
                let links: Vec<_> = host.things.links().collect();
                let some: Vec<_> = links.iter().copied().filter(|link| link.index() % 3 == 1).rev().collect();
                let middle = count / 3..count - count / 5;
                for round in 0..2 {
                    host.execute($class::mix, 17);
                    device.cuda_execute($class::mix, 17).unwrap();
                    same("mix", &host, &device);
                    host.over(middle.clone()).execute($class::mix_all, 5);
                    device.on(ikra::Place::Gpu(0)).over(middle.clone()).execute($class::mix_all, 5).unwrap();
                    same("mix a range", &host, &device);
                    host.execute($class::mix_rest, 8);
                    device.cuda_execute($class::mix_rest, 8).unwrap();
                    same("mix all but the first", &host, &device);
                    host.over(&some).execute($class::mix, 3);
                    device.on(ikra::Place::Gpu(0)).over(&some).execute($class::mix, 3).unwrap();
                    // Twice in a row without a read in between: the second run starts from the first one's result.
                    for by in [9, 10] {
                        host.execute($class::take, by);
                        device.cuda_execute($class::take, by).unwrap();
                    }
                    same("take", &host, &device);
                    host.over(middle.clone()).execute($class::take, 4);
                    device.on(ikra::Place::Gpu(0)).over(middle.clone()).execute($class::take, 4).unwrap();
                    host.over(&some).execute($class::take, 6);
                    device.on(ikra::Place::Gpu(0)).over(&some).execute($class::take, 6).unwrap();
                    same("take, some", &host, &device);
                    for way in 0..13 {
                        host.execute($class::renew, way);
                        device.cuda_execute($class::renew, way).unwrap();
                    }
                    same("renew", &host, &device);
                    host.over(middle.clone()).execute($class::renew, 4);
                    device.on(ikra::Place::Gpu(0)).over(middle.clone()).execute($class::renew, 4).unwrap();
                    host.over(&some).execute($class::renew, 6);
                    device.on(ikra::Place::Gpu(0)).over(&some).execute($class::renew, 6).unwrap();
                    same("renew, some", &host, &device);
                    host.execute($class::survey, ());
                    device.cuda_execute($class::survey, ()).unwrap();
                    host.execute($class::turn, ());
                    device.cuda_execute($class::turn, ()).unwrap();
                    same("survey and turn", &host, &device);
                    assert_eq!(
                        host.execute_and_reduce($class::first, (), Max),
                        device.cuda_execute_and_reduce($class::first, (), Max).unwrap()
                    );
                    // On the host, elements change, and arrays get other lengths.
                    for sim in [&mut host, &mut device] {
                        for link in links.iter().step_by(7) {
                            sim.get_mut(*link).items.iter_mut().for_each(|item| *item = item.mixed(*item, 99));
                        }
                        for link in links.iter().skip(round).step_by(5) {
                            sim.things.write(*link, row(link.index() + 1)).unwrap();
                        }
                    }
                    same("host", &host, &device);
                }
                // Storage and arena grow after the device has changed the arrays.
                for sim in [&mut host, &mut device] {
                    sim.things.extend((count..2 * count + 100).map(row)).unwrap();
                }
                host.execute($class::mix, 1);
                device.cuda_execute($class::mix, 1).unwrap();
                same("grown", &host, &device);
                let recording = device.on(ikra::Place::Gpu(0)).record(|sim| {
                    sim.execute($class::take, 2)?;
                    sim.execute($class::mix, 3)?;
                    sim.execute($class::renew, 4)
                });
                let recording = recording.unwrap();
                for _ in 0..3 {
                    device.on(ikra::Place::Gpu(0)).replay(&recording).unwrap();
                    host.execute($class::take, 2);
                    host.execute($class::mix, 3);
                    host.execute($class::renew, 4);
                }
                same("recorded", &host, &device);
            }
        }
    )* };
}

equality! {
    soa_full: SoaFull, SoaFullWorld, |_| 5;
    soa_object: SoaObject, SoaObjectWorld, |_| 5;
    soa_partial: SoaPartial, SoaPartialWorld, len;
    soa_none: SoaNone, SoaNoneWorld, len;
    soa_capacity_partial: SoaCapacityPartial, SoaCapacityPartialWorld, len;
    aos_full: AosFull, AosFullWorld, |_| 3;
    aos_partial: AosPartial, AosPartialWorld, len;
    tiles_full: TilesFull, TilesFullWorld, |_| 6;
    tiles_partial: TilesPartial, TilesPartialWorld, len;
}

#[cfg(ikra_long)]
equality! {
    soa_full_byte: SoaFullByte, SoaFullByteWorld, |_| 7;
    soa_capacity_full: SoaCapacityFull, SoaCapacityFullWorld, |_| 3;
    soa_partial_triple: SoaPartialTriple, SoaPartialTripleWorld, len;
    soa_partial_wide: SoaPartialWide, SoaPartialWideWorld, len;
    aos_object: AosObject, AosObjectWorld, |_| 4;
    aos_none: AosNone, AosNoneWorld, len;
    tiles_none: TilesNone, TilesNoneWorld, len;
}

#[test]
fn arrays_move_with_their_columns_and_only_then() {
    if !has_gpu() {
        return;
    }
    let n = 1000;
    let mut sim = SoaPartialWorld::new();
    let row = |_| SoaPartial { weight: 1, items: (0..6).collect(), sum: 0, near: InnerArray::new(), hits: [0; 3] };
    sim.things.extend((0..n).map(row)).unwrap();
    sim.cuda_execute(SoaPartial::mix, 1).unwrap();
    let up = sim.cuda().stats().bytes_up;
    // Weight, span and four slots, two elements in the arena, sum, span and two slots, three atomics.
    assert_eq!(up, n * (4 + 8 + 16 + 8 + 4 + 8 + 8 + 12));
    for _ in 0..1000 {
        sim.cuda_execute(SoaPartial::mix, 1).unwrap();
    }
    assert_eq!((sim.cuda().stats().bytes_up, sim.cuda().stats().bytes_down), (up, 0));
    let first = sim.things.links().next().unwrap();
    let _ = sim.get(first).items().len();
    // The field's columns, the arena, and the columns of the other field with elements in the arena.
    assert_eq!(sim.cuda().stats().bytes_down, n * (8 + 16 + 8) + n * (8 + 8));
    assert_eq!(sim.cuda().stats().bytes_up, up);
}

fn kernel(name: &str) -> Option<ptx::Kernel> {
    let code = std::fs::read_to_string(device_code()?).unwrap();
    Some(ptx::kernels(&code).into_iter().find(|kernel| kernel.name.starts_with(name)).unwrap())
}

#[test]
fn a_kernel_that_writes_a_whole_array_loads_none_of_it() {
    let Some(stream) = kernel("ikra_kernel_Lattice_stream_") else { return };
    // The list, whether it is a wall, four links, and an element of each; and a store for each, where it is a wall and where not.
    assert_eq!((stream.count("ld.global"), stream.count("st.global")), (10, 8), "{}", stream.body);
    // By index: the written elements, and at the end the unwritten ones.
    let Some(renew) = kernel("ikra_kernel_SoaFull_renew_") else { return };
    assert!(renew.count("st.global") > 5, "{}", renew.body);
}
