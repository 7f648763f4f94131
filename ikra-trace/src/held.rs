//! Objects whose ordinary type is erased, and links to objects of any class.

use std::any::{Any, TypeId};
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use ikra_core::class::Class;
use ikra_core::dispatch::{AnyLink, Dispatch, Includes};
use ikra_core::link::Link;

use crate::back::Back;
use crate::code::any_link;
use crate::error::{Problem, TraceError};
use crate::graph::{AddressHasher, Graph};
use crate::object::TraceObject;
use crate::store::Columns;
use crate::tracer::Tracer;

/// A link to an object of any class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UntypedLink {
    pub(crate) class: TypeId,
    pub(crate) name: &'static str,
    pub(crate) index: u32,
}

impl UntypedLink {
    /// The link, if the object is of class `C`.
    ///
    /// # Errors
    ///
    /// [`Problem::OtherType`].
    #[inline]
    pub fn typed<C: Class>(self) -> Result<Link<C>, Problem> {
        let index = (self.class == TypeId::of::<C>()).then_some(self.index as usize);
        index.and_then(Link::from_index).ok_or(Problem::OtherType)
    }

    /// The link as one of a trait; `None` if the object is not of class `C`.
    ///
    /// # Errors
    ///
    /// [`Problem::TooMany`].
    pub fn any<C: Class, D: Includes<C>>(self) -> Option<Result<AnyLink<D>, Problem>> {
        self.typed::<C>().ok().map(any_link)
    }
}

impl<C: Class> From<Link<C>> for UntypedLink {
    #[inline]
    fn from(link: Link<C>) -> Self {
        Self { class: TypeId::of::<C>(), name: C::NAME, index: link.index() as u32 }
    }
}

impl<D: Dispatch> From<AnyLink<D>> for UntypedLink {
    fn from(link: AnyLink<D>) -> Self {
        let (class, index) = link.parts();
        let class = D::CLASSES[class];
        Self { class: class.type_id(), name: class.name(), index }
    }
}

/// A number for the objects to which a field leads: the same for all fields that lead to the same ones.
#[derive(Default)]
pub struct Mark(AddressHasher);

impl Mark {
    /// Adds an object, if the field leads to one.
    pub(crate) fn add(&mut self, target: Option<UntypedLink>) {
        target.map(|UntypedLink { class, index, .. }| (class, index)).hash(&mut self.0);
    }

    pub(crate) fn number(&self) -> u64 {
        self.0.finish()
    }
}

/// What keeps an ordinary object alive.
#[derive(Clone)]
pub(crate) enum Holder {
    Rc(Rc<dyn Erased>),
    Arc(Arc<dyn Erased + Send + Sync>),
    /// Another object owns it, in a `Box`.
    Owned,
}

impl Holder {
    pub(crate) fn object(&self) -> Option<&dyn Erased> {
        match self {
            Self::Rc(object) => Some(&**object),
            Self::Arc(object) => Some(&**object),
            Self::Owned => None,
        }
    }

    /// Whether nothing else keeps the object alive.
    pub(crate) fn is_last(&self) -> bool {
        match self {
            Self::Rc(object) => Rc::strong_count(object) == 1,
            Self::Arc(object) => Arc::strong_count(object) == 1,
            Self::Owned => false,
        }
    }

    /// The object's address.
    pub(crate) fn address(&self) -> Option<usize> {
        self.object().map(|object| (&raw const *object).addr())
    }

    /// The pointer to the object, if `P` is an `Rc` or `Arc` of its type.
    pub(crate) fn pointer<P: Any>(&self) -> Option<P> {
        let mut pointer: Option<P> = None;
        match self {
            Self::Rc(object) => Rc::clone(object).give(&mut pointer),
            Self::Arc(object) => Arc::clone(object).give_shared(&mut pointer),
            Self::Owned => {}
        }
        pointer
    }
}

/// An object of any ordinary type.
pub(crate) trait Erased {
    fn trace_at<'o>(&'o self, link: UntypedLink, tracer: &mut Tracer<'o, '_>) -> Result<(), TraceError>;
    fn write_at<'o>(&'o self, link: UntypedLink, back: &mut Back<'o, '_>) -> Result<(), TraceError>;
    fn write_mut_at<'o>(&'o mut self, link: UntypedLink, back: &mut Back<'o, '_>) -> Result<(), TraceError>;
    /// Stores the object in an `Option<Rc<X>>`, if `X` is its type.
    fn give(self: Rc<Self>, to: &mut dyn Any);
    /// Stores the object in an `Option<Arc<X>>`, if `X` is its type.
    fn give_shared(self: Arc<Self>, to: &mut dyn Any);
}

impl<X: TraceObject> Erased for X {
    fn trace_at<'o>(&'o self, link: UntypedLink, tracer: &mut Tracer<'o, '_>) -> Result<(), TraceError> {
        self.trace(link, tracer).map_err(|at| at.of(link))
    }
    fn write_at<'o>(&'o self, link: UntypedLink, back: &mut Back<'o, '_>) -> Result<(), TraceError> {
        self.write(link, back).map_err(|at| at.of(link))
    }
    fn write_mut_at<'o>(&'o mut self, link: UntypedLink, back: &mut Back<'o, '_>) -> Result<(), TraceError> {
        self.write_mut(link, back).map_err(|at| at.of(link))
    }
    fn give(self: Rc<Self>, to: &mut dyn Any) {
        if let Some(to) = to.downcast_mut() {
            *to = Some(self);
        }
    }
    fn give_shared(self: Arc<Self>, to: &mut dyn Any) {
        if let Some(to) = to.downcast_mut() {
            *to = Some(self);
        }
    }
}

/// Adds an object to its class.
pub(crate) fn hold<X: TraceObject>(
    object: &X,
    holder: impl FnOnce() -> Holder,
    graph: &mut Graph,
) -> Result<UntypedLink, Problem> {
    let variant = object.variant().map_err(|problem| Problem::Pointee(Box::new(problem)))?;
    X::hold(variant, NewObject { graph, holder: holder(), variant })
}

/// An object that becomes known.
pub struct NewObject<'g> {
    graph: &'g mut Graph,
    holder: Holder,
    variant: usize,
}

impl NewObject<'_> {
    /// Adds it to the objects of class `C`. The ordinary type `X` has these fields of the class.
    ///
    /// # Errors
    ///
    /// The class has too many objects.
    pub fn hold<X: Any, C: Class>(self, columns: fn(&mut Columns<C>)) -> Result<UntypedLink, Problem> {
        let link = self.graph.store_mut::<C>().hold(self.holder, (TypeId::of::<X>(), self.variant), columns);
        Ok(link.map_err(TraceError::from)?.into())
    }
}
