//! Branches, loops, calls: lanes go their own ways and meet again.

#![allow(clippy::result_large_err, reason = "a fault ends a launch: its size costs nothing")]

mod common;

use common::{Bench, OWN, fault, kernel, run};
use ikra_emulator::machine::{FaultKind, Options};

#[test]
fn lanes_take_both_sides_of_a_branch_and_meet() {
    let text = kernel(
        1,
        &format!(
            "{OWN}
        and.b32 %r5, %r1, 1;
        setp.eq.b32 %p1, %r5, 0;
        @%p1 bra even;
        mul.lo.s32 %r6, %r1, 10;
        bra.uni join;
    even:
        add.s32 %r6, %r1, 1000;
    join:
        st.global.u32 [%rd2], %r6;
        ret;"
        ),
    );
    let values = run(&text, 2, 64, 128);
    for (n, value) in values.iter().enumerate() {
        let tid = n as u32 % 64;
        let expected = if tid.is_multiple_of(2) { tid + 1000 } else { tid * 10 };
        assert_eq!(*value, expected);
    }
}

#[test]
fn branches_meet_again_and_divergence_is_counted() {
    let text = kernel(
        1,
        &format!(
            "{OWN}
        setp.lt.u32 %p1, %r1, 16;
        @%p1 bra low;
        mov.b32 %r6, 1;
        bra.uni join;
    low:
        mov.b32 %r6, 2;
    join:
        st.global.u32 [%rd2], %r6;
        ret;"
        ),
    );
    let bench = Bench::new(&text, Options::default());
    let address = bench.values(&[0; 32]);
    let counts = bench.launch(1, 32, &[address]).unwrap();
    assert_eq!(counts.divergent_branches, 1);
    assert_eq!(counts.stores_to(ikra_emulator::counts::CountedSpace::Global), 32);
    assert_eq!(counts.store_sectors, 4);
    // 7 of the prologue, setp, bra; 1 or 2; st, ret.
    assert_eq!(counts.thread_instructions(), 32 * 11 + 16 + 16 * 2);
}

#[test]
fn loops_end_for_each_lane_on_its_own() {
    // A loop with two exits: the sum of 0..tid, at most until it exceeds 100.
    let text = kernel(
        1,
        &format!(
            "{OWN}
        mov.b32 %r5, 0;
        mov.b32 %r6, 0;
    loop:
        setp.ge.u32 %p1, %r5, %r1;
        @%p1 bra done;
        add.s32 %r6, %r6, %r5;
        setp.gt.u32 %p2, %r6, 100;
        @%p2 bra big;
        add.s32 %r5, %r5, 1;
        bra.uni loop;
    big:
        add.s32 %r6, %r6, 1000;
    done:
        st.global.u32 [%rd2], %r6;
        ret;"
        ),
    );
    let values = run(&text, 1, 64, 64);
    for (tid, &value) in values.iter().enumerate() {
        let mut sum = 0;
        for n in 0..tid {
            sum += n;
            if sum > 100 {
                sum += 1000;
                break;
            }
        }
        assert_eq!(value as usize, sum);
    }
}

#[test]
fn some_lanes_return_early() {
    let text = kernel(
        1,
        &format!(
            "{OWN}
        setp.gt.u32 %p1, %r1, 40;
        @%p1 exit;
        and.b32 %r5, %r1, 3;
        setp.eq.b32 %p2, %r5, 3;
        @%p2 ret;
        bar.sync 0;
        st.global.u32 [%rd2], 7;
        ret;"
        ),
    );
    let values = run(&text, 1, 64, 64);
    for (tid, &value) in values.iter().enumerate() {
        assert_eq!(value, if tid <= 40 && tid % 4 != 3 { 7 } else { 0 });
    }
}

#[test]
fn tables_of_jumps_lead_to_their_entries() {
    let text = kernel(
        1,
        &format!(
            "{OWN}
        and.b32 %r5, %r1, 3;
        mov.b32 %r6, 9;
    table: .branchtargets a, b, c, b;
        brx.idx %r5, table;
    a:
        mov.b32 %r6, 100;
        bra.uni done;
    b:
        mov.b32 %r6, 200;
        bra.uni done;
    c:
        mov.b32 %r6, 300;
    done:
        st.global.u32 [%rd2], %r6;
        ret;"
        ),
    );
    let values = run(&text, 1, 32, 32);
    for (tid, &value) in values.iter().enumerate() {
        assert_eq!(value, [100, 200, 300, 200][tid % 4]);
    }
}

