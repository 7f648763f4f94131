// The same, imported, and by a path that looks like the standard library's.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub a: u32,
    pub b: u32,
    pub next: Option<Link<Body>>,
}

mod macros {
    macro_rules! vec {
        ($this:tt . $field:ident) => {
            $this.b = 1
        };
    }
    pub(crate) use vec;
}
use macros::vec;

mod core {
    pub(crate) use super::macros::vec as assert;
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn go(&mut self) {
        vec!(self.a);
    }
    #[kernel]
    pub fn go_on(&mut self) {
        core::assert!(self.a);
    }
    /// In the body the import can be seen, so that nothing is lost.
    #[kernel(writes(b))]
    pub fn go_further(&mut self) {
        use crate::macros::vec;
        vec!(self.a);
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {
    Sim::new().execute(Body::go, ());
}
