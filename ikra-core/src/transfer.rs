//! How the results of kernels are transferred from a device to the host.

use core::marker::PhantomData;

use crate::origin::meaning;
use crate::reduce::Reducer;
use crate::value::Value;

/// The result type of a kernel on a GPU: a [`Value`], or a tuple of up to eight of them.
///
/// The compilers of host code and device code may differ, and each compiler chooses the layout of a tuple by itself. So
/// a tuple is transferred as a struct under `repr(C)`, and a value unchanged.
///
/// # Safety
///
/// `Wire` has the same size, alignment and meaning of its bytes on host and device if `MEANING` is the same there. It holds
/// no pointer.
#[diagnostic::on_unimplemented(
    message = "a reduction on the GPU cannot return `{Self}`",
    label = "not a value, nor a tuple of values",
    note = "results travel as bytes that mean the same on host and device: return numbers, `bool`s, arrays of them, a struct under `#[derive(Clone, Copy, Value)] #[repr(C)]`, or a tuple of up to eight of these; instead of `usize`, which may have another size there, `u32` or `u64`",
    note = "`execute_and_reduce` on the host takes any type that is `Copy`"
)]
pub unsafe trait Transfer: Copy + Send + Sync + 'static {
    /// The type that is transferred.
    type Wire: Copy + Send + Sync + 'static;
    /// A number for the meaning of its bytes, which host and device compare.
    const MEANING: u64;
    /// Converts to the transferred type.
    fn pack(self) -> Self::Wire;
    /// Converts from the transferred type.
    fn unpack(wire: Self::Wire) -> Self;
}

// SAFETY: `Value` guarantees it.
#[diagnostic::do_not_recommend]
unsafe impl<T: Value> Transfer for T {
    type Wire = T;
    const MEANING: u64 = <T as Value>::MEANING;
    #[inline(always)]
    fn pack(self) -> T {
        self
    }
    #[inline(always)]
    fn unpack(wire: T) -> T {
        wire
    }
}

macro_rules! tuples {
    ($($wire:ident ($($T:ident $k:tt),+))*) => { $(
        /// A tuple in transfer.
        #[derive(Clone, Copy, Debug)]
        #[repr(C)]
        pub struct $wire<$($T),+>($($T),+);

        // SAFETY: a struct under `repr(C)`, for whose parts this holds.
        unsafe impl<$($T: Transfer),+> Transfer for ($($T,)+) {
            type Wire = $wire<$($T::Wire),+>;
            const MEANING: u64 = meaning("tuple", &[$(<$T as Transfer>::MEANING),+]);
            #[inline(always)]
            fn pack(self) -> Self::Wire {
                $wire($(self.$k.pack()),+)
            }
            #[inline(always)]
            fn unpack(wire: Self::Wire) -> Self {
                ($($T::unpack(wire.$k),)+)
            }
        }
    )* };
}
tuples! {
    Wire1(A 0)
    Wire2(A 0, B 1)
    Wire3(A 0, B 1, C 2)
    Wire4(A 0, B 1, C 2, D 3)
    Wire5(A 0, B 1, C 2, D 3, E 4)
    Wire6(A 0, B 1, C 2, D 3, E 4, F 5)
    Wire7(A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    Wire8(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
}

/// The type of results in transfer, as data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireType {
    /// Bytes of a result.
    pub size: usize,
    /// Its alignment.
    pub align: usize,
    /// [`Transfer::MEANING`].
    pub meaning: u64,
}

impl WireType {
    /// That of an entry point without results.
    pub const NONE: Self = Self { size: 0, align: 1, meaning: 0 };
    /// That of results which are not transferred: no host asks for them.
    pub const UNSENT: Self = Self { size: 0, align: 0, meaning: 0 };

    /// That of a result.
    #[must_use]
    pub const fn of<T: Transfer>() -> Self {
        Self { size: size_of::<T::Wire>(), align: align_of::<T::Wire>(), meaning: T::MEANING }
    }
}

/// A reducer for values of type `T` in transfer.
#[derive(Debug)]
pub struct OnWire<R, T>(R, PhantomData<fn() -> T>);

impl<R, T> OnWire<R, T> {
    /// Combines as `reducer` does.
    #[inline(always)]
    pub const fn new(reducer: R) -> Self {
        Self(reducer, PhantomData)
    }
}

impl<R: Copy, T> Copy for OnWire<R, T> {}
impl<R: Copy, T> Clone for OnWire<R, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Transfer, R: Reducer<T>> Reducer<T::Wire> for OnWire<R, T> {
    #[inline(always)]
    fn identity(&self) -> T::Wire {
        self.0.identity().pack()
    }
    #[inline(always)]
    fn combine(&self, a: T::Wire, b: T::Wire) -> T::Wire {
        self.0.combine(T::unpack(a), T::unpack(b)).pack()
    }
}

#[cfg(test)]
mod tests {
    use super::{OnWire, Transfer};
    use crate::reduce::{Max, Reducer, Sum};

    fn travels<T: Transfer + PartialEq + core::fmt::Debug>(value: T) {
        assert_eq!(T::unpack(value.pack()), value);
    }

    #[test]
    fn tuples_arrive_as_they_were() {
        travels(3_u8);
        travels([1.5_f32; 3]);
        travels((1_u8,));
        travels((1_u8, 2.5_f64, 3_u8));
        travels((1_u8, (true, [7_u16; 3]), -1_i64, 0.5_f32, 5_u8, 6_u128, 7_u8, 8_u16));
    }

    #[test]
    fn a_tuple_travels_in_the_order_of_its_members() {
        // Rust may reorder the members of a tuple; `repr(C)` does not.
        assert_eq!(size_of::<<(u8, f64, u8) as Transfer>::Wire>(), 24);
        assert_eq!(align_of::<<(u8, f64, u8) as Transfer>::Wire>(), align_of::<f64>());
    }

    #[test]
    fn reductions_go_on_as_they_travel() {
        type Both = (u8, f64);
        let sum = OnWire::<_, Both>::new(Sum);
        assert_eq!(Both::unpack(sum.combine((1, 0.5).pack(), (2, 0.25).pack())), (3, 0.75));
        assert_eq!(Both::unpack(OnWire::<_, Both>::new(Max).identity()), (0, f64::NEG_INFINITY));
        assert_eq!(size_of::<OnWire<Sum, Both>>(), 0);
    }
}
