//! An order of objects in which few links lead from one rank to another.

use std::fmt::Display;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use ikra_core::class::Class;
use ikra_core::link::Link;
use ikra_core::moves::{Change, Moves};
use ikra_runtime::error::Error;
use ikra_runtime::objects::AnyObjects;
use ikra_runtime::world::{Holds, Moved, World};
use rayon::slice::ParallelSliceMut;

use crate::cluster::Cluster;
use crate::ranks::What;
use crate::state::links;

/// The most parts into which METIS divides a class, whatever the number of ranks: each rank gets some that follow each other.
const PARTS: usize = 1024;
/// The least objects of a part.
const LEAST: usize = 64;

impl Cluster {
    /// Puts the objects of a class into another order, so that ranks exchange few ghosts: linked objects are near each other
    /// afterwards. METIS divides the graph of the links between objects of the class, by recursive bisection. The order does
    /// not depend on the number of ranks. It also helps caches, on any place.
    ///
    /// All links in the world are remapped, as by [`World::reorder`]. Each rank calls it, with the world shared or before
    /// that. Objects of other classes keep their order; a [`sort_by_key`](World::sort_by_key) puts them near the objects to
    /// which they link.
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// # use ikra_cluster::Cluster;
    /// #[soa_class]
    /// pub struct Node { pub heat: f32, pub next: Option<Link<Node>> }
    /// #[soa_world]
    /// pub struct Net { pub nodes: Objects<Node> }
    ///
    /// # Cluster::threads(2, |cluster| {
    /// let mut net = Net::new();
    /// let nodes: Vec<_> = net.nodes.reserve(1000)?.collect();
    /// for n in 0..1000 {
    ///     net.nodes.init(nodes[n], Node { heat: n as f32, next: Some(nodes[(n * 7 + 3) % 1000]) })?;
    /// }
    /// let moved = cluster.partition::<Node, _>(&mut net)?;
    /// cluster.share(&mut net)?;
    /// let first = moved.link(nodes[0]).unwrap();
    /// assert_eq!(net.get(first).next().unwrap().heat(), 3.0);
    /// # Ok::<_, ikra::Error>(())
    /// # }).into_iter().for_each(|rank| rank.unwrap());
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Cluster`], also for more than 2³⁰ links; errors of [`World::reorder`].
    #[cfg_attr(docsrs, doc(cfg(feature = "metis")))]
    pub fn partition<C: Class, W: World + Holds<C>>(&self, world: &mut W) -> Result<Moved<C>, Error> {
        let live: Vec<_> = world.objects().links().collect();
        let part = {
            let mut members = world.members_mut();
            let found = members.as_mut().iter_mut().enumerate().find(|(_, member)| member.class() == C::ID);
            let Some((place, objects)) = found else { unreachable!("the world has the class") };
            // On each rank, since they may be those of others.
            objects.fetch(links(objects.fields()))?;
            // The first rank computes the parts, so that all have the same.
            let part = if self.is_first() { divide(&mut **objects, &live) } else { Ok(Vec::new()) };
            let part = part.map_err(|error| self.fail(&error.to_string()))?;
            let text = format!("the partition of class {}, member {place} of the world", C::NAME);
            let what = What { text: &text, state: live.len() as u64 };
            self.bytes_of_first(&what, &part.into_iter().flat_map(i32::to_le_bytes).collect::<Vec<_>>())?
        };
        let mut order: Vec<_> =
            live.into_iter().zip(part.as_chunks().0.iter().map(|part| i32::from_le_bytes(*part))).collect();
        order.sort_by_key(|&(_, part)| part);
        world.reorder(&order.into_iter().map(|(link, _)| link).collect::<Vec<_>>())
    }
}

/// The part of each of some objects, which are all objects of a class.
fn divide<C>(objects: &mut dyn AnyObjects, live: &[Link<C>]) -> Result<Vec<i32>, Error> {
    let name = objects.name();
    let refuse = |reason: &dyn Display| Error::Cluster {
        reason: format!("METIS cannot divide the objects of class {name}: {reason}"),
    };
    let parts = (live.len() / LEAST).clamp(1, PARTS);
    let parts = 1 << parts.ilog2();
    let mut part = vec![0; live.len()];
    if parts > 1 {
        let (starts, neighbours) = graph(objects, live)?;
        let graph = metis::Graph::new(1, parts, &starts, &neighbours).map_err(|error| refuse(&error))?;
        // METIS draws random numbers from a state of the process.
        static ALONE: Mutex<()> = Mutex::new(());
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        graph.set_option(metis::option::Seed(1)).part_recursive(&mut part).map_err(|error| refuse(&error))?;
    }
    Ok(part)
}

/// The graph of the links between some objects, which are all objects of a class: for each, the end of its neighbours after a
/// 0, and all neighbours. Links count in both directions.
fn graph<C>(objects: &mut dyn AnyObjects, live: &[Link<C>]) -> Result<(Vec<i32>, Vec<i32>), Error> {
    let (name, class, fields) = (objects.name(), objects.class(), links(objects.fields()));
    // Objects by their numbers among those that exist.
    let mut numbers = vec![u32::MAX; live.last().map_or(0, |last| last.index() + 1)];
    live.iter().enumerate().for_each(|(number, link)| numbers[link.index()] = number as u32);
    let (from, edges) = (AtomicU32::new(0), Mutex::new(Vec::new()));
    let see = |to: u32| {
        let (from, to) = (from.load(Relaxed), numbers.get(to as usize).copied().unwrap_or(u32::MAX));
        if from != to && to != u32::MAX {
            let mut edges = edges.lock().unwrap_or_else(PoisonError::into_inner);
            edges.extend([(from, to), (to, from)]);
        }
    };
    let changes = [Change::seen(class, &see)];
    let mut each = live.iter().map(|link| {
        from.store(numbers[link.index()], Relaxed);
        link.index()
    });
    objects.visit_links(&mut each, fields, Moves::new(&changes))?;
    let mut edges = edges.into_inner().unwrap_or_else(PoisonError::into_inner);
    edges.par_sort_unstable();
    edges.dedup();
    if i32::try_from(edges.len()).is_err() {
        let links = edges.len() / 2;
        let reason = format!(
            "class {name} has {links} links, and METIS takes 2³⁰; sort by a key that is near for linked objects"
        );
        return Err(Error::Cluster { reason });
    }
    let mut starts = vec![0; live.len() + 1];
    edges.iter().for_each(|&(from, _)| starts[from as usize + 1] += 1);
    for n in 0..live.len() {
        starts[n + 1] += starts[n];
    }
    Ok((starts, edges.into_iter().map(|(_, to)| to as i32).collect()))
}
