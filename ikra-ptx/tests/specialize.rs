//! Kernels for fixed data, rule by rule.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra_ptx::{
    Module, Opcode,
    specialize::{Argument, Budget, Contents, Known, Memory, Report, specialize},
};

const HEAD: &str = ".version 7.0\n.target sm_80\n.address_size 64\n";
const REGISTERS: &str = ".reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .f32 %f<9>;\n\
                         .reg .f64 %d<9>;\n";
/// The address of known memory.
const ADDRESS: u64 = 0x7_0000_0100;

/// A kernel `k` with the parameters `out`, `table`, `n`, `m`; `%rd1` is `out`, `%rd2` the known address of `table`, `%r1` the
/// known number `n`, and `%r2` the unknown number `m`.
fn kernel(body: &str) -> Module {
    parsed(&kernel_text(body))
}

fn parsed(text: &str) -> Module {
    let module = Module::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    module.verify().unwrap_or_else(|error| panic!("{error}: {text}"));
    module
}

/// The kernel for `n` and the bytes at `ADDRESS`: its instructions and the report.
fn made_within(module: &Module, n: u32, bytes: &[u8], budget: &Budget) -> Result<(String, Report), String> {
    let (address, n) = (ADDRESS.to_le_bytes(), n.to_le_bytes());
    let known = Known {
        parameters: vec![
            Argument { parameter: 1, offset: 0, bytes: &address },
            Argument { parameter: 2, offset: 0, bytes: &n },
        ],
        memory: vec![Memory { address: ADDRESS, bytes }],
        ..Known::default()
    };
    let (new, report) = specialize(module, "k", "new", &known, budget).map_err(|refused| refused.reason)?;
    let printed = new.to_string();
    assert_eq!(parsed(&printed).to_string(), printed);
    let start = printed.find("{\n").expect("there is a body") + 2;
    let lines = printed[start..].lines().map(|line| line.trim().replace('\t', ""));
    let lines: Vec<String> = lines.filter(|line| !line.starts_with(".reg") && line != "}").collect();
    Ok((lines.join("\n"), report))
}

fn made(module: &Module, n: u32, bytes: &[u8]) -> (String, Report) {
    made_within(module, n, bytes, &Budget::default()).unwrap()
}

/// The instructions of a body for `n` = 5 and the bytes 0, 1, 2, … 63.
fn body(text: &str) -> String {
    let bytes: Vec<u8> = (0..64).collect();
    made(&kernel(text), 5, &bytes).0
}

const OUT: &str = "ld.param.u64 %rd1, [out];\n";

#[test]
fn arithmetic_is_folded() {
    let cases = [
        ("add.s32 %r3, %r1, -7;", "-2"),
        ("mul.hi.u32 %r3, %r1, -1;", "4"),
        ("shl.b32 %r3, %r1, 40;", "0"),
        ("div.s32 %r3, %r1, -2;", "-2"),
        ("bfe.s32 %r3, %r1, 2, 1;", "-1"),
        ("mov.u16 %h1, 0; cvt.u16.u32 %h2, %r2; mad.wide.s16 %r3, %h2, %h1, -1;", "-1"),
        ("mov.u16 %h1, 0; cvt.u16.u32 %h2, %r2; mad.wide.u16 %r3, %h2, %h1, 1735093876;", "1735093876"),
        ("cvt.rn.f32.u32 %f1, %r1; fma.rn.f32 %f2, %f1, %f1, 0f3F000000; mov.b32 %r3, %f2;", "1103888384"),
        ("cvt.rn.f64.u32 %d1, %r1; sqrt.rn.f64 %d2, %d1; cvt.rzi.s32.f64 %r3, %d2;", "2"),
        ("cvt.rn.f16.u32 %h1, %r1; cvt.s32.s16 %r3, %h1;", "17664"),
        ("setp.lt.u32 %p1|%p2, %r1, 9; selp.b32 %r3, 1, 2, %p2;", "2"),
        ("mov.b64 %rd3, {%r1, %r1}; mov.b64 {%r4, %r3}, %rd3;", "5"),
        ("mov.b32 {%h1, %h2}, %r1; cvt.u32.u16 %r3, %h1;", "5"),
        ("add.s64 %rd3, %rd2, 3; sub.s64 %rd4, %rd3, %rd2; cvt.u32.u64 %r3, %rd4;", "3"),
    ];
    for (code, expected) in cases {
        assert_eq!(
            body(&format!("{code} st.global.b32 [%rd1], %r3; ret;")),
            format!("{OUT}st.global.b32 [%rd1], {expected};\nret;"),
            "{code}"
        );
    }
}

