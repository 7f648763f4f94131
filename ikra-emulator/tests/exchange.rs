//! Barriers, shared memory, shuffles, votes, atomics.

#![allow(clippy::result_large_err, reason = "a fault ends a launch: its size costs nothing")]

mod common;

use common::{Bench, OWN, fault, kernel, run};
use ikra_emulator::machine::{FaultKind, Options};

#[test]
fn a_block_sums_up_in_shared_memory() {
    let text = format!(
        ".shared .align 4 .b8 sums[1024];\n{}",
        kernel(
            1,
            &format!(
                "{OWN}
        mov.u32 %r10, sums;
        shl.b32 %r11, %r1, 2;
        add.s32 %r12, %r10, %r11;
        st.shared.u32 [%r12], %r2;
        bar.sync 0;
        mov.b32 %r13, 64;
    loop:
        setp.ge.u32 %p1, %r1, %r13;
        @%p1 bra skip;
        shl.b32 %r14, %r13, 2;
        add.s32 %r15, %r12, %r14;
        ld.shared.u32 %r16, [%r15];
        ld.shared.u32 %r17, [%r12];
        add.s32 %r18, %r16, %r17;
        st.shared.u32 [%r12], %r18;
    skip:
        barrier.sync 0;
        shr.u32 %r13, %r13, 1;
        setp.ne.u32 %p2, %r13, 0;
        @%p2 bra loop;
        ld.shared.u32 %r19, [sums];
        st.global.u32 [%rd2], %r19;
        ret;"
            )
        )
    );
    let values = run(&text, 3, 128, 384);
    for block in 0..3 {
        let sum = (0..128).map(|n| block * 128 + n).sum::<u32>();
        assert!(values[block as usize * 128..][..128].iter().all(|&value| value == sum));
    }
}

#[test]
fn dynamic_shared_memory_is_as_large_as_the_launch_says() {
    let text = format!(
        ".extern .shared .align 16 .b8 dynamic[];\n{}",
        kernel(
            1,
            &format!(
                "{OWN}
        mov.u32 %r10, dynamic;
        shl.b32 %r11, %r1, 2;
        add.s32 %r12, %r10, %r11;
        st.shared.u32 [%r12], %r1;
        mov.b64 %rd5, dynamic;
        cvta.shared.u64 %rd6, %rd5;
        cvt.u64.u32 %rd7, %r11;
        add.s64 %rd8, %rd6, %rd7;
        ld.u32 %r13, [%rd8];
        isspacep.shared %p1, %rd8;
        selp.b32 %r14, 1000, 0, %p1;
        add.s32 %r13, %r13, %r14;
        st.global.u32 [%rd2], %r13;
        ret;"
            )
        )
    );
    let bench = Bench::new(&text, Options::default());
    let address = bench.values(&[0; 64]);
    bench.launch_with(1, 64, &[address], 256, 0).unwrap();
    assert_eq!(bench.read(address, 64), (1000..1064).collect::<Vec<_>>());
    let fault = bench.launch_with(1, 64, &[address], 252, 0).unwrap_err();
    assert_eq!(fault.kind, FaultKind::OutOfBounds);
    assert!(fault.detail.contains("0 past the end of the block's shared memory of 252 bytes"), "{fault}");
    assert_eq!(bench.launch_with(1, 64, &[address], 1 << 20, 0).unwrap_err().kind, FaultKind::InvalidLaunch);
}

