//! Objects that go with others, on a device: the same as on the host, links in fields of all kinds included.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::Place;
use ikra::prelude::*;
use ikra::rng::Random;
use ikra_device_tests::model::owners::*;
use ikra_device_tests::{has_gpu, is_emulated, is_short};

const GPU: Place = Place::Gpu(0);

/// A camp of so many poles, at random.
fn camp(poles: u32, seed: u64) -> Camp {
    let (mut camp, mut random) = (Camp::new(), Random::new(seed, 0, 0));
    let mut draw = move |end: u32| if end == 0 { 0 } else { random.below(end) };
    for n in 0..poles {
        // Chains of poles are long now and then.
        let other = if draw(8) == 0 { n.saturating_sub(1) } else { draw(n + 1) };
        let leans = if n == other || draw(3) == 0 { None } else { Link::from_id(other + 1) };
        camp.poles.push(Pole { load: n, ropes: InnerArray::new(), leans }).unwrap();
    }
    camp.posts.extend((0..poles).map(|load| Post { load })).unwrap();
    camp.pegs.extend((0..poles).map(|n| Peg { load: n, rope: None })).unwrap();
    let (all_poles, pegs): (Vec<_>, Vec<_>) = (camp.poles.links().collect(), camp.pegs.links().collect());
    if poles == 0 {
        return camp;
    }
    let mut ropes_of = vec![Vec::new(); poles as usize];
    for n in 0..poles * 3 {
        let (one, other) = (draw(poles) as usize, draw(poles) as usize);
        let b = if n % 2 == 0 { HeldLink::from(all_poles[other]) } else { pegs[other].into() };
        let rope = camp.ropes.push(Rope { a: all_poles[one].into(), b, tension: draw(100) }).unwrap();
        ropes_of[one].push(rope);
        if n % 2 == 0 && one != other {
            ropes_of[other].push(rope);
        }
    }
    let ropes: Vec<_> = camp.ropes.links().collect();
    for (&pole, own) in all_poles.iter().zip(ropes_of) {
        camp.poles.set_array(pole::ropes, pole, &own).unwrap();
    }
    let mut rope = || Some(ropes[draw(ropes.len() as u32) as usize]).filter(|link| link.id() % 5 > 0);
    for &peg in &pegs {
        let rope = rope();
        let mut peg = camp.get_mut(peg);
        peg.rope = rope.map(|rope| peg.resolve(rope));
    }
    for n in 0..poles {
        let held: HeldLink = if n % 2 == 0 { all_poles[n as usize].into() } else { pegs[n as usize].into() };
        let ties = Ties { first: rope(), weight: n as f32, held: Some(held) };
        let lamp = camp.lamps.push(Lamp { ties, near: [rope(), None, rope()], last: rope(), light: n }).unwrap();
        let lamps = (0..n % 5).map(|k| (k != 2).then_some(lamp)).collect();
        let all = (0..n % 7).map(|k| HeldLink::from(pegs[((n + k * k) % poles) as usize])).collect();
        camp.bags.push(Bag { on: Some(held), lamps, all, books: n }).unwrap();
    }
    camp
}

/// All objects of a class, with their ids.
fn of<C: ikra::Class>(objects: &Objects<C>) -> Vec<(u32, C)> {
    objects.links().map(Link::id).zip(objects.iter()).collect()
}

/// Runs the same steps at both places, and compares after each.
fn compare(poles: u32, steps: u32, step: impl Fn(&mut Camp, Place, u32)) {
    let mut camps = [camp(poles, 3), camp(poles, 3)];
    for number in 0..steps {
        for (camp, place) in camps.iter_mut().zip([Place::Host, GPU]) {
            step(camp, place, number);
        }
        let [host, gpu] = &camps;
        let after = format!("after step {number} with {poles} poles");
        macro_rules! compare {
            ($($member:ident)*) => { $(
                let (there, here) = (of(&host.$member), of(&gpu.$member));
                assert_eq!(there.len(), here.len(), "{} {after}", stringify!($member));
                for (one, other) in there.iter().zip(&here) {
                    assert_eq!(one, other, "{} {after}", stringify!($member));
                }
            )* };
        }
        compare!(poles pegs ropes lamps bags posts knots hooks rings tags);
    }
}

fn sizes() -> &'static [u32] {
    match (is_short(), is_emulated()) {
        (true, _) => &[0, 1, 200],
        (false, true) => &[0, 1, 40, 1000],
        (false, false) => &[0, 1, 40, 1000, 30_000],
    }
}

#[test]
fn owners_go_with_what_they_name() {
    if !has_gpu() {
        return;
    }
    for &poles in sizes() {
        compare(poles, 5, |camp, place, number| {
            camp.on(place).execute(Pole::fall, (number, 20)).unwrap();
            camp.on(place).execute(Pole::bear, ()).unwrap();
            camp.on(place).execute(Held::shake, number).unwrap();
            camp.on(place).execute(Peg::pull_out, (number, 100)).unwrap();
            camp.on(place).execute(Lamp::shine, ()).unwrap();
        });
    }
}

#[test]
fn links_in_all_fields_are_dropped() {
    if !has_gpu() {
        return;
    }
    for &poles in sizes() {
        compare(poles, 6, |camp, place, number| {
            camp.on(place).execute(Rope::tear, (number, 150)).unwrap();
            camp.on(place).execute(Pole::bear, ()).unwrap();
            camp.on(place).execute(Lamp::shine, ()).unwrap();
            camp.on(place).execute(Lamp::part, number).unwrap();
            match number {
                1 => drop(camp.compact::<Rope>().unwrap()),
                2 => drop(camp.on(place).compact::<Rope>().unwrap()),
                4 => drop(camp.on(place).sort_by_key(Rope::key, ()).unwrap()),
                _ => {}
            }
        });
    }
}

#[test]
fn new_objects_name_new_ones() {
    if !has_gpu() {
        return;
    }
    for &poles in sizes() {
        compare(poles, 3, |camp, place, number| {
            camp.on(place).execute(Post::hang, number).unwrap();
            camp.on(place).execute(Hook::open, number).unwrap();
            camp.on(place).execute(Held::shake, number).unwrap();
        });
    }
    let mut camp = camp(100, 5);
    camp.on(GPU).execute(Held::shake, 0).unwrap();
    let before = camp.cuda().stats();
    camp.on(GPU).execute(Post::hang, 0).unwrap();
    assert!(camp.cuda().stats().launches > before.launches, "the host ran it");
}

#[test]
fn the_host_runs_none_of_it() {
    if !has_gpu() {
        return;
    }
    let poles = if is_emulated() { 1000 } else { 40_000 };
    let mut camp = camp(poles, 5);
    camp.on(GPU).execute(Pole::bear, ()).unwrap();
    let before = camp.cuda().stats();
    for number in 0..3 {
        camp.on(GPU).execute(Rope::tear, (number, 20)).unwrap();
        camp.on(GPU).execute(Pole::fall, (number, 10)).unwrap();
        camp.on(GPU).execute(Peg::pull_out, (number, 20)).unwrap();
        camp.on(GPU).execute(Pole::bear, ()).unwrap();
    }
    let after = camp.cuda().stats();
    let (down, up) = (after.bytes_down - before.bytes_down, after.bytes_up - before.bytes_up);
    assert!(down < u64::from(poles) * 4, "{down} bytes for {poles} poles");
    assert!(up < u64::from(poles) * 4, "{up} bytes for {poles} poles");
    assert!(camp.poles.len() < poles as usize && camp.ropes.len() < 3 * poles as usize);
}
