//! The objects of a run.

use std::fmt::{self, Debug};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::Arc;

use crate::error::Error;
use crate::list::ListOrder;
use crate::objects::AnyObjects;

/// The objects of a run, for each of its kernel's classes: all of them, or a part. An executor that shares a run with
/// others passes its part to [`Run::on_host`](crate::executor::Run::on_host).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Part<'a> {
    /// All objects of all classes.
    All,
    /// The objects at some positions: one range per class, in the order of the classes.
    Ranges(&'a [Range<usize>]),
    /// The objects in a list.
    List(&'a Arc<ListOrder>),
    /// All objects, of which other processes run the kernel for some, and complete its results.
    Shared(&'a Arc<dyn Sharing>),
}

/// Processes that run a kernel together, each for some of the objects.
///
/// # Safety
///
/// 1. [`complete`](Self::complete) returns `Ok` only if it has filled all results. Those of other processes are the bytes
///    that the same program has computed there for the same objects.
/// 2. The results are of types that hold no pointers, as all results of [`Run`](crate::executor::Run)s are.
/// 3. Calls for the objects in [`inner`](Self::inner) use nothing that is still to [arrive](Self::arrive), and change nothing
///    that others still copy.
pub unsafe trait Sharing: Debug + Send + Sync {
    /// The positions of this process's objects of the kernel's class with this number. Processes have
    /// consecutive ranges, which begin at multiples of the [span](ikra_core::reduce::Chunks::span) of light kernels with
    /// small results, or at the number of objects. All other spans divide that one.
    fn own(&self, class: usize) -> Range<usize>;

    /// The positions, among [`own`](Self::own), of objects for which the kernel can run before [`arrive`](Self::arrive).
    fn inner(&self, class: usize) -> Range<usize> {
        let _ = class;
        0..0
    }

    /// Lets values of other processes' objects arrive, which the kernel needs for the objects outside of
    /// [`inner`](Self::inner). A device calls it once, between the calls for these and those for the others.
    ///
    /// # Errors
    ///
    /// [`Error::Cluster`], and errors of devices.
    fn arrive(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Completes the results of all processes, `size` bytes each. This process has computed those in `own`; the others
    /// follow each other in the order of the processes.
    ///
    /// # Errors
    ///
    /// [`Error::Cluster`].
    fn complete(&self, results: &mut [MaybeUninit<u8>], size: usize, own: Range<usize>) -> Result<(), Error>;
}

/// A class's objects in a run that several processes share.
#[derive(Clone, Debug)]
pub struct SharedExtent {
    sharing: Arc<dyn Sharing>,
    own: Range<usize>,
    inner: Range<usize>,
    count: usize,
}

impl SharedExtent {
    /// This process's part of `count` objects of the class with this number; `None` if it has others.
    pub(crate) fn new(sharing: &Arc<dyn Sharing>, class: usize, count: usize) -> Option<Self> {
        let (own, inner) = (sharing.own(class), sharing.inner(class));
        let exists = own.start <= own.end && own.end <= count;
        // None of them, or some of the own ones.
        let inner = inner.start.clamp(own.start, own.end)..inner.end.clamp(own.start, own.end);
        exists.then(|| Self { sharing: Arc::clone(sharing), own, inner, count })
    }

    /// The positions of this process's objects.
    #[must_use]
    pub fn own(&self) -> Range<usize> {
        self.own.clone()
    }

    /// The positions of this process's objects in the order in which a device starts their calls, or one range.
    /// [`Sharing::arrive`] comes after the first range.
    #[must_use]
    pub fn turns(&self) -> [Range<usize>; 3] {
        let Self { own, inner, .. } = self;
        match inner.is_empty() {
            true => [0..0, own.clone(), 0..0],
            false => [inner.clone(), own.start..inner.start, inner.end..own.end],
        }
    }

    /// The number of objects of all processes.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The processes that share the run.
    #[must_use]
    pub fn sharing(&self) -> &dyn Sharing {
        &*self.sharing
    }

    /// Completes results, of which this process has some, with those of the other processes. There are `count` in all, and
    /// this process's are `parts`.
    ///
    /// # Errors
    ///
    /// [`Error::Cluster`].
    ///
    /// # Safety
    ///
    /// The type holds no pointers: it is that of the results of a [`Run`](crate::executor::Run).
    pub(super) unsafe fn complete<T>(&self, parts: Vec<T>, first: usize, count: usize) -> Result<Vec<T>, Error> {
        let own = first..first + parts.len();
        assert!(own.end <= count, "{own:?} of {count} results");
        let mut all = Vec::<T>::with_capacity(count);
        // SAFETY: the vector has room for all of them, and `MaybeUninit` needs no values.
        let bytes = unsafe {
            std::slice::from_raw_parts_mut(all.as_mut_ptr().cast::<MaybeUninit<u8>>(), count * size_of::<T>())
        };
        let parts = std::mem::ManuallyDrop::new(parts);
        // SAFETY: the parts' bytes, which may have padding.
        let from = unsafe {
            std::slice::from_raw_parts(parts.as_ptr().cast::<MaybeUninit<u8>>(), parts.len() * size_of::<T>())
        };
        bytes[own.start * size_of::<T>()..own.end * size_of::<T>()].copy_from_slice(from);
        self.sharing.complete(bytes, size_of::<T>(), own)?;
        // SAFETY: all of them were filled: the own ones above, which are not used elsewhere, and the others by the contract
        // of `Sharing`. They hold no pointers, so that they mean the same in each process.
        unsafe { all.set_len(count) };
        Ok(all)
    }
}

/// A run's objects of one class.
#[derive(Clone)]
#[non_exhaustive]
pub enum Extent {
    /// The objects at these positions.
    Range(Range<usize>),
    /// The objects in a list.
    List {
        /// The list. Its objects of the class exist.
        list: Arc<ListOrder>,
        /// The number of the kernel's class in the list.
        class: usize,
    },
    /// All objects, shared with other processes.
    Shared(SharedExtent),
}

impl Part<'_> {
    /// The run's objects of the class with this number.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`], [`Error::NotInWorld`].
    #[inline]
    pub(crate) fn of(self, class: usize, objects: &(impl AnyObjects + ?Sized)) -> Result<Extent, Error> {
        if objects.holes() > 0 {
            return self.of_live(class, objects);
        }
        let (len, name) = (objects.slots(), objects.name());
        match self {
            Self::All => Ok(Extent::Range(0..len)),
            Self::Ranges(ranges) => match ranges.get(class) {
                Some(range) if range.start <= range.end && range.end <= len => Ok(Extent::Range(range.clone())),
                Some(range) => Err(Error::OutOfRange { class: name, range: format!("{range:?}"), len }),
                None => Ok(Extent::Range(0..0)),
            },
            Self::List(list) => {
                list.check(class, len, name)?;
                Ok(Extent::List { list: Arc::clone(list), class })
            }
            Self::Shared(sharing) => {
                let shared = SharedExtent::new(sharing, class, len).ok_or_else(|| Error::OutOfRange {
                    class: name,
                    range: format!("{:?}", sharing.own(class)),
                    len,
                });
                shared.map(Extent::Shared)
            }
        }
    }

    /// As [`of`](Self::of), for a class some of whose objects were removed: those that exist, in the order of their ids.
    #[cold]
    fn of_live(self, class: usize, objects: &(impl AnyObjects + ?Sized)) -> Result<Extent, Error> {
        let name = objects.name();
        let live = objects.live();
        match self {
            Self::Shared(_) => {
                Err(Error::Cluster { reason: format!("a class with removed objects, {name}, is not shared") })
            }
            Self::All => Ok(Extent::List { list: live, class: 0 }),
            Self::Ranges(ranges) => {
                let range = ranges.get(class).cloned().unwrap_or(0..0);
                let part = live.part(range.clone())?;
                let len = live.places_of(0).len();
                let list = part.ok_or_else(|| Error::OutOfRange { class: name, range: format!("{range:?}"), len })?;
                Ok(Extent::List { list: Arc::new(list), class: 0 })
            }
            Self::List(list) => {
                list.check(class, objects.slots(), name)?;
                if list.is_known_in(objects) {
                    return Ok(Extent::List { list: Arc::clone(list), class });
                }
                match list.listed(class)?.first_without(&|index| objects.exists(index)) {
                    Some(index) => Err(Error::Removed { class: name, id: index as u32 + 1 }),
                    None => Ok(Extent::List { list: Arc::clone(list), class }),
                }
            }
        }
    }
}

impl Extent {
    /// The number of objects.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Range(range) => range.len(),
            Self::List { list, class } => list.places_of(*class).len(),
            Self::Shared(shared) => shared.count,
        }
    }

    /// Whether there are no objects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Debug for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Range(range) => range.fmt(f),
            Self::List { .. } => write!(f, "a list of {}", self.len()),
            Self::Shared(shared) => write!(f, "{:?} of {}", shared.own, shared.count),
        }
    }
}
