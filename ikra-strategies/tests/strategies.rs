//! The strategies of `#[soa_dispatch]` find the same classes: each against an ordinary enum.

use ikra::LinkList;
use ikra::prelude::*;
use proptest::prelude::*;

/// What an object is, and what another sees of it.
#[derive(Clone, Copy, Debug)]
enum Plain {
    Car(u32),
    Walker(u32),
    Bus(u32),
}

impl Plain {
    fn tick(&mut self, by: u32) {
        match self {
            Self::Car(km) => *km = km.wrapping_add(by),
            Self::Walker(steps) => *steps = steps.wrapping_mul(3).wrapping_add(by),
            Self::Bus(stops) => *stops ^= by,
        }
    }
    fn look(self, by: u32) -> u32 {
        match self {
            Self::Car(km) => km ^ by,
            Self::Walker(steps) => steps.wrapping_sub(by),
            Self::Bus(stops) => stops.rotate_left(by % 32),
        }
    }
}

macro_rules! town {
    ($module:ident, $strategy:literal) => {
        mod $module {
            use super::*;

            #[soa_dispatch(Car, Walker, Bus, strategy = $strategy)]
            pub trait Actor {
                #[kernel]
                fn tick(&mut self, by: u32);
                fn look(&self, by: u32) -> u32;
            }
            #[soa_class]
            pub struct Car {
                pub km: u32,
            }
            #[soa_class]
            pub struct Walker {
                pub steps: u32,
            }
            #[soa_class]
            pub struct Bus {
                pub stops: u32,
            }
            #[soa_methods]
            impl Actor for Car {
                fn tick(&mut self, by: u32) {
                    self.km = self.km.wrapping_add(by);
                }
                fn look(&self, by: u32) -> u32 {
                    self.km ^ by
                }
            }
            #[soa_methods]
            impl Actor for Walker {
                fn tick(&mut self, by: u32) {
                    self.steps = self.steps.wrapping_mul(3).wrapping_add(by);
                }
                fn look(&self, by: u32) -> u32 {
                    self.steps.wrapping_sub(by)
                }
            }
            #[soa_methods]
            impl Actor for Bus {
                fn tick(&mut self, by: u32) {
                    self.stops ^= by;
                }
                fn look(&self, by: u32) -> u32 {
                    self.stops.rotate_left(by % 32)
                }
            }

            #[soa_class]
            pub struct Watcher {
                pub target: ActorLink,
                pub other: Option<ActorLink>,
                #[inline_array(1)]
                pub all: InnerArray<ActorLink>,
                #[atomic]
                pub last: Option<ActorLink>,
                pub seen: u32,
            }
            #[soa_methods]
            impl Watcher {
                #[kernel]
                pub fn watch(&mut self, by: u32) {
                    let mut seen = self.target.look(by);
                    if let Some(other) = self.other {
                        seen = seen.wrapping_add(other.look(by + 1));
                    }
                    for actor in self.all.iter() {
                        seen = seen.wrapping_mul(31).wrapping_add(actor.look(by + 2));
                    }
                    self.seen = seen;
                }
            }
            #[soa_world]
            pub struct Town {
                pub cars: Objects<Car>,
                pub walkers: Objects<Walker>,
                pub buses: Objects<Bus>,
                pub watchers: Objects<Watcher>,
            }

            /// Whom a watcher looks at: positions among the actors.
            type Watched = (usize, Option<usize>, Vec<usize>);

            /// The actors in the end, and what watchers see.
            pub fn run(
                plain: &[Plain],
                watched: &[Watched],
                some: &[usize],
                by: u32,
            ) -> Result<(Vec<u32>, Vec<u32>), ikra::Error> {
                let mut town = Town::new();
                let mut links: Vec<ActorLink> = Vec::new();
                for &actor in plain {
                    links.push(match actor {
                        Plain::Car(km) => town.cars.push(Car { km })?.into(),
                        Plain::Walker(steps) => town.walkers.push(Walker { steps })?.into(),
                        Plain::Bus(stops) => town.buses.push(Bus { stops })?.into(),
                    });
                }
                for (target, other, all) in watched {
                    let all = all.iter().map(|&n| links[n]).collect();
                    let other = other.map(|n| links[n]);
                    town.watchers.push(Watcher { target: links[*target], other, all, last: other, seen: 0 })?;
                }
                town.execute(Actor::tick, by);
                let list = LinkList::new(&some.iter().map(|&n| links[n]).collect::<Vec<_>>())?;
                town.over(&list).execute(Actor::tick, by + 7);
                town.execute(Watcher::watch, by);
                for (&link, plain) in links.iter().zip(plain) {
                    // The way back.
                    let is_same = match (link.class(), plain) {
                        (ActorIs::Car(car), Plain::Car(_)) => ActorLink::from(car) == link,
                        (ActorIs::Walker(walker), Plain::Walker(_)) => ActorLink::from(walker) == link,
                        (ActorIs::Bus(bus), Plain::Bus(_)) => ActorLink::from(bus) == link,
                        _ => false,
                    };
                    assert!(is_same, "{link:?} is of {plain:?}");
                }
                for (watcher, (_, other, _)) in town.watchers.links().zip(watched) {
                    assert_eq!(town.get(watcher).last().load(), other.map(|n| links[n]));
                }
                assert_eq!(size_of::<Option<ActorLink>>(), 4);
                let actors = links.iter().map(|&link| town.get(link).look(0)).collect();
                Ok((actors, town.watchers.column(watcher::seen).to_vec()))
            }
        }
    };
}
town!(type_pointer, "type_pointer");
town!(range_table, "range_table");
town!(class_tag, "class_tag");
town!(vtable, "vtable");

