//! Names with another meaning: a raw `self.r#x`, fields named like generated items, `Self` in odd positions.

use ikra::prelude::*;

class!();

#[soa_methods]
impl Node {
    #[kernel]
    pub fn raw_name(&mut self) {
        self.r#x += 1;
    }
    #[kernel]
    pub fn raw_place(&mut self) {
        *(&mut ((self).r#v).x) += 1;
    }
    #[kernel]
    pub fn type_of_the_expression(&mut self) {
        let x: &mut u32 = &mut self.x;
        *<u32 as core::borrow::BorrowMut<u32>>::borrow_mut(x) += 1;
    }
    #[kernel]
    pub fn shadowed_names(&mut self) {
        let x = &mut self.x;
        let y = x;
        let x = y;
        *x += 1;
    }
    #[kernel]
    pub fn an_import_in_the_body(&mut self) {
        use core::mem::replace as harmless;
        harmless(&mut self.pair, [1, 2, 4]);
    }
    #[kernel]
    pub fn a_cast(&mut self) {
        let x = &mut self.x as &mut dyn core::any::Any;
        *x.downcast_mut::<u32>().unwrap() += 1;
    }
    #[kernel]
    pub fn a_module_in_the_body(&mut self) {
        mod inner {
            pub fn add(x: &mut u32) {
                *x += 1;
            }
        }
        inner::add(&mut self.y);
    }
    #[kernel]
    pub fn a_const_function_in_the_body(&mut self) {
        const fn add(x: &mut u32) {
            *x += 1;
        }
        const HOW: fn(&mut u32) = add;
        HOW(&mut self.x);
    }
    #[kernel]
    pub fn cfg_attributes(&mut self) {
        #[cfg(any())]
        {
            self.y += 1;
        }
        #[allow(clippy::all)]
        {
            self.x += 1;
        }
    }
    #[kernel]
    #[inline(never)]
    #[doc(hidden)]
    #[must_use]
    pub fn plain_attributes(&mut self) {
        #[rustfmt::skip]
        let x = &mut self.x;
        *x += 1;
    }
}

programs! {
    Stored: raw_name raw_place type_of_the_expression shadowed_names an_import_in_the_body a_cast a_module_in_the_body
        a_const_function_in_the_body cfg_attributes plain_attributes;
}
