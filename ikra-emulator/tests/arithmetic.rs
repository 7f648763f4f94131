//! Instructions as programs write them: operands, types and modifiers reach the right arithmetic.

#![allow(clippy::result_large_err, reason = "a fault ends a launch: its size costs nothing")]

mod common;

use common::{Bench, kernel};
use ikra_emulator::machine::Options;

/// The value of `%r1` after these instructions; all registers are 0 before.
fn value(instructions: &str) -> u32 {
    let text = kernel(1, &format!("ld.param.u64 %rd1, [p0];\n{instructions}\nst.global.u32 [%rd1], %r1;\nret;"));
    let bench = Bench::new(&text, Options::default());
    let address = bench.values(&[0]);
    bench.launch(1, 32, &[address]).expect_err("32 threads write one place");
    bench.launch(1, 1, &[address]).unwrap_or_else(|fault| panic!("{instructions}: {fault}"));
    bench.read(address, 1)[0]
}

fn float(instructions: &str) -> f32 {
    f32::from_bits(value(&format!("{instructions}\nmov.b32 %r1, %f1;")))
}

#[test]
fn integers() {
    assert_eq!(value("mov.b32 %r2, -7;\nmul.hi.s32 %r1, %r2, 3;"), u32::MAX);
    assert_eq!(value("mov.b32 %r2, -7;\nmul.hi.u32 %r1, %r2, 3;"), 2);
    assert_eq!(
        value("mov.b32 %r2, -7;\nmul.wide.s32 %rd2, %r2, 3;\nshr.s64 %rd3, %rd2, 2;\ncvt.u32.u64 %r1, %rd3;"),
        -6i32 as u32
    );
    assert_eq!(
        value("mov.b32 %r2, 5;\nmov.b64 %rd3, 100;\nmad.wide.u32 %rd2, %r2, 3, %rd3;\ncvt.u32.u64 %r1, %rd2;"),
        115
    );
    assert_eq!(value("mov.b32 %r2, 100;\ndiv.s32 %r3, %r2, -7;\nrem.s32 %r4, %r2, -7;\nsub.s32 %r1, %r4, %r3;"), 16);
    assert_eq!(value("mov.b32 %r2, 2147483647;\nadd.sat.s32 %r1, %r2, 5;"), i32::MAX as u32);
    assert_eq!(value("mov.b32 %r2, 9;\nsad.u32 %r1, %r2, 12, 100;"), 103);
    assert_eq!(value("mov.b32 %r2, -5;\nabs.s32 %r3, %r2;\nneg.s32 %r4, %r3;\nsub.s32 %r1, %r3, %r4;"), 10);
    assert_eq!(value("mov.b16 %h1, -1;\nshr.u16 %h2, %h1, 4;\ncvt.u32.u16 %r1, %h2;"), 0xfff);
    assert_eq!(value("mov.b32 %r2, -16;\nshr.s32 %r1, %r2, 2;"), -4i32 as u32);
    assert_eq!(value("mov.b32 %r2, 255;\ncvt.s16.s8 %h1, %r2;\ncvt.s32.s16 %r1, %h1;"), u32::MAX);
    assert_eq!(value("mov.b32 %r2, 0xffffffff;\nadd.cc.u32 %r3, %r2, 1;\naddc.u32 %r1, %r3, 40;"), 41);
    assert_eq!(value("mov.b32 %r2, 1;\nsub.cc.u32 %r3, %r2, 2;\nsubc.u32 %r1, 10, 3;"), 6);
}

#[test]
fn bits() {
    assert_eq!(value("mov.b32 %r2, 0xabcd1234;\nbfe.u32 %r1, %r2, 8, 8;"), 0x12);
    assert_eq!(value("mov.b32 %r2, 0xabcd1234;\nbfe.s32 %r1, %r2, 24, 8;"), 0xffff_ffab);
    assert_eq!(value("mov.b32 %r2, 0xf;\nmov.b32 %r3, 0xabcd1234;\nbfi.b32 %r1, %r2, %r3, 8, 4;"), 0xabcd_1f34);
    assert_eq!(
        value("mov.b32 %r2, 0x33221100;\nmov.b32 %r3, 0x77665544;\nprmt.b32 %r1, %r2, %r3, 0x7531;"),
        0x7755_3311
    );
    assert_eq!(value("mov.b32 %r2, 1;\nmov.b32 %r3, 0x80000000;\nshf.l.wrap.b32 %r1, %r3, %r2, 1;"), 3);
    assert_eq!(value("mov.b32 %r2, 12;\nmov.b32 %r3, 10;\nlop3.b32 %r1, %r2, %r3, 1, 0x96;"), 12 ^ 10 ^ 1);
    assert_eq!(
        value(
            "mov.b32 %r2, 0xf0;\npopc.b32 %r3, %r2;\nclz.b32 %r4, %r2;\nbfind.u32 %r5, %r2;\nmad.lo.u32 %r1, %r3, 1000, %r4;\nmad.lo.u32 %r1, %r1, 100, %r5;"
        ),
        402_407
    );
    assert_eq!(value("mov.b32 %r2, 1;\nbrev.b32 %r1, %r2;"), 1 << 31);
    assert_eq!(value("mov.b64 %rd2, 0x1122334455667788;\nmov.b64 {%r2, %r1}, %rd2;"), 0x1122_3344);
    assert_eq!(
        value(
            "mov.b32 %r2, 1;\nmov.b32 %r3, 2;\nmov.b64 %rd2, {%r2, %r3};\nshr.u64 %rd3, %rd2, 32;\ncvt.u32.u64 %r1, %rd3;"
        ),
        2
    );
    assert_eq!(value("mov.b32 %r2, 0x01020304;\nmov.b32 %r3, 0x01010101;\ndp4a.u32.u32 %r1, %r2, %r3, 5;"), 15);
}

