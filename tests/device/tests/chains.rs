//! Chains, columns of results and loops: the same bits on host and device.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::rng::Random;
use ikra::{Error, Place, prelude::*};
use ikra_device_tests::model::neighbours::*;
use ikra_device_tests::{has_gpu, is_short};

const GPU: Place = Place::Gpu(0);

fn cloud(len: u32) -> Cloud {
    let mut cloud = Cloud::new();
    let mote = |n| {
        let mut random = Random::new(8, n, 0);
        let pos = [0; 3].map(|_| random.uniform_f32() * 6.0);
        Mote { pos, kind: random.below(7), near: 0, sum: [0.0; 3], mixed: 0, friend: None }
    };
    cloud.motes.extend((0..len).map(mote)).unwrap();
    cloud
}

/// The values that kernels have written, by bits.
fn bits(cloud: &Cloud) -> Vec<(u32, [u32; 3], u64)> {
    cloud.motes.iter().map(|mote| (mote.near, mote.sum.map(f32::to_bits), mote.mixed)).collect()
}

fn len() -> u32 {
    if is_short() { 300 } else { 30_000 }
}

#[test]
fn chains_are_the_same_at_every_place() {
    if !has_gpu() {
        return;
    }
    let results = [Place::Host, GPU].map(|place| {
        let mut cloud = cloud(len());
        let links: Vec<_> = cloud.motes.links().step_by(3).collect();
        let mut sums = Vec::new();
        for left in [0.0, 2.5, 7.0] {
            let mut at = cloud.on(place);
            sums.push(at.select(Mote::is_left, left).map(Mote::height, 0.5).reduce(Sum).unwrap());
            sums.push(at.over(7..200).select(Mote::is_left, left).map(Mote::height, 0.5).reduce(Sum).unwrap());
            sums.push(at.map(Mote::height, 0.25).reduce(Sum).unwrap());
            let mut some = at.over(&links);
            let mut some = some.select(Mote::is_left, left);
            sums.extend(some.select(Mote::is_of, 3).map(Mote::height, 2.0).collect().unwrap());
            // Changes, for objects that kernels choose.
            let kinds = at.group_by(Mote::kind_of, 7, ()).unwrap();
            at.select(Mote::is_left, left).select(Mote::is_of, 2).execute(Mote::mix, (31, &kinds)).unwrap();
            sums.push(at.select(Mote::is_left, left).selection().unwrap().len() as f64);
        }
        (sums.into_iter().map(f64::to_bits).collect::<Vec<_>>(), bits(&cloud))
    });
    assert_eq!(results[0], results[1]);
}

/// The sums of chains for some objects: those that are one kernel on a device, and those that are not. Kernels' types have
/// no names, so it is a macro.
macro_rules! sums {
    ($cloud:expr, $place:expr, $over:expr, $left:expr) => {{
        let mut place = $cloud.on($place);
        let (mut at, left, mut all) = (place.over($over), $left, Vec::new());
        all.push(at.select(Mote::is_left, left).map(Mote::height, 0.5).reduce(Sum).unwrap());
        all.push(f64::from(at.select(Mote::is_left, left).map(Mote::depth, ()).reduce(Sum).unwrap()));
        all.push(f64::from(at.select(Mote::is_of, 3).map(Mote::depth, ()).reduce(Max).unwrap()));
        all.push(f64::from(at.select(Mote::is_left, left).map(Mote::strain, (0.5, 3)).reduce(Sum).unwrap()));
        all.push(f64::from(at.select(Mote::is_deep, ()).map(Mote::strain, (0.25, 9)).reduce(Min).unwrap()));
        // A chain is heavy if its filter is.
        all.push(f64::from(at.select(Mote::is_deep, ()).map(Mote::depth, ()).reduce(Sum).unwrap()));
        let mut deep = at.select(Mote::is_deep, ());
        all.push(f64::from(deep.select(Mote::is_left, left).map(Mote::strain, (1.5, 2)).reduce(Sum).unwrap()));
        let mut of = at.select(Mote::is_of, 2);
        all.push(of.select(Mote::is_left, left).map(Mote::height, 3.0).reduce(Sum).unwrap());
        all.into_iter().map(f64::to_bits).collect::<Vec<_>>()
    }};
}

