//! Calls of methods whose class is known at run time only, beside `benches/cuda/dispatch.cu`: TYPEPTR's figures 12a and
//! 12b, job reordering, and how long it takes to make the objects.

use std::time::Instant;

use ikra::prelude::*;
use ikra::{LinkList, Place};
use ikra_baselines::{Baselines, SAMPLES, median, row, time};

use crate::model;

/// The baselines that read a pointer or link for each object, and those that do not.
const BASELINES: [&str; 9] =
    ["new", "buffer", "shared_oa", "coal", "type_pointer", "class_tag", "links", "branch", "all_launches"];

/// Ikra's strategies, and the baseline that each is compared with.
const STRATEGIES: [(&str, &str); 4] =
    [("type_pointer", "links"), ("range_table", "coal"), ("class_tag", "class_tag"), ("vtable", "buffer")];

/// Objects that device-side `new` is asked for at most.
const MOST_BY_NEW: usize = 1 << 22;

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
        let listed = time(&mut things, |things| things.cuda_execute_each(Thing::$kernel, &list, ()))?;
        let whole = time(&mut things, |things| things.cuda_execute_each(Thing::$kernel, &whole, ()))?;
        let mut on_device = Vec::new();
        for _ in 0..SAMPLES {
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

/// One point of a figure: Ikra's times and those of the baselines.
fn point(baselines: &Baselines, figure: &str, x: usize, classes: u32, n: usize) -> Result<(), ikra::Error> {
    let times = times_of(classes, n, false)?;
    let of = |name: &str| call(baselines, &format!("dispatch_{name}"), n, classes, false);
    for name in BASELINES {
        if name == "new" && n > MOST_BY_NEW {
            continue;
        }
        let cuda = of(name);
        let ikra = match name {
            "branch" => times.all,
            "all_launches" => times.alone,
            _ => times.list,
        };
        row(&format!("{classes} classes / {name}"), n, ikra, cuda, "");
        println!("csv {figure} {x},CUDA {name},{:.3}", cuda / 1e3);
    }
    for (name, time) in [
        ("all objects", times.all),
        ("a launch per class", times.alone),
        ("list", times.list),
        ("list of all", times.whole_list),
    ] {
        println!("csv {figure} {x},Ikra {name},{:.3}", time / 1e3);
    }
    for ((strategy, name), time) in STRATEGIES.into_iter().zip(times.calls) {
        row(&format!("{classes} classes, calls by {strategy}"), n, time, of(name), "");
        println!("csv {figure} {x},Ikra {strategy},{:.3}", time / 1e3);
    }
    Ok(())
}

/// `n` links of several classes, as they are and in order by class.
fn in_order(baselines: &Baselines, classes: u32, heavy: bool) -> Result<(), ikra::Error> {
    let n = 1 << 24;
    let Times { list, calls: [calls, ..], reordering: [on_host, on_device], .. } = times_of(classes, n, heavy)?;
    let of = |name: &str| call(baselines, name, n, classes, heavy);
    let (mixed, ordered) = (of("dispatch_links"), of("dispatch_reordered"));
    let sort = baselines.call_n_k("dispatch_sort", n as u64, classes);
    let weight = if heavy { "heavy" } else { "light" };
    let breaks_even = |cost: f64, gain: f64| if gain > 0.0 { format!("{:.1}", cost / gain) } else { "never".into() };
    let note = format!(
        "as they are {calls:.0}, CUDA {mixed:.0}; making the list {on_host:.2} ns per link, on the device {on_device:.3}, CUB {:.3}; pays after {} runs, on the device {}, with CUB {}",
        sort / n as f64,
        breaks_even(on_host * n as f64, calls - list),
        breaks_even(on_device * n as f64, calls - list),
        breaks_even(sort, mixed - ordered),
    );
    row(&format!("in order, {classes} classes, {weight}"), n, list, ordered, &note);
    Ok(())
}

/// Making 4 M objects of 4 classes.
pub(crate) fn creation(baselines: &Baselines) -> Result<(), ikra::Error> {
    let (mut whole, mut more) = (Vec::new(), Vec::new());
    for _ in 0..SAMPLES + 2 {
        let start = Instant::now();
        let mut things = model::of_4::Things::make(MOST_BY_NEW)?;
        things.cuda_synchronize()?;
        whole.push(start.elapsed().as_secs_f64() * 1e9);

        let mut things = model::of_4::Things::make(4)?;
        things.cuda_synchronize()?;
        let start = Instant::now();
        things.add(MOST_BY_NEW)?;
        things.cuda_synchronize()?;
        more.push(start.elapsed().as_secs_f64() * 1e9);
    }
    let (whole, more) = (median(whole), median(more));
    for name in ["dispatch_create_new", "dispatch_create_buffer"] {
        let cuda = baselines.call_n_k(name, MOST_BY_NEW as u64, 4);
        row(name, MOST_BY_NEW, whole, cuda, "in a new world each time, first launch included");
        row(name, MOST_BY_NEW, more, cuda, "in a world that has objects, memory for more included");
    }
    Ok(())
}

/// TYPEPTR's figure 12a: four classes, by the number of objects.
pub(crate) fn objects(baselines: &Baselines) -> Result<(), ikra::Error> {
    [1, 2, 4, 8, 16, 32].into_iter().try_for_each(|n| point(baselines, "dispatch-objects", n << 20, 4, n << 20))
}

/// TYPEPTR's figure 12b: 16 M objects, by the number of classes in a warp.
pub(crate) fn classes(baselines: &Baselines) -> Result<(), ikra::Error> {
    [1, 2, 4, 8, 16, 32]
        .into_iter()
        .try_for_each(|classes| point(baselines, "dispatch-classes", classes as usize, classes, 1 << 24))
}

/// Job reordering.
pub(crate) fn reordering(baselines: &Baselines) -> Result<(), ikra::Error> {
    [2, 4, 8, 32]
        .into_iter()
        .try_for_each(|classes| [false, true].into_iter().try_for_each(|heavy| in_order(baselines, classes, heavy)))
}
