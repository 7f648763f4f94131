//! Where rays meet shapes, beside the same in twice the precision; and where they go from there.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::prelude::*;
use ikra::rng::Random;
use proptest::prelude::*;
use raytrace::model::{
    Diffuse, Glass, Hit, MISSED, MaterialLink, Mirror, Plane, Ray, ShapeLink, Sphere, Studio, Triangle, Vector,
};

/// A world with one shape.
fn studio(add: impl FnOnce(&mut Studio, MaterialLink) -> ShapeLink) -> (Studio, ShapeLink) {
    let mut studio = Studio::new();
    let material = studio.diffuse.push(Diffuse { colour: Vector::all(0.5) }).unwrap().into();
    let shape = add(&mut studio, material);
    (studio, shape)
}

fn point(size: f32) -> impl Strategy<Value = Vector> {
    prop::array::uniform3(-size..size).prop_map(|[x, y, z]| Vector::new(x, y, z))
}

fn unit() -> impl Strategy<Value = Vector> {
    point(1.0).prop_filter("a direction", |at| at.length() > 0.1).prop_map(Vector::unit)
}

fn ray() -> impl Strategy<Value = Ray> {
    (point(10.0), unit()).prop_map(|(origin, direction)| Ray { origin, direction })
}

/// A vector in twice the precision.
type Long = [f64; 3];

fn long(v: Vector) -> Long {
    [v.x.into(), v.y.into(), v.z.into()]
}

