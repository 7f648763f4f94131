//! The ray tracer of `examples/raytrace`.

use std::sync::Arc;
use std::time::Instant;

use raytrace::model::Vector;
use raytrace::render::Renderer;
use raytrace::scene::Picture;
use raytrace::{Order, made_up};

use super::{Case, Input, Outcome};
use crate::inputs::Rays;
use crate::words_checksum;

/// The checksum of a picture.
pub fn checksum(light: &[Vector]) -> u64 {
    words_checksum(light.iter().flat_map(|light| [light.x, light.y, light.z].map(f32::to_bits)))
}

pub(super) fn case(rays: Rays) -> Case {
    let [width, height] = rays.size;
    let scene = Arc::new(made_up::many(Rays::SEED));
    let objects = scene.shapes.len();
    let picture = Picture { width, height, bounces: 5, seed: Rays::SEED };
    let input = Input::Rays(Arc::clone(&scene), picture, rays.frames);
    let ikra = move |place| {
        let start = Instant::now();
        let mut renderer = Renderer::new(&scene, &picture, Order::List, place)?;
        renderer.open()?;
        let making = start.elapsed();
        let running = renderer.sample(rays.frames)?;
        Ok(Outcome { making, running, checksum: checksum(&renderer.light()) })
    };
    Case { name: "RAY", objects, input, texts: None, ikra: Box::new(ikra) }
}
