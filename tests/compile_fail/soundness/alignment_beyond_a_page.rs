use ikra::prelude::*;

#[derive(Clone, Copy, Value)]
#[repr(C, align(8192))]
pub struct Page {
    pub n: [u64; 1024],
}

#[soa_class]
pub struct Plain {
    pub page: Page,
}

#[soa_class(layout = "aos")]
pub struct Arena {
    #[inline_array(0)]
    pub pages: InnerArray<Page>,
}

#[soa_world]
pub struct Sim {
    pub plain: Objects<Plain>,
    pub arena: Objects<Arena>,
}

fn main() {
    Sim::new();
}