#[test]
fn what_devices_do_not_agree_on_stays() {
    for code in [
        "div.u32 %r3, %r1, 0;",
        "cvt.rn.f32.u32 %f1, %r1; ex2.approx.f32 %f2, %f1; mov.b32 %r3, %f2;",
        "cvt.rn.f32.u32 %f1, %r1; div.full.f32 %f2, %f1, %f1; mov.b32 %r3, %f2;",
        "mov.f32 %f1, 0fFF800001; add.rn.f32 %f2, %f1, %f1; mov.b32 %r3, %f2;",
        "mov.f32 %f1, 0f7FC00000; cvt.rzi.s32.f32 %r3, %f1;",
        "mov.u32 %r3, %tid.x;",
        "add.cc.u32 %r4, %r1, %r1; addc.u32 %r3, %r1, %r1;",
        "shfl.sync.idx.b32 %r3, %r1, 0, 31, -1;",
    ] {
        let new = body(&format!("{code} st.global.u32 [%rd1], %r3; ret;"));
        assert!(new.contains("[%rd1], %r3;") && new.lines().count() > 3, "{code}: {new}");
    }
}

#[test]
fn operands_become_constants_where_ptx_allows_it() {
    let cases = [
        ("add.s32 %r3, %r2, %r1;", "add.s32 %r3, %r2, 5;"),
        ("sub.s32 %r3, %r1, %r2;", "sub.s32 %r3, 5, %r2;"),
        ("mad.lo.s32 %r3, %r1, %r1, %r2;", "add.s32 %r3, 25, %r2;"),
        ("mad.lo.s32 %r3, %r2, %r1, %r1;", "mad.lo.s32 %r3, %r2, 5, 5;"),
        ("add.s32 %r4, %r1, -5; add.s32 %r3, %r2, %r4;", "mov.b32 %r3, %r2;"),
        ("sub.s32 %r4, %r1, 5; mad.lo.s32 %r3, %r2, %r4, %r2;", "mov.b32 %r3, %r2;"),
        // A position in a field must be small if it is a constant.
        ("bfe.u32 %r3, %r2, %r1, %r1;", "mov.b32 %r1, 5;\nbfe.u32 %r3, %r2, %r1, %r1;"),
        (
            "setp.gt.u32 %p1, %r1, 9; setp.eq.or.s32 %p2, %r2, 1, %p1; selp.b32 %r3, %r1, %r2, %p2;",
            "setp.eq.s32 %p2, %r2, 1;\nselp.b32 %r3, 5, %r2, %p2;",
        ),
        (
            "cvt.rn.f32.u32 %f1, %r1; cvt.rn.f32.u32 %f2, %r2; mul.rn.f32 %f3, %f1, %f2; mov.b32 %r3, %f3;",
            "cvt.rn.f32.u32 %f2, %r2;\nmul.rn.f32 %f3, 0f40A00000, %f2;\nmov.b32 %r3, %f3;",
        ),
    ];
    for (code, expected) in cases {
        let new = body(&format!("{code} st.global.u32 [%rd1], %r3; ret;"));
        assert_eq!(new, format!("{OUT}ld.param.u32 %r2, [m];\n{expected}\nst.global.u32 [%rd1], %r3;\nret;"), "{code}");
    }
    let zero = body("sub.s32 %r4, %r1, 5; and.b32 %r3, %r2, %r4; st.global.u32 [%rd1], %r3; ret;");
    assert_eq!(zero, format!("{OUT}st.global.u32 [%rd1], 0;\nret;"));
    // A byte is stored from a register.
    let byte = body("st.global.u8 [%rd1], %r1; ret;");
    assert_eq!(byte, format!("{OUT}mov.b32 %r1, 5;\nst.global.u8 [%rd1], %r1;\nret;"));
}

