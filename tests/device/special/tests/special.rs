//! Kernels that a GPU specialises for the values of some objects: the same bits as on the host, and never an old value.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::gpu::Specialized;
use ikra::rng::Random;
use ikra::{Error, Place, prelude::*};
use ikra_special_tests::Sim;
use ikra_special_tests::model::*;

const GPU: Place = Place::Gpu(0);

fn has_gpu() -> bool {
    ikra_test_gpu::has_gpu(option_env!("IKRA_DEVICE_CODE"))
}

fn sim(seed: u64, patterns: u32, spots: u32) -> (Sim, Option<Link<Pattern>>, Link<Filter>) {
    let mut sim = Sim::new();
    let mut first = None;
    for n in 0..patterns {
        let mut random = Random::new(seed, n, 1);
        let mask = [0xf, 0xf0, 0x3, 0xff, 0x1f00][random.below(5) as usize];
        let (value, weight) = (random.below(u32::MAX) & mask, random.uniform_f32() - 0.25);
        first = Some(sim.patterns.push(Pattern { value, mask, weight, next: first }).unwrap());
    }
    let taps: Vec<f64> = (0..5).map(|n| f64::from(Random::new(seed, n, 2).uniform_f32()) - 0.5).collect();
    let filter = sim.filters.push(Filter { taps: taps.into(), first }).unwrap();
    let spot = |n| Spot { seen: Random::new(seed, n, 3).below(u32::MAX), found: 0, weight: 0.0, level: 0.0 };
    sim.spots.extend((0..spots).map(spot)).unwrap();
    (sim, first, filter)
}

/// One step of a model.
fn step(sim: &mut Sim, place: Place, first: Option<Link<Pattern>>, filter: Link<Filter>) -> Result<u32, Error> {
    sim.on(place).execute(Spot::scan, (first, 0.5))?;
    sim.on(place).execute(Spot::filter, filter)?;
    sim.on(place).execute(Spot::scan_all, ())?;
    sim.on(place).execute(Spot::mix, ())?;
    sim.on(place).execute_and_reduce(Spot::matches, first, Sum)
}

fn spots(sim: &mut Sim) -> Vec<(u32, u32, u32, u64)> {
    sim.spots.iter().map(|spot| (spot.seen, spot.found, spot.weight.to_bits(), spot.level.to_bits())).collect()
}

/// The kernels' reports, by name.
fn reports(sim: &mut Sim) -> Vec<Specialized> {
    let mut reports = sim.cuda().specialized().unwrap();
    reports.sort_by_key(|report| report.kernel);
    reports
}

fn fix(sim: &mut Sim) {
    sim.on(GPU).specialize_for::<Pattern>().unwrap();
    sim.on(GPU).specialize_for::<Filter>().unwrap();
}

#[test]
fn special_kernels_have_the_same_results() {
    if !has_gpu() {
        return;
    }
    for (seed, patterns) in [(1, 0), (2, 1), (3, 2), (4, 9), (5, 40)] {
        let (mut host, first, filter) = sim(seed, patterns, 300);
        let mut gpu = host.clone();
        fix(&mut gpu);
        for round in 0..4 {
            let wanted = step(&mut host, Place::Host, first, filter).unwrap();
            assert_eq!(step(&mut gpu, GPU, first, filter).unwrap(), wanted, "seed {seed}, round {round}");
            assert_eq!(spots(&mut gpu), spots(&mut host), "seed {seed}, round {round}");
            // From the second round on, the special kernels run.
            let reports = reports(&mut gpu);
            let names: Vec<_> = reports.iter().map(|report| report.kernel).collect();
            assert_eq!(names, ["Spot::filter", "Spot::matches", "Spot::scan", "Spot::scan_all"]);
            assert!(reports.iter().all(|report| report.general.is_none()), "{reports:?}");
            if patterns == 40 {
                // The loop is gone: two loads per pattern and its next one are constants.
                let are_gone = |report: &Specialized| report.iterations >= 19 && report.loads >= 2 * 40;
                assert!(reports[2..].iter().all(are_gone), "{reports:?}");
            }
        }
    }
}

