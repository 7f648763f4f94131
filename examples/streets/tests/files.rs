//! Real files, and damaged ones.
#![allow(missing_docs, reason = "a test, not a library")]

mod damage;
mod extracts;

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use streets::{Class, Control, Layer, Map, Network, Oddity, Place, Player, Theme};

/// What holds for every network.
fn check(network: &Network) {
    assert!(network.streets() > 0);
    for street in network.iter() {
        assert!(street.from < network.nodes() as u32 && street.to < network.nodes() as u32);
        assert!(street.length > 0.0 && street.length.is_finite(), "{street:?}");
        assert!(street.speed > 0.0 && street.speed < 140.0 && street.lanes > 0, "{street:?}");
        assert!(network.leaving(street.from).contains(&street.id));
        assert_eq!(network.street(street.id), street);
        if network.has_positions() {
            assert!(network.shape(street.id).flatten().all(f32::is_finite));
            let ends = [0.0, street.length].map(|metres| network.position_on(street.id, metres));
            let near = |a: [f32; 2], b: [f32; 2]| (a[0] - b[0]).hypot(a[1] - b[1]) < 1.0 + 1e-5 * street.length;
            assert!(near(ends[0], network.position(street.from)) && near(ends[1], network.position(street.to)));
        }
    }
    let arrivals = network.arrivals();
    let arriving: usize = (0..network.nodes() as u32).map(|node| arrivals.at(node).len()).sum();
    assert_eq!(arriving, network.streets());
}

#[test]
fn the_extracts() {
    let Some(folder) = extracts::folder() else { return };
    for (file, nodes, kilometres) in [
        ("andorra.osm.pbf", 1_500..20_000, 1_000.0..4_500.0),
        ("monaco.osm.gz", 800..8_000, 80.0..400.0),
        ("berlin-siegessaeule.osm.gz", 150..3_000, 20.0..200.0),
        ("aguascalientes.osm.pbf", 50..3_000, 5.0..300.0),
        ("west-oakland.osm.bz2", 10..200, 1.0..30.0),
        ("atlanta-osmnx.graphml.gz", 1_567..1_568, 100.0..400.0),
    ] {
        let (network, warnings) = Network::read(&folder.join(file)).unwrap();
        let length = network.length() / 1e3;
        println!("{file}: {} nodes, {} streets, {length:.0} km", network.nodes(), network.streets());
        warnings.iter().for_each(|warning| println!("    {warning}"));
        check(&network);
        assert!(nodes.contains(&network.nodes()) && kilometres.contains(&length), "{file}");
        let cars = network.filtered(|street| street.class.has_cars());
        check(&cars);
        assert!(cars.streets() < network.streets());
    }
}

#[test]
fn what_osmnx_writes() {
    let Some(folder) = extracts::folder() else { return };
    let (network, warnings) = Network::read(&folder.join("atlanta-osmnx.graphml.gz")).unwrap();
    assert_eq!((network.nodes(), network.streets()), (1_567, 4_097));
    assert_eq!(warnings.iter().count(), 0);
    let count = |wanted: &dyn Fn(&streets::Street) -> bool| network.iter().filter(wanted).count();
    assert_eq!(count(&|street| street.class == Class::Footway), 2_070 + 2);
    assert_eq!(count(&|street| street.class == Class::Motorway), 6);
    // 25 and 55 mph; in lists, the lowest.
    assert_eq!(count(&|street| (street.speed - 55.0 * 0.44704).abs() < 1e-3), 5);
    assert!(count(&|street| (street.speed - 25.0 * 0.44704).abs() < 1e-3) >= 132);
    // The first edge with a shape: three points, and its length as the file has it.
    let shaped = network.iter().find(|street| (street.length - 19.545).abs() < 1e-3).unwrap();
    assert_eq!(network.shape(shaped.id).len(), 3);
    let [longitude, latitude] = network.degrees(network.position(shaped.from)).unwrap();
    assert!((longitude + 84.401_351_3).abs() < 1e-6 && (latitude - 33.777_141_5).abs() < 1e-6);
    // The header's form only.
    let error = Network::read(&folder.join("osmnx-short.graphml")).unwrap_err();
    assert!(error.to_string().ends_with("no streets between junctions that have positions"), "{error}");
}

#[test]
fn xml_and_pbf_have_the_same_tags() {
    let Some(folder) = extracts::folder() else { return };
    let (network, _) = Network::read(&folder.join("berlin-siegessaeule.osm.gz")).unwrap();
    let lights = (0..network.nodes() as u32).filter(|&node| network.control(node) == Control::Lights).count();
    assert!(lights > 5, "{lights} lights");
    let one_way = network.iter().filter(|street| network.opposite(street.id).is_none()).count();
    assert!(one_way > 50 && one_way < network.streets(), "{one_way} one-way streets");
}

