//! The part of a kernel into which known data flow.

use std::collections::HashSet;

use super::{data::Data, facts::Facts};
use crate::{Access, Register};

/// The heads of loops in which no instruction reads something that may come from known data. They stay as the compiler
/// left them.
pub(super) fn untouched(facts: &Facts<'_>, data: &Data<'_>) -> HashSet<usize> {
    let mut is_reached = vec![false; facts.body.registers.len()];
    let mut loops = vec![false; facts.loops.len()];
    let mut is_changed = true;
    while std::mem::take(&mut is_changed) {
        for (at, one) in facts.body.instructions() {
            let mut reads = false;
            one.for_each_symbol(&mut |name| reads |= data.has_contents(name));
            one.for_each_register(|Register(n), access| reads |= access == Access::Read && is_reached[n as usize]);
            if !reads {
                continue;
            }
            for (n, one) in facts.loops.iter().enumerate() {
                loops[n] |= one.has[at.block];
            }
            one.for_each_register(|Register(n), access| {
                if access == Access::Write {
                    is_changed |= !std::mem::replace(&mut is_reached[n as usize], true);
                }
            });
        }
    }
    facts.loops.iter().zip(loops).filter(|(_, is_reached)| !is_reached).map(|(one, _)| one.head).collect()
}
