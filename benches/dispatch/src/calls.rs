//! Calls of methods whose class is known at run time only, beside `benches/cuda/dispatch.cu`: TYPEPTR's figures 12a and
//! 12b, job reordering, and how long it takes to make the objects.

use std::fmt::Display;
use std::time::Instant;

use ikra::prelude::*;
use ikra::{LinkList, Place};
use ikra_baselines::table::{beside, grouped, microseconds, ratio, row, table};
use ikra_baselines::{Baselines, SAMPLES, is_counting, median, size, time};

use crate::model;

/// What calls the methods in CUDA, as the figures' columns have them.
const BASELINES: [(&str, &str); 7] = [
    ("BRANCH", "branch"),
    ("switch", "links"),
    ("SharedOA", "shared_oa"),
    ("COAL", "coal"),
    ("TypePointer", "type_pointer"),
    ("virtual, placed", "buffer"),
    ("virtual, by `new`", "new"),
];

/// Ikra's strategies, and the baseline that each is compared with.
const STRATEGIES: [(&str, &str); 4] =
    [("type_pointer", "links"), ("range_table", "coal"), ("class_tag", "class_tag"), ("vtable", "buffer")];

/// Objects that device-side `new` is asked for at most.
const MOST_BY_NEW: usize = 1 << 22;
/// Objects of each launch that is counted.
const MOST_COUNTED: usize = 1 << 12;

/// Of a list, each so-manieth link is left out: a list of all objects of a class is one of a range.
const LEFT_OUT: usize = 64;

/// Nanoseconds for all objects, in one launch and class by class; for a list of links that leaves some out, and one of all; and
/// for calls through links in a column, by strategy.
struct Times {
    all: f64,
    alone: f64,
    list: f64,
    whole_list: f64,
    calls: [f64; 4],
    /// Nanoseconds per link to make the list on the host, and one of a column on the device, waiting for it.
    reordering: [f64; 2],
}

/// Times `n` objects of a module's classes, with light or heavy methods.
macro_rules! times {
    ($module:ident, $n:expr, $kernel:ident, [$($caller:ident)*] $method:ident) => {{
        use model::$module::{Caller, Thing, Things, caller};
        let mut things = Things::make($n)?;
        let links = things.links();
        let some: Vec<_> = links.iter().enumerate().filter(|(n, _)| n % LEFT_OUT > 0).map(|(_, &link)| link).collect();
        let start = Instant::now();
        let list = LinkList::new(&some)?;
        let on_host = start.elapsed().as_secs_f64() * 1e9 / some.len() as f64;
        let whole = LinkList::new(&links)?;
        let callers = things.callers.extend(links.iter().map(|&target| Things::caller(target)))?;
        let all = time(&mut things, |things| things.cuda_execute(Thing::$kernel, ()))?;
        let alone = time(&mut things, Things::$kernel)?;
        let listed = time(&mut things, |things| things.on(Place::Gpu(0)).over(&list).execute(Thing::$kernel, ()))?;
        let whole = time(&mut things, |things| things.on(Place::Gpu(0)).over(&whole).execute(Thing::$kernel, ()))?;
        let mut on_device = Vec::new();
        for _ in 0..size(SAMPLES, 1) {
            let start = Instant::now();
            let made = things.on(Place::Gpu(0)).links(caller::target)?;
            on_device.push(start.elapsed().as_secs_f64() * 1e9 / $n as f64);
            assert_eq!(made.len(), links.len());
        }
        let callers: Vec<_> = callers.zip(&links).step_by($n / 1000 + 1).collect();
        let mut calls = [0.0; 4];
        // One after another, and each time host and device agree.
        let mut times = calls.iter_mut();
        $(
            if let Some(slot) = times.next() {
                *slot = time(&mut things, |things| things.cuda_execute(Caller::$caller, ()))?;
                for &(caller, &link) in &callers {
                    assert_eq!(things.get(caller).result(), things.get(link).$method(), "{link:?}");
                }
            }
        )*
        let reordering = [on_host, median(on_device)];
        Times { all, alone, list: listed, whole_list: whole, calls, reordering }
    }};
}

