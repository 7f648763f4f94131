//! Kernels that make and remove objects: their changes take effect when all calls have returned.

use super::cascade::cascade;
use super::saved::Saved;
use super::{Ready, World, check_links};
use crate::class::{Class, ClassId};
use crate::error::Error;
use crate::info::FieldInfo;
use crate::link::Link;
use crate::list::LastList;
use crate::objects::{AnyObjects, Born, Objects, concerned, generation};
use crate::world::{Holds, Moved, reorder};
use ikra_core::bits::{count_ones, set};
use ikra_core::effects::{Effects, FieldSet};
use ikra_core::kept::KeptObjects;
use ikra_core::message::Message;
use ikra_core::moves::{Change, Moves, Remap};

/// Fails to compile if a kernel makes objects of a class that a world does not hold.
pub(crate) const fn assert_holds<W: World>(effects: &[&Effects]) {
    let mut kernel = 0;
    while kernel < effects.len() {
        let (spawned, mut n) = (effects[kernel].spawned(), 0);
        while n < spawned.len() {
            let (mut class, mut found) = (0, false);
            while class < W::CLASSES.len() {
                found |= W::CLASSES[class].may_be(spawned[n]);
                class += 1;
            }
            if !found {
                let name = spawned[n].name();
                let message = Message::new()
                    .push("kernel `")
                    .push(effects[kernel].kernel())
                    .push("` makes objects of class `")
                    .push(name)
                    .push("`, which are not in this world; add a field of type `Objects<")
                    .push(name)
                    .push(">` to it");
                panic!("{}", message.as_str());
            }
            n += 1;
        }
        kernel += 1;
    }
}

/// Fails to compile if a kernel makes or removes objects.
pub(crate) const fn assert_changes_nothing(effects: &Effects, function: &str) {
    if effects.changes_objects() {
        let message = Message::new()
            .push("kernel `")
            .push(effects.kernel())
            .push("` makes or removes objects, so `")
            .push(function)
            .push("` cannot run it: run it by `execute` before");
        panic!("{}", message.as_str());
    }
}

/// Runs a kernel with these effects on each class. Objects that it makes and removes come and go after it.
///
/// # Errors
///
/// Errors of `run`; [`Error::LinkToRemoved`]; errors of adding objects. The world is as before the kernel then, except
/// after [`Error::OutOfMemory`], where the kernel's writes to fields stay, and if one kernel makes more than 2 GiB of arrays.
#[inline]
pub(crate) fn with_changes<W: World, T>(
    world: Ready<'_, W>,
    effects: &'static [&'static Effects],
    run: impl FnOnce(Ready<'_, W>) -> Result<T, Error>,
) -> Result<T, Error> {
    if !changes_objects(effects) {
        return run(world);
    }
    let open = Open::of(world.0, effects)?;
    let result = run(Ready(open.world))?;
    open.commit()?;
    Ok(result)
}

#[inline]
fn changes_objects(effects: &[&Effects]) -> bool {
    effects.iter().any(|effects| effects.changes_objects())
}

/// A kernel that makes or removes objects is running. Dropping this value forgets what it made and removed.
struct Open<'w, W: World> {
    world: &'w mut W,
    /// Copies of the members whose values the kernel may change, if its changes may turn out to be impossible.
    saved: Vec<Saved>,
    /// The count of changes of ids when the kernel began.
    since: u64,
    /// Whether the objects that it made exist.
    exist: bool,
}

impl<W: World> Drop for Open<'_, W> {
    fn drop(&mut self) {
        for member in self.world.members_mut().as_mut() {
            member.close(self.exist);
        }
    }
}

impl<'w, W: World> Open<'w, W> {
    fn of(world: &'w mut W, effects: &[&Effects]) -> Result<Self, Error> {
        let mut open = Self { world, saved: Vec::new(), since: generation(), exist: false };
        open.saved = opened(open.world.members_mut().as_mut(), effects)?;
        Ok(open)
    }

    /// Makes and removes the kernel's objects.
    fn commit(mut self) -> Result<(), Error> {
        let saved = std::mem::take(&mut self.saved);
        let has_moved = committed(self.world.members_mut().as_mut(), saved, self.since)?;
        self.exist = true;
        forget_lists(self.world, has_moved);
        Ok(())
    }
}

/// Prepares the members for a kernel with these effects. Returns copies of those whose values it may change, if its changes
/// may turn out to be impossible.
fn opened(members: &mut [&mut dyn AnyObjects], effects: &[&Effects]) -> Result<Vec<Saved>, Error> {
    let (may_fail, mut saved) = (may_fail(members, effects), Vec::new());
    for (number, member) in members.iter_mut().enumerate() {
        let own = effects.iter().position(|effects| effects.class() == member.class());
        if let Some(section) = own {
            member.open(section as u32, effects[section]);
        }
        if effects.iter().any(|effects| effects.spawned().contains(&member.class())) {
            member.open_nursery();
        }
        if may_fail && (own.is_some() || !member.atomics().is_empty()) {
            saved.push(Saved::of(number, &mut **member)?);
        }
    }
    Ok(saved)
}

