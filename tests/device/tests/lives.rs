//! Objects that come and go on a device: the same objects, ids and links as on the host.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::prelude::*;
use ikra::{Error, Place, Sum};
use ikra_device_tests::model::lives::*;
use ikra_device_tests::{emulated, has_gpu, is_emulated, is_short};

const GPU: Place = Place::Gpu(0);

fn farm(cows: u32) -> Farm {
    let mut farm = Farm::new();
    let patches: Vec<_> = farm
        .patches
        .extend((0..cows / 3 + 1).map(|n| Patch { grass: n % 3, owner: None, visits: 0 }))
        .unwrap()
        .collect();
    for n in 0..cows {
        let patch = patches[n as usize * 7 % patches.len()];
        let mother = if n % 4 == 0 { None } else { Link::from_id(n) };
        let cow = Cow { energy: n, pos: [n as f32, 0.5], mother, patch, mark: n as u8, wool: u64::from(n) << 20 };
        farm.cows.push(cow).unwrap();
    }
    let cows: Vec<_> = farm.cows.links().collect();
    for (n, &patch) in patches.iter().enumerate() {
        if let Some(&cow) = cows.get(n * 2) {
            let mut patch = farm.get_mut(patch);
            patch.owner = Some(patch.resolve(cow));
        }
    }
    farm.bells.extend(cows.iter().step_by(2).map(|&cow| Bell { cow: Some(cow), before: None, tone: 0 })).unwrap();
    farm
}

/// All objects with their ids.
fn all(farm: &Farm) -> (Vec<(u32, Patch)>, Vec<(u32, Cow)>, Vec<(u32, Bell)>) {
    fn of<C: ikra::Class>(objects: &Objects<C>) -> Vec<(u32, C)> {
        objects.links().map(Link::id).zip(objects.iter()).collect()
    }
    (of(&farm.patches), of(&farm.cows), of(&farm.bells))
}

/// Runs the same steps at both places, and compares after each.
fn compare(cows: u32, steps: u32, step: impl Fn(&mut Farm, Place, u32)) {
    let mut farms = [farm(cows), farm(cows)];
    for number in 0..steps {
        for (farm, place) in farms.iter_mut().zip([Place::Host, GPU]) {
            step(farm, place, number);
        }
        let [host, gpu] = &farms;
        assert_eq!(all(host), all(gpu), "after step {number} with {cows} cows");
    }
}

fn sizes() -> &'static [u32] {
    match (is_short(), is_emulated()) {
        (true, _) => &[0, 1, 33, 400],
        (false, true) => &[0, 1, 31, 64, 5000],
        (false, false) => &[0, 1, 31, 64, 5000, 40_000],
    }
}

#[test]
fn births_and_deaths_are_the_same_at_every_place() {
    if !has_gpu() {
        return;
    }
    for &cows in sizes() {
        for (deaths, births) in [(100, 100), (300, 0), (0, 300), (1000, 0), (30, 900)] {
            compare(cows, 4, |farm, place, number| {
                farm.on(place).execute(Cow::live, (number, deaths, births)).unwrap();
                farm.on(place).execute(Cow::graze, ()).unwrap();
                farm.on(place).execute(Bell::ring, ()).unwrap();
            });
        }
    }
}

#[test]
fn kernels_run_for_what_is_left() {
    if !has_gpu() {
        return;
    }
    for &cows in sizes() {
        let weights = [Place::Host, GPU].map(|place| {
            let mut farm = farm(cows);
            let mut weights = Vec::new();
            for number in 0..3 {
                farm.on(place).execute(Cow::cull, (number, 400)).unwrap();
                farm.on(place).execute(Cow::follow, ()).unwrap();
                let weight: f32 = farm.on(place).execute_and_reduce(Cow::weight, (), Sum).unwrap();
                // Both classes have holes, and a list each.
                farm.on(place).execute(Bell::ring, ()).unwrap();
                farm.on(place).execute(Counted::count, number).unwrap();
                let half = farm.cows.len() / 2;
                farm.on(place).over(0..half).execute(Cow::graze, ()).unwrap();
                weights.push((weight.to_bits(), all(&farm)));
            }
            weights
        });
        assert_eq!(weights[0], weights[1]);
    }
}

