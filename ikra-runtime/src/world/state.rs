//! The state of a world besides its objects.

#[cfg(test)]
mod linking;

use std::fmt;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering::Acquire, Ordering::Release};
use std::sync::{Mutex, PoisonError};

use super::World;
use crate::executor::Executors;
use crate::list::LastList;
use crate::objects::AnyObjects;
use crate::table::Directory;

/// The state of a world of type `W` besides its objects: the directory of its classes' tables, and its executors.
///
/// It is generic over the world's type, so states of different world types cannot be swapped. Two worlds of one type
/// may swap their states, as they may swap their objects. So `link` compares state and tables before each access.
pub struct WorldState<W> {
    pub(super) directory: Box<Directory>,
    /// Held while tables are linked, so that the threads that share the world do so one after another.
    linking: Mutex<()>,
    /// The executors that run its kernels.
    executors: Mutex<Executors<W>>,
    /// The list made from the last slice. Only `&mut` uses it; the mutex keeps the world's type unwind safe.
    last_list: Mutex<LastList>,
}

impl<W> fmt::Debug for WorldState<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorldState").finish_non_exhaustive()
    }
}

impl<W: World> Default for WorldState<W> {
    fn default() -> Self {
        Self::new()
    }
}

/// A state of its own: the clone shares nothing with the other world.
impl<W: World> Clone for WorldState<W> {
    fn clone(&self) -> Self {
        Self::new()
    }
}

impl<W: World> WorldState<W> {
    /// The state of a world whose tables are not linked yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            directory: Box::new(Directory::of(W::CLASSES)),
            linking: Mutex::new(()),
            executors: Mutex::new(Executors::NONE),
            last_list: Mutex::default(),
        }
    }

    /// The executors that run its kernels.
    pub fn executors(&mut self) -> &mut Executors<W> {
        self.executors.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// The list made from the last slice.
    pub(crate) fn last_list(&mut self) -> &mut LastList {
        self.last_list.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A point in linking where other threads may run; the tests let them run here.
#[inline(always)]
fn others_may_run() {
    #[cfg(test)]
    linking::others_run();
}

impl<W> WorldState<W> {
    /// Points the tables to each other, unless they are linked already.
    ///
    /// Objects can be moved between worlds of the same type (`mem::swap`), so both the directory's entries and the
    /// tables' own directories must be checked.
    ///
    /// # Safety
    ///
    /// The members belong to a world that the caller borrows, and this is the state of that world.
    #[inline]
    pub(super) unsafe fn link(&self, members: &[&dyn AnyObjects]) {
        if !self.is_linked(members) {
            // SAFETY: by the caller, the members belong to the borrowed world, and this is its state.
            unsafe { self.relink(members) }
        }
    }

    /// Whether the directory lists the members' tables, and the tables name this directory.
    ///
    /// Only [`relink`](Self::relink) writes both, for all tables of a world at once. So the check rejects a table of
    /// another world, one that was in this world before, and one at the address of a freed table. In each case the
    /// directory lists another table, or the table names another directory or none.
    #[inline]
    pub(super) fn is_linked(&self, members: &[&dyn AnyObjects]) -> bool {
        let mine = ptr::from_ref(&*self.directory).cast_mut();
        let entries = &self.directory.entries;
        members.len() == entries.len()
            && members.iter().zip(entries).all(|(&member, entry)| {
                others_may_run();
                let current = entry.1.load(Acquire);
                others_may_run();
                ptr::eq(current, member.header().as_ptr()) && directory_of(member).load(Acquire) == mine
            })
    }

    /// Links the tables in four passes. A thread that shares the world and checks it meanwhile sees at least one table
    /// without a directory, until the last pass.
    ///
    /// # Panics
    ///
    /// If the members are not of the world's classes. Nothing has changed then.
    ///
    /// # Safety
    ///
    /// As for [`link`](Self::link).
    #[cold]
    unsafe fn relink(&self, members: &[&dyn AnyObjects]) {
        let _linking = self.linking.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_linked(members) {
            return;
        }
        let entries = &self.directory.entries;
        assert!(
            members.len() == entries.len()
                && members.iter().zip(entries).all(|(member, entry)| member.class().type_id() == entry.0),
            "the members of a world are the objects of its classes"
        );
        for &member in members {
            directory_of(member).store(ptr::null_mut(), Release);
            others_may_run();
        }
        for (member, entry) in members.iter().zip(entries) {
            entry.1.store(member.header().as_ptr(), Release);
            others_may_run();
        }
        for member in members {
            // SAFETY: the tables in the directory are alive, because they belong to a world that the caller borrows.
            // The lock excludes other threads that link. No thread reads the slots meanwhile (I10). Each handle is made
            // after `link` during the same borrow of the world. Linked tables stay linked during the borrow, and these
            // tables are not linked yet. Handles from an earlier borrow no longer exist.
            unsafe { member.point(&self.directory) }
            others_may_run();
        }
        for &member in members {
            // `Release`: a thread that sees the directory also sees the slots of all tables.
            directory_of(member).store(ptr::from_ref(&*self.directory).cast_mut(), Release);
            others_may_run();
        }
    }
}

/// The field in which a table stores the directory that linked it.
#[inline]
fn directory_of(objects: &dyn AnyObjects) -> &AtomicPtr<Directory> {
    // SAFETY: the table is alive as long as the objects, which are borrowed.
    &unsafe { objects.header().as_ref() }.directory
}
