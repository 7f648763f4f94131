//! Made-up cities, and their maps.
#![allow(missing_docs, reason = "a test, not a library")]

use proptest::prelude::*;
use streets::{City, Class, Control, Map, Network, Theme};

/// The number of nodes that can be reached from the first.
fn reached(network: &Network) -> usize {
    let mut seen = vec![false; network.nodes()];
    let mut next = vec![0];
    seen[0] = true;
    let mut count = 0;
    while let Some(node) = next.pop() {
        count += 1;
        for street in network.leaving(node) {
            let to = network.street(street).to;
            if !std::mem::replace(&mut seen[to as usize], true) {
                next.push(to);
            }
        }
    }
    count
}

#[test]
fn denver() {
    let network = City::DENVER.build();
    let count = |control| (0..network.nodes() as u32).filter(|&node| network.control(node) == control).count();
    assert_eq!((count(Control::Lights), count(Control::Yield)), (62_819, 4_792));
    assert_eq!(network.streets(), 205_129);
    let cells: f64 = network.iter().map(|street| f64::from((street.length / 5.0).round().max(1.0))).sum();
    assert!((cells / 8_339_802.0 - 1.0).abs() < 0.02, "{cells} cells of 5 m");
    assert_eq!(reached(&network), network.nodes());
    assert!(network.bytes() < 25_000_000, "{}", network.bytes());
}

#[test]
fn maps_show_streets() {
    let network = City { junctions: 2000, ..City::default() }.build();
    for theme in [Theme::Light, Theme::Dark] {
        let map = Map::new(&network, 500, 400, theme).unwrap();
        let picture = map.picture();
        let primary = network.iter().find(|street| street.class == Class::Primary).unwrap();
        let [x, y] = map.pixel(network.position_on(primary.id, primary.length / 2.0));
        assert_ne!(picture.pixel(x as u32, y as u32), theme.background());
        let drawn = picture.rgb().chunks(3).filter(|pixel| **pixel != theme.background()).count();
        assert!(drawn > 500 * 400 / 10, "{drawn}");
    }
    let (network, _) = Network::from_bytes("f", b"1 2 3").unwrap();
    assert!(Map::new(&network, 500, 400, Theme::Light).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn of_any_size(junctions in 2_u32..1500, share in 0_u32..6, seed: u64) {
        let city = City { junctions, streets: Some(junctions * share), seed, ..City::default() };
        let network = city.build();
        prop_assert_eq!(network.nodes(), junctions as usize);
        let wanted = (junctions * share) as usize;
        let least = 2 * (junctions as usize - 1);
        prop_assert!(network.streets() == wanted || network.streets() == least || network.streets() < wanted);
        prop_assert_eq!(reached(&network), junctions as usize);
        prop_assert_eq!(&network, &city.build());
        // Cars get everywhere that a car has a street to.
        let cars = network.filtered(|street| street.class.has_cars());
        if cars.nodes() > 0 {
            prop_assert!(reached(&cars) > 0);
        }
        for street in network.iter() {
            prop_assert!(street.length > 1.0 && street.length < 5000.0, "{:?}", street);
        }
    }
}
