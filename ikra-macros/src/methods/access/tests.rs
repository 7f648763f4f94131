use super::*;

/// What a body does to the fields `a`, `b`, `r#type` and the atomic `n`: names in the order
/// touched / written / called, then `whole`, `escapes`, `hidden`, and what macros are given.
fn of(body: &str) -> String {
    let fields = ["a", "b", "r#type"].map(|name| (syn::parse_str(name).unwrap(), FieldKind::Other));
    let atomic = (syn::parse_str("n").unwrap(), FieldKind::Atomic);
    let class =
        Fields { class: "Body".to_owned(), fields: fields.into_iter().chain([atomic]).collect(), links: Vec::new() };
    let access = analyse(&body.parse().unwrap(), &class);
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
        // Of a macro that is not known, anything.
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

#[test]
fn methods_of_numbers_change_nothing() {
    let kinds = [("a", FieldKind::Number), ("b", FieldKind::Numbers), ("c", FieldKind::Other)];
    let fields = kinds.map(|(name, kind)| (syn::parse_str(name).unwrap(), kind)).into_iter().collect();
    let class = Fields { class: String::new(), fields, links: Vec::new() };
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
        assert_eq!(analyse(&body.parse().unwrap(), &class).writes, writes, "{body}");
    }
}

#[test]
fn loops() {
    for (body, loops) in [("{ for x in y {} }", true), ("{ if a { loop {} } }", true), ("{ self.a = 1 }", false)] {
        let class = Fields { class: String::new(), fields: Vec::new(), links: Vec::new() };
        assert_eq!(analyse(&body.parse().unwrap(), &class).loops, loops, "{body}");
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

/// A path that came to a macro is a group without delimiters.
#[test]
fn macros_by_paths_that_came_to_a_macro() {
    let path = TokenTree::Group(Group::new(Delimiter::None, "crate::bump".parse().unwrap()));
    let call: TokenStream = "!(); !(self.a)".parse().unwrap();
    let mut tokens: Vec<TokenTree> = call.into_iter().collect();
    tokens.insert(3, path.clone());
    tokens.insert(0, path);
    let class = Fields {
        class: "Body".to_owned(),
        fields: vec![(syn::parse_str("a").unwrap(), FieldKind::Other)],
        links: Vec::new(),
    };
    let access = analyse(&tokens.into_iter().collect(), &class);
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
