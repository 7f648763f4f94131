//! Sequential `for` loops over objects beside loops over slices: nanoseconds per object, medians, and how many times as fast
//! as slices Ikra is. `cargo bench … -- 1000` takes other numbers of objects.

use std::hint::black_box;

use ikra_benches::loops::{WORK, make};
use ikra_benches::turns::medians;

fn main() {
    let mut sizes: Vec<usize> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    if sizes.is_empty() {
        sizes = vec![10_000, 1_000_000];
    }
    for n in sizes {
        let (mut cloud, mut slices) = make(n);
        println!("| {n} objects | slices | Ikra |\n| --- | ---: | ---: |");
        for (name, ikra, hand) in WORK {
            assert_eq!(ikra(&mut cloud), hand(&mut slices), "{name}: the same result");
            let mut by_hand = || _ = black_box(hand(black_box(&mut slices)));
            let mut by_ikra = || _ = black_box(ikra(black_box(&mut cloud)));
            let medians = medians(&mut [&mut by_hand, &mut by_ikra]);
            let [hand, ikra] = [0, 1].map(|k| medians[k] / n as f64);
            println!("| {name} | {hand:.3} | {ikra:.3} ({:.2}) |", hand / ikra);
        }
    }
}
