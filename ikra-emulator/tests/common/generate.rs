//! Random programs with loops over tables, branches, guards, switches, barriers and exchanges.

#![allow(dead_code, reason = "not every test uses all of it")]

use std::fmt::Write as _;

/// Numbers from a seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xd1b5_4a32_d192_ed03)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    pub fn once_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }
}

/// Bytes of the table, and of the data.
pub const TABLE: usize = 128;
/// Words that each thread writes.
pub const WORDS: u32 = 16;

/// Writes a program.
pub struct Writer {
    pub random: Random,
    text: String,
    labels: u32,
    tables: u32,
    loops: u32,
    /// Statements that may still be written.
    left: u32,
}

/// Whether all threads of a block execute a statement together.
#[derive(Clone, Copy, PartialEq)]
enum Together {
    Yes,
    No,
}

impl Writer {
    pub fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), text: String::new(), labels: 0, tables: 0, loops: 0, left: 30 }
    }

    fn line(&mut self, text: impl AsRef<str>) {
        let _ = writeln!(self.text, "    {}", text.as_ref());
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("L{}", self.labels)
    }

    fn r(&mut self) -> String {
        format!("%r{}", self.random.below(8))
    }

    fn rd(&mut self) -> String {
        format!("%rd{}", self.random.below(4))
    }

    fn f(&mut self) -> String {
        format!("%f{}", self.random.below(4))
    }

    fn d(&mut self) -> String {
        format!("%d{}", self.random.below(3))
    }

    fn h(&mut self) -> String {
        format!("%h{}", self.random.below(3))
    }

    fn p(&mut self) -> String {
        format!("%p{}", self.random.below(4))
    }

    /// A register or a number.
    fn operand(&mut self) -> String {
        if self.random.once_in(3) {
            let number = [0, 1, -1, 2, 7, 31, 255, 65535][self.random.below(8) as usize];
            return number.to_string();
        }
        self.r()
    }

    fn guard(&mut self) -> String {
        if self.random.once_in(5) {
            let not = if self.random.once_in(2) { "!" } else { "" };
            return format!("@{not}{} ", self.p());
        }
        String::new()
    }

    fn arithmetic(&mut self) {
        let guard = self.guard();
        let line = match self.random.below(14) {
            0 | 1 => {
                let op = self.random.pick(&[
                    "add.s32",
                    "sub.s32",
                    "mul.lo.s32",
                    "and.b32",
                    "or.b32",
                    "xor.b32",
                    "min.s32",
                    "max.u32",
                    "mul.hi.u32",
                    "mul.hi.s32",
                    "div.u32",
                    "rem.s32",
                    "shl.b32",
                    "shr.u32",
                    "shr.s32",
                    "add.sat.s32",
                    "sub.u32",
                ]);
                format!("{op} {}, {}, {};", self.r(), self.r(), self.operand())
            }
            2 => {
                let op = self.random.pick(&["mad.lo.s32", "mad.hi.u32", "sad.u32", "bfe.u32", "bfe.s32", "prmt.b32"]);
                if op.starts_with("bfe") {
                    // Constants there must be small.
                    format!("{op} {}, {}, {}, {};", self.r(), self.r(), self.r(), self.r())
                } else {
                    format!("{op} {}, {}, {}, {};", self.r(), self.r(), self.operand(), self.operand())
                }
            }
            3 => {
                let op = self.random.pick(&[
                    "not.b32",
                    "neg.s32",
                    "abs.s32",
                    "popc.b32",
                    "clz.b32",
                    "brev.b32",
                    "bfind.u32",
                ]);
                format!("{op} {}, {};", self.r(), self.r())
            }
            4 => {
                let op = self.random.pick(&["mul.wide.u32", "mul.wide.s32"]);
                format!("{op} {}, {}, {};", self.rd(), self.r(), self.operand())
            }
            5 => {
                let op =
                    self.random.pick(&["add.s64", "sub.s64", "mul.lo.s64", "and.b64", "xor.b64", "min.s64", "max.u64"]);
                format!("{op} {}, {}, {};", self.rd(), self.rd(), self.rd())
            }
            6 => {
                let op = self.random.pick(&[
                    "add.rn.f32",
                    "sub.f32",
                    "mul.rn.f32",
                    "div.rn.f32",
                    "min.f32",
                    "max.f32",
                    "add.rz.f32",
                    "mul.ftz.f32",
                    "add.sat.f32",
                    "copysign.f32",
                ]);
                format!("{op} {}, {}, {};", self.f(), self.f(), self.f())
            }
            7 => {
                let op = self.random.pick(&["fma.rn.f32", "fma.rm.f32", "fma.rn.ftz.f32"]);
                format!("{op} {}, {}, {}, 0f3FC00000;", self.f(), self.f(), self.f())
            }
            8 => {
                let op = self.random.pick(&["add.rn.f64", "mul.rn.f64", "sub.f64", "div.rn.f64", "max.f64"]);
                format!("{op} {}, {}, {};", self.d(), self.d(), self.d())
            }
            9 => match self.random.below(9) {
                0 => format!("cvt.rn.f32.u32 {}, {};", self.f(), self.r()),
                1 => format!("cvt.rzi.s32.f32 {}, {};", self.r(), self.f()),
                2 => format!("cvt.f64.f32 {}, {};", self.d(), self.f()),
                3 => format!("cvt.rn.f32.f64 {}, {};", self.f(), self.d()),
                4 => format!("cvt.u64.u32 {}, {};", self.rd(), self.r()),
                5 => format!("cvt.u32.u64 {}, {};", self.r(), self.rd()),
                6 => format!("cvt.u16.u32 {}, {};", self.h(), self.r()),
                7 => format!("cvt.s32.s16 {}, {};", self.r(), self.h()),
                _ => format!("cvt.rn.f16.f32 {}, {};", self.h(), self.f()),
            },
            10 => match self.random.below(4) {
                0 => format!("mov.b64 {}, {{{}, {}}};", self.rd(), self.r(), self.r()),
                1 => {
                    let (a, b) = (self.random.below(8), 1 + self.random.below(7));
                    format!("mov.b64 {{%r{a}, %r{}}}, {};", (a + b) % 8, self.rd())
                }
                2 => format!("mov.b32 {}, {};", self.r(), self.f()),
                _ => format!("mov.u32 {}, {};", self.r(), self.random.below(100)),
            },
            11 => format!("selp.b32 {}, {}, {}, {};", self.r(), self.r(), self.operand(), self.p()),
            12 => {
                match self.random.pick(&["add.s16", "mul.lo.s16", "and.b16", "max.s16", "mad.wide.s16", "mad.wide.u16"])
                {
                    op if op.starts_with("mad") => {
                        format!("{op} {}, {}, {}, {};", self.r(), self.h(), self.h(), self.operand())
                    }
                    op => format!("{op} {}, {}, {};", self.h(), self.h(), self.h()),
                }
            }
            _ => match self.random.below(3) {
                0 => format!("sqrt.rn.f32 {}, {};", self.f(), self.f()),
                1 => format!("ex2.approx.f32 {}, {};", self.f(), self.f()),
                _ => format!("neg.f32 {}, {};", self.f(), self.f()),
            },
        };
        self.line(guard + &line);
    }

    fn compare(&mut self) {
        let guard = self.guard();
        let op = self.random.pick(&["lt", "le", "gt", "ge", "eq", "ne"]);
        let line = match self.random.below(6) {
            0 => format!("setp.{op}.s32 {}, {}, {};", self.p(), self.r(), self.operand()),
            1 => format!("setp.{op}.u32 {}, {}, {};", self.p(), self.r(), self.operand()),
            2 => {
                let with = self.random.pick(&["and", "or", "xor"]);
                let (p, q) = (self.random.below(2), 2 + self.random.below(2));
                format!("setp.{op}.{with}.s32 %p{p}|%p{q}, {}, {}, {};", self.r(), self.operand(), self.p())
            }
            3 => format!("setp.{op}u.f32 {}, {}, {};", self.p(), self.f(), self.f()),
            4 => {
                let op = self.random.pick(&["and", "or", "xor"]);
                format!("{op}.pred {}, {}, {};", self.p(), self.p(), self.p())
            }
            _ => format!("not.pred {}, {};", self.p(), self.p()),
        };
        self.line(guard + &line);
    }

    /// The address of an element, at most 16 bytes, of the table or of the data, in `%rd9`.
    fn address(&mut self) {
        let base = if self.random.once_in(3) { "%rd7" } else { "%rd6" };
        if self.random.once_in(3) {
            let at = self.random.below(TABLE as u64 / 16) * 16;
            self.line(format!("add.s64 %rd9, {base}, {at};"));
            return;
        }
        let index = if self.loops > 0 && !self.random.once_in(3) {
            format!("%r{}", 10 + self.random.below(u64::from(self.loops)))
        } else {
            self.r()
        };
        self.line(format!("and.b32 %r9, {index}, {};", TABLE / 16 - 1));
        self.line("mul.wide.u32 %rd8, %r9, 16;");
        self.line(format!("add.s64 %rd9, {base}, %rd8;"));
    }

    fn load(&mut self) {
        self.address();
        let guard = self.guard();
        let line = match self.random.below(10) {
            0 => format!("ld.global.u8 {}, [%rd9+3];", self.r()),
            1 => format!("ld.global.s8 {}, [%rd9+5];", self.r()),
            2 => format!("ld.global.nc.u16 {}, [%rd9+6];", self.h()),
            3 => format!("ld.global.s16 {}, [%rd9+2];", self.r()),
            4 => format!("ld.u64 {}, [%rd9+8];", self.rd()),
            5 => format!("ld.global.f32 {}, [%rd9+4];", self.f()),
            6 => {
                let a = self.random.below(7);
                format!("ld.global.v2.u32 {{%r{a}, %r{}}}, [%rd9+8];", a + 1)
            }
            7 => {
                let a = self.random.below(5);
                format!("ld.global.v4.b32 {{%r{a}, _, %r{}, %r{}}}, [%rd9];", a + 1, a + 2)
            }
            8 => format!("ld.volatile.global.u32 {}, [%rd9];", self.r()),
            _ => format!("ld.global.u32 {}, [%rd9];", self.r()),
        };
        self.line(guard + &line);
    }

    fn store(&mut self) {
        let at = self.random.below(4) * 4;
        let guard = self.guard();
        let line = match self.random.below(4) {
            0 => format!("st.global.v2.u32 [%rd5+8], {{{}, {}}};", self.r(), self.r()),
            1 => format!("st.global.u8 [%rd5+{at}], {};", self.r()),
            2 => format!("red.global.add.u32 [%rd5+{at}], {};", self.r()),
            _ => format!("st.global.u32 [%rd5+{at}], {};", self.r()),
        };
        self.line(guard + &line);
    }

    fn branch(&mut self, depth: u32) {
        let (other, end) = (self.label(), self.label());
        let not = if self.random.once_in(2) { "!" } else { "" };
        let p = self.p();
        let both = self.random.once_in(2);
        self.line(format!("@{not}{p} bra {};", if both { &other } else { &end }));
        self.statements(depth + 1, Together::No);
        if both {
            self.line(format!("bra.uni {end};"));
            self.line(format!("{other}:"));
            self.statements(depth + 1, Together::No);
        }
        self.line(format!("{end}:"));
    }

    fn switch(&mut self, depth: u32) {
        self.tables += 1;
        let (table, end) = (format!("T{}", self.tables), self.label());
        let labels: Vec<String> = (0..4).map(|_| self.label()).collect();
        let r = self.r();
        self.line(format!("and.b32 %r9, {r}, 3;"));
        self.line(format!("{table}: .branchtargets {};", labels.join(", ")));
        self.line(format!("brx.idx %r9, {table};"));
        for label in labels {
            self.line(format!("{label}:"));
            self.statements(depth + 2, Together::No);
            self.line(format!("bra.uni {end};"));
        }
        self.line(format!("{end}:"));
    }

    fn repeat(&mut self, depth: u32, together: Together) {
        if self.loops == 3 {
            return;
        }
        let (head, end) = (self.label(), self.label());
        let (i, bound) = (format!("%r{}", 10 + self.loops), format!("%r{}", 14 + self.loops));
        let mut inside = together;
        match self.random.below(5) {
            0 => self.line(format!("mov.u32 {bound}, 3;")),
            1 => self.line(format!("and.b32 {bound}, %r20, 7;")),
            2 => {
                let at = self.random.below(TABLE as u64 / 4) * 4;
                self.line(format!("ld.global.u32 {bound}, [%rd6+{at}];"));
                self.line(format!("and.b32 {bound}, {bound}, 7;"));
            }
            _ => {
                let r = self.r();
                self.line(format!("and.b32 {bound}, {r}, 3;"));
                inside = Together::No;
            }
        }
        self.line(format!("mov.u32 {i}, 0;"));
        self.loops += 1;
        self.line(format!("{head}:"));
        let is_tested_first = self.random.once_in(2);
        if is_tested_first {
            self.line(format!("setp.ge.u32 %p5, {i}, {bound};"));
            self.line(format!("@%p5 bra {end};"));
        }
        let breaks = self.random.once_in(3);
        self.statements(depth + 1, if breaks { Together::No } else { inside });
        if breaks {
            let p = self.p();
            self.line(format!("@{p} bra {end};"));
        }
        self.statements(depth + 1, if breaks { Together::No } else { inside });
        self.line(format!("add.s32 {i}, {i}, 1;"));
        if is_tested_first {
            self.line(format!("bra.uni {head};"));
        } else {
            self.line(format!("setp.lt.u32 %p5, {i}, {bound};"));
            self.line(format!("@%p5 bra {head};"));
        }
        self.line(format!("{end}:"));
        self.loops -= 1;
    }

    fn meeting(&mut self) {
        match self.random.below(4) {
            0 => self.line("bar.sync 0;"),
            1 => {
                let (to, from) = (self.r(), self.r());
                self.line(format!("shfl.sync.bfly.b32 {to}, {from}, 1, 31, -1;"));
            }
            2 => {
                let (to, p) = (self.r(), self.p());
                self.line(format!("vote.sync.ballot.b32 {to}, {p}, -1;"));
            }
            _ => {
                let (to, p) = (self.r(), self.p());
                self.line(format!("bar.red.popc.u32 {to}, 0, {p};"));
            }
        }
    }

    fn statements(&mut self, depth: u32, together: Together) {
        for _ in 0..1 + self.random.below(4) {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            match self.random.below(if depth < 3 { 14 } else { 9 }) {
                0..4 => self.arithmetic(),
                4 | 5 => self.compare(),
                6 | 7 => self.load(),
                8 => self.store(),
                9 => self.branch(depth),
                10 => self.switch(depth),
                11 | 12 => self.repeat(depth, together),
                _ if together == Together::Yes => self.meeting(),
                _ => self.arithmetic(),
            }
        }
    }

    /// The program: a kernel `k` with the parameters result, table, data, number.
    pub fn program(mut self) -> String {
        for _ in 0..4 {
            self.statements(0, Together::Yes);
        }
        let body = std::mem::take(&mut self.text);
        let mut text = String::from(
            ".visible .entry k(\n.param .u64 result,\n.param .u64 table,\n.param .u64 data,\n.param .u32 number\n)\n{\n\
             .reg .pred %p<6>;\n.reg .b16 %h<3>;\n.reg .b32 %r<24>;\n.reg .b64 %rd<12>;\n.reg .f32 %f<4>;\n.reg .f64 %d<3>;\n\
             ld.param.u64 %rd5, [result];\nld.param.u64 %rd6, [table];\nld.param.u64 %rd7, [data];\nld.param.u32 %r20, [number];\n\
             cvta.to.global.u64 %rd6, %rd6;\nmov.u32 %r21, %tid.x;\n",
        );
        let _ = writeln!(text, "mad.wide.u32 %rd5, %r21, {}, %rd5;", WORDS * 4);
        for n in 0..8 {
            let line = match n % 4 {
                0 => format!("mov.u32 %r{n}, {};", self.random.below(50)),
                1 => format!("mov.u32 %r{n}, %r21;"),
                2 => format!("add.s32 %r{n}, %r20, {n};"),
                _ => format!("ld.global.u32 %r{n}, [%rd6+{}];", n * 4),
            };
            let _ = writeln!(text, "{line}");
        }
        for n in 0..4 {
            let _ = writeln!(text, "cvt.u64.u32 %rd{n}, %r{n};\ncvt.rn.f32.s32 %f{n}, %r{};", n + 1);
        }
        for n in 0..3 {
            let _ = writeln!(text, "cvt.rn.f64.s32 %d{n}, %r{n};\ncvt.u16.u32 %h{n}, %r{};", n + 2);
        }
        for n in 0..4 {
            let _ = writeln!(text, "setp.gt.s32 %p{n}, %r{}, {};", n * 2, n * 5);
        }
        text += &body;
        for n in 0..8 {
            let _ = writeln!(text, "st.global.u32 [%rd5+{}], %r{n};", 16 + n * 4);
        }
        text += "cvt.u32.u64 %r8, %rd0;\nmov.b32 %r9, %f0;\nxor.b32 %r8, %r8, %r9;\nmov.b32 %r9, %f1;\nxor.b32 %r8, %r8, %r9;\n\
                 st.global.u32 [%rd5+48], %r8;\ncvt.u32.u64 %r8, %rd1;\ncvt.u32.u16 %r9, %h0;\nxor.b32 %r8, %r8, %r9;\n\
                 st.global.u32 [%rd5+52], %r8;\nst.global.f64 [%rd5+56], %d0;\nret;\n}\n";
        text
    }
}
