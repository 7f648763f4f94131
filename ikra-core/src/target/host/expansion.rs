//! The code behind the macros that is for the host only.

/// The addresses of the columns of a class, and of the tables of its linked classes.
#[macro_export]
macro_rules! __class_bases {
    ($row:ident $symbol:literal) => {
        type Bases = [$crate::table::Base; $crate::info::base_count(<$row as $crate::info::ClassInfo>::FIELDS)];
        type Targets =
            [$crate::table::TargetSlot; $crate::info::target_count(<$row as $crate::info::ClassInfo>::FIELDS)];
        const TARGETS: Self::Targets = [const { $crate::table::TargetSlot::NONE }; _];
    };
}

/// The host has the table on the heap.
#[macro_export]
macro_rules! __class_symbol {
    ($($all:tt)*) => {};
}

/// Makes the compiler check a kernel for data races, even if no code runs it: a static that mentions its call.
#[macro_export]
macro_rules! __examine {
    (execute_pairs $kernel:ident [$($lifetimes:tt)*] $args:ty) => {
        #[allow(dead_code)]
        static __EXAMINED: fn() = {
            fn __examine<$($lifetimes)*>() { $crate::kernel::examine_pairs::<$kernel, $args>() }
            __examine
        };
    };
    (execute $kernel:ident [$($lifetimes:tt)*] $args:ty) => {
        #[allow(dead_code)]
        static __EXAMINED: fn() = {
            fn __examine<$($lifetimes)*>() { $crate::kernel::examine::<$kernel, $args>() }
            __examine
        };
    };
    (construct $($rest:tt)*) => {};
}

/// The host's part of running a kernel on the device, if the kernel's arguments may be values. The type of groups comes
/// with two lifetimes: the name of that of the reference to them, and one that is inferred. The types of the values follow.
#[macro_export]
macro_rules! __entry {
    // Only the device has these.
    (born $class:ty, $all:tt as $symbol:literal, $kind:literal) => {};
    (links $class:ty as $symbol:literal) => {};
    (collect $($all:tt)*) => {};
    (
        $executor:ident $kernel:ident = $name:literal at $place:literal for $class:ty;
        $all:tt: $args:ty = ($($arg:ident: $ty:ty),*) $(as $symbol:literal)?
    ) => {
        $crate::__entry! {
            $executor $kernel = $name at $place for $class;
            $all: $args = ($($arg: $ty),*) of [$($ty),*] $(as $symbol)?
        }
    };
    (
        $executor:ident $kernel:ident = $name:literal at $place:literal for $class:ty;
        $all:tt: $args:ty = ($($arg:ident: $ty:ty $(=> $lt:lifetime $any:lifetime)?),*) of [$($value:ty),*] $(as $symbol:literal)?
    ) => {
        $crate::__examine! { $executor $kernel [$($($lt,)?)*] $args }
        $crate::__entry_constant! {
            $executor $kernel = $name at $place for $class;
            $args = ($($arg: $ty),*)
        }
        // SAFETY: the entry point and the arguments are made from one list, each argument as one of its type.
        #[automatically_derived]
        unsafe impl<$($($lt,)?)*> $crate::kernel::OnDevice<$args> for $kernel
        where
            $(for<'__v> $value: $crate::kernel::DeviceArgument,)*
        {
            const ENTRY: &'static $crate::kernel::Entry = &__ENTRY;
            type Arguments<'__v> = [$crate::kernel::Argument<'__v>; {
                <[&::core::primitive::str]>::len(&[$(::core::stringify!($arg)),*])
            }] where $args: '__v;
            fn arguments<'__v>($all: &'__v $args) -> Self::Arguments<'__v> {
                [$($crate::kernel::Argument::of::<$(&$lt)? $ty>($arg)),*]
            }
            $crate::__kept! { $args; $($($lt)?)* }
        }
    };
}

/// The arguments that a recording keeps: values, and no groups.
#[macro_export]
macro_rules! __kept {
    ($args:ty;) => {
        type Kept = $args;
        fn keep(args: $args) -> ::core::option::Option<$args> {
            ::core::option::Option::Some(args)
        }
        fn given(kept: $args) -> $args {
            kept
        }
    };
    ($args:ty; $($lt:lifetime)+) => {
        type Kept = ::core::convert::Infallible;
        fn keep(_: $args) -> ::core::option::Option<::core::convert::Infallible> {
            ::core::option::Option::None
        }
        fn given(kept: ::core::convert::Infallible) -> $args {
            match kept {}
        }
    };
}

/// One of the reducers that a kernel declares, with the number of its entry point in the device code.
#[macro_export]
macro_rules! __reduced {
    (after $($entry:tt)*) => {};
    ($kernel:ident by $reducer:ty = $number:literal $($entry:tt)*) => {
        // SAFETY: entry points are numbered in this order.
        #[automatically_derived]
        unsafe impl $crate::kernel::ReducedBy<$reducer> for $kernel {
            const NUMBER: usize = $number;
        }
    };
}

/// Only the device has it.
#[macro_export]
macro_rules! __together {
    ($($all:tt)*) => {};
}

pub use __class_symbol as class_symbol;
pub use __entry as entry;
pub use __examine as examine;
pub use __reduced as reduced;
pub use __together as together;

/// The end of a loop's iteration, in code that a model's build for the device compiles for the host: build scripts.
#[doc(hidden)]
#[inline(always)]
pub const fn turn_end() {}