#[test]
fn changed_values_count_at_once() {
    if !has_gpu() {
        return;
    }
    let (mut host, first, filter) = sim(7, 6, 200);
    let mut gpu = host.clone();
    fix(&mut gpu);
    let check = |host: &mut Sim, gpu: &mut Sim, first, what: &str| {
        let wanted = step(host, Place::Host, first, filter).unwrap();
        assert_eq!(step(gpu, GPU, first, filter).unwrap(), wanted, "{what}");
        assert_eq!(spots(gpu), spots(host), "{what}");
    };
    let is_special = |gpu: &mut Sim| reports(gpu)[2].general.is_none();
    let settle = |host: &mut Sim, gpu: &mut Sim, first, what: &str| {
        for _ in 0..20 {
            check(host, gpu, first, what);
            if is_special(gpu) {
                break;
            }
        }
        check(host, gpu, first, what);
        assert!(is_special(gpu), "{what}");
    };
    settle(&mut host, &mut gpu, first, "at first");

    for sim in [&mut host, &mut gpu] {
        let third = sim.patterns.links().nth(2).unwrap();
        sim.get_mut(third).value = 3;
    }
    check(&mut host, &mut gpu, first, "a value that the host has changed");
    assert!(!is_special(&mut gpu));
    settle(&mut host, &mut gpu, first, "after a change by the host");

    host.on(Place::Host).execute(Pattern::turn, 5).unwrap();
    gpu.on(GPU).execute(Pattern::turn, 5).unwrap();
    check(&mut host, &mut gpu, first, "values that a kernel has changed");
    assert!(!is_special(&mut gpu));
    settle(&mut host, &mut gpu, first, "after a change by a kernel");

    for sim in [&mut host, &mut gpu] {
        let pattern = Pattern { value: 1, mask: 1, weight: 9.0, next: first };
        sim.patterns.push(pattern).unwrap();
    }
    let newest = host.patterns.links().last();
    check(&mut host, &mut gpu, newest, "a new pattern");
    settle(&mut host, &mut gpu, newest, "after a new pattern");

    // Another argument: the general kernel at once, and later a special one for it.
    check(&mut host, &mut gpu, first, "another first pattern");
    settle(&mut host, &mut gpu, first, "after another argument");
    check(&mut host, &mut gpu, None, "no first pattern");

    for sim in [&mut host, &mut gpu] {
        let links: Vec<_> = sim.patterns.links().collect();
        sim.get_mut(links[1]).next = None;
        let filters: Vec<_> = sim.filters.links().collect();
        sim.get_mut(filters[0]).first = None;
    }
    check(&mut host, &mut gpu, first, "a shorter list");
    settle(&mut host, &mut gpu, first, "after a shorter list");

    // The whole class comes from elsewhere.
    for sim in [&mut host, &mut gpu] {
        let (mut other, ..) = self::sim(8, 7, 0);
        std::mem::swap(&mut sim.patterns, &mut other.patterns);
    }
    check(&mut host, &mut gpu, first, "other objects");
    settle(&mut host, &mut gpu, first, "after other objects");
}

#[test]
fn values_that_change_again_and_again() {
    if !has_gpu() {
        return;
    }
    let (mut host, first, filter) = sim(13, 4, 100);
    let mut gpu = host.clone();
    fix(&mut gpu);
    for round in 0..30 {
        for (sim, place) in [(&mut host, Place::Host), (&mut gpu, GPU)] {
            // Long enough for a version of its own now and then.
            let steps = if round % 10 == 0 { 18 } else { 1 };
            for _ in 0..steps {
                step(sim, place, first, filter).unwrap();
            }
            sim.on(place).execute(Pattern::turn, round).unwrap();
        }
        assert_eq!(spots(&mut gpu), spots(&mut host), "round {round}");
    }
}

