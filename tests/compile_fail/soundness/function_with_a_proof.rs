//! A table of functions knows each by its type alone: so a function captures nothing that is a thread's, or that ends.

use ikra::prelude::*;
use ikra::rt::Handle;
use ikra_strategies::ClassFunction;
use std::marker::PhantomData;

#[soa_class]
pub struct Car {
    pub speed: f32,
}

#[soa_class]
pub struct Bus {
    pub speed: f32,
}

#[soa_methods]
impl Moving for Car {
    fn speed_now(&self) -> f32 {
        self.speed
    }
}

#[soa_methods]
impl Moving for Bus {
    fn speed_now(&self) -> f32 {
        self.speed
    }
}

#[soa_dispatch(Car, Bus)]
pub trait Moving {
    fn speed_now(&self) -> f32;
}

/// Says that this is the main thread.
#[derive(Clone, Copy)]
struct MainThread(PhantomData<*const ()>);

/// Says that something is borrowed.
#[derive(Clone, Copy)]
struct Borrowed<'a>(PhantomData<&'a ()>);

fn of_a_thread<'w, P: ikra::Phase>(proof: MainThread) -> ClassFunction<'w, Moving, P, (), ()> {
    ClassFunction::of::<Car, _>(move |_: Handle<'w, Car, P>, ()| drop(proof))
}

fn while_it_is_borrowed<'w, 'a, P: ikra::Phase>(proof: Borrowed<'a>) -> ClassFunction<'w, Moving, P, (), ()> {
    ClassFunction::of::<Car, _>(move |_: Handle<'w, Car, P>, ()| drop(proof))
}

fn main() {}
