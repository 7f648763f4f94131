//! Writes the model of `examples/traffic` once for each layout of its arrays (INNER Fig. 11), and compiles all of them for the
//! GPU. Between two of them, nothing but attributes differs.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

/// The arrays by the letters of the figure: class, field, and how many elements are in columns, all of them last.
const ARRAYS: [(char, &str, &str, &[u32]); 6] = [
    ('a', "Cell", "outgoing", &[0, 1, 2, 4]),
    ('b', "Cell", "incoming", &[0, 1, 2, 4]),
    ('c', "Car", "path", &[0, 2, 4, 6, 10, 15, 30]),
    ('d', "SmartTrafficLight", "groups", &[0, 2, 4]),
    ('e', "YieldController", "groups", &[0, 2, 4]),
    ('f', "SharedSignalGroup", "cells", &[0, 1, 4]),
];

/// Changes the attribute of an array.
fn inline(model: &str, class: &str, field: &str, slots: u32) -> String {
    let place = |from: usize, what: &str| {
        from + model[from..].find(what).unwrap_or_else(|| panic!("the model has no `{what}` for {class}::{field}"))
    };
    let class_begin = place(0, &format!("pub struct {class} {{"));
    let field_begin = place(class_begin, &format!("pub {field}: InnerArray"));
    assert!(field_begin < place(class_begin, "\n}\n"), "{class} has no {field}");
    const ATTRIBUTE: &str = "#[inline_array(";
    let begin = model[..field_begin].rfind(ATTRIBUTE).expect("an attribute") + ATTRIBUTE.len();
    let end = place(begin, ")]");
    format!("{}{slots}{}", &model[..begin], &model[end..])
}

fn main() {
    const MODEL: &str = "../../examples/traffic/src/model.rs";
    println!("cargo::rerun-if-changed={MODEL}");
    let model = fs::read_to_string(MODEL).expect(MODEL);
    let inner = model.lines().filter(|line| !line.starts_with("//!")).collect::<Vec<_>>().join("\n") + "\n";
    // Sums of the cars are no part of the figure.
    let inner = inner.replace("    #[kernel(reduce(Sum))]\n", "");
    let full = ARRAYS
        .iter()
        .fold(inner, |model, &(_, class, field, slots)| inline(&model, class, field, slots[slots.len() - 1]));

    // What is not optimized is not measured: one of each kind, to see that it compiles.
    let is_measured = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let (mut modules, mut calls) = (String::new(), String::new());
    for (layout, attribute) in [("AoS", "#[soa_class(layout = \"aos\")]"), ("SoA", "#[soa_class]")] {
        let model = full.replace("#[soa_class]", attribute);
        let mut add = |figure: char, slots: u32, class: &str, field: &str, text: &str| {
            let module = format!("{}_{figure}_{slots}", layout.to_lowercase());
            let _ = writeln!(
                modules,
                "/// {layout}, {slots} inlined elements of `{class}::{field}`.\npub mod {module} {{\n{text}}}"
            );
            let _ =
                writeln!(calls, "        $one!({module}, \"{layout}\", '{figure}', \"{class}::{field}\", {slots});");
        };
        // All inlined, which is a bar of each figure.
        add('x', 0, "all", "arrays", &model);
        for (figure, class, field, slots) in ARRAYS {
            let slots = match (is_measured, layout) {
                (true, _) => &slots[..slots.len() - 1],
                (false, "SoA") => &slots[..1],
                (false, _) => &[],
            };
            for &slots in slots {
                add(figure, slots, class, field, &inline(&model, class, field, slots));
            }
        }
    }
    let text = format!(
        "{modules}\n/// Calls a macro for each layout.\n#[cfg(not(target_arch = \"nvptx64\"))]\nmacro_rules! for_each_layout {{\n    \
         ($one:ident) => {{\n{calls}    }};\n}}\n#[cfg(not(target_arch = \"nvptx64\"))]\npub(crate) use for_each_layout;\n"
    );
    let out = Path::new(&env::var_os("OUT_DIR").expect("a build script")).join("layouts.rs");
    // A file that is written anew counts as changed.
    if fs::read_to_string(&out).is_ok_and(|old| old == text) {
        return ikra_build::device(&out);
    }
    fs::write(&out, text).expect("OUT_DIR");
    ikra_build::device(&out);
}