#[test]
fn new_objects_take_the_places_of_old_ones() {
    if !has_gpu() {
        return;
    }
    for &cows in sizes() {
        compare(cows, 4, |farm, place, number| {
            farm.on(place).execute(Cow::cull, (number, 500)).unwrap();
            farm.on(place).execute(Patch::settle, ()).unwrap();
            farm.on(place).execute(Patch::settle, ()).unwrap();
        });
    }
}

#[test]
fn host_and_device_take_turns() {
    if !has_gpu() {
        return;
    }
    for &cows in sizes() {
        compare(cows, 6, |farm, place, number| {
            let place = if number % 2 == 0 { place } else { Place::Host };
            farm.on(place).execute(Cow::live, (number, 150, 150)).unwrap();
            farm.on(place).execute(Cow::breed, number % 2).unwrap();
            match number {
                1 => drop(farm.compact::<Cow>().unwrap()),
                3 => {
                    let first = farm.cows.links().next();
                    first.into_iter().for_each(|cow| farm.remove(cow).unwrap());
                }
                _ => {}
            }
        });
    }
}

fn coop(hens: u32) -> Coop {
    let mut coop = Coop::new();
    let nests: Vec<_> = coop.nests.extend((0..hens / 2 + 1).map(|n| Nest { hen: None, eggs: n })).unwrap().collect();
    for n in 0..hens {
        let home = nests.get(n as usize).copied();
        let pos = [f64::from(n), 0.5, -1.0];
        let next = Link::from_id(n).filter(|_| n % 3 != 0);
        let hen = Hen { age: n as u8, pos, weight: n as u16, flat: n % 5 == 0, next, home };
        let hen = coop.hens.push(hen).unwrap();
        if let Some(home) = home {
            let mut home = coop.get_mut(home);
            home.hen = Some(home.resolve(hen));
        }
    }
    coop
}

#[test]
fn classes_compact_themselves() {
    if !has_gpu() {
        return;
    }
    for &hens in sizes() {
        let mut coops = [coop(hens), coop(hens)];
        let first: Vec<_> =
            coops.iter_mut().map(|coop| coop.hens.links().nth(3).map(|hen| coop.track(hen).unwrap())).collect();
        for number in 0..6 {
            for (coop, place) in coops.iter_mut().zip([Place::Host, GPU]) {
                coop.on(place).execute(Hen::live, (number, 150 + 100 * (number % 3))).unwrap();
                coop.on(place).execute(Nest::keep, number).unwrap();
            }
            let found: Vec<_> = coops.iter().zip(&first).map(|(coop, &first)| coop.tracked(first?)).collect();
            assert_eq!(found[0], found[1], "in step {number} of {hens} hens");
            let all = coops.each_ref().map(|coop| {
                let hens: Vec<_> = coop.hens.links().map(Link::id).zip(coop.hens.iter()).collect();
                let nests: Vec<_> = coop.nests.links().map(Link::id).zip(coop.nests.iter()).collect();
                (hens, nests)
            });
            assert_eq!(all[0], all[1], "after step {number} of {hens} hens");
        }
    }
}

/// Links in rows are checked before there are objects with them.
#[test]
fn wrong_links_of_new_objects_are_found() {
    if !has_gpu() {
        return;
    }
    for hens in [50, 5000] {
        let mut coops = [coop(hens), coop(hens)];
        let [on_host, on_gpu] = coops.each_mut();
        for (coop, place) in [(on_host, Place::Host), (on_gpu, GPU)] {
            coop.on(place).execute(Hen::build, 0).unwrap();
            coop.on(place).execute(Nest::keep, 1).unwrap();
        }
        let nests = coops.each_ref().map(|coop| coop.nests.links().zip(coop.nests.iter()).collect::<Vec<_>>());
        assert!(nests[0] == nests[1] && nests[0].len() > hens as usize / 2, "{hens} hens");
        let [on_host, on_gpu] = coops.each_mut();
        let errors = [(on_host, Place::Host), (on_gpu, GPU)].map(|(coop, place)| {
            coop.on(place).execute(Hen::build, (hens / 2) | 1).unwrap();
            coop.on(place).execute(Nest::keep, 1).unwrap_err().to_string()
        });
        assert_eq!(errors[0], errors[1]);
        assert!(errors[0].contains("hen"), "{}", errors[0]);
    }
}

