//! The code that `#[soa_class]` generates.

/// A class: the storage of its objects, and the common part of its views and refs.
///
/// The fields come as `0 pos = "pos": "[f32; 2]" in Plain<[f32; 2]>`. Before them, in brackets, come the `()`s that
/// fill the tuple up to a supported length. Only their number counts: a storage among them would not be a column of the
/// class. In a class with mistakes (`mistaken`) the conversions are stand-ins: some field may have a type that cannot
/// be stored.
#[macro_export]
macro_rules! __class {
    (
        $state:ident $row:ident = $name:literal at $place:literal as $symbol:literal,
        seen as $view:ident and $reference:ident,
        stored as $layout:ty, $addressing:ident, $capacity:expr, $arena:expr, $compact:expr, and [$($nothing:tt)*];
        $($field:tt $ident:ident = $field_name:literal: $ty:literal $(.$option:ident())* in $storage:ty;)*
    ) => {
        // SAFETY: the fields are stored as `Field` states, in the order of their numbers, which is checked. The id is
        // made from the source position of the class's definition.
        #[automatically_derived]
        unsafe impl $crate::info::ClassInfo for $row {
            const ID: $crate::info::ClassId = $crate::info::ClassId::of::<$row>(
                ::core::module_path!(),
                $name,
                ::core::line!(),
                ::core::column!(),
            );
            const NAME: &'static str = $name;
            const FIELDS: &'static [$crate::info::FieldInfo] = {
                const FIELDS: &[$crate::info::FieldInfo] = &[$(
                    $crate::info::FieldInfo::of::<<$row as $crate::class::Field<$field>>::Storage>($field_name, $ty)
                        $(.$option())*,
                )*];
                $crate::info::numbered(&[$($field),*], FIELDS)
            };
            const CAPACITY: ::core::option::Option<::core::primitive::u32> = $capacity;
            const COMPACT: ::core::option::Option<::core::primitive::f32> = $compact;
            const ADDRESSING: $crate::info::Addressing = $crate::info::Addressing::$addressing;
            const ARENA: ::core::option::Option<::core::primitive::usize> = $arena;
            const ORIGIN: $crate::origin::Origin =
                $crate::origin::Origin::new(::core::module_path!(), $name, $place);
            const LAYOUT: $crate::info::LayoutKind = <$layout as $crate::layout::Layout>::KIND;
            $crate::__class_bases! { $row $symbol }
        }
        // SAFETY: `Fields` and the arrays are made from the same list of fields as `FIELDS`.
        #[automatically_derived]
        unsafe impl $crate::class::Class for $row {
            type Layout = $layout;
            type Fields =
                ($(<$row as $crate::class::Field<$field>>::Storage,)* $($crate::__nothing!($nothing),)*);
            type View<'w, __P: $crate::phase::Phase> = $view<'w, __P>;
            type Ref<'w, __P: $crate::phase::Phase> = $reference<'w, __P>;
            $crate::__class_conversions! { $state $view: [$($nothing)*] $($field $ident)* }
            #[inline(always)]
            fn to_ref<'w, __P: $crate::phase::Phase>(object: $crate::handle::Handle<'w, Self, __P>) -> $reference<'w, __P> {
                $reference(object)
            }
            #[inline(always)]
            fn from_ref<'w, __P: $crate::phase::Phase>(object: Self::Ref<'w, __P>) -> $crate::handle::Handle<'w, Self, __P> {
                object.0
            }
        }
        $(
            // SAFETY: `Storage` is the member of `Fields` at this position.
            #[automatically_derived]
            unsafe impl $crate::class::Field<$field> for $row {
                type Storage = $storage;
            }
        )*
        #[automatically_derived]
        impl<'w, __P: $crate::phase::Phase> ::core::fmt::Debug for $view<'w, __P> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                #[allow(unused_imports)]
                use $crate::object::NotShown as _;
                f.debug_struct($name)
                    $(.field($field_name, $crate::object::Shown(&self.$ident).shown()))*
                    .finish()
            }
        }
        #[automatically_derived]
        impl<'w, __P: $crate::phase::Phase> $crate::object::Object<'w> for $view<'w, __P> {
            type Class = $row;
            type Phase = __P;
            #[inline(always)]
            fn handle(&self) -> $crate::handle::Handle<'w, $row, __P> {
                $crate::handle::Own::handle(&self.__object)
            }
        }
        // SAFETY: it is the view.
        #[automatically_derived]
        unsafe impl<'w, __P: $crate::phase::Phase> $crate::object::KernelObject<'w> for $view<'w, __P> {}
        #[automatically_derived]
        impl<'w, __P: $crate::phase::Phase> $crate::object::Object<'w> for $reference<'w, __P> {
            type Class = $row;
            type Phase = __P;
            #[inline(always)]
            fn handle(&self) -> $crate::handle::Handle<'w, $row, __P> {
                self.0
            }
        }
        $crate::__reference! { $reference }
    };
}
pub use __class as class;

