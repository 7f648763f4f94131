use quote::ToTokens;

use super::*;

/// The marks inserted into a body, in order: `a` for a whole field, `a[]` for a part, `&a` for a lent field.
fn of(body: &str) -> String {
    let fields = ["a", "b", "c"].map(|name| (syn::parse_str(name).unwrap(), crate::methods::FieldKind::Other));
    let class = Fields {
        class: "Body".to_owned(),
        fields: fields.into_iter().collect(),
        links: Vec::new(),
        arrays: Vec::new(),
        shown: Vec::new(),
    };
    let mut body: Block = syn::parse_str(&format!("{{ {body} }}")).unwrap();
    mark(&mut body, &class);
    let marked = body.to_token_stream().to_string();
    syn::parse_str::<Block>(&marked).unwrap();
    let marks = marked.split("rt :: Own :: ").skip(1).map(|mark| {
        let (function, rest) = mark.split_once(" :: < ").unwrap();
        let name = ["a", "b", "c"][rest[..1].parse::<usize>().unwrap()];
        match function {
            "assign" => name.to_owned(),
            "assign_part" => format!("{name}[]"),
            "lend" => format!("&{name}"),
            function => panic!("{function}"),
        }
    });
    marks.collect::<Vec<_>>().join(" ")
}

#[test]
fn assignments_are_marked() {
    for (body, marks) in [
        ("self.a = 1; self.b += 2;", "a b"),
        ("self.a[0] = 1; self.b.x.y -= 2; self.c.0 = 3", "a[] b[] c[]"),
        ("if x { self.a = 1 } else { self.b = 1; }", "a b"),
        ("match x { 0 => self.a = 1, 1 => { self.b = 2 } _ => f(self.c) }", "a b"),
        ("(self.a, (self.b)[1]) = f();", "a b[]"),
        ("self.a.fill(0); f(&mut self.b); let x = &mut self.c.x;", "&a &b &c"),
        ("(self.a[0], self.b) = f(&mut self.b); self.c = g(&mut self.c[1]);", "a[] &b &c"),
        ("self.a = self.b; let c = self.c; self.a == c", "a"),
        ("for x in y { while z { self.a = x; } }", "a"),
    ] {
        assert_eq!(of(body), marks, "{body}");
    }
}

#[test]
fn what_may_not_be_executed_or_comes_last_is_not_marked() {
    for body in [
        "let f = || self.a = 1; f();",
        "return self.a = 1;",
        "return f(&mut self.a);",
        "set!(self.a);",
        "fn g() { self.a = 1; }",
        "f(&mut self.a)",
        "other.a = 1; self.d = 2; *self.b = 1;",
    ] {
        assert_eq!(of(body), "", "{body}");
    }
}