fn actor() -> impl Strategy<Value = Plain> {
    prop_oneof![
        any::<u32>().prop_map(Plain::Car),
        any::<u32>().prop_map(Plain::Walker),
        any::<u32>().prop_map(Plain::Bus)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn all_strategies_agree_with_an_enum(
        actors in prop_oneof![prop::collection::vec(actor(), 1..50), prop::collection::vec(actor(), 9_000..20_000)],
        watched in prop::collection::vec(
            (any::<prop::sample::Index>(), any::<Option<prop::sample::Index>>(),
             prop::collection::vec(any::<prop::sample::Index>(), 0..5)),
            0..200
        ),
        picked in prop::collection::vec(any::<prop::sample::Index>(), 0..100),
        by in 0..1000_u32,
    ) {
        let at = |index: &prop::sample::Index| index.index(actors.len());
        let watched: Vec<_> = watched
            .iter()
            .map(|(target, other, all)| (at(target), other.as_ref().map(at), all.iter().map(at).collect::<Vec<_>>()))
            .collect();
        let mut some: Vec<_> = picked.iter().map(at).collect();
        some.sort_by_key(|n| n.wrapping_mul(2_654_435_761) % 1009);
        some.dedup();
        let mut seen = std::collections::HashSet::new();
        some.retain(|&n| seen.insert(n));

        let mut plain = actors.clone();
        plain.iter_mut().for_each(|actor| actor.tick(by));
        some.iter().for_each(|&n| plain[n].tick(by + 7));
        let look = |&n: &usize, by| plain[n].look(by);
        let sees = |(target, other, all): &(usize, Option<usize>, Vec<usize>)| {
            let mut seen = look(target, by);
            if let Some(other) = other {
                seen = seen.wrapping_add(look(other, by + 1));
            }
            all.iter().fold(seen, |seen, n| seen.wrapping_mul(31).wrapping_add(look(n, by + 2)))
        };
        let expected =
            (plain.iter().map(|actor| actor.look(0)).collect::<Vec<_>>(), watched.iter().map(sees).collect::<Vec<_>>());

        for run in [type_pointer::run, range_table::run, class_tag::run, vtable::run] {
            prop_assert_eq!(&run(&actors, &watched, &some, by).unwrap(), &expected);
        }
    }
}
