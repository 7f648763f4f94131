use quote::ToTokens;

use super::*;

/// A body after all paths to a loop's next iteration were joined, without spaces.
fn joined(body: &str) -> String {
    let mut body: Block = syn::parse_str(&format!("{{ {body} }}")).unwrap();
    join(&mut body);
    let text = body.to_token_stream().to_string();
    syn::parse_str::<Block>(&text).unwrap();
    let text = text.replace("# [allow (unreachable_code)] :: ikra :: rt :: turn_end () ;", "END;");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_turn_with_several_ends_has_one() {
    for (body, expected) in [
        (
            "for x in y { if x { continue; } f(); }",
            "{ for x in y { '__turn1 : { if x { break '__turn1 ; } f () ; } END; } }",
        ),
        (
            "while a { if x { break; } let Some(y) = x else { continue }; }",
            "{ '__around1 : while a { '__turn1 : { if x { break '__around1 ; } \
             let Some (y) = x else { break '__turn1 } ; } END; } }",
        ),
        (
            "'a: loop { if x { continue 'a; } break 3; }",
            "{ 'a : loop { '__turn1 : { if x { break '__turn1 ; } break 'a 3 ; } END; } }",
        ),
        ("for x in y { if x { f(); } }", "{ for x in y { { if x { f () ; } } END; } }"),
        (
            "loop { match x { 0 => break, 1 => g(), _ => f() } }",
            "{ loop { { match x { 0 => break , 1 => g () , _ => f () } } END; } }",
        ),
        (
            "'a: for x in y { for z in x { if z { continue 'a; } } f(); }",
            "{ 'a : for x in y { '__turn1 : { for z in x { if z { break '__turn1 ; } } f () ; } END; } }",
        ),
    ] {
        assert_eq!(joined(body), expected, "{body}");
    }
}

#[test]
fn other_loops_stay_as_they_are() {
    for body in [
        "for x in y { f(x); }",
        "for x in y { if x { break; } f(x); }",
        "loop { f(); if x { break; } }",
        "loop { match x { 0 => break, 1 => return, _ => f() } }",
        "for x in y { for z in x { f(z); } }",
        "loop { let f = || for x in y { f(x); }; }",
        "f(); fn g() { for x in y { if x { continue; } } }",
    ] {
        let same: Block = syn::parse_str(&format!("{{ {body} }}")).unwrap();
        let same = same.to_token_stream().to_string().split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(joined(body).replace("END;", "?"), same, "{body}");
    }
}

#[test]
fn a_macro_that_may_leave_a_loop_still_can() {
    for body in [
        "for x in y { leave!(x); if x { continue; } }",
        "for x in y { assert!(if x { break } else { true }); if x { continue; } }",
    ] {
        let text = joined(body);
        assert!(text.contains("continue") && !text.contains("__turn") && text.contains("END"), "{text}");
    }
    let text = joined("for x in y { assert!(x); if x { continue; } }");
    assert!(text.contains("break '__turn1"), "{text}");
}

#[test]
fn a_label_that_is_used_again_is_the_inner_loops() {
    let text = joined("'a: for x in y { 'a: for z in x { if z { continue 'a; } f(); } if x { continue; } }");
    assert_eq!(text.matches("break '__turn1").count(), 1, "{text}");
    assert_eq!(text.matches("break '__turn2").count(), 1, "{text}");
}
