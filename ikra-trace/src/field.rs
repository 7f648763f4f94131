//! Fields of ordinary types, and the fields of classes that they become.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::mem::{replace, take};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError, RwLock};

use ikra_core::storage::InnerArray;
use ikra_core::value::Fixed;

use crate::back::{Back, Context};
use crate::error::Problem;
use crate::held::Mark;
use crate::object::{free, sound};
use crate::tracer::Tracer;

/// An ordinary field that becomes a class's field of type `T`.
///
/// | ordinary field | class's field |
/// | --- | --- |
/// | a number, `bool`, a type under `#[trace(value)]`, with the feature `glam` its types | the same type |
/// | `usize`, `isize`, `char` | `u32` or `u64`, `i32` or `i64`, `u32` |
/// | `String` | `u32`, a number for the text |
/// | `Rc<X>`, `Arc<X>`, `Box<X>`, `Weak<X>`, an enum of these | `Link<C>`, or `ActorLink` if `X` is an enum |
/// | `Rc<dyn Actor>`, `Arc<dyn Actor>`, `Weak<dyn Actor>` | `ActorLink` |
/// | `Option` of a pointer, `Weak<X>` | `Option<Link<C>>`, `Option<ActorLink>` |
/// | `[F; N]`, `Vec<F>` | `[T; N]`, `InnerArray<T>` |
/// | `Cell<F>`, `RefCell<F>`, `Mutex<F>`, `RwLock<F>`, `AtomicU32` and others | as `F`, or the number |
///
/// ```
/// use std::cell::RefCell;
/// use std::rc::{Rc, Weak};
/// use ikra::{InnerArray, prelude::*, trace::{Trace, TraceField}};
///
/// #[soa_class]
/// pub struct Node { pub parent: Option<Link<Node>> }
/// #[derive(Trace)]
/// #[trace(class = Node)]
/// struct PlainNode { parent: RefCell<Weak<PlainNode>> }
///
/// fn becomes<F: TraceField<T>, T>() {}
/// becomes::<RefCell<Vec<Rc<PlainNode>>>, InnerArray<Link<Node>>>();
/// becomes::<Option<Weak<PlainNode>>, Option<Link<Node>>>();
/// becomes::<[usize; 3], [u64; 3]>();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be traced into a field of type `{T}`",
    label = "cannot become a `{T}`",
    note = "numbers stay numbers, `Rc<X>` becomes `Link<C>` if `X` is under `#[derive(Trace)] #[trace(class = C)]`, and a link of `D` if `X` is an enum under `#[trace(link = D)]`, `Option<Rc<X>>` and `Weak<X>` become `Option<Link<C>>`, `Vec<F>` becomes `InnerArray<T>`, `String` becomes `u32`",
    note = "`Rc<dyn Trait>` becomes a link of `D` if `Trait` has the supertrait `TraceAs<D>`, and so does `Arc<dyn Trait>` with the supertraits `Send + Sync` too",
    note = "leave the field out by `#[trace(skip)]`, or convert it by `#[trace(with = module)]`"
)]
pub trait TraceField<T>: Sized {
    /// Whether the field owns objects.
    #[doc(hidden)]
    const OWNS: bool = false;
    /// Whether a field that has the right value has to stay, because another one would differ from it.
    #[doc(hidden)]
    const KEEPS: bool = false;
    /// Whether a field of a shared object can be written.
    #[doc(hidden)]
    const WRITES: bool = false;
    /// The value in the row.
    #[doc(hidden)]
    fn traced<'o>(&'o self, tracer: &mut Tracer<'o, '_>) -> Result<T, Problem>;
    /// A field of this value.
    #[doc(hidden)]
    fn make(value: T, context: &Context<'_>) -> Result<Self, Problem>;
    /// The same for a field that replaces this one.
    #[doc(hidden)]
    fn like(&self, value: T, context: &Context<'_>) -> Result<Self, Problem> {
        Self::make(value, context)
    }
    /// Whether the field has this value. It may be `false` if the field need not stay.
    #[doc(hidden)]
    fn has(&self, _value: &T, _context: &Context<'_>) -> bool {
        false
    }
    /// Adds the objects to which the field leads. A field that has a value gets the mark of the value.
    #[doc(hidden)]
    fn mark(&self, _context: &Context<'_>, _mark: &mut Mark) {}
    /// The same for a value.
    #[doc(hidden)]
    fn mark_of(_value: &T, _mark: &mut Mark) {}
    /// Keeps the objects that the field owns: another field has replaced it.
    #[doc(hidden)]
    fn removed(self, _context: &Context<'_>) {}
    /// Stores a value in a field of a shared object.
    #[doc(hidden)]
    fn write(&self, _value: T, _context: &Context<'_>) -> Result<(), Problem> {
        Err(Problem::Immutable)
    }
    /// Stores a value; if there is a problem, nothing changes.
    #[doc(hidden)]
    fn write_mut(&mut self, value: T, context: &Context<'_>) -> Result<(), Problem> {
        if !self.stays(&value, context) {
            let new = self.like(value, context)?;
            replace(self, new).removed(context);
        }
        Ok(())
    }
    /// Whether the field has this value and has to stay.
    #[doc(hidden)]
    fn stays(&self, value: &T, context: &Context<'_>) -> bool {
        Self::KEEPS && self.has(value, context)
    }
    /// Notes the owned objects.
    #[doc(hidden)]
    fn owned<'o>(&'o self, _back: &mut Back<'o, '_>) -> Result<(), Problem> {
        Ok(())
    }
    /// The same for a field that is not shared.
    #[doc(hidden)]
    fn owned_mut<'o>(&'o mut self, _back: &mut Back<'o, '_>) -> Result<(), Problem> {
        Ok(())
    }
}