#[test]
fn shuffles_reduce_a_warp() {
    let text = kernel(
        1,
        &format!(
            "{OWN}
        mov.b32 %r10, %r2;
        shfl.sync.bfly.b32 %r11, %r10, 16, 31, -1;
        add.s32 %r10, %r10, %r11;
        shfl.sync.bfly.b32 %r11, %r10, 8, 31, -1;
        add.s32 %r10, %r10, %r11;
        shfl.sync.bfly.b32 %r11, %r10, 4, 31, -1;
        add.s32 %r10, %r10, %r11;
        shfl.sync.bfly.b32 %r11, %r10, 2, 31, -1;
        add.s32 %r10, %r10, %r11;
        shfl.sync.bfly.b32 %r11, %r10, 1, 31, -1;
        add.s32 %r10, %r10, %r11;
        shfl.sync.up.b32 %r12|%p1, %r1, 1, 0, -1;
        selp.b32 %r13, %r12, 500, %p1;
        mad.lo.s32 %r14, %r10, 1000, %r13;
        st.global.u32 [%rd2], %r14;
        ret;"
        ),
    );
    let values = run(&text, 1, 64, 64);
    for (tid, &value) in values.iter().enumerate() {
        let warp = tid / 32;
        let sum = (warp * 32..warp * 32 + 32).sum::<usize>();
        let before = if tid % 32 == 0 { 500 } else { tid - 1 };
        assert_eq!(value as usize, sum * 1000 + before);
    }
}

#[test]
fn lanes_meet_at_exchanges_from_both_sides_of_a_branch() {
    // Each side has a shuffle of its own with the full mask, as independent threads may.
    let text = kernel(
        1,
        &format!(
            "{OWN}
        setp.lt.u32 %p1, %r1, 16;
        @%p1 bra low;
        shfl.sync.idx.b32 %r10, %r1, 3, 31, -1;
        bra.uni join;
    low:
        shfl.sync.idx.b32 %r10, %r1, 20, 31, -1;
        add.s32 %r10, %r10, 100;
    join:
        st.global.u32 [%rd2], %r10;
        ret;"
        ),
    );
    let values = run(&text, 1, 32, 32);
    assert!(values[..16].iter().all(|&value| value == 120));
    assert!(values[16..].iter().all(|&value| value == 3));
}

#[test]
fn votes_matches_and_reductions() {
    let text = kernel(
        1,
        &format!(
            "{OWN}
        setp.lt.u32 %p1, %r1, 5;
        vote.sync.ballot.b32 %r10, %p1, -1;
        vote.sync.any.pred %p2, %p1, -1;
        vote.sync.all.pred %p3, %p1, -1;
        selp.b32 %r11, 100, 0, %p2;
        selp.b32 %r12, 1000, 0, %p3;
        add.s32 %r10, %r10, %r11;
        add.s32 %r10, %r10, %r12;
        and.b32 %r13, %r1, 7;
        match.any.sync.b32 %r14, %r13, -1;
        popc.b32 %r15, %r14;
        mad.lo.s32 %r10, %r15, 10000, %r10;
        redux.sync.add.u32 %r16, %r1, -1;
        mad.lo.s32 %r10, %r16, 1000000, %r10;
        st.global.u32 [%rd2], %r10;
        ret;"
        ),
    );
    assert!(run(&text, 1, 32, 32).iter().all(|&value| value == 31 + 100 + 4 * 10000 + 496 * 1_000_000));
}

#[test]
fn atomics_of_all_blocks_add_up() {
    let text = kernel(
        1,
        "
        ld.param.u64 %rd1, [p0];
        mov.u32 %r1, %tid.x;
        atom.relaxed.gpu.global.add.u32 %r2, [%rd1], 1;
        red.relaxed.gpu.global.max.u32 [%rd1+4], %r1;
        mov.b64 %rd5, 1;
        atom.global.add.u64 %rd4, [%rd1+8], %rd5;
        mov.b32 %f1, 0f3F000000;
        red.global.add.f32 [%rd1+16], %f1;
        atom.global.or.b32 %r5, [%rd1+20], %r1;
        atom.global.inc.u32 %r6, [%rd1+24], 9;
    again:
        ld.relaxed.gpu.global.u32 %r7, [%rd1+28];
        add.s32 %r8, %r7, 2;
        atom.relaxed.gpu.global.cas.b32 %r9, [%rd1+28], %r7, %r8;
        setp.ne.u32 %p1, %r9, %r7;
        @%p1 bra again;
        ret;",
    );
    let values = run(&text, 10, 96, 8);
    assert_eq!(values, [960, 95, 960, 0, 480f32.to_bits(), 127, 0, 1920]);
}

