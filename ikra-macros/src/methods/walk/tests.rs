use proc_macro2::{Delimiter, Group, TokenTree};
use quote::quote;
use syn::ImplItemFn;

use super::*;
use crate::methods::FieldKind;

/// The effects of a body, in a class with these fields.
fn facts_of(body: TokenStream, fields: &[(&str, FieldKind)]) -> Facts {
    let fields = fields.iter().map(|(name, kind)| (syn::parse_str(name).unwrap(), *kind)).collect();
    let class = Fields { class: "Body".to_owned(), fields, links: Vec::new(), arrays: Vec::new(), shown: Vec::new() };
    let method: ImplItemFn =
        syn::parse2(quote!(fn method(&mut self, value: u32, other: Ref<Self>, cell: Ref<Cell>) #body)).unwrap();
    let block = syn::parse_quote!(impl Body {});
    let mut ordinary = Ordinary::of(&syn::parse_quote!(Body), &block);
    ordinary.for_parameters(&syn::parse_quote!(Body), &method.sig);
    let (mut facts, _) = read(&method.sig, &method.block, &class, &ordinary);
    if method.attrs.iter().any(|attr| attributes::kind_of(attr) == Kind::Macro) {
        // An attribute of a method is treated the same way.
        (facts.whole, facts.escapes, facts.hidden) = (true, true, true);
    }
    facts
}

/// The effects of a body on the fields `a`, `b`, `r#type` and the atomic `n`. The result lists names in the order
/// touched / written / called, then `whole`, `escapes`, `hidden`, and the fields passed to macros.
fn of(body: &str) -> String {
    use FieldKind::{Atomic, Other};
    let access = facts_of(body.parse().unwrap(), &[("a", Other), ("b", Other), ("r#type", Other), ("n", Atomic)]);
    let names = |set: u64| {
        let of = |k: usize| ["a", "b", "type", "n"][k];
        (0..4).filter(|k| set >> k & 1 == 1).map(of).collect::<Vec<_>>().join(" ")
    };
    let calls = access.calls.iter().map(plain_name).collect::<Vec<_>>().join(" ");
    let mut text = format!("{} / {} / {}", names(access.touches), names(access.writes), calls);
    if access.whole {
        text += " whole";
    }
    if access.escapes {
        text += " escapes";
    }
    if access.given != 0 {
        text += &format!(" given {}", names(access.given));
    }
    if access.hidden {
        text += " hidden";
    }
    text.trim().to_owned()
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (body, expected) in cases {
        assert_eq!(of(body), *expected, "{body}");
    }
}

#[test]
fn reads() {
    check(&[
        ("{ self.a + self.b }", "a b /  /"),
        ("{ self.a == 1 }", "a /  /"),
        ("{ self.a <= self.b && self.a >= 0 }", "a b /  /"),
        ("{ match self.a { 0 => self.b, _ => 1 } }", "a b /  /"),
        ("{ self.r#type + self.r#a }", "a type /  /"),
        ("{ match !(self.a) { x => x } }", "a /  /"),
        ("{ r#match!(self.a) }", "a /  /  whole given a"),
        ("{ r#matches!(self.a, 1) }", "a /  /"),
        ("{ (|| self.a)() }", "a /  /"),
        ("{ &self.a }", "a /  /"),
        ("{ self . a }", "a /  /"),
        ("{ Row { a: 1, ..self.b } }", "b /  /"),
        ("{ let a = 1; a + other.b }", "/  /"),
        ("{ self.a.sqrt() }", "a /  /"),
        ("{ !(self.a) }", "a /  /"),
        ("{ return !(self.a) }", "a /  /"),
    ]);
}

#[test]
fn writes() {
    check(&[
        ("{ self.a = 1 }", "a / a /"),
        ("{ self.a += self.b }", "a b / a /"),
        ("{ self.a <<= 1; self.b >>= 1 }", "a b / a b /"),
        ("{ self.a[self.b] -= 1 }", "a b / a /"),
        ("{ self.a.x.y = 1 }", "a / a /"),
        ("{ self.a.0.1 = 1 }", "a / a /"),
        ("{ self.a[0].x[1] ^= 1 }", "a / a /"),
        ("{ &mut self.a }", "a / a /"),
        ("{ f(&mut self.a[1..], self.b) }", "a b / a /"),
        ("{ &raw mut self.a }", "a / a /"),
        ("{ self.a.swap(0, 1) }", "a / a /"),
        ("{ self.r#a.r#swap(0, 1) }", "a / a /"),
        ("{ r#Some(self.a) = x }", "a / a /"),
        ("{ self.a.iter_mut().for_each(f) }", "a / a /"),
        ("{ self.a.range_mut(..2).for_each(f) }", "a / a /"),
        ("{ self.a.iter().map(f) }", "a /  /"),
        ("{ (self.a, self.b) = (1, 2) }", "a b / a b /"),
        ("{ if self.a == 1 {} (self.b, _) = (1, 2); }", "a b / b /"),
        ("{ for _ in 0..3 { f(); } [self.a, self.b] = [1, 2]; }", "a b / a b /"),
        ("{ #[allow(unused)] (self.a, _) = (1, 2); }", "a / a /"),
        ("{ match x { 0 => return (self.a, _) = (1, 2), _ => {} } }", "a / a /"),
        ("{ f(self.a)[self.b] = 1; *pick(self.a) = 2; x[0][self.a] = 3 }", "a b /  /"),
        ("{ [self.a, _] = x }", "a / a /"),
        ("{ (x, (self.a, y)) = z }", "a / a /"),
        ("{ Some(self.a) = x }", "a / a /"),
        ("{ P { x: self.a } = p }", "a / a /"),
        ("{ (self.a) = 1 }", "a / a /"),
        ("{ (self.a)[0] = 1 }", "a / a /"),
        ("{ (self.a).sort() }", "a / a /"),
        ("{ &mut (self.a) }", "a / a /"),
        ("{ *pick(self.a) = 1 }", "a /  /"),
        ("{ let x = self.a; }", "a /  /"),
        ("{ let ref mut x = self.a; *x = 1; self.n.load() }", "a n / a /"),
        ("{ if self.a == self.b { c = 1 } }", "a b /  /"),
        ("{ x = self.a }", "a /  /"),
        ("{ self.n.store(1); self.n = x }", "n /  /"),
        ("{ self.r#type = 1 }", "type / type /"),
    ]);
}

#[test]
fn calls() {
    check(&[
        ("{ self.go() }", "/  / go"),
        ("{ self.go::<u8>(self.a) }", "a /  / go"),
        ("{ self.r#go() }", "/  / go"),
        ("{ (self.a)(1) }", "a /  /"),
        ("{ other.go() }", "/  /"),
    ]);
}

#[test]
fn whole() {
    check(&[
        ("{ let s = self; s.a }", "/  /  whole escapes"),
        ("{ f(self) }", "/  /  whole escapes"),
        ("{ f(&self) }", "/  /  whole"),
        ("{ f(&*self) }", "/  /  whole"),
        ("{ f(&mut *self) }", "/  /  whole escapes"),
        ("{ let Self { a, .. } = self; }", "/  /  whole escapes"),
        ("{ self.0 }", "/  /  whole escapes"),
        ("{ self..b }", "/  /  whole escapes"),
    ]);
}

#[test]
fn macros() {
    check(&[
        ("{ assert!(self.a > 0) }", "a /  /"),
        ("{ std::assert_eq!(self.a, [self.b]) }", "a b /  /"),
        ("{ assert!({ self.a = 1; true }) }", "a / a /"),
        ("{ matches!(self.a, Some(_)) }", "a /  /"),
        ("{ format!(\"{:?}\", self) }", "/  /  whole"),
        // An unknown macro may do anything.
        ("{ pick!(self.a) }", "a /  /  whole given a"),
        ("{ pick!(self.a[0].x, 2 * self.b, { self.r#type }) }", "a b type /  /  whole given a"),
        ("{ pick!(self.a.sqrt(), self.b + 1) }", "a b /  /  whole"),
        ("{ crate::pick!{ self.a = 1 } }", "a / a /  whole"),
        ("{ crate::assert!(self.a > 1) }", "a /  /  whole"),
        ("{ vec![pick!(self.a); self.b] }", "a b /  /  whole given a"),
        ("{ pick!(self, a) }", "/  /  whole escapes"),
        ("{ pick!(a) }", "/  /  hidden"),
        ("{ include!(\"a\") + pick!(self.b + 1) }", "b /  /  whole hidden"),
        ("{ include!(\"a\"); format!(\"{self:?}\") }", "/  /  whole escapes"),
        ("{ include_str!(\"a\"); core::line!() }", "/  /"),
        ("{ write!(self.a, \"{}\", self.b) }", "a b / a /"),
        ("{ write!(self, \"{}\", self.b) }", "b /  /  whole escapes"),
        ("{ println!(\"{}\", f(self)) }", "/  /  whole escapes"),
        ("{ dbg!(self).a = 1 }", "/  /  whole escapes"),
        ("{ macro_rules! get { ($f:ident) => { self.$f } } get!(a) }", "/  /  whole escapes hidden"),
    ]);
}

#[test]
fn strings() {
    check(&[
        ("{ format!(\"{self:?}\") }", "/  /  whole"),
        ("{ format!(\"{self}\") }", "/  /  whole"),
        ("{ format!(\"{self :?}\") }", "/  /  whole"),
        ("{ format!(r#\"a {self:#?} b\"#) }", "/  /  whole"),
        ("{ format!(\"{s\\x65lf:?}\") }", "/  /  whole"),
        ("{ format!(\"{selfish} self\") }", "/  /"),
        ("{ format!(\"{{self\") }", "/  /  whole"),
        ("{ b\"{self}\" }", "/  /"),
    ]);
}

/// A getter of an atomic field may have the name of a method of the class.
#[test]
fn getters_of_atomics_are_not_methods_of_the_class() {
    for (body, others) in [
        ("{ self.next.weight().max(2); }", vec!["max"]),
        ("{ (&self.next.weight()).add(self.size()); }", vec!["add"]),
        ("{ self.next.weight().abs() + other.weight(); }", vec!["abs", "weight"]),
        ("{ self.next.weight().add(other.weight()); }", vec!["add", "weight"]),
    ] {
        let facts = facts_of(body.parse().unwrap(), &[]);
        assert_eq!(facts.others().collect::<Vec<_>>(), others, "{body}");
    }
}

#[test]
fn methods_of_numbers_change_nothing() {
    let kinds = [("a", FieldKind::Number), ("b", FieldKind::Numbers), ("c", FieldKind::Other)];
    for (body, writes) in [
        ("{ self.a.rotate_left(1) }", 0),
        ("{ self.a.take() }", 0),
        ("{ (x ^ self.c).rotate_left(1) }", 0),
        ("{ (self.c + 1).rotate_left(1) }", 0),
        ("{ (self.c).rotate_left(1) }", 4),
        ("{ (*self.c).rotate_left(1) }", 4),
        ("{ (&mut *self.c).rotate_left(1) }", 4),
        ("{ (self.c, self.b) = x }", 6),
        ("{ self.b[1].rotate_left(1) }", 0),
        ("{ self.b.rotate_left(1) }", 2),
        ("{ self.b[1][0].swap(1, 2) }", 0),
        ("{ self.c.rotate_left(1) }", 4),
        ("{ self.c[0].rotate_left(1) }", 4),
        ("{ self.c.a.rotate_left(1) }", 4),
        ("{ self.a.x.rotate_left(1) }", 1),
        ("{ self.a = self.a.rotate_left(1) }", 1),
        ("{ self.b[0] = 1 }", 2),
        ("{ f(&mut self.a); }", 1),
    ] {
        assert_eq!(facts_of(body.parse().unwrap(), &kinds).writes, writes, "{body}");
    }
}

#[test]
fn loops() {
    for (body, loops) in [("{ for x in y {} }", true), ("{ if a { loop {} } }", true), ("{ self.a = 1 }", false)] {
        assert_eq!(facts_of(body.parse().unwrap(), &[]).loops, loops, "{body}");
    }
}

#[test]
fn names_that_the_body_gives_a_meaning() {
    check(&[
        ("{ core::line!() }", "/  /"),
        ("{ ::core::line!() }", "/  /  hidden"),
        ("{ Wrap { v:core::line!() } }", "/  /"),
        ("{ Wrap { v: ::core::line!() } }", "/  /  hidden"),
        ("{ use std as core; core::line!() }", "/  /  hidden"),
        ("{ mod core { pub(super) use crate::bump as line; } core::line!() }", "/  /  hidden"),
        ("{ extern crate evil as core; core::line!() }", "/  /  hidden"),
        ("{ macro_rules! line { ($b:tt $a:tt) => { $a ! $b } } line!(() bump) }", "/  /  hidden"),
        ("{ macro_rules! vec { () => { 1 } } vec![self.a] }", "a /  /  whole given a"),
        ("{ self.a as u32 + line!() }", "a /  /"),
    ]);
}

/// A path that was passed to a macro is a group without delimiters.
#[test]
fn macros_by_paths_that_came_to_a_macro() {
    let path = TokenTree::Group(Group::new(Delimiter::None, "crate::bump".parse().unwrap()));
    let call: TokenStream = "!(); !(self.a)".parse().unwrap();
    let mut tokens: Vec<TokenTree> = call.into_iter().collect();
    tokens.insert(3, path.clone());
    tokens.insert(0, path);
    let body: TokenStream = tokens.into_iter().collect();
    let access = facts_of(quote!({ #body }), &[("a", FieldKind::Other)]);
    assert!(access.hidden && access.whole);
}

#[test]
fn attributes_in_bodies() {
    check(&[
        ("{ #[inline] fn f() {} #[allow(x)] let y = self.a; #[cfg(a)] { y } }", "a /  /"),
        ("{ #[derive(Clone)] #[repr(C)] struct S { x: u8 } self.a = 1; }", "a / a /  hidden"),
        ("{ #[evil::becomes(\"self.x += 1;\")] struct S; }", "/  /  hidden"),
        ("{ #[serde(default)] struct S; self.a }", "a /  /  hidden"),
        ("{ if self.b { #[cold::body] fn f() {} } }", "b /  /  hidden"),
        ("{ #[cfg_attr(all(), evil)] struct S; }", "/  /  hidden"),
        ("{ #[rustfmt::skip] let x = [self.a]; }", "a /  /"),
        ("{ #[rustfmt::skip] const X: [u8; 2] = [1, 2]; }", "/  /  hidden"),
        ("{ #[evil] fn f() { stringify!(self) } }", "/  /  whole escapes hidden"),
        (
            "{ #[evil] struct S<const N: u8 = { 1 }> { x: [u8; { stringify!(self); 1 }] } }",
            "/  /  whole escapes hidden",
        ),
        ("{ #[path = \"evil.rs\"] mod evil; self.a }", "a /  /  hidden"),
        ("{ #![evil] self.a }", "a /  /  whole escapes hidden"),
    ]);
}

/// The effects of a body on atomics, in a class with atomics `n`, `m` and `next` and a plain `a`: `name: own / other`.
fn atomics_of(body: &str) -> String {
    use FieldKind::{Atomic, Other};
    let fields = [("a", Other), ("n", Atomic), ("m", Atomic), ("next", Atomic)];
    let facts = facts_of(body.parse().unwrap(), &fields);
    let names = |set: u16| {
        let all = ["load", "store", "add", "min", "max", "or", "and", "exchange"];
        let names = all.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1);
        names.map(|(_, name)| *name).collect::<Vec<_>>().join("+")
    };
    let parts = facts
        .uses
        .0
        .iter()
        .map(|(name, &(own, other))| format!("{name}: {} / {}", names(own), names(other)).trim().to_owned());
    parts.collect::<Vec<_>>().join(", ")
}

#[track_caller]
fn check_atomics(cases: &[(&str, &str)]) {
    for (body, expected) in cases {
        assert_eq!(atomics_of(body), *expected, "{body}");
    }
}

#[test]
fn operations_on_atomics() {
    check_atomics(&[
        ("{ self.n.load() }", "n: load /"),
        ("{ self.a.load() }", ""),
        ("{ other.n().load() }", "n:  / load"),
        ("{ self.x.n().store(self.m.load()) }", "m: load /, n:  / store"),
        ("{ self.n.swap(1) + other.m().compare_exchange(1, 2) }", "m:  / exchange, n: exchange /"),
        ("{ if self.next.n().load() { self.n.store(true) } }", "n: store / load"),
        ("{ self.next.load() }", "next: load /"),
        ("{ other.last().store(1) }", "last:  / store"),
        ("{ other.next().n().load() }", "n:  / load"),
        ("{ other.n().load().min(self.a) }", "n:  / load"),
        ("{ (self.n).add(1); (other.m()).or(2) }", "m:  / or, n: add /"),
        ("{ return self.n.load() }", "n: load /"),
        ("{ Atomic::load(other.n()) }", "n:  / load"),
        ("{ Atomic::fetch_add(other.n(), 1) }", "n:  / exchange"),
        ("{ assert!(self.n.load() > 0) }", "n: load /"),
        ("{ self.n() }", ""),
        ("{ x.min(y) }", ""),
        ("{ value.load() }", ""),
    ]);
}

#[test]
fn values_before() {
    check_atomics(&[
        ("{ self.n.fetch_add(1); }", "n: exchange /"),
        ("{ let x = self.n.fetch_add(1); }", "n: exchange /"),
        ("{ let _ = self.n.fetch_sub(1); }", "n: exchange /"),
        ("{ if c { other.n().fetch_min(1); } other.m().claim(self.link()); }", "m:  / min, n:  / exchange"),
        ("{ match x { 1 => { o.n().or(1); } _ => {} } }", "n:  / or"),
        ("{ match x { 1 => o.n().fetch_or(1), _ => 0 }; }", "n:  / exchange"),
        ("{ for o in self.a.iter() { o.n().max(1); } }", "n:  / max"),
        ("{ list.for_each(|o| { o.n().fetch_and(1); }) }", "n:  / exchange"),
        ("{ dbg!({ o.n().add(1); }) }", "n:  / add"),
        ("{ #[cfg(x)] o.n().add(1); }", "n:  / add"),
        ("{ f(o.n().fetch_add(1)); }", "n:  / exchange"),
        ("{ o.n().fetch_add(1) + 1; }", "n:  / exchange"),
        ("{ self.claim(3); }", ""),
        ("{ value.fetch_add(3); COUNT.fetch_add(1, Relaxed); }", ""),
        ("{ self.a.fetch_add(3); }", ""),
        ("{ o.n().add(1); o.n().sub(1) }", "n:  / add"),
        ("{ first.claim(x); o.first().fetch_claim(x); }", "first:  / exchange"),
        ("{ mine!(o.n().add(1)); }", "n:  / add"),
        ("{ mine!(add o.n().add(1) to it, self.m) }", "m: add /, n:  / add"),
    ]);
}

#[test]
fn variables_that_are_atomics() {
    check_atomics(&[
        ("{ let d = o.n(); if d.load() > 1 { d.store(1); } }", "n:  / load+store"),
        ("{ let d = self.n; d.add(1); }", "n: add /"),
        ("{ let d = self.n.load(); d.min(1); d.max(2); }", "n: load /"),
        ("{ let d = o.n(); let d = d.load(); d.min(1); }", "n:  / load"),
        ("{ let d = o.n(); { let d = 1; } d.add(1); }", "n:  / add"),
        ("{ for c in &self.n { c.add(1); } }", "n: add /"),
        ("{ for c in o.n().iter() { c.store(1); } }", "n:  / store"),
        ("{ o.n().iter().for_each(|c| c.add(1)) }", "n:  / add"),
        ("{ o.n().get(3).add(1); }", "n:  / add"),
        ("{ self.n.get(self.m.load()).load() }", "m: load /, n: load /"),
        ("{ if let Some(d) = o.n() { d.store(1) } }", "n:  / store"),
        ("{ match o.n() { Some(d) if d.load() == 1 => d.add(1), d => d.or(1) } }", "n:  / load+add+or"),
        ("{ let d = if c { o.n() } else { o.m() }; d.add(1); }", "m:  / add, n:  / add"),
        ("{ let d = pick(o.n(), self.m); d.add(1); }", "m: add /, n:  / add"),
        ("{ let Self { n, m: h, .. } = self; n.load(); h.store(1); }", "m: load+store /, n: load+store /"),
        ("{ let me = self; me.n.load() }", "n: load /"),
        ("{ let mut d = o.n(); d = o.m(); d.add(1); }", "m:  / add, n:  / add"),
        ("{ let f = |h| { h.store(1); }; f(self.n); f(o.m()) }", "m:  / store, n: store /"),
        ("{ fn f(h: X) { h.store(1); } f(self.n) }", "n: store /"),
        ("{ o.n().iter().map(|c| c.load()).fold(0, |a, b| a.min(b)) }", "n:  / load"),
        ("{ o.n().iter().fold(0, |a, c| a.max(c.load())) }", "n:  / load"),
        ("{ x.map(|o| o.n()).add(1); }", "n:  / add"),
        ("{ for c in xs.iter() { c.store(1); } self.a.iter().n().add(1); }", "iter:  / store, n:  / add"),
    ]);
}

#[test]
fn reads_of_objects_of_the_class() {
    for (body, reads) in [
        ("{ other.a() + other.a().abs() }", 2),
        ("{ if x { f(|| other.a()); } for y in 0..other.a() {} }", 2),
        ("{ self.a = other.a; cell.a() }", 0),
        ("{ other.b() + other.a(1) + x.a() }", 0),
        ("{ let other = cell; other.a() }", 0),
        ("{ f(|other| other.a()) }", 0),
        ("{ g(other); other.a() }", 0),
        ("{ #[cfg(x)] f(other.a()); mine!(other.a()); fn g(other: X) { other.a() } }", 0),
        ("{ match x { #[cfg(y)] 1 => other.a(), _ => 0 } }", 0),
    ] {
        let facts = facts_of(body.parse().unwrap(), &[("a", FieldKind::Other)]);
        assert_eq!(facts.reads.len(), reads, "{body}");
    }
}

/// Each statement reads the variable that it assigns. The time grows with the number of statements, not with a power of it.
#[test]
fn a_variable_may_be_assigned_often() {
    let mixed = "h = mix(h, other.f() + 1).max(h).pow(h);".repeat(200);
    let closures = "h = (|x: u64| x + h)(h + cell.g());".repeat(50);
    let branches = "h = if h > 1 { h } else { other.f() }; h = match h { 1 => h, _ => cell.g() };".repeat(50);
    let tuples = "(h, k) = (k + h, h); let h2 = h; h += h2;".repeat(50);
    for text in [mixed, closures, branches, tuples] {
        assert!(of(&format!("{{ let mut h = 3; let mut k = 1; {text} self.a = h; }}")).starts_with("a / a /"));
    }
}
