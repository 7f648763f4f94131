// Errors about methods of fields are at the user's tokens, and show nothing of what the macro puts around them.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub a: u32,
    pub b: u32,
    pub next: Option<Link<Body>>,
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn go(&mut self) {
        self.a.no_such_method();
        self.next.no_such_method();
        self.next.unwrap().no_such_getter();
        self.a.wrapping_add("1");
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {
    Sim::new().execute(Body::go, ());
}
