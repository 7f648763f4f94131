//! Strategy `"vtable"`: a table of functions, as C++ has one for each class.

use core::hint::assert_unchecked;
use core::ptr::NonNull;

use ikra_core::class::Class;
use ikra_core::dispatch::{Dispatch, Found, Includes};
use ikra_core::handle::Handle;
use ikra_core::phase::Phase;

/// The function of one class, which takes the object and a tuple of arguments.
pub struct Function<'w, D, P, A, R> {
    /// The class's number.
    tag: usize,
    /// Is called with objects of this class only.
    call: fn(Found<'w, D, P>, A) -> R,
}

impl<D, P, A, R> Copy for Function<'_, D, P, A, R> {}
impl<D, P, A, R> Clone for Function<'_, D, P, A, R> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<'w, D: Dispatch, P: Phase, A, R> Function<'w, D, P, A, R> {
    /// A class's function, which is known by its type: what it captures has no bytes, lives as long as the program, and is any
    /// thread's.
    #[inline(always)]
    pub const fn of<C: Class, F>(_: F) -> Self
    where
        D: Includes<C>,
        F: Fn(Handle<'w, C, P>, A) -> R + Copy + Send + Sync + 'static,
    {
        Self { tag: D::TAG, call: call::<C, D, P, A, R, F> }
    }
}

/// What is in the table for class `C`: the class is not looked at again. Private, since safe code might call it with others.
fn call<'w, C: Class, D, P: Phase, A, R, F>(found: Found<'w, D, P>, arguments: A) -> R
where
    D: Includes<C>,
    F: Fn(Handle<'w, C, P>, A) -> R + Copy + Send + Sync + 'static,
{
    const { assert!(size_of::<F>() == 0, "the function of a class captures nothing") };
    // SAFETY: a copy of the value of no bytes that `Function::of` was given, which lives for ever, and which all threads may share.
    let function = unsafe { NonNull::<F>::dangling().read() };
    // SAFETY: only `Functions::call` comes here, with objects whose class has the number of `C`.
    unsafe { assert_unchecked(found.tag() == D::TAG) };
    // SAFETY: so the object's class is `C`.
    let object = unsafe { found.known::<C>() };
    function(object, arguments)
}

/// The functions of all classes of `D`.
pub struct Functions<'w, D, P, A, R, const N: usize>([fn(Found<'w, D, P>, A) -> R; N]);

impl<'w, D: Dispatch, P: Phase, A, R, const N: usize> Functions<'w, D, P, A, R, N> {
    /// The table of these functions.
    ///
    /// # Panics
    ///
    /// If they are not in the order of the classes' numbers.
    #[inline(always)]
    pub const fn new(functions: [Function<'w, D, P, A, R>; N]) -> Self {
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
    /// If there is none.
    #[inline(always)]
    pub fn call(&self, found: Found<'w, D, P>, arguments: A) -> R {
        // Each is at the number of its class, as `new` has looked.
        self.0[found.tag()](found, arguments)
    }
}
