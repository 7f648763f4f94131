//! Panics of kernels: the device code reports the kernel and its object.
//!
//! Kernels note both in two registers, as `ikra_gpu::device` writes it. A panic is a call that does not return. Before
//! it, a call of `ikra_failing` passes both. So they cost nothing where no panic can happen, and a register where one
//! can.
//!
//! Both calls are in a function of their own, which computes the addresses of the kernel's name and of the message. In
//! the kernel, the assembler would load them in each iteration of a loop, before it is known whether there is a panic.

use std::collections::{HashMap, HashSet};

use ikra_marks::{FAILING, NOTED_KERNEL, NOTED_OBJECT};
use ikra_ptx::{
    Base, Block, Body, Function, Instruction, Item, Linkage, Modifier, Module, Opcode, Operand, Parameter, Position,
    Register, Type, Variable,
};

use super::edits::{self, Edits};
use super::values::Values;

/// Reports each panic, and removes notes where there is none. Returns how many panics are reported.
pub(super) fn reported(module: &mut Module) -> usize {
    let (mut fired, mut is_called) = (0, false);
    // New functions, each before the item at this position.
    let mut own: Vec<(usize, Function)> = Vec::new();
    for (n, item) in module.items.iter_mut().enumerate() {
        let Item::Function(function) = item else { continue };
        let Function { body: Some(body), line, .. } = &mut **function else { continue };
        let made = own.len();
        let found = reported_in(body, *line, made, &mut |function| own.push((n, function)));
        fired += found;
        is_called |= found > 0;
    }
    for (n, function) in own.into_iter().rev() {
        module.items.insert(n, Item::Function(Box::new(function)));
    }
    // A function is declared before it is called.
    if is_called {
        let is_head = |item: &Item| matches!(item, Item::Directive(text) if !text.starts_with(".file"));
        let behind = module.items.iter().rposition(is_head).map_or(0, |n| n + 1);
        module.items.insert(behind, Item::Function(Box::new(prototype())));
    }
    fired
}

/// A call that does not return.
struct Panic {
    call: Position,
    /// The stores of its arguments, in their order.
    stores: Vec<Position>,
}

fn reported_in(body: &mut Body, line: u32, made: usize, own: &mut dyn FnMut(Function)) -> usize {
    let (Some(kernel), Some(object)) = (body.register(NOTED_KERNEL), body.register(NOTED_OBJECT)) else { return 0 };
    let (panics, name, constants) = {
        let values = Values::new(body);
        let constants = constants(&values);
        (panics(body), only_name(kernel, &values, &constants), constants)
    };
    let mut edits = Edits::default();
    if panics.is_empty() {
        let is_note = |one: &Instruction| one.destination().is_some_and(|to| to == kernel || to == object);
        let notes: Vec<Position> = body.instructions().filter(|(_, one)| is_note(one)).map(|(at, _)| at).collect();
        let unread = edits::read_by(notes.iter().map(|&at| body.at(at)));
        notes.into_iter().for_each(|at| edits.replace(at, Vec::new()));
        edits.make(body);
        edits::remove_unread(body, unread);
        return 0;
    }
    let (mut functions, mut unread) = (made, Vec::new());
    for Panic { call, stores } in &panics {
        let name = name.as_ref().filter(|_| stores.iter().all(|&at| is_constant(body.at(at), &constants)));
        if let Some(name) = name {
            own(function(functions, name, body, *call, stores, &constants, line));
            unread.extend(edits::read_by(stores.iter().map(|&at| body.at(at))));
            stores.iter().for_each(|&at| edits.replace(at, Vec::new()));
            edits.replace(*call, call_of(functions, object, body));
            functions += 1;
        } else {
            let first = stores.first().copied().unwrap_or(*call);
            edits.before(first, report(kernel, object, body));
        }
    }
    edits.make(body);
    remove_unnamed(body);
    edits::remove_unread(body, unread);
    let zero = |to: Register, ty| {
        Instruction::new(Opcode::Mov, &[Modifier::Type(ty)], vec![Operand::Register(to), Operand::Integer(0)])
    };
    edits::begin_with(body, vec![zero(kernel, Type::B64), zero(object, Type::B32)]);
    panics.len()
}

/// Removes parameters of calls that are gone.
fn remove_unnamed(body: &mut Body) {
    let mut named: HashSet<String> = HashSet::new();
    for (_, one) in body.instructions() {
        one.for_each_symbol(&mut |name| {
            named.insert(name.to_owned());
        });
    }
    body.variables.retain(|variable| variable.space != Modifier::Param || named.contains(&variable.name));
}

