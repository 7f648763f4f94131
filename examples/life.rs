//! Conway's game of life on a torus: each cell has links to its eight neighbours, and one kernel makes a generation.
//!
//! ```sh
//! cargo run --release --example life                      # 2048 × 2048 cells, 300 generations
//! cargo run --release --example life -- 1714 1647 100     # width, height, generations
//! ```

use ikra::{Place, prelude::*};
use rand_mt::Mt64;

#[soa_class]
struct Cell {
    alive: bool,
    #[inline_array]
    around: [Link<Cell>; 8],
}

#[soa_methods]
impl Cell {
    /// Everybody sees who was alive before this generation.
    #[kernel(snapshot(alive))]
    fn live(&mut self) {
        let neighbours = self.around.iter().filter(|cell| cell.alive()).count();
        self.alive = neighbours == 3 || self.alive && neighbours == 2;
    }

    #[kernel(reduce(Sum))]
    fn count(&self) -> u64 {
        u64::from(self.alive)
    }
}

#[soa_world]
struct Torus {
    cells: Objects<Cell>,
}

impl Torus {
    /// A torus on which about four of ten cells are alive, the same ones in every run.
    fn random(width: usize, height: usize) -> Result<Self, ikra::Error> {
        let mut torus = Self::new();
        let mut random = Mt64::new_unseeded();
        let links: Vec<Link<Cell>> = torus.cells.reserve(width * height)?.collect();
        let at = |x: usize, y: usize| links[x % width * height + y % height];
        for x in 0..width {
            for y in 0..height {
                // A float in 0..1 out of 64 random bits; 2⁶⁴ is exact.
                let alive = random.next_u64() as f32 / 2_f32.powi(64) < 0.4;
                let (left, above) = (x + width - 1, y + height - 1);
                let around = [
                    at(left, above),
                    at(left, y),
                    at(left, y + 1),
                    at(x, above),
                    at(x, y + 1),
                    at(x + 1, above),
                    at(x + 1, y),
                    at(x + 1, y + 1),
                ];
                torus.cells.init(at(x, y), Cell { alive, around })?;
            }
        }
        Ok(torus)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers: Vec<usize> = std::env::args().skip(1).map(|number| number.parse()).collect::<Result<_, _>>()?;
    let (width, height, generations) = match numbers[..] {
        [] => (2048, 2048, 300),
        [width, height, generations] if width > 0 && height > 0 => (width, height, generations),
        _ => return Err("give width, height and the number of generations, or nothing".into()),
    };
    let mut torus = Torus::random(width, height)?;
    println!("{} of {} cells are alive", torus.execute_and_reduce(Cell::count, (), Sum), torus.cells.len());
    let start = std::time::Instant::now();
    torus.on(Place::Host).repeat(generations, |step| step.execute(Cell::live, ()))?;
    let time = start.elapsed();
    println!("{} after {generations} generations, {time:.2?}", torus.execute_and_reduce(Cell::count, (), Sum));
    Ok(())
}

/// The counts of other implementations, for the same generator and seed.
#[test]
fn as_many_cells_live_as_elsewhere() {
    // The small torus against a plain model; the large ones take long without optimisation.
    let sizes: &[_] = if cfg!(debug_assertions) {
        &[(61, 47, 20, None)]
    } else {
        &[(2048, 2048, 300, Some((1_678_177, 269_553))), (1714, 1647, 300, Some((1_129_363, 178_965)))]
    };
    for &(width, height, generations, counts) in sizes {
        let mut torus = Torus::random(width, height).unwrap();
        let mut plain: Vec<bool> = torus.cells.column(cell::alive).to_vec();
        let before = torus.execute_and_reduce(Cell::count, (), Sum);
        for _ in 0..generations {
            torus.execute(Cell::live, ());
        }
        let after = torus.execute_and_reduce(Cell::count, (), Sum);
        if let Some(counts) = counts {
            assert_eq!((before, after), counts);
            continue;
        }
        for _ in 0..generations {
            let alive = |x: usize, y: usize| usize::from(plain[x % width * height + y % height]);
            plain = (0..width * height)
                .map(|n| {
                    let (x, y) = (n / height + width, n % height + height);
                    let around: usize = (x - 1..=x + 1).flat_map(|x| (y - 1..=y + 1).map(move |y| alive(x, y))).sum();
                    around == 3 || around == 4 && plain[n]
                })
                .collect();
        }
        assert_eq!(torus.cells.column(cell::alive), plain);
    }
}
