//! The code that `#[kernel]` generates.

/// A kernel: the type of its handle, its effects, and the handle itself, `Body::advance`.
///
/// The type has the class as a parameter, so that it is not more public than the class. Safe code can call the macro
/// too, so it trusts none of its arguments. It makes the effects itself, for the class. The modes follow from them,
/// field by field in the order of the fields. The kernel knows the other kernels of the trait that it is a kernel of.
#[macro_export]
macro_rules! __kernel {
    (
        $(#[$doc:meta])*
        $vis:vis const $method:ident: $kernel:ident = $name:literal for $class:ty [$($field:literal)*], $near:ident;
        $receiver:ident($($found:expr),*) $(.$more:ident($($listed:expr)?))*; $(as $trait:path, $number:literal;)?
    ) => {
        $crate::__handle! { $(#[$doc])* $vis const $method: $kernel = $name for $class; }
        const _: () = $crate::kernel::assert_in_order(&[$($field),*]);
        // SAFETY: executors access columns by the modes below, which follow from this constant.
        #[automatically_derived]
        unsafe impl $crate::phase::Phase for $kernel {
            const EFFECTS: &'static $crate::effects::Effects =
                &$crate::effects::Effects::$receiver::<$class>($name, $($found),*) $(.$more($($listed)?))*;
            type Near = $crate::target::near::$near;
            $(const BESIDE: &'static [&'static $crate::effects::Effects] =
                <$crate::__listed!($trait, $class) as $crate::kernel::DispatchKernel<$number>>::EFFECTS;
            const OWN: ::core::primitive::usize =
                <$crate::__listed!($trait, $class) as $crate::dispatch::Includes<$class>>::TAG;)?
        }
        $(
            // SAFETY: its `BESIDE` above has the effects of that trait's kernels, its own at its class's index.
            #[automatically_derived]
            unsafe impl $crate::kernel::HasKernel<$trait, $number> for $class {
                type Kernel = $kernel;
            }
        )?
        // SAFETY: the effects are made for this class, and the modes follow from them, in the order of the fields.
        #[automatically_derived]
        unsafe impl $crate::kernel::Kernel for $kernel {
            type Class = $class;
            type Modes =
                ($($crate::mode::ModeOf<{ <$kernel as $crate::phase::Phase>::EFFECTS.mode($field) }>,)*);
        }
    };
}
pub use __kernel as kernel;

/// A trait with the class in its list. If the class is missing, the compiler reports just that: it reports nothing more
/// about a type that depends on it.
#[macro_export]
macro_rules! __listed {
    ($trait:path, $class:ty) => {
        <[$trait; <$trait as $crate::dispatch::Includes<$class>>::TAG] as ::core::iter::IntoIterator>::Item
    };
}

/// The handle of a kernel or of a constructor: a type of size 0, and its value, a constant of the class.
#[macro_export]
macro_rules! __handle {
    ($(#[$doc:meta])* $vis:vis const $method:ident: $kernel:ident = $name:literal for $class:ty;) => {
        #[doc(hidden)]
        #[allow(non_camel_case_types, unreachable_pub)]
        $vis struct $kernel<__C = $class>(::core::marker::PhantomData<fn() -> __C>);
        #[automatically_derived]
        impl<__C> ::core::marker::Copy for $kernel<__C> {}
        #[automatically_derived]
        impl<__C> ::core::clone::Clone for $kernel<__C> {
            fn clone(&self) -> Self {
                *self
            }
        }
        #[automatically_derived]
        impl<__C> ::core::fmt::Debug for $kernel<__C> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str($name)
            }
        }
        #[automatically_derived]
        #[allow(non_upper_case_globals, dead_code, missing_docs)]
        impl $class {
            $(#[$doc])*
            $vis const $method: $kernel = $kernel(::core::marker::PhantomData);
        }
    };
}
pub use __handle as handle;

/// The effects of a method that calls methods of other blocks. Their effects are looked up when a kernel needs them,
/// since they may in turn call this method. A name that no block knows is a trait's method, which may have any effects,
/// or a mistake that the compiler reports at the name.
#[macro_export]
macro_rules! __reach {
    ($class:ty, $constant:ident = $name:literal, $own:expr; $($called:ident or $unknown:expr),*) => {
        #[doc(hidden)]
        #[derive(Clone, Copy)]
        #[allow(unreachable_pub, missing_debug_implementations)]
        pub struct __Calls;
        #[automatically_derived]
        impl __Calls {
            #[allow(unreachable_pub)]
            pub const fn reach(self, reached: $crate::effects::Reached) -> $crate::effects::Reached {
                // Hidden by the items that `#[soa_methods]` generates for methods that it knows.
                #[allow(non_upper_case_globals, dead_code)]
                trait __Unknown {
                    $(const $called: $crate::effects::MethodEffects = $unknown;)*
                }
                #[automatically_derived]
                impl __Unknown for $class {}
                if reached.contains($name) {
                    return reached;
                }
                let reached = reached.enter($name, $own);
                $(let reached = <$class>::$called.reach(reached);)*
                reached
            }
        }
        #[automatically_derived]
        #[allow(non_upper_case_globals, dead_code)]
        impl $class {
            #[doc(hidden)]
            pub(crate) const $constant: __Calls = __Calls;
        }
    };
}
pub use __reach as reach;

/// A fingerprint on which host and device must agree for a kernel: `const __ENTRY`.
#[macro_export]
macro_rules! __entry_constant {
    (
        $executor:ident $kernel:ident = $name:literal at $place:literal for $class:ty;
        $args:ty = ($($arg:ident: $ty:ty),*)
    ) => {
        const __ENTRY: $crate::kernel::Entry = {
            #[allow(unused_imports)]
            use $crate::known::No as _;
            let origin = $crate::origin::Origin::new(::core::module_path!(), $name, $place);
            let fingerprint = $crate::__fingerprint!($executor $kernel, $args, $class);
            $crate::kernel::Entry::new(origin, fingerprint, &[$($crate::known::Probe::<$ty>::MEANING),*])
        };
    };
}
/// The parts of it that differ between executors.
#[macro_export]
macro_rules! __fingerprint {
    (execute $kernel:ident, $args:ty, $class:ty) => {
        $crate::fingerprint::kernel_fingerprint::<$kernel>()
    };
    (execute_pairs $kernel:ident, $args:ty, $class:ty) => {
        $crate::fingerprint::pairs_fingerprint::<$kernel, $args>()
    };
    (construct $kernel:ident, $args:ty, $class:ty) => {
        $crate::fingerprint::class_fingerprint::<$class>()
    };
}
