//! Texts that are parsed, refused, and printed.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra_ptx::{Access, Cfg, Error, Item, Loop, Modifier, Module, Opcode, Operand, Position, Type, Uses};

/// A kernel with this body.
fn kernel(body: &str) -> String {
    format!(
        ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(\n\t.param .u64 k_param_0\n)\n{{\n{body}}}\n"
    )
}

fn parsed(body: &str) -> Module {
    let module = Module::parse(&kernel(body)).unwrap_or_else(|error| panic!("{error}: {body}"));
    module.verify().unwrap_or_else(|error| panic!("{error}: {body}"));
    let printed = module.to_string();
    let again = Module::parse(&printed).unwrap_or_else(|error| panic!("as it was printed, {error}: {printed}"));
    again.verify().unwrap_or_else(|error| panic!("as it was printed, {error}: {printed}"));
    assert_eq!(again.to_string(), printed);
    module
}

fn refused(body: &str) -> Error {
    match Module::parse(&kernel(body)) {
        Ok(_) => panic!("{body} is understood"),
        Err(error) => error,
    }
}

const REGISTERS: &str = "\t.reg .pred %p<9>;\n\t.reg .b16 %rs<9>;\n\t.reg .b32 %r<9>;\n\t.reg .b64 %rd<9>;\n";

/// A body with these instructions, and the text of them as they are printed.
fn shown(instructions: &str) -> Vec<String> {
    let module = parsed(&format!("{REGISTERS}{instructions}\nret;\n"));
    let body = module.functions().next().unwrap().body.as_ref().unwrap();
    body.instructions().map(|(_, one)| one.text(body).replace(" \t", " ")).collect()
}

#[test]
fn instructions_are_printed_as_they_were() {
    for one in [
        "add.s32 %r1, %r2, -4;",
        "add.rn.ftz.f32 %r1, %r2, 0f3F800000;",
        "fma.rn.f64 %rd1, %rd2, %rd3, 0d3FF0000000000000;",
        "mul.wide.u32 %rd1, %r2, 4;",
        "mul.hi.u64 %rd1, %rd2, 6148914691236517206;",
        "mad.lo.s64 %rd1, %rd2, 12, %rd3;",
        "setp.lt.and.u32 %p1|%p2, %r1, %r2, !%p3;",
        "setp.neu.f32 %p1, %r1, %r2;",
        "selp.b16 %rs1, %rs2, %rs3, %p1;",
        "cvt.rzi.s32.f32 %r1, %r2;",
        "cvt.u64.u32 %rd1, %r1;",
        "cvta.to.global.u64 %rd1, %rd2;",
        "cvta.shared.u64 %rd1, %rd2;",
        "isspacep.shared %p1, %rd1;",
        "ld.param.u64 %rd1, [k_param_0];",
        "ld.global.nc.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1+16];",
        "ld.relaxed.gpu.global.b32 %r1, [%rd1+-4];",
        "ld.volatile.b8 %rs1, [%rd1];",
        "st.v2.b64 [%rd1], {%rd2, %rd3};",
        "st.global.b32 [%rd1+4], 0;",
        "atom.relaxed.gpu.global.cas.b32 %r1, [%rd1], %r2, %r3;",
        "atom.global.add.f64 %rd1, [%rd2], %rd3;",
        "red.relaxed.gpu.global.add.u32 [%rd1], 1;",
        "mov.b64 {%r1, %r2}, %rd1;",
        "mov.b64 %rd1, {%r1, %r2};",
        "mov.u32 %r1, %tid.x;",
        "mov.u32 %r1, %laneid;",
        "mov.u64 %rd1, %globaltimer;",
        "mov.pred %p1, -1;",
        "shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 31, -1;",
        "vote.sync.ballot.b32 %r1, !%p1, -1;",
        "match.any.sync.b32 %r1, %r2, -1;",
        "redux.sync.add.u32 %r1, %r2, -1;",
        "activemask.b32 %r1;",
        "bar.sync 0;",
        "barrier.sync.aligned 0, 128;",
        "bar.warp.sync -1;",
        "bar.red.popc.u32 %r1, 0, %p1;",
        "fence.acq_rel.gpu;",
        "membar.gl;",
        "prmt.b32 %r1, %r2, %r3, 291;",
        "bfe.u32 %r1, %r2, 8, 8;",
        "bfi.b32 %r1, %r2, %r3, 0, 8;",
        "shf.l.wrap.b32 %r1, %r2, %r3, %r4;",
        "lop3.b32 %r1, %r2, %r3, %r4, 128;",
        "min.NaN.f32 %r1, %r2, %r3;",
        "testp.finite.f32 %p1, %r1;",
        "ex2.approx.ftz.f32 %r1, %r2;",
        "div.full.f32 %r1, %r2, %r3;",
        "sqrt.rn.f64 %rd1, %rd2;",
        "copysign.f32 %r1, %r2, %r3;",
        "add.cc.s64 %rd1, %rd2, %rd3;",
        "addc.cc.s64 %rd1, %rd2, %rd3;",
        "madc.hi.u64 %rd1, %rd2, %rd3, 0;",
        "dp4a.s32.s32 %r1, %r2, %r3, %r4;",
        "griddepcontrol.wait;",
        "nanosleep.u32 100;",
        "@!%p1 exit;",
    ] {
        assert_eq!(shown(one), [one, "ret;"]);
    }
    // Numbers are printed in tens, and an octal one is one.
    assert_eq!(
        shown("add.s32 %r1, %r2, 0x1F; add.u32 %r1, %r2, 017U;")[..2],
        ["add.s32 %r1, %r2, 31;", "add.u32 %r1, %r2, 15;"]
    );
}

