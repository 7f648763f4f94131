//! Pointers between ordinary objects, which become links.

use std::rc::{Rc, Weak};
use std::sync::{Arc, Weak as ArcWeak};

use ikra_core::class::Class;
use ikra_core::dispatch::{AnyLink, Dispatch};
use ikra_core::link::Link;

use crate::back::{Access, Back, Context};
use crate::error::Problem;
use crate::field::TraceField;
use crate::graph::Graph;
use crate::held::{Holder, Mark, UntypedLink};
use crate::object::{Trace, TraceObject};
use crate::tracer::Tracer;

/// A type of pointers to objects, which become links of type `L`: `Rc`, `Arc`, `Box`, `Weak`, and enums of these under
/// `#[derive(Trace)]`. `L` is a link of a trait if the objects are of several classes: trait objects, enums.
///
/// ```
/// use std::rc::Rc;
/// use ikra::{prelude::*, trace::{Refers, Trace}};
///
/// #[soa_class]
/// pub struct Body { pub mass: f32 }
/// #[derive(Trace)]
/// #[trace(class = Body)]
/// struct PlainBody { mass: f32 }
///
/// fn refers<P: Refers<L>, L>() {}
/// refers::<Rc<PlainBody>, Link<Body>>();
/// refers::<Box<PlainBody>, Link<Body>>();
/// ```
///
/// All objects without bytes have one address in a `Box`, so nothing tells them apart. Put them into `Rc`s:
///
/// ```compile_fail,E0080
/// use std::rc::Rc;
/// use ikra::{prelude::*, trace::{Trace, TraceWorld}};
///
/// #[soa_class]
/// pub struct Egg { pub hue: u32 }
/// #[soa_class]
/// pub struct Nest { pub egg: Link<Egg> }
/// #[soa_world]
/// pub struct Tree { pub nests: Objects<Nest>, pub eggs: Objects<Egg> }
///
/// #[derive(Trace)]
/// #[trace(class = Egg, rest(hue = 3))]
/// struct PlainEgg;
/// #[derive(Trace)]
/// #[trace(class = Nest)]
/// struct PlainNest { egg: Box<PlainEgg> }
///
/// let tree = Tree::trace(&Rc::new(PlainNest { egg: Box::new(PlainEgg) }));
/// ```
pub trait Refers<L>: Sized + 'static {
    /// Whether the pointer owns its object.
    #[doc(hidden)]
    const OWNS: bool = false;
    /// Whether a pointer that leads to the right object has to stay, because another one would differ from it.
    #[doc(hidden)]
    const KEEPS: bool = false;
    /// The link to the object, which becomes known; `None` if it was dropped.
    #[doc(hidden)]
    fn refer_if_alive<'o>(&'o self, tracer: &mut Tracer<'o, '_>) -> Result<Option<L>, Problem>;
    /// The same; a problem if it was dropped.
    #[doc(hidden)]
    #[inline]
    fn refer<'o>(&'o self, tracer: &mut Tracer<'o, '_>) -> Result<L, Problem> {
        self.refer_if_alive(tracer)?.ok_or(Problem::Dead)
    }
    /// A pointer to the object of a link.
    #[doc(hidden)]
    fn again(link: L, context: &Context<'_>) -> Result<Self, Problem>;
    /// The same in the variant of this pointer, if this is possible.
    #[doc(hidden)]
    fn like(&self, link: L, context: &Context<'_>) -> Result<Self, Problem> {
        Self::again(link, context)
    }
    /// The object to which the pointer leads, if the trace knows it. It may be `None` if the pointer need not stay.
    #[doc(hidden)]
    fn target(&self, _context: &Context<'_>) -> Option<UntypedLink> {
        None
    }
    /// Notes the object if it is owned.
    #[doc(hidden)]
    fn owned<'o>(&'o self, _back: &mut Back<'o, '_>) {}
    /// The same for a pointer that is not shared.
    #[doc(hidden)]
    fn owned_mut<'o>(&'o mut self, _back: &mut Back<'o, '_>) {}
}

/// A pointer to objects of one class.
///
/// ```
/// use std::rc::Rc;
/// use ikra::{prelude::*, trace::{Pointer, Trace}};
///
/// #[soa_class]
/// pub struct Body { pub mass: f32 }
/// #[derive(Trace)]
/// #[trace(class = Body)]
/// struct PlainBody { mass: f32 }
///
/// let link: Option<Link<<Rc<PlainBody> as Pointer>::Class>> = Link::<Body>::from_id(1);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not point to objects that can be traced",
    label = "not a pointer to traced objects",
    note = "a variant holds an `Rc`, `Arc`, `Box` or `Weak` of a type under `#[derive(Trace)] #[trace(class = Class)]`"
)]
pub trait Pointer: Refers<Link<Self::Class>> {
    /// The class.
    type Class: Class;
}