#[test]
#[ignore = "ends the GPU's work; run by the next test"]
fn a_fall() {
    assert!(has_gpu());
    let mut farm = farm(300);
    farm.on(GPU).execute(Cow::cull, (1, 300)).unwrap();
    let (left, last) = (farm.cows.len(), farm.cows.links().last().unwrap());
    assert!(left < 300);
    let error = farm.on(GPU).execute(Cow::fall, last.id()).unwrap_err();
    assert!(error.to_string().contains("Cow::fall"), "{error}");
    assert_eq!(farm.cows.len(), left, "nothing came or went");
    farm.cuda().accept_loss();
    // What was removed since the last fetch is there again, or not: all can be read.
    assert_eq!(farm.cows.iter().count(), farm.cows.len());
    farm.execute(Cow::graze, ());
}

#[test]
fn a_kernel_that_fails_makes_and_removes_nothing() {
    if has_gpu() {
        let said = emulated(&[], &["a_fall"]);
        assert!(said.contains("it fell"), "{said}");
    }
}

/// A kernel that finds no memory for the list of what is left.
#[test]
#[ignore = "run by the next test, on the emulator"]
fn without_memory() {
    assert!(has_gpu());
    let mut farm = farm(2000);
    let removed = farm.on(GPU).execute(Cow::cull, (1, 300));
    if let Err(error) = &removed {
        assert!(error.to_string().contains("memory"), "{error}");
        farm.cuda().accept_loss();
    }
    assert_eq!(farm.cows.iter().count(), farm.cows.len());
    assert_eq!(farm.cows.len() < 2000, removed.is_ok());
    farm.execute(Cow::graze, ());
    println!("failed: {}", removed.is_err());
}

#[test]
fn what_finds_no_memory_removes_nothing() {
    if !has_gpu() {
        return;
    }
    let failed = |nth: u32| {
        let plan = format!("cuMemAlloc_v2:2@{nth}");
        emulated(&[("PLAN", &plan)], &["without_memory"]).contains("failed: true")
    };
    let nths = if is_short() { 15..22 } else { 2..40 };
    assert!(nths.filter(|&nth| failed(nth)).count() > 2, "some of these allocations are for the kernel");
}

/// The driver refuses some call while hens and nests come, go and move.
#[test]
#[ignore = "run by the next test, on the emulator"]
fn refused_half_way() {
    assert!(has_gpu());
    fn all(coop: &Coop) -> (Vec<(u32, Hen)>, Vec<(u32, Nest)>) {
        let hens = coop.hens.links().map(Link::id).zip(coop.hens.iter()).collect();
        (hens, coop.nests.links().map(Link::id).zip(coop.nests.iter()).collect())
    }
    let mut coops = [coop(300), coop(300)];
    for step in 0..4 {
        let before = all(&coops[0]);
        let [on_host, on_gpu] = coops.each_mut();
        let change = |coop: &mut Coop, place| match step {
            0 | 3 => coop.on(place).execute(Hen::live, (step, 400)),
            1 => coop.on(place).execute(Nest::keep, step),
            _ => coop.on(place).sort_by_key(Hen::order, ()).map(drop),
        };
        change(on_host, Place::Host).unwrap();
        let Err(error) = change(on_gpu, GPU) else {
            // A copy may be refused, too.
            if on_gpu.on(GPU).synchronize().is_ok() {
                continue;
            }
            break;
        };
        let lost = on_gpu.cuda().accept_loss();
        let now = all(on_gpu);
        // The kernel may have run, and new objects may have come. Of the others, all that it removes went, or none.
        let ids = |(hens, nests): &(Vec<(u32, Hen)>, Vec<(u32, Nest)>)| {
            hens.iter().map(|hen| (0, hen.0)).chain(nests.iter().map(|nest| (1, nest.0))).collect::<Vec<_>>()
        };
        let (before, now_ids, after) = (ids(&before), ids(&now), ids(&all(on_host)));
        let are_whole = now_ids == after || before.iter().all(|id| now_ids.contains(id));
        assert!(are_whole || !lost.is_empty(), "step {step}: {error}");
        let hens: Vec<_> = on_gpu.hens.links().collect();
        let is_bad = |link: Option<Link<Hen>>| link.is_some_and(|link| !hens.contains(&link));
        let has_bad = now.0.iter().any(|hen| is_bad(hen.1.next)) || now.1.iter().any(|nest| is_bad(nest.1.hen));
        let kept = on_gpu.on(Place::Host).execute(Nest::keep, 9);
        assert!(has_bad == kept.is_err(), "step {step}: {kept:?} after {error}");
        println!("failed in step {step}, {} columns lost: {error}", lost.len());
        return;
    }
    println!("passed");
}

