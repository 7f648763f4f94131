//! Writes within closures, functions and types that are defined in a method.

use core::future::Future;
use core::task::{Context, Poll, Waker};

use ikra::prelude::*;

class!();

#[soa_methods]
impl Node {
    #[kernel]
    pub fn disjoint_capture(&mut self) {
        let mut add = || self.v.x += 1;
        add();
        let _ = self.v.y;
    }
    #[kernel]
    pub fn moved_into(&mut self) {
        let x = &mut self.x;
        let mut add = move || *x += 1;
        add();
    }
    #[kernel]
    pub fn with_an_argument(&mut self) {
        let add = |v: &mut Vel, by: u32| v.x += by;
        add(&mut self.v, 1);
    }
    #[kernel]
    pub fn called_at_once(&mut self) {
        (|| self.x += 1)();
    }
    #[kernel]
    pub fn a_closure_in_a_closure(&mut self) {
        let mut outer = || {
            let mut inner = || self.pair[1] += 1;
            inner();
        };
        outer();
    }
    #[kernel]
    pub fn a_mutable_trait_object(&mut self) {
        let mut add = || self.x += 1;
        let add: &mut dyn FnMut() = &mut add;
        add();
    }
    #[kernel]
    pub fn for_each(&mut self) {
        (0..1).for_each(|by| self.y += by + 1);
    }
    #[kernel]
    pub fn fold_into(&mut self) {
        (0..1).fold(&mut self.x, |x, _| {
            *x += 1;
            x
        });
    }
    #[kernel]
    pub fn a_nested_function(&mut self) {
        fn add(x: &mut u32) {
            *x += 1;
        }
        add(&mut self.x);
    }
    #[kernel]
    pub fn a_nested_type_with_a_self(&mut self) {
        struct Other {
            x: u32,
        }
        impl Other {
            fn add(&mut self) -> u32 {
                self.x += 1;
                self.x
            }
        }
        let mut other = Other { x: self.x };
        self.x = other.add();
    }
    #[kernel]
    pub fn a_nested_trait(&mut self) {
        trait Add {
            fn add(&mut self);
        }
        impl Add for u32 {
            fn add(&mut self) {
                *self += 1;
            }
        }
        Add::add(&mut self.x);
    }
    #[kernel]
    pub fn an_async_block(&mut self) {
        let mut task = core::pin::pin!(async { self.x += 1 });
        let polled = task.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(polled, Poll::Ready(())));
    }
    #[kernel]
    pub fn a_closure_that_is_returned(&mut self) {
        fn adder<'a>(x: &'a mut u32) -> impl FnOnce() + 'a {
            move || *x += 1
        }
        adder(&mut self.x)();
    }
    #[kernel]
    pub fn by_a_scoped_thread(&mut self) {
        let x = &mut self.x;
        if *x == 5 {
            [x].into_iter().for_each(|x| *x += 1);
        }
    }
    #[kernel]
    pub fn caught_half_way(&mut self) {
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            self.x += 1;
            std::panic::resume_unwind(Box::new(0));
        }));
        assert!(ended.is_err());
    }
    #[kernel]
    pub fn in_a_destructor(&mut self) {
        struct Later<'a>(&'a mut u32);
        impl Drop for Later<'_> {
            fn drop(&mut self) {
                *self.0 += 1;
            }
        }
        let _later = Later(&mut self.x);
    }
}

programs! {
    Stored: disjoint_capture moved_into with_an_argument called_at_once a_closure_in_a_closure a_mutable_trait_object
        for_each fold_into a_nested_function a_nested_type_with_a_self a_nested_trait an_async_block
        a_closure_that_is_returned by_a_scoped_thread caught_half_way in_a_destructor;
}
