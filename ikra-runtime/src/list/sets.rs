//! Making a list from links. A bit set per class holds the objects that are in the list.

use std::ops::Range;

use rayon::prelude::*;

use super::{Listed, ListedLink};
use crate::class::ClassId;
use crate::error::Error;
use crate::exec::spread;

/// The least number of links per thread.
const CHUNK: usize = 1 << 16;

/// The number of words for sets of few links.
const WORDS: usize = 1024;

/// The objects of each class.
///
/// # Errors
///
/// [`Error::Duplicate`] if an object occurs twice.
pub(super) fn listed<L: ListedLink>(links: &[L]) -> Result<Vec<Listed>, Error> {
    let of_some = |places: Range<usize>, room| Sets::of(&links[places], room);
    if let Some(listed) = joined(links.len(), &of_some) {
        return Ok(listed);
    }
    let mut classes = vec![Vec::new(); L::CLASSES.len()];
    for link in links {
        let (class, index) = link.parts();
        classes[class].push(index);
    }
    sorted(L::CLASSES, classes)
}

/// The objects in a number of links, given the sets of some of them. None if links do not fit in sets.
fn joined(links: usize, of_some: &(dyn Fn(Range<usize>, usize) -> Result<Sets, Unfit> + Sync)) -> Option<Vec<Listed>> {
    let chunk = links.div_ceil(rayon::current_num_threads()).max(CHUNK);
    // Twice the words that links to all objects of a class need, and per chunk at least one word per link.
    let room = (links / 32).max(chunk.min(links)) + WORDS;
    if links <= chunk {
        let Sets(sets) = of_some(0..links, room).ok()?;
        return Some(sets.iter().map(|set| in_order(set)).collect());
    }
    let of_chunk = |n: usize| of_some(n * chunk..((n + 1) * chunk).min(links), room);
    let (sets, _) = spread(links.div_ceil(chunk), &of_chunk);
    let Sets(sets) = sets.into_par_iter().try_reduce_with(Sets::joined)?.ok()?;
    Some(sets.par_iter().map(|set| in_order(set)).collect())
}

/// Sorts links that are far apart. With duplicates, it reports the same one for any number of threads.
fn sorted(classes: &[ClassId], indices: Vec<Vec<u32>>) -> Result<Vec<Listed>, Error> {
    let sorted = classes.iter().zip(indices).map(|(class, mut indices)| {
        indices.par_sort_unstable();
        match indices.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(Error::Duplicate { class: class.name(), id: pair[0].wrapping_add(1) }),
            None => Ok(Listed::new(indices)),
        }
    });
    sorted.collect()
}

struct Sets(Vec<Vec<u64>>);

/// The links do not fit in sets: the sets would take too much memory, or an object occurs twice.
struct Unfit;

impl Sets {
    /// The sets of some links, in at most `room` words.
    fn of<L: ListedLink>(links: &[L], mut room: usize) -> Result<Self, Unfit> {
        let mut sets = vec![Vec::new(); L::CLASSES.len()];
        for link in links {
            let (class, index) = link.parts();
            let (word, bit) = (index as usize / 64, 1 << (index % 64));
            let set: &mut Vec<u64> = &mut sets[class];
            let Some(bits) = set.get_mut(word) else {
                grow(set, word + 1, &mut room)?[word] = bit;
                continue;
            };
            if *bits & bit != 0 {
                return Err(Unfit);
            }
            *bits |= bit;
        }
        Ok(Self(sets))
    }

    /// The union of two disjoint sets.
    fn joined(self, other: Self) -> Result<Self, Unfit> {
        let joined = self.0.into_iter().zip(other.0).map(|(a, b)| {
            let (mut long, short) = if a.len() < b.len() { (b, a) } else { (a, b) };
            for (a, b) in long.iter_mut().zip(short) {
                if *a & b != 0 {
                    return Err(Unfit);
                }
                *a |= b;
            }
            Ok(long)
        });
        joined.collect::<Result<_, _>>().map(Self)
    }
}

/// Grows a set to `words` words, and to twice that if there is room.
#[cold]
fn grow<'a>(set: &'a mut Vec<u64>, words: usize, room: &mut usize) -> Result<&'a mut [u64], Unfit> {
    let more = words - set.len();
    if more > *room {
        return Err(Unfit);
    }
    let more = (more + words).min(*room);
    *room -= more;
    set.resize(set.len() + more, 0);
    Ok(set)
}

fn in_order(set: &[u64]) -> Listed {
    let count = set.iter().map(|word| word.count_ones() as usize).sum();
    let bounds = set.iter().position(|&word| word != 0).zip(set.iter().rposition(|&word| word != 0));
    let Some((first, last)) = bounds else { return Listed::Range(0..0) };
    let start = first * 64 + set[first].trailing_zeros() as usize;
    let end = last * 64 + 64 - set[last].leading_zeros() as usize;
    if end - start == count {
        return Listed::Range(start..end);
    }
    let mut indices = Vec::with_capacity(count);
    for (n, &word) in set.iter().enumerate() {
        let first = n as u32 * 64;
        if word == u64::MAX {
            indices.extend(first..first + 64);
            continue;
        }
        let mut rest = word;
        while rest != 0 {
            indices.push(first + rest.trailing_zeros());
            rest &= rest - 1;
        }
    }
    Listed::Each(indices)
}