/// The same for a number of classes.
fn times_of(classes: u32, n: usize, heavy: bool) -> Result<Times, ikra::Error> {
    macro_rules! by_classes {
        ($($classes:literal $module:ident)*) => {
            match (classes, heavy) {
                $(
                    ($classes, false) => times!(
                        $module, n, tick, [call_light call_in_regions call_by_tag call_by_table] ticked
                    ),
                    ($classes, true) => times!($module, n, work, [call_heavy] worked),
                )*
                _ => unreachable!("there are 1 to 32 classes, a power of two"),
            }
        };
    }
    Ok(by_classes!(1 of_1 2 of_2 4 of_4 8 of_8 16 of_16 32 of_32))
}

/// Calls a baseline for `n` objects of `classes` classes with light or heavy methods. The result is in nanoseconds.
#[allow(unsafe_code, reason = "a call of a C library")]
fn call(baselines: &Baselines, name: &str, n: usize, classes: u32, heavy: bool) -> f64 {
    // SAFETY: the baseline of this name takes a 64-bit and two 32-bit numbers and returns a double.
    unsafe {
        baselines.call(name, |f: &unsafe extern "C" fn(u64, u32, u32) -> f64| f(n as u64, classes, u32::from(heavy)))
    }
}

/// A point of a figure: how the tables call it, the number of classes and that of objects.
type Point = (String, u32, usize);

/// The tables of a figure: calls for all objects and for a list, in one launch and in several, and through link fields.
fn figure(baselines: &Baselines, x: &str, points: &[Point]) -> Result<(), ikra::Error> {
    let times: Vec<Times> =
        points.iter().map(|&(_, classes, n)| times_of(classes, n, false)).collect::<Result<_, _>>()?;
    let cuda = |&(_, classes, n): &Point, name: &str| {
        let asked = name != "new" || n <= MOST_BY_NEW;
        if asked { call(baselines, &format!("dispatch_{name}"), n, classes, false) } else { f64::NAN }
    };
    // Each baseline once: several tables show it.
    let cuda: Vec<Vec<f64>> =
        points.iter().map(|point| BASELINES.iter().map(|(_, name)| cuda(point, name)).collect()).collect();
    let of = |point: usize, name: &str| {
        BASELINES.iter().position(|&(_, other)| other == name).map_or(f64::NAN, |column| cuda[point][column])
    };

    let titles: Vec<&str> = BASELINES.iter().map(|(title, _)| *title).collect();
    table(&[&[x, "Ikra, all objects", "Ikra, list", "Ikra, list of all"], &titles[..]].concat(), 0);
    for (n, ((name, ..), times)) in points.iter().zip(&times).enumerate() {
        let mut cells = vec![name.clone()];
        cells.extend([times.all, times.list, times.whole_list].map(microseconds));
        cells.extend(cuda[n].iter().copied().map(microseconds));
        row(&cells.iter().map(|cell| cell as &dyn Display).collect::<Vec<_>>());
    }
    table(&[x, "Ikra, one launch", "Ikra, a launch per class", "CUDA, a launch per class"], 0);
    for (point, times) in points.iter().zip(&times) {
        let launches = call(baselines, "dispatch_all_launches", point.2, point.1, false);
        row(&[&point.0, &microseconds(times.all), &microseconds(times.alone), &microseconds(launches)]);
    }
    let strategies: Vec<&str> = STRATEGIES.iter().map(|(strategy, _)| *strategy).collect();
    table(&[&[x], &strategies[..]].concat(), 0);
    for (n, ((name, classes, objects), times)) in points.iter().zip(&times).enumerate() {
        let mut cells = vec![name.clone()];
        for (ikra, (_, baseline)) in times.calls.into_iter().zip(STRATEGIES) {
            let cuda = match baseline {
                "class_tag" => call(baselines, "dispatch_class_tag", *objects, *classes, false),
                _ => of(n, baseline),
            };
            cells.push(format!("{} ({})", microseconds(ikra), ratio(cuda, ikra)));
        }
        row(&cells.iter().map(|cell| cell as &dyn Display).collect::<Vec<_>>());
    }
    Ok(())
}