impl<X: Trace> Pointer for Rc<X> {
    type Class = X::Class;
}
impl<X: Trace + Send + Sync> Pointer for Arc<X> {
    type Class = X::Class;
}
impl<X: Trace> Pointer for Box<X> {
    type Class = X::Class;
}
impl<X: Trace> Pointer for Weak<X> {
    type Class = X::Class;
}
impl<X: Trace + Send + Sync> Pointer for ArcWeak<X> {
    type Class = X::Class;
}

/// The link to a shared object.
#[inline]
pub(crate) fn rc<X: TraceObject>(object: &Rc<X>, graph: &mut Graph) -> Result<X::Link, Problem> {
    graph.enter::<X>(object, || Holder::Rc(Rc::<X>::clone(object)))
}

/// The link to a shared object.
#[inline]
pub(crate) fn arc<X: TraceObject + Send + Sync>(object: &Arc<X>, graph: &mut Graph) -> Result<X::Link, Problem> {
    graph.enter::<X>(object, || Holder::Arc(Arc::<X>::clone(object)))
}

impl<X: Trace> Refers<Link<X::Class>> for Rc<X> {
    #[inline]
    fn refer_if_alive<'o>(&'o self, tracer: &mut Tracer<'o, '_>) -> Result<Option<Link<X::Class>>, Problem> {
        rc(self, tracer.graph).map(Some)
    }
    fn again(link: Link<X::Class>, context: &Context<'_>) -> Result<Self, Problem> {
        context.graph.pointer(link.into())
    }
    fn target(&self, context: &Context<'_>) -> Option<UntypedLink> {
        context.graph.untyped(Self::as_ptr(self).addr())
    }
}

impl<X: Trace + Send + Sync> Refers<Link<X::Class>> for Arc<X> {
    #[inline]
    fn refer_if_alive<'o>(&'o self, tracer: &mut Tracer<'o, '_>) -> Result<Option<Link<X::Class>>, Problem> {
        arc(self, tracer.graph).map(Some)
    }
    fn again(link: Link<X::Class>, context: &Context<'_>) -> Result<Self, Problem> {
        context.graph.pointer(link.into())
    }
    fn target(&self, context: &Context<'_>) -> Option<UntypedLink> {
        context.graph.untyped(Self::as_ptr(self).addr())
    }
}

impl<X: TraceObject> Refers<X::Link> for Box<X> {
    const OWNS: bool = true;
    const KEEPS: bool = true;

    fn refer_if_alive<'o>(&'o self, tracer: &mut Tracer<'o, '_>) -> Result<Option<X::Link>, Problem> {
        tracer.own::<X>(self).map(Some)
    }
    fn again(_: X::Link, _: &Context<'_>) -> Result<Self, Problem> {
        Err(Problem::Owned)
    }
    fn target(&self, context: &Context<'_>) -> Option<UntypedLink> {
        context.graph.owned::<X>(self)
    }
    fn owned<'o>(&'o self, back: &mut Back<'o, '_>) {
        if let Some(link) = back.context.graph.owned::<X>(self) {
            back.own(link, Access::Shared(&**self));
        }
    }
    fn owned_mut<'o>(&'o mut self, back: &mut Back<'o, '_>) {
        if let Some(link) = back.context.graph.owned::<X>(self) {
            back.own(link, Access::Exclusive(&mut **self));
        }
    }
}

/// Weak pointers. In a class's field that may be empty, an empty one is `Weak::new()`.
macro_rules! weak {
    ($([$($bounds:tt)*] $weak:ident, $strong:ident, $enter:path;)*) => { $(
        impl<X: Trace $($bounds)*> Refers<Link<X::Class>> for $weak<X> {
            fn refer_if_alive<'o>(&'o self, tracer: &mut Tracer<'o, '_>) -> Result<Option<Link<X::Class>>, Problem> {
                self.upgrade().map(|object| $enter(&object, tracer.graph)).transpose()
            }
            fn again(link: Link<X::Class>, context: &Context<'_>) -> Result<Self, Problem> {
                context.graph.pointer(link.into()).map(|object| $strong::downgrade(&object))
            }
            fn target(&self, context: &Context<'_>) -> Option<UntypedLink> {
                context.graph.untyped(self.as_ptr().addr())
            }
        }

        impl<X: TraceObject $($bounds)*> TraceField<Option<X::Link>> for $weak<X> {
            fn traced<'o>(&'o self, tracer: &mut Tracer<'o, '_>) -> Result<Option<X::Link>, Problem> {
                self.upgrade().map(|object| $enter(&object, tracer.graph)).transpose()
            }
            fn make(value: Option<X::Link>, context: &Context<'_>) -> Result<Self, Problem> {
                let Some(link) = value else { return Ok(Self::new()) };
                context.graph.pointer(link.into()).map(|object| $strong::<X>::downgrade(&object))
            }
        }
    )* };
}
weak! {
    [] Weak, Rc, rc;
    [+ Send + Sync] ArcWeak, Arc, arc;
}

