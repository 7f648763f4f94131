//! The page that plays a run, in a browser without a window.
#![allow(missing_docs, reason = "a test, not a library")]

mod browser;

use streets::{City, Layer, Player};

/// Clicks and drags, after the page is ready.
const VISITOR: &str = r#"
const pixels = () => { const s = document.getElementById("map"); return s.getContext("2d").getImageData(0, 0, s.width, s.height).data; };
const differ = (a, b) => { let n = 0; for (let k = 0; k < a.length; k += 4) n += a[k] !== b[k] || a[k + 1] !== b[k + 1]; return n; };
(async () => {
  const page = document.documentElement, map = document.getElementById("map"), said = {};
  await until(() => page.dataset.ready === "yes");
  await until(() => Number(page.dataset.frame) > 0);
  said.frames = page.dataset.frames;
  const time = document.getElementById("time");
  const at = value => { time.value = value; time.dispatchEvent(new Event("input")); };
  at(0); const first = pixels(); await drawn();
  said.paused = page.dataset.frame === "0.00" && differ(first, pixels()) === 0;
  at(10); const later = pixels(); said.moved = differ(first, later);
  said.clock = document.getElementById("clock").textContent;
  const event = (name, x, y) => map.dispatchEvent(new PointerEvent(name, { clientX: x, clientY: y, pointerId: 1 }));
  event("pointerdown", 300, 300); event("pointermove", 380, 340); event("pointerup", 380, 340); await drawn();
  const panned = pixels(); said.panned = differ(later, panned);
  map.dispatchEvent(new WheelEvent("wheel", { deltaY: -600, clientX: 400, clientY: 300, cancelable: true })); await drawn();
  const zoomed = pixels(); said.zoomed = differ(panned, zoomed);
  document.getElementById("theme").click(); await drawn();
  said.theme = differ(zoomed, pixels());
  document.getElementById("fit").click(); document.getElementById("theme").click(); await drawn();
  said.back = differ(later, pixels());
  say(said);
})();
"#;

fn page() -> String {
    let network = City { junctions: 300, ..City::default() }.build();
    let layer = |name: &str, count, colours| Layer { name: name.to_owned(), count, colours, metres: 5.0, least: 2.5 };
    let layers = vec![
        layer("lights </script>", 20, vec![[220, 40, 40], [40, 200, 60]]),
        layer("cars", 500, vec![[255, 60, 40], [255, 210, 80], [240, 255, 210]]),
    ];
    let mut player = Player::new(&network, "A run & \"more\" <b>", layers, 0.0, 2.0).unwrap();
    for tick in 0..40_u32 {
        let lights = (0..20).map(|n| (network.position(n * 7), if (n + tick / 5) % 2 == 0 { 0 } else { 255 }));
        let cars = (0..500_u32).map(|n| {
            let street = network.street(n % network.streets() as u32);
            (network.position_on(street.id, (n as f32 + 4.0 * tick as f32) % street.length), (n % 256) as u8)
        });
        player.frame(lights.chain(cars));
    }
    let mut html = Vec::new();
    player.write(&mut html).unwrap();
    let html = String::from_utf8(html).unwrap();
    assert!(html.len() < 120_000, "{} bytes", html.len());
    html
}

#[test]
fn a_browser_plays_it() {
    let html = page();
    assert!(!html.contains("src=") && !html.contains("http"), "the page needs nothing else");
    let Some(browser) = browser::find() else { return };
    let said = browser::visit(&browser, &html, VISITOR);
    assert_eq!(said.get("error"), None);
    assert_eq!((&*said["frames"], &*said["clock"], &*said["paused"]), ("40", "20 s", "true"));
    for (name, least) in [("moved", 1000), ("panned", 2000), ("zoomed", 2000), ("theme", 100_000)] {
        assert!(said[name].parse::<u32>().unwrap() > least, "{name}: {}", said[name]);
    }
    assert_eq!(said["back"], "0", "all is shown as before");
}
