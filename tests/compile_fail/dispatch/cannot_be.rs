// What a trait under `#[soa_dispatch]` cannot have.
use ikra::prelude::*;

#[soa_class]
pub struct Car { pub km: u32 }

#[soa_dispatch(Car)]
pub trait Actor {
    type Fuel;
    fn generic<T: Copy>(&self, of: T) -> T;
    fn array<const N: usize>(&self) -> [u32; N];
    fn argument(&self, of: impl Copy);
    fn result(&self) -> impl Copy;
    fn by_value(self);
    fn in_box(self: Box<Self>);
    async fn later(&self);
    unsafe fn danger(&self);
    fn own(&self) -> Self;
    fn bounded(&self) where Self: Copy;
    #[kernel(pairs)]
    fn pairs(&mut self, other: Ref<Car>);
    #[kernel]
    fn spawn(id: u32) -> Car;
}

#[soa_dispatch(Car)]
pub trait Generic<T> {}

#[soa_dispatch(Car)]
pub unsafe trait Unsafe {}

fn main() {}