fn dot(a: Long, b: Long) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn minus(a: Long, b: Long) -> Long {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn along(ray: Ray, distance: f64) -> Long {
    let (origin, direction) = (long(ray.origin), long(ray.direction));
    [0, 1, 2].map(|k| origin[k] + distance * direction[k])
}

fn is_unit(v: Vector) -> bool {
    (v.length() - 1.0).abs() < 1e-5
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn spheres(centre in point(10.0), radius in 0.1_f32..8.0, ray in ray()) {
        let (studio, shape) = studio(|studio, material| {
            studio.spheres.push(Sphere { centre, radius, material }).unwrap().into()
        });
        let shape = studio.get(shape);
        let distance = shape.distance(ray);
        let to_centre = minus(long(centre), long(ray.origin));
        let middle = dot(to_centre, long(ray.direction)) / dot(long(ray.direction), long(ray.direction));
        let nearest = minus(long(centre), along(ray, middle));
        let depth = f64::from(radius) - dot(nearest, nearest).sqrt();
        let is_inside = dot(to_centre, to_centre).sqrt() < f64::from(radius);
        if distance == MISSED {
            prop_assert!(depth < 1e-4 || middle < 0.0 && !is_inside || middle.abs() < 1e-3, "{depth} {middle}");
        } else {
            prop_assert!(depth > -1e-4 && distance > 0.0);
            let off = minus(along(ray, distance.into()), long(centre));
            prop_assert!((dot(off, off).sqrt() - f64::from(radius)).abs() < 2e-4 / f64::from(radius).min(1.0));
            let normal = shape.normal(ray.at(distance));
            prop_assert!(is_unit(normal));
            // Outside the first point is where the ray goes in.
            if depth > 1e-3 {
                prop_assert_eq!(normal.dot(ray.direction) < 0.0, !is_inside);
            }
        }
    }

    #[test]
    fn planes(up in unit(), height in -9.0_f32..9.0, ray in ray()) {
        let (studio, shape) = studio(|studio, material| {
            studio.planes.push(Plane { up, height, material }).unwrap().into()
        });
        let shape = studio.get(shape);
        let distance = shape.distance(ray);
        let above = dot(long(ray.origin), long(up)) - f64::from(height);
        let climbs = dot(long(ray.direction), long(up));
        prop_assume!(above.abs() > 1e-4 && climbs.abs() > 1e-2);
        prop_assert_eq!(distance != MISSED, (above > 0.0) != (climbs > 0.0));
        if distance != MISSED {
            let off = dot(along(ray, distance.into()), long(up)) - f64::from(height);
            prop_assert!(off.abs() < 1e-5 * (1.0 + f64::from(distance)), "{off}");
            prop_assert!(is_unit(shape.normal(ray.at(distance))));
        }
    }

    #[test]
    fn triangles(corners in prop::array::uniform3(point(10.0)), ray in ray(), u in 0.0_f32..1.0, v in 0.0_f32..1.0) {
        let [a, b, c] = corners;
        let across = (b - a).cross(c - a);
        prop_assume!(across.length() > 1.0);
        let (studio, shape) = studio(|studio, material| {
            studio.triangles.push(Triangle::new(corners, material)).unwrap().into()
        });
        let shape = studio.get(shape);
        let out = shape.normal(a);
        prop_assert!(is_unit(out));
        for side in [b - a, c - a] {
            prop_assert!(out.dot(side).abs() < 1e-4 * side.length());
        }
        // A ray towards a point of it meets it there, and one towards the opposite corner of the parallelogram does not.
        let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
        let (u, v) = (0.02 + 0.9 * u, 0.02 + 0.9 * v);
        for (u, v, is_in) in [(u, v, u + v < 0.98), (1.02 - u, 1.02 - v, false)] {
            let at = a + (b - a) * u + (c - a) * v;
            let to = at - ray.origin;
            let direction = to.unit();
            if direction.dot(out).abs() < 0.05 || u + v > 0.98 && u + v < 1.02 {
                continue;
            }
            let distance = shape.distance(Ray { direction, ..ray });
            prop_assert_eq!(distance != MISSED, is_in, "{} {}", u, v);
            if is_in {
                prop_assert!((distance - to.length()).abs() < 1e-3 * (1.0 + distance), "{} {}", distance, to.length());
            }
            prop_assert_eq!(shape.distance(Ray { direction: -direction, ..ray }), MISSED);
        }
    }

    /// No material sends back more light than it gets, and rays go on from the right side.
    #[test]
    fn bounces(normal in unit(), direction in unit(), seed in any::<u64>(), roughness in 0.0_f32..1.0, index in 1.0_f32..2.5) {
        let mut studio = Studio::new();
        let diffuse = studio.diffuse.push(Diffuse { colour: Vector::all(0.9) }).unwrap();
        let mirror = studio.mirrors.push(Mirror { colour: Vector::all(0.8), roughness }).unwrap();
        let polished = studio.mirrors.push(Mirror { colour: Vector::all(1.0), roughness: 0.0 }).unwrap();
        let glass = studio.glasses.push(Glass { colour: Vector::all(1.0), index }).unwrap();
        let hit = Hit { at: Vector::ZERO, direction, normal, gap: 1e-3 };
        prop_assume!(direction.dot(normal).abs() > 1e-3);
        let facing = hit.facing();
        prop_assert!(facing.dot(direction) < 0.0);
        let random = &mut Random::new(seed, 0, 0);
        for _ in 0..20 {
            let scattered = studio.get(diffuse).bounce(&hit, random).unwrap();
            prop_assert!(is_unit(scattered.ray.direction) && scattered.ray.direction.dot(facing) > -1e-3);
            prop_assert!(scattered.share == Vector::all(0.9));
            if let Some(bounce) = studio.get(mirror).bounce(&hit, random) {
                prop_assert!(is_unit(bounce.ray.direction) && bounce.ray.direction.dot(facing) > 0.0);
                prop_assert!(bounce.ray.origin.dot(facing) > 0.0);
            }
            let image = studio.get(polished).bounce(&hit, random).unwrap().ray.direction;
            prop_assert!((image - hit.reflected()).length() < 1e-5);
            prop_assert!((image.dot(normal) + direction.dot(normal)).abs() < 1e-5);

            let bounce = studio.get(glass).bounce(&hit, random).unwrap();
            let through = bounce.ray.direction;
            prop_assert!(is_unit(through));
            if through.dot(facing) < 0.0 {
                // Snell's law, by the sines.
                let sine = |v: Vector| v.cross(normal).length();
                let (outer, inner) = if hit.is_outside() { (direction, through) } else { (through, direction) };
                prop_assert!((sine(outer) - index * sine(inner)).abs() < 2e-3, "{} {}", sine(outer), sine(inner));
                prop_assert!(bounce.ray.origin.dot(facing) < 0.0);
            } else {
                prop_assert!((through - hit.reflected()).length() < 1e-5);
            }
        }
    }
}

/// Grey walls around a lamp of light 1, which a furnace's inside shows everywhere: none gets lost, none is added.
#[test]
fn a_white_furnace() {
    use raytrace::Order;
    use raytrace::model::Sky;
    use raytrace::render::Renderer;
    use raytrace::scene::{Camera, Form, Material, Picture, Scene, Shape};

    let materials = vec![
        Material::Diffuse { colour: Vector::all(1.0) },
        Material::Mirror { colour: Vector::all(1.0), roughness: 0.0 },
        Material::Glass { colour: Vector::all(1.0), index: 1.5 },
        Material::Lamp { colour: Vector::all(1.0) },
    ];
    let sphere = |n: usize| {
        let centre = Vector::new(2.5 * n as f32 - 3.75, 0.0, 0.0);
        Shape { form: Form::Sphere { centre, radius: 1.0 }, material: n }
    };
    let one = Vector::all(1.0);
    let scene = Scene {
        materials,
        shapes: (0..4).map(sphere).collect(),
        camera: Some(Camera { eye: Vector::new(0.0, 2.0, 12.0), target: Vector::ZERO, angle: 40.0, lens: 0.1 }),
        sky: Sky { horizon: one, zenith: one, to_sun: one.unit(), sun: Vector::ZERO, sharpness: 0 },
    };
    let picture = Picture { width: 64, height: 24, bounces: 100, seed: 3 };
    let mut renderer = Renderer::new(&scene, &picture, Order::Tree, ikra::Place::Host).unwrap();
    renderer.sample(8).unwrap();
    let light = renderer.light();
    // All but the paths that have not found a way out after 100 bounces are exactly 1; the sky's two colours are mixed.
    let is_one = |light: &&Vector| (light.x - 8.0).abs() < 1e-4;
    assert!(light.iter().filter(is_one).count() >= light.len() - 3);
    assert!(light.iter().all(|light| light.x <= 8.0001 && light.x == light.y && light.y == light.z));
}
