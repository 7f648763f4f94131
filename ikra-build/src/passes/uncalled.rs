//! Removes the bodies of functions that no kernel calls.
//!
//! A panic whose message has values takes the addresses of functions that would write these, though nothing on a device
//! does. The assembler assumes that each function whose address is taken may be called, and gives the kernel the
//! registers that the largest of them needs: 50 in place of 32, for one `expect`, one checked index, or one `push` to
//! an `ArrayVec`. So a third fewer threads fit.
//!
//! As long as nothing that a kernel calls makes a call through an address, only functions that are called by name can
//! run.

use std::collections::HashSet;

use ikra_ptx::{Block, Body, Instruction, Linkage, Module, Opcode};

use crate::calls::Calls;

/// Makes functions that cannot be called end the thread.
pub(super) fn emptied(module: &mut Module) -> usize {
    let Some(called) = called(module) else { return 0 };
    let mut fired = 0;
    for function in module.functions_mut().filter(|function| !called.contains(&function.name)) {
        if let Some(body) = function.body.as_mut().filter(|body| !is_empty(body)) {
            let end = Block { instructions: vec![end()], ..Block::default() };
            *body = Body::default();
            body.blocks.push(end);
            fired += 1;
        }
    }
    fired
}

fn end() -> Instruction {
    Instruction::new(Opcode::Exit, &[], Vec::new())
}

/// Whether it ends the thread and does nothing else.
fn is_empty(body: &Body) -> bool {
    body.instructions().next().is_none_or(|(_, one)| one.opcode == Opcode::Exit && one.guard.is_none())
}

/// The functions that may be called, kernels among them; `None` if that is not known.
fn called(module: &Module) -> Option<HashSet<String>> {
    let calls = Calls::of(module);
    let roots = module.functions().filter(|function| function.is_kernel || function.linkage != Linkage::Private);
    let mut called: HashSet<&str> = HashSet::new();
    let mut waiting: Vec<&str> = roots.map(|function| function.name.as_str()).collect();
    while let Some(function) = waiting.pop() {
        if called.insert(function) {
            for callee in calls.by(function) {
                waiting.push((*callee)?);
            }
        }
    }
    Some(called.into_iter().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    const CODE: &str = "\
.version 6.3
.address_size 64
.func panic
(
	.param .b64 panic_param_0
)
;
.visible .func failing
(
)
;
.global .align 8 .b64 vtable[2] = {8, write};

.func  (.param .b32 func_retval0) write(
	.param .b64 write_param_0
)
{
	//ikra: call %rd1
	prototype_0 : .callprototype (.param .b32 _) _ (.param .b64 _);
	call (retval0), %rd6, (param0), prototype_0;
	ret;
}
.visible .entry body(
)
{
	//ikra:entry 14127684536260370666 call 1448452832549125265 0 1
	{ // callseq 0, 0
	call.uni (retval0), other, (param0);
	} // callseq 0
	{ .reg .pred p; @p call.uni helper, (); }
	mov.b64 %rd1, write;
	ret;
}
.func  (.param .b32 func_retval0) other(
)
{
	call.uni panic, (param0);
	trap;
}
.func helper()
{
	call.uni __assertfail, (param0);
	trap;
}
.func panic(
	.param .b64 panic_param_0
)
{
	call.uni failing, (param0);
	trap;
}
.func unused(
)
{
	call.uni write, (param0);
	ret;
}
.visible .func failing(
)
{
	ret;
}
";

    #[test]
    fn what_is_only_looked_at_is_emptied() {
        let (code, fired) = testing::done(emptied, CODE);
        for name in ["write(\n.param .b64 write_param_0\n)", "unused(\n)"] {
            assert!(code.contains(&format!("{name}\n{{\nexit;\n}}\n")), "{name}: {code}");
        }
        assert_eq!((fired, code.matches("exit;").count()), (2, 2), "{code}");
        let mut module = testing::parsed(CODE);
        assert_eq!([emptied(&mut module), emptied(&mut module)], [2, 0]);
    }

    #[test]
    fn where_a_kernel_calls_by_an_address_all_stays() {
        let code = CODE.replace(
            "call.uni __assertfail, (param0);",
            "prototype_1 : .callprototype (.param .b32 _) _ (.param .b64 _);\n\tcall.uni (retval0), %rd7, (param0), prototype_1;",
        );
        assert_eq!(testing::done(emptied, &code).1, 0);
        let code = CODE.replace("call.uni __assertfail, (param0);", "call.uni\n\t(retval0), write, (param0);");
        assert_eq!(testing::done(emptied, &code).1, 0, "what is called there makes such a call");
    }
}