/// Values that stay the same.
macro_rules! values {
    ($($value:ty),*) => { $(
        impl TraceField<$value> for $value {
            #[inline]
            fn traced<'o>(&'o self, _: &mut Tracer<'o, '_>) -> Result<$value, Problem> {
                Ok(*self)
            }
            #[inline]
            fn make(value: $value, _: &Context<'_>) -> Result<Self, Problem> {
                Ok(value)
            }
        }
    )* };
}
values!(u8, u16, u32, u64, i8, i16, i32, i64, f32, f64, bool);

#[cfg(feature = "glam")]
mod vectors {
    use glam::{
        DMat2, DMat3, DMat4, DQuat, DVec2, DVec3, DVec4, IVec2, IVec3, IVec4, Mat2, Mat3, Mat4, Quat, UVec2, UVec3,
        UVec4, Vec2, Vec3, Vec3A, Vec4,
    };

    use super::{Context, Problem, TraceField, Tracer};

    values!(Vec2, Vec3, Vec3A, Vec4, Quat, Mat2, Mat3, Mat4, DVec2, DVec3, DVec4, DQuat, DMat2, DMat3, DMat4);
    values!(IVec2, IVec3, IVec4, UVec2, UVec3, UVec4);
}

impl<const FRACTION: u32> TraceField<Self> for Fixed<FRACTION> {
    fn traced<'o>(&'o self, _: &mut Tracer<'o, '_>) -> Result<Self, Problem> {
        Ok(*self)
    }
    fn make(value: Self, _: &Context<'_>) -> Result<Self, Problem> {
        Ok(value)
    }
}

/// Numbers of other types on the two sides.
macro_rules! converted {
    ($($ordinary:ty as $number:ty),*) => { $(
        impl TraceField<$number> for $ordinary {
            #[inline]
            fn traced<'o>(&'o self, _: &mut Tracer<'o, '_>) -> Result<$number, Problem> {
                <$number>::try_from(*self).map_err(|_| Problem::OutOfRange)
            }
            #[inline]
            fn make(value: $number, _: &Context<'_>) -> Result<Self, Problem> {
                <$ordinary>::try_from(value).map_err(|_| Problem::OutOfRange)
            }
        }
    )* };
}
converted!(usize as u32, usize as u64, isize as i32, isize as i64, char as u32);

