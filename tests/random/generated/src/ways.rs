//! The ways to reach an object, to read one of its fields, and to write an own field, in Ikra and in plain Rust.

/// A way to reach another object from `self`.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// An expression of type `Ref<Thing>`.
    pub ikra: &'static str,
    /// Its position, where `t` is the object, `i` its position, and `all` are all objects.
    pub plain: &'static str,
    /// Fields of other objects that it reads on the way.
    pub reads: &'static [&'static str],
}

/// The ways to reach an object. `other` is the kernel's argument. A getter of a link is called on a variable: for
/// `self.next.next()` the macro would report a race before the compiler evaluates the assertions of other kernels.
pub const REACHES: &[Reach] = &[
    Reach { ikra: "self.next", plain: "t.next", reads: &[] },
    Reach { ikra: "self.maybe.unwrap_or(self.next)", plain: "t.maybe.unwrap_or(t.next)", reads: &[] },
    Reach {
        ikra: "match self.maybe { Some(found) => found, None => self.resolve(self.link()) }",
        plain: "t.maybe.unwrap_or(i)",
        reads: &[],
    },
    Reach { ikra: "{ let near = self.next; near.next() }", plain: "all[t.next].next", reads: &["next"] },
    Reach { ikra: "self.links.get(1)", plain: "t.links[1]", reads: &[] },
    Reach { ikra: "self.links.iter().last().unwrap_or(self.next)", plain: "t.links[t.links.len() - 1]", reads: &[] },
    Reach {
        ikra: "{ let mut found = self.next; for link in &self.links { found = link; } found }",
        plain: "t.links[t.links.len() - 1]",
        reads: &[],
    },
    Reach {
        ikra: "self.links.try_get(3).unwrap_or(self.next)",
        plain: "*t.links.get(3).unwrap_or(&t.next)",
        reads: &[],
    },
    Reach { ikra: "{ let near = self.next; near.links().get(0) }", plain: "all[t.next].links[0]", reads: &["links"] },
    Reach { ikra: "self.all::<Thing>().nth(3).unwrap_or(self.next)", plain: "3", reads: &[] },
    Reach { ikra: "self.all::<Thing>().last().unwrap()", plain: "all.len() - 1", reads: &[] },
    Reach { ikra: "self.resolve(self.next.link())", plain: "t.next", reads: &[] },
    Reach { ikra: "self.resolve(self.link())", plain: "i", reads: &[] },
    Reach { ikra: "other", plain: "other", reads: &[] },
    Reach { ikra: "other.maybe().unwrap_or(other)", plain: "all[other].maybe.unwrap_or(other)", reads: &["maybe"] },
    Reach { ikra: "self.neighbour()", plain: "t.next", reads: &[] },
    Reach { ikra: "self.next.neighbour()", plain: "all[t.next].next", reads: &["next"] },
    Reach { ikra: "(|| self.next)()", plain: "t.next", reads: &[] },
    Reach { ikra: "[self.next, other][1]", plain: "other", reads: &[] },
    Reach { ikra: "Some(&*self).map(|me| me.next).unwrap()", plain: "t.next", reads: &[] },
    Reach { ikra: "self.links.range(1..).next().unwrap_or(other)", plain: "t.links[1]", reads: &[] },
    Reach { ikra: "pick(self.next, other, salt)", plain: "if salt % 3 == 0 { t.next } else { other }", reads: &[] },
    Reach { ikra: "self.all::<Thing>().filter(|o| o.link().index() % 4 == 2).nth(1).unwrap()", plain: "6", reads: &[] },
];

/// A way to read a field of an object `o`.
#[derive(Clone, Copy, Debug)]
pub struct Read {
    /// An expression of type `u32`, where `o` is a `Ref<Thing>`.
    pub ikra: &'static str,
    /// The plain form, where `o` is a `&Plain`.
    pub plain: &'static str,
    /// The field.
    pub field: &'static str,
    /// Whether it borrows from a column, which a guard does not allow.
    pub borrows: bool,
}

const fn read(field: &'static str, ikra: &'static str, plain: &'static str) -> Read {
    Read { ikra, plain, field, borrows: false }
}

