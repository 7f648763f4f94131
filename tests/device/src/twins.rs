//! Classes of one name: at the same line and column of different files, in one file, or from one macro.

use ikra::prelude::*;

#[path = "twins/first.rs"]
#[allow(clippy::duplicate_mod, reason = "that is what is tested")]
pub mod again;
#[path = "twins/first.rs"]
#[allow(clippy::duplicate_mod, reason = "that is what is tested")]
pub mod first;
#[path = "twins/second.rs"]
pub mod second;

macro_rules! twin {
    ($module:ident, $factor:expr) => {
        pub mod $module {
            use ikra::prelude::*;
            #[soa_class]
            #[derive(Clone, Debug)]
            pub struct Twin {
                pub n: u32,
            }
            #[soa_methods]
            impl Twin {
                #[kernel]
                pub fn go(&mut self, by: u32) {
                    self.n += by * $factor;
                }
            }
        }
    };
}

twin!(third, 3);
pub mod deeper {
    twin!(third, 5);
}

#[soa_world]
pub struct Twins {
    pub first: Objects<first::Twin>,
    pub again: Objects<again::Twin>,
    pub second: Objects<second::Twin>,
    pub third: Objects<third::Twin>,
    pub deeper: Objects<deeper::third::Twin>,
}
