//! Entries of kernels in the device code, which `#[soa_methods]` asks for by macros of `ikra::rt`.

/// The entry of a kernel whose arguments may be values: for objects `first..end`, or those in a list of indices if there
/// is one.
#[macro_export]
macro_rules! __entry {
    (
        $executor:ident $kernel:ident = $name:literal at $place:literal for $class:ty;
        $all:tt: $args:ty = ($($arg:ident: $ty:ty),*) as $symbol:literal
    ) => {
        $crate::device::runtime::__entry_constant! {
            $executor $kernel = $name at $place for $class;
            $args = ($($arg: $ty),*)
        }
        const _: () = {
            /// # Safety
            ///
            /// Launched by the host for a world whose tables it has filled, with a list of `end` indices or none.
            #[unsafe(export_name = $symbol)]
            unsafe extern "ptx-kernel" fn entry(first: u32, end: u32, list: *const u32 $(, $arg: $ty)*) {
                $crate::device::mark!("call", __ENTRY, ());
                $crate::__trust!($executor: $($arg),*);
                // SAFETY: by the host.
                unsafe { $crate::device::$executor::<$kernel, $args>(first, end, list, $all) }
            }
        };
    };
    // A kernel whose arguments are no values is not compiled for the device.
    ($($other:tt)*) => {};
}
pub use __entry as entry;

/// Tells the compiler that links among a kernel's arguments are to objects that exist, so that they need not be checked by each
/// thread.
#[macro_export]
macro_rules! __trust {
    // Those of constructors may be to objects that are about to be made, and are not followed.
    (construct: $($arg:ident),*) => {};
    ($executor:ident: $($arg:ident),*) => { $({
        #[allow(unused_imports, reason = "for arguments that cannot be passed")]
        use $crate::device::runtime::kernel::Unpassed as _;
        // SAFETY: the host has looked at them before the launch.
        unsafe { $crate::device::runtime::kernel::Checked(&$arg).trust() };
    })* };
}

/// The entry of a trait's kernel: for objects of all classes, of which each has blocks of its own. The classes come as a
/// tree in which each block finds its own: `[0 {0 Car} {1 Pedestrian}]` are those up to class 0, and those after it.
#[macro_export]
macro_rules! __together {
    (
        $trait:ident, $number:literal: $count:literal in $tree:tt
        $all:tt: $args:ty = ($($arg:ident: $ty:ty),*) as $symbol:literal
    ) => {
        const _: () = {
            use $crate::device::runtime::kernel::{SectionWords, together};

            /// # Safety
            ///
            /// Launched by the host for a world whose tables it has filled, with as many blocks as the sections say, and a
            /// list that has objects where they say, or none.
            #[unsafe(export_name = $symbol)]
            unsafe extern "ptx-kernel" fn entry(sections: [SectionWords; $count], list: *const u32 $(, $arg: $ty)*) {
                $crate::device::mark!("call", together::<$trait, $number>(), ());
                $crate::__trust!(execute: $($arg),*);
                const {
                    let classes = <$trait as $crate::device::runtime::dispatch::Dispatch>::CLASSES;
                    ::core::assert!(classes.len() == $count, "there is a section for each class");
                }
                // Elements by constants: by a variable, the array would be in memory.
                $crate::__section! { (sections, list, $trait, $number, $args, $all) (0, $count - 1) $tree }
            }
        };
    };
}
/// The kernel of the class whose block it is, among the classes from one number to another: that each is found where it is looked for
/// is checked, since safe code can call the macro with any tree.
#[macro_export]
macro_rules! __section {
    (($sections:ident, $($rest:tt)*) ($first:expr, $end:expr) [$last:literal $up_to:tt $after:tt]) => {
        if $crate::device::is_after(&$sections[$last]) {
            $crate::__section! { ($sections, $($rest)*) ($last + 1, $end) $after }
        } else {
            $crate::__section! { ($sections, $($rest)*) ($first, $last) $up_to }
        }
    };
    (
        ($sections:ident, $list:ident, $trait:ident, $number:literal, $args:ty, $all:tt)
        ($first:expr, $end:expr) {$tag:literal $class:path}
    ) => {{
        use $crate::device::runtime::kernel::HasKernel;
        const {
            let number = <$trait as $crate::device::runtime::dispatch::Includes<$class>>::TAG;
            ::core::assert!($first == $tag && $end == $tag && number == $tag, "the class is at its number");
        }
        let from = $crate::device::first_block(&$sections, $tag);
        // SAFETY: by the host.
        unsafe {
            $crate::device::execute_section::<<$class as HasKernel<$trait, $number>>::Kernel, $args>(
                from, &$sections[$tag], $list, $all,
            )
        }
    }};
}
pub use __together as together;

/// A reducer that a kernel declares, and the entry that combines the results of objects by it.
#[macro_export]
macro_rules! __reduced {
    (
        $kernel:ident by $reducer:ty = $number:literal;
        $all:tt: $args:ty = ($($arg:ident: $ty:ty),*) -> $output:ty as $symbol:literal, $kind:literal
    ) => {
        const _: () = {
            /// # Safety
            ///
            /// Launched by the host for a world whose tables it has filled, with a list of `end` indices or none, and
            /// with room for the results.
            #[unsafe(export_name = $symbol)]
            unsafe extern "ptx-kernel" fn reduce(
                first: u32,
                end: u32,
                list: *const u32,
                chunks: *mut <$output as $crate::device::runtime::transfer::Transfer>::Wire,
                all: *mut <$output as $crate::device::runtime::transfer::Transfer>::Wire,
                done: *mut u32
                $(, $arg: $ty)*
            ) {
                $crate::device::mark!($kind, __ENTRY, <$output as $crate::device::runtime::transfer::Transfer>::Wire);
                $crate::__trust!(reduce: $($arg),*);
                let results = $crate::device::Results { chunks, all, done };
                // SAFETY: by the host.
                unsafe {
                    $crate::device::reduce::<$kernel, $args, $reducer>(first, end, list, results, $all)
                }
            }
        };
    };
    ($($other:tt)*) => {};
}
pub use __reduced as reduced;
