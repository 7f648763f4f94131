// Mistakes in the list of a trait.
use ikra::prelude::*;

#[soa_class]
pub struct Car { pub km: u32 }
pub mod other {
    use ikra::prelude::*;
    #[soa_class]
    pub struct Car { pub km: u32 }
}

#[soa_dispatch]
pub trait Empty {}
#[soa_dispatch(Car, Car)]
pub trait Twice {}
#[soa_dispatch(Car, other::Car)]
pub trait SameName {}
#[soa_dispatch(Car, wide, wide)]
pub trait WideTwice {}
#[soa_dispatch(Car, strategy = "magic")]
pub trait Strategy {}
#[soa_dispatch(Car, wide, strategy = "vtable")]
pub trait WideTable {}
#[soa_dispatch(Car, size = 8)]
pub trait Option {}

#[soa_methods]
impl Twice for Car {}
#[soa_methods]
impl WideTwice for Car {}
#[soa_methods]
impl Strategy for Car {}

#[soa_dispatch(Car)]
struct NoTrait;

fn main() {}
