//! The code that `#[soa_dispatch]` generates.

/// A trait's type, its links and its refs. The classes come as `Car = model::Car;`: variant, path.
#[macro_export]
macro_rules! __dispatch {
    (@list) => { $crate::dispatch::Done };
    (@list $class:path; $($rest:path;)*) => {
        $crate::dispatch::Then<$class, $crate::__dispatch!(@list $($rest;)*)>
    };
    (
        $all:ident = $name:literal as $bits:ty, $reference:ident, $is:ident:
        $($variant:ident = $class:path;)*
    ) => {
        #[automatically_derived]
        impl $crate::dispatch::Referent for $all {
            type Link = $crate::dispatch::AnyLink<$all>;
            type Ref<'w, __P: $crate::phase::Phase> = $reference<'w, __P>;
        }
        // SAFETY: the lists are made from one list. If a class occurred twice in it, `Includes` would be implemented
        // twice.
        #[automatically_derived]
        unsafe impl $crate::dispatch::Dispatch for $all {
            const NAME: &'static ::core::primitive::str = $name;
            type Classes = $crate::__dispatch!(@list $($class;)*);
            const CLASSES: &'static [$crate::info::ClassId] = &[$(<$class as $crate::info::ClassInfo>::ID),*];
            const MEANINGS: &'static [::core::primitive::u64] =
                &[$(<$crate::link::Link<$class> as $crate::value::Value>::MEANING),*];
            type Bits = $bits;
            type Links = $is<$($crate::link::Link<$class>),*>;
            #[inline(always)]
            fn links(link: $crate::dispatch::AnyLink<Self>) -> Self::Links {
                $(
                    if let ::core::result::Result::Ok(link) = $crate::link::Link::<$class>::try_from(link) {
                        return $is::$variant(link);
                    }
                )*
                ::core::unreachable!("a link is to an object of a class in the list")
            }
            #[inline(always)]
            fn count(
                tag: ::core::primitive::usize,
                place: $crate::table::TableRef<'_>,
            ) -> ::core::primitive::u32 {
                $(
                    if tag == <Self as $crate::dispatch::Includes<$class>>::TAG {
                        return $crate::table::TableRef::count::<$class>(place);
                    }
                )*
                0
            }
            #[inline(always)]
            fn some(targets: $crate::table::Targets<'_>) -> ::core::primitive::usize {
                $({
                    let tag = <Self as $crate::dispatch::Includes<$class>>::TAG;
                    if $crate::table::TableRef::count::<$class>($crate::table::Targets::table(targets, || tag)) > 0 {
                        return tag;
                    }
                })*
                0
            }
            #[inline(always)]
            fn to_ref<'w, __P: $crate::phase::Phase>(
                object: $crate::dispatch::AnyHandle<'w, Self, __P>,
            ) -> $reference<'w, __P> {
                $reference(object)
            }
            #[inline(always)]
            fn from_ref<'w, __P: $crate::phase::Phase>(
                object: Self::Ref<'w, __P>,
            ) -> $crate::dispatch::AnyHandle<'w, Self, __P> {
                object.0
            }
        }
        const _: () = {
            /// The indices of the classes.
            enum __Place {
                $($variant),*
            }
            $(
                // SAFETY: the variants are numbered from 0 on, in the order of the list.
                #[automatically_derived]
                unsafe impl $crate::dispatch::Includes<$class> for $all {
                    const TAG: ::core::primitive::usize = __Place::$variant as ::core::primitive::usize;
                }
            )*
        };
        $(
            #[automatically_derived]
            impl<'w, __P: $crate::phase::Phase> ::core::convert::From<<$class as $crate::class::Class>::Ref<'w, __P>>
                for $reference<'w, __P>
            {
                #[inline(always)]
                fn from(object: <$class as $crate::class::Class>::Ref<'w, __P>) -> Self {
                    Self($crate::dispatch::AnyHandle::of(<$class as $crate::class::Class>::from_ref(object)))
                }
            }
        )*
        #[automatically_derived]
        #[allow(dead_code)]
        impl<'w, __P: $crate::phase::Phase> $reference<'w, __P> {
            /// The object, as one of its class: a `match` over it covers every class.
            #[inline(always)]
            pub fn class(self) -> $is<$(<$class as $crate::class::Class>::Ref<'w, __P>),*> {
                let found = $crate::dispatch::AnyHandle::found(self.0);
                $(
                    if let $crate::dispatch::Downcast::Object(object) =
                        $crate::dispatch::Found::downcast::<$class>(found)
                    {
                        return $is::$variant(<$class as $crate::class::Class>::to_ref(object));
                    }
                    let found = $crate::dispatch::Found::other_than::<$class>(found);
                )*
                let _ = found;
                ::core::unreachable!("an object is of a class in the list")
            }
            /// The link to the object, to store in a field.
            #[inline(always)]
            pub fn link(self) -> $crate::dispatch::AnyLink<$all> {
                $crate::dispatch::AnyHandle::link(self.0)
            }
        }
        $crate::__reference! { $reference }
    };
}
pub use __dispatch as dispatch;

/// A kernel of a trait: the effects of the kernels of all classes.
#[macro_export]
macro_rules! __dispatch_kernel {
    (
        $all:ident, $name:literal, $number:literal: [$($class:ty),*] $(at $place:literal: ($($ty:ty),*))?
    ) => {
        // SAFETY: effects and entry point are made from one list, which is checked to be the trait's.
        #[automatically_derived]
        unsafe impl $crate::kernel::DispatchKernel<$number> for $all {
            const NAME: &'static ::core::primitive::str = $name;
            const EFFECTS: &'static [&'static $crate::effects::Effects] = $crate::kernel::of_all_classes::<$all>(
                &[$(<$all as $crate::dispatch::Includes<$class>>::TAG),*],
                &[$(
                <<$class as $crate::kernel::HasKernel<$all, $number>>::Kernel as $crate::phase::Phase>::EFFECTS
                ),*],
            );
            const TOGETHER: ::core::option::Option<&'static $crate::kernel::Entry> =
                $crate::__together_entry! { $all, $name, $number: [$($class),*] $(at $place: ($($ty),*))? };
        }
    };
}
pub use __dispatch_kernel as dispatch_kernel;

/// A fingerprint on which host and device must agree for an entry point that runs the kernels of all classes.
#[macro_export]
macro_rules! __together_entry {
    ($all:ident, $name:literal, $number:literal: [$($class:ty),*]) => { ::core::option::Option::None };
    ($all:ident, $name:literal, $number:literal: [$($class:ty),*] at $place:literal: ($($ty:ty),*)) => {
        ::core::option::Option::Some(&{
            #[allow(unused_imports)]
            use $crate::known::No as _;
            let origin = $crate::origin::Origin::new(::core::module_path!(), $name, $place);
            let kernels = $crate::origin::meaning("", &[$(
                $crate::fingerprint::kernel_fingerprint::<
                    <$class as $crate::kernel::HasKernel<$all, $number>>::Kernel,
                >()
            ),*]);
            $crate::kernel::Entry::new(origin, kernels, &[$($crate::known::Probe::<$ty>::MEANING),*])
        })
    };
}