#[test]
fn what_is_not_known_is_refused_by_line() {
    let line = |text: &str| {
        let error = refused(&format!("{REGISTERS}\n{text}\nret;\n"));
        assert_eq!(error.line, 13, "{error}");
        error.message
    };
    assert_eq!(line("wgmma.fence;"), "the instruction `wgmma` is not known");
    assert_eq!(line("add.sideways.s32 %r1, %r2, %r3;"), "`add` with the modifier `.sideways` is not known");
    assert_eq!(line("add.global.s32 %r1, %r2, %r3;"), "`add` with the modifier `.global` is not known");
    assert_eq!(line("add %r1, %r2, %r3;"), "`add` has 0 types");
    assert_eq!(line("add.s32.s32 %r1, %r2, %r3;"), "`add.s32.s32` has 2 types");
    assert_eq!(
        line("add.rn.rz.f32 %r1, %r2, %r3;"),
        "`add` has two modifiers of one kind, the second of which is `.rz`"
    );
    assert_eq!(line("add.s32 %r1, %r2;"), "`add.s32` with 2 operands is not known");
    assert_eq!(line("add.s32 %r1, %r2, %r9;"), "there is no register `%r9`");
    assert_eq!(line("add.s32 %r1, %r2, %r03;"), "there is no register `%r03`");
    assert_eq!(line("add.s32 4, %r2, %r3;"), "`add.s32` cannot write its operand 1");
    assert_eq!(line("ld.global.b32 %r1, %rd1;"), "operand 2 of `ld.global.b32` is not what belongs there");
    assert_eq!(line("add.s32 %r1, [%rd1], %r3;"), "operand 2 of `add.s32` is not what belongs there");
    assert_eq!(line("bra %r1;"), "`bra` leads nowhere");
    assert_eq!(line("bra nowhere;"), "there is no label `nowhere`");
    assert_eq!(line("brx.idx %r1, nowhere;"), "`brx.idx` leads nowhere");
    assert_eq!(line("mov.u32 %r1, %tid.w;"), "there is no register `%tid`");
    assert_eq!(
        line("add.f32 %r1, %r2, 1.5;"),
        "a floating-point number in decimal digits; only `0f…` and `0d…` are understood"
    );
    assert_eq!(line("add.u64 %rd1, %rd2, 18446744073709551616;"), "`18446744073709551616` has more than 64 bits");
    assert_eq!(line("add.s32 %r1, %r2, %r3 ret;"), "`;` expected, but found `ret`");
    assert_eq!(line(".alias x;"), "`.alias` is not understood in a function");
    assert_eq!(line("call.uni 5, ();"), "a call of what is not a function");
    assert_eq!(line("add.s32 %r1, %r2, #;"), "`#` has no meaning here");
    let module = Module::parse(".texref tex;").unwrap_err();
    assert_eq!(
        (module.line, &*module.message),
        (1, "a variable, a function or a directive expected, but found `.texref`")
    );
    assert_eq!(Module::parse("/* no end").unwrap_err().message, "a comment that does not end");
    assert_eq!(refused("L: ret;\nL: ret;\n").message, "two labels `L`");
    assert_eq!(Module::parse(".entry k() { ret;").unwrap_err().message, "an instruction expected, but found the end");
}

