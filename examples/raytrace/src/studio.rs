//! The objects of a scene.

use ikra::prelude::*;

use crate::model::{
    Checks, Diffuse, Glass, Lamp, MaterialLink, Mirror, Node, Pixel, Plane, ShapeLink, Sphere, Stage, Studio, Triangle,
    Vector, stage,
};
use crate::scene::{Form, Material, Scene, Shape};
use crate::tree;

/// How a ray searches for the shape that it hits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// In a tree of boxes: boxes that it misses are skipped.
    #[default]
    Tree,
    /// It tests all shapes in turn, as in TYPEPTR's RAY.
    List,
}

/// The objects of a scene, and a picture of this size.
pub(crate) fn build(scene: &Scene, order: Order, pixels: usize) -> Result<(Studio, Link<Stage>), ikra::Error> {
    let mut studio = Studio::new();
    let materials = scene.materials.iter().map(|material| add_material(&mut studio, material));
    let materials = materials.collect::<Result<Vec<_>, _>>()?;
    let bounds: Vec<_> =
        scene.shapes.iter().enumerate().filter_map(|(n, shape)| Some((n, shape.form.bounds()?))).collect();
    let nodes = tree::build(&bounds);

    // The list has the order in which the tree is visited. So if two shapes have the same distance, both searches find
    // the same shape.
    let mut shapes = Vec::new();
    for shape in scene.shapes.iter().filter(|shape| shape.form.bounds().is_none()) {
        shapes.push(add_shape(&mut studio, shape, &materials)?);
    }
    let in_tree =
        nodes.iter().filter_map(|node| node.leaf).map(|n| add_shape(&mut studio, &scene.shapes[n], &materials));
    let in_tree = in_tree.collect::<Result<Vec<_>, _>>()?;

    let mut root = None;
    match order {
        Order::List => shapes.extend(in_tree),
        Order::Tree => {
            let links: Vec<Link<Node>> = studio.nodes.reserve(nodes.len())?.collect();
            root = links.first().copied();
            // Rounding must not make a ray that just hits a shape miss its box.
            let margin = Vector::all(scene.gap());
            let mut leaves = in_tree.into_iter();
            for (n, node) in nodes.iter().enumerate() {
                let after = links.get(node.after).copied();
                let shape = node.leaf.and_then(|_| leaves.next());
                let inside = if shape.is_some() { after } else { links.get(n + 1).copied() };
                let (low, high) = (node.bounds.low - margin, node.bounds.high + margin);
                let row = Node { low, high, shape, inside, after };
                studio.nodes.init(links[n], row)?;
            }
        }
    }
    let stage = studio.stages.push(Stage { shapes: InnerArray::new(), root })?;
    studio.stages.set_array(stage::shapes, stage, &shapes)?;
    studio.pixels.extend((0..pixels).map(|_| Pixel { light: Vector::ZERO }))?;
    Ok((studio, stage))
}

fn add_material(studio: &mut Studio, material: &Material) -> Result<MaterialLink, ikra::Error> {
    Ok(match *material {
        Material::Diffuse { colour } => studio.diffuse.push(Diffuse { colour })?.into(),
        Material::Checks { even, odd, side } => studio.checks.push(Checks { even, odd, side })?.into(),
        Material::Mirror { colour, roughness } => studio.mirrors.push(Mirror { colour, roughness })?.into(),
        Material::Glass { colour, index } => studio.glasses.push(Glass { colour, index })?.into(),
        Material::Lamp { colour } => studio.lamps.push(Lamp { colour })?.into(),
    })
}

fn add_shape(studio: &mut Studio, shape: &Shape, materials: &[MaterialLink]) -> Result<ShapeLink, ikra::Error> {
    let material = materials[shape.material];
    Ok(match shape.form {
        Form::Sphere { centre, radius } => studio.spheres.push(Sphere { centre, radius, material })?.into(),
        Form::Plane { point, up } => studio.planes.push(Plane { up, height: point.dot(up), material })?.into(),
        Form::Triangle { corners } => studio.triangles.push(Triangle::new(corners, material))?.into(),
    })
}
