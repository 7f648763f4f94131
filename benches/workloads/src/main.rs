//! Workloads.
use ikra::Place;
use ikra_workload_benches::{cases, inputs::Sizes};
fn main() {
    let sizes = if std::env::args().any(|a| a == "small") { Sizes::SMALL } else { Sizes::PAPER };
    for case in cases(&sizes) {
        let place = if std::env::args().any(|a| a == "gpu") { Place::Gpu(0) } else { Place::Host }; let i = case.ikra(place);
        println!("{} {} {:?} {:?}", case.name, case.objects, case.plain(), i);
    }
}
#[allow(dead_code)]
fn stats() {}