#[test]
fn loads_of_all_widths_are_known() {
    let bytes: Vec<u8> = (0..32).map(|n| if n % 4 == 3 { 0x80 + n } else { n }).collect();
    let cases = [
        ("ld.global.u8 %r3, [%rd2+3];", "131"),
        ("ld.global.s8 %r3, [%rd2+3];", "-125"),
        ("ld.u16 %r3, [%rd2+2];", "33538"),
        ("ld.global.nc.s16 %r3, [%rd2+2];", "-31998"),
        ("ld.global.v2.u32 {%r4, %r3}, [%rd2+8];", "-1894904564"),
        ("ld.global.v4.b32 {%r4, _, %r3, %r5}, [%rd2+16];", "-1692788456"),
        ("ld.global.u64 %rd3, [%rd2+8]; cvt.u32.u64 %r3, %rd3;", "-1962276600"),
        ("ld.global.s32 %rd3, [%rd2]; shr.u64 %rd4, %rd3, 32; cvt.u32.u64 %r3, %rd4;", "-1"),
        ("ld.global.u32 %rd3, [%rd2]; shr.u64 %rd4, %rd3, 32; cvt.u32.u64 %r3, %rd4;", "0"),
    ];
    for (code, expected) in cases {
        let (new, report) = made(&kernel(&format!("{code} st.global.b32 [%rd1], %r3; ret;")), 0, &bytes);
        assert_eq!(new, format!("{OUT}st.global.b32 [%rd1], {expected};\nret;"), "{code}");
        assert_eq!(report.loads, 1);
    }
    // Partly outside, not aligned, in order with other accesses, in another space, atomic.
    for code in [
        "ld.global.v4.u32 {%r4, %r3, %r5, %r6}, [%rd2+24];",
        "ld.global.u32 %r3, [%rd2+2];",
        "ld.global.u32 %r3, [%rd2+-4];",
        "ld.volatile.global.u32 %r3, [%rd2];",
        "ld.acquire.gpu.global.u32 %r3, [%rd2];",
        "ld.shared.u32 %r3, [%rd2];",
        "ld.const.u32 %r3, [%rd2];",
    ] {
        let (new, report) = made(&kernel(&format!("{code} st.global.u32 [%rd1], %r3; ret;")), 0, &bytes);
        assert!(
            new.contains("ld.") && new.contains("mov.b64 %rd2, 30064771328;") && report.loads == 0,
            "{code}: {new}"
        );
    }
}

#[test]
fn loops_with_a_known_end_are_unrolled() {
    let code = "mov.b32 %r3, 0;\nloop: mul.wide.u32 %rd3, %r3, 4; add.s64 %rd4, %rd2, %rd3; ld.global.u32 %r4, [%rd4];\
                xor.b32 %r2, %r2, %r4; add.s32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r1; @%p1 bra loop; st.global.u32 [%rd1], %r2; ret;";
    let bytes: Vec<u8> = (1..4_u32).flat_map(u32::to_le_bytes).collect();
    let (new, report) = made(&kernel(code), 3, &bytes);
    let expected = "ld.param.u32 %r2, [m];\nxor.b32 %r2, %r2, 1;\nxor.b32 %r2, %r2, 2;\nxor.b32 %r2, %r2, 3;";
    assert_eq!(new, format!("{OUT}{expected}\nst.global.u32 [%rd1], %r2;\nret;"));
    assert_eq!((report.loads, report.bytes, report.iterations, report.branches, report.rolled), (3, 12, 2, 3, 0));
    let shown = report.to_string();
    assert!(shown.contains("known loads: 3 of 12 bytes\n") && shown.contains("unrolled iterations: 2\n"), "{shown}");
}

