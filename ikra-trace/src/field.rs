//! Fields of ordinary types, and the fields of classes that they become.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, RwLock};

use ikra_core::storage::InnerArray;
use ikra_core::value::Fixed;

use crate::back::{Back, Context};
use crate::error::Problem;
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
    /// The value in the row.
    #[doc(hidden)]
    fn traced<'o>(&'o self, tracer: &mut Tracer<'o, '_>) -> Result<T, Problem>;
    /// A field of this value.
    #[doc(hidden)]
    fn make(value: T, context: &Context<'_>) -> Result<Self, Problem>;
    /// Stores a value in a field of a shared object.
    #[doc(hidden)]
    fn write(&self, _value: T, _context: &Context<'_>) -> Result<(), Problem> {
        Err(Problem::Immutable)
    }
    /// Stores a value.
    #[doc(hidden)]
    fn write_mut(&mut self, value: T, context: &Context<'_>) -> Result<(), Problem> {
        *self = Self::make(value, context)?;
        Ok(())
    }
    /// Notes the owned objects, given the value when they were traced.
    #[doc(hidden)]
    fn owned<'o>(&'o self, _before: &T, _back: &mut Back<'o, '_>) -> Result<(), Problem> {
        Ok(())
    }
    /// The same for a field that is not shared.
    #[doc(hidden)]
    fn owned_mut<'o>(&'o mut self, _before: &T, _back: &mut Back<'o, '_>) -> Result<(), Problem> {
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
    ($($cell:ident: $read:expr, $write:expr, $get_mut:expr;)*) => { $(
        impl<T, F: TraceField<T>> TraceField<T> for $cell<F> {
            const OWNS: bool = F::OWNS;

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
            fn write(&self, value: T, context: &Context<'_>) -> Result<(), Problem> {
                $write(self)?.write_mut(value, context)
            }
            fn write_mut(&mut self, value: T, context: &Context<'_>) -> Result<(), Problem> {
                $get_mut(self)?.write_mut(value, context)
            }
            fn owned<'o>(&'o self, before: &T, back: &mut Back<'o, '_>) -> Result<(), Problem> {
                let mut guard = $write(self)?;
                let mut inner = back.inner();
                guard.owned_mut(before, &mut inner)?;
                inner.finish()
            }
            fn owned_mut<'o>(&'o mut self, before: &T, back: &mut Back<'o, '_>) -> Result<(), Problem> {
                $get_mut(self)?.owned_mut(before, back)
            }
        }
    )* };
}

cells! {
    RefCell:
        |cell: &'o RefCell<F>| cell.try_borrow().map_err(|_| Problem::Borrowed),
        (|cell| RefCell::try_borrow_mut(cell).map_err(|_| Problem::Borrowed)),
        (|cell| Ok::<_, Problem>(RefCell::get_mut(cell)));
    Mutex:
        |cell: &'o Mutex<F>| free(cell.try_lock()),
        (|cell| free(Mutex::try_lock(cell))),
        (|cell| sound(Mutex::get_mut(cell)));
    RwLock:
        |cell: &'o RwLock<F>| free(cell.try_read()),
        (|cell| free(RwLock::try_write(cell))),
        (|cell| sound(RwLock::get_mut(cell)));
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

    #[inline]
    fn traced<'o>(&'o self, tracer: &mut Tracer<'o, '_>) -> Result<[T; N], Problem> {
        array(|n| self[n].traced(tracer))
    }
    fn make(value: [T; N], context: &Context<'_>) -> Result<Self, Problem> {
        array(|n| F::make(value[n], context))
    }
    fn write(&self, value: [T; N], context: &Context<'_>) -> Result<(), Problem> {
        self.iter().zip(value).try_for_each(|(field, value)| field.write(value, context))
    }
    fn write_mut(&mut self, value: [T; N], context: &Context<'_>) -> Result<(), Problem> {
        self.iter_mut().zip(value).try_for_each(|(field, value)| field.write_mut(value, context))
    }
    fn owned<'o>(&'o self, before: &[T; N], back: &mut Back<'o, '_>) -> Result<(), Problem> {
        self.iter().zip(before).try_for_each(|(field, before)| field.owned(before, back))
    }
    fn owned_mut<'o>(&'o mut self, before: &[T; N], back: &mut Back<'o, '_>) -> Result<(), Problem> {
        self.iter_mut().zip(before).try_for_each(|(field, before)| field.owned_mut(before, back))
    }
}

impl<T: Copy, F: TraceField<T>> TraceField<InnerArray<T>> for Vec<F> {
    const OWNS: bool = F::OWNS;

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
        self.truncate(value.len());
        let (kept, new) = value.split_at(self.len());
        self.iter_mut().zip(kept).try_for_each(|(field, &value)| field.write_mut(value, context))?;
        for &value in new {
            self.push(F::make(value, context)?);
        }
        Ok(())
    }
    fn owned<'o>(&'o self, before: &InnerArray<T>, back: &mut Back<'o, '_>) -> Result<(), Problem> {
        self.iter().zip(&**before).try_for_each(|(field, before)| field.owned(before, back))
    }
    fn owned_mut<'o>(&'o mut self, before: &InnerArray<T>, back: &mut Back<'o, '_>) -> Result<(), Problem> {
        self.iter_mut().zip(&**before).try_for_each(|(field, before)| field.owned_mut(before, back))
    }
}
