//! Writes the model of `examples/traffic` once for each layout of its arrays (INNER Fig. 11), and compiles all of them for the
//! GPU. Between two of them, nothing but attributes differs.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

/// An array of the figure.
struct Array {
    figure: char,
    class: &'static str,
    field: &'static str,
    /// How many elements are in columns, all of them last: where arrays have a fixed length, that is it.
    slots: &'static [u32],
    /// Whether the model asks for its length.
    has_length: bool,
}

const fn array(figure: char, class: &'static str, field: &'static str, slots: &'static [u32]) -> Array {
    Array { figure, class, field, slots, has_length: true }
}

/// By the letters of the figure.
const ARRAYS: [Array; 6] = [
    array('a', "Cell", "outgoing", &[0, 1, 2, 4]),
    array('b', "Cell", "incoming", &[0, 1, 2, 4]),
    Array { has_length: false, ..array('c', "Car", "path", &[0, 2, 4, 6, 10, 15, 30]) },
    array('d', "SmartTrafficLight", "groups", &[0, 2, 4]),
    array('e', "YieldController", "groups", &[0, 2, 4]),
    array('f', "SharedSignalGroup", "cells", &[0, 1, 4]),
];

impl Array {
    /// Elements that fit into columns.
    fn most(&self) -> u32 {
        self.slots[self.slots.len() - 1]
    }

    /// Where something of the class is in the model, from some place on.
    fn place(&self, model: &str, from: usize, what: &str) -> usize {
        let at = model[from..].find(what);
        from + at.unwrap_or_else(|| panic!("the model has no `{what}` for {}::{}", self.class, self.field))
    }

    /// The model with another attribute of the array.
    fn inlined(&self, model: &str, argument: &str) -> String {
        let class = self.place(model, 0, &format!("pub struct {} {{", self.class));
        let field = self.place(model, class, &format!("pub {}: InnerArray", self.field));
        assert!(field < self.place(model, class, "\n}\n"), "{} has no {}", self.class, self.field);
        const ATTRIBUTE: &str = "#[inline_array(";
        let begin = model[..field].rfind(ATTRIBUTE).expect("an attribute") + ATTRIBUTE.len();
        let end = self.place(model, begin, ")]");
        format!("{}{argument}{}", &model[..begin], &model[end..])
    }

    /// The model with an array of fixed length. Where it asks for the length there is a field for it.
    fn fixed(&self, model: &str, argument: &str) -> String {
        let Self { class, field, .. } = self;
        let model = self.inlined(model, argument).replace("#[inline_array()]", "#[inline_array]");
        let begin =
            self.place(&model, self.place(&model, 0, &format!("pub struct {class} {{")), &format!("pub {field}: "));
        let end = begin + model[begin..].find(",\n").expect("a field");
        let ty = model[begin..end].replace("InnerArray<", "[").replace(">>", &format!(">; {}]", self.most()));
        let length =
            if self.has_length { format!(",\n    /// Its length.\n    pub {field}_len: u32") } else { String::new() };
        let mut model = format!("{}{ty}{length}{}", &model[..begin], &model[end..]);
        if !self.has_length {
            return model;
        }
        // In the class's own methods, and of others.
        for header in [format!("\nimpl {class} {{"), format!("\nimpl Controller for {class} {{")] {
            let Some(begin) = model.find(&header) else { continue };
            let end = self.place(&model, begin, "\n}\n");
            let own = model[begin..end]
                .replace(&format!("self.{field}.len()"), &format!("self.{field}_len as usize"))
                .replace(&format!("self.{field}.iter()"), &format!("self.{field}.range(..self.{field}_len as usize)"));
            model.replace_range(begin..end, &own);
        }
        // Where the array of another object has a name, the object gets one too: it has the length.
        let (name, call) = (format!("let {field} = "), format!(".{field}();\n"));
        if let Some(begin) = model.find(&name) {
            let end = self.place(&model, begin, &call);
            let object = model[begin + name.len()..end].to_owned();
            model.replace_range(begin..end, &format!("let object = {object};\nlet {field} = object"));
            model = model
                .replace(&format!(" {field}.len()"), &format!(" object.{field}_len() as usize"))
                .replace(&format!(" {field}.iter()"), &format!(" {field}.iter().take(object.{field}_len() as usize)"));
        }
        model
            .replace(&format!(".{field}().len()"), &format!(".{field}_len() as usize"))
            .replace(&format!(".{field}().is_empty()"), &format!(".{field}_len() == 0"))
    }
}

fn main() {
    const MODEL: &str = "../../examples/traffic/src/model.rs";
    println!("cargo::rerun-if-changed={MODEL}");
    let model = fs::read_to_string(MODEL).expect(MODEL);
    let inner = model.lines().filter(|line| !line.starts_with("//!")).collect::<Vec<_>>().join("\n") + "\n";
    // Sums of the cars are no part of the figure.
    let inner = inner.replace("    #[kernel(reduce(Sum))]\n", "");
    let full = ARRAYS.iter().fold(inner, |model, array| array.inlined(&model, &array.most().to_string()));

    // What is not optimized is not measured: one of each kind, to see that it compiles. To count what kernels do takes no
    // layout but the first: all take long to compile.
    println!("cargo::rerun-if-env-changed=IKRA_BENCH_LAYOUTS");
    let is_counted = env::var("IKRA_BENCH_LAYOUTS").is_ok_and(|layouts| layouts == "few");
    let is_measured = !is_counted && env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let (mut modules, mut calls) = (String::new(), String::new());
    for (layout, attribute) in [("AoS", "#[soa_class(layout = \"aos\")]"), ("SoA", "#[soa_class]")] {
        let model = full.replace("#[soa_class]", attribute);
        // The kind of each array, and of each class that has one the field for the length of its fixed array.
        let mut add = |array: Option<&Array>, inlined: &str, is_fixed: bool, text: &str| {
            let figure = array.map_or('x', |array| array.figure);
            let name = array.map_or("all arrays".to_owned(), |array| format!("{}::{}", array.class, array.field));
            let module = format!("{}_{figure}_{}", layout.to_lowercase(), inlined.replace(' ', "_"));
            let _ = writeln!(modules, "/// {layout}, {inlined}: `{name}`.\npub mod {module} {{\n{text}}}");
            let kinds = ARRAYS.map(|other| if is_fixed && other.figure == figure { "fixed" } else { "any" });
            let length = |class: &str| match array {
                Some(array) if is_fixed && array.has_length && array.class == class => format!("{}_len", array.field),
                _ => String::new(),
            };
            let lengths = ["Cell", "SmartTrafficLight", "YieldController", "SharedSignalGroup"]
                .map(|class| format!("[{}]", length(class)));
            let _ = writeln!(
                calls,
                "        $one!({module}, \"{layout}\", '{figure}', \"{name}\", \"{inlined}\", {}, {});",
                kinds.join(" "),
                lengths.join(" ")
            );
        };
        // All inlined, which is a bar of each figure.
        add(None, "all", false, &model);
        for array in ARRAYS.iter().filter(|_| !is_counted) {
            let slots = match (is_measured, layout) {
                (true, _) => &array.slots[..array.slots.len() - 1],
                (false, "SoA") => &array.slots[..1],
                (false, _) => &[],
            };
            for slots in slots.iter().map(u32::to_string) {
                add(Some(array), &slots, false, &array.inlined(&model, &slots));
            }
            if is_measured || layout == "SoA" {
                add(Some(array), "array", true, &array.fixed(&model, ""));
            }
            // In AoS these are the same.
            if is_measured && layout == "SoA" {
                add(Some(array), "object", true, &array.fixed(&model, "object"));
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
