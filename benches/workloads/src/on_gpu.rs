//! On a GPU: beside hand-written CUDA.

use std::error::Error;
use std::time::Duration;

use ikra::Place;
use ikra_baselines::table::{grouped, row, table as begin};
use ikra_workload_benches::inputs::Sizes;
use ikra_workload_benches::{Outcome, cases};

use crate::baselines::{All, By, run};
use crate::host::lines_of;
use crate::options::Options;
use crate::{median, plots};

/// What TYPEPTR's text says about its figure 6, on a V100.
const PAPER: [(&str, &str, f64); 4] = [
    ("mean on a V100 (TYPEPTR)", "CUDA new", 1.0 / 1.41),
    ("mean on a V100 (TYPEPTR)", "COAL", 1.06),
    ("mean on a V100 (TYPEPTR)", "TypePointer", 1.12),
    ("STUT on a V100 (TYPEPTR)", "COAL", 1.5),
];

/// Milliseconds, or a dash.
fn milliseconds(time: Option<Duration>) -> String {
    match time.map(|time| time.as_secs_f64() * 1e3) {
        None => "–".to_owned(),
        Some(time) if time < 10.0 => format!("{time:.3}"),
        Some(time) if time < 1000.0 => format!("{time:.1}"),
        Some(time) => grouped(time.round()),
    }
}

/// By how much Ikra is faster, or nothing.
fn ratio(cuda: Option<Duration>, ikra: Duration) -> String {
    cuda.map_or(String::new(), |cuda| format!("{:.2}", cuda.as_secs_f64() / ikra.as_secs_f64()))
}

pub(crate) fn table(options: &Options, library: &str) -> Result<(), Box<dyn Error>> {
    let baselines = All::open(library)?;
    let place = Place::Gpu(0);
    // Small ones first, so that no run below loads code.
    baselines.reserve();
    for case in cases(&Sizes::SMALL) {
        let expected = case.ikra(place)?.checksum;
        for by in By::ALL {
            if run(&baselines, by, &case.input).is_some_and(|outcome| outcome.checksum != expected) {
                eprintln!("small {} by {} DIFFERS", case.name, by.name());
            }
        }
    }
    let device = &ikra::gpu::driver::devices()?[0].name;
    println!("{device}, milliseconds for all steps, median of {}; ratio = CUDA / Ikra", options.samples);
    let columns = [
        &["workload", "objects", "Ikra"][..],
        &By::ALL.map(By::name),
        &["SharedOA / Ikra", "SoA / Ikra", "lines", "result"],
    ];
    begin(&columns.concat(), 1);
    let (mut speeds, mut makings, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    for case in options.cases() {
        let ikra = median(options.samples, || case.ikra(place))?;
        let by = By::ALL.map(|by| median(options.samples, || run(&baselines, by, &case.input).ok_or(())).ok());
        let running = by.map(|outcome| outcome.map(|outcome: Outcome| outcome.running));
        let (shared, soa) = (running[1], running[4]);
        let differing: Vec<&str> = By::ALL
            .iter()
            .zip(&by)
            .filter(|(_, outcome)| outcome.is_some_and(|outcome| outcome.checksum != ikra.checksum))
            .map(|(by, _)| by.name())
            .collect();
        let result = if differing.is_empty() {
            format!("`{:016x}`", ikra.checksum)
        } else {
            format!("**{} DIFFERS**", differing.join(", "))
        };
        let times = running.map(milliseconds);
        row(&[
            &case.name,
            &grouped(case.objects),
            &milliseconds(Some(ikra.running)),
            &times[0],
            &times[1],
            &times[2],
            &times[3],
            &times[4],
            &ratio(shared, ikra.running),
            &ratio(soa, ikra.running),
            &lines_of(&case),
            &result,
        ]);
        let speed = |time: Duration| shared.map_or(f64::NAN, |shared| shared.as_secs_f64() / time.as_secs_f64());
        speeds.push((case.name, "Ikra", speed(ikra.running)));
        makings.push((case.name, "Ikra", ikra.making.as_secs_f64() * 1e3));
        for (by, outcome) in By::ALL.iter().zip(by) {
            let Some(outcome) = outcome else { continue };
            speeds.push((case.name, by.name(), speed(outcome.running)));
            if !outcome.making.is_zero() {
                makings.push((case.name, by.name(), outcome.making.as_secs_f64() * 1e3));
            }
        }
        // What was not measured is 0.
        let made = by.map(|outcome| outcome.map(|outcome| outcome.making).filter(|making| !making.is_zero()));
        rows.push((case.name, case.objects, ikra.making, made));
    }
    println!("\nMilliseconds until the objects are made and on the GPU, from data in the host's memory.");
    begin(&[&["making", "objects", "Ikra"][..], &By::ALL.map(By::name), &["new / Ikra"]].concat(), 1);
    for (name, objects, ikra, made) in rows {
        let times = made.map(milliseconds);
        row(&[
            &name,
            &grouped(objects),
            &milliseconds(Some(ikra)),
            &times[0],
            &times[1],
            &times[2],
            &times[3],
            &times[4],
            &ratio(made[0], ikra),
        ]);
    }
    speeds.extend(PAPER);
    plots::write(options, &plots::SPEED, &speeds)?;
    plots::write(options, &plots::MAKING, &makings)
}
