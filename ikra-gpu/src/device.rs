//! The executors on the device: which thread calls a kernel for which objects.

mod execute;
mod memory;
mod pairs;
mod panic;
mod reduce;
pub mod shared;
pub mod thread;

pub use execute::{construct, execute};
pub use pairs::execute_pairs;
pub use panic::panic;
pub use reduce::{combine, reduce};

/// Fails to compile if `T` is not a value, which has the same bytes on host and device.
pub const fn assert_value<T: ikra_runtime::value::Value>() {}

/// What the root of a device program needs: a panic handler. Written once, in the crate that
/// `ikra-build` makes around the model.
#[macro_export]
macro_rules! device_root {
    () => {
        #[panic_handler]
        fn panic(info: &::core::panic::PanicInfo<'_>) -> ! {
            $crate::device::panic(info)
        }
    };
}
