//! The list made from the last slice, so that the same links are not sorted again.

use std::any::Any;
use std::fmt;

use super::{LinkList, ListedLink, Make};
use crate::error::Error;

/// The list that a world made from the last slice, with a copy of the links.
#[derive(Default)]
pub struct LastList(Option<Box<dyn Any + Send + Sync>>);

/// Links, and their list.
struct Made<L> {
    links: Vec<L>,
    list: LinkList<L>,
}

impl LastList {
    /// The list of these links. Returns the last list if its links are the same.
    ///
    /// # Errors
    ///
    /// [`Error::Duplicate`] if an object occurs twice.
    pub(crate) fn list_of<L: ListedLink>(&mut self, links: &[L], make: &mut Make<'_, L>) -> Result<LinkList<L>, Error> {
        let last = self.0.as_mut().and_then(|made| made.downcast_mut::<Made<L>>());
        if let Some(made) = &last
            && is_same(&made.links, links)
            && made.list.order().is_there()
        {
            return Ok(made.list.clone());
        }
        let list = make(links)?;
        match last {
            Some(made) => {
                made.links.clear();
                made.links.extend_from_slice(links);
                made.list = list.clone();
            }
            None => self.0 = Some(Box::new(Made { links: links.to_vec(), list: list.clone() })),
        }
        Ok(list)
    }
}

impl fmt::Debug for LastList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LastList").finish_non_exhaustive()
    }
}

/// Whether two slices are equal. Compares the links of a block all at once, unlike `==` for slices.
fn is_same<L: ListedLink>(a: &[L], b: &[L]) -> bool {
    const BLOCK: usize = 256;
    let is_same = |a: &[L], b: &[L]| a.iter().zip(b).fold(true, |same, (a, b)| same & (a == b));
    a.len() == b.len() && a.chunks(BLOCK).zip(b.chunks(BLOCK)).all(|(a, b)| is_same(a, b))
}
