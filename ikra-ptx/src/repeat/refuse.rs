//! What is not possible in a loop.

use crate::{Function, Instruction, Modifier, Opcode, Operand, Special};

/// Refuses a kernel that cannot be a part of a loop.
pub(super) fn kernel(function: &Function) -> Result<(), String> {
    let name = &function.name;
    if let Some(attribute) = function.attributes.first() {
        return Err(format!("`{name}` demands `{attribute}`"));
    }
    if function.parameters.iter().any(|parameter| parameter.is_register) {
        return Err(format!("`{name}` takes registers"));
    }
    each(function, &|one| {
        let wanted = is_barrier(one).then(|| count_place(one));
        if wanted == Some(None) {
            Some(String::from("a barrier that is not for all threads of the block"))
        } else {
            None
        }
    })
}

/// Refuses a function that such a kernel calls. `sees_real_threads` says that it may see the numbers of the real thread.
pub(super) fn function(function: &Function, sees_real_threads: bool) -> Result<(), String> {
    if function.is_kernel {
        return Err(format!("the kernel `{}` is called", function.name));
    }
    each(function, &|one| {
        if is_barrier(one) {
            return Some(String::from("a barrier"));
        }
        let mut seen = None;
        specials(one, &mut |special| {
            let is_of_launch =
                matches!(special, Special::Tid(_) | Special::Ctaid(_) | Special::Nctaid(_) | Special::Ntid(_));
            if is_of_launch && !sees_real_threads {
                seen = Some(format!("`{special}`"));
            }
        });
        seen
    })
}

fn each(function: &Function, refuse: &dyn Fn(&Instruction) -> Option<String>) -> Result<(), String> {
    for (_, one) in function.body.iter().flat_map(|body| body.instructions()) {
        let mut reason = refuse(one);
        if one.opcode == Opcode::Ldu {
            reason = Some(String::from("`ldu`, a load through a cache that is not emptied"));
        }
        specials(one, &mut |special| {
            if is_unknown(special) {
                reason = Some(format!("`{special}`"));
            }
        });
        if let Some(reason) = reason {
            return Err(format!("`{}` has {reason}", function.name));
        }
    }
    Ok(())
}

/// Whether it is a barrier of the block.
pub(super) fn is_barrier(one: &Instruction) -> bool {
    matches!(one.opcode, Opcode::Bar | Opcode::Barrier) && !one.has(Modifier::Warp)
}

/// The position at which a barrier for all threads of the block takes the number of threads, if it is one.
pub(super) fn count_place(one: &Instruction) -> Option<usize> {
    // `barrier.sync 0` and `barrier.red.popc.u32 %r1, 0, %p1`.
    let (number, operands) = if one.has(Modifier::Red) { (1, 3) } else { (0, 1) };
    let is_plain = one.operands.len() == operands && one.operands[number] == Operand::Integer(0);
    (is_plain && !one.has(Modifier::Arrive)).then_some(number + 1)
}

/// Whether a special register tells something about the launch that is not replaced.
fn is_unknown(special: Special) -> bool {
    matches!(
        special,
        Special::Clusterid(_)
            | Special::Nclusterid(_)
            | Special::ClusterCtaid(_)
            | Special::ClusterNctaid(_)
            | Special::GridId
            | Special::WarpId
            | Special::NwarpId
            | Special::DynamicSmemSize
            | Special::TotalSmemSize
    )
}

/// Shows the special registers among the operands.
fn specials(one: &Instruction, show: &mut impl FnMut(Special)) {
    fn of(operand: &Operand, show: &mut impl FnMut(Special)) {
        match operand {
            Operand::Special(special) => show(*special),
            Operand::Vector(all) | Operand::List(all) => all.iter().for_each(|one| of(one, show)),
            _ => {}
        }
    }
    one.operands.iter().for_each(|operand| of(operand, show));
}
