use super::*;

#[track_caller]
fn check(before: &str, after: &str) {
    let row = syn::parse_str("model::Body").unwrap();
    // Spacing depends on whether punctuation was parsed or generated.
    let plain = |tokens: TokenStream| tokens.to_string().replace(' ', "");
    assert_eq!(plain(rewrite(before.parse().unwrap(), &row)), plain(after.parse().unwrap()), "{before}");
}

const REF: &str = "::ikra::Ref<'__w, Cell, __P>";

#[test]
fn refs() {
    check("other: Ref<Cell>", &format!("other: {REF}"));
    check("Option<Ref<Cell>>", &format!("Option<{REF}>"));
    check("fn(Ref<Cell>) -> Ref<Cell>", &format!("fn({REF}) -> {REF}"));
    check("Ref::<Cell>::link(&a)", &format!("{REF}::link(&a)"));
    check("r#Ref<Cell>", REF);
    check("Ref<Self>", "::ikra::Ref<'__w, model::Body, __P>");
    check("Ref<grid::Cell>", "::ikra::Ref<'__w, grid::Cell, __P>");
    check("vec![None::<Ref<Cell>>]", &format!("vec![None::<{REF}>]"));
}

#[test]
fn worklists() {
    check("next: Worklist<Cell>", "next: &::ikra::Worklist<Cell>");
    check("Worklist<Self>", "&::ikra::Worklist<model::Body>");
    for same in ["std::Worklist<Cell>", "Worklist::new()", "Worklist"] {
        check(same, same);
    }
}

#[test]
fn groups() {
    check("near: Groups<Cell>", "near: ::ikra::Grouped<'_, '__w, __P, Cell>");
    check("Groups<Self, Grid<2>>", "::ikra::Grouped<'_, '__w, __P, model::Body, Grid<2>>");
    for same in ["std::Groups<Cell>", "Groups::new()", "Groups<'a, Cell>", "Groups"] {
        check(same, same);
    }
}

#[test]
fn other_refs() {
    for same in
        ["std::cell::Ref<Cell>", "Ref<'a, Cell>", "Ref<A, B>", "Ref::map(a, b)", "Ref < a && b", "ref x", "Refs<A>"]
    {
        check(same, same);
    }
}

#[test]
fn row() {
    check("Self::LIMIT", "model::Body::LIMIT");
    check("Self { a: 1, b }", "model::Body { a: 1, b }");
    check("Self { a: 1, ..Self::new() }", "model::Body { a: 1, ..model::Body::new() }");
    check("-> Self", "-> model::Body");
    check("assert!(x == Self::new())", "assert!(x == model::Body::new())");
}

#[test]
fn patterns_of_the_view() {
    check("let Self { a, .. } = self;", "let Self { a, .. } = self;");
    check("let Self { a, b } = self;", "let Self { a, b, .. } = self;");
    check("let Self { a, b, } = self;", "let Self { a, b, .. } = self;");
    check("let Self {} = self;", "let Self { .. } = self;");
    check("match self { Self { a: 1, b } => b }", "match self { Self { a: 1, b, .. } => b }");
    check("Self { a, b } == other", "model::Body { a, b } == other");
}

#[test]
fn items_have_a_self_of_their_own() {
    for same in [
        "impl X for Y { fn new() -> Self { Self } }",
        "x(); struct S { next: Option<Self> }",
        "trait T { fn f() -> Self; }",
    ] {
        check(same, same);
    }
    check("{ impl X { fn f() -> Self {} } Self::new() }", "{ impl X { fn f() -> Self {} } model::Body::new() }");
    check("f: impl Fn(Self) -> Self", "f: impl Fn(model::Body) -> model::Body");
    check("(f: impl Into<Self>)", "(f: impl Into<model::Body>)");
}

#[test]
fn finds_refs() {
    let found = |text: &str| has_ref(text.parse().unwrap());
    assert!(found("&[Option<Ref<Cell>>]") && found("(u8, Ref<Cell>)"));
    assert!(!found("std::cell::Ref<u8>") && !found("Link<Cell>"));
}