#[test]
fn loops_that_nothing_known_ends_are_not_unrolled() {
    // The counter is known where the loop starts, and the end is not.
    let code = "mov.b32 %r3, 0;\nloop: xor.b32 %r4, %r3, %r1; st.global.u32 [%rd1], %r4; add.s32 %r3, %r3, 1;\
                setp.lt.u32 %p1, %r3, %r2; @%p1 bra loop; ret;";
    let (new, report) = made(&kernel(code), 3, &[]);
    let expected = "mov.b32 %r3, 0;\n$V1:\nxor.b32 %r4, %r3, 3;\nst.global.u32 [%rd1], %r4;\nadd.s32 %r3, %r3, 1;\n\
                    setp.lt.u32 %p1, %r3, %r2;\n@%p1 bra $V1;\nret;";
    assert_eq!(new, format!("{OUT}ld.param.u32 %r2, [m];\n{expected}"));
    assert!(report.rolled == 1 && !report.is_limited, "{report}");
}

#[test]
fn branches_and_tables_of_jumps_are_decided() {
    let switch = "T: .branchtargets a, b, c;\nbrx.idx %r1, T;\na: mov.b32 %r3, 1; bra.uni end;\nb: mov.b32 %r3, 2; bra.uni end;\n\
                  c: add.s32 %r3, %r2, 3;\nend: st.global.u32 [%rd1], %r3; ret;";
    assert_eq!(made(&kernel(switch), 1, &[]).0, format!("{OUT}st.global.u32 [%rd1], 2;\nret;"));
    // Beyond the table: what happens is open, and stays so.
    let (beyond, _) = made(&kernel(switch), 7, &[]);
    assert!(beyond.contains("mov.b32 %r1, 7;\n$T0: .branchtargets"), "{beyond}");
    let (unknown, report) = made(&kernel(&switch.replace("brx.idx %r1", "brx.idx %r2")), 1, &[]);
    assert!(unknown.contains("brx.idx %r2, $T0;") && unknown.matches("st.global").count() == 1, "{unknown}");
    // Values that differ are put into the register before the ways meet.
    assert!(unknown.contains("mov.b32 %r3, 1;") && unknown.contains("mov.b32 %r3, 2;"), "{unknown}");
    assert_eq!(report.versions, 5);
    let branch =
        "setp.eq.u32 %p1, %r1, 4; @!%p1 bra other; st.global.u32 [%rd1], 1; ret;\nother: st.global.u32 [%rd1], 2; ret;";
    assert_eq!(made(&kernel(branch), 4, &[]).0, format!("{OUT}st.global.u32 [%rd1], 1;\nret;"));
    assert_eq!(made(&kernel(branch), 5, &[]).0, format!("{OUT}st.global.u32 [%rd1], 2;\nret;"));
}

#[test]
fn guards_are_decided_or_leave_the_old_value() {
    let known = "setp.eq.u32 %p1, %r1, 5; mov.b32 %r3, 1; @%p1 mov.b32 %r3, 2; @!%p1 st.global.u32 [%rd1+4], 9;\
                 @!%p1 ret; @%p1 st.global.u32 [%rd1], %r3; ret;";
    assert_eq!(body(known), format!("{OUT}st.global.u32 [%rd1], 2;\nret;"));
    let unknown = "setp.eq.u32 %p1, %r2, 5; mov.b32 %r3, 1; @%p1 add.s32 %r3, %r1, 2; st.global.u32 [%rd1], %r3; ret;";
    let expected = "ld.param.u32 %r2, [m];\nsetp.eq.u32 %p1, %r2, 5;\nmov.b32 %r3, 1;\n@%p1 mov.b32 %r3, 7;";
    assert_eq!(body(unknown), format!("{OUT}{expected}\nst.global.u32 [%rd1], %r3;\nret;"));
    // The same value either way stays known.
    let same = unknown.replace("mov.b32 %r3, 1;", "mov.b32 %r3, 7;");
    assert_eq!(body(&same), format!("{OUT}st.global.u32 [%rd1], 7;\nret;"));
    let ends = "setp.eq.u32 %p1, %r1, 5; @%p1 ret; st.global.u32 [%rd1], 1; ret;";
    assert_eq!(body(ends), "ret;");
}

