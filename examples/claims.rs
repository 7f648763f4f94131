//! Many want the same: each place goes to the agent with the smallest id, with any number of threads.
//!
//! ```sh
//! cargo run --example claims
//! ```

use ikra::prelude::*;

#[soa_class]
struct Place {
    #[atomic]
    holder: Option<Link<Agent>>,
}

#[soa_class]
struct Agent {
    wish: Link<Place>,
    seated: bool,
}

#[soa_methods]
impl Agent {
    /// `claim` keeps the smallest id, whatever the order in which agents come.
    #[kernel]
    fn claim(&mut self) {
        self.wish.holder().claim(self.link());
    }

    /// What was claimed is read by another kernel, when all claims are made.
    #[kernel]
    fn sit(&mut self) {
        self.seated = self.wish.holder().load() == Some(self.link());
    }

    #[kernel(reduce(Sum))]
    fn count_seated(&self) -> u32 {
        u32::from(self.seated)
    }
}

#[soa_world]
struct Hall {
    places: Objects<Place>,
    agents: Objects<Agent>,
}

fn main() -> Result<(), ikra::Error> {
    let mut hall = Hall::new();
    let places: Vec<Link<Place>> = hall.places.extend((0..1000).map(|_| Place { holder: None }))?.collect();
    hall.agents.extend((0..10_000).map(|n| Agent { wish: places[n * 37 % 911], seated: false }))?;
    hall.execute(Agent::claim, ());
    hall.execute(Agent::sit, ());
    let seated = hall.execute_and_reduce(Agent::count_seated, (), Sum);
    println!("{seated} of {} agents sit on {} places", hall.agents.len(), places.len());
    assert_eq!(seated, 911);
    Ok(())
}