macro_rules! atomics {
    ($($atomic:ty as $number:ty),*) => { $(
        impl TraceField<$number> for $atomic {
            const WRITES: bool = true;

            fn traced<'o>(&'o self, _: &mut Tracer<'o, '_>) -> Result<$number, Problem> {
                Ok(self.load(Relaxed))
            }
            fn make(value: $number, _: &Context<'_>) -> Result<Self, Problem> {
                Ok(Self::new(value))
            }
            fn write(&self, value: $number, _: &Context<'_>) -> Result<(), Problem> {
                self.store(value, Relaxed);
                Ok(())
            }
        }
    )* };
}
atomics!(AtomicU32 as u32, AtomicI32 as i32, AtomicU64 as u64, AtomicI64 as i64, AtomicBool as bool);

impl TraceField<u32> for String {
    fn traced<'o>(&'o self, tracer: &mut Tracer<'o, '_>) -> Result<u32, Problem> {
        tracer.graph.texts.number(self)
    }
    fn make(value: u32, context: &Context<'_>) -> Result<Self, Problem> {
        context.graph.texts.text(value).map(str::to_owned).ok_or(Problem::NoText)
    }
}

impl<T, F: TraceField<T> + Copy> TraceField<T> for Cell<F> {
    const WRITES: bool = true;

    #[inline]
    fn traced<'o>(&'o self, tracer: &mut Tracer<'o, '_>) -> Result<T, Problem> {
        // A type that is `Copy` owns nothing.
        self.get().traced(&mut tracer.inner())
    }
    fn make(value: T, context: &Context<'_>) -> Result<Self, Problem> {
        F::make(value, context).map(Self::new)
    }
    #[inline]
    fn write(&self, value: T, context: &Context<'_>) -> Result<(), Problem> {
        let mut field = self.get();
        field.write_mut(value, context)?;
        self.set(field);
        Ok(())
    }
    fn write_mut(&mut self, value: T, context: &Context<'_>) -> Result<(), Problem> {
        self.get_mut().write_mut(value, context)
    }
}

/// Cells whose guards last for one visit.
macro_rules! cells {
    ($($cell:ident: $read:expr, $write:expr, $get_mut:expr, $into_inner:expr;)*) => { $(
        impl<T, F: TraceField<T>> TraceField<T> for $cell<F> {
            const OWNS: bool = F::OWNS;
            const KEEPS: bool = F::KEEPS;
            const WRITES: bool = true;

            fn traced<'o>(&'o self, tracer: &mut Tracer<'o, '_>) -> Result<T, Problem> {
                let guard = $read(self)?;
                let mut inner = tracer.inner();
                let value = guard.traced(&mut inner)?;
                inner.finish()?;
                Ok(value)
            }
            fn make(value: T, context: &Context<'_>) -> Result<Self, Problem> {
                F::make(value, context).map(Self::new)
            }
            fn like(&self, value: T, context: &Context<'_>) -> Result<Self, Problem> {
                $read(self)?.like(value, context).map(Self::new)
            }
            fn has(&self, value: &T, context: &Context<'_>) -> bool {
                $read(self).is_ok_and(|field| field.has(value, context))
            }
            fn mark(&self, context: &Context<'_>, mark: &mut Mark) {
                // A field that cannot be read has no value.
                if let Ok(field) = $read(self) {
                    field.mark(context, mark);
                }
            }
            fn mark_of(value: &T, mark: &mut Mark) {
                F::mark_of(value, mark);
            }
            fn removed(self, context: &Context<'_>) {
                $into_inner(self).removed(context);
            }
            fn write(&self, value: T, context: &Context<'_>) -> Result<(), Problem> {
                $write(self)?.write_mut(value, context)
            }
            fn write_mut(&mut self, value: T, context: &Context<'_>) -> Result<(), Problem> {
                $get_mut(self)?.write_mut(value, context)
            }
            fn owned<'o>(&'o self, back: &mut Back<'o, '_>) -> Result<(), Problem> {
                let mut guard = $write(self)?;
                let mut inner = back.inner();
                guard.owned_mut(&mut inner)?;
                inner.finish()
            }
            fn owned_mut<'o>(&'o mut self, back: &mut Back<'o, '_>) -> Result<(), Problem> {
                $get_mut(self)?.owned_mut(back)
            }
        }
    )* };
}

