//! `execute_each`: a kernel for the objects in a list.

use fixedbitset::FixedBitSet;

use super::for_chunks;
use super::rows::{prepare, run_rows};
use crate::class::Class;
use crate::error::Error;
use crate::kernel::Call;
use crate::link::Link;
use crate::objects::{Objects, not_in_world};

/// Calls the kernel for each object in the list.
pub(crate) fn execute_each<K, A>(
    objects: &mut Objects<K::Class>,
    links: &[Link<K::Class>],
    args: A,
) -> Result<(), Error>
where
    K: Call<A>,
    A: Copy + Send + Sync,
{
    check_distinct(objects.len(), links)?;
    // SAFETY: just checked.
    unsafe { execute_distinct::<K, A>(objects, links, args) };
    Ok(())
}

/// The same for links that are checked.
///
/// # Safety
///
/// [`check_distinct`] has found nothing wrong with them, for these objects.
pub(crate) unsafe fn execute_distinct<K, A>(objects: &mut Objects<K::Class>, links: &[Link<K::Class>], args: A)
where
    K: Call<A>,
    A: Copy + Send + Sync,
{
    let shadow = prepare::<K>(objects);
    let table = objects.table();
    for_chunks(0..links.len(), const { K::EFFECTS.is_heavy }, |chunk| {
        let links = &links[chunk];
        for run in links.chunk_by(|a, b| b.id() == a.id() + 1) {
            let first = run[0].index();
            // SAFETY: by the caller the objects exist and are in the list once; `&mut objects` excludes other kernels.
            unsafe { run_rows::<K, A>(table, &shadow, first..first + run.len(), args) }
        }
    });
    for link in links {
        objects.commit_shadow(const { K::EFFECTS.shadowed() }, link.index()..link.index() + 1);
    }
}

/// Checks that the links are of a world with so many objects, and that none is there twice.
///
/// # Errors
///
/// [`Error::NotInWorld`], [`Error::Duplicate`].
pub(crate) fn check_distinct<C: Class>(objects: usize, links: &[Link<C>]) -> Result<(), Error> {
    let ascending = links.is_sorted_by(|a, b| a < b);
    if let Some(&link) = links.iter().find(|link| link.index() >= objects) {
        return Err(not_in_world(link, objects));
    }
    if ascending {
        return Ok(());
    }
    let duplicate = if links.len() < objects / 64 {
        let mut sorted = links.to_vec();
        sorted.sort_unstable();
        sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
    } else {
        let mut seen = FixedBitSet::with_capacity(objects);
        links.iter().copied().find(|link| seen.put(link.index()))
    };
    match duplicate {
        Some(link) => Err(Error::Duplicate { class: C::NAME, id: link.id() }),
        None => Ok(()),
    }
}