/// The calls after which the thread ends.
fn panics(body: &Body) -> Vec<Panic> {
    let mut panics = Vec::new();
    for (block, all) in body.blocks.iter().enumerate() {
        for (index, pair) in all.instructions.windows(2).enumerate() {
            let [call, end] = pair else { continue };
            let is_end = end.guard.is_none() && matches!(end.opcode, Opcode::Exit | Opcode::Trap);
            if call.opcode != Opcode::Call || call.guard.is_some() || !is_end {
                continue;
            }
            let Some(Operand::List(arguments)) = call.operands.get(2) else { continue };
            let is_argument = |name: &str| {
                arguments.iter().any(|argument| matches!(argument, Operand::Symbol(own, _) if own == name))
            };
            let is_store = |one: &Instruction| {
                one.opcode == Opcode::St && matches!(one.memory(), Some((Base::Symbol(name), _)) if is_argument(name))
            };
            let stores = (0..index).filter(|&n| is_store(&all.instructions[n]));
            let stores = stores.map(|index| Position { block, index }).collect();
            panics.push(Panic { call: Position { block, index }, stores });
        }
    }
    panics
}

/// The contents of a register that are the same in each thread, by their computation.
#[derive(Clone, Debug, PartialEq)]
enum Constant {
    /// A number, or the address of a symbol in its own memory.
    Plain(Operand, Type),
    /// The address of a symbol in global memory, as a generic address.
    Generic(String, i64),
}

