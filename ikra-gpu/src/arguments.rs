//! What functions of the device code take.

use std::mem::MaybeUninit;
use std::slice;

use ikra_core::kernel::Argument;

/// What a function takes: what the executor gives it, and the kernel's arguments. Those of no bytes are left out: the device's
/// compiler makes no parameters of them.
pub(crate) struct Arguments<'a> {
    pub(crate) own: &'a [Argument<'a>],
    pub(crate) arguments: &'a [Argument<'a>],
}

impl<'a> Arguments<'a> {
    fn taken(&self) -> impl Iterator<Item = Argument<'a>> + Clone {
        self.own.iter().chain(self.arguments).copied().filter(|argument| argument.bytes() > 0)
    }

    /// Where they are, and words of tables after them.
    pub(crate) fn places(&self, words: &[u64]) -> Places {
        let all = self.taken().map(Argument::start).chain(start(words));
        let mut few = [std::ptr::null(); 16];
        let len = all.clone().count();
        if len > few.len() {
            return Places::Many(all.collect());
        }
        for (slot, argument) in few.iter_mut().zip(all) {
            *slot = argument;
        }
        Places::Few(few, len)
    }

    /// Copies of them.
    pub(crate) fn copied(&self) -> Vec<Box<[MaybeUninit<u8>]>> {
        let bytes = |argument: Argument<'_>| {
            // SAFETY: the argument is alive, and has so many bytes.
            unsafe { slice::from_raw_parts(argument.start().cast::<MaybeUninit<u8>>(), argument.bytes()) }.into()
        };
        self.taken().map(bytes).collect()
    }
}

/// Where the words of tables are that a function takes, if it takes some.
pub(crate) fn start(words: &[u64]) -> Option<*const ()> {
    (!words.is_empty()).then_some(words.as_ptr().cast())
}

/// Where arguments are, most often few enough to need no allocation.
pub(crate) enum Places {
    Few([*const (); 16], usize),
    Many(Vec<*const ()>),
}

impl Places {
    pub(crate) fn as_slice(&self) -> &[*const ()] {
        match self {
            Self::Few(few, len) => &few[..*len],
            Self::Many(many) => many,
        }
    }
}