#[test]
fn scopes_are_opened_up() {
    let module = parsed(&format!(
        "{REGISTERS}
	{{ .reg .b64 a; .reg .pred p; mov.b64 a, 1; setp.eq.b64 p, a, 0; @p bra.uni over; mov.b64 %rd1, a; over: }}
	{{ .reg .b32 a; mov.b32 a, 2; {{ .reg .b16 a; mov.b16 a, 3; mov.b16 %rs1, a; }} mov.b32 %r1, a; bra over; over: }}
	bra end;
end:
	ret;
"
    ));
    let body = module.functions().next().unwrap().body.as_ref().unwrap();
    let types: Vec<Type> = ["a", "a_1", "a_2"].map(|name| body.ty(body.register(name).unwrap())).to_vec();
    assert_eq!(types, [Type::B64, Type::B32, Type::B16]);
    let texts: Vec<String> = body.instructions().map(|(_, one)| one.text(body).replace(" \t", " ")).collect();
    assert_eq!(
        texts,
        [
            "mov.b64 a, 1;",
            "setp.eq.b64 p, a, 0;",
            "@p bra.uni over;",
            "mov.b64 %rd1, a;",
            "mov.b32 a_1, 2;",
            "mov.b16 a_2, 3;",
            "mov.b16 %rs1, a_2;",
            "mov.b32 %r1, a_1;",
            "bra over_1;",
            "bra end;",
            "ret;"
        ]
    );
    // A jump out of a scope, to a label that follows.
    let module = parsed(&format!("{REGISTERS}{{ {{ @%p1 bra out; }} mov.b32 %r1, 0; }}\nout:\nret;\n"));
    let body = module.functions().next().unwrap().body.as_ref().unwrap();
    assert_eq!(Cfg::new(body).successors(0), [1, 2]);
}

const CALLS: &str = "
.version 7.0
.target sm_80
.address_size 64
.extern .func __assertfail
(
	.param .b64 p
)
;
.func  (.param .b32 func_retval0) deep(
	.param .b64 deep_param_0,
	.param .align 8 .b8 deep_param_1[24]
)
;
.func  (.param .b32 func_retval0) deep(
	.param .b64 deep_param_0,
	.param .align 8 .b8 deep_param_1[24]
)
.noreturn
{
	.local .align 8 .b8 	__local_depot0[64];
	.reg .b32 %r<3>;
	.reg .b64 %rd<3>;
	mov.b64 %rd1, __local_depot0;
	{ // callseq 0, 0
	.param .b64 param0;
	.param .align 8 .b8 param1[24];
	.param .b32 retval0;
	st.param.b64 [param0], %rd1;
	st.param.b64 [param1+8], 0;
	call.uni (retval0), deep, (param0, param1);
	ld.param.b32 %r1, [retval0];
	} // callseq 0
	{ // callseq 1, 0
	.param .b32 param0;
	.param .b32 retval0;
	st.param.b32 [param0], %r1;
	prototype_1 : .callprototype (.param .b32 _) _ (.param .b32 _);
	call (retval0), %rd1, (param0), prototype_1;
	ld.param.b32 %r2, [retval0];
	} // callseq 1
	st.param.b32 [func_retval0], %r2;
	ret;
}
.global .align 8 .u64 table[3] = {deep, generic(words)+8, 7};
.visible .const .align 4 .b8 words[16] = {1, 2, 3};
.extern .shared .align 16 .b8 pool[];
.global .f32 one = 0f3F800000;
";

#[test]
fn calls_keep_their_parameters_in_scopes() {
    let module = Module::parse(CALLS).unwrap();
    module.verify().unwrap();
    let printed = module.to_string();
    assert_eq!(Module::parse(&printed).unwrap().to_string(), printed);
    let start = printed.find("call.uni").unwrap();
    let scope = &printed[printed[..start].rfind("\t{\n").unwrap()..];
    assert!(
        scope.starts_with("\t{\n\t.param .b64 param0;\n\t.param .align 8 .b8 param1[24];\n\t.param .b32 retval0;\n"),
        "{scope}"
    );
    assert!(scope.contains("ld.param.b32 \t%r1, [retval0];\n\t}\n\t{\n\t.param .b32 param0_1;\n"), "{scope}");
    assert!(printed.contains("prototype_1: .callprototype (.param .b32 _) _ (.param .b32 _);"), "{printed}");
    let deep = module.function("deep").unwrap();
    assert_eq!((deep.parameters[1].bytes(), deep.parameters[1].alignment()), (24, 8));
    assert_eq!(deep.attributes, [".noreturn"]);
    let sizes: Vec<_> = module.variables().map(|one| (one.name.as_str(), one.bytes(), one.alignment())).collect();
    assert_eq!(sizes, [("table", Some(24), 8), ("words", Some(16), 4), ("pool", None, 16), ("one", Some(4), 4)]);
    let declared = module.functions().filter(|function| function.body.is_none()).count();
    assert_eq!((declared, module.kernels().count()), (2, 0));
}