/// The constants in registers.
fn constants(values: &Values<'_>) -> HashMap<Register, Constant> {
    let mut constants = HashMap::new();
    for (at, one) in values.body.instructions() {
        let Some(to) = one.destination().filter(|&to| values.definition(to) == Some(at)) else { continue };
        let constant = match (one.opcode, one.sources()) {
            (Opcode::Mov, [from @ (Operand::Integer(_) | Operand::Float(_) | Operand::Symbol(..))]) => {
                one.ty().map(|ty| Constant::Plain(from.clone(), ty))
            }
            (Opcode::Cvta, [Operand::Register(from)])
                if one.is(Opcode::Cvta, &[Modifier::Global, Modifier::Type(Type::U64)]) =>
            {
                match constants.get(from) {
                    Some(Constant::Plain(Operand::Symbol(name, distance), _)) => {
                        Some(Constant::Generic(name.clone(), *distance))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        constants.extend(constant.map(|constant| (to, constant)));
    }
    constants
}

/// Whether a store always stores a constant.
fn is_constant(store: &Instruction, constants: &HashMap<Register, Constant>) -> bool {
    let mut is_constant = store.guard.is_none();
    store.for_each_register(|register, _| is_constant &= constants.contains_key(&register));
    is_constant
}

/// The name of the kernel that a function notes, if it is one.
fn only_name(kernel: Register, values: &Values<'_>, constants: &HashMap<Register, Constant>) -> Option<(String, i64)> {
    let mut names = values.uses.writes(kernel).iter().map(|&at| match values.body.at(at).sources() {
        [Operand::Register(name)] => match constants.get(name) {
            Some(Constant::Generic(name, distance)) => Some((name, *distance)),
            _ => None,
        },
        _ => None,
    });
    let name = names.next()??;
    names.all(|other| other == Some(name)).then(|| (name.0.clone(), name.1))
}

fn parameter(name: String, ty: Type) -> Parameter {
    Parameter { is_register: false, align: None, ty, pointer: None, name, len: None }
}

fn prototype() -> Function {
    Function {
        linkage: Linkage::Visible,
        is_kernel: false,
        results: Vec::new(),
        name: FAILING.to_owned(),
        parameters: [("0", Type::B64), ("1", Type::B32)]
            .map(|(n, ty)| parameter(format!("{FAILING}_param_{n}"), ty))
            .to_vec(),
        attributes: Vec::new(),
        body: None,
        line: 0,
    }
}

/// A variable for an argument of a call.
fn argument(body: &mut Body, name: &str, ty: Type) -> String {
    let is_taken = |name: &str| body.variables.iter().any(|variable| variable.name == name);
    let name =
        std::iter::once(name.to_owned()).chain((1..).map(|n| format!("{name}_{n}"))).find(|name| !is_taken(name));
    let name = name.expect("fewer names than numbers");
    body.variables.push(Variable {
        linkage: Linkage::Private,
        space: Modifier::Param,
        align: None,
        ty,
        name: name.clone(),
        lengths: Vec::new(),
        value: None,
        line: 0,
    });
    name
}

/// A call of a function with the values of registers.
fn call(callee: &str, arguments: &[(&str, Register, Type)], body: &mut Body) -> Vec<Instruction> {
    let mut made = Vec::new();
    let mut names = Vec::new();
    for &(name, register, ty) in arguments {
        let name = argument(body, name, ty);
        let operands = vec![Operand::Memory(Base::Symbol(name.clone()), 0), Operand::Register(register)];
        made.push(Instruction::new(Opcode::St, &[Modifier::Param, Modifier::Type(ty)], operands));
        names.push(Operand::Symbol(name, 0));
    }
    let operands = vec![Operand::List(Vec::new()), Operand::Symbol(callee.to_owned(), 0), Operand::List(names)];
    made.push(Instruction::new(Opcode::Call, &[Modifier::Uni], operands));
    made
}

/// The call that passes the kernel and the object.
fn report(kernel: Register, object: Register, body: &mut Body) -> Vec<Instruction> {
    let arguments = [("ikra_failing_kernel", kernel, Type::B64), ("ikra_failing_object", object, Type::B32)];
    call(FAILING, &arguments, body)
}

/// The function with number `n`, which reports a panic of the kernel with this name and makes the call.
fn function(
    n: usize,
    (name, distance): &(String, i64),
    caller: &Body,
    call: Position,
    stores: &[Position],
    constants: &HashMap<Register, Constant>,
    line: u32,
) -> Function {
    let object_parameter = format!("ikra_panic_{n}_object");
    let mut body = Body::default();
    let kernel = body.new_register(NOTED_KERNEL, Type::B64);
    let object = body.new_register(NOTED_OBJECT, Type::B32);
    let mut made = address(kernel, name, *distance);
    let load = vec![Operand::Register(object), Operand::Memory(Base::Symbol(object_parameter.clone()), 0)];
    made.push(Instruction::new(Opcode::Ld, &[Modifier::Param, Modifier::Type(Type::B32)], load));
    made.extend(report(kernel, object, &mut body));
    let mut copies: HashMap<Register, Register> = HashMap::new();
    for &at in stores {
        let mut store = caller.at(at).clone();
        store.for_each_read_mut(|register| {
            let from = *register;
            *register = *copies.entry(from).or_insert_with(|| {
                let to = body.new_register(caller.name(from), caller.ty(from));
                match &constants[&from] {
                    Constant::Plain(operand, ty) => {
                        let operands = vec![Operand::Register(to), operand.clone()];
                        made.push(Instruction::new(Opcode::Mov, &[Modifier::Type(*ty)], operands));
                    }
                    Constant::Generic(name, distance) => made.extend(address(to, name, *distance)),
                }
                to
            });
        });
        made.push(store);
    }
    let call = caller.at(call).clone();
    if let Some(Operand::List(arguments)) = call.operands.get(2) {
        let is_own = |variable: &&Variable| {
            arguments.iter().any(|argument| matches!(argument, Operand::Symbol(name, _) if *name == variable.name))
        };
        body.variables.extend(caller.variables.iter().filter(is_own).cloned());
    }
    made.push(call);
    made.push(Instruction::new(Opcode::Trap, &[], Vec::new()));
    body.blocks.push(Block { instructions: made, ..Block::default() });
    Function {
        linkage: Linkage::Private,
        is_kernel: false,
        results: Vec::new(),
        name: format!("ikra_panic_{n}"),
        parameters: vec![parameter(object_parameter, Type::B32)],
        attributes: Vec::new(),
        body: Some(body),
        line,
    }
}

/// Computes the address of a symbol in global memory.
fn address(to: Register, name: &str, distance: i64) -> Vec<Instruction> {
    let symbol = vec![Operand::Register(to), Operand::Symbol(name.to_owned(), distance)];
    vec![
        Instruction::new(Opcode::Mov, &[Modifier::Type(Type::B64)], symbol),
        Instruction::new(
            Opcode::Cvta,
            &[Modifier::Global, Modifier::Type(Type::U64)],
            vec![Operand::Register(to), Operand::Register(to)],
        ),
    ]
}

/// A call of that function.
fn call_of(n: usize, object: Register, body: &mut Body) -> Vec<Instruction> {
    call(&format!("ikra_panic_{n}"), &[("ikra_panic_object", object, Type::B32)], body)
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    const CODE: &str = "\
.version 6.3
.address_size 64

.visible .entry fails(
)
{
	.reg .b64 	%rd<3>;

// %bb.0:
	ld.param.b32 	%r1, [fails_param_0];
	mov.b64 	%rd1, name;
	cvta.global.u64 	%rd2, %rd1;
	// begin inline asm
	mov.b64 %ikra_kernel, %rd2;
mov.b32 %ikra_object, %r1;
	// end inline asm
	{ // callseq 0, 0
	call.uni helper, ();
	} // callseq 0
	@%p1 bra 	$L__BB0_2;
	{ // callseq 1, 0
	.param .b64 	param0;
	mov.b64 	%rd3, message;
	cvta.global.u64 	%rd4, %rd3;
	st.param.b64 	[param0], %rd4;
	call.uni panic, (param0);
	} // callseq 1
	// begin inline asm
	exit;
	// end inline asm
	trap; exit;
$L__BB0_2:
	{ // callseq 3, 0
	.param .b32 	param0;
	st.param.b32 	[param0], %r1;
	call.uni panic, (param0);
	} // callseq 3
	trap; exit;
}
.visible .entry works(
)
{
	// begin inline asm
	mov.b64 %ikra_kernel, %rd2;
mov.b32 %ikra_object, %r1;
	// end inline asm
	ret;
}
.func panic(
)
{
	{ // callseq 2, 0
	call.uni __assertfail, ();
	} // callseq 2
	trap; exit;
}
";

    #[test]
    fn panics_are_reported_with_kernel_and_object() {
        let (code, fired) = testing::done(reported, CODE);
        assert_eq!((fired, code.matches("call.uni ikra_failing").count()), (2, 2), "{code}");
        assert!(
            code.contains(".address_size 64\n.visible .func ikra_failing(\n.param .b64 ikra_failing_param_0,"),
            "{code}"
        );
        assert!(
            code.contains("{\nmov.b64 %ikra_kernel, 0;\nmov.b32 %ikra_object, 0;\nld.param.b32 %r1, [fails_param_0];"),
            "{code}"
        );
        // The kernel computes the arguments.
        let report = "{\n.param .b64 ikra_failing_kernel;\n.param .b32 ikra_failing_object;\nst.param.b64 [ikra_failing_kernel], %ikra_kernel;\nst.param.b32 [ikra_failing_object], %ikra_object;\ncall.uni ikra_failing, (ikra_failing_kernel, ikra_failing_object);\n}\n";
        assert!(code.contains(&format!("$L__BB0_2:\n{report}")), "{code}");
        assert!(code.contains(&format!("{report}{{\n.param .b32 param0_1;\nst.param.b32 [param0_1], %r1;\ncall.uni panic, (param0_1);\n}}\ntrap;")), "{code}");
    }

    #[test]
    fn a_panic_whose_message_is_constant_is_a_function() {
        let (code, _) = testing::done(reported, CODE);
        let (own, kernel) = code.split_once(".visible .entry fails(").unwrap();
        let own = own.split_once(".func ikra_panic_0(").unwrap().1;
        for lines in [
            "mov.b64 %ikra_kernel, name;\ncvta.global.u64 %ikra_kernel, %ikra_kernel;\nld.param.b32 %ikra_object, [ikra_panic_0_object];\n",
            "mov.b64 %rd4, message;\ncvta.global.u64 %rd4, %rd4;\n",
            "{\n.param .b64 param0;\nst.param.b64 [param0], %rd4;\ncall.uni panic, (param0);\n}\ntrap;\n}\n",
        ] {
            assert!(own.contains(lines), "{lines} is not in {own}");
        }
        let call = "{\n.param .b32 ikra_panic_object;\nst.param.b32 [ikra_panic_object], %ikra_object;\ncall.uni ikra_panic_0, (ikra_panic_object);\n}\n";
        assert!(kernel.contains(&format!("@%p1 bra $L__BB0_2;\n{call}exit;\n")), "{kernel}");
        assert!(!kernel.contains("message"), "{kernel}");
    }

    #[test]
    fn a_name_that_is_not_known_stays_in_the_kernel() {
        // Another kernel's, on another way.
        let other =
            CODE.replacen("\t{ // callseq 0, 0", "\t@%p2 mov.b64 \t%ikra_kernel, %rd9;\n\t{ // callseq 0, 0", 1);
        let (code, fired) = testing::done(reported, &other);
        assert!(fired == 2 && !code.contains("ikra_panic_0"), "{code}");
    }

    #[test]
    fn where_no_panic_is_nothing_is_noted() {
        let (code, _) = testing::done(reported, CODE);
        let (_, works) = code.split_once("works(").unwrap();
        assert!(!works.contains("%ikra"), "{works}");
        assert_eq!(testing::done(reported, ".func none()\n{\n\tret;\n}\n").1, 0);
        assert_eq!(
            testing::shown(&{
                let mut module = testing::parsed(
                    ".func noted()\n{\n\tmov.b32 %ikra_object, %r1;\n\tmov.b64 %ikra_kernel, %rd1;\n\tret;\n}\n",
                );
                assert_eq!(reported(&mut module), 0);
                module
            }),
            testing::normal(".func noted()\n{\n\tret;\n}\n")
        );
    }
}
