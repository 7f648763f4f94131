// Must be refused.
//! Hidden functions select an instruction set that the machine may lack.

use ikra_core::isa::Isa;
use ikra_core::spread::Job;

struct Count;
impl Job<(u64,)> for Count {
    type Output = u64;
    const WIDE: bool = true;
    fn run(self, (most,): (u64,)) -> u64 {
        (0..most).map(|n| n * n % 7).sum()
    }
}

#[cfg(feature = "attack")]
fn sum(most: u64) -> u64 {
    use ikra_core::spread::Spread;
    (most,).spread(Count, Isa::V4)
}
#[cfg(not(feature = "attack"))]
fn sum(most: u64) -> u64 {
    Count.run((most,))
}

fn main() {
    println!("{} {:?}", sum(1000), size_of::<Isa>());
}