#[test]
fn an_index_out_of_its_table_is_a_fault() {
    let text = kernel(
        1,
        &format!(
            "{OWN}
    table: .branchtargets a, b;
        brx.idx %r1, table;
    a:
        ret;
    b:
        ret;"
        ),
    );
    let fault = fault(&text, 1, 32, 32);
    assert_eq!(fault.kind, FaultKind::IllegalInstruction);
    assert!(fault.detail.contains("of a table of 2 jumps"), "{fault}");
}

const FACTORIAL: &str = "
.func (.param .b32 result) factorial(.param .b32 n)
{
    .reg .pred %p<3>;
    .reg .b32 %r<8>;
    ld.param.b32 %r1, [n];
    setp.le.u32 %p1, %r1, 1;
    @%p1 bra one;
    add.s32 %r2, %r1, -1;
    {
        .param .b32 param0;
        st.param.b32 [param0], %r2;
        .param .b32 retval0;
        call.uni (retval0), factorial, (param0);
        ld.param.b32 %r3, [retval0];
    }
    mul.lo.s32 %r4, %r3, %r1;
    st.param.b32 [result], %r4;
    ret;
one:
    st.param.b32 [result], 1;
    ret;
}
";

#[test]
fn functions_call_themselves_as_deep_as_each_lane_needs() {
    let text = format!(
        "{FACTORIAL}{}",
        kernel(
            1,
            &format!(
                "{OWN}
        and.b32 %r5, %r1, 7;
        {{
        .param .b32 param0;
        st.param.b32 [param0], %r5;
        .param .b32 retval0;
        call.uni (retval0), factorial, (param0);
        ld.param.b32 %r6, [retval0];
        }}
        st.global.u32 [%rd2], %r6;
        ret;"
            )
        )
    );
    let values = run(&text, 1, 64, 64);
    for (tid, &value) in values.iter().enumerate() {
        assert_eq!(value, (1..=tid as u32 % 8).product::<u32>());
    }
}

#[test]
fn a_recursion_without_end_overflows_the_stack() {
    let text = format!(
        "
.func endless(.param .b32 n)
{{
    .local .align 8 .b8 depot[64];
    .reg .b32 %r<4>;
    ld.param.b32 %r1, [n];
    add.s32 %r2, %r1, 1;
    {{
        .param .b32 param0;
        st.param.b32 [param0], %r2;
        call.uni endless, (param0);
    }}
    ret;
}}
{}",
        kernel(
            1,
            &format!(
                "{OWN}
        {{
        .param .b32 param0;
        st.param.b32 [param0], %r1;
        call.uni endless, (param0);
        }}
        ret;"
            )
        )
    );
    let fault = fault(&text, 1, 32, 32);
    assert_eq!(fault.kind, FaultKind::StackOverflow);
    assert_eq!(fault.function.as_deref(), Some("endless"));
    assert!(fault.detail.contains("the stack has 4"), "{fault}");
}

const INDIRECT: &str = "
.func (.param .b32 result) twice(.param .b32 n)
{
    .reg .b32 %r<4>;
    ld.param.b32 %r1, [n];
    add.s32 %r2, %r1, %r1;
    st.param.b32 [result], %r2;
    ret;
}
.func (.param .b32 result) square(.param .b32 n)
{
    .reg .b32 %r<4>;
    ld.param.b32 %r1, [n];
    mul.lo.s32 %r2, %r1, %r1;
    st.param.b32 [result], %r2;
    ret;
}
.global .align 8 .u64 functions[2] = {twice, square};
";

