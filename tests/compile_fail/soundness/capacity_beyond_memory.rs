use ikra::prelude::*;

/// 2^27 bytes, so that 64 have 2^33.
#[derive(Clone, Copy, Value)]
#[repr(C)]
pub struct Vast {
    pub bytes: [[u64; 4096]; 4096],
}

#[soa_class(capacity = 4294967294)]
pub struct Store {
    #[inline_array]
    pub vast: [Vast; 64],
}

#[soa_world]
pub struct Stores {
    pub stores: Objects<Store>,
}

fn main() {
    drop(Stores::new().stores.grow_by(1));
}
