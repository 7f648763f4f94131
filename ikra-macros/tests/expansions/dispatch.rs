/// What moves.
///
///All objects of the classes [`Car`], [`Pedestrian`]: the trait as a type, for [`ActorLink`] and `Ref<Actor>`.
#[derive(Clone, Copy, Debug)]
pub enum Actor {}
///A link to an object of one of the classes of [`Actor`].
pub type ActorLink = ::ikra::dispatch::AnyLink<Actor>;
///Something of one of the classes of [`Actor`]: a link or a ref, by class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ActorIs<Car, Pedestrian> {
    Car(Car),
    Pedestrian(Pedestrian),
}
///An object of one of the classes of [`Actor`], read through methods; written `Ref<Actor>` in methods.
pub struct ActorRef<'w, __P: ::ikra::Phase>(::ikra::rt::AnyHandle<'w, Actor, __P>);
::ikra::rt::dispatch! {
    Actor = "Actor" as ::ikra::rt::Narrow, ActorRef, ActorIs : Car = Car; Pedestrian =
    model::Pedestrian;
}
::ikra::rt::host_only! {
    ::ikra::rt::dispatch_in! { Actor, ActorIs : Car = Car; Pedestrian =
    model::Pedestrian; }
}
#[automatically_derived]
#[allow(dead_code, missing_docs, clippy::too_many_arguments)]
impl<'__w, __P: ::ikra::Phase> ActorRef<'__w, __P> {
    /// How fast it is.
    #[inline(always)]
    #[track_caller]
    pub fn speed(&self) -> f32 {
        let found = ::ikra::rt::AnyHandle::found(self.0);
        if let ::ikra::rt::Downcast::Object(object) = ::ikra::rt::Found::downcast::<
            Car,
        >(found) {
            let object = <Car as ::ikra::Class>::to_ref(object);
            return <<<[Car; {
                <Car as ::ikra::dispatch::Implements<Actor>>::ONE
            }] as ::core::iter::IntoIterator>::Item as ::ikra::Class>::Ref<
                '__w,
                __P,
            >>::speed(&object);
        }
        let found = ::ikra::rt::Found::other_than::<Car>(found);
        if let ::ikra::rt::Downcast::Object(object) = ::ikra::rt::Found::downcast::<
            model::Pedestrian,
        >(found) {
            let object = <model::Pedestrian as ::ikra::Class>::to_ref(object);
            return <<<[model::Pedestrian; {
                <model::Pedestrian as ::ikra::dispatch::Implements<Actor>>::ONE
            }] as ::core::iter::IntoIterator>::Item as ::ikra::Class>::Ref<
                '__w,
                __P,
            >>::speed(&object);
        }
        let found = ::ikra::rt::Found::other_than::<model::Pedestrian>(found);
        let _ = found;
        ::core::unreachable!("an object is of a class in the list")
    }
    #[inline(always)]
    #[track_caller]
    pub fn target(&self) -> Option<::ikra::Ref<'__w, Actor, __P>> {
        let found = ::ikra::rt::AnyHandle::found(self.0);
        if let ::ikra::rt::Downcast::Object(object) = ::ikra::rt::Found::downcast::<
            Car,
        >(found) {
            let object = <Car as ::ikra::Class>::to_ref(object);
            return <<<[Car; {
                <Car as ::ikra::dispatch::Implements<Actor>>::ONE
            }] as ::core::iter::IntoIterator>::Item as ::ikra::Class>::Ref<
                '__w,
                __P,
            >>::target(&object);
        }
        let found = ::ikra::rt::Found::other_than::<Car>(found);
        if let ::ikra::rt::Downcast::Object(object) = ::ikra::rt::Found::downcast::<
            model::Pedestrian,
        >(found) {
            let object = <model::Pedestrian as ::ikra::Class>::to_ref(object);
            return <<<[model::Pedestrian; {
                <model::Pedestrian as ::ikra::dispatch::Implements<Actor>>::ONE
            }] as ::core::iter::IntoIterator>::Item as ::ikra::Class>::Ref<
                '__w,
                __P,
            >>::target(&object);
        }
        let found = ::ikra::rt::Found::other_than::<model::Pedestrian>(found);
        let _ = found;
        ::core::unreachable!("an object is of a class in the list")
    }
}
::ikra::rt::dispatch_kernel! {
    Actor, "Actor::tick", 0 : [< [Car; { < Car as ::ikra::dispatch::Implements < Actor >>
    ::ONE }] as ::core::iter::IntoIterator > ::Item, < [model::Pedestrian; { <
    model::Pedestrian as ::ikra::dispatch::Implements < Actor >> ::ONE }] as
    ::core::iter::IntoIterator > ::Item] at ":1:0" : (f32)
}
::ikra::rt::together! {
    Actor, 0 : 2 in [0 { 0 Car } { 1 model::Pedestrian }] arg0 : f32 = (arg0 : f32) as
    "ikra_kernel_Actor_tick_1_0_6b326105"
}
::ikra::rt::host_only! {
    ::ikra::rt::every_class! { #[doc = "`fn tick(&mut self, dt: f32)`"] #[doc = ""] pub
    const tick : 0 of Actor }
}
#[cfg(not(doc))]
#[automatically_derived]
#[allow(dead_code, missing_docs, clippy::all, clippy::pedantic, clippy::nursery)]
impl Actor
where
    for<'__a> Actor: ::ikra::rt::mistakes::IsKernel,
{
    pub fn speed(&self) {}
    pub fn target(&self) {}
}
const _: () = {
    let _: ::core::marker::PhantomData<
        <[Car; {
            <Car as ::ikra::dispatch::Implements<Actor>>::ONE
        }] as ::core::iter::IntoIterator>::Item,
    >;
    let _: ::core::marker::PhantomData<
        <[model::Pedestrian; {
            <model::Pedestrian as ::ikra::dispatch::Implements<Actor>>::ONE
        }] as ::core::iter::IntoIterator>::Item,
    >;
};
///Tells `#[soa_methods]` what [`Actor`] has, under its name.
#[doc(hidden)]
#[allow(unused_macros)]
macro_rules! __ikra_trait_Actor {
    ($($item:tt)*) => {
        ::ikra::rt::__expand_dispatch! { (::ikra; {} #[doc = r" What moves."] pub trait
        Actor { const WHEELS : u32 = 0; #[kernel] fn tick(& mut self, dt : f32); #[doc =
        r" How fast it is."] fn speed(& self) -> f32 { 1.0 } fn target(& self) -> Option
        < Ref < Actor >>; }) $($item)* }
    };
}
#[doc(hidden)]
#[allow(unused_imports)]
pub(crate) use __ikra_trait_Actor as Actor;
