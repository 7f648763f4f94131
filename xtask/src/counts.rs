//! Numbers that should not grow: the concepts that a reader has to learn, and the dependencies between modules.

use std::path::Path;

use proc_macro2::TokenTree;

use crate::budgets::{BUDGETS, Budget, CRATES, MOST_LINES};
use crate::modules::largest_cycle;
use crate::proofs::proofs;
use crate::run::Outcome;
use crate::source::{Source, flat, is};

/// The numbers that have budgets.
#[derive(Default)]
pub struct Counts {
    lines: usize,
    traits: usize,
    hidden: usize,
    names_in_rt: usize,
    inlined: usize,
    long_files: Vec<String>,
    /// SAFETY comments, and the number that only forward.
    proofs: (usize, usize),
    circle: usize,
}

impl Counts {
    /// The numbers of a crate.
    fn of(source: &Source) -> Self {
        let tokens = source.tokens();
        let long = source.files.iter().filter(|(_, text)| text.lines().count() > MOST_LINES);
        let proofs = source.files.iter().map(|(_, text)| proofs(text));
        Self {
            lines: source.files.iter().map(|(_, text)| text.lines().count()).sum::<usize>() - source.test_lines,
            traits: traits(&tokens),
            hidden: attributes(&tokens, "doc", "(hidden)"),
            names_in_rt: names_in_rt(source),
            inlined: attributes(&tokens, "inline", "(always)"),
            long_files: long.map(|(path, text)| format!("{}: {}", path.display(), text.lines().count())).collect(),
            proofs: proofs.fold((0, 0), |(all, forwarding), (a, f)| (all + a, forwarding + f)),
            circle: largest_cycle(&source.imports()).len().max(1),
        }
    }

    /// Adds the numbers of another crate.
    fn add(&mut self, other: Self) {
        self.lines += other.lines;
        self.traits += other.traits;
        self.hidden += other.hidden;
        self.names_in_rt += other.names_in_rt;
        self.inlined += other.inlined;
        self.long_files.extend(other.long_files);
        self.proofs = (self.proofs.0 + other.proofs.0, self.proofs.1 + other.proofs.1);
        self.circle = self.circle.max(other.circle);
    }

    /// The numbers, in the order of [`BUDGETS`].
    pub fn figures(&self) -> [usize; 8] {
        let (all, forwarding) = self.proofs;
        let forwarding = (forwarding * 1000).div_ceil(all.max(1));
        let Self { lines, traits, hidden, names_in_rt, inlined, circle, .. } = *self;
        [lines, traits, hidden, names_in_rt, inlined, self.long_files.len(), forwarding, circle]
    }
}

/// Prints them, and fails above a budget.
pub fn counts() -> Outcome {
    println!(
        "| crate | lines | of unit tests | traits | `#[doc(hidden)]` | public modules | lines for the device or not | `#[inline(always)]` | SAFETY comments, only forwarding | largest circle of imports |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |");
    let mut all = Counts::default();
    for (name, folder, _) in CRATES {
        let source = Source::read(Path::new(folder))?;
        let counts = Counts::of(&source);
        let circle: Vec<_> = largest_cycle(&source.imports()).into_iter().collect();
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} | {} | {}, {} | {}: {} |",
            counts.lines,
            source.test_lines,
            counts.traits,
            counts.hidden,
            public_modules(&source),
            targets(&source.tokens()),
            counts.inlined,
            counts.proofs.0,
            counts.proofs.1,
            circle.len(),
            circle.join(", ")
        );
        all.add(counts);
    }
    println!("\n| budget | now | at most | goal |\n| --- | ---: | ---: | ---: |");
    for (now, Budget { what, most, goal }) in all.figures().into_iter().zip(BUDGETS) {
        let lower = if now < most { " (lower the budget)" } else { "" };
        println!("| {what} | {now} | {most}{lower} | {goal} |");
    }
    for file in &all.long_files {
        println!("more than {MOST_LINES} lines: {file}");
    }
    within(&all)
}

/// Checks that all numbers are within their budgets.
///
/// # Errors
///
/// Names the numbers that exceed their budgets.
fn within(counts: &Counts) -> Outcome {
    let figures = counts.figures().into_iter().zip(BUDGETS);
    let over: Vec<_> = figures
        .filter(|(now, budget)| *now > budget.most)
        .map(|(now, Budget { what, most, .. })| format!("{what}: {now}, and the budget is {most}"))
        .collect();
    if over.is_empty() {
        return Ok(());
    }
    Err(format!("{}; remove as many elsewhere, or give a reason and change xtask/src/budgets.rs", over.join("; ")))
}

/// Trait definitions, including those in macros.
fn traits(tokens: &[TokenTree]) -> usize {
    tokens.windows(2).filter(|two| is(two.first(), "trait") && matches!(two[1], TokenTree::Ident(_))).count()
}

/// Attributes of this name, with an argument in brackets.
fn attributes(tokens: &[TokenTree], name: &str, argument: &str) -> usize {
    let has_argument = |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.to_string() == argument);
    tokens.windows(2).filter(|two| is(two.first(), name) && has_argument(&two[1])).count()
}

/// Public modules of the crate's root.
fn public_modules(source: &Source) -> usize {
    // The host-only modules of `ikra-gpu` and `ikra` are declared in a file of their own.
    let roots = [vec![], vec!["host".to_owned()]];
    let roots = roots.iter().filter_map(|root| source.modules.get(root));
    roots.map(|root| root.windows(2).filter(|two| is(two.first(), "pub") && is(two.get(1), "mod")).count()).sum()
}

/// Conditions on whether the target is the device.
fn targets(tokens: &[TokenTree]) -> usize {
    tokens.windows(3).filter(|three| is(three.first(), "target_arch") && three[2].to_string() == "\"nvptx64\"").count()
}

/// The items that the macros' code may name.
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

/// The names that a `use` imports: the last segment of each path.
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

    use super::{Counts, within};
    use crate::budgets::{BUDGETS, CRATES};
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

    #[test]
    fn the_library_is_within_its_budgets() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder of the repository");
        let mut all = Counts::default();
        for (_, folder, _) in CRATES {
            all.add(Counts::of(&Source::read(&root.join(folder)).expect("the sources can be read")));
        }
        assert!(all.lines > 10_000, "the sources were found");
        if let Err(message) = within(&all) {
            panic!("{message}");
        }
    }

    #[test]
    fn what_is_above_a_budget_is_named() {
        let all = Counts { traits: BUDGETS[1].most + 1, ..Counts::default() };
        let message = within(&all).unwrap_err();
        assert!(
            message.starts_with(&format!("traits: {}, and the budget is {}; ", all.traits, BUDGETS[1].most)),
            "{message}"
        );
    }

    /// Libraries without tests declare that, so that they are not compiled again only to find no tests.
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

    /// All source files in a folder, except programs.
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
