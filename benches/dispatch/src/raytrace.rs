//! The scenes of `examples/raytrace`, for the path tracers of `benches/cuda/raytrace.cu`.

use ikra::Place;
use ikra::prelude::*;
use ikra_baselines::table::{microseconds, row, table, with_ratio};
use ikra_baselines::{Baselines, is_counting, size, time};
use raytrace::model::Vector;
use raytrace::render::Renderer;
use raytrace::scene::{Picture, Scene};
use raytrace::{Order, made_up};

use crate::rays::{call, with_columns};

/// The picture of TYPEPTR §8.
const PICTURE: Picture = Picture { width: 512, height: 512, bounces: 5, seed: 42 };
/// Samples whose sum is compared.
const COMPARED: u32 = 4;

/// One sample per pixel, by all ways to call a shape.
pub(crate) fn raytrace(baselines: &Baselines) -> Result<(), ikra::Error> {
    let scenes: [(&str, fn(u64) -> Scene); 2] = [("many", made_up::many), ("default", made_up::default)];
    let ways = ["CUDA, switch over columns", "… contracted", "virtual functions, placed", "… by `new`"];
    table(&[&["scene", "Ikra"], &ways[..]].concat(), 1);
    for (order, (scene_name, scene)) in
        [Order::Tree, Order::List].into_iter().flat_map(|order| scenes.map(|scene| (order, scene)))
    {
        let scene = scene(PICTURE.seed);
        let picture = Picture { width: size(PICTURE.width, 32), height: size(PICTURE.height, 32), ..PICTURE };
        let mut renderer = Renderer::new(&scene, &picture, order, Place::Gpu(0))?;
        renderer.open()?;
        renderer.sample(COMPARED)?;
        let light = renderer.light();
        let (studio, stage, view) = renderer.parts();
        let ikra = time(studio, |studio| studio.cuda_execute(raytrace::model::Pixel::sample, (stage, view, 0)))?;
        let mut by_cuda = |function: &str| {
            let mut pixels = vec![Vector::ZERO; light.len()];
            let time = with_columns(&mut renderer, COMPARED, &mut pixels, |columns| call(baselines, function, columns));
            let differing = light.iter().zip(&pixels).filter(|(a, b)| a != b).count();
            let contracted = function.ends_with("_contracted");
            let differ = if differing == 0 || contracted || is_counting() {
                String::new()
            } else {
                format!(" **{differing} pixels DIFFER**")
            };
            format!("{}{differ}", with_ratio(time, ikra))
        };
        row(&[
            &format!("{scene_name}, {order:?}").to_lowercase(),
            &microseconds(ikra),
            &by_cuda("raytrace_switch"),
            &by_cuda("raytrace_switch_contracted"),
            &by_cuda("raytrace_placed"),
            &by_cuda("raytrace_new"),
        ]);
    }
    Ok(())
}