#[test]
fn predicates() {
    assert_eq!(
        value(
            "mov.b32 %r2, -1;\nsetp.lt.s32 %p1, %r2, 0;\nsetp.lt.u32 %p2, %r2, 0;\nselp.b32 %r3, 1, 0, %p1;\nselp.b32 %r4, 2, 0, %p2;\nadd.s32 %r1, %r3, %r4;"
        ),
        1
    );
    assert_eq!(
        value(
            "setp.eq.s32 %p1|%p2, %r2, 1;\nselp.b32 %r3, 1, 0, %p1;\nselp.b32 %r4, 2, 0, %p2;\nadd.s32 %r1, %r3, %r4;"
        ),
        2
    );
    assert_eq!(
        value(
            "mov.pred %p1, -1;\nnot.pred %p2, %p1;\nxor.pred %p3, %p1, %p2;\nsetp.eq.and.s32 %p4, %r2, 0, !%p2;\nand.pred %p5, %p3, %p4;\n@%p5 mov.b32 %r1, 7;"
        ),
        7
    );
    assert_eq!(
        value(
            "mov.b32 %f1, 0f7FC00000;\nsetp.lt.f32 %p1, %f1, 0f00000000;\nsetp.ltu.f32 %p2, %f1, 0f00000000;\nsetp.nan.f32 %p3, %f1, %f1;\nselp.b32 %r2, 1, 0, %p1;\nselp.b32 %r3, 2, 0, %p2;\nselp.b32 %r4, 4, 0, %p3;\nadd.s32 %r1, %r2, %r3;\nadd.s32 %r1, %r1, %r4;"
        ),
        6
    );
    assert_eq!(value("set.gt.u32.s32 %r1, 3, 2;"), u32::MAX);
}

#[test]
fn floats() {
    assert_eq!(float("mov.b32 %f2, 0f3F800000;\nmov.b32 %f3, 0f40400000;\ndiv.rn.f32 %f1, %f2, %f3;"), 1.0 / 3.0);
    assert_eq!(float("mov.b32 %f2, 0f3F800000;\nmov.b32 %f3, 0f40400000;\ndiv.rp.f32 %f1, %f2, %f3;"), 1.0 / 3.0);
    assert_eq!(
        float("mov.b32 %f2, 0f3F800000;\nmov.b32 %f3, 0f40400000;\ndiv.rz.f32 %f1, %f2, %f3;"),
        (1.0f32 / 3.0).next_down()
    );
    assert_eq!(float("mov.b32 %f2, 0f3F800000;\nsub.f32 %f1, %f2, 0f40400000;"), -2.0);
    assert_eq!(float("mov.b32 %f2, 0f40400000;\nfma.rn.sat.f32 %f1, %f2, %f2, %f2;"), 1.0);
    assert_eq!(float("mov.b32 %f2, 0f40800000;\nsqrt.rn.f32 %f3, %f2;\nrcp.rn.f32 %f1, %f3;"), 0.5);
    assert_eq!(float("mov.b32 %f2, 0f40800000;\nmov.b32 %f3, 0f80000000;\ncopysign.f32 %f1, %f3, %f2;"), -4.0);
    assert_eq!(float("mov.b32 %f2, 0f00000001;\nadd.ftz.f32 %f1, %f2, %f2;").to_bits(), 0);
    assert_eq!(float("mov.b64 %d1, 0d3FB999999999999A;\ncvt.rn.f32.f64 %f1, %d1;"), 0.1);
    assert_eq!(float("mov.b64 %d1, 0d3FB999999999999A;\ncvt.rm.f32.f64 %f1, %d1;"), 0.1f32.next_down());
    assert_eq!(float("mov.b32 %f2, 0f3FC00000;\ncvt.rn.f16.f32 %h1, %f2;\ncvt.f32.f16 %f1, %h1;"), 1.5);
    assert_eq!(float("mov.b32 %f2, 0f3FC00000;\ncvt.rpi.f32.f32 %f1, %f2;"), 2.0);
    assert_eq!(value("mov.b32 %f2, 0fC0200000;\ncvt.rzi.s32.f32 %r1, %f2;"), -2i32 as u32);
    assert_eq!(value("mov.b32 %f2, 0f7F800000;\ncvt.rzi.u32.f32 %r1, %f2;"), u32::MAX);
    assert_eq!(
        value(
            "mov.b32 %r2, -3;\ncvt.rn.f64.s32 %d1, %r2;\nneg.f64 %d2, %d1;\nmax.f64 %d3, %d1, %d2;\ncvt.rni.u32.f64 %r1, %d3;"
        ),
        3
    );
}
