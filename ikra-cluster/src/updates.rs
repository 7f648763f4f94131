//! Updates of atomic fields of ghosts, which their owners combine.

use ikra_core::info::{FieldInfo, Number};
use ikra_core::order::uses;
use ikra_runtime::error::Error;
use ikra_runtime::mirror::Elements;
use ikra_runtime::objects::AnyObjects;

use crate::halo::HaloKey;
use crate::pack;
use crate::ranks::What;
use crate::state::State;
use crate::transport::Bytes;

/// An atomic field of which a kernel updates other objects' values, by one operation that commutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Update {
    /// The class's number, and the field's.
    pub(crate) class: usize,
    pub(crate) field: usize,
    /// The bit of the operation.
    operation: u16,
    number: Number,
}

impl Update {
    /// The update of a field, if ranks can combine its values.
    pub(crate) fn of(class: usize, field: usize, info: &FieldInfo, operation: u16) -> Option<Self> {
        let number = info.number?;
        let in_arena = info.array.is_some_and(|array| array.arena);
        let is_known = match (number, operation) {
            (Number::Other, _) => false,
            (Number::Claim, operation) => operation == uses::MIN,
            (Number::F32 | Number::F64, operation) => matches!(operation, uses::MIN | uses::MAX),
            (Number::Bool, operation) => matches!(operation, uses::OR | uses::AND),
            _ => operation & uses::UPDATES != 0,
        };
        (is_known && !in_arena).then_some(Self { class, field, operation, number })
    }

    /// Whether ghosts begin with zero. Otherwise they begin with the current value, and combining it twice does no harm.
    pub(crate) fn begins_with_zero(&self) -> bool {
        self.operation == uses::ADD
    }

    /// The bytes of a number.
    fn size(&self) -> usize {
        match self.number {
            Number::Bool | Number::Other => 1,
            Number::U32 | Number::I32 | Number::F32 | Number::Claim => 4,
            Number::U64 | Number::I64 | Number::F64 => 8,
        }
    }

    /// Combines the number at `to` with another.
    ///
    /// # Safety
    ///
    /// Numbers of this kind are at both addresses, which need not be aligned, and nothing else accesses them.
    unsafe fn combine(&self, to: *mut u8, from: *const u8) {
        /// The combination of two numbers of a type.
        macro_rules! combined {
            ($ty:ty, |$a:ident, $b:ident| $combined:expr) => {{
                // SAFETY: by the caller.
                let ($a, $b) = unsafe { (to.cast::<$ty>().read_unaligned(), from.cast::<$ty>().read_unaligned()) };
                // SAFETY: by the caller.
                unsafe { to.cast::<$ty>().write_unaligned($combined) }
            }};
        }
        /// Operations of integers.
        macro_rules! integers {
            ($ty:ty) => {
                combined!($ty, |a, b| match self.operation {
                    uses::ADD => a.wrapping_add(b),
                    uses::MIN => a.min(b),
                    uses::MAX => a.max(b),
                    uses::OR => a | b,
                    _ => a & b,
                })
            };
        }
        /// Operations of floating-point numbers: numbers are preferred to NaN, and smaller bits among those.
        macro_rules! floats {
            ($ty:ty) => {
                combined!($ty, |a, b| {
                    let is_before = match (b.is_nan(), a.is_nan()) {
                        (false, false) if self.operation == uses::MIN => b.total_cmp(&a).is_lt(),
                        (false, false) => b.total_cmp(&a).is_gt(),
                        (true, true) => b.to_bits() < a.to_bits(),
                        (is_nan, _) => !is_nan,
                    };
                    if is_before { b } else { a }
                })
            };
        }
        match self.number {
            Number::U32 => integers!(u32),
            Number::I32 => integers!(i32),
            Number::U64 => integers!(u64),
            Number::I64 => integers!(i64),
            Number::F32 => floats!(f32),
            Number::F64 => floats!(f64),
            // Bytes of `bool`s, 0 and 1.
            Number::Bool => combined!(u8, |a, b| if self.operation == uses::OR { a | b } else { a & b }),
            Number::Claim => combined!(u32, |a, b| if a == 0 || b != 0 && b < a { b } else { a }),
            Number::Other => {}
        }
    }
}

