//! Strategy `"vtable"`: a table of functions, like the one of each C++ class.

use core::hint::assert_unchecked;
use core::ptr::NonNull;

use ikra_core::class::Class;
use ikra_core::dispatch::{Dispatch, Found, Includes};
use ikra_core::handle::Handle;
use ikra_core::phase::Phase;

/// The function of one class; it takes the object and a tuple of arguments.
pub struct ClassFunction<'w, D, P, A, R> {
    /// The class's number.
    tag: usize,
    /// Called only with objects of this class.
    call: fn(Found<'w, D, P>, A) -> R,
}

impl<D, P, A, R> Copy for ClassFunction<'_, D, P, A, R> {}
impl<D, P, A, R> Clone for ClassFunction<'_, D, P, A, R> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<'w, D: Dispatch, P: Phase, A, R> ClassFunction<'w, D, P, A, R> {
    /// A class's function, identified by its type: its captures have no bytes, live as long as the program, and can be
    /// shared by all threads.
    #[inline(always)]
    pub const fn of<C: Class, F>(_: F) -> Self
    where
        D: Includes<C>,
        F: Fn(Handle<'w, C, P>, A) -> R + Copy + Send + Sync + 'static,
    {
        Self { tag: D::TAG, call: call::<C, D, P, A, R, F> }
    }
}

/// The table's entry for class `C`. It does not check the class again. It is private, because safe code could call it
/// with objects of other classes.
fn call<'w, C: Class, D, P: Phase, A, R, F>(found: Found<'w, D, P>, arguments: A) -> R
where
    D: Includes<C>,
    F: Fn(Handle<'w, C, P>, A) -> R + Copy + Send + Sync + 'static,
{
    const { assert!(size_of::<F>() == 0, "the function of a class captures nothing") };
    // SAFETY: a copy of the zero-sized value that `ClassFunction::of` received; it is valid for `'static`, and threads may
    // share it.
    let function = unsafe { NonNull::<F>::dangling().read() };
    // SAFETY: only `Functions::call` calls this, with objects whose class has the number of `C`.
    unsafe { assert_unchecked(found.tag() == D::TAG) };
    // SAFETY: the object's class is `C`, by the check of the number above.
    let object = unsafe { found.known::<C>() };
    function(object, arguments)
}

/// The functions of all classes of `D`.
pub struct Functions<'w, D, P, A, R, const N: usize>([fn(Found<'w, D, P>, A) -> R; N]);

impl<'w, D: Dispatch, P: Phase, A, R, const N: usize> Functions<'w, D, P, A, R, N> {
    /// Makes the table of these functions.
    ///
    /// # Panics
    ///
    /// If they are not in the order of the classes' numbers.
    #[inline(always)]
    pub const fn new(functions: [ClassFunction<'w, D, P, A, R>; N]) -> Self {
        let mut calls = [functions[0].call; N];
        let mut tag = 0;
        while tag < N {
            assert!(functions[tag].tag == tag, "a class's function is at its number");
            calls[tag] = functions[tag].call;
            tag += 1;
        }
        Self(calls)
    }

    /// Calls the function of an object's class.
    ///
    /// # Panics
    ///
    /// If the table has no function for the class.
    #[inline(always)]
    pub fn call(&self, found: Found<'w, D, P>, arguments: A) -> R {
        // Each function is at the number of its class, as `new` has checked.
        self.0[found.tag()](found, arguments)
    }
}