/// Makes and removes a kernel's objects. Returns whether ids have changed since the count of such changes was `since`.
fn committed(members: &mut [&mut dyn AnyObjects], saved: Vec<Saved>, since: u64) -> Result<bool, Error> {
    let mut born = Vec::new();
    let result = change(members, &mut born);
    if result.is_err() {
        for (member, born) in members.iter_mut().zip(&born) {
            // SAFETY: links to them are in their own rows, and in fields that late stores wrote, which are unchecked since
            // (I35, I36).
            unsafe { member.undo(born) };
        }
        for saved in saved {
            let member = saved.member;
            saved.restore(&mut *members[member])?;
        }
    }
    // A device has moved them already.
    Ok(result? || members.iter().any(|member| member.generation() > since))
}

/// Makes and removes the objects that members have noted. `born` gets the new ones, also if there is an error. Returns
/// whether ids changed.
fn change(members: &mut [&mut dyn AnyObjects], born: &mut Vec<Born>) -> Result<bool, Error> {
    for number in 0..members.len() {
        let class = members[number].class();
        let mut fields = members.iter().flat_map(|member| member.fields());
        let are_named = fields.any(|field| field.holds_links_to.contains(&class));
        born.push(members[number].deliver(are_named)?);
    }
    let changes: Vec<_> = members
        .iter()
        .zip(&*born)
        .filter(|(_, born)| !born.is_empty())
        .map(|(member, born)| born.change(member.class()))
        .collect();
    let mut stored = Vec::new();
    for (member, born) in members.iter_mut().zip(&*born) {
        stored.push(member.remap_born(born, Moves::new(&changes))?);
    }
    // SAFETY: a kernel has run, so the tables are linked. The objects were just made, or are those of calls.
    let is_good = |((member, born), stored): ((&&mut dyn AnyObjects, &Born), &Vec<u32>)| unsafe {
        member.have_good_links(born, stored)
    };
    let are_good = members.iter().zip(&*born).zip(&stored).all(is_good);
    let marks = members.iter_mut().map(|member| member.take_marks()).collect();
    let have_moved = remove_marked(members, marks)?;
    if are_good {
        // SAFETY: before the kernel all links in these columns named objects that exist (`Ready`). Its calls stored refs to
        // such objects. The links of new objects and of late stores were just looked at.
        unsafe { are_remapped(members) };
    }
    Ok(have_moved)
}

/// Notes that all links are to objects that exist, after those to removed objects, or to moved ones, were remapped.
///
/// # Safety
///
/// Without the removals and moves since, all links that kernels follow without a check would name objects that exist. All
/// members' links were remapped by these, which [`remap_links`](AnyObjects::remap_links) does for all objects that exist
/// (I33), and in each field (`Value::remapped`) but those whose owners [`cascade`] has removed.
pub(super) unsafe fn are_remapped(members: &mut [&mut dyn AnyObjects]) {
    for member in members {
        // SAFETY: by the caller (I11).
        unsafe { member.set_links_checked() };
    }
}

/// Removes objects, given as one bit per index for each member, and the owners that cascade. Classes that are declared so
/// compact themselves. Returns whether one did. Nothing changes if there is an error.
fn remove_marked(members: &mut [&mut dyn AnyObjects], mut removed: Vec<Vec<u64>>) -> Result<bool, Error> {
    if removed.iter().flatten().all(|&word| word == 0) {
        return Ok(false);
    }
    cascade(members, &mut removed)?;
    take_out(members, &removed, None)
}

/// A class whose objects are put into an order.
pub(super) struct Order<'a> {
    /// Its number.
    pub(super) member: usize,
    /// The former indices of those that stay.
    pub(super) old: &'a [u32],
    /// By former index: the new id, or 0.
    pub(super) ids: &'a [u32],
}

