// Inlining sizes that are constants, and arrays that macros pass on.
use ikra::prelude::*;

mod sizes {
    pub const SLOTS: usize = 3;
}
const N: usize = 4;

macro_rules! class {
    ($name:ident, $ty:ty, $slots:expr) => {
        #[soa_class]
        pub struct $name {
            #[inline_array($slots)]
            pub items: InnerArray<$ty>,
            #[inline_array]
            pub all: [$ty; N],
            #[inline_array(object)]
            pub whole: [[$ty; 2]; N + 1],
        }
    };
}
class!(Small, u8, 1);
class!(Large, Option<Link<Small>>, sizes::SLOTS);

#[soa_world]
pub struct Sim {
    pub small: Objects<Small>,
    pub large: Objects<Large>,
}

pub fn main() {
    let _ = Sim::new();
}
