//! `construct`: makes many objects by one constructor.

use super::chunks::for_chunks;
use crate::class::Class;
use crate::error::Error;
use crate::kernel::Construct;
use crate::objects::{Links, Objects};
use crate::storage::{Bump, FieldTuple};

/// Adds `n` objects that the constructor makes.
pub(crate) fn construct<K, A>(objects: &mut Objects<K::Class>, n: usize, args: A) -> Result<Links<K::Class>, Error>
where
    K: Construct<A>,
    A: Copy + Send + Sync,
{
    let first = objects.slots();
    if Objects::<K::Class>::HAS_ARENA {
        // The positions of arrays in the arena must not depend on the number of threads.
        objects.grow_by(n)?;
        return objects.extend((first..first.saturating_add(n)).map(|index| K::construct(index as u32, args)));
    }
    let end = first.saturating_add(n);
    objects.grow(end)?;
    objects.change_rows(first..end);
    let table = objects.table();
    let returned = for_chunks(first..end, false, &|chunk| {
        for index in chunk {
            let row = K::construct(index as u32, args);
            // SAFETY: there is room by `grow`. These objects do not exist yet, so that no other code can access them,
            // and each index is in one chunk.
            unsafe {
                let bump = &mut Bump::none();
                <<K::Class as Class>::Fields as FieldTuple<_>>::write(&table.bases, index, row.into_values(), bump);
            }
        }
    });
    objects.add_constructed(end, returned);
    Ok(Links::new(first, end))
}