#[test]
fn ways_meet_in_one_version() {
    // Ten branches, each of which may count: without meeting, there would be a version for each count.
    let one = |n: u32| {
        format!("and.b32 %r4, %r2, {}; setp.eq.s32 %p1, %r4, 0; @%p1 bra L{n}; add.s32 %r3, %r3, 1;\nL{n}:\n", 1 << n)
    };
    let code: String = (0..10).map(one).collect();
    let (new, report) = made(&kernel(&format!("mov.b32 %r3, 0; {code} st.global.u32 [%rd1], %r3; ret;")), 0, &[]);
    assert_eq!(report.versions, 21);
    // The first sum is known, and the others are not.
    assert!(new.contains("mov.b32 %r3, 1;") && new.matches("add.s32 %r3, %r3, 1;").count() == 9, "{new}");
    assert_eq!(report.widened, 0);
}

#[test]
fn barriers_have_one_version() {
    // A loop around a barrier is not unrolled, and threads from both sides of a branch come to the same barrier.
    for meeting in [
        "bar.sync 0;",
        "shfl.sync.bfly.b32 %r7, %r2, 1, 31, -1;",
        "vote.sync.ballot.b32 %r7, %p2, -1;",
        "activemask.b32 %r7;",
    ] {
        let code = format!(
            "mov.b32 %r3, 0;\nloop: setp.gt.s32 %p2, %r2, 3; mov.b32 %r4, 1; @%p2 bra join; mov.b32 %r4, 2;\njoin: {meeting}\
             add.s32 %r2, %r2, %r4; add.s32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r1; @%p1 bra loop; st.global.u32 [%rd1], %r2; ret;"
        );
        let (new, report) = made(&kernel(&code), 3, &[]);
        let name = meeting.split(' ').next().unwrap();
        assert_eq!(new.matches(name).count(), 1, "{new}");
        assert!(new.contains("add.s32 %r2, %r2, %r4;") && report.iterations == 0, "{new}");
        // The same without it is unrolled.
        let (free, _) = made(&kernel(&code.replace(meeting, "")), 3, &[]);
        assert_eq!(free.matches("setp.gt.s32").count(), 3, "{free}");
    }
    // A branch that decides about a barrier has one version, too.
    let decides = "setp.gt.s32 %p2, %r2, 3; @%p2 bra one; mov.b32 %r3, 1; bra.uni both;\none: mov.b32 %r3, 2; st.global.u32 [%rd1], 9;\n\
                   both: setp.gt.s32 %p3, %r2, 7; @%p3 bra end; bar.sync 0;\nend: st.global.u32 [%rd1+4], %r3; ret;";
    let (new, _) = made(&kernel(decides), 0, &[]);
    assert_eq!((new.matches("bar.sync").count(), new.matches("setp.gt.s32 %p3").count()), (1, 1), "{new}");
    // A function with a barrier counts as one.
    let call = kernel_text(
        "mov.b32 %r3, 0;\nloop: call.uni wait; add.s32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r1; @%p1 bra loop; ret;",
    );
    let text = call.replace(".visible", ".func wait() { bar.sync 0; ret; }\n.visible");
    let (new, report) = made(&parsed(&text), 3, &[]);
    assert!(new.matches("call.uni").count() == 1 && report.iterations == 0, "{new}");
}

