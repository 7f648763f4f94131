//! A scene of `examples/raytrace` as the columns that `benches/cuda/raytrace.cu` takes.

use ikra::Class;
use ikra::prelude::*;
use ikra_baselines::Baselines;
use raytrace::model::{
    MaterialIs, MaterialLink, ShapeIs, ShapeLink, Vector, View, checks, diffuse, glass, lamp, mirror, node, plane,
    sphere, triangle,
};
use raytrace::render::Renderer;

/// A column, as C has it.
#[repr(C)]
#[derive(Clone, Copy)]
struct Slice<T> {
    data: *const T,
    len: u64,
}

impl<T> From<&[T]> for Slice<T> {
    fn from(slice: &[T]) -> Self {
        Self { data: slice.as_ptr(), len: slice.len() as u64 }
    }
}

/// `Columns` of `raytrace.cu`: what a scene's columns are.
#[repr(C)]
pub(crate) struct Columns {
    sphere_centre: Slice<Vector>,
    sphere_radius: Slice<f32>,
    sphere_material: Slice<u32>,
    plane_up: Slice<Vector>,
    plane_height: Slice<f32>,
    plane_material: Slice<u32>,
    triangle_corner: Slice<Vector>,
    triangle_first: Slice<Vector>,
    triangle_second: Slice<Vector>,
    triangle_out: Slice<Vector>,
    triangle_material: Slice<u32>,
    diffuse_colour: Slice<Vector>,
    checks_even: Slice<Vector>,
    checks_odd: Slice<Vector>,
    checks_side: Slice<f32>,
    mirror_colour: Slice<Vector>,
    mirror_roughness: Slice<f32>,
    glass_colour: Slice<Vector>,
    glass_index: Slice<f32>,
    lamp_colour: Slice<Vector>,
    node_low: Slice<Vector>,
    node_high: Slice<Vector>,
    node_shape: Slice<u32>,
    node_inside: Slice<u32>,
    node_after: Slice<u32>,
    list: Slice<u32>,
    view: View,
    pixels: u64,
    samples: u32,
    light: *mut Vector,
}

/// Nothing, where a link may be.
const NONE: u32 = u32::MAX;

/// A link as `raytrace.cu` has it.
fn bits<C: Class>(tag: u32, link: Link<C>) -> u32 {
    tag << 29 | link.index() as u32
}

fn shape_bits(link: ShapeLink) -> u32 {
    match link.class() {
        ShapeIs::Sphere(link) => bits(0, link),
        ShapeIs::Plane(link) => bits(1, link),
        ShapeIs::Triangle(link) => bits(2, link),
    }
}

fn material_bits(link: MaterialLink) -> u32 {
    match link.class() {
        MaterialIs::Diffuse(link) => bits(0, link),
        MaterialIs::Checks(link) => bits(1, link),
        MaterialIs::Mirror(link) => bits(2, link),
        MaterialIs::Glass(link) => bits(3, link),
        MaterialIs::Lamp(link) => bits(4, link),
    }
}

/// Calls `work` with the columns of a scene.
pub(crate) fn with_columns<R>(
    renderer: &mut Renderer,
    samples: u32,
    light: &mut [Vector],
    work: impl FnOnce(&Columns) -> R,
) -> R {
    let (studio, stage, view) = renderer.parts();
    let materials = |links: &[MaterialLink]| links.iter().map(|&link| material_bits(link)).collect::<Vec<_>>();
    let sphere_material = materials(studio.spheres.column(sphere::material));
    let plane_material = materials(studio.planes.column(plane::material));
    let triangle_material = materials(studio.triangles.column(triangle::material));
    let next = |links: &[Option<Link<_>>]| {
        links.iter().map(|link| link.map_or(NONE, |link: Link<_>| link.index() as u32)).collect::<Vec<_>>()
    };
    let node_inside = next(studio.nodes.column(node::inside));
    let node_after = next(studio.nodes.column(node::after));
    let node_shape: Vec<u32> =
        studio.nodes.column(node::shape).iter().map(|link| link.map_or(NONE, shape_bits)).collect();
    let list: Vec<u32> = studio.get(stage).shapes().iter().map(|shape| shape_bits(shape.link())).collect();
    work(&Columns {
        sphere_centre: studio.spheres.column(sphere::centre).into(),
        sphere_radius: studio.spheres.column(sphere::radius).into(),
        sphere_material: sphere_material[..].into(),
        plane_up: studio.planes.column(plane::up).into(),
        plane_height: studio.planes.column(plane::height).into(),
        plane_material: plane_material[..].into(),
        triangle_corner: studio.triangles.column(triangle::corner).into(),
        triangle_first: studio.triangles.column(triangle::first).into(),
        triangle_second: studio.triangles.column(triangle::second).into(),
        triangle_out: studio.triangles.column(triangle::out).into(),
        triangle_material: triangle_material[..].into(),
        diffuse_colour: studio.diffuse.column(diffuse::colour).into(),
        checks_even: studio.checks.column(checks::even).into(),
        checks_odd: studio.checks.column(checks::odd).into(),
        checks_side: studio.checks.column(checks::side).into(),
        mirror_colour: studio.mirrors.column(mirror::colour).into(),
        mirror_roughness: studio.mirrors.column(mirror::roughness).into(),
        glass_colour: studio.glasses.column(glass::colour).into(),
        glass_index: studio.glasses.column(glass::index).into(),
        lamp_colour: studio.lamps.column(lamp::colour).into(),
        node_low: studio.nodes.column(node::low).into(),
        node_high: studio.nodes.column(node::high).into(),
        node_shape: node_shape[..].into(),
        node_inside: node_inside[..].into(),
        node_after: node_after[..].into(),
        list: list[..].into(),
        view,
        pixels: light.len() as u64,
        samples,
        light: light.as_mut_ptr(),
    })
}

/// Calls a baseline that traces rays. The result is in nanoseconds; the light of the pixels is where the columns say.
#[allow(unsafe_code, reason = "a call of a C library")]
pub(crate) fn call(baselines: &Baselines, name: &str, columns: &Columns) -> f64 {
    // SAFETY: the baseline of this name takes the address of such columns and returns a double; it reads as many elements
    // of each as it is told, and writes the light of as many pixels.
    unsafe { baselines.call(name, |f: &unsafe extern "C" fn(*const Columns) -> f64| f(columns)) }
}