#[test]
fn damaged_files_are_an_error_or_a_network() {
    let Some(folder) = extracts::folder() else { return };
    let [errors, networks] = [const { AtomicUsize::new(0) }; 2];
    damage::variants(&folder, |name, damaged| match Network::from_bytes(name, damaged) {
        Ok((network, warnings)) => {
            check(&network);
            if network.has_positions() {
                let points = [(network.position_on(0, 1.0), 7)];
                let layers =
                    vec![Layer { name: name.into(), count: 1, colours: vec![[9; 3]], metres: 4.0, least: 2.0 }];
                let height = Map::height_for(&network, 64).unwrap();
                Map::new(&network, 64, height, Theme::Dark)
                    .unwrap()
                    .draw(&layers, points)
                    .write_png(std::io::sink())
                    .unwrap();
                let mut player = Player::new(&network, name, layers, 0.0, 1.0).unwrap();
                player.frame(points);
                player.write(std::io::sink()).unwrap();
            }
            assert!(warnings.iter().all(|warning| !warning.to_string().contains('\n')));
            networks.fetch_add(1, Relaxed);
        }
        Err(error) => {
            let message = error.to_string();
            assert!(message.starts_with(name) && message.lines().count() == 1, "{message}");
            errors.fetch_add(1, Relaxed);
        }
    });
    let (errors, networks) = (errors.into_inner(), networks.into_inner());
    println!("{errors} errors, {networks} networks");
    assert!(errors + networks >= 1000 && errors > 100 && networks > 20);
}