#[test]
fn stores_to_known_memory_are_refused() {
    let bytes = [0; 16];
    let refused = |code: &str| made_within(&kernel(&format!("{code} ret;")), 5, &bytes, &Budget::default());
    for code in [
        "st.global.u32 [%rd2+12], %r2;",
        "st.u64 [%rd2+-4], %rd1;",
        "st.global.v4.u32 [%rd2+-12], {%r2, %r2, %r2, %r2};",
        "setp.eq.s32 %p1, %r2, 0; @%p1 st.global.u8 [%rd2], %r2;",
        "red.global.add.u32 [%rd2], 1;",
        "atom.global.cas.b32 %r3, [%rd2], 1, 2;",
    ] {
        let reason = refused(code).unwrap_err();
        assert!(reason.contains("writes to memory that is said to be constant"), "{code}: {reason}");
    }
    for code in [
        "st.global.u32 [%rd2+16], %r2;",
        "st.global.u64 [%rd2+-8], %rd1;",
        "st.shared.u32 [%rd2], %r2;",
        "setp.eq.s32 %p1, %r1, 0; @%p1 st.global.u8 [%rd2], %r2;",
        "setp.eq.s32 %p1, %r1, 0; @!%p1 ret; st.global.u8 [%rd2], %r2;",
    ] {
        assert!(refused(code).is_ok(), "{code}");
    }
}

#[test]
fn wrong_facts_are_refused() {
    let module = kernel("ret;");
    let refused = |known: &Known<'_>, kernel: &str, name: &str| {
        specialize(&module, kernel, name, known, &Budget::default()).unwrap_err().to_string()
    };
    let none = Known::default();
    assert!(refused(&none, "l", "new").contains("no kernel `l`"));
    let parameter = |parameter, offset| Known {
        parameters: vec![Argument { parameter, offset, bytes: &[0; 4] }],
        ..Known::default()
    };
    for known in [parameter(4, 0), parameter(2, 1), parameter(0, usize::MAX)] {
        assert!(refused(&known, "k", "new").contains("no such bytes"));
    }
    let memory = |all: &[(u64, &'static [u8])]| Known {
        memory: all.iter().map(|&(address, bytes)| Memory { address, bytes }).collect(),
        ..Known::default()
    };
    for known in [memory(&[(8, &[0; 4]), (11, &[0; 4])]), memory(&[(u64::MAX, &[0; 4])])] {
        assert!(refused(&known, "k", "new").contains("overlap"));
    }
}

#[test]
fn large_programs_are_widened() {
    let code = "mov.b32 %r3, 0;\nloop: xor.b32 %r2, %r2, %r3; mad.lo.s32 %r2, %r2, %r2, %r3; add.s32 %r3, %r3, 1;\
                setp.lt.u32 %p1, %r3, %r1; @%p1 bra loop; st.global.u32 [%rd1], %r2; ret;";
    let module = kernel(code);
    let budget = Budget { instructions: 100, ..Budget::default() };
    let (all, report) = made_within(&module, 20, &[], &budget).unwrap();
    assert!(all.matches("mad.lo").count() == 20 && !report.is_limited);
    for budget in [budget, Budget { versions: 50, ..Budget::default() }, Budget { steps: 1000, ..Budget::default() }] {
        let (rolled, report) = made_within(&module, 2_000_000_000, &[], &budget).unwrap();
        assert!(rolled.matches("mad.lo").count() == 1 && report.is_limited, "{rolled}");
        assert!(rolled.contains("setp.lt.u32 %p1, %r3, 2000000000;") && report.steps < 1_100_000, "{report}");
    }
    let reason = made_within(&module, 20, &[], &Budget { instructions: 5, ..Budget::default() }).unwrap_err();
    assert!(reason.contains("more than 5 instructions"), "{reason}");
    // Of two loops, the inner one has more versions.
    let nested = "mov.b32 %r3, 0;\nouter: mov.b32 %r4, 0;\ninner: mad.lo.s32 %r2, %r2, %r4, %r3; add.s32 %r4, %r4, 1;\
                  setp.lt.u32 %p1, %r4, %r1; @%p1 bra inner; add.s32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 4; @%p2 bra outer;\
                  st.global.u32 [%rd1], %r2; ret;";
    let budget = Budget { instructions: 100, ..Budget::default() };
    let (new, report) = made_within(&kernel(nested), 1000, &[], &budget).unwrap();
    assert_eq!(report.rolled, 1);
    for n in 0..4 {
        assert!(new.contains(&format!("mad.lo.s32 %r2, %r2, %r4, {n};")), "{new}");
    }
}

