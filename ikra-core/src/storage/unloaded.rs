//! Operators of atomics, for their message: the value has them, so the field is loaded first.
//!
//! The bound is on the other operand. The compiler does not know it yet when it looks for the operator.

use core::cmp::Ordering;
use core::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, Rem, Sub, SubAssign};

use super::{Atomic, AtomicValue};
use crate::mistakes::LoadedValue;
use crate::order::AtomicOwner;

impl<T: AtomicValue, A: AtomicOwner, U: LoadedValue> PartialEq<U> for Atomic<'_, T, A> {
    fn eq(&self, _: &U) -> bool {
        unreachable!()
    }
}
impl<T: AtomicValue, A: AtomicOwner, U: LoadedValue> PartialOrd<U> for Atomic<'_, T, A> {
    fn partial_cmp(&self, _: &U) -> Option<Ordering> {
        unreachable!()
    }
}

macro_rules! operators {
    ($($operator:ident $name:ident,)* ; $($assign:ident $name_assign:ident,)*) => {
        $(impl<T: AtomicValue, A: AtomicOwner, U: LoadedValue> $operator<U> for Atomic<'_, T, A> {
            type Output = T;
            fn $name(self, _: U) -> T {
                unreachable!()
            }
        })*
        $(impl<T: AtomicValue, A: AtomicOwner, U: LoadedValue> $assign<U> for Atomic<'_, T, A> {
            fn $name_assign(&mut self, _: U) {
                unreachable!()
            }
        })*
    };
}
operators! { Add add, Sub sub, Mul mul, Div div, Rem rem, BitAnd bitand, BitOr bitor, ; AddAssign add_assign, SubAssign sub_assign, }