/// What a message says about this text.
fn wrong(text: &str) -> String {
    Network::from_bytes("f", text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn mistakes_name_file_line_and_what_was_expected() {
    let graphml = |inner: &str| wrong(&format!("<?xml version='1.0'?>\n<graphml>\n{inner}\n</graphml>\n"));
    let keys = "<key id='k' for='node' attr.name='x'/><key id='l' for='node' attr.name='y'/>";
    for (message, expected) in [
        (wrong("1 2\n3\n"), "f:2: 1 values instead of 2 or 3: a line is a street, FROM TO or FROM TO LENGTH"),
        (wrong("1 2 3 4 5\n"), "f:1: 5 values instead of 2 or 3: a line is a street, FROM TO or FROM TO LENGTH"),
        (wrong("1 b 3\n"), "f:1: \"b\" is not a node: nodes are numbers from 0 to 2⁶³ − 1"),
        (wrong("# none\n"), "f: no streets; a line is a street, FROM TO or FROM TO LENGTH"),
        (wrong("<html/>"), "f: cannot be read: XML, but neither <graphml> nor <osm>"),
        (wrong("\0\0"), "f: cannot be read: neither a text nor OpenStreetMap's PBF"),
        (graphml(""), "f: no streets between junctions that have positions"),
        (graphml("<graph>\n<node/></graph>"), "f:4: <node> without the attribute `id`"),
        (graphml("<edge source='1'/>"), "f:3: <edge> without the attribute `target`"),
        (
            graphml(&format!("{keys}\n<node id='1'><data key='k'>east</data></node>")),
            "f:4: x is \"east\", which is not a finite number",
        ),
        (
            graphml(&format!("{keys}<node id='1'><data key='k'>1e99</data><data key='l'>1</data></node>")),
            &format!("f:3: 1{}, 1 is no position: degrees or metres were expected", "0".repeat(99)),
        ),
        (wrong("<graphml>\n<graph>\n"), "f:3: the file ends before </graphml>"),
        (
            wrong("<osm>\n<node id='1' lat='x' lon='2'/></osm>"),
            "f:2: `lat` of <node> is \"x\", which is not such a number",
        ),
        (wrong("<osm>\n<node id='1' lat='1'/></osm>"), "f:2: <node> without `lon`"),
        (wrong("<osm>\n</osm>"), "f: no streets: no way with the tag `highway`"),
    ] {
        assert_eq!(message, expected);
    }
    for text in
        ["<graphml><graph></graphml>", "<osm>\n<way id='1'></osm>", "<osm><node id='1' lat=1 lon=2></node></osm>"]
    {
        assert!(wrong(text).contains("not XML: "), "{}", wrong(text));
    }
    assert_eq!(Network::read("no/such/file".as_ref()).unwrap_err().place, Place::File);
}

#[test]
fn odd_streets_are_counted() {
    let text = "<osm><node id='1' lat='1' lon='1'/><node id='2' lat='1.001' lon='1'><tag k='highway' v='stop'/></node>
        <node id='3' lat='1.002' lon='1'/><node id='5' lat='1.003' lon='1'/>
        <way id='7'><nd ref='1'/><nd ref='2'/><nd ref='3'/><nd ref='4'/><nd ref='5'/>
            <tag k='highway' v='moonway'/><tag k='maxspeed' v='ludicrous'/><tag k='lanes' v='many'/></way>
        <way id='8'><nd ref='2'/><nd ref='5'/><tag k='highway' v='primary'/><tag k='oneway' v='-1'/><tag k='lanes' v='2'/></way>
        <way id='9'><nd ref='1'/><nd ref='5'/><tag k='highway' v='construction'/></way></osm>";
    let (network, warnings) = Network::from_bytes("f", text.as_bytes()).unwrap();
    // 1 - 2 - 3, and from 5 to 2.
    assert_eq!((network.nodes(), network.streets()), (4, 5));
    let counts = [Oddity::UnknownClass, Oddity::UnknownSpeed, Oddity::UnknownLanes, Oddity::MissingNode];
    assert_eq!(counts.map(|oddity| warnings.count(oddity)), [1; 4]);
    assert_eq!(
        warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "1 street at a node that is missing, left out; the first is at node 4",
            "1 unknown street type, taken as unclassified; the first is \"moonway\" of way 7",
            "1 unknown speed limit, the usual of the street type; the first is \"ludicrous\" of way 7",
            "1 unknown number of lanes, the usual of the street type; the first is \"many\" of way 7",
        ]
    );
    let primary = network.iter().find(|street| street.class == Class::Primary).unwrap();
    assert_eq!((network.control(primary.to), primary.lanes), (Control::Stop, 2));
    assert!((primary.length - 222.4).abs() < 0.1, "{primary:?}");
}

#[test]
fn graphml_in_any_form() {
    // Edges before nodes, other names of keys, undirected, projected, a shape that runs the other way, entities.
    let text = "<graphml><key id='ex' for='node' attr.name='x'/><key id='ey' for='node' attr.name='y'/>
        <key id='g' for='edge' attr.name='geometry'/><key id='h' for='edge' attr.name='highway'/>
        <key id='l' for='edge' attr.name='lanes'/><key id='o' for='edge' attr.name='oneway'/>
        <graph edgedefault='undirected'>
        <edge source='a' target='7'><data key='h'>[&apos;primary&apos;, &#39;ford&#39;]</data><data key='l'>4</data>
            <data key='o'>False</data><data key='g'>LINESTRING (500300 4000400, 500300 4000000, 500000 4000000)</data></edge>
        <edge source='7' target='07' directed='true'><data key='g'>CURVE (1 2)</data></edge>
        <edge source='7' target='nowhere'/>
        <node id='7'><data key='ex'>500300</data><data key='ey'>4000400</data></node>
        <node id='a'><data key='ex'>500000</data><data key='ey'>4000000</data></node>
        <node id='07'><data key='ex'>500310</data><data key='ey'>4000400</data></node></graph></graphml>";
    let (network, warnings) = Network::from_bytes("f", text.as_bytes()).unwrap();
    assert_eq!((network.nodes(), network.streets()), (3, 3));
    assert_eq!((warnings.count(Oddity::UnknownShape), warnings.count(Oddity::MissingNode)), (1, 2));
    let primary: Vec<_> = network.iter().filter(|street| street.class == Class::Primary).collect();
    assert_eq!(primary.iter().map(|street| (street.length, street.lanes)).collect::<Vec<_>>(), [(700.0, 2); 2]);
    assert_eq!(network.opposite(primary[0].id), Some(primary[1].id));
    assert_eq!(network.degrees([0.0; 2]), None);
}

#[test]
fn snap_lists_have_no_positions() {
    let (network, warnings) = Network::from_bytes("f", b"# a list\n0 1\n1,2,50\r\n\n2\t0\t7.5 # back\n").unwrap();
    assert_eq!(network.iter().map(|street| street.length).collect::<Vec<_>>(), [100.0, 50.0, 7.5]);
    assert_eq!((network.has_positions(), warnings.count(Oddity::UnknownLength)), (false, 1));
    check(&network);
}

#[test]
fn a_file_without_an_end_of_line_is_not_read_into_memory() {
    let long = " ".repeat(17 << 20);
    for (start, end) in
        [("1 2 50\n", ""), ("<osm>\n<node id='1'", "/></osm>"), ("<graphml>\n<key id='d0'", "/></graphml>")]
    {
        let text = format!("{start}{long}{end}");
        let error = Network::from_bytes("long", text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("16777216 bytes") && error.contains('2'), "{error}");
        assert_eq!(error.lines().count(), 1);
    }
}