/// The same for objects that take the places of removed ones.
#[test]
#[ignore = "run by the next test, on the emulator"]
fn births_refused_half_way() {
    assert!(has_gpu());
    let mut farm = farm(300);
    let failed = farm
        .on(GPU)
        .execute(Cow::cull, (1, 300))
        .and_then(|()| farm.on(GPU).execute(Patch::settle, ()))
        .and_then(|()| farm.on(GPU).synchronize());
    if let Err(error) = &failed {
        let lost = farm.cuda().accept_loss();
        println!("failed, {} columns lost: {error}", lost.len());
    }
    // All can be read.
    assert_eq!(farm.cows.iter().count(), farm.cows.len());
    farm.execute(Cow::graze, ());
}

#[test]
fn a_driver_that_refuses_half_way_leaves_no_bad_links() {
    if !has_gpu() {
        return;
    }
    let (mut failed, mut lost) = (0, 0);
    for call in ["cuLaunchKernel", "cuLaunchKernelEx", "cuMemcpyHtoDAsync_v2", "cuMemsetD8Async"] {
        for nth in (1..60).step_by(if is_short() { 6 } else { 3 }) {
            let plan = format!("{call}:701@{nth}-{nth}");
            let said = emulated(&[("PLAN", &plan)], &["refused_half_way"]);
            failed += u32::from(said.contains("failed in step"));
            lost += u32::from(said.contains("failed in step") && !said.contains(", 0 columns lost"));
        }
    }
    assert!(failed > 9 && lost > 2, "{failed} failed, {lost} lost values");
    for nth in 4..12 {
        let _ = emulated(&[("PLAN", &format!("cuLaunchKernelEx:701@{nth}-{nth}"))], &["births_refused_half_way"]);
    }
}

/// Recordings do not know removed objects: the host starts each iteration.
#[test]
fn loops_run_beside_removed_objects() {
    if !has_gpu() {
        return;
    }
    for by_host in [true, false] {
        compare(300, 3, |farm, place, number| {
            let cow = farm.cows.links().nth(5).unwrap();
            if by_host {
                farm.remove(cow).unwrap();
            } else {
                farm.on(place).execute(Cow::cull, (number, 100)).unwrap();
            }
            farm.bells.push(Bell { cow: None, before: None, tone: 0 }).unwrap();
            farm.on(place).repeat(3, |step| step.execute(Cow::graze, ())).unwrap();
            let recorded = farm.on(place).record(|on| on.execute(Cow::graze, ()));
            assert!(place == Place::Host || matches!(recorded, Err(Error::NotRecordable { .. })), "{recorded:?}");
        });
    }
}

#[test]
fn little_is_copied() {
    if !has_gpu() {
        return;
    }
    let cows = if is_emulated() { 2000 } else { 40_000 };
    let mut farm = farm(cows);
    farm.cows.grow_by(cows as usize).unwrap();
    farm.bells.grow_by(cows as usize).unwrap();
    farm.on(GPU).execute(Cow::cull, (0, 50)).unwrap();
    let before = farm.cuda().stats();
    for number in 0..3 {
        farm.on(GPU).execute(Cow::live, (number, 50, 50)).unwrap();
        farm.on(GPU).execute(Cow::graze, ()).unwrap();
    }
    let after = farm.cuda().stats();
    let (down, up) = (after.bytes_down - before.bytes_down, after.bytes_up - before.bytes_up);
    assert!(down < u64::from(cows), "{down} bytes for {cows} cows, one bit each per step");
    assert!(up < u64::from(cows), "{up} bytes for {cows} cows");
    assert!(after.launches - before.launches > 3 * 10);
}
