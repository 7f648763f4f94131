//! The details that a fault names.

#![allow(clippy::result_large_err, reason = "a fault ends a launch: its size costs nothing")]

mod common;

use common::{Bench, OWN, fault, kernel, run};
use ikra_emulator::machine::{Checks, FaultKind, Options, Program};

#[test]
fn accesses_next_to_an_allocation_name_it() {
    let text = kernel(1, &format!("{OWN}\nst.global.u32 [%rd2], %r1;\nret;"));
    let bench = Bench::new(&text, Options::default());
    let address = bench.device.allocate(4000, "positions").unwrap();
    let found = bench.launch(4, 256, &[address]).unwrap_err();
    assert_eq!(found.kind, FaultKind::OutOfBounds);
    assert_eq!(found.kernel.as_deref(), Some("k"));
    let thread = found.thread.unwrap();
    assert_eq!(thread.index, u64::from(thread.block[0] * 256 + thread.thread[0]));
    assert!(thread.index >= 1000);
    assert_eq!(found.address, Some(address + thread.index * 4));
    let past = thread.index * 4 - 4000;
    let expected = format!("{past} bytes past the end of an allocation of 4000 bytes (positions)");
    assert!(found.detail.contains(&expected), "{found}");
    assert!(found.instruction.as_deref().unwrap().starts_with("st.global.u32"), "{found}");
    let line = found.ptx_line.unwrap() as usize;
    let all = format!(".version 8.0\n.target sm_80\n.address_size 64\n{text}");
    assert!(all.lines().nth(line - 1).unwrap().starts_with("st.global"));
}

#[test]
fn freed_memory_null_and_odd_addresses() {
    let text = kernel(1, "ld.param.u64 %rd1, [p0];\nld.global.u32 %r1, [%rd1];\nret;");
    let bench = Bench::new(&text, Options::default());
    let address = bench.values(&[1, 2, 3]);
    bench.launch(1, 1, &[address]).unwrap();
    let found = bench.launch(1, 1, &[address + 2]).unwrap_err();
    assert_eq!(found.kind, FaultKind::Misaligned);
    bench.device.free(address).unwrap();
    let found = bench.launch(1, 1, &[address + 4]).unwrap_err();
    assert_eq!(found.kind, FaultKind::UseAfterFree);
    assert!(found.detail.contains("byte 4 of a freed allocation of 12 bytes (values)"), "{found}");
    let found = bench.launch(1, 1, &[16]).unwrap_err();
    assert_eq!(found.kind, FaultKind::OutOfBounds);
    assert!(found.detail.contains("null"), "{found}");
}

#[test]
fn memory_that_nobody_wrote() {
    let text = kernel(
        1,
        &format!("{OWN}\nld.global.u32 %r5, [%rd2];\nsetp.eq.b32 %p1, %r5, 0;\n@%p1 st.global.u32 [%rd2], %r5;\nret;"),
    );
    let bench = Bench::new(&text, Options::default());
    let address = bench.device.allocate(128, "fresh").unwrap();
    bench.device.fill(address, 0, 64).unwrap();
    let found = bench.launch(1, 32, &[address]).unwrap_err();
    assert_eq!(found.kind, FaultKind::Uninitialised);
    assert!(found.thread.unwrap().index >= 16);
    assert!(found.detail.contains("nobody wrote"), "{found}");
    bench.launch(1, 16, &[address]).unwrap();
    let text = format!(
        ".shared .align 4 .b8 place[4];\n{}",
        kernel(
            1,
            &format!(
                "{OWN}\nld.shared.u32 %r5, [place];\nsetp.eq.b32 %p1, %r5, 0;\n@%p1 st.global.u32 [%rd2], %r5;\nret;"
            )
        )
    );
    assert_eq!(fault(&text, 1, 32, 32).kind, FaultKind::Uninitialised);
    let text = kernel(
        1,
        &format!(
            ".local .align 4 .b8 depot[16];\n{OWN}\nld.local.u32 %r5, [depot+4];\nsetp.eq.b32 %p1, %r5, 0;\n@%p1 st.global.u32 [%rd2], %r5;\nret;"
        ),
    );
    assert_eq!(fault(&text, 1, 32, 32).kind, FaultKind::Uninitialised);
}

