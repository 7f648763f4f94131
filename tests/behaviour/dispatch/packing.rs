//! Links at the limits of their bits: every class, the first and the last object, columns and arrays of links.

use std::panic::catch_unwind;

use ikra::prelude::*;
use proptest::prelude::*;

macro_rules! classes {
    ($($name:ident)*) => { $(
        #[soa_class]
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $name { pub value: u32 }
    )* };
}
classes!(A B C D E);

macro_rules! traits {
    ($($name:ident $link:ident $is:ident ($($class:ident)*) $largest:expr, ($($wide:ident)?);)*) => { $(
        #[soa_dispatch($($class,)* $($wide)?)]
        pub trait $name {}
        $(
            #[soa_methods]
            impl $name for $class {}
        )*

        impl $name {
            /// Each class, its largest object, and one object more.
            fn check_limits() {
                let bytes = if $largest == u32::MAX && stringify!($($wide)?) == "wide" { 8 } else { 4 };
                assert_eq!((size_of::<$link>(), size_of::<Option<$link>>()), (bytes, bytes));
                let mut before: Option<$link> = None;
                $(
                    for id in [1, 2, 1000, $largest - 1, $largest] {
                        let link = Link::<$class>::from_id(id).unwrap();
                        let any: $link = link.into();
                        assert!(matches!(any.class(), $is::$class(found) if found == link), "{any:?}");
                        assert_eq!(Link::<$class>::try_from(any), Ok(link));
                        assert_eq!(format!("{any:?}"), format!("{}#{id}", stringify!($class)));
                        // By class, then by id.
                        assert!(before < Some(any), "{before:?} {any:?}");
                        before = Some(any);
                    }
                    let largest: u32 = $largest;
                    if let Some(next) = largest.checked_add(1) {
                        let failed = catch_unwind(|| $link::from(Link::<$class>::from_id(next).unwrap()));
                        let message = failed.unwrap_err().downcast::<String>().unwrap();
                        let expected = format!("{}#{} does not fit into a link of `{}`", stringify!($class), next, stringify!($name));
                        assert!(message.starts_with(&expected), "{message}");
                    }
                )*
            }
        }
    )* };
}
traits! {
    One OneLink OneIs (A) u32::MAX, ();
    Two TwoLink TwoIs (A B) u32::MAX >> 1, ();
    Three ThreeLink ThreeIs (B C A) u32::MAX >> 2, ();
    Four FourLink FourIs (A B C D) u32::MAX >> 2, ();
    Five FiveLink FiveIs (E D C B A) u32::MAX >> 3, ();
    WideOne WideOneLink WideOneIs (A) u32::MAX, (wide);
    WideFive WideFiveLink WideFiveIs (A B C D E) u32::MAX, (wide);
}

#[test]
fn limits() {
    One::check_limits();
    Two::check_limits();
    Three::check_limits();
    Four::check_limits();
    Five::check_limits();
    WideOne::check_limits();
    WideFive::check_limits();
}

#[soa_class]
pub struct Holder {
    pub five: FiveLink,
    pub wide: Option<WideFiveLink>,
    #[atomic]
    pub atomic: Option<FiveLink>,
    #[atomic]
    pub wide_atomic: WideFiveLink,
    #[inline_array(2)]
    pub any: InnerArray<FiveLink>,
    #[inline_array]
    pub pair: [Option<WideFiveLink>; 2],
    pub small: [ThreeLink; 2],
}

#[soa_world]
pub struct Store {
    pub a: Objects<A>,
    pub b: Objects<B>,
    pub c: Objects<C>,
    pub d: Objects<D>,
    pub e: Objects<E>,
    pub holders: Objects<Holder>,
}

/// A link in the plain model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Plain {
    A(u32),
    B(u32),
    C(u32),
    D(u32),
    E(u32),
}

