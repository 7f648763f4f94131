//! Preparing a world for sequential code and for kernels.

use std::ops::{Deref, DerefMut};

use super::World;
use crate::error::Error;
use crate::groups::check_groups;
use crate::kernel::Argument;
use crate::table::Targets;
use crate::value::BadLink;

/// Links the tables.
#[inline]
fn link<W: World>(world: &W) {
    // SAFETY: the members and the state belong to the same world, which is borrowed.
    unsafe { world.state().link(world.members().as_ref()) };
}

/// Links the tables, and panics if an object is not initialised.
#[inline]
#[track_caller]
pub(crate) fn ready<W: World>(world: &W) {
    // Sequential code calls this for each object that it reads. In a linked world it reads no list of members.
    let members = world.members();
    let members = members.as_ref();
    if !world.state().is_linked(members) || members.iter().any(|member| member.pending() > 0) {
        make_ready(world);
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn make_ready<W: World>(world: &W) {
    link(world);
    for member in world.members().as_ref() {
        if member.pending() > 0 {
            not_ready(member.name(), member.pending());
        }
    }
}

/// A world in which a kernel can run on the host. Its tables are linked, its links checked, its objects initialised,
/// and the values that a device changed are fetched.
#[derive(Debug)]
pub struct Ready<'w, W>(pub(super) &'w mut W);

impl<'w, W: World> Ready<'w, W> {
    /// Prepares a world, and panics if that fails.
    #[inline]
    #[track_caller]
    pub(crate) fn of(world: &'w mut W) -> Self {
        ready_for_kernel(world);
        Self(world)
    }

    /// Prepares a world.
    ///
    /// # Errors
    ///
    /// Errors of checking links and of fetching.
    pub(crate) fn try_of(world: &'w mut W) -> Result<Self, Error> {
        try_ready_for_kernel(world)?;
        Ok(Self(world))
    }
}

impl<W> Deref for Ready<'_, W> {
    type Target = W;
    #[inline(always)]
    fn deref(&self) -> &W {
        self.0
    }
}

impl<W> DerefMut for Ready<'_, W> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut W {
        self.0
    }
}

/// Panics with an error, because the short forms on the host return values.
#[inline]
#[track_caller]
pub(crate) fn or_panic<T>(result: Result<T, Error>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}

/// Prepares for a kernel, which may read any field of any class: checks links that were written, and fetches newer
/// values from devices. Panics if that fails, or if an object is not initialised.
#[inline]
#[track_caller]
fn ready_for_kernel<W: World>(world: &mut W) {
    ready(world);
    for member in world.members().as_ref() {
        // SAFETY: `ready` has linked the tables, and they stay linked as long as the world is borrowed.
        if let Err(error) = unsafe { member.prepare() } {
            not_prepared(member.name(), &error);
        }
    }
}

/// The fallible form of `ready_for_kernel`.
fn try_ready_for_kernel<W: World>(world: &mut W) -> Result<(), Error> {
    check_links(world, &[])?;
    // SAFETY: `check_links` has linked the tables, and they stay linked as long as the world is borrowed.
    world.members().as_ref().iter().try_for_each(|member| unsafe { member.prepare() })
}

/// Prepares for a kernel at any place: links the tables, and checks new links and the arguments' links.
///
/// # Errors
///
/// [`Error::NotAllInitialized`], [`Error::BadLink`], [`Error::NotInWorld`], and errors of fetching.
pub(crate) fn check_links<W: World>(world: &W, arguments: &[Argument<'_>]) -> Result<(), Error> {
    link(world);
    let members = world.members();
    let members = members.as_ref();
    for member in members {
        if member.pending() > 0 {
            return Err(Error::NotAllInitialized { class: member.name(), pending: member.pending() });
        }
    }
    for groups in arguments.iter().filter_map(|argument| argument.as_groups()) {
        check_groups(members, groups)?;
    }
    for argument in arguments.iter().filter(|argument| !argument.links_to().is_empty()) {
        // SAFETY: the state's world stays borrowed during the call.
        let targets = unsafe { world.state().directory.slots(argument.links_to()) };
        if let Some(BadLink { class, id, len }) = argument.bad_link(Targets::new(&targets)) {
            let class = class.name();
            return Err(match id <= len {
                true => Error::Removed { class, id },
                false => Error::NotInWorld { class, id, len: len as usize },
            });
        }
    }
    // SAFETY: the tables were linked above, and stay linked as long as the world is borrowed.
    members.iter().try_for_each(|member| unsafe { member.check_links() })
}

#[cold]
#[inline(never)]
#[track_caller]
fn not_prepared(class: &str, error: &Error) -> ! {
    match error {
        Error::BadLink { .. } | Error::LinkToNone { .. } => panic!("{error}"),
        _ => panic!("class {class}: {error}"),
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn not_ready(class: &str, pending: u32) -> ! {
    panic!(
        "{pending} objects of class {class} are reserved but not initialised; call `init` for each before the world is used"
    )
}
