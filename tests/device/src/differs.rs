//! Definitions on which host and device disagree.

use ikra::prelude::*;

#[cfg(target_arch = "nvptx64")]
pub type Real = f64;
#[cfg(not(target_arch = "nvptx64"))]
pub type Real = f32;

#[cfg(target_arch = "nvptx64")]
pub type Word = u32;
#[cfg(not(target_arch = "nvptx64"))]
pub type Word = f32;

#[cfg(target_arch = "nvptx64")]
pub type Truth = u8;
#[cfg(not(target_arch = "nvptx64"))]
pub type Truth = bool;

const ON_DEVICE: bool = cfg!(target_arch = "nvptx64");
pub const N: usize = if ON_DEVICE { 4 } else { 2 };
pub const CAPACITY: u32 = if ON_DEVICE { 1000 } else { 100 };

#[derive(Clone, Copy, Debug, Default, PartialEq, Value)]
#[repr(C)]
pub struct Mixed {
    pub real: Real,
    pub small: u8,
}

/// A class with one kernel, and a world of it.
macro_rules! class {
    ($(#[$option:meta])* $class:ident $world:ident $member:ident { $($field:ident: $ty:ty),* }) => {
        $(#[$option])*
        #[derive(Clone, Debug, Default)]
        pub struct $class {
            pub n: u32,
            $(pub $field: $ty,)*
        }
        #[soa_methods]
        impl $class {
            #[kernel]
            pub fn go(&mut self) {
                self.n += 1;
            }
        }
        #[soa_world]
        pub struct $world {
            pub $member: Objects<$class>,
        }
    };
}

class!(#[soa_class] ByAlias ByAliasWorld objects { x: Real, y: u32 });
class!(#[soa_class(layout = "aos")] ByAliasRow ByAliasRowWorld objects { x: Real, y: u32 });
class!(#[soa_class] ByConstant ByConstantWorld objects { x: [f32; N] });
class!(#[soa_class] ByStruct ByStructWorld objects { x: Mixed });
class!(#[soa_class(capacity = CAPACITY)] ByCapacity ByCapacityWorld objects { x: u32 });
class!(#[soa_class] ByMeaning ByMeaningWorld objects { x: Word });
class!(#[soa_class] Same SameWorld objects { x: u32 });

#[cfg(target_arch = "nvptx64")]
class!(#[soa_class] Twice TwiceWorld objects { x: u32 });
#[cfg(not(target_arch = "nvptx64"))]
class!(#[soa_class] Twice TwiceWorld objects { x: u32 });

#[soa_methods]
impl Same {
    #[kernel]
    pub fn take(&mut self, by: Real, n: u32) {
        self.n += by as u32 + n;
    }
    #[kernel]
    pub fn take_array(&mut self, by: [u8; N]) {
        self.n += u32::from(by[0]);
    }
    #[kernel]
    pub fn take_word(&mut self, by: Word) {
        self.n += by as u32;
    }
    #[kernel(reduce(Sum))]
    pub fn sum(&self) -> Real {
        self.n as Real
    }
    /// As many bytes, with another meaning.
    #[kernel(reduce(Sum))]
    pub fn sum_words(&self) -> Word {
        self.n as Word
    }
    #[kernel]
    pub fn word(&self) -> Truth {
        Truth::from(self.n > 5)
    }
    /// Not compiled for the device.
    #[cfg(not(target_arch = "nvptx64"))]
    #[kernel]
    pub fn host_only(&mut self) {
        self.n += 1;
    }
    #[kernel]
    pub fn fits(&mut self, by: u32) {
        self.n += by;
    }
}
