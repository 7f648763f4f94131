// A function that changes elements of an array that it is handed, which the method's text does not show.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    #[inline_array(2)]
    pub path: InnerArray<u32>,
}

trait Wipe {
    fn wipe(&mut self);
}
impl<P: ikra::Phase, S: ikra::arrays::ArrayStorage<Element = u32>> Wipe for ikra::arrays::InnerMut<'_, P, S> {
    fn wipe(&mut self) {
        self.fill(0);
    }
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn forget(&mut self) {
        self.path.wipe();
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {
    Sim::new().execute(Body::forget, ());
}
