//! The parameters of functions in device code.

use std::mem::MaybeUninit;
use std::slice;

use ikra_core::kernel::Argument;

/// A function's parameters: the executor's own, followed by the kernel's arguments. Arguments of zero bytes are left
/// out, since the device compiler makes no parameters for them.
pub(crate) struct Arguments<'a> {
    pub(crate) own: &'a [Argument<'a>],
    pub(crate) arguments: &'a [Argument<'a>],
}

impl<'a> Arguments<'a> {
    pub(crate) fn taken(&self) -> impl Iterator<Item = Argument<'a>> + Clone {
        self.own.iter().chain(self.arguments).copied().filter(|argument| argument.bytes() > 0)
    }

    /// Calls `work` with their addresses, followed by the address of the table entries.
    pub(crate) fn with_places<T>(&self, words: &[u64], work: impl FnOnce(&[*const ()]) -> T) -> T {
        // Most calls have few arguments and need no allocation.
        let (mut few, mut len, mut more) = ([std::ptr::null(); 16], 0, Vec::new());
        let mut put = |place| match few.get_mut(len) {
            Some(slot) => {
                *slot = place;
                len += 1;
            }
            None => more.push(place),
        };
        for arguments in [self.own, self.arguments] {
            arguments.iter().filter(|argument| argument.bytes() > 0).for_each(|argument| put(argument.start()));
        }
        start(words).into_iter().for_each(put);
        if more.is_empty() { work(&few[..len]) } else { work(&[&few[..], &more].concat()) }
    }

    /// Copies of them.
    pub(crate) fn copied(&self) -> Vec<Box<[MaybeUninit<u8>]>> {
        let bytes = |argument: Argument<'_>| {
            // SAFETY: the argument is alive and has this many bytes.
            unsafe { slice::from_raw_parts(argument.start().cast::<MaybeUninit<u8>>(), argument.bytes()) }.into()
        };
        self.taken().map(bytes).collect()
    }
}

/// The address of the table entries that a function takes, if any.
pub(crate) fn start(words: &[u64]) -> Option<*const ()> {
    (!words.is_empty()).then_some(words.as_ptr().cast())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_in_order_however_many_there_are() {
        let numbers: Vec<u32> = (0..40).collect();
        for own in [0, 1, 15, 16, 17, 40] {
            let mut own: Vec<Argument<'_>> = numbers[..own].iter().map(Argument::of).collect();
            // The device has no parameter for this argument.
            own.insert(0, Argument::words(&[]));
            let arguments = Arguments { own: &own, arguments: &[Argument::of(&numbers[7]), Argument::words(&[])] };
            for words in [&[][..], &[3, 4]] {
                let wanted = numbers[..own.len() - 1]
                    .iter()
                    .chain([&numbers[7]])
                    .map(|number| std::ptr::from_ref(number).cast());
                let wanted: Vec<*const ()> = wanted.chain(start(words)).collect();
                arguments.with_places(words, |all| assert_eq!(all, wanted));
            }
        }
    }
}
