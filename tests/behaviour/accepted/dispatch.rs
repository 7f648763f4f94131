// Traits over classes, of every visibility and in several modules.
#![deny(warnings)]
#![allow(dead_code, clippy::almost_swapped, reason = "a ref is read and stored; not all items are used")]
use ikra::prelude::*;

mod model {
    use ikra::prelude::*;

    #[soa_class]
    pub(crate) struct Car {
        pub(crate) km: u32,
        pub(crate) ahead: Option<super::ActorLink>,
    }
    pub(crate) mod walking {
        use ikra::prelude::*;

        #[soa_class]
        pub(crate) struct Pedestrian {
            pub(crate) steps: u32,
        }
    }
}
use model::walking::{Pedestrian, PedestrianMut, PedestrianRef};

#[soa_dispatch(model::Car, Pedestrian)]
pub(crate) trait Actor: Send + Sync + 'static {
    #[kernel]
    fn tick(&mut self, by: u32);
    fn progress(&self) -> u32;
    fn twice(&self) -> u32 {
        2 * self.progress()
    }
    fn classes() -> u32 {
        2
    }
}

/// One class.
#[soa_dispatch(Pedestrian, wide)]
trait Walker: Actor {
    fn name<'a>(&self, other: &'a str) -> &'a str;
}

mod methods {
    use super::model::{Car, CarMut, CarRef};
    use super::Actor;
    use ikra::prelude::*;

    #[soa_methods]
    impl Actor for Car {
        fn tick(&mut self, by: core::primitive::u32) {
            self.km += by;
            let ahead: Option<Ref<Actor>> = self.ahead;
            self.ahead = ahead;
        }
        fn progress(&self) -> u32 {
            self.km
        }
    }
}

#[soa_methods]
impl self::Actor for Pedestrian {
    #[kernel(heavy)]
    fn tick(&mut self, by: u32) {
        self.steps += by;
    }
    fn progress(&self) -> u32 {
        self.steps
    }
    fn classes() -> u32 {
        1
    }
}

#[soa_methods]
impl Walker for Pedestrian {
    fn name<'a>(&self, other: &'a str) -> &'a str {
        other
    }
}

#[soa_world]
struct Town {
    cars: Objects<model::Car>,
    pedestrians: Objects<Pedestrian>,
}

pub fn main() -> Result<(), ikra::Error> {
    let mut town = Town::new();
    let walker = town.pedestrians.push(Pedestrian { steps: 1 })?;
    let car = town.cars.push(model::Car { km: 2, ahead: Some(walker.into()) })?;
    town.execute(Actor::tick, 3);
    let walker: WalkerLink = walker.into();
    assert_eq!(town.get(ActorLink::from(car)).twice() + town.get(walker).twice(), 18);
    assert_eq!(town.get(walker.upcast::<Actor>()).progress(), 4);
    assert_eq!((model::Car::classes(), Pedestrian::classes()), (2, 1));
    assert_eq!((size_of::<WalkerLink>(), size_of::<Option<WalkerLink>>()), (8, 8));
    Ok(())
}
