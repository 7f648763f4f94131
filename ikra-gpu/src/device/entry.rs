//! Entry points of kernels in the device code; `#[soa_methods]` creates them with macros of `ikra::rt`.

/// The entry point of a kernel, if its arguments are values. It runs for objects `first..end`, or for the objects of a
/// list of indices if one is passed.
#[macro_export]
macro_rules! __entry {
    (links $class:ty as $symbol:literal) => {
        const _: () = {
            const __ENTRY: $crate::device::runtime::kernel::Entry = $crate::device::runtime::kernel::Entry {
                origin: <$class as $crate::device::runtime::info::ClassInfo>::ORIGIN,
                fingerprint: $crate::device::runtime::fingerprint::class_fingerprint::<$class>(),
            };

            /// # Safety
            ///
            /// The host launches it, for a world whose tables are filled, with a thread for each object.
            #[unsafe(export_name = $symbol)]
            unsafe extern "ptx-kernel" fn links(change: $crate::device::runtime::device_lives::LinkChange) {
                $crate::device::mark!("links", __ENTRY, $crate::device::runtime::transfer::WireType::NONE);
                // SAFETY: by the host.
                unsafe { $crate::device::links::links::<$class>(&change) }
            }
        };
    };
    (born $class:ty, [$($young:ty),*] as $symbol:literal, $kind:literal) => {
        const _: () = {
            /// # Safety
            ///
            /// The host launches it when a kernel that makes objects of the class has ended, for a world whose tables
            /// are filled: with 0 and a thread for each maker, then with 1 to 3 and a thread for each new object. All but
            /// 1 are for links.
            #[unsafe(export_name = $symbol)]
            unsafe extern "ptx-kernel" fn born(stage: u32) {
                // The host compares it with the class of which it wants the objects.
                const __BORN: $crate::device::runtime::transfer::WireType = $crate::device::runtime::transfer::WireType {
                    size: ::core::mem::size_of::<$class>(),
                    align: ::core::mem::align_of::<$class>(),
                    meaning: $crate::device::runtime::fingerprint::class_fingerprint::<$class>(),
                };
                $crate::device::mark!($kind, __ENTRY, __BORN);
                // SAFETY: by the host.
                unsafe {
                    let stage = $crate::device::births::Stage::of(stage);
                    $crate::device::births::born::<$class, _>(stage, || [$($crate::device::births::made::<$young>()),*]);
                    if let $crate::device::births::Stage::Check = stage {
                        $($crate::device::births::check_removed::<$class, $young>();)*
                    }
                }
            }
        };
    };
    (
        collect $kernel:ident;
        $all:tt: $args:ty = ($($arg:ident: $ty:ty $(=> $lt:lifetime $any:lifetime)?),*) -> $output:ty as $symbol:literal
    ) => {
        const _: () = {
            #[allow(unused_imports, reason = "for results that are not transferred")]
            use $crate::device::{Unsent as _, runtime::known::No as _};

            /// # Safety
            ///
            /// The host launches it, for a world whose tables are filled, with a list of `end` indices or null, and
            /// with room for a result for each object.
            #[unsafe(export_name = $symbol)]
            unsafe extern "ptx-kernel" fn collect(first: u32, end: u32, list: *const u32, results: *mut u8 $(, $arg: $ty)*) {
                $crate::device::mark!("collect", __ENTRY, $crate::device::runtime::known::Probe::<$output>::WIRE);
                $crate::__trust!(execute: $($arg),*);
                $($crate::__borrow! { $arg: $ty $(=> $lt)? })*
                // SAFETY: by the host.
                unsafe { $crate::device::Sent::<$kernel, ($($(&$any)? $ty),*)>::collect(first, end, list, results, $all) }
            }
        };
    };
    (
        $executor:ident $kernel:ident = $name:literal at $place:literal for $class:ty;
        $all:tt: $args:ty = ($($arg:ident: $ty:ty),*) as $symbol:literal
    ) => {
        $crate::__entry! {
            $executor $kernel = $name at $place for $class;
            $all: $args = ($($arg: $ty),*) of [] as $symbol
        }
    };
    (
        $executor:ident $kernel:ident = $name:literal at $place:literal for $class:ty;
        $all:tt: $args:ty = ($($arg:ident: $ty:ty $(=> $lt:lifetime $any:lifetime)?),*) of $values:tt as $symbol:literal
    ) => {
        $crate::device::runtime::__entry_constant! {
            $executor $kernel = $name at $place for $class;
            $args = ($($arg: $ty),*)
        }
        const _: () = {
            /// # Safety
            ///
            /// The host launches it, for a world whose tables are filled, with a list of `end` indices or null.
            #[unsafe(export_name = $symbol)]
            unsafe extern "ptx-kernel" fn entry(first: u32, end: u32, list: *const u32 $(, $arg: $ty)*) {
                $crate::device::mark!("call", __ENTRY, $crate::device::runtime::transfer::WireType::NONE);
                $crate::__trust!($executor: $($arg),*);
                $($crate::__borrow! { $arg: $ty $(=> $lt)? })*
                // SAFETY: by the host.
                unsafe { $crate::device::$executor::<$kernel, ($($(&$any)? $ty),*)>(first, end, list, $all) }
            }
        };
    };
    // A kernel with other arguments is not compiled for the device.
    ($($other:tt)*) => {};
}
pub use __entry as entry;

/// Tells the compiler that the links among a kernel's arguments lead to existing objects, so that threads need not
/// check them.
#[macro_export]
macro_rules! __trust {
    // A constructor's links may lead to objects of the same launch, and are not followed.
    (construct: $($arg:ident),*) => {};
    ($executor:ident: $($arg:ident),*) => { $({
        #[allow(unused_imports, reason = "for arguments that cannot be passed")]
        use $crate::device::runtime::kernel::Unpassed as _;
        // SAFETY: the host has checked them before the launch.
        unsafe { $crate::device::runtime::kernel::Checked(&$arg).trust() };
    })* };
}

