//! The results of kernels that ranks share.

use std::mem::MaybeUninit;
use std::ops::Range;

use ikra_runtime::error::Error;
use ikra_runtime::executor::Sharing;

use crate::ranks::What;
use crate::state::Shared;

/// A kernel that ranks share.
#[derive(Debug)]
pub(crate) struct Results {
    pub(crate) shared: Shared,
    /// The kernel's name.
    pub(crate) kernel: &'static str,
    /// This rank's objects of each of the kernel's classes.
    pub(crate) own: Vec<Range<usize>>,
    /// Those of them for which it runs before other ranks' values have arrived.
    pub(crate) inner: Vec<Range<usize>>,
}

// SAFETY: 1. each rank sends the results that it has computed, in the order of the ranks, which is that of their objects. All
// of them are filled, as the sum of the lengths is compared. Each rank runs the same kernel: messages compare its name, its
// classes and the meaning of its results. `Transport` keeps the bytes, and the program is the same. 2. Runs have such results. 3. `prepare` gives inner objects to kernels that
// `may_overlap` allows. Such a kernel changes none of the copied fields in place, and reaches objects through links only. The
// links of inner objects lead to own objects (I42).
unsafe impl Sharing for Results {
    fn own(&self, class: usize) -> Range<usize> {
        self.own.get(class).cloned().unwrap_or(0..0)
    }

    fn inner(&self, class: usize) -> Range<usize> {
        self.inner.get(class).cloned().unwrap_or(0..0)
    }

    fn arrive(&self) -> Result<(), Error> {
        self.shared.lock().arrive()
    }

    fn complete(&self, results: &mut [MaybeUninit<u8>], size: usize, own: Range<usize>) -> Result<(), Error> {
        let mut state = self.shared.lock();
        if state.ranks.count() == 1 {
            return Ok(());
        }
        let text = format!("the results of {}", self.kernel);
        let what = What { text: &text, state: state.number() };
        let all = state.ranks.gather(&what, &results[own.start * size..own.end * size])?;
        if all.iter().map(Vec::len).sum::<usize>() != results.len() {
            return Err(state.ranks.fail(&format!("ranks have other numbers of results of {}", self.kernel)));
        }
        let mut rest = results;
        for part in all {
            let (to, after) = rest.split_at_mut(part.len());
            to.copy_from_slice(&part);
            rest = after;
        }
        Ok(())
    }
}
