use ikra::Worklist;
use ikra::prelude::*;

#[soa_class]
pub struct Car {
    pub km: u32,
}

#[soa_world]
pub struct Town {
    pub cars: Objects<Car>,
}

fn leak(town: &mut Town, start: &ikra::Selection<Car>) -> Result<(), ikra::Error> {
    let kept: std::cell::Cell<Option<&Worklist<Car>>> = std::cell::Cell::new(None);
    town.on(ikra::Place::Host).repeat_over(start, 1, |_, work| {
        kept.set(Some(work));
        Ok(())
    })?;
    Ok(())
}

fn main() {}