#[test]
fn annotations_and_pragmas_stay_where_tools_find_them() {
    let text = "//ikra:class 5 here\n// Generated\n.version 7.0\n.entry k() .maxntid 256, 1, 1 {\n//ikra:takes all\n\
        .loc 1 36 9\nL: .pragma \"nounroll\"; bra L;\n// end\n}\n//ikra:stack 9\n.file 1 \"src/model.rs\"\n";
    let module = Module::parse(text).unwrap();
    assert_eq!(module.annotations().collect::<Vec<_>>(), ["//ikra:class 5 here", "//ikra:stack 9"]);
    let function = module.function("k").unwrap();
    assert_eq!(function.attributes, [".maxntid 256, 1, 1"]);
    let body = function.body.as_ref().unwrap();
    assert_eq!(
        (&body.annotations[..], &body.blocks.last().unwrap().pragmas[..]),
        (&["//ikra:takes all".to_owned()][..], &["nounroll".to_owned()][..])
    );
    let place = body.instructions().next().unwrap().1.location.clone().unwrap();
    assert_eq!((place.file, place.line, place.column), (1, 36, 9));
    let printed = module.to_string();
    assert!(printed.contains("L:\n\t.pragma \"nounroll\";\n\t.loc\t1 36 9\n\tbra \tL;\n"), "{printed}");
    assert!(matches!(module.items.last(), Some(Item::Directive(text)) if text == ".file 1 \"src/model.rs\""));
    assert!(!printed.contains("Generated"));
}

/// A loop of one block, which a table of jumps enters too; and one around it.
const FLOW: &str = "
	mov.b32 %r1, 0;
outer:
	add.s32 %r1, %r1, 1;
	table: .branchtargets
		inner,
		other,
		inner;
	brx.idx %r1, table;
inner:
	add.s32 %r2, %r1, 1;
	@%p1 bra inner;
	bra.uni join;
other:
	mov.b32 %r3, 0;
join:
	@%p2 bra outer;
	@%p3 ret;
	trap;
";

#[test]
fn tables_of_jumps_are_edges() {
    let module = parsed(&format!("{REGISTERS}{FLOW}"));
    let body = module.functions().next().unwrap().body.as_ref().unwrap();
    let cfg = Cfg::new(body);
    let all: Vec<&[usize]> = (0..body.blocks.len()).map(|block| cfg.successors(block)).collect();
    // 0, outer, inner, the rest of it, other, join, the end.
    assert_eq!(all, [&[1][..], &[2, 4], &[2, 3], &[5], &[5], &[1, 6], &[]]);
    assert_eq!(cfg.predecessors(2), [1, 2]);
    assert_eq!(cfg.dominators(), [None, Some(0), Some(1), Some(2), Some(1), Some(1), Some(5)]);
    assert_eq!(cfg.postdominators(), [Some(1), Some(5), Some(3), Some(5), Some(5), Some(6), None]);
    assert_eq!(
        cfg.loops(),
        [
            Loop { head: 1, latches: vec![5], blocks: vec![1, 2, 3, 4, 5] },
            Loop { head: 2, latches: vec![2], blocks: vec![2] },
        ]
    );
    assert_eq!(cfg.reverse_postorder()[0], 0);
}

#[test]
fn definitions_and_uses_are_found() {
    let module = parsed(&format!(
        "{REGISTERS}mov.b32 %r1, 1;\n@%p1 add.s32 %r2, %r1, %r1;\nst.global.b32 [%rd1], %r2;\nld.global.b32 %r2, [%rd1];\nret;\n"
    ));
    let body = module.functions().next().unwrap().body.as_ref().unwrap();
    let uses = Uses::new(body);
    let register = |name| body.register(name).unwrap();
    let at = |index| Position { block: 0, index };
    assert_eq!(uses.definition(register("%r1")), Some(at(0)));
    assert_eq!(uses.reads(register("%r1")), [at(1)]);
    assert_eq!((uses.writes(register("%r2")), uses.definition(register("%r2"))), (&[at(1), at(3)][..], None));
    assert_eq!((uses.reads(register("%rd1")), uses.writes(register("%rd1"))), (&[at(2), at(3)][..], &[][..]));
    assert_eq!(uses.reads(register("%p1")), [at(1)]);
    let mut shown = Vec::new();
    body.at(at(1)).for_each_register(|one, access| shown.push((body.name(one).to_owned(), access)));
    let expected = [("%p1", Access::Read), ("%r2", Access::Write), ("%r1", Access::Read), ("%r1", Access::Read)];
    assert_eq!(shown, expected.map(|(name, access)| (name.to_owned(), access)));
}

