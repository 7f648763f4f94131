//! Numbers that should not grow: what a reader has to learn, and what ties modules together.

use std::path::Path;

use proc_macro2::TokenTree;

use crate::modules::largest_cycle;
use crate::run::Outcome;
use crate::source::{Source, flat, is};

/// The crates, and how many modules of each may import one another in a circle.
const CRATES: [(&str, &str, usize); 8] = [
    ("ikra", "src", 1),
    ("ikra-core", "ikra-core/src", 3),
    ("ikra-runtime", "ikra-runtime/src", 3),
    ("ikra-gpu", "ikra-gpu/src", 1),
    ("ikra-macros", "ikra-macros/src", 2),
    ("ikra-build", "ikra-build/src", 1),
    ("ikra-marks", "ikra-marks/src", 1),
    ("ikra-ptx", "ikra-ptx/src", 1),
];

/// Prints them.
pub fn counts() -> Outcome {
    println!(
        "| crate | lines | traits | `#[doc(hidden)]` | public modules | lines for the device or not | largest import cycle |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | --- |");
    let mut sums = [0; 5];
    for (name, folder, _) in CRATES {
        let source = Source::read(Path::new(folder))?;
        let tokens = source.tokens();
        let counts = [source.lines, traits(&tokens), hidden(&tokens), public_modules(&source), targets(&tokens)];
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum += count;
        }
        let cycle: Vec<_> = largest_cycle(&source.imports()).into_iter().collect();
        println!(
            "| {name} | {} | {}: {} |",
            counts.map(|count| count.to_string()).join(" | "),
            cycle.len(),
            cycle.join(", ")
        );
    }
    println!("| all | {} | |", sums.map(|count| count.to_string()).join(" | "));
    println!("\nnames in `ikra::rt`: {}", names_in_rt(&Source::read(Path::new("src"))?));
    Ok(())
}

/// Traits that are defined, in macros too.
fn traits(tokens: &[TokenTree]) -> usize {
    tokens.windows(2).filter(|two| is(two.first(), "trait") && matches!(two[1], TokenTree::Ident(_))).count()
}

/// Attributes that hide an item from the documentation.
fn hidden(tokens: &[TokenTree]) -> usize {
    let is_hidden = |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.to_string() == "(hidden)");
    tokens.windows(2).filter(|two| is(two.first(), "doc") && is_hidden(&two[1])).count()
}

/// Public modules of the crate's root.
fn public_modules(source: &Source) -> usize {
    // Those of `ikra-gpu` and `ikra` that only the host has are declared in a file of their own.
    let roots = [vec![], vec!["host".to_owned()]];
    let roots = roots.iter().filter_map(|root| source.modules.get(root));
    roots.map(|root| root.windows(2).filter(|two| is(two.first(), "pub") && is(two.get(1), "mod")).count()).sum()
}

/// Conditions on whether the target is the device.
fn targets(tokens: &[TokenTree]) -> usize {
    tokens.windows(3).filter(|three| is(three.first(), "target_arch") && three[2].to_string() == "\"nvptx64\"").count()
}

/// What the macros' code may name.
fn names_in_rt(source: &Source) -> usize {
    let mut names = 0;
    for tokens in source.modules.values() {
        for three in tokens.windows(3) {
            if let [mark, name, TokenTree::Group(body)] = three
                && is(Some(mark), "mod")
                && is(Some(name), "rt")
            {
                let body: Vec<_> = body.stream().into_iter().collect();
                for item in body.split(|token| is(Some(token), ";")) {
                    names += if item.iter().any(|token| is(Some(token), "use")) { leaves(&flat(item)) } else { 0 };
                    names += item.iter().filter(|token| is(Some(token), "fn")).count();
                }
            }
        }
    }
    names
}

/// Names that a `use` brings: the last of each path.
fn leaves(tokens: &[TokenTree]) -> usize {
    let ends = |n: usize| !is(tokens.get(n + 1), ":");
    let is_name = |token: &TokenTree| matches!(token, TokenTree::Ident(name) if *name != "pub" && *name != "use");
    let after_hash =
        |n: usize| n > 0 && matches!(&tokens[n - 1], TokenTree::Group(_)) && is(tokens.get(n.wrapping_sub(2)), "#");
    (0..tokens.len()).filter(|&n| is_name(&tokens[n]) && ends(n) && !after_hash(n)).count()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::CRATES;
    use crate::modules::largest_cycle;
    use crate::source::Source;

    #[test]
    fn modules_import_each_other_in_small_circles_only() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder of the repository");
        for (name, folder, most) in CRATES {
            let source = Source::read(&root.join(folder)).expect("the sources can be read");
            let cycle = largest_cycle(&source.imports());
            assert!(cycle.len().max(1) <= most, "{name}: {} modules, {most} at most: {cycle:?}", cycle.len());
        }
    }

    /// Libraries that have no tests say so, and are not compiled once more to find that out.
    #[test]
    fn libraries_that_are_not_tested_have_no_tests() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder of the repository");
        let manifest = std::fs::read_to_string(root.join("Cargo.toml")).expect("it can be read");
        let members =
            manifest.lines().find_map(|line| line.strip_prefix("members = ")).expect("the workspace has some");
        let mut untested = 0;
        for member in members.split('"').skip(1).step_by(2).map(|member| root.join(member)) {
            let manifest = std::fs::read_to_string(member.join("Cargo.toml")).expect("it can be read");
            let library =
                manifest.split("[lib]\n").nth(1).and_then(|after| after.split("\n[").next()).unwrap_or_default();
            let text = || text_of(&member.join("src"));
            assert!(!library.contains("doctest = false") || !text().contains("/// ```"), "{}", member.display());
            if library.lines().any(|line| line == "test = false") {
                untested += 1;
                assert!(!text().contains("#[test]"), "{}", member.display());
            }
        }
        assert!(untested > 5, "{untested}");
    }

    /// All source files in a folder, but programs.
    fn text_of(folder: &Path) -> String {
        let mut text = String::new();
        for entry in std::fs::read_dir(folder).expect("it can be read") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() && !path.ends_with("bin") {
                text.push_str(&text_of(&path));
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                text.push_str(&std::fs::read_to_string(&path).expect("it can be read"));
            }
        }
        text
    }
}
