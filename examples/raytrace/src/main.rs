//! A ray tracer whose shapes and materials are objects of many classes.
#![forbid(unsafe_code)]

mod options;
mod picture;

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;

use example_program::{Output, ThreadsError, Unwritable};
use ikra::Place;
use options::{Options, SceneName};
use raytrace::model::Vector;
use raytrace::obj::{self, InputError};
use raytrace::render::Renderer;
use raytrace::scene::{Form, Picture, Scene};
use raytrace::{Order, made_up};

/// The errors that end the program early.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Input(#[from] InputError),
    #[error(transparent)]
    Ikra(#[from] ikra::Error),
    #[error(transparent)]
    Output(#[from] Unwritable),
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    #[error("pixel {x}, {y} has the light {found:?}; none of the scene's is brighter than {brightest:?}")]
    TooBright { x: u32, y: u32, found: Vector, brightest: Vector },
    #[error("pixel {x}, {y} has the light {found:?}, and {expected:?} by sequential code")]
    Different { x: u32, y: u32, found: Vector, expected: Vector },
}

impl Failure {
    /// The program's exit code.
    fn code(&self) -> u8 {
        match self {
            Self::Input(_) => 2,
            Self::Threads(error) => error.code(),
            Self::Output(error) => error.code(),
            Self::Ikra(error) => example_program::error_code(error),
            _ => 1,
        }
    }
}

fn main() -> ExitCode {
    // Wrong options also end the program with code 2.
    let options = Options::parse();
    example_program::end("raytrace", run(&options), Failure::code)
}

fn run(options: &Options) -> Result<(), Failure> {
    options.machine.threads()?.install(|| draw(options))
}

fn draw(options: &Options) -> Result<(), Failure> {
    // Before the work starts: an hour later would be too late to report a missing folder.
    let png = options.png.as_deref().map(Output::open).transpose()?;
    let start = Instant::now();
    let scene = match &options.scene {
        SceneName::Default => made_up::default(options.seed),
        SceneName::Many => made_up::many(options.seed),
        SceneName::File(path) => obj::read(path)?,
    };
    let count = |is: fn(&Form) -> bool| scene.shapes.iter().filter(|shape| is(&shape.form)).count();
    let spheres = count(|form| matches!(form, Form::Sphere { .. }));
    let planes = count(|form| matches!(form, Form::Plane { .. }));
    let (width, height) = options.size;
    let picture = Picture { width, height, bounces: options.bounces, seed: options.seed };
    let order = if options.list { Order::List } else { Order::Tree };
    let mut renderer = Renderer::new(&scene, &picture, order, options.machine.place())?;
    println!(
        "{spheres} spheres, {planes} planes, {} triangles, {} materials, built in {:.0} ms",
        scene.shapes.len() - spheres - planes,
        scene.materials.len(),
        start.elapsed().as_secs_f64() * 1e3
    );

    let worker = renderer.open()?;
    let time = renderer.sample(options.samples)?.as_secs_f64();
    let paths = f64::from(width) * f64::from(height) * f64::from(options.samples);
    println!(
        "{width} × {height} pixels, {} samples each, {worker}: {:.1} ms, {:.1} million paths/s",
        options.samples,
        time * 1e3,
        paths / time / 1e6
    );
    let light = renderer.light();
    if options.check {
        check(&light, &scene, &picture, options.samples)?;
    }
    if let Some(png) = png {
        picture::develop(&light, options.samples, options.size).write(png)?;
    }
    Ok(())
}

/// Checks the brightness of all pixels, and recomputes some of them by sequential code that tests all shapes.
fn check(light: &[Vector], scene: &Scene, picture: &Picture, samples: u32) -> Result<(), Failure> {
    let place = |pixel: usize| (pixel as u32 % picture.width, pixel as u32 / picture.width);
    let brightest = scene.brightest();
    // The sum of the samples has rounding errors.
    let most = brightest * (samples as f32 * 1.001);
    let is_right = |light: &Vector| {
        [(light.x, most.x), (light.y, most.y), (light.z, most.z)].iter().all(|&(x, most)| (0.0..=most).contains(&x))
    };
    if let Some(pixel) = light.iter().position(|light| !is_right(light)) {
        let (x, y) = place(pixel);
        return Err(Failure::TooBright { x, y, found: light[pixel] * (1.0 / samples as f32), brightest });
    }
    let again = Renderer::new(scene, picture, Order::List, Place::Host)?;
    let each = scene.shapes.len() as u64 * u64::from(samples) * (u64::from(picture.bounces) + 1);
    let pixels = (1_000_000_000 / each).clamp(8, 1000) as usize;
    let step = light.len().div_ceil(pixels) | 1;
    for pixel in (0..light.len()).step_by(step) {
        let (expected, found) = (again.light_of(pixel as u32, samples), light[pixel]);
        if expected != found {
            let (x, y) = place(pixel);
            return Err(Failure::Different { x, y, found, expected });
        }
    }
    println!("no pixel is brighter than the brightest light");
    println!("{} pixels are the same by sequential code that asks all shapes", light.len().div_ceil(step));
    Ok(())
}