#[test]
fn instructions_are_made_of_text() {
    let mut module = parsed(&format!("{REGISTERS}L: add.s32 %r1, %r1, 1;\n@%p1 bra L;\nret;\n"));
    let body = module.functions_mut().next().unwrap().body.as_mut().unwrap();
    let new = body.new_register("%sum", Type::B32);
    let another = body.new_register("%sum", Type::B64);
    assert_eq!((body.name(new), body.name(another)), ("%sum", "%sum_1"));
    let made = body.instruction("@!%p1 add.s32 %sum, %r1, 4;").unwrap();
    assert_eq!((made.opcode, made.destination()), (Opcode::Add, Some(new)));
    let jump = body.instruction("bra.uni L;").unwrap();
    assert!(
        matches!(jump.operands[..], [Operand::Label(label)] if Some(label) == body.blocks.iter().find_map(|block| block.label))
    );
    assert!(body.instruction("add.s32 %r1, %r1, 1; ret;").is_err());
    assert!(body.instruction("add.s32 %rx, %r1, 1;").is_err());
    body.blocks[1].instructions.insert(0, made);
    module.verify().unwrap();
    assert!(module.to_string().contains("@!%p1 add.s32 \t%sum, %r1, 4;"));
}

#[test]
fn what_is_malformed_is_found() {
    let wrong = |text: &str| {
        let module = Module::parse(&kernel(&format!("{REGISTERS}{text}"))).unwrap();
        module.verify().unwrap_err().message
    };
    assert_eq!(wrong("add.s32 %r1, %rd2, 1; ret;"), "k: `add.s32 \t%r1, %rd2, 1;`: `%rd2` has 64 bits, 32 expected");
    assert_eq!(
        wrong("mul.wide.u32 %r1, %r2, 4; ret;"),
        "k: `mul.wide.u32 \t%r1, %r2, 4;`: `%r1` has 32 bits, 64 expected"
    );
    assert_eq!(
        wrong("setp.eq.s32 %r1, %r2, 4; ret;"),
        "k: `setp.eq.s32 \t%r1, %r2, 4;`: `%r1` has 32 bits, 1 expected"
    );
    assert_eq!(
        wrong("ld.global.b64 %r1, [%rd1]; ret;"),
        "k: `ld.global.b64 \t%r1, [%rd1];`: `%r1` has 32 bits, 64 expected"
    );
    assert_eq!(
        wrong("ld.v2.b32 {%r1, %r2, %r3}, [%rd1]; ret;"),
        "k: `ld.v2.b32 \t{%r1, %r2, %r3}, [%rd1];`: 3 elements, 2 expected"
    );
    assert_eq!(wrong("ld.b32 %r1, [%rs1]; ret;"), "k: `ld.b32 \t%r1, [%rs1];`: `%rs1` is not as wide as an address");
    assert_eq!(wrong("mov.b64 %rd1, elsewhere; ret;"), "k: `mov.b64 \t%rd1, elsewhere;`: there is no `elsewhere`");
    assert_eq!(wrong("mov.b32 %r1, 1;"), "k: the last instruction does not leave the function");
    let mut module = parsed("ret;\n");
    let body = module.functions_mut().next().unwrap().body.as_mut().unwrap();
    let after = body.instruction("trap;").unwrap();
    body.blocks[0].instructions.push(after);
    assert!(module.verify().unwrap_err().message.contains("instructions follow in its block"));
}

#[test]
fn bytes_may_be_in_wider_registers() {
    assert_eq!(shown("ld.global.b8 %rs1, [%rd1]; st.b8 [%rd1], %r1; cvt.u16.u8 %rs1, %rs2;").len(), 4);
}

#[test]
fn names_and_types_are_told_apart() {
    for &opcode in Opcode::ALL {
        assert_eq!(Opcode::from_name(opcode.name()), Some(opcode));
    }
    assert_eq!(Modifier::from_name("shared::cta"), Some(Modifier::SharedCta));
    assert_eq!((Type::F16x2.bytes(), Type::Pred.bytes(), Type::B128.bits()), (4, 1, 128));
}
