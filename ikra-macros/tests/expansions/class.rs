/// A body.
#[derive(Clone, Debug)]
#[cfg_attr(
    doc,
    doc = "\nMethods are on the page of [`BodyMut`], getters of other objects on that of [`BodyRef`]. The columns are in [`body`]."
)]
pub struct Body {
    /// Where it is.
    pub pos: [f32; 2],
    next: Option<Link<Body>>,
    pub hits: u32,
}
#[automatically_derived]
#[doc(hidden)]
#[allow(non_upper_case_globals, dead_code, missing_docs)]
impl Body
where
    for<'__a> Body: ::ikra::rt::mistakes::HasColumns,
{
    pub const pos: () = ();
    const next: () = ();
    pub const hits: () = ();
}
///Names for the columns of [`Body`], one per field.
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
#[allow(missing_docs)]
pub struct BodyMut<'w, P: ::ikra::Phase> {
    /// Where it is.
    pub pos: [f32; 2],
    #[cfg(not(doc))]
    next: <Option<Link<Body>> as ::ikra::Value>::View<'w, P>,
    #[cfg(doc)]
    next: ::core::option::Option<::ikra::Ref<'w, Body, P>>,
    pub hits: ::ikra::Atomic<'w, u32, ::ikra::rt::OfSelf<P, Body, 2usize>>,
    #[doc(hidden)]
    pub __object: ::ikra::rt::Own<'w, Body, P>,
}
///Another [`Body`], read through getters; written `Ref<Body>` in methods.
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
    #[cfg(not(doc))]
    #[inline(always)]
    #[must_use]
    #[track_caller]
    fn next(&self) -> <Option<Link<Body>> as ::ikra::Value>::View<'w, P> {
        ::ikra::rt::Handle::read(
            self.0,
            const { ::ikra::rt::RaceFree::<P, Body, 1usize>::check() },
        )
    }
    ///The object's `next`.
    #[cfg(doc)]
    fn next(&self) -> ::core::option::Option<::ikra::Ref<'w, Body, P>> {
        ::core::unimplemented!()
    }
    ///The object's `hits`.
    #[cfg(not(doc))]
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn hits(&self) -> ::ikra::Atomic<'w, u32, ::ikra::rt::OfAny<P, Body, 2usize>> {
        ::ikra::rt::Handle::read(
            self.0,
            const { ::ikra::rt::RaceFree::<P, Body, 2usize>::check() },
        )
    }
    ///The object's `hits`.
    #[cfg(doc)]
    pub fn hits(&self) -> ::ikra::Atomic<'w, u32, impl ::ikra::AtomicOwner> {
        ::core::unimplemented!()
    }
}
///How objects of class [`Body`] are stored, and what [`BodyMut`] and [`BodyRef`] are.
const _: () = {
    ::ikra::rt::class! {
        complete Body = "Body" at ":1:0" as "ikra_class_Body_", seen as BodyMut and
        BodyRef, stored as ::ikra::rt::Tiles < 128usize >, Zero,
        ::core::option::Option::None, ::core::option::Option::None,
        ::core::option::Option::None, and[]; 0 pos = "pos" : "[f32; 2]" in
        ::ikra::rt::Plain < [f32; 2] >; 1 next = "next" : "Option<Link<Body>>" in
        ::ikra::rt::Plain < Option < Link < Body > > >; 2 hits = "hits" : "u32" in
        ::ikra::rt::AtomicColumn < u32 >;
    }
};
const _: () = {
    #[allow(dead_code)]
    trait AClassCannotImplementDrop {}
    #[allow(drop_bounds)]
    impl<T: ::core::ops::Drop> AClassCannotImplementDrop for T {}
    impl AClassCannotImplementDrop for Body {}
};
::ikra::rt::class_symbol! {
    Body at ":1:0" as "ikra_class_Body_"; 0 1 2
}
::ikra::rt::entry! {
    links Body as "ikra_links_Body_1_0_6b326105"
}
///Tells `#[soa_methods]` the fields of [`Body`], under the name of the class.
#[doc(hidden)]
#[allow(unused_macros)]
macro_rules! __ikra_class_Body {
    ($($item:tt)*) => {
        ::ikra::rt::__expand_methods! { (::ikra; "Body" pos numbers, next own_option,
        hits atomic) $($item)* }
    };
}
#[doc(hidden)]
#[allow(unused_imports)]
pub(crate) use __ikra_class_Body as Body;