#[test]
fn endless_loops_end() {
    // Nothing changes; a counter changes; two of them.
    let (still, _) = made(&kernel("loop: st.global.u32 [%rd1], %r1; bra.uni loop;"), 1, &[]);
    assert_eq!(still, format!("{OUT}$V1:\nst.global.u32 [%rd1], 1;\nbra.uni $V1;"));
    let (counting, report) =
        made(&kernel("loop: st.global.u32 [%rd1], %r1; add.s32 %r1, %r1, 1; bra.uni loop;"), 1, &[]);
    assert_eq!(counting.matches("st.global").count(), 1, "{counting}");
    assert_eq!(report.rolled, 1);
    let ends = "loop: add.s32 %r1, %r1, 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra end; mul.lo.s32 %r3, %r1, %r1;\
                setp.eq.u32 %p2, %r3, 3; @!%p2 bra loop;\nend: st.global.u32 [%rd1], %r1; ret;";
    let (new, report) = made(&kernel(ends), 1, &[]);
    assert!(new.lines().count() < 20 && report.is_limited && report.steps < 2_000_000, "{report}");
    // Branches on unknown values within a loop whose state never repeats.
    let mixed = "loop: add.s32 %r1, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra odd; mad.lo.s32 %r1, %r1, %r1, 1; bra.uni loop;\n\
                 odd: mul.lo.s32 %r1, %r1, 3; st.global.u32 [%rd1], %r1; bra.uni loop;";
    let (new, _) = made(&kernel(mixed), 1, &[]);
    assert!(new.lines().count() < 20, "{new}");
}

#[test]
fn variables_are_known_if_nobody_writes_them() {
    let code = "mov.b64 %rd3, t; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd3, %rd4; cvta.global.u64 %rd6, %rd5; ld.u32 %r3, [%rd6];\
                ld.const.u32 %r4, [c+4]; add.s32 %r3, %r3, %r4; st.global.u32 [%rd1], %r3; ret;";
    let variables = ".global .align 4 .b32 t[4] = {10, 20, 30};\n.const .align 4 .b8 c[8] = {0, 0, 0, 0, 1, 2};\n";
    let with = |text: &str, variables: &str| {
        let text = text.replace(".visible .entry", &format!("{variables}.visible .entry"));
        let made = made(&parsed(&text), 2, &[]);
        (made.0, made.1.variables)
    };
    // The name `t` is declared by the text that is not parsed yet.
    let text = format!(
        "{HEAD}.visible .entry k(.param .u64 out, .param .u64 table, .param .u32 n, .param .u32 m)\n{{\n{REGISTERS}\
         ld.param.u64 %rd1, [out];\nld.param.u32 %r1, [n];\n{code}\n}}\n"
    );
    let (new, own) = with(&text, variables);
    assert_eq!(new, format!("{OUT}st.global.u32 [%rd1], 543;\nret;"));
    assert!(own.is_empty());
    // The host may write what is visible, and a function what it has the address of.
    let (new, own) = with(&text, &variables.replace(".global", ".visible .global"));
    assert!(new.contains("ld.global.u32") || new.contains("ld.u32"), "{new}");
    assert_eq!(own, ["t"]);
    let (new, own) = with(&text.replace("ret;\n", "st.global.u64 [%rd1+8], %rd6; ret;\n"), variables);
    assert!(new.contains("mov.b64 %rd6, t+8;\ncvta.global.u64 %rd6, %rd6;") && own == ["t"], "{new}");
    assert_eq!(
        with(&text, &variables.replace("{10, 20, 30}", "{10, 20, 30, 40}").replace("b32 t", "u64 t")).0.lines().count(),
        3
    );
    // The caller knows what the host wrote.
    let module = parsed(
        &text.replace(".visible .entry", &format!("{}.visible .entry", variables.replace(".const", ".visible .const"))),
    );
    let bytes = [0, 0, 0, 0, 7, 0, 0, 0];
    let known = Known { variables: vec![Contents { name: "c", bytes: &bytes }], ..Known::default() };
    let (new, _) = specialize(&module, "k", "new", &known, &Budget::default()).unwrap();
    assert!(new.to_string().contains("add.s32 \t%r3, %r3, 7;"), "{new}");
    let known = Known { variables: vec![Contents { name: "c", bytes: &bytes[..4] }], ..Known::default() };
    assert!(specialize(&module, "k", "new", &known, &Budget::default()).is_err());
}

