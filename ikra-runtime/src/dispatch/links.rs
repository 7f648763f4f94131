//! Links in worlds: how a world finds an object by the link of a class or of a trait.

use ikra_core::dispatch::{AnyLink, Dispatch};
use ikra_core::handle::Follow;
use ikra_core::phase::Sequential;

use crate::class::Class;
use crate::error::Error;
use crate::handle::Handle;
use crate::link::Link;
use crate::world::{Holds, Mut, ready};

/// A link of a world, by which [`World::get`](crate::world::World::get) finds the object: [`Link<C>`](Link) of a class
/// that the world holds, or [`AnyLink<D>`](AnyLink) of a trait whose classes it holds.
///
/// ```
/// use ikra::{bounds::LinkIn, World, prelude::*};
/// # #[soa_class] pub struct Car { pub km: u32 }
/// # #[soa_methods] impl Car {
/// #     #[kernel] pub fn drive(&mut self, km: u32) { self.km += km; }
/// #     #[kernel(reduce(Sum))] pub fn driven(&self) -> u32 { self.km }
/// # }
/// # #[soa_world] pub struct Town { pub cars: Objects<Car> }
///
/// /// The number of these links that lead to an object.
/// fn alive<W: World>(world: &W, links: &[impl LinkIn<W>]) -> usize {
///     links.iter().filter(|link| world.try_get(**link).is_ok()).count()
/// }
/// # fn main() -> Result<(), ikra::Error> {
/// # let mut town = Town::new();
/// let car = town.cars.push(Car { km: 0 })?;
/// assert_eq!(alive(&town, &[car, Link::from_index(7).unwrap()]), 1);
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no link of world `{W}`",
    label = "not a link to objects of this world",
    note = "a link is a `Link<Class>`, or the link of a trait under `#[soa_dispatch]`; of an `Option` of one take `map`, of a `Result`, as `push` returns it, `?`"
)]
pub trait LinkIn<W: 'static>: Follow {
    /// The object, as [`World::get`](crate::world::World::get) returns it.
    type Ref<'w>;
    /// The guard that [`World::get_mut`](crate::world::World::get_mut) returns.
    type Mut<'w>;
    /// The object.
    #[doc(hidden)]
    #[track_caller]
    fn find(self, world: &W) -> Result<Self::Ref<'_>, Error>;
    /// A guard for the object.
    #[doc(hidden)]
    #[track_caller]
    fn find_mut(self, world: &mut W) -> Result<Self::Mut<'_>, Error>;
}

impl<C: Class, W: Holds<C>> LinkIn<W> for Link<C> {
    type Ref<'w> = C::Ref<'w, Sequential>;
    type Mut<'w> = Mut<'w, C>;

    #[inline]
    fn find(self, world: &W) -> Result<C::Ref<'_, Sequential>, Error> {
        let objects = world.objects();
        objects.check_initialized(self)?;
        ready(world);
        // SAFETY: the object was just checked to exist.
        Ok(C::to_ref(unsafe { Handle::found(objects.table(), self.index()) }))
    }
    #[inline]
    fn find_mut(self, world: &mut W) -> Result<Mut<'_, C>, Error> {
        let objects = Holds::<C>::objects(world);
        objects.check_initialized(self)?;
        ready(world);
        Ok(Mut::new(objects.table(), self.index()))
    }
}

#[diagnostic::do_not_recommend]
impl<D: DispatchIn<W>, W: 'static> LinkIn<W> for AnyLink<D> {
    type Ref<'w> = D::Ref<'w, Sequential>;
    type Mut<'w> = D::Mut<'w>;

    #[inline]
    fn find(self, world: &W) -> Result<D::Ref<'_, Sequential>, Error> {
        D::find(self, world)
    }
    #[inline]
    fn find_mut(self, world: &mut W) -> Result<D::Mut<'_>, Error> {
        D::find_mut(self, world)
    }
}

/// A world holds all classes of a trait.
pub trait DispatchIn<W: 'static>: Dispatch {
    /// The guard, an enum by class.
    type Mut<'w>;
    /// The object.
    ///
    /// # Errors
    ///
    /// [`Error::NotInWorld`], [`Error::NotInitialized`].
    fn find(link: AnyLink<Self>, world: &W) -> Result<Self::Ref<'_, Sequential>, Error>;
    /// A guard for the object.
    ///
    /// # Errors
    ///
    /// [`Error::NotInWorld`], [`Error::NotInitialized`].
    fn find_mut(link: AnyLink<Self>, world: &mut W) -> Result<Self::Mut<'_>, Error>;
}

/// The links of a trait in worlds.
#[doc(hidden)]
#[macro_export]
macro_rules! __dispatch_in {
    ($all:ident, $is:ident: $($variant:ident = $class:path;)*) => {
        #[automatically_derived]
        impl<__W: 'static $(+ $crate::world::Holds<$class>)*> $crate::dispatch::DispatchIn<__W> for $all {
            type Mut<'w> = $is<$($crate::world::Mut<'w, $class>),*>;
            #[inline]
            fn find(
                link: $crate::dispatch::AnyLink<Self>,
                world: &__W,
            ) -> ::core::result::Result<
                <Self as $crate::dispatch::Referent>::Ref<'_, $crate::dispatch::Sequential>,
                $crate::error::Error,
            > {
                match link.class() {
                    $($is::$variant(link) => $crate::dispatch::LinkIn::find(link, world)
                        .map(::core::convert::Into::into),)*
                }
            }
            #[inline]
            fn find_mut(
                link: $crate::dispatch::AnyLink<Self>,
                world: &mut __W,
            ) -> ::core::result::Result<Self::Mut<'_>, $crate::error::Error> {
                match link.class() {
                    $($is::$variant(link) => $crate::dispatch::LinkIn::find_mut(link, world).map($is::$variant),)*
                }
            }
        }
    };
}
pub use __dispatch_in as dispatch_in;