#[test]
fn reductions_of_chosen_objects_are_the_same_at_every_place() {
    if !has_gpu() {
        return;
    }
    for len in [1, 31, 33, len()] {
        let results = [Place::Host, GPU].map(|place| {
            let mut cloud = cloud(len);
            let links: Vec<_> = cloud.motes.links().step_by(2).collect();
            let mut all = Vec::new();
            for left in [-1.0, 0.3, 3.0, 7.0] {
                all.extend(sums!(cloud, place, .., left));
                all.extend(sums!(cloud, place, len as usize / 3.., left));
                all.extend(sums!(cloud, place, &links, left));
                all.extend(sums!(cloud, place, &links[..0], left));
            }
            all
        });
        assert_eq!(results[0], results[1], "{len} motes");
    }
}

/// Reductions of so many objects that chunks take turns.
#[test]
fn reductions_of_many_chosen_objects() {
    if !has_gpu() {
        return;
    }
    let mut cloud = Cloud::new();
    let len = 8_400_000;
    let mote = |n: u32| {
        let pos = [n as f32 * 0.37 % 6.0, 0.1, n as f32 * 0.7];
        Mote { pos, kind: n % 7, near: 0, sum: [0.0; 3], mixed: 0, friend: None }
    };
    cloud.motes.extend((0..len).map(mote)).unwrap();
    let is_long = std::env::var_os("IKRA_LONG").is_some_and(|value| !value.is_empty());
    let links: Vec<_> = cloud.motes.links().filter(|link| link.index() != 7000).collect();
    let results = [Place::Host, GPU].map(|place| {
        let mut at = cloud.on(place);
        let mut all = vec![at.select(Mote::is_left, 2.0).map(Mote::height, 0.5).reduce(Sum).unwrap()];
        all.push(at.over(1001..len as usize - 77).execute_and_reduce(Mote::height, 0.25, Sum).unwrap());
        if is_long {
            all.push(at.over(&links).execute_and_reduce(Mote::height, 0.25, Sum).unwrap());
        }
        all.into_iter().map(f64::to_bits).collect::<Vec<_>>()
    });
    assert_eq!(results[0], results[1]);
}

#[test]
fn chains_stay_on_the_device() {
    if !has_gpu() {
        return;
    }
    let mut cloud = cloud(5000);
    let one = |cloud: &mut Cloud| cloud.on(GPU).select(Mote::is_left, 2.0).map(Mote::height, 0.5).reduce(Sum).unwrap();
    let several =
        |cloud: &mut Cloud| cloud.on(GPU).select(Mote::is_left, 2.0).map(Mote::depth, ()).reduce(Sum).unwrap();
    let made =
        |cloud: &mut Cloud| cloud.on(GPU).select(Mote::is_left, 0.01).map(Mote::depth, ()).collect().unwrap().len();
    one(&mut cloud);
    several(&mut cloud);
    let before = cloud.cuda().stats();
    one(&mut cloud);
    let after = cloud.cuda().stats();
    // The sum.
    assert_eq!((after.launches - before.launches, after.bytes_up - before.bytes_up), (1, 0));
    assert_eq!(after.bytes_down - before.bytes_down, 8);
    several(&mut cloud);
    let last = cloud.cuda().stats();
    // How many were chosen, and the sum.
    assert_eq!((last.bytes_down - after.bytes_down, last.bytes_up - after.bytes_up), (12 + 4, 0));
    let count = made(&mut cloud);
    // These, and nothing else.
    assert_eq!(cloud.cuda().stats().bytes_down - last.bytes_down, 12 + 4 * count as u64);
}