#[test]
fn seeds_change_the_order_of_unordered_results() {
    let text = kernel(
        1,
        &format!(
            "{OWN}
        atom.relaxed.gpu.global.add.u32 %r10, [%rd1], 1;
        mul.wide.u32 %rd5, %r10, 4;
        add.s64 %rd6, %rd1, %rd5;
        st.global.u32 [%rd6+4], %r2;
        ret;"
        ),
    );
    let order = |seed| {
        let bench = Bench::new(&text, Options { seed, ..Options::default() });
        let address = bench.values(&[0; 257]);
        bench.launch(4, 64, &[address]).unwrap();
        bench.read(address, 257)
    };
    assert_eq!(order(1), order(1));
    assert_ne!(order(1), order(2));
    // Within a warp, too.
    assert!(!order(1)[1..].is_sorted());
    let mut sorted = order(3)[1..].to_vec();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..256).collect::<Vec<_>>());
}

#[test]
fn barriers_count_and_reduce() {
    let text = kernel(
        1,
        &format!(
            "{OWN}
        setp.lt.u32 %p1, %r1, 10;
        bar.red.popc.u32 %r10, 0, %p1;
        bar.red.or.pred %p2, 0, %p1;
        bar.red.and.pred %p3, 1, 64, %p1;
        selp.b32 %r11, 100, 0, %p2;
        selp.b32 %r12, 1000, 0, %p3;
        add.s32 %r10, %r10, %r11;
        add.s32 %r10, %r10, %r12;
        st.global.u32 [%rd2], %r10;
        ret;"
        ),
    );
    assert!(run(&text, 2, 64, 128).iter().all(|&value| value == 110));
}

#[test]
fn some_warps_meet_at_a_barrier_of_their_own() {
    // Warp 0 arrives, warp 1 waits for it; warp 2 does neither.
    let text = format!(
        ".shared .align 4 .b8 place[4];\n{}",
        kernel(
            1,
            &format!(
                "{OWN}
        setp.eq.u32 %p1, %r1, 0;
        @%p1 st.shared.u32 [place], 77;
        setp.lt.u32 %p2, %r1, 32;
        @%p2 bar.arrive 3, 64;
        @%p2 ret;
        setp.ge.u32 %p3, %r1, 64;
        @%p3 ret;
        bar.sync 3, 64;
        ld.shared.u32 %r10, [place];
        st.global.u32 [%rd2], %r10;
        ret;"
            )
        )
    );
    let values = run(&text, 1, 96, 96);
    assert!(values[32..64].iter().all(|&value| value == 77));
}

#[test]
fn barriers_in_divergent_code_are_findings() {
    let text = kernel(
        1,
        &format!(
            "{OWN}
        setp.lt.u32 %p1, %r1, 16;
        @%p1 bra low;
        bar.sync 0;
        ret;
    low:
        bar.sync 0;
        ret;"
        ),
    );
    let found = fault(&text, 1, 32, 32);
    assert_eq!(found.kind, FaultKind::BarrierDivergence);
    assert!(found.detail.contains("came to it apart from lanes"), "{found}");
    // The unaligned barrier is for that.
    run(&text.replace("bar.sync", "barrier.sync"), 1, 32, 32);
}

#[test]
fn threads_that_wait_for_each_other_are_found() {
    let text = kernel(
        1,
        &format!(
            "{OWN}
        setp.lt.u32 %p1, %r1, 32;
        @%p1 bra low;
        bar.sync 1;
        ret;
    low:
        bar.sync 2;
        ret;"
        ),
    );
    let found = fault(&text, 1, 64, 64);
    assert_eq!(found.kind, FaultKind::Deadlock);
    assert!(found.detail.contains("of warp 0 are at a barrier in line"), "{found}");
    assert!(found.detail.contains("of warp 1 are at a barrier in line"), "{found}");
}
