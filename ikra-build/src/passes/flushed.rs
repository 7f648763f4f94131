//! Approximations that take small numbers for zero.
//!
//! Otherwise the assembler scales operand and result, in case the operand is small: six instructions beside one. The
//! compiler has no option for that.

use ikra_ptx::{Modifier, Module, Type};

/// Makes approximations of `f32` take numbers below `f32::MIN_POSITIVE` for zero.
pub(super) fn approximations(module: &mut Module) -> usize {
    let bodies = module.functions_mut().filter_map(|function| function.body.as_mut());
    let mut fired = 0;
    for one in bodies.flat_map(|body| &mut body.blocks).flat_map(|block| &mut block.instructions) {
        let is_of_f32 = one.modifiers.contains(&Modifier::Type(Type::F32)) && !one.modifiers.contains(&Modifier::Ftz);
        let accuracy = one.modifiers.iter().position(|one| matches!(one, Modifier::Approx | Modifier::Full));
        if let Some(accuracy) = accuracy.filter(|_| is_of_f32) {
            one.modifiers.insert(accuracy + 1, Modifier::Ftz);
            fired += 1;
        }
    }
    fired
}

#[cfg(test)]
mod tests {
    use super::super::parsed;
    use super::*;

    #[test]
    fn approximations_take_small_numbers_for_zero() {
        let lines =
            ["sqrt.approx.f32 r, r;", "div.full.f32 r, r, r;", "sqrt.rn.f32 r, r;", "rsqrt.approx.ftz.f32 r, r;"];
        let head = ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 r;\n";
        let mut code = parsed(&format!("{head}{}\nret;\n}}\n", lines.join("\n"))).expect("a program");
        assert_eq!(approximations(&mut code), 2);
        code.verify().expect("it is still a program");
        let code = code.to_string();
        let expected = ["sqrt.approx.ftz.f32", "div.full.ftz.f32", "sqrt.rn.f32", "rsqrt.approx.ftz.f32"];
        assert!(expected.iter().all(|one| code.contains(one)) && code.matches("ftz").count() == 3, "{code}");
        assert_eq!(approximations(&mut parsed(&code).expect("a program")), 0);
    }
}
