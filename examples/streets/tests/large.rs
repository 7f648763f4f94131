//! How fast a city is read, and in how much memory: `cargo test --release -p streets --test large -- --ignored --nocapture`
#![allow(missing_docs, reason = "a test, not a library")]

use std::fmt::Write as _;
use std::fs;
use std::io::{BufWriter, Write};
use std::time::Instant;

use streets::{City, Network};

/// What the system says of this process, in bytes.
fn memory(what: &str) -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(what))?;
    Some(line.split_ascii_whitespace().nth(1)?.parse::<usize>().ok()? * 1024)
}

/// A network as OSMnx writes it.
fn write_graphml(network: &Network, file: &mut impl Write) -> std::io::Result<()> {
    writeln!(
        file,
        "<?xml version='1.0' encoding='utf-8'?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">"
    )?;
    let keys = ["y", "x", "osmid", "highway", "oneway", "length", "geometry", "maxspeed", "lanes", "name"];
    for (n, name) in keys.into_iter().enumerate() {
        let of = if n < 2 { "node" } else { "edge" };
        writeln!(file, "  <key id=\"d{n}\" for=\"{of}\" attr.name=\"{name}\" attr.type=\"string\" />")?;
    }
    writeln!(file, "  <graph edgedefault=\"directed\">")?;
    let degrees = |[x, y]: [f32; 2]| [-105.0 + f64::from(x) / 85_000.0, 39.7 + f64::from(y) / 111_200.0];
    let name = |node: u32| 1_029_246_978 + u64::from(node) * 7;
    for node in 0..network.nodes() as u32 {
        let [x, y] = degrees(network.position(node));
        writeln!(
            file,
            "    <node id=\"{}\">\n      <data key=\"d0\">{y:.7}</data>\n      <data key=\"d1\">{x:.7}</data>\n    </node>",
            name(node)
        )?;
    }
    for street in network.iter() {
        let mut shape = String::new();
        for (n, point) in network.shape(street.id).enumerate() {
            let ([x, y], comma) = (degrees(point), if n == 0 { "" } else { ", " });
            write!(shape, "{comma}{x:.7} {y:.7}").unwrap();
        }
        let one_way = if network.opposite(street.id).is_none() { "True" } else { "False" };
        writeln!(
            file,
            "    <edge source=\"{}\" target=\"{}\" id=\"0\">\n      <data key=\"d2\">{}</data>\n      <data key=\"d3\">residential</data>\n      <data key=\"d4\">{one_way}</data>\n      <data key=\"d5\">{:.3}</data>\n      <data key=\"d6\">LINESTRING ({shape})</data>\n      <data key=\"d7\">25 mph</data>\n      <data key=\"d8\">2</data>\n      <data key=\"d9\">A street with a name</data>\n    </edge>",
            name(street.from),
            name(street.to),
            u64::from(street.id) * 3,
            street.length
        )?;
    }
    writeln!(file, "  </graph>\n</graphml>")
}

#[test]
#[ignore = "a measurement: in release mode, alone"]
fn a_hundred_megabytes_of_graphml() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("city.graphml");
    // The generator's memory is given back before the measurement.
    let mut file = BufWriter::new(fs::File::create(&path).unwrap());
    write_graphml(&City { junctions: 75_000, ..City::DENVER }.build(), &mut file).unwrap();
    drop(file);
    let size = fs::metadata(&path).unwrap().len();
    // The peak is counted from here.
    let is_counted = fs::write("/proc/self/clear_refs", "5").is_ok();
    let before = memory("VmRSS").filter(|_| is_counted);
    let start = Instant::now();
    let (network, warnings) = Network::read(&path).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    let peak = memory("VmHWM").zip(before).map(|(peak, before)| peak.saturating_sub(before));
    println!(
        "{:.0} MB in {seconds:.2} s: {} junctions, {} streets, {:.1} MB; at most {:.1} MB meanwhile",
        size as f64 / 1e6,
        network.nodes(),
        network.streets(),
        network.bytes() as f64 / 1e6,
        peak.unwrap_or(0) as f64 / 1e6
    );
    assert_eq!(warnings.iter().count(), 0);
    assert!(seconds / (size as f64 / 100e6) < 3.0, "{seconds} s");
    assert!(peak.is_none_or(|peak| peak < 2 * network.bytes()), "{peak:?} bytes");
}
