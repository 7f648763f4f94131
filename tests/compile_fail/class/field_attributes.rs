use ikra::prelude::*;

#[soa_class]
struct Body {
    #[soa(flat)]
    a: u32,
    #[atomic(u32)]
    b: u32,
    #[atomic]
    #[soa(flatten)]
    c: u32,
    #[cfg(unix)]
    d: u32,
    #[kernel]
    e: u32,
}

fn main() {}
