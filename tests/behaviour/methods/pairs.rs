//! The fields to which kernels for pairs only add.

use ikra::prelude::*;
use ikra::{Effects, effects};

#[soa_class]
pub struct Star {
    pub a: f32,
    pub b: f32,
    pub v: [f32; 3],
    pub x: f32,
    #[inline_array(2)]
    pub list: InnerArray<f32>,
    #[atomic]
    pub met: u32,
}

macro_rules! add {
    ($sum:ident += $value:expr) => {
        $sum += $value
    };
}
macro_rules! of {
    ($star:expr) => {
        $star.x
    };
}
macro_rules! first {
    ($k:ident, $body:expr) => {{
        let $k = 0;
        $body
    }};
}

#[soa_methods]
impl Star {
    #[kernel(pairs)]
    pub fn plain(&mut self, other: Ref<Star>, factor: f32) {
        let d = other.x() - self.x;
        if d == 0.0 {
            return;
        }
        self.a += factor * d;
        if d > 1.0 {
            self.b -= d;
        }
        for k in 0..3 {
            if k == 1 {
                continue;
            }
            self.v[k] += d * k as f32;
        }
    }
    #[kernel(pairs)]
    pub fn numbered(&mut self, other: Ref<Star>) {
        self.v[0] += other.x();
        self.v[2] -= other.x();
        let fall = |x: f32| x * self.x;
        self.a += fall(2.0);
    }
    #[kernel(pairs)]
    pub fn by_method(&mut self, other: Ref<Star>) {
        self.pull(other.x(), self.far());
    }
    fn pull(&mut self, x: f32, y: f32) {
        self.a += x;
        for k in 0..3 {
            self.v[k] -= y;
        }
    }
    fn far(&self) -> f32 {
        self.x + self.link().index() as f32
    }
    #[kernel(pairs)]
    pub fn by_method_twice(&mut self, other: Ref<Star>) {
        self.pull(other.x(), 1.0);
        self.pull(other.x(), 2.0);
    }
    #[kernel(pairs)]
    pub fn twice(&mut self, other: Ref<Star>) {
        self.a += other.x();
        self.a += 1.0;
        self.b += 1.0;
    }
    #[kernel(pairs)]
    pub fn read(&mut self, other: Ref<Star>) {
        self.a += other.x() * self.b;
        self.b += self.v[0];
        self.v[0] += 1.0;
    }
    #[kernel(pairs)]
    pub fn read_in_a_method(&mut self, other: Ref<Star>) {
        self.a += other.b();
        self.x += self.far();
    }
    #[kernel(pairs)]
    pub fn stored(&mut self, other: Ref<Star>) {
        self.a = other.x() - self.a;
        self.b *= other.x();
        self.v[1] += 1.0;
        self.v = [0.0; 3];
    }
    #[kernel(pairs)]
    pub fn in_loops(&mut self, other: Ref<Star>) {
        for _ in 0..2 {
            self.a += other.x();
        }
        for k in [0, 0, 1] {
            self.v[k] += other.x();
        }
        let mut again = true;
        while again {
            self.b += 1.0;
            again = false;
        }
    }
    #[kernel(pairs)]
    pub fn in_two_loops(&mut self, other: Ref<Star>) {
        for k in 0..3 {
            self.v[k] += other.x();
        }
        for k in 0..3 {
            self.v[k] += other.x();
        }
        for _ in 0..2 {
            for k in 0..2 {
                self.v[k] += 1.0;
            }
        }
        self.a += 1.0;
    }
    #[kernel(pairs)]
    pub fn number_and_variable(&mut self, other: Ref<Star>) {
        for k in 0..3 {
            self.v[k] += other.x();
        }
        self.v[0] += 1.0;
        self.b += 1.0;
    }
    #[kernel(pairs)]
    pub fn other_variable(&mut self, other: Ref<Star>) {
        for k in 0..3 {
            let k = k / 2;
            self.v[k] += other.x();
        }
        self.b += 1.0;
    }
    #[kernel(pairs)]
    pub fn changed_variable(&mut self, other: Ref<Star>) {
        for mut k in 0..3 {
            k /= 2;
            self.v[k] += other.x();
        }
        self.b += 1.0;
    }
    #[kernel(pairs)]
    pub fn variable_of_a_macro(&mut self, other: Ref<Star>) {
        for k in 0..3 {
            let _ = k;
            first!(k, self.v[k] += other.x());
        }
    }
    #[kernel(pairs)]
    pub fn in_a_closure(&mut self, other: Ref<Star>) {
        let mut add = || self.a += other.x();
        add();
        add();
    }
    #[kernel(pairs, writes(a))]
    pub fn in_a_macro(&mut self, other: Ref<Star>) {
        let mut sum = 0.0;
        add!(sum += of!(self));
        self.a += sum * other.x();
    }
    #[kernel(pairs)]
    pub fn array(&mut self, other: Ref<Star>) {
        self.list[0] += other.x();
    }
    #[kernel(pairs)]
    pub fn counted(&mut self, other: Ref<Star>) {
        self.a += other.x();
        self.met.add(1);
    }
    #[kernel(pairs, snapshot(a))]
    pub fn snapshot(&mut self, other: Ref<Star>) {
        self.a += other.a();
    }
    #[kernel]
    pub fn alone(&mut self) {
        self.a += 1.0;
    }
}

/// The fields that count, and whether the kernel does nothing else.
fn of(effects: &Effects) -> (String, bool) {
    let names = ["a", "b", "v", "x", "list", "met"].iter().enumerate();
    let names: Vec<_> = names.filter(|(n, _)| effects.sums().contains(*n)).map(|(_, name)| *name).collect();
    (names.join(" "), effects.only_adds())
}

#[test]
fn sums_are_fields_to_which_a_call_adds_once() {
    let all = [
        (effects(Star::plain), "a b v", true),
        (effects(Star::numbered), "a v", true),
        (effects(Star::by_method), "a v", true),
        (effects(Star::by_method_twice), "", false),
        (effects(Star::twice), "b", false),
        (effects(Star::read), "a", false),
        (effects(Star::read_in_a_method), "a", false),
        (effects(Star::stored), "", false),
        (effects(Star::in_loops), "", false),
        (effects(Star::in_two_loops), "a", false),
        (effects(Star::number_and_variable), "b", false),
        (effects(Star::other_variable), "b", false),
        (effects(Star::changed_variable), "b", false),
        (effects(Star::variable_of_a_macro), "", false),
        (effects(Star::in_a_closure), "", false),
        (effects(Star::in_a_macro), "", false),
        // An inner array is in memory.
        (effects(Star::array), "list", true),
        (effects(Star::counted), "a", false),
        (effects(Star::snapshot), "a", false),
        (effects(Star::alone), "", false),
    ];
    for (effects, fields, alone) in all {
        assert_eq!(of(effects), (fields.to_owned(), alone), "{}", effects.kernel());
    }
}