#[test]
fn copies_of_what_nobody_wrote_are_no_fault_until_something_depends_on_them() {
    // As compilers copy an enum without its payload.
    let text = |end: &str| {
        kernel(
            1,
            &format!(
                "
        ld.param.u64 %rd1, [p0];
        ld.global.v2.u32 {{%r1, %r2}}, [%rd1];
        ld.global.u32 %r3, [%rd1+8];
        st.global.u32 [%rd1+16], %r3;
        ld.global.u32 %r4, [%rd1+16];
        setp.eq.b32 %p1, %r4, 5;
        setp.eq.b32 %p2, %r1, 1;
        and.pred %p3, %p1, %p2;
        {end}
        ret;"
            ),
        )
    };
    let launch = |text: &str| {
        let bench = Bench::new(text, Options::default());
        let address = bench.device.allocate(64, "enums").unwrap();
        bench.device.write(address, &[0, 0, 0, 0]).unwrap();
        bench.launch(1, 1, &[address])
    };
    launch(&text("@%p3 st.global.u32 [%rd1+32], %r1;")).unwrap();
    let found = launch(&text("@%p1 st.global.u32 [%rd1+32], %r1;")).unwrap_err();
    assert_eq!(found.kind, FaultKind::Uninitialised);
    assert!(found.detail.contains("from byte 16 of an allocation of 64 bytes (enums)"), "{found}");
    let found =
        launch(&text("cvt.u64.u32 %rd5, %r4;\nadd.s64 %rd6, %rd1, %rd5;\nst.global.u32 [%rd6], 1;")).unwrap_err();
    assert!(found.detail.starts_with("the address depends"), "{found}");
    let atomic = launch(&text("atom.global.add.u32 %r9, [%rd1], %r4;")).unwrap_err();
    assert_eq!(atomic.kind, FaultKind::Uninitialised);
}

#[test]
fn local_memory_is_each_threads_own() {
    let text = kernel(
        1,
        &format!(
            ".local .align 8 .b8 __local_depot0[16];
        .reg .b64 %SP;
        .reg .b64 %SPL;
        mov.b64 %SPL, __local_depot0;
        cvta.local.u64 %SP, %SPL;
        {OWN}
        add.u64 %rd10, %SP, 8;
        st.u32 [%rd10], %r2;
        add.u64 %rd11, %SPL, 8;
        ld.local.u32 %r10, [%rd11];
        st.global.u32 [%rd2], %r10;
        ret;"
        ),
    );
    assert_eq!(run(&text, 2, 64, 128), (0..128).collect::<Vec<_>>());
    let beyond = text.replace("add.u64 %rd10, %SP, 8", "add.u64 %rd10, %SP, 16");
    let found = fault(&beyond, 1, 32, 32);
    assert_eq!(found.kind, FaultKind::OutOfBounds);
    assert!(found.detail.contains("local memory, which ends at 16"), "{found}");
}

#[test]
fn races_between_blocks_name_both_threads() {
    let text = kernel(1, "ld.param.u64 %rd1, [p0];\nmov.u32 %r1, %ctaid.x;\nst.global.u32 [%rd1], %r1;\nret;");
    let found = fault(&text, 2, 1, 1);
    let FaultKind::Race { other_block, other_access, .. } = found.kind else { panic!("{found}") };
    assert_eq!(other_block[0], 1 - found.thread.unwrap().block[0]);
    assert_eq!(other_access, "wrote");
    run(&text.replace("st.global", "st.relaxed.gpu.global").replace("%r1;\nret", "7;\nret"), 2, 1, 1);
    // A launch of its own is in order.
    let bench = Bench::new(&text, Options::default());
    let address = bench.values(&[0]);
    bench.launch(1, 1, &[address]).unwrap();
    bench.launch(1, 1, &[address]).unwrap();
}

