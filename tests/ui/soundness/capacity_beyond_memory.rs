use ikra::prelude::*;

/// 2^33 bytes.
#[derive(Clone, Copy, Value)]
#[repr(C)]
pub struct Vast {
    pub bytes: [[u64; 32768]; 32768],
}

#[soa_class(capacity = 4294967294)]
pub struct Store {
    pub vast: Vast,
}

#[soa_world]
pub struct Stores {
    pub stores: Objects<Store>,
}

fn main() {
    drop(Stores::new().stores.grow_by(1));
}