const fn borrow(field: &'static str, ikra: &'static str, plain: &'static str) -> Read {
    Read { ikra, plain, field, borrows: true }
}

/// The ways to read a field.
pub const READS: &[Read] = &[
    read("a", "o.a()", "o.a"),
    read("a", "o.twice()", "o.a.wrapping_mul(2)"),
    read("a", "o.four_times()", "o.a.wrapping_mul(4)"),
    read("a", "look(o)", "o.a"),
    read("a", "o.seen()", "o.a"),
    read("a", "(|o: Ref<Thing>| o.a())(o)", "o.a"),
    read("a", "Some(o).map_or(0, |o| o.a())", "o.a"),
    read("b", "{ let seen = o; seen.b() }", "o.b"),
    read("b", "std::iter::once(o).map(|o| o.b()).sum::<u32>()", "o.b"),
    read("small", "o.small()[1]", "o.small[1]"),
    read("small", "o.smallest()", "o.small[0].min(o.small[1])"),
    read("flat", "o.flat().x", "o.flat.x"),
    read("flat", "{ let Pair { y, .. } = o.flat(); y }", "o.flat.y"),
    borrow("three", "o.three()[2]", "o.three[2]"),
    read("three", "o.three().get(0)", "o.three[0]"),
    read("three", "o.three().iter().fold(0, u32::wrapping_add)", "o.three.iter().copied().fold(0, u32::wrapping_add)"),
    read("three", "o.three().range(1..).max().unwrap()", "o.three[1].max(o.three[2])"),
    read("three", "o.first_of_three()", "o.three[0]"),
    borrow("whole", "o.whole().as_slice().map_or(0, |slice| slice[1])", "o.whole[1]"),
    read("whole", "o.whole().get(0)", "o.whole[0]"),
    read("var", "o.var().last().unwrap_or(9)", "*o.var.last().unwrap()"),
    read("var", "o.var().len() as u32", "o.var.len() as u32"),
    read("var", "{ let mut all = 0; for x in &o.var() { all ^= x; } all }", "o.var.iter().fold(0, |all, x| all ^ x)"),
    read("maybe", "u32::from(o.maybe().is_some())", "u32::from(o.maybe.is_some())"),
    read("links", "o.links().len() as u32", "o.links.len() as u32"),
];

/// The ways to read the own object, `n` in the plain model. They never race.
pub const OWN_READS: &[Read] = &[
    read("", "self.a", "n.a"),
    read("", "self.twice()", "n.a.wrapping_mul(2)"),
    read("", "self.four_times()", "n.a.wrapping_mul(4)"),
    read("", "look_at(&*self)", "n.a ^ n.b"),
    read("", "{ let Self { a, b, .. } = &*self; *a ^ *b }", "n.a ^ n.b"),
    read("", "(|| self.b)()", "n.b"),
    read("", "self.small[1]", "n.small[1]"),
    read("", "self.small.iter().fold(0, |all, x| all ^ x)", "n.small[0] ^ n.small[1]"),
    read("", "{ let Pair { x, y } = self.flat; x ^ y }", "n.flat.x ^ n.flat.y"),
    read("", "self.three[2]", "n.three[2]"),
    read("", "self.three.iter().max().unwrap()", "n.three.iter().copied().max().unwrap()"),
    read("", "self.three.range(1..).fold(0, |all, x| all ^ x)", "n.three[1] ^ n.three[2]"),
    read("", "self.whole[1]", "n.whole[1]"),
    read("", "self.var.len() as u32", "n.var.len() as u32"),
    read("", "{ let mut all = 0; for x in &self.var { all ^= x; } all }", "n.var.iter().fold(0, |all, x| all ^ x)"),
    read("", "u32::from(self.maybe.is_some())", "u32::from(n.maybe.is_some())"),
    read("", "self.link().id()", "i as u32 + 1"),
];