#[test]
fn columns_are_arguments_at_every_place() {
    if !has_gpu() {
        return;
    }
    let results = [Place::Host, GPU].map(|place| {
        let mut cloud = cloud(len());
        let mut at = cloud.on(place);
        let (heights, places) =
            (at.map(Mote::height, 0.5).column().unwrap(), at.map(Mote::in_space, ()).column().unwrap());
        for times in 0..3 {
            // The second time they are on the device already.
            at.execute(Mote::rise, (&heights, times, &places)).unwrap();
        }
        let kinds = at.select(Mote::is_left, 2.0).map(Mote::kind_of, ()).column().unwrap();
        let most = at.select(Mote::is_left, 1.0).execute_and_collect(Mote::least, &kinds).unwrap();
        let chosen = at.select(Mote::is_left, 2.0).selection().unwrap();
        let max = at.over(&chosen).execute_and_reduce(Mote::least, &kinds, Max).unwrap();
        // A chain needs the elements of the objects that it chooses.
        let chain = at.select(Mote::is_left, 1.0).map(Mote::least, &kinds).reduce(Max).unwrap();
        assert_eq!(Some(&chain), most.iter().max());
        assert_eq!(at.select(Mote::is_left, 1.0).map(Mote::least, &kinds).collect().unwrap(), most);
        let error = at.select(Mote::is_left, 3.0).map(Mote::least, &kinds).reduce(Max).unwrap_err();
        assert!(matches!(error, Error::NoElement { class: "Mote", .. }), "{error}");
        // For objects without an element, no kernel starts.
        let error = at.execute_and_reduce(Mote::least, &kinds, Max).unwrap_err();
        assert!(matches!(error, Error::NoElement { class: "Mote", .. }), "{error}");
        let mut other = self::cloud(50);
        let error = other.on(place).execute(Mote::rise, (&heights, 1, &places)).unwrap_err();
        assert!(matches!(error, Error::StaleColumn { class: "Mote" }), "{error}");
        (most, max, bits(&cloud))
    });
    assert_eq!(results[0], results[1]);
    assert!(results[0].1 > 0);
}

#[test]
fn memory_of_columns_serves_the_next_columns() {
    if !has_gpu() {
        return;
    }
    let (mut cloud, mut expected) = (cloud(200), cloud(200));
    for n in 0..12 {
        let heights = cloud.on(GPU).over(..200 - n).map(Mote::height, n as f64).column().unwrap();
        let places = cloud.on(GPU).map(Mote::in_space, ()).column().unwrap();
        cloud.on(GPU).over(..200 - n).execute(Mote::rise, (&heights, 1, &places)).unwrap();
        drop((heights, places));
        let heights = expected.over(..200 - n).map(Mote::height, n as f64).column();
        let places = expected.map(Mote::in_space, ()).column();
        expected.over(..200 - n).execute(Mote::rise, (&heights, 1, &places));
    }
    assert_eq!(bits(&cloud), bits(&expected));
}

#[test]
fn repeating_is_the_same_at_every_place() {
    if !has_gpu() {
        return;
    }
    let results = [Place::Host, GPU].map(|place| {
        let mut cloud = cloud(if is_short() { 200 } else { 5000 });
        let kinds = cloud.on(place).group_by(Mote::kind_of, 7, ()).unwrap();
        let mut all = Vec::new();
        for count in [0, 1, 5] {
            // A recording holds these.
            let mut at = cloud.on(place);
            at.repeat(count, |step| {
                step.execute(Mote::drift, 3)?;
                step.over(10..150).execute(Mote::drift, 5)
            })
            .unwrap();
            all.push(bits(&cloud));
            // But not these.
            let mut at = cloud.on(place);
            at.repeat(count, |step| {
                step.execute(Mote::drift, 7)?;
                step.select(Mote::is_of, 4).execute(Mote::mix, (31, &kinds))
            })
            .unwrap();
            all.push(bits(&cloud));
        }
        all
    });
    assert_eq!(results[0], results[1]);
}
