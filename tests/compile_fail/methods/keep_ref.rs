// A `Ref` kept beyond the call.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub mass: f32,
    pub next: Option<Link<Body>>,
    #[atomic]
    pub hits: u32,
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn keep(&mut self, kept: &std::sync::Mutex<Option<Ref<Body>>>) {
        *kept.lock().unwrap() = self.next;
    }
}

fn main() {}
