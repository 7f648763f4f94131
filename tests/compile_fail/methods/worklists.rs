use ikra::prelude::*;

#[soa_class]
#[derive(Clone)]
pub struct Car {
    pub km: u32,
}

#[soa_class]
pub struct Road {
    pub len: u32,
}

#[soa_methods]
impl Car {
    #[kernel]
    pub fn make(id: u32, next: Worklist<Car>) -> Self {
        Self { km: id }
    }
    #[kernel]
    pub fn pass(&self, next: Worklist<Car>) {
        next.push(self.link());
    }
}

#[soa_methods]
impl Road {
    #[kernel]
    pub fn wear(&mut self) {
        self.len -= 1;
    }
    #[kernel]
    pub fn see(&self, next: Worklist<Car>) {
        next.push(self.link());
    }
}

#[soa_world]
pub struct Town {
    pub cars: Objects<Car>,
    pub roads: Objects<Road>,
}

fn wear(town: &mut Town, start: &ikra::Selection<Car>) -> Result<(), ikra::Error> {
    town.on(ikra::Place::Host).repeat_over(start, 1, |step, work| step.over(work).execute(Road::wear, ()))?;
    Ok(())
}

fn main() {}