#[test]
fn recordings_keep_the_general_kernel() {
    if !has_gpu() {
        return;
    }
    let (mut host, first, filter) = sim(9, 5, 100);
    let mut gpu = host.clone();
    fix(&mut gpu);
    for sim in [&mut host, &mut gpu] {
        step(sim, Place::Host, first, filter).unwrap();
    }
    step(&mut host, Place::Host, first, filter).unwrap();
    step(&mut gpu, GPU, first, filter).unwrap();
    reports(&mut gpu);
    let recording = gpu.on(GPU).record(|sim| sim.execute(Spot::scan, (first, 0.25))).unwrap();
    for round in 0..3 {
        if round == 1 {
            host.on(Place::Host).execute(Pattern::turn, 3).unwrap();
            gpu.on(GPU).execute(Pattern::turn, 3).unwrap();
        }
        host.on(Place::Host).execute(Spot::scan, (first, 0.25)).unwrap();
        gpu.on(GPU).replay(&recording).unwrap();
        assert_eq!(spots(&mut gpu), spots(&mut host));
    }
}

#[test]
fn reports_say_why_not() {
    if !has_gpu() {
        return;
    }
    // Too large.
    let (mut gpu, first, filter) = sim(10, 70_000, 10);
    fix(&mut gpu);
    gpu.on(GPU).execute(Spot::filter, filter).unwrap();
    let [report] = &reports(&mut gpu)[..] else { panic!("one kernel was launched") };
    let general = report.general.as_deref().unwrap_or_default();
    assert!(general.contains("class Pattern takes 1120000 bytes"), "{general}");
    assert!(report.to_string().starts_with("Spot::filter: the general kernel runs: class Pattern"), "{report}");

    // An endless list: the evaluator gives up unrolling, and the results stay the same.
    let (mut gpu, ..) = sim(11, 3, 10);
    let links: Vec<_> = gpu.patterns.links().collect();
    let _ = first;
    let last = gpu.patterns.read(links[0]).unwrap();
    gpu.patterns.write(links[0], Pattern { next: Some(links[2]), ..last }).unwrap();
    gpu.on(GPU).specialize_for::<Pattern>().unwrap();
    // For no objects, for the kernel would not end.
    gpu.on(GPU).over(0..0).execute(Spot::scan, (Some(links[2]), 1.0)).unwrap();
    assert!(reports(&mut gpu).is_empty(), "nothing was launched");
}

/// A special kernel would have a variable of its own.
#[test]
fn variables_of_the_program_stay_the_same() {
    if !has_gpu() {
        return;
    }
    let (mut gpu, first, _) = sim(14, 5, 60);
    gpu.on(GPU).specialize_for::<Pattern>().unwrap();
    let matches = gpu.on(Place::Host).execute_and_reduce(Spot::matches, first, Sum).unwrap();
    for _ in 0..3 {
        gpu.on(GPU).execute(Spot::note, ()).unwrap();
        let [report] = &reports(&mut gpu)[..] else { panic!("one kernel reads patterns") };
        let general = report.general.as_deref().unwrap_or_default();
        assert!(general.contains("it uses a variable of the program, `") && general.contains("NOTED"), "{report}");
    }
    gpu.on(GPU).execute(Spot::recall, ()).unwrap();
    assert!(matches > 0 && gpu.spots.column(spot::found).iter().all(|&found| found == 3 * matches));
}

#[test]
fn the_host_ignores_it() {
    let (mut sim, first, filter) = sim(12, 4, 50);
    sim.on(Place::Host).specialize_for::<Pattern>().unwrap();
    let before = step(&mut sim.clone(), Place::Host, first, filter).unwrap();
    assert_eq!(step(&mut sim, Place::Host, first, filter).unwrap(), before);
}