#[test]
fn races_within_a_block_and_their_cure() {
    let body = |sync: &str| {
        format!(
            ".shared .align 4 .b8 place[256];\n{}",
            kernel(
                1,
                &format!(
                    "{OWN}
        shl.b32 %r10, %r1, 2;
        mov.u32 %r11, place;
        add.s32 %r12, %r11, %r10;
        st.shared.u32 [%r12], 0;
        bar.sync 0;
        st.shared.u32 [%r12], %r1;
        {sync}
        xor.b32 %r13, %r10, 4;
        add.s32 %r14, %r11, %r13;
        ld.shared.u32 %r15, [%r14];
        st.global.u32 [%rd2], %r15;
        ret;"
                )
            )
        )
    };
    let found = fault(&body(""), 1, 64, 64);
    assert!(matches!(found.kind, FaultKind::Race { other_access: "wrote", .. }), "{found}");
    assert!(found.detail.contains("shared memory"), "{found}");
    assert_eq!(run(&body("bar.sync 0;"), 1, 64, 64)[..4], [1, 0, 3, 2]);
    assert_eq!(run(&body("bar.warp.sync -1;"), 1, 64, 64)[..4], [1, 0, 3, 2]);
    // A warp's order is not the block's.
    let far = body("bar.warp.sync -1;").replace("%r10, 4;", "%r10, 128;");
    assert!(matches!(fault(&far, 1, 64, 64).kind, FaultKind::Race { .. }));
}

#[test]
fn neighbouring_bytes_are_no_race() {
    let text = kernel(
        1,
        "
        ld.param.u64 %rd1, [p0];
        mov.u32 %r1, %tid.x;
        cvt.u64.u32 %rd2, %r1;
        add.s64 %rd3, %rd1, %rd2;
        st.global.u8 [%rd3], %r1;
        ret;",
    );
    assert_eq!(run(&text, 1, 8, 2), [0x0302_0100, 0x0706_0504]);
}

#[test]
fn a_store_comes_after_the_updates_that_its_block_saw() {
    let text = kernel(
        1,
        "
        ld.param.u64 %rd1, [p0];
        atom.relaxed.gpu.global.add.u32 %r1, [%rd1], 1;
        setp.ne.s32 %p1, %r1, 31;
        @%p1 bra LEAVE;
        st.global.u32 [%rd1], 0;
        LEAVE:
        ret;",
    );
    let bench = Bench::new(&text, Options { threads: 4, ..Options::default() });
    let address = bench.values(&[0]);
    for _ in 0..4000 {
        bench.launch(32, 1, &[address]).unwrap_or_else(|fault| panic!("{fault}"));
        assert_eq!(bench.read(address, 1), [0]);
    }
}

#[test]
fn the_last_block_may_read_what_others_wrote() {
    let text = |fence: &str| {
        kernel(
            1,
            &format!(
                "
        ld.param.u64 %rd1, [p0];
        mov.u32 %r1, %ctaid.x;
        mul.wide.u32 %rd2, %r1, 4;
        add.s64 %rd3, %rd1, %rd2;
        st.global.u32 [%rd3+8], %r1;
        {fence}
        atom.relaxed.gpu.global.add.u32 %r2, [%rd1], 1;
        {fence}
        setp.ne.u32 %p1, %r2, 3;
        @%p1 ret;
        ld.global.u32 %r3, [%rd1+8];
        ld.global.u32 %r4, [%rd1+12];
        ld.global.u32 %r5, [%rd1+16];
        ld.global.u32 %r6, [%rd1+20];
        add.s32 %r7, %r3, %r4;
        add.s32 %r8, %r5, %r6;
        add.s32 %r9, %r7, %r8;
        st.global.u32 [%rd1+4], %r9;
        ret;"
            ),
        )
    };
    assert_eq!(run(&text("fence.acq_rel.gpu;"), 4, 1, 6), [4, 6, 0, 1, 2, 3]);
    assert!(matches!(fault(&text(""), 4, 1, 6).kind, FaultKind::Race { .. }));
}

#[test]
fn constants_and_parameters_cannot_be_written() {
    let text = format!(
        ".const .align 4 .u32 table[2] = {{5, 6}};\n{}",
        kernel(
            1,
            &format!(
                "{OWN}
        ld.const.u32 %r5, [table+4];
        mov.b64 %rd5, table;
        cvta.const.u64 %rd6, %rd5;
        ld.u32 %r6, [%rd6];
        mad.lo.s32 %r7, %r5, 10, %r6;
        st.global.u32 [%rd2], %r7;
        ret;"
            )
        )
    );
    assert_eq!(run(&text, 1, 2, 2), [65, 65]);
    let found = fault(&text.replace("ld.u32 %r6, [%rd6];", "mov.u32 %r6, 0;\nst.u32 [%rd6], %r6;"), 1, 2, 2);
    assert_eq!(found.kind, FaultKind::ReadOnly);
    assert!(found.detail.contains("variable table"), "{found}");
}

