// A macro of one's own that is called like one of the standard library's would be taken for it: a write of `b` lost.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub a: u32,
    pub b: u32,
    pub next: Option<Link<Body>>,
}

macro_rules! assert {
    ($this:tt . $field:ident) => {
        $this.b = 1
    };
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn go(&mut self) {
        assert!(self.a);
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {
    Sim::new().execute(Body::go, ());
}
