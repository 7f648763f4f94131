//! Imports between modules.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenTree;

use crate::source::is;

/// The modules of the crate's root that paths with `crate::` lead to. Paths with `$crate::` are in macros, for other
/// crates.
pub fn imported(tokens: &[TokenTree]) -> Vec<String> {
    let mut imported = Vec::new();
    for (n, token) in tokens.iter().enumerate() {
        let is_path = is(Some(token), "crate") && is(tokens.get(n + 1), ":") && is(tokens.get(n + 2), ":");
        if !is_path || (n > 0 && is(tokens.get(n - 1), "$")) {
            continue;
        }
        match tokens.get(n + 3) {
            Some(TokenTree::Ident(name)) => imported.push(name.to_string()),
            // `use crate::{a::b, c};`
            Some(TokenTree::Group(group)) => {
                let parts: Vec<_> = group.stream().into_iter().collect();
                imported
                    .extend(parts.split(|part| is(Some(part), ",")).filter_map(|part| Some(part.first()?.to_string())));
            }
            _ => {}
        }
    }
    imported
}

/// The largest set of modules in which each imports every other, directly or indirectly; at least one module.
pub fn largest_cycle(imports: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    let reached: BTreeMap<_, _> = imports.keys().map(|module| (module, reached_from(module, imports))).collect();
    let cycle = |module: &String| -> BTreeSet<String> {
        let both = |other: &&String| reached.get(other).is_some_and(|back| back.contains(module));
        reached[module].iter().filter(both).cloned().collect()
    };
    imports.keys().map(cycle).max_by_key(BTreeSet::len).unwrap_or_default()
}

fn reached_from(module: &str, imports: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut todo: Vec<_> = imports.get(module).into_iter().flatten().collect();
    while let Some(next) = todo.pop() {
        if reached.insert(next.clone()) {
            todo.extend(imports.get(next).into_iter().flatten());
        }
    }
    reached
}
