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
    type Tables = <A as World>::Tables;
    const CLASSES: &'static [ikra::rt::ClassId] = &[];
    fn tables(&self) -> Self::Tables {
        self.0.tables()
    }
    fn state(&self) -> &ikra::rt::WorldState<Self> {
        loop {}
    }
    fn state_mut(&mut self) -> &mut ikra::rt::WorldState<Self> {
        loop {}
    }
    fn visit_members(&mut self, _: &mut ikra::rt::Visitor<'_>) {}
    fn device_code() -> Option<&'static str> {
        None
    }
    fn layout(&self) -> ikra::WorldLayout {
        self.0.layout()
    }
}

fn main() {}