cells! {
    RefCell:
        (|cell| RefCell::try_borrow(cell).map_err(|_| Problem::Borrowed)),
        (|cell| RefCell::try_borrow_mut(cell).map_err(|_| Problem::Borrowed)),
        (|cell| Ok::<_, Problem>(RefCell::get_mut(cell))),
        RefCell::into_inner;
    Mutex:
        (|cell| free(Mutex::try_lock(cell))),
        (|cell| free(Mutex::try_lock(cell))),
        (|cell| sound(Mutex::get_mut(cell))),
        (|cell| Mutex::into_inner(cell).unwrap_or_else(PoisonError::into_inner));
    RwLock:
        (|cell| free(RwLock::try_read(cell))),
        (|cell| free(RwLock::try_write(cell))),
        (|cell| sound(RwLock::get_mut(cell))),
        (|cell| RwLock::into_inner(cell).unwrap_or_else(PoisonError::into_inner));
}

/// An array of results.
fn array<T, const N: usize>(mut element: impl FnMut(usize) -> Result<T, Problem>) -> Result<[T; N], Problem> {
    let mut problem = None;
    let elements: [Option<T>; N] = std::array::from_fn(|n| {
        if problem.is_some() {
            return None;
        }
        element(n).map_err(|found| problem = Some(found)).ok()
    });
    match problem {
        Some(problem) => Err(problem),
        None => Ok(elements.map(|element| match element {
            Some(element) => element,
            None => unreachable!("no element has a problem"),
        })),
    }
}

impl<T: Copy, F: TraceField<T>, const N: usize> TraceField<[T; N]> for [F; N] {
    const OWNS: bool = F::OWNS;
    const KEEPS: bool = F::KEEPS;
    const WRITES: bool = F::WRITES;

    #[inline]
    fn traced<'o>(&'o self, tracer: &mut Tracer<'o, '_>) -> Result<[T; N], Problem> {
        array(|n| self[n].traced(tracer))
    }
    fn make(value: [T; N], context: &Context<'_>) -> Result<Self, Problem> {
        array(|n| F::make(value[n], context))
    }
    fn like(&self, value: [T; N], context: &Context<'_>) -> Result<Self, Problem> {
        array(|n| self[n].like(value[n], context))
    }
    fn has(&self, value: &[T; N], context: &Context<'_>) -> bool {
        self.iter().zip(value).all(|(field, value)| field.has(value, context))
    }
    fn mark(&self, context: &Context<'_>, mark: &mut Mark) {
        self.iter().for_each(|field| field.mark(context, mark));
    }
    fn mark_of(value: &[T; N], mark: &mut Mark) {
        value.iter().for_each(|value| F::mark_of(value, mark));
    }
    fn removed(self, context: &Context<'_>) {
        self.into_iter().for_each(|field| field.removed(context));
    }
    fn write(&self, value: [T; N], context: &Context<'_>) -> Result<(), Problem> {
        self.iter().zip(value).try_for_each(|(field, value)| field.write(value, context))
    }
    fn write_mut(&mut self, value: [T; N], context: &Context<'_>) -> Result<(), Problem> {
        let new: [_; N] = array(|n| match self[n].stays(&value[n], context) {
            true => Ok(None),
            false => self[n].like(value[n], context).map(Some),
        })?;
        for (field, new) in self.iter_mut().zip(new) {
            if let Some(new) = new {
                replace(field, new).removed(context);
            }
        }
        Ok(())
    }
    fn owned<'o>(&'o self, back: &mut Back<'o, '_>) -> Result<(), Problem> {
        self.iter().try_for_each(|field| field.owned(back))
    }
    fn owned_mut<'o>(&'o mut self, back: &mut Back<'o, '_>) -> Result<(), Problem> {
        self.iter_mut().try_for_each(|field| field.owned_mut(back))
    }
}

impl<T: Copy, F: TraceField<T>> TraceField<InnerArray<T>> for Vec<F> {
    const OWNS: bool = F::OWNS;
    const WRITES: bool = F::WRITES;