impl Plain {
    fn five(self) -> FiveLink {
        match self {
            Self::A(n) => Link::<A>::from_index(n as usize).unwrap().into(),
            Self::B(n) => Link::<B>::from_index(n as usize).unwrap().into(),
            Self::C(n) => Link::<C>::from_index(n as usize).unwrap().into(),
            Self::D(n) => Link::<D>::from_index(n as usize).unwrap().into(),
            Self::E(n) => Link::<E>::from_index(n as usize).unwrap().into(),
        }
    }
    fn wide(self) -> WideFiveLink {
        match self.five().class() {
            FiveIs::A(link) => link.into(),
            FiveIs::B(link) => link.into(),
            FiveIs::C(link) => link.into(),
            FiveIs::D(link) => link.into(),
            FiveIs::E(link) => link.into(),
        }
    }
    /// The value that the world stores for it.
    fn value(self) -> u32 {
        match self {
            Self::A(n) => n,
            Self::B(n) => 100 + n,
            Self::C(n) => 200 + n,
            Self::D(n) => 300 + n,
            Self::E(n) => 400 + n,
        }
    }
}

/// The number of objects of each class.
const COUNT: u32 = 7;

fn plain() -> impl Strategy<Value = Plain> {
    (0..5, 0..COUNT).prop_map(|(class, n)| match class {
        0 => Plain::A(n),
        1 => Plain::B(n),
        2 => Plain::C(n),
        3 => Plain::D(n),
        _ => Plain::E(n),
    })
}

fn value(object: FiveRef<'_, ikra::Sequential>) -> u32 {
    match object.class() {
        FiveIs::A(object) => object.value(),
        FiveIs::B(object) => object.value(),
        FiveIs::C(object) => object.value(),
        FiveIs::D(object) => object.value(),
        FiveIs::E(object) => object.value(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn what_is_stored_is_read(
        links in prop::collection::vec(plain(), 4..12),
        claims in prop::collection::vec(plain(), 1..5),
    ) {
        let mut world = Store::new();
        world.a.extend((0..COUNT).map(|value| A { value })).unwrap();
        world.b.extend((0..COUNT).map(|n| B { value: 100 + n })).unwrap();
        world.c.extend((0..COUNT).map(|n| C { value: 200 + n })).unwrap();
        world.d.extend((0..COUNT).map(|n| D { value: 300 + n })).unwrap();
        world.e.extend((0..COUNT).map(|n| E { value: 400 + n })).unwrap();
        let three = |n: u32| -> ThreeLink { Link::<C>::from_index(n as usize).unwrap().into() };
        let holder = Holder {
            five: links[0].five(),
            wide: Some(links[1].wide()),
            atomic: None,
            wide_atomic: links[2].wide(),
            any: links[3..].iter().map(|link| link.five()).collect(),
            pair: [None, Some(links[3].wide())],
            small: [three(1), three(5)],
        };
        let holder = world.holders.push(holder).unwrap();
        let seen = world.get(holder);
        prop_assert_eq!(seen.five().link(), links[0].five());
        prop_assert_eq!(value(seen.five()), links[0].value());
        prop_assert_eq!(seen.wide().map(|wide| wide.link()), Some(links[1].wide()));
        prop_assert_eq!(seen.wide_atomic().load(), links[2].wide());
        prop_assert!(seen.any().iter().map(value).eq(links[3..].iter().map(|link| link.value())));
        prop_assert_eq!(seen.pair().iter().map(|link| link.map(|wide| wide.link())).collect::<Vec<_>>(), [None, Some(links[3].wide())]);
        prop_assert!(seen.small().iter().all(|three| matches!(three.class(), ThreeIs::C(object) if object.value() > 200)));
        for claim in &claims {
            seen.atomic().claim(claim.five());
            seen.wide_atomic().max(claim.wide());
        }
        // `Five` lists the classes from last to first.
        let first = claims.iter().copied().min_by_key(|claim| claim.five());
        prop_assert_eq!(seen.atomic().load(), first.map(Plain::five));
        let last = claims.iter().copied().chain([links[2]]).max().map(Plain::wide);
        prop_assert_eq!(Some(seen.wide_atomic().load()), last);
        // The guard's executor stores it again.
        let mut guard = world.get_mut(holder);
        guard.five = guard.any.get(0);
        guard.wide = None;
        drop(guard);
        prop_assert_eq!(world.get(holder).five().link(), links[3].five());
        prop_assert!(world.get(holder).wide().is_none());
    }
}