/// Removes objects, given as one bit per index for each member, owners among them, and puts those of one class into an
/// order. Without one, classes that are declared so compact themselves. Returns whether ids changed. Nothing changes if
/// there is an error.
pub(super) fn take_out(
    members: &mut [&mut dyn AnyObjects],
    removed: &[Vec<u64>],
    order: Option<Order<'_>>,
) -> Result<bool, Error> {
    let of = |member: usize| order.as_ref().filter(|order| order.member == member);
    let kept = |(one, gone): (&&mut dyn AnyObjects, &Vec<u64>)| kept(&**one, gone).filter(|_| order.is_none());
    let kept: Vec<_> = members.iter().zip(removed).map(kept).collect();
    let change = |(n, member): (usize, &&mut dyn AnyObjects)| match (of(n), &kept[n]) {
        (Some(order), _) => Some(Change::moved(member.class(), order.ids)),
        (None, Some(kept)) => Some(Change::kept(member.class(), kept.get())),
        (None, None) => removal(&**member, &removed[n]),
    };
    let changes: Vec<_> = members.iter().enumerate().filter_map(change).collect();
    // Where ids change, links to objects that went before may fail too: their owners have not gone with them.
    let moves = Moves::new(&changes);
    let stays = |field: &FieldInfo| field.empties || (field.cascades && moves.are_removals());
    let may_fail = |field: &FieldInfo| !stays(field) && moves.concern(field.holds_links_to);
    if members.iter().any(|member| member.fields().iter().any(may_fail)) {
        members.iter_mut().try_for_each(|member| member.remap_links(moves, Remap::Check))?;
    }
    // Errors of fetching come before the first change.
    for (n, member) in members.iter_mut().enumerate() {
        let moves_itself = kept[n].is_some() || of(n).is_some();
        member.fetch(if moves_itself { FieldSet::ALL } else { concerned(member.fields(), moves) })?;
    }
    // Links that a panic leaves as they are must be checked: conversions of the user's may run while others are remapped.
    members.iter_mut().for_each(|member| member.distrust(concerned(member.fields(), moves)));
    for (n, member) in members.iter_mut().enumerate() {
        match (of(n), &kept[n]) {
            // SAFETY: all members' links are remapped next: they were fetched, and the check found that it is possible.
            (Some(order), _) => unsafe { member.reorder(order.old) },
            // SAFETY: all members' links are remapped next, which is possible.
            (None, Some(kept)) => unsafe { member.close_up(kept) },
            (None, None) => {}
        }
    }
    members.iter_mut().try_for_each(|member| member.remap_links(moves, Remap::Commit))?;
    for (n, member) in members.iter_mut().enumerate() {
        if of(n).is_none() && kept[n].is_none() && count_ones(&removed[n]) > 0 {
            member.remove_all(&removed[n]);
        }
    }
    Ok(order.is_some() || kept.iter().any(Option::is_some))
}

/// The objects that a class keeps, if it compacts itself when these are removed.
fn kept(member: &dyn AnyObjects, removed: &[u64]) -> Option<KeptObjects> {
    let ratio = member.compacts_below()?;
    let (slots, count) = (member.slots(), count_ones(removed));
    let left = slots - member.holes() - count;
    (count > 0 && left as f32 <= ratio * slots as f32).then(|| member.kept(removed))
}

/// The removals of objects of each class, given as one bit per index.
pub(super) fn changes<'a>(members: &[&mut dyn AnyObjects], removed: &'a [Vec<u64>]) -> Vec<Change<'a>> {
    members.iter().zip(removed).filter_map(|(member, removed)| removal(&**member, removed)).collect()
}

/// The removal of these objects of a class, if there are any.
fn removal<'a>(member: &dyn AnyObjects, removed: &'a [u64]) -> Option<Change<'a>> {
    removed.iter().any(|&word| word != 0).then(|| Change::removed(member.class(), removed))
}

/// Whether changes by kernels with these effects may turn out to be impossible.
fn may_fail(members: &[&mut dyn AnyObjects], effects: &[&Effects]) -> bool {
    let removed: Vec<ClassId> =
        effects.iter().filter(|effects| effects.removes()).map(|effects| effects.class()).collect();
    let mut fields = members.iter().flat_map(|member| member.fields());
    fields.any(|field| {
        (!field.empties || field.cascades) && removed.iter().any(|class| field.holds_links_to.contains(class))
    }) || members.iter().any(|member| {
        // Ids and places in the arena have 32 bits, and no kernel makes 2³¹ objects, and hardly one so many bytes of arrays.
        let may_be_full = member.is_bounded() || member.slots().max(member.arena_bytes()) > i32::MAX as usize;
        may_be_full && effects.iter().any(|effects| effects.spawned().contains(&member.class()))
    })
}

/// [`World::remove_all`].
pub(super) fn remove_links<W: Holds<C>, C: Class>(
    world: &mut W,
    links: impl IntoIterator<Item = Link<C>>,
) -> Result<(), Error> {
    let (objects, mut bits) = (Holds::<C>::objects(world), Vec::new());
    for link in links {
        objects.check_initialized(link)?;
        set(&mut bits, link.index());
    }
    check_links(world, &[])?;
    let have_moved = {
        let mut members = world.members_mut();
        let members = members.as_mut();
        let mut removed = vec![Vec::new(); members.len()];
        removed[reorder::number(members, C::ID)] = bits;
        let have_moved = remove_marked(members, removed)?;
        // SAFETY: `check_links` has looked at all links; objects, and owners, were removed since, by `remove_marked`.
        unsafe { are_remapped(members) };
        have_moved
    };
    forget_lists(world, have_moved);
    Ok(())
}

/// Forgets the last list of links if ids have changed.
fn forget_lists<W: World>(world: &mut W, have_moved: bool) {
    if have_moved {
        *world.state_mut().last_list() = LastList::default();
    }
}

/// [`World::clear`].
pub(super) fn clear<W: Holds<C>, C: Class>(world: &mut W) -> Result<(), Error> {
    reorder::reorder::<W, C>(world, std::iter::empty()).map(drop)
}

/// [`World::compact`].
pub(super) fn compact<W: Holds<C>, C: Class>(world: &mut W) -> Result<Moved<C>, Error> {
    let objects: &Objects<C> = Holds::<C>::objects(world);
    let order = objects.live_indices();
    reorder::reorder(world, order.into_iter())
}