/// Borrows groups, which a kernel takes by reference.
#[macro_export]
macro_rules! __borrow {
    ($arg:ident: $ty:ty) => {};
    ($arg:ident: $ty:ty => $lifetime:lifetime) => {
        #[allow(unused_imports, reason = "for worklists")]
        use $crate::device::runtime::known::No as _;
        let $arg = &$crate::device::runtime::known::Probe::<$ty>::ready($arg);
    };
}

/// The entry point of a trait's kernel, for objects of all classes; each class has its own blocks. The classes form a
/// tree in which each block finds its class: `[0 {0 Car} {1 Pedestrian}]` has the classes up to 0, and the classes
/// after 0.
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
            /// The host launches it, for a world whose tables are filled. It passes null or a list that has objects
            /// where the sections require them. The number of blocks is the sections' sum.
            #[unsafe(export_name = $symbol)]
            unsafe extern "ptx-kernel" fn entry(sections: [SectionWords; $count], list: *const u32 $(, $arg: $ty)*) {
                $crate::device::mark!(
                    "call",
                    together::<$trait, $number>(),
                    $crate::device::runtime::transfer::WireType::NONE
                );
                $crate::__trust!(execute: $($arg),*);
                const {
                    let classes = <$trait as $crate::device::runtime::dispatch::Dispatch>::CLASSES;
                    ::core::assert!(classes.len() == $count, "there is a section for each class");
                }
                // Constants as indices: with a variable, the array would be in memory.
                $crate::__section! { (sections, list, $trait, $number, $args, $all) (0, $count - 1) $tree }
            }
        };
    };
}
/// The kernel of the class that the block belongs to, in a range of classes. It checks that each class is where the
/// tree is searched for it, since safe code can call the macro with any tree.
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

/// A reducer that a kernel declares, and the entry point that combines objects' results with it.
#[macro_export]
macro_rules! __reduced {
    (
        after $filter:expr, $name:literal at $place:literal, $chooses:tt: $choosing:ty = ($($own:ident: $own_ty:ty),*);
        $kernel:ident by $reducer:ty;
        $all:tt: $args:ty = ($($arg:ident: $ty:ty),*) -> $output:ty as $symbol:literal, $kind:literal
    ) => {
        const _: () = {
            const __FILTER: $crate::device::runtime::kernel::Entry = {
                #[allow(unused_imports, reason = "for arguments that cannot be passed")]
                use $crate::device::runtime::known::No as _;
                $crate::device::runtime::kernel::Entry::new(
                    $crate::device::runtime::origin::Origin::new(::core::module_path!(), $name, $place),
                    $crate::device::runtime::fingerprint::fingerprint_of($filter),
                    &[$($crate::device::runtime::known::Probe::<$own_ty>::MEANING),*],
                )
            };
            /// # Safety
            ///
            /// As for the entry point of the reduction.
            #[unsafe(export_name = $symbol)]
            unsafe extern "ptx-kernel" fn reduce(
                first: u32,
                end: u32,
                list: *const u32,
                chunks: *mut <$output as $crate::device::runtime::transfer::Transfer>::Wire,
                all: *mut <$output as $crate::device::runtime::transfer::Transfer>::Wire,
                done: *mut u32,
                from: u32,
                to: u32
                $(, $own: $own_ty)*
                $(, $arg: $ty)*
            ) {
                $crate::device::mark!(
                    $kind, __ENTRY, $crate::device::runtime::transfer::WireType::of::<$output>(), __FILTER
                );
                $crate::__trust!(reduce: $($own),*);
                $crate::__trust!(reduce: $($arg),*);
                let results = $crate::device::Results { chunks, all, done, of: (from, to) };
                // SAFETY: by the host.
                unsafe {
                    $crate::device::reduce_chosen::<_, $choosing, $kernel, $args, $reducer>(
                        ($filter, $chooses), first, end, list, results, $all,
                    )
                }
            }
        };
    };
    (
        $kernel:ident by $reducer:ty = $number:literal;
        $all:tt: $args:ty = ($($arg:ident: $ty:ty $(=> $lt:lifetime $any:lifetime)?),*) -> $output:ty as $symbol:literal, $kind:literal
    ) => {
        const _: () = {
            /// # Safety
            ///
            /// The host launches it, for a world whose tables are filled, with a list of `end` indices or null, and
            /// with room for the results.
            #[unsafe(export_name = $symbol)]
            unsafe extern "ptx-kernel" fn reduce(
                first: u32,
                end: u32,
                list: *const u32,
                chunks: *mut <$output as $crate::device::runtime::transfer::Transfer>::Wire,
                all: *mut <$output as $crate::device::runtime::transfer::Transfer>::Wire,
                done: *mut u32,
                from: u32,
                to: u32
                $(, $arg: $ty)*
            ) {
                $crate::device::mark!($kind, __ENTRY, $crate::device::runtime::transfer::WireType::of::<$output>());
                $crate::__trust!(reduce: $($arg),*);
                $($crate::__borrow! { $arg: $ty $(=> $lt)? })*
                let results = $crate::device::Results { chunks, all, done, of: (from, to) };
                // SAFETY: by the host.
                unsafe {
                    $crate::device::reduce::<$kernel, ($($(&$any)? $ty),*), $reducer>(first, end, list, results, $all)
                }
            }
        };
    };
    ($($other:tt)*) => {};
}
pub use __reduced as reduced;