/// `n` links of several classes, as they are and in order by class.
fn in_order(baselines: &Baselines, classes: u32, heavy: bool) -> Result<(), ikra::Error> {
    let n = size(1 << 24, MOST_COUNTED);
    let Times { list, calls: [calls, ..], reordering: [on_host, on_device], .. } = times_of(classes, n, heavy)?;
    let of = |name: &str| call(baselines, name, n, classes, heavy);
    let (mixed, ordered) = (of("dispatch_links"), of("dispatch_reordered"));
    let sort = baselines.call_n_k("dispatch_sort", n as u64, classes);
    let weight = if heavy { "heavy" } else { "light" };
    let pays_after = |cost: f64, gain: f64| match cost / gain {
        _ if gain <= 0.0 => "never".to_owned(),
        runs if runs < 1000.0 => format!("{runs:.1}"),
        runs => grouped(runs.round()),
    };
    row(&[
        &format!("{classes}, {weight}"),
        &microseconds(calls),
        &microseconds(list),
        &format!("{:.1}", calls / list),
        &microseconds(mixed),
        &microseconds(ordered),
        &format!("{on_host:.2}"),
        &pays_after(on_host * n as f64, calls - list),
        &format!("{on_device:.3}"),
        &pays_after(on_device * n as f64, calls - list),
        &format!("{:.3}", sort / n as f64),
        &pays_after(sort, mixed - ordered),
    ]);
    Ok(())
}

/// Making 4 M objects of 4 classes.
pub(crate) fn creation(baselines: &Baselines) -> Result<(), ikra::Error> {
    let (mut whole, mut more) = (Vec::new(), Vec::new());
    let most = size(MOST_BY_NEW, MOST_COUNTED);
    for _ in 0..size(SAMPLES + 2, 1) {
        let start = Instant::now();
        let mut things = model::of_4::Things::make(most)?;
        things.on(Place::Gpu(0)).synchronize()?;
        whole.push(start.elapsed().as_secs_f64() * 1e9);

        let mut things = model::of_4::Things::make(4)?;
        things.on(Place::Gpu(0)).synchronize()?;
        let start = Instant::now();
        things.add(most)?;
        things.on(Place::Gpu(0)).synchronize()?;
        more.push(start.elapsed().as_secs_f64() * 1e9);
    }
    let (whole, more) = (median(whole), median(more));
    table(&["making objects, Ikra / CUDA", "objects", "Ikra", "CUDA", "ratio"], 1);
    for (way, name) in [("device-side `new`", "dispatch_create_new"), ("placed", "dispatch_create_buffer")] {
        let cuda = baselines.call_n_k(name, MOST_BY_NEW as u64, 4);
        beside(&format!("in a new world, first launch included / {way}"), MOST_BY_NEW, whole, cuda, &[]);
        beside(&format!("more of them, memory for these included / {way}"), MOST_BY_NEW, more, cuda, &[]);
    }
    Ok(())
}

/// TYPEPTR's figure 12a: four classes, by the number of objects.
pub(crate) fn objects(baselines: &Baselines) -> Result<(), ikra::Error> {
    // Other numbers are of the same kernels.
    let millions = if is_counting() { &[1][..] } else { &[1, 2, 4, 8, 16, 32] };
    let point = |&n: &usize| (format!("{n} M"), 4, size(n << 20, MOST_COUNTED));
    figure(baselines, "objects", &millions.iter().map(point).collect::<Vec<_>>())
}

/// TYPEPTR's figure 12b: 16 M objects, by the number of classes in a warp.
pub(crate) fn classes(baselines: &Baselines) -> Result<(), ikra::Error> {
    figure(
        baselines,
        "classes",
        &[1, 2, 4, 8, 16, 32].map(|classes| (classes.to_string(), classes, size(1 << 24, MOST_COUNTED))),
    )
}

/// Job reordering.
pub(crate) fn reordering(baselines: &Baselines) -> Result<(), ikra::Error> {
    let runs = ["Ikra, as they are", "in order", "gain", "CUDA, as they are", "in order"];
    let lists = ["list on the host", "pays after", "on the device", "pays after", "CUB", "pays after"];
    table(&[&["classes, method"], &runs[..], &lists].concat(), 1);
    [2, 4, 8, 32]
        .into_iter()
        .try_for_each(|classes| [false, true].into_iter().try_for_each(|heavy| in_order(baselines, classes, heavy)))
}
