use ikra::prelude::*;

#[soa_class]
pub struct X {
    pub f: u32,
}

#[soa_world]
pub struct A {
    pub xs: Objects<X>,
}

struct B(A);

impl World for B {
    const CLASSES: &'static [ikra::rt::ClassId] = &[];
    const DEVICE_CODE: &'static [ikra::DeviceCode] = &[];
    fn members(&self) -> impl AsRef<[&dyn ikra::rt::AnyObjects]> {
        self.0.members()
    }
    fn members_mut(&mut self) -> impl AsMut<[&mut dyn ikra::rt::AnyObjects]> {
        self.0.members_mut()
    }
    fn state(&self) -> &ikra::rt::WorldState<Self> {
        loop {}
    }
    fn state_mut(&mut self) -> &mut ikra::rt::WorldState<Self> {
        loop {}
    }
    fn open(_: &mut Self, _: ikra::Place) -> Result<Box<dyn ikra::rt::Executor<Self>>, ikra::Error> {
        loop {}
    }
}

fn main() {}
