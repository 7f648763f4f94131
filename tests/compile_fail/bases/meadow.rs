use ikra::prelude::*;

#[soa_class]
pub struct Sheep {
    pub energy: u32,
    pub mother: Option<Link<Sheep>>,
}

#[soa_class]
pub struct Owner {
    pub sheep: Link<Sheep>,
    pub age: u32,
}

#[soa_methods]
impl Sheep {
    #[kernel]
    pub fn breed(&mut self, young: Spawn<Sheep>) {
        let kid = young.push(Sheep { energy: 1, mother: Some(self.link()) });
        self.set_at_end(sheep::mother, Some(kid));
    }

    #[kernel]
    pub fn graze(&mut self) {
        self.leave();
    }

    fn leave(&mut self) {
        self.remove();
    }
}

#[soa_world]
pub struct Meadow {
    pub sheep: Objects<Sheep>,
    pub owners: Objects<Owner>,
}

fn main() {
    let mut meadow = Meadow::new();
    meadow.execute(Sheep::breed, ());
    meadow.execute(Sheep::graze, ());
}
