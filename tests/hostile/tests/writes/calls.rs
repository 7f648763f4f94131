//! Writes by called methods and functions, through traits and paths.

use ikra::{Phase, prelude::*};

class!();

/// Takes the whole view.
fn grow<P: Phase>(node: &mut NodeMut<'_, P>) {
    node.x += 1;
}

trait Grow {
    fn grow_by_trait(&mut self);
    fn grow_by_value(self)
    where
        Self: Sized;
}
impl<P: Phase> Grow for NodeMut<'_, P> {
    fn grow_by_trait(&mut self) {
        self.y += 1;
    }
    fn grow_by_value(mut self) {
        self.y += 1;
    }
}

trait Anything {
    fn touch(&mut self);
}
impl Anything for u32 {
    fn touch(&mut self) {
        *self += 1;
    }
}

#[soa_methods]
impl Node {
    fn helper(&mut self) {
        self.x += 1;
    }
    fn helper_of_helper(&mut self) {
        self.helper();
    }
    fn helper_of_a_field(x: &mut u32) {
        *x += 1;
    }
    fn lent(&mut self) -> &mut u32 {
        &mut self.y
    }
    #[kernel]
    pub fn by_a_helper(&mut self) {
        self.helper_of_helper();
    }
    #[kernel]
    pub fn by_a_path(&mut self) {
        NodeMut::helper(self);
    }
    #[kernel]
    pub fn by_a_function_as_a_value(&mut self) {
        let add: fn(&mut u32) = Self::helper_of_a_field;
        add(&mut self.v.x);
    }
    #[kernel]
    pub fn by_what_a_helper_lends(&mut self) {
        *self.lent() += 1;
    }
    #[kernel]
    pub fn by_a_function_of_ones_own(&mut self) {
        grow(self);
    }
    #[kernel]
    pub fn by_a_function_of_an_alias(&mut self) {
        let me = &mut *self;
        grow(me);
    }
    #[kernel]
    pub fn by_a_trait(&mut self) {
        self.grow_by_trait();
    }
    #[kernel]
    pub fn by_a_path_of_a_trait(&mut self) {
        Grow::grow_by_trait(self);
    }
    #[kernel]
    pub fn by_a_trait_object(&mut self) {
        let any: &mut dyn Anything = &mut self.x;
        any.touch();
    }
    #[kernel]
    pub fn by_a_path_of_the_standard_library(&mut self) {
        core::ops::AddAssign::add_assign(&mut self.x, 1);
    }
    #[kernel]
    pub fn by_a_method_of_a_value(&mut self) {
        (&mut self.v).bump();
    }
    #[kernel]
    pub fn by_a_chain(&mut self) {
        self.pair.iter_mut().filter(|n| **n == 2).for_each(|n| *n += 1);
    }
    #[kernel]
    pub fn by_another_block(&mut self) {
        self.from_elsewhere();
    }
    #[kernel]
    pub fn by_recursion(&mut self) {
        self.recursive(3);
    }
    fn recursive(&mut self, depth: u32) {
        if depth == 0 {
            self.x += 1;
        } else {
            self.recursive(depth - 1);
        }
    }
    #[kernel]
    pub fn by_write(&mut self) {
        use std::io::Write as _;
        struct Out<'a>(&'a mut u32);
        impl std::io::Write for Out<'_> {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                *self.0 += bytes.len() as u32;
                Ok(bytes.len())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        Out(&mut self.x).write_all(b"1").unwrap();
    }
    #[kernel]
    pub fn by_extend(&mut self) {
        struct Into<'a>(&'a mut u32);
        impl Extend<u32> for Into<'_> {
            fn extend<I: IntoIterator<Item = u32>>(&mut self, all: I) {
                *self.0 += all.into_iter().sum::<u32>();
            }
        }
        Into(&mut self.x).extend([1]);
    }
}

#[soa_methods]
impl Node {
    fn from_elsewhere(&mut self) {
        self.v.y += 1;
    }
}

programs! {
    Stored: by_a_helper by_a_path by_a_function_as_a_value by_what_a_helper_lends by_a_function_of_ones_own
        by_a_function_of_an_alias by_a_trait by_a_path_of_a_trait by_a_trait_object by_a_path_of_the_standard_library
        by_a_method_of_a_value by_a_chain by_another_block by_recursion by_write by_extend;
}
