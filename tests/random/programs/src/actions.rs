//! The operations of a program between its kernels, on the world and on its model.

use std::fmt::Write as _;

use crate::classes::{Class, Kind, NAMES, OBJECTS};

/// The function that applies one of many operations to the objects of a class.
pub(crate) fn of(class: usize, Class { name, options, fields }: &Class) -> String {
    let (objects, module) = (OBJECTS[class], name.to_lowercase());
    // Operations that change the number of objects, or the length of arrays; then all others.
    let mut growing = vec![
        format!(
            "let n = twin.{objects}.len(); world.{objects}.push(row_{class}(n)).unwrap(); twin.{objects}.push(plain::{name}::start(n));"
        ),
        format!(
            "let n = twin.{objects}.len(); let more = mix(h, 3) as usize % 40; world.{objects}.extend((n..n + more).map(row_{class})).unwrap(); twin.{objects}.extend((n..n + more).map(plain::{name}::start));"
        ),
        format!(
            "let n = mix(h, 3) as usize % 999; world.{objects}.write(link, row_{class}(n)).unwrap(); let mut row = plain::{name}::start(n); row.__id = i; twin.{objects}[i] = row;"
        ),
    ];
    let mut others = Vec::new();
    for field in fields {
        let (field, kind) = (&field.name, field.kind);
        let own = format!("twin.{objects}[i].{field}");
        let link_to = |class: usize| {
            format!(
                "let k = mix(h, 4) as usize % twin.{}.len(); let to = Link::<{}>::from_index(k).unwrap();",
                OBJECTS[class], NAMES[class]
            )
        };
        match kind {
            Kind::Number(_) | Kind::Value(_) | Kind::Enum | Kind::Vector(..) => {
                others.push(format!("let v = make(h); world.set(link, model::{module}::{field}, v); {own} = v;"));
                others.push(format!("let v = make(h); world.get_mut(link).{field} = v; {own} = v;"));
                others.push(format!(
                    "let (mut a, mut b) = (Vec::new(), Vec::new()); world.get(link).{field}().dump(&mut a); {own}.dump(&mut b); if a != b {{ report(format!(\"{name}::{field} of {{i}} is {{a:?}}, not {{b:?}}\")); }}"
                ));
                if !options.contains("layout") && kind != Kind::Value(true) {
                    others.push(format!(
                        "let v = make(h); world.{objects}.column_mut(model::{module}::{field})[i] = v; {own} = v;"
                    ));
                    others.push(format!(
                        "let (mut a, mut b) = (Vec::new(), Vec::new()); world.{objects}.column(model::{module}::{field})[i].dump(&mut a); {own}.dump(&mut b); if a != b {{ report(format!(\"{name}::{field} of {{i}} is {{a:?}}, not {{b:?}}\")); }}"
                    ));
                }
            }
            Kind::Array(_, form) => {
                if form.len().is_none() {
                    growing.push(format!(
                        "let v: Vec<_> = (0..len(h)).map(|k| make(mix(h, k as u64))).collect(); world.{objects}.set_array(model::{module}::{field}, link, &v).unwrap(); {own} = plain::Array(v);"
                    ));
                }
                others.push(format!("let v = make(h); world.get_mut(link).{field}.fill(v); {own}.fill(v);"));
                others.push(format!(
                    "let (mut a, mut b) = (Vec::new(), Vec::new()); world.get(link).{field}().iter().for_each(|x| x.dump(&mut a)); {own}.iter().for_each(|x| x.dump(&mut b)); if a != b {{ report(format!(\"{name}::{field} of {{i}} is {{a:?}}, not {{b:?}}\")); }}"
                ));
            }
            Kind::Link(class) => {
                let to = link_to(class);
                others.push(format!("{to} world.set(link, model::{module}::{field}, to); {own} = RefOf::at(k);"));
            }
            Kind::Maybe(class) => {
                let to = link_to(class);
                others.push(format!(
                    "{to} world.set(link, model::{module}::{field}, Some(to)); {own} = Some(RefOf::at(k));"
                ));
                others.push(format!("world.get_mut(link).{field} = None; {own} = None;"));
            }
            Kind::Links(class, form) => {
                let to = link_to(class);
                if form.len().is_none() {
                    growing.push(format!(
                        "{to} world.{objects}.set_array(model::{module}::{field}, link, &vec![to; len(h)]).unwrap(); {own} = plain::Array(vec![RefOf::at(k); len(h)]);"
                    ));
                }
                others.push(format!(
                    "{to} if {own}.len() > 0 {{ world.get_mut(link).{field}[0] = to; {own}.set(0, RefOf::at(k)); }}"
                ));
            }
            Kind::Atomic(_) => {
                others.push(format!("let v = make(h); world.get(link).{field}().store(v); {own}.store(v);"));
            }
            Kind::Actor => {
                others.push(format!("world.set(link, model::{module}::{field}, actor_link(h)); {own} = actor(h);"));
            }
            Kind::Edges(class, _) => {
                let to = link_to(class);
                others.push(format!(
                    "{to} if {own}.len() > 0 {{ world.get_mut(link).{field}[0].to = to; {own}.0[0].to = RefOf::at(k).link(); }}"
                ));
            }
            Kind::MaybeActor | Kind::AtomicArray(..) | Kind::Claim(_) => {}
        }
    }
    let arms = |all: &[String]| -> String {
        all.iter().enumerate().fold(String::new(), |mut text, (n, action)| {
            let _ = writeln!(text, "{n} => {{ {action} }}");
            text
        })
    };
    format!(
        "fn act_{class}(world: &mut model::World, twin: &mut plain::World, h: u64, may_grow: bool, report: &mut dyn FnMut(String)) {{
let i = mix(h, 1) as usize % twin.{objects}.len();
let link = Link::<{name}>::from_index(i).unwrap();
if may_grow && mix(h, 5) % 4 == 0 {{
match mix(h, 2) % {} {{
{}_ => unreachable!(),
}}
}} else {{
match mix(h, 2) % {} {{
{}_ => unreachable!(),
}}
}}
}}
",
        growing.len(),
        arms(&growing),
        others.len(),
        arms(&others)
    )
}