    #[inline]
    fn traced<'o>(&'o self, tracer: &mut Tracer<'o, '_>) -> Result<InnerArray<T>, Problem> {
        let mut values = Vec::with_capacity(self.len());
        for field in self {
            values.push(field.traced(tracer)?);
        }
        Ok(values.into_iter().collect())
    }
    fn make(value: InnerArray<T>, context: &Context<'_>) -> Result<Self, Problem> {
        value.iter().map(|&value| F::make(value, context)).collect()
    }
    /// Cells in a `Vec` of the same length can be written.
    fn write(&self, value: InnerArray<T>, context: &Context<'_>) -> Result<(), Problem> {
        if self.len() != value.len() {
            return Err(Problem::Immutable);
        }
        self.iter().zip(&*value).try_for_each(|(field, &value)| field.write(value, context))
    }
    fn write_mut(&mut self, value: InnerArray<T>, context: &Context<'_>) -> Result<(), Problem> {
        if F::KEEPS {
            return rewrite(self, &value, context);
        }
        let new = value.iter().enumerate().map(|(n, &value)| match self.get(n) {
            Some(field) => field.like(value, context),
            None => F::make(value, context),
        });
        *self = new.collect::<Result<_, _>>()?;
        Ok(())
    }
    fn owned<'o>(&'o self, back: &mut Back<'o, '_>) -> Result<(), Problem> {
        self.iter().try_for_each(|field| field.owned(back))
    }
    fn owned_mut<'o>(&'o mut self, back: &mut Back<'o, '_>) -> Result<(), Problem> {
        self.iter_mut().try_for_each(|field| field.owned_mut(back))
    }
}

/// Gives a list new values. Elements that have one of these move along with it. If there is a problem, nothing changes.
fn rewrite<T: Copy, F: TraceField<T>>(fields: &mut Vec<F>, values: &[T], context: &Context<'_>) -> Result<(), Problem> {
    let places = places(fields, values, context);
    let mut moves = vec![false; fields.len()];
    places.iter().flatten().for_each(|&place| moves[place] = true);
    let replaced = |n: usize| fields.get(n).filter(|_| !moves[n]);
    let new = places.iter().zip(values).enumerate().map(|(n, (place, &value))| match (place, replaced(n)) {
        (Some(_), _) => Ok(None),
        (None, Some(field)) => field.like(value, context).map(Some),
        (None, None) => F::make(value, context).map(Some),
    });
    let new: Vec<_> = new.collect::<Result<_, _>>()?;
    let mut old: Vec<_> = take(fields).into_iter().map(Some).collect();
    let moved = places.into_iter().map(|place| place.and_then(|place| old[place].take()));
    *fields = moved.zip(new).filter_map(|(moved, new)| moved.or(new)).collect();
    old.into_iter().flatten().for_each(|field| field.removed(context));
    Ok(())
}

/// For each value, the place of the element that has it: the same place if possible, otherwise one that no other value
/// has.
fn places<T, F: TraceField<T>>(fields: &[F], values: &[T], context: &Context<'_>) -> Vec<Option<usize>> {
    let has = |n: usize| fields.get(n).is_some_and(|field| field.has(&values[n], context));
    let mut places: Vec<_> = (0..values.len()).map(|n| has(n).then_some(n)).collect();
    // The elements that are free, by what they lead to.
    let mut free: BTreeSet<_> = (0..fields.len())
        .filter(|&n| places.get(n).is_none_or(Option::is_none))
        .map(|n| (marked(|mark| fields[n].mark(context, mark)), n))
        .collect();
    // Most elements keep their order, so the next one is behind the last one that was found.
    let mut next = 0;
    for (place, value) in places.iter_mut().zip(values).filter(|(place, _)| place.is_none()) {
        let mark = marked(|mark| F::mark_of(value, mark));
        let (behind, before) = (free.range((mark, next)..=(mark, usize::MAX)), free.range((mark, 0)..(mark, next)));
        if let Some(found) = behind.chain(before).find(|(_, n)| fields[*n].has(value, context)).copied() {
            free.remove(&found);
            *place = Some(found.1);
            next = found.1 + 1;
        }
    }
    places
}

fn marked(add: impl FnOnce(&mut Mark)) -> u64 {
    let mut mark = Mark::default();
    add(&mut mark);
    mark.number()
}