impl State {
    /// Gives ghosts the value with which updates begin.
    pub(crate) fn begin_updates(&mut self, key: &HaloKey, updates: &[Update], members: &[&mut dyn AnyObjects]) {
        let Some(halo) = self.halos.get(key) else { return };
        for update in updates.iter().filter(|update| update.begins_with_zero()) {
            for column in columns(update, members) {
                for &index in halo.incoming.iter().flat_map(|lists| &lists[update.class]) {
                    // SAFETY: an element of an object that exists, whose bytes may all be 0, since it holds numbers that can
                    // be added. No kernel runs.
                    unsafe { column.address(index as usize).write_bytes(0, column.size) };
                }
            }
        }
    }

    /// Sends the values of ghosts to their owners, which combine them with theirs.
    ///
    /// # Errors
    ///
    /// Errors of other ranks.
    pub(crate) fn end_updates(
        &mut self,
        key: &HaloKey,
        updates: &[Update],
        kernel: &str,
        members: &[&mut dyn AnyObjects],
    ) -> Result<(), Error> {
        if updates.is_empty() || self.ranks.count() == 1 {
            return Ok(());
        }
        let (text, state) = (format!("the updates of {kernel}"), self.number());
        let what = What { text: &text, state };
        let Some(halo) = self.halos.remove(key) else { return Ok(()) };
        let columns: Vec<_> = updates.iter().map(|update| (*update, columns(update, members))).collect();
        let len = |lists: &[Vec<u32>]| -> usize {
            columns.iter().map(|(update, columns)| lists[update.class].len() * pack::row(columns)).sum()
        };
        let mut outgoing = Vec::new();
        for (other, lists) in halo.incoming.iter().enumerate().filter(|(_, lists)| len(lists) > 0) {
            let mut message: Bytes = self.ranks.begin(&what, len(lists));
            for (update, columns) in &columns {
                // SAFETY: the columns are those of the class's objects, and ghosts are objects that exist. No kernel runs.
                unsafe { pack::pack(columns, &lists[update.class], &mut message) };
            }
            outgoing.push((other, message));
        }
        let from: Vec<_> = (0..halo.outgoing.len()).filter(|&other| len(&halo.outgoing[other]) > 0).collect();
        let received = self.ranks.exchange(&what, outgoing, &from)?;
        for ((message, start), &other) in received.iter().zip(&from) {
            let lists = &halo.outgoing[other];
            let mut rest = &message[*start..];
            if rest.len() != len(lists) {
                return Err(self.ranks.fail(&format!("rank {other} has sent other updates of {kernel}")));
            }
            for (update, columns) in &columns {
                for column in columns {
                    let list = &lists[update.class];
                    let (values, after) = rest.split_at(list.len() * column.size);
                    rest = after;
                    for (bytes, &index) in values.chunks_exact(column.size.max(1)).zip(list) {
                        let to = column.address(index as usize);
                        for at in (0..column.size).step_by(update.size()) {
                            let (to, from) = (to.wrapping_add(at), bytes.as_ptr().cast::<u8>().wrapping_add(at));
                            // SAFETY: numbers of the kind that the field holds: in an element of an object that exists, and in
                            // the message, in which the other rank has packed them. No kernel runs.
                            unsafe { update.combine(to, from) };
                        }
                    }
                }
            }
        }
        self.halos.insert(key.clone(), halo);
        Ok(())
    }
}

/// The columns of an updated field.
fn columns(update: &Update, members: &[&mut dyn AnyObjects]) -> Vec<Elements> {
    members[update.class].elements(ikra_core::effects::FieldSet::from_bits(1 << update.field))
}