#[test]
fn calls_by_address_go_where_each_lane_points() {
    let text = format!(
        "{INDIRECT}{}",
        kernel(
            1,
            &format!(
                "{OWN}
        and.b32 %r5, %r1, 1;
        mul.wide.u32 %rd5, %r5, 8;
        mov.b64 %rd6, functions;
        add.s64 %rd7, %rd6, %rd5;
        ld.global.b64 %rd8, [%rd7];
        {{
        .param .b32 param0;
        st.param.b32 [param0], %r1;
        .param .b32 retval0;
        prototype_0 : .callprototype (.param .b32 _) _ (.param .b32 _);
        call (retval0), %rd8, (param0), prototype_0;
        ld.param.b32 %r6, [retval0];
        }}
        st.global.u32 [%rd2], %r6;
        ret;"
            )
        )
    );
    let values = run(&text, 1, 32, 32);
    for (tid, &value) in values.iter().enumerate() {
        let tid = tid as u32;
        assert_eq!(value, if tid.is_multiple_of(2) { tid * 2 } else { tid * tid });
    }
}

#[test]
fn calls_of_what_is_no_function_are_faults() {
    let text = format!(
        "{INDIRECT}{}",
        kernel(
            1,
            &format!(
                "{OWN}
        {{
        .param .b32 param0;
        st.param.b32 [param0], %r1;
        prototype_0 : .callprototype () _ (.param .b32 _);
        call %rd2, (param0), prototype_0;
        }}
        ret;"
            )
        )
    );
    assert_eq!(fault(&text, 1, 32, 32).kind, FaultKind::IllegalInstruction);
    let text = format!(
        "{INDIRECT}{}",
        kernel(
            1,
            &format!(
                "{OWN}
        mov.b64 %rd8, twice;
        {{
        .param .b64 param0;
        st.param.b64 [param0], %rd1;
        prototype_0 : .callprototype () _ (.param .b64 _);
        call %rd8, (param0), prototype_0;
        }}
        ret;"
            )
        )
    );
    let fault = fault(&text, 1, 32, 32);
    assert_eq!(fault.kind, FaultKind::IllegalInstruction);
    assert!(fault.detail.contains("twice"), "{fault}");
}

#[test]
fn locks_between_lanes_of_a_warp_do_not_hang() {
    // Each thread takes the lock, adds one without atomics, and gives it back.
    let text = kernel(
        1,
        "
        ld.param.u64 %rd1, [p0];
    take:
        atom.acquire.gpu.global.cas.b32 %r1, [%rd1], 0, 1;
        setp.ne.b32 %p1, %r1, 0;
        @%p1 bra take;
        ld.relaxed.gpu.global.u32 %r2, [%rd1+4];
        add.s32 %r2, %r2, 1;
        st.relaxed.gpu.global.u32 [%rd1+4], %r2;
        atom.release.gpu.global.exch.b32 %r3, [%rd1], 0;
        ret;",
    );
    assert_eq!(run(&text, 2, 64, 2), [0, 128]);
}

#[test]
fn blocks_that_wait_for_another_one_do_not_hang() {
    // Block 0 waits until the last one has written.
    let text = kernel(
        1,
        "
        ld.param.u64 %rd1, [p0];
        mov.u32 %r1, %ctaid.x;
        setp.eq.u32 %p1, %r1, 7;
        @%p1 bra last;
        setp.ne.u32 %p2, %r1, 0;
        @%p2 ret;
    wait:
        ld.acquire.gpu.global.u32 %r2, [%rd1];
        setp.eq.u32 %p3, %r2, 0;
        @%p3 bra wait;
        ld.global.u32 %r3, [%rd1+4];
        st.global.u32 [%rd1+8], %r3;
        ret;
    last:
        st.global.u32 [%rd1+4], 42;
        st.release.gpu.global.u32 [%rd1], 1;
        ret;",
    );
    assert_eq!(run(&text, 8, 1, 3), [1, 42, 42]);
}

#[test]
fn loops_without_end_are_found() {
    let fault = fault(&kernel(1, "again: bra.uni again;"), 1, 32, 1);
    assert_eq!(fault.kind, FaultKind::Timeout);
    assert!(fault.ptx_line.is_some());
}

#[test]
fn what_is_not_supported_is_refused_by_its_line() {
    let text =
        format!(".version 8.0\n.target sm_80\n.address_size 64\n{}", kernel(1, "mul.rn.f16 %h1, %h2, %h3;\nret;"));
    let error = ikra_emulator::machine::Program::load(&text).unwrap_err();
    assert_eq!(text.lines().nth(error.line as usize - 1), Some("mul.rn.f16 %h1, %h2, %h3;"));
    assert!(error.message.contains("mul.rn.f16"), "{error}");
}