#[test]
fn calls_stay_with_parameters_of_their_own() {
    let code = "mov.b32 %r3, 0;\nloop: { .param .b32 param0; .param .b32 retval0; st.param.b32 [param0], %r3;\
                call.uni (retval0), twice, (param0); ld.param.b32 %r4, [retval0]; }\
                add.s32 %r2, %r2, %r4; add.s32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r1; @%p1 bra loop; st.global.u32 [%rd1], %r2; ret;";
    let text = kernel_text(code).replace(
        ".visible .entry",
        ".func (.param .b32 r) twice(.param .b32 a) { .reg .b32 %r<3>; ld.param.b32 %r1, [a]; add.s32 %r2, %r1, %r1;\
         st.param.b32 [r], %r2; ret; }\n.func unused() { ret; }\n.global .b32 also_unused;\n.visible .entry",
    );
    let (new, report) = made(&parsed(&text), 2, &[]);
    assert_eq!(new.matches("call.uni").count(), 2, "{new}");
    assert!(new.contains("st.param.b32 [param0], 0;") && new.contains("st.param.b32 [param0_1], 1;"), "{new}");
    assert_eq!(report.iterations, 1);
    let whole = specialize(&parsed(&text), "k", "new", &Known::default(), &Budget::default()).unwrap().0;
    assert_eq!(whole.functions().map(|function| function.name.as_str()).collect::<Vec<_>>(), ["twice", "new"]);
    assert_eq!(whole.variables().count(), 0);
}

fn kernel_text(body: &str) -> String {
    format!(
        "{HEAD}.visible .entry k(.param .u64 out, .param .u64 table, .param .u32 n, .param .u32 m)\n{{\n{REGISTERS}\
         ld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [table];\nld.param.u32 %r1, [n];\nld.param.u32 %r2, [m];\n{body}\n}}\n"
    )
}

#[test]
fn parameters_may_be_known_in_part() {
    let text = format!(
        "{HEAD}.visible .entry k(.param .u64 out, .param .align 8 .b8 all[24])\n{{\n{REGISTERS}\
         ld.param.u64 %rd1, [out];\nmov.b64 %rd2, all;\nld.param.u32 %r1, [%rd2+4];\nld.param.v2.u32 {{%r2, %r3}}, [all+8];\n\
         ld.param.u32 %r4, [all+16];\nadd.s32 %r1, %r1, %r2; add.s32 %r1, %r1, %r3; add.s32 %r1, %r1, %r4; st.global.u32 [%rd1], %r1; ret;\n}}\n"
    );
    let bytes = [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0];
    let known = Known { parameters: vec![Argument { parameter: 1, offset: 4, bytes: &bytes }], ..Known::default() };
    let (new, report) = specialize(&parsed(&text), "k", "new", &known, &Budget::default()).unwrap();
    let text = new.to_string();
    assert!(text.contains("add.s32 \t%r1, 6, %r4;") && text.contains("[all+16]"), "{text}");
    assert_eq!((report.loads, report.before, report.after), (0, 10, 5));
    // The parameters stay, so that the kernel is launched in the same way.
    let function = new.function("new").unwrap();
    assert_eq!(function.parameters, parsed(&text).function("new").unwrap().parameters);
    assert_eq!(function.parameters.len(), 2);
    assert!(function.body.as_ref().unwrap().instructions().all(|(_, one)| one.opcode != Opcode::Mov));
}
