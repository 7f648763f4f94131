//! Owners that go with the objects that they name: links under `#[soa(on_remove = "cascade")]`.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use super::lives::changes;
use crate::error::Error;
use crate::objects::{AnyObjects, fields_with};
use ikra_core::bits::{is_set, ones, set};
use ikra_core::moves::{Change, Moves};
use rayon::slice::ParallelSliceMut;

/// The number of passes over the owners before the owners of each object are listed. A pass finds the next owners in all
/// chains of owners, which are short in most models.
const PASSES: usize = 6;

/// An object of a world: its member's number and its index.
type Object = (u32, u32);

/// Adds the owners that go with removed objects, given as one bit per index for each member, and theirs in turn.
///
/// # Errors
///
/// Errors of fetching.
pub(super) fn cascade(members: &mut [&mut dyn AnyObjects], removed: &mut [Vec<u64>]) -> Result<(), Error> {
    if !members.iter().any(|member| member.fields().iter().any(|field| field.cascades)) {
        return Ok(());
    }
    // Removed objects that owners have not been looked for yet.
    let mut last = removed.to_vec();
    for _ in 0..PASSES {
        let mut found = vec![Vec::new(); removed.len()];
        let changes = changes(members, &last);
        for (number, member) in members.iter().enumerate() {
            member.cascade(Moves::new(&changes), &removed[number], &mut found[number])?;
        }
        if found.iter().all(Vec::is_empty) {
            return Ok(());
        }
        for (removed, found) in removed.iter_mut().zip(&found) {
            ones(found).for_each(|index| set(removed, index));
        }
        last = found;
    }
    follow(&owners(members)?, removed);
    Ok(())
}

/// All objects that go with another, sorted by it: pairs of the object that is named, and its owner.
fn owners(members: &mut [&mut dyn AnyObjects]) -> Result<Vec<(Object, Object)>, Error> {
    let classes: Vec<_> = members.iter().map(|member| member.class()).collect();
    let mut owners = Vec::new();
    for (number, member) in members.iter_mut().enumerate() {
        for (target, &class) in classes.iter().enumerate() {
            let fields = fields_with(member.fields(), &|field| field.cascades && field.holds_links_to.contains(&class));
            if fields.is_empty() {
                continue;
            }
            let (owner, found) = (AtomicU32::new(0), Mutex::new(&mut owners));
            let see = |named: u32| {
                let pair = ((target as u32, named), (number as u32, owner.load(Relaxed)));
                found.lock().unwrap_or_else(PoisonError::into_inner).push(pair);
            };
            let live = member.live();
            let mut each = live.listed(0)?.iter().inspect(|&index| owner.store(index as u32, Relaxed));
            member.visit_links(&mut each, fields, Moves::new(&[Change::seen(class, &see)]))?;
        }
    }
    owners.par_sort_unstable();
    Ok(owners)
}

/// Adds the owners of removed objects, and theirs in turn.
fn follow(owners: &[(Object, Object)], removed: &mut [Vec<u64>]) {
    let mut named: Vec<Object> = Vec::new();
    for (number, removed) in removed.iter().enumerate() {
        named.extend(ones(removed).map(|index| (number as u32, index as u32)));
    }
    while let Some(object) = named.pop() {
        let first = owners.partition_point(|&(named, _)| named < object);
        for &(_, (number, index)) in owners[first..].iter().take_while(|&&(named, _)| named == object) {
            let removed = &mut removed[number as usize];
            if !is_set(removed, index as usize) {
                set(removed, index as usize);
                named.push((number, index));
            }
        }
    }
}