/// The filler for a position without a field, as a type and as a value.
#[macro_export]
macro_rules! __nothing {
    ($nothing:tt) => {
        ()
    };
}

/// The code that all refs share, whether their class is known or not.
#[macro_export]
macro_rules! __reference {
    ($reference:ident) => {
        #[automatically_derived]
        impl<'w, __P: $crate::phase::Phase> ::core::fmt::Debug for $reference<'w, __P> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Debug::fmt(&self.0, f)
            }
        }
        #[automatically_derived]
        impl<'w, __P: $crate::phase::Phase> ::core::marker::Copy for $reference<'w, __P> {}
        #[automatically_derived]
        impl<'w, __P: $crate::phase::Phase> ::core::clone::Clone for $reference<'w, __P> {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }
        #[automatically_derived]
        impl<'w, __P: $crate::phase::Phase> ::core::cmp::PartialEq for $reference<'w, __P> {
            #[inline(always)]
            fn eq(&self, other: &Self) -> bool {
                self.0 == other.0
            }
        }
        #[automatically_derived]
        impl<'w, __P: $crate::phase::Phase> ::core::cmp::Eq for $reference<'w, __P> {}
    };
}

/// Conversions between rows, views and their parts.
#[macro_export]
macro_rules! __class_conversions {
    (complete $view:ident: [$($nothing:tt)*] $($field:tt $ident:ident)*) => {
        #[inline(always)]
        fn into_values(self) -> <Self::Fields as $crate::storage::FieldTuple<Self>>::Row {
            ($(self.$ident,)* $($crate::__nothing!($nothing),)*)
        }
        #[inline(always)]
        fn from_values(values: <Self::Fields as $crate::storage::FieldTuple<Self>>::Row) -> Self {
            Self { $($ident: values.$field),* }
        }
        #[inline(always)]
        fn to_view<'w, __P: $crate::phase::Phase>(
            views: <Self::Fields as $crate::storage::FieldTuple<Self>>::Views<'w, __P>,
            object: $crate::handle::Own<'w, Self, __P>,
        ) -> $view<'w, __P> {
            $view { $($ident: views.$field,)* __object: object }
        }
        #[inline(always)]
        fn from_view<'w, __P: $crate::phase::Phase>(
            view: Self::View<'w, __P>,
        ) -> (<Self::Fields as $crate::storage::FieldTuple<Self>>::Views<'w, __P>, $crate::handle::Assigned<Self>) {
            (($(view.$ident,)* $($crate::__nothing!($nothing),)*), $crate::handle::Own::into_assigned(view.__object))
        }
    };
    (mistaken $view:ident: $($fields:tt)*) => {
        fn into_values(self) -> <Self::Fields as $crate::storage::FieldTuple<Self>>::Row {
            ::core::unimplemented!()
        }
        fn from_values(_: <Self::Fields as $crate::storage::FieldTuple<Self>>::Row) -> Self {
            ::core::unimplemented!()
        }
        fn to_view<'w, __P: $crate::phase::Phase>(
            _: <Self::Fields as $crate::storage::FieldTuple<Self>>::Views<'w, __P>,
            _: $crate::handle::Own<'w, Self, __P>,
        ) -> $view<'w, __P> {
            ::core::unimplemented!()
        }
        fn from_view<'w, __P: $crate::phase::Phase>(
            _: Self::View<'w, __P>,
        ) -> (<Self::Fields as $crate::storage::FieldTuple<Self>>::Views<'w, __P>, $crate::handle::Assigned<Self>) {
            ::core::unimplemented!()
        }
    };
}
