/// A body.
#[derive(Clone, Debug)]
pub struct Body {
    /// Where it is.
    pub pos: [f32; 2],
    next: Option<Link<Body>>,
    pub hits: u32,
}
///Names for the columns of [`Body`], one a field.
#[allow(non_camel_case_types, missing_debug_implementations, clippy::empty_enums)]
pub enum body {}
#[automatically_derived]
#[allow(non_upper_case_globals, dead_code)]
impl body {
    ///The column of [`Body::pos`].
    pub const pos: ::ikra::Column<Body, 0usize> = ::ikra::Column::NEW;
    ///The column of [`Body::next`].
    const next: ::ikra::Column<Body, 1usize> = ::ikra::Column::NEW;
    ///The column of [`Body::hits`].
    pub const hits: ::ikra::Column<Body, 2usize> = ::ikra::Column::NEW;
}
///A [`Body`] as its methods see it: the object's fields, loaded from the columns before the call and, those that were written, stored after it.
pub struct BodyMut<'w, P: ::ikra::Phase> {
    /// Where it is.
    pub pos: [f32; 2],
    next: <Option<Link<Body>> as ::ikra::Value>::View<'w, P>,
    pub hits: ::ikra::Atomic<'w, u32, ::ikra::rt::OwnPlace<P, Body, 2usize>>,
    #[doc(hidden)]
    __object: ::ikra::rt::Handle<'w, Body, P>,
}
#[automatically_derived]
impl<'w, P: ::ikra::Phase> ::core::fmt::Debug for BodyMut<'w, P> {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        #[allow(unused_imports)]
        use ::ikra::rt::NotShown as _;
        f.debug_struct("Body")
            .field("pos", ::ikra::rt::Shown(&self.pos).shown())
            .field("next", ::ikra::rt::Shown(&self.next).shown())
            .field("hits", ::ikra::rt::Shown(&self.hits).shown())
            .finish()
    }
}
#[automatically_derived]
impl<'w, P: ::ikra::Phase> ::ikra::Object<'w> for BodyMut<'w, P> {
    type Class = Body;
    type Phase = P;
    #[inline(always)]
    fn handle(&self) -> ::ikra::rt::Handle<'w, Body, P> {
        self.__object
    }
}
///Another [`Body`], read through getters; written `Ref<Body>` in methods.
#[derive(Clone, Copy)]
pub struct BodyRef<'w, P: ::ikra::Phase>(::ikra::rt::Handle<'w, Body, P>);
#[automatically_derived]
#[allow(dead_code, clippy::len_without_is_empty)]
impl<'w, P: ::ikra::Phase> BodyRef<'w, P> {
    /// Where it is.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn pos(&self) -> [f32; 2] {
        ::ikra::rt::Handle::read(
            self.0,
            const { ::ikra::rt::RaceFree::<P, Body, 0usize>::check() },
        )
    }
    ///The object's `next`.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    fn next(&self) -> <Option<Link<Body>> as ::ikra::Value>::View<'w, P> {
        ::ikra::rt::Handle::read(
            self.0,
            const { ::ikra::rt::RaceFree::<P, Body, 1usize>::check() },
        )
    }
    ///The object's `hits`.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn hits(
        &self,
    ) -> ::ikra::Atomic<'w, u32, ::ikra::rt::AnyPlace<P, Body, 2usize>> {
        ::ikra::rt::Handle::read(
            self.0,
            const { ::ikra::rt::RaceFree::<P, Body, 2usize>::check() },
        )
    }
}
#[automatically_derived]
impl<'w, P: ::ikra::Phase> ::core::cmp::PartialEq for BodyRef<'w, P> {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
#[automatically_derived]
impl<'w, P: ::ikra::Phase> ::core::cmp::Eq for BodyRef<'w, P> {}
#[automatically_derived]
impl<'w, P: ::ikra::Phase> ::core::fmt::Debug for BodyRef<'w, P> {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::fmt::Debug::fmt(&self.0, f)
    }
}
#[automatically_derived]
impl<'w, P: ::ikra::Phase> ::ikra::Object<'w> for BodyRef<'w, P> {
    type Class = Body;
    type Phase = P;
    #[inline(always)]
    fn handle(&self) -> ::ikra::rt::Handle<'w, Body, P> {
        self.0
    }
}
#[cfg(target_arch = "nvptx64")]
::core::arch::global_asm!(
    ".visible .const .align 8 .b64 ikra_class_Body_{key}[{words}];\n//ikra:class {key} ikra_class_Body_{key} {name} {fingerprint} :1:0\n//ikra:field {f0}\n//ikra:field {f1}\n//ikra:field {f2}",
    words = const ::ikra::rt::table_words(::ikra::rt::base_count(< Body as ::ikra::Class
    > ::FIELDS)), key = const < Body as ::ikra::Class > ::ORIGIN.key(), name = const <
    Body as ::ikra::Class > ::ORIGIN.name_key(), fingerprint = const
    ::ikra::rt::class_fingerprint:: < Body > (), f0 = const
    ::ikra::rt::field_fingerprint(& < Body as ::ikra::Class > ::FIELDS[0usize]), f1 =
    const ::ikra::rt::field_fingerprint(& < Body as ::ikra::Class > ::FIELDS[1usize]), f2
    = const ::ikra::rt::field_fingerprint(& < Body as ::ikra::Class > ::FIELDS[2usize])
);
#[automatically_derived]
unsafe impl ::ikra::Class for Body {
    const ID: ::ikra::rt::ClassId = ::ikra::rt::ClassId::of::<
        Body,
    >(::core::module_path!(), "Body", ::core::line!(), ::core::column!());
    const NAME: &'static str = "Body";
    const FIELDS: &'static [::ikra::rt::FieldInfo] = &[
        ::ikra::rt::FieldInfo::of::<::ikra::rt::Plain<[f32; 2]>>("pos", "[f32; 2]"),
        ::ikra::rt::FieldInfo::of::<
            ::ikra::rt::Plain<Option<Link<Body>>>,
        >("next", "Option<Link<Body>>"),
        ::ikra::rt::FieldInfo::of::<::ikra::rt::AtomicColumn<u32>>("hits", "u32"),
    ];
    const CAPACITY: ::core::option::Option<u32> = ::core::option::Option::None;
    const ADDRESSING: ::ikra::rt::Addressing = ::ikra::rt::Addressing::Zero;
    type Layout = ::ikra::rt::Tiles<128usize>;
    const ORIGIN: ::ikra::rt::Origin = ::ikra::rt::Origin::new(
        ::core::module_path!(),
        "Body",
        ":1:0",
    );
    #[cfg(not(target_arch = "nvptx64"))]
    type Bases = [::ikra::rt::Base; ::ikra::rt::base_count(
        <Body as ::ikra::Class>::FIELDS,
    )];
    #[cfg(target_arch = "nvptx64")]
    type Bases = ::ikra::rt::DeviceBases<Body>;
    #[cfg(target_arch = "nvptx64")]
    #[inline(always)]
    fn constant(word: usize) -> u64 {
        let value: u64;
        unsafe {
            ::core::arch::asm!(
                "{{ .reg .b64 a; mov.b64 a, ikra_class_Body_{key}; add.u64 a, a, {0}; ld.const.u64 {1}, [a]; }}",
                in (reg64) word * 8, out(reg64) value, key = const < Self as
                ::ikra::Class > ::ORIGIN.key(), options(pure, nomem, nostack,
                preserves_flags)
            )
        }
        value
    }
    type Targets = [::ikra::rt::TargetSlot; 3usize];
    #[cfg(not(target_arch = "nvptx64"))]
    const BASES: Self::Bases = [const { ::ikra::rt::Base::NONE }; _];
    #[cfg(target_arch = "nvptx64")]
    const BASES: Self::Bases = ::ikra::rt::DeviceBases::COLUMNS;
    const TARGETS: Self::Targets = [const { ::ikra::rt::TargetSlot::NONE }; 3usize];
    type Fields = (
        ::ikra::rt::Plain<[f32; 2]>,
        ::ikra::rt::Plain<Option<Link<Body>>>,
        ::ikra::rt::AtomicColumn<u32>,
    );
    type View<'w, P: ::ikra::Phase> = BodyMut<'w, P>;
    type Ref<'w, P: ::ikra::Phase> = BodyRef<'w, P>;
    #[inline(always)]
    fn into_values(self) -> <Self::Fields as ::ikra::rt::FieldTuple<Self>>::Row {
        (self.pos, self.next, self.hits)
    }
    #[inline(always)]
    fn from_values(
        (f0, f1, f2): <Self::Fields as ::ikra::rt::FieldTuple<Self>>::Row,
    ) -> Self {
        Self {
            pos: f0,
            next: f1,
            hits: f2,
        }
    }
    #[inline(always)]
    fn to_view<'w, P: ::ikra::Phase>(
        (f0, f1, f2): <Self::Fields as ::ikra::rt::FieldTuple<Self>>::Views<'w, P>,
        object: ::ikra::rt::Handle<'w, Self, P>,
    ) -> BodyMut<'w, P> {
        BodyMut {
            pos: f0,
            next: f1,
            hits: f2,
            __object: object,
        }
    }
    #[inline(always)]
    fn from_view<'w, P: ::ikra::Phase>(
        view: Self::View<'w, P>,
    ) -> <Self::Fields as ::ikra::rt::FieldTuple<Self>>::Views<'w, P> {
        (view.pos, view.next, view.hits)
    }
    #[inline(always)]
    fn to_ref<'w, P: ::ikra::Phase>(
        object: ::ikra::rt::Handle<'w, Self, P>,
    ) -> BodyRef<'w, P> {
        BodyRef(object)
    }
    #[inline(always)]
    fn from_ref<'w, P: ::ikra::Phase>(
        object: Self::Ref<'w, P>,
    ) -> ::ikra::rt::Handle<'w, Self, P> {
        object.0
    }
}
#[automatically_derived]
unsafe impl ::ikra::rt::Field<0usize> for Body {
    type Storage = ::ikra::rt::Plain<[f32; 2]>;
}
#[automatically_derived]
unsafe impl ::ikra::rt::Field<1usize> for Body {
    type Storage = ::ikra::rt::Plain<Option<Link<Body>>>;
}
#[automatically_derived]
unsafe impl ::ikra::rt::Field<2usize> for Body {
    type Storage = ::ikra::rt::AtomicColumn<u32>;
}
const _: () = {
    #[allow(dead_code)]
    trait AClassCannotImplementDrop {}
    #[allow(drop_bounds)]
    impl<T: ::core::ops::Drop> AClassCannotImplementDrop for T {}
    impl AClassCannotImplementDrop for Body {}
};
#[doc(hidden)]
#[allow(unused_macros)]
macro_rules! __ikra_class_Body {
    ($($item:tt)*) => {
        ::ikra::rt::__expand_methods! { (::ikra; "Body" pos plain, next plain, hits
        atomic) $($item)* }
    };
}
#[doc(hidden)]
#[allow(unused_imports)]
pub(crate) use __ikra_class_Body as Body;
