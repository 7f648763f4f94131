use super::*;

/// What a body does to atomics, in a class with atomics `n`, `m` and `next` and a plain `a`: `name: own / other`.
/// Operations that are marked follow, by their names.
fn of(body: &str) -> String {
    let fields = [("a", false), ("n", true), ("m", true), ("next", true)];
    let fields = fields.map(|(name, is_atomic)| {
        (syn::parse_str(name).unwrap(), if is_atomic { FieldKind::Atomic } else { FieldKind::Other })
    });
    let class = Fields { class: "Body".to_owned(), fields: fields.into_iter().collect(), links: Vec::new() };
    let (found, marked) = scan(body.parse().unwrap(), &class, &["value".to_owned()]);
    let names = |set: u16| {
        let all = ["load", "store", "add", "min", "max", "or", "and", "exchange"];
        let names = all.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1);
        names.map(|(_, name)| *name).collect::<Vec<_>>().join("+")
    };
    let mut parts: Vec<String> = found
        .uses
        .0
        .iter()
        .map(|(name, &(own, other))| format!("{name}: {} / {}", names(own), names(other)).trim().to_owned())
        .collect();
    let marked = marked.to_string();
    let mut marks: Vec<&str> = marked.split("__valueless () .").skip(1).collect();
    for mark in &mut marks {
        *mark = mark.trim().split(' ').next().unwrap();
    }
    if !marks.is_empty() {
        assert!(marked.contains("use :: ikra :: rt :: NotAtomic as _"), "{marked}");
        parts.push(marks.join(" "));
    }
    parts.join(", ")
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (body, expected) in cases {
        assert_eq!(of(body), *expected, "{body}");
    }
}

#[test]
fn direct() {
    check(&[
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
fn statements() {
    check(&[
        ("{ self.n.fetch_add(1); }", "n: add /, fetch_add"),
        ("{ let x = self.n.fetch_add(1); }", "n: exchange /"),
        ("{ let _ = self.n.fetch_sub(1); }", "n: add /, fetch_sub"),
        ("{ self.n.fetch_add(1) }", "n: exchange /"),
        ("{ if c { other.n().fetch_min(1); } other.m().claim(self.link()); }", "m:  / min, n:  / min, fetch_min claim"),
        ("{ match x { 1 => { o.n().fetch_or(1); } _ => {} } }", "n:  / or, fetch_or"),
        ("{ match x { 1 => o.n().fetch_or(1), _ => 0 }; }", "n:  / exchange"),
        ("{ for o in self.a.iter() { o.n().fetch_max(1); } }", "n:  / max, fetch_max"),
        ("{ list.for_each(|o| { o.n().fetch_and(1); }) }", "n:  / and, fetch_and"),
        ("{ dbg!({ o.n().fetch_add(1); }) }", "n:  / exchange"),
        ("{ #[cfg(x)] o.n().fetch_add(1); }", "n:  / add, fetch_add"),
        ("{ [o.n().fetch_add(1); 3] }", "n:  / exchange"),
        ("{ f(o.n().fetch_add(1)); }", "n:  / exchange"),
        ("{ o.n().fetch_add(1) + 1; }", "n:  / exchange"),
        ("{ self.claim(3); }", ""),
        ("{ value.fetch_add(3); COUNT.fetch_add(1, Relaxed); }", ""),
        ("{ self.a.fetch_add(3); }", ""),
        ("{ o.n().add(1); o.n().sub(1) }", "n:  / add"),
    ]);
}

#[test]
fn variables() {
    check(&[
        ("{ let d = o.n(); if d.load() > 1 { d.store(1); } }", "n:  / load+store"),
        ("{ let d = self.n; d.add(1); }", "n: add /"),
        ("{ let d = self.n.load(); d.min(1); d.max(2); }", "n: load /"),
        ("{ let d = o.n(); let d = d.load(); d.min(1); }", "n:  / load"),
        ("{ let d = o.n(); { let d = 1; } d.add(1); }", "n:  / add"),
        ("{ for c in &self.n { c.fetch_add(1); } }", "n: add /, fetch_add"),
        ("{ for c in o.n().iter() { c.store(1); } }", "n:  / store"),
        ("{ o.n().iter().for_each(|c| c.add(1)) }", "n:  / add"),
        ("{ o.n().get(3).fetch_add(1); }", "n:  / add, fetch_add"),
        ("{ self.n.get(self.m.load()).load() }", "m: load /, n: load /"),
        ("{ if let Some(d) = o.n() { d.store(1) } }", "n:  / store"),
        ("{ match o.n() { Some(d) if d.load() == 1 => d.add(1), d => d.or(1) } }", "n:  / load+add+or"),
        ("{ let d = if c { o.n() } else { o.m() }; d.add(1); }", "m:  / add, n:  / add"),
        ("{ let d = pick(o.n(), self.m); d.add(1); }", "m: add /, n:  / add"),
        ("{ let Self { n, m: h, .. } = self; n.load(); h.store(1); }", "m: load+store /, n: load+store /"),
        ("{ let me = self; me.n.load() }", "n: load /"),
        ("{ let mut d = o.n(); d = o.m(); d.add(1); }", "m:  / add, n:  / add"),
        ("{ let f = |h| { h.fetch_add(1); }; f(self.n); f(o.m()) }", "m:  / add, n: add /, fetch_add"),
        ("{ fn f(h: X) { h.store(1); } f(self.n) }", "n: store /"),
        ("{ o.n().iter().map(|c| c.load()).fold(0, |a, b| a.min(b)) }", "n:  / load"),
        ("{ o.n().iter().fold(0, |a, c| a.max(c.load())) }", "n:  / load"),
        ("{ x.map(|o| o.n()).fetch_add(1); }", "n:  / add, fetch_add"),
        ("{ for c in xs.iter() { c.store(1); } self.a.iter().n().add(1); }", "iter:  / store, n:  / add"),
    ]);
}

#[test]
fn tokens_stay() {
    for body in [
        "{ let x = | a | a + 1 ; match x { A | B if c => { 1 } C { d , .. } => 2 , _ => { } } }",
        "{ let x ; loop { break 'a ; } for < 'a > (x) ; let Some (a) = b else { return ; } ; }",
        "{ struct A { b : C } impl A { fn d (& self) { self . n . fetch_add (1) ; } } fn e < F : Fn () -> u8 > (f : F) { f () } }",
        "{ a . b :: < Vec < u8 > > (c) ? . d . 0 [e] (f) ; || 1 ; - 1 ; ! a ; * b ; if a || b && c { } else { } }",
        "{ macro_rules ! x { ($ a : expr) => { $ a } } x ! (1) ; 1 ..= 2 }",
    ] {
        let tokens: TokenStream = body.parse().unwrap();
        let class = Fields { class: String::new(), fields: Vec::new(), links: Vec::new() };
        assert_eq!(scan(tokens.clone(), &class, &[]).1.to_string(), tokens.to_string());
    }
}