#[test]
fn traps_and_assertions_tell_their_text() {
    assert_eq!(fault(&kernel(1, "trap;"), 1, 32, 1).kind, FaultKind::Trap);
    let text = format!(
        "
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.global .align 1 .b8 message[5] = {{111, 104, 32, 110, 0}};
.global .align 1 .b8 file[5] = {{97, 46, 114, 115, 0}};
.global .align 1 .b8 place[7] = {{66, 111, 100, 121, 35, 55, 0}};
{}",
        kernel(
            1,
            "
        mov.b64 %rd1, message;
        cvta.global.u64 %rd1, %rd1;
        mov.b64 %rd2, file;
        cvta.global.u64 %rd2, %rd2;
        mov.b64 %rd3, place;
        cvta.global.u64 %rd3, %rd3;
        {
        .param .b64 param0;
        st.param.b64 [param0], %rd1;
        .param .b64 param1;
        st.param.b64 [param1], %rd2;
        .param .b32 param2;
        st.param.b32 [param2], 42;
        .param .b64 param3;
        st.param.b64 [param3], %rd3;
        .param .b64 param4;
        st.param.b64 [param4], 1;
        call.uni __assertfail, (param0, param1, param2, param3, param4);
        }
        ret;"
        )
    );
    let found = fault(&text, 1, 1, 1);
    let expected =
        FaultKind::Assert { message: "oh n".into(), file: "a.rs".into(), line: 42, function: "Body#7".into() };
    assert_eq!(found.kind, expected);
    assert_eq!(found.object.as_deref(), Some("Body#7"));
}

#[test]
fn lines_of_the_model_are_named() {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"src/model.rs\"\n{}",
        kernel(1, ".loc 1 17 5\ntrap;")
    );
    let program = std::sync::Arc::new(Program::load(&text).unwrap());
    let device = ikra_emulator::machine::Device::new(Options::default());
    let loaded = device.load(program.clone()).unwrap();
    let launch = ikra_emulator::machine::Launch {
        grid: [1; 3],
        block: [1; 3],
        arguments: vec![0; 8],
        ..ikra_emulator::machine::Launch::default()
    };
    let found = device.launch(&loaded, program.kernel("k").unwrap(), &launch).unwrap_err();
    assert_eq!(found.source, Some(("src/model.rs".to_owned(), 17)));
    assert!(found.to_string().contains("at src/model.rs:17"));
}

#[test]
fn checks_can_be_turned_off() {
    let race = kernel(
        1,
        "ld.param.u64 %rd1, [p0];\nmov.u32 %r1, %tid.x;\nst.global.u32 [%rd1], %r1;\nld.global.u32 %r2, [%rd1+400];\nret;",
    );
    let bench = Bench::new(&race, Options { checks: Checks::NONE, ..Options::default() });
    let address = bench.device.allocate(4, "").unwrap();
    bench.launch(1, 64, &[address]).unwrap();
}

#[test]
fn device_memory_from_malloc() {
    let text = format!(
        "
.extern .func (.param .b64 r) malloc(.param .b64 a);
.extern .func free(.param .b64 a);
{}",
        kernel(
            1,
            &format!(
                "{OWN}
        {{
        .param .b64 param0;
        st.param.b64 [param0], 8;
        .param .b64 retval0;
        call.uni (retval0), malloc, (param0);
        ld.param.b64 %rd10, [retval0];
        }}
        st.u32 [%rd10+4], %r2;
        ld.u32 %r10, [%rd10+4];
        st.global.u32 [%rd2], %r10;
        {{
        .param .b64 param0;
        st.param.b64 [param0], %rd10;
        call.uni free, (param0);
        }}
        ret;"
            )
        )
    );
    assert_eq!(run(&text, 2, 32, 64), (0..64).collect::<Vec<_>>());
    let beyond = text.replace("ld.u32 %r10, [%rd10+4]", "ld.u32 %r10, [%rd10+8]");
    let found = fault(&beyond, 1, 1, 1);
    assert!(found.detail.contains("0 bytes past the end of an allocation of 8 bytes (malloc)"), "{found}");
}
