// Classes that one macro makes under one name: the compiler's constants cannot tell them apart, but their places in the list.
use ikra::prelude::*;

pub trait Made { type Class; }
pub struct First;
pub struct Second;
pub type FirstCar = <First as Made>::Class;
pub type SecondCar = <Second as Made>::Class;

macro_rules! car {
    ($made:ident, $($method:tt)*) => {
        const _: () = {
            #[soa_class]
            pub struct Car { pub km: u32, pub steps: u32, pub watches: Option<Link<FirstCar>> }
            impl Made for $made { type Class = Car; }
            #[soa_methods]
            impl Actor for Car { $($method)* }
        };
    };
}
macro_rules! cars {
    () => {
        car! { First, fn tick(&mut self) { self.km += 1; } }
        car! { Second, fn tick(&mut self) { self.steps = self.watches.map_or(0, |car| car.km()); } }
    };
}

#[soa_dispatch(FirstCar, SecondCar)]
pub trait Actor {
    #[kernel]
    fn tick(&mut self);
}
cars! {}

fn main() {}