/// Pointers as fields, and in an `Option`.
macro_rules! fields {
    ($([$param:ident: $bound:ident] $link:ty;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<$param: $bound, R: Refers<$link>> TraceField<$link> for R {
            const OWNS: bool = R::OWNS;
            const KEEPS: bool = R::KEEPS;

            #[inline]
            fn traced<'o>(&'o self, tracer: &mut Tracer<'o, '_>) -> Result<$link, Problem> {
                self.refer(tracer)
            }
            fn make(value: $link, context: &Context<'_>) -> Result<Self, Problem> {
                R::again(value, context)
            }
            fn like(&self, value: $link, context: &Context<'_>) -> Result<Self, Problem> {
                Refers::like(self, value, context)
            }
            fn has(&self, value: &$link, context: &Context<'_>) -> bool {
                self.target(context) == Some((*value).into())
            }
            fn mark(&self, context: &Context<'_>, mark: &mut Mark) {
                mark.add(self.target(context));
            }
            fn mark_of(value: &$link, mark: &mut Mark) {
                mark.add(Some((*value).into()));
            }
            fn removed(self, context: &Context<'_>) {
                context.keep::<R, $link>(self);
            }
            fn owned<'o>(&'o self, back: &mut Back<'o, '_>) -> Result<(), Problem> {
                Refers::owned(self, back);
                Ok(())
            }
            fn owned_mut<'o>(&'o mut self, back: &mut Back<'o, '_>) -> Result<(), Problem> {
                Refers::owned_mut(self, back);
                Ok(())
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$param: $bound, R: Refers<$link>> TraceField<Option<$link>> for Option<R> {
            const OWNS: bool = R::OWNS;
            const KEEPS: bool = R::KEEPS;

            #[inline]
            fn traced<'o>(&'o self, tracer: &mut Tracer<'o, '_>) -> Result<Option<$link>, Problem> {
                self.as_ref().map_or(Ok(None), |pointer| pointer.refer_if_alive(tracer))
            }
            fn make(value: Option<$link>, context: &Context<'_>) -> Result<Self, Problem> {
                value.map(|link| R::again(link, context)).transpose()
            }
            fn like(&self, value: Option<$link>, context: &Context<'_>) -> Result<Self, Problem> {
                match (self, value) {
                    (Some(pointer), Some(link)) => Refers::like(pointer, link, context).map(Some),
                    (_, value) => Self::make(value, context),
                }
            }
            fn has(&self, value: &Option<$link>, context: &Context<'_>) -> bool {
                match (self, value) {
                    (Some(pointer), Some(link)) => pointer.target(context) == Some((*link).into()),
                    (this, value) => this.is_none() && value.is_none(),
                }
            }
            fn mark(&self, context: &Context<'_>, mark: &mut Mark) {
                mark.add(self.as_ref().and_then(|pointer| pointer.target(context)));
            }
            fn mark_of(value: &Option<$link>, mark: &mut Mark) {
                mark.add(value.map(UntypedLink::from));
            }
            fn removed(self, context: &Context<'_>) {
                if let Some(pointer) = self {
                    context.keep::<R, $link>(pointer);
                }
            }
            fn owned<'o>(&'o self, back: &mut Back<'o, '_>) -> Result<(), Problem> {
                if let Some(pointer) = self {
                    Refers::owned(pointer, back);
                }
                Ok(())
            }
            fn owned_mut<'o>(&'o mut self, back: &mut Back<'o, '_>) -> Result<(), Problem> {
                if let Some(pointer) = self {
                    Refers::owned_mut(pointer, back);
                }
                Ok(())
            }
        }
    )* };
}
fields! {
    [C: Class] Link<C>;
    [D: Dispatch] AnyLink<D>;
}