/// A way to write fields of the own object.
#[derive(Clone, Copy, Debug)]
pub struct Write {
    /// Statements, where `v` is a `u32` and `o` is a `Ref<Thing>`.
    pub ikra: &'static str,
    /// The plain form, where `n` is the `Plain` to change, and `j` the position of `o`.
    pub plain: &'static str,
    /// The fields.
    pub fields: &'static [&'static str],
    /// The writes that the text does not show, for `writes(…)`.
    pub declared: &'static [&'static str],
}

const fn write(fields: &'static [&'static str], ikra: &'static str, plain: &'static str) -> Write {
    Write { ikra, plain, fields, declared: &[] }
}

const fn declared(fields: &'static [&'static str], ikra: &'static str, plain: &'static str) -> Write {
    Write { ikra, plain, fields, declared: fields }
}

/// The ways to write.
pub const WRITES: &[Write] = &[
    write(&["a"], "self.a = v;", "n.a = v;"),
    write(&["a"], "self.a ^= v;", "n.a ^= v;"),
    write(&["a"], "let _ = std::mem::replace(&mut self.a, v);", "n.a = v;"),
    write(
        &["a", "b"],
        "std::mem::swap(&mut self.a, &mut self.b); self.b ^= v;",
        "let a = n.a; n.a = n.b; n.b = a ^ v;",
    ),
    write(&["a"], "self.set(v);", "n.a = v;"),
    write(&["b"], "put(&mut self.b, v);", "n.b = v;"),
    write(&["b"], "if v % 2 == 0 { self.b = v; }", "if v % 2 == 0 { n.b = v; }"),
    write(&["a", "b"], "(self.a, self.b) = (v, self.a);", "let a = n.a; n.a = v; n.b = a;"),
    declared(&["a"], "hand_on(self, v);", "n.a = v;"),
    declared(&["b"], "Store::store(self, v);", "n.b = v;"),
    write(&["small"], "self.small[1] ^= v;", "n.small[1] ^= v;"),
    write(&["small"], "for x in &mut self.small { *x ^= v; }", "for x in &mut n.small { *x ^= v; }"),
    write(&["flat"], "self.flat.x = v;", "n.flat.x = v;"),
    write(&["flat"], "self.flat = Pair { x: v, y: self.flat.x };", "n.flat.y = n.flat.x; n.flat.x = v;"),
    write(&["three"], "self.three[1] = v;", "n.three[1] = v;"),
    write(&["three"], "for x in &mut self.three { *x ^= v; }", "for x in &mut n.three { *x ^= v; }"),
    write(&["three"], "self.three.iter_mut().for_each(|x| *x ^= v);", "for x in &mut n.three { *x ^= v; }"),
    write(&["three"], "self.three.range_mut(1..).for_each(|x| *x ^= v);", "for x in &mut n.three[1..] { *x ^= v; }"),
    write(&["three"], "self.three.swap(0, 2); self.three[0] ^= v;", "n.three.swap(0, 2); n.three[0] ^= v;"),
    write(&["whole"], "self.whole.fill(v);", "n.whole = [v; 2];"),
    write(&["whole"], "if let Some(slice) = self.whole.as_mut_slice() { slice[0] = v; }", "n.whole[0] = v;"),
    write(&["var"], "self.var[0] = v;", "n.var[0] = v;"),
    write(
        &["var"],
        "self.var.iter_mut().for_each(|x| *x = x.rotate_left(3) ^ v);",
        "for x in &mut n.var { *x = x.rotate_left(3) ^ v; }",
    ),
    write(&["maybe"], "self.maybe = (v % 2 == 0).then_some(o);", "n.maybe = (v % 2 == 0).then_some(j);"),
    write(&["links"], "self.links.set(0, o);", "n.links[0] = j;"),
];

/// A layout: a module's name and the options of the class.
pub const LAYOUTS: &[(&str, &str)] = &[
    ("soa", ""),
    ("aos", "(layout = \"aos\")"),
    ("tiles", "(layout = \"tiles\")"),
    ("small_tiles", "(layout = \"tiles\", tile = 64)"),
    ("capacity", "(capacity = 10_000, arena = 1_000_000)"),
    ("aos_capacity", "(layout = \"aos\", capacity = 10_000, arena = 1_000_000)"),
];
