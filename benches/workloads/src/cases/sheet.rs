//! The sheet that is torn apart.

use std::sync::Arc;

use ikra::{Place, prelude::*};

use super::{Case, Input, Outcome, run};
use crate::inputs::Sheet;
use crate::model::structure::{self, Anchor, LOOSE, Mass, NodeIs, NodeLink, Puller, Spring, anchor, mass, puller};
use crate::{plain, words_checksum};

/// The world of a sheet.
fn build(sheet: &Sheet) -> Result<structure::Sheet, ikra::Error> {
    let mut world = structure::Sheet::new();
    let mut nodes: Vec<NodeLink> = Vec::with_capacity(sheet.pos.len());
    for (node, (&pos, &mass)) in (0..).zip(sheet.pos.iter().zip(&sheet.mass)) {
        nodes.push(if sheet.is_anchored(node) {
            world.anchors.push(Anchor { pos })?.into()
        } else if sheet.is_pulled(node) {
            world.pullers.push(Puller { pos, vel: Sheet::PULL })?.into()
        } else {
            let springs = InnerArray::new();
            world.masses.push(Mass { pos, vel: [0.0; 2], mass, distance: LOOSE, springs })?.into()
        });
    }
    let mut springs_of = vec![Vec::new(); nodes.len()];
    for (n, &[a, b]) in sheet.ends.iter().enumerate() {
        let spring = world.springs.push(Spring {
            a: nodes[a as usize],
            b: nodes[b as usize],
            length: sheet.length[n],
            stiffness: sheet.stiffness[n],
            strength: sheet.strength[n],
            force: [0.0; 2],
            distance: LOOSE,
            broken: false,
        })?;
        springs_of[a as usize].push(spring);
        springs_of[b as usize].push(spring);
    }
    for (node, springs) in nodes.into_iter().zip(&springs_of) {
        if let NodeIs::Mass(node) = node.class() {
            world.masses.set_array(mass::springs, node, springs)?;
        }
    }
    Ok(world)
}

/// One pull, its steps, and a search for what is loose.
fn round(world: &mut structure::Sheet, place: Place, steps: u32) -> Result<(), ikra::Error> {
    let mut world = world.on(place);
    world.execute(Puller::pull, ())?;
    world.repeat(steps as usize, |step| {
        step.execute(Spring::stretch, ())?;
        step.execute(Mass::advance, ())
    })?;
    if !world.execute_and_reduce(Spring::is_broken, (), Any)? {
        return Ok(());
    }
    world.execute(Spring::part, ())?;
    world.execute(Mass::let_go, ())?;
    loop {
        world.execute(Spring::carry, ())?;
        if !world.execute_and_reduce(Mass::settle, (), Any)? {
            break;
        }
    }
    if world.execute_and_reduce(Mass::is_loose, (), Any)? {
        world.execute(Mass::fall, ())?;
    }
    Ok(())
}

/// The words of a result: for each node where it is, or that it is gone; and the number of springs.
pub fn checksum(nodes: impl Iterator<Item = Option<[f32; 2]>>, springs: usize) -> u64 {
    let words = |pos: Option<[f32; 2]>| pos.map_or([u32::MAX; 2], |pos| pos.map(f32::to_bits));
    words_checksum(nodes.flat_map(words).chain([springs as u32]))
}

pub(super) fn case(sheet: Arc<Sheet>, rounds: [u32; 2]) -> Case {
    let objects = sheet.pos.len() + sheet.ends.len();
    let input = Input::Sheet(Arc::clone(&sheet), rounds);
    let texts = Some([include_str!("../model/structure.rs"), include_str!("../objects/structure.rs")]);
    let ikra = move |place| {
        // At rest, a step changes nothing.
        let warm_up = |world: &mut structure::Sheet| {
            world.on(place).execute(Spring::stretch, ())?;
            world.on(place).execute(Mass::advance, ())?;
            world.on(place).execute(Mass::let_go, ())?;
            world.on(place).execute(Spring::carry, ())
        };
        let steps = |world: &mut structure::Sheet| (0..rounds[0]).try_for_each(|_| round(world, place, rounds[1]));
        let (world, [making, running]) = run(place, || build(&sheet), warm_up, steps)?;
        let first = sheet.columns as usize;
        let mut masses = vec![None; sheet.pos.len() - 2 * first];
        for link in world.masses.links() {
            masses[link.index()] = Some(world.get(link).pos());
        }
        let (anchors, pullers) = (world.anchors.copy_column(anchor::pos), world.pullers.copy_column(puller::pos));
        let nodes = anchors.into_iter().map(Some).chain(masses).chain(pullers.into_iter().map(Some));
        Ok(Outcome { making, running, checksum: checksum(nodes, world.springs.len()) })
    };
    Case { name: "STUT", objects, input, texts, ikra: Box::new(ikra) }
}

/// By hand.
pub(super) fn plain(sheet: &Sheet, rounds: [u32; 2]) -> u64 {
    let torn = plain::sheet::tear(sheet, rounds);
    let nodes = torn.pos.iter().zip(&torn.is_gone).map(|(&pos, &is_gone)| (!is_gone).then_some(pos));
    checksum(nodes, torn.is_broken.iter().filter(|is_broken| !**is_broken).count())
}
