//! The crates' source text as tokens; comments, strings and tests are not counted.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::modules;

/// One crate's source.
pub struct Source {
    /// The tokens of each module file, by its path: `storage::inner` for `storage/inner.rs`.
    pub modules: BTreeMap<Vec<String>, Vec<TokenTree>>,
    /// All files, with their text.
    pub files: Vec<(PathBuf, String)>,
    /// Lines of test modules, in their own files or inline.
    pub test_lines: usize,
}

impl Source {
    /// Reads all files below a folder.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let mut source = Self { modules: BTreeMap::new(), files: Vec::new(), test_lines: 0 };
        let mut tests = Vec::new();
        source.add(folder, &mut Vec::new(), &mut tests)?;
        // Test modules in their own files, which are found in any order.
        for path in tests {
            if source.modules.remove(&path).is_some() {
                let file = folder.join(path.join("/")).with_extension("rs");
                let text = source.files.iter().find(|(known, _)| *known == file).map_or("", |(_, text)| text);
                source.test_lines += text.lines().count();
            }
        }
        Ok(source)
    }

    fn add(&mut self, folder: &Path, path: &mut Vec<String>, tests: &mut Vec<Vec<String>>) -> Result<(), String> {
        let shown = |error| format!("{}: {error}", folder.display());
        for entry in fs::read_dir(folder).map_err(shown)? {
            let file = entry.map_err(shown)?.path();
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if name != "lib" {
                path.push(name.clone());
            }
            if file.is_dir() {
                self.add(&file, path, tests)?;
            } else if file.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&file).map_err(shown)?;
                let tokens: TokenStream = text.parse().map_err(|error| format!("{}: {error}", file.display()))?;
                let (kept, lines, modules) = without_tests(tokens);
                self.modules.insert(path.clone(), kept);
                self.test_lines += lines;
                tests.extend(modules.into_iter().map(|module| [path.as_slice(), &[module]].concat()));
                self.files.push((file, text));
            }
            if name != "lib" {
                path.pop();
            }
        }
        Ok(())
    }

    /// All tokens in order, with groups flattened.
    pub fn tokens(&self) -> Vec<TokenTree> {
        self.modules.values().flat_map(|tokens| flat(tokens)).collect()
    }

    /// For each module of the crate's root, the other modules that it imports from.
    ///
    /// Imports of a child module count for the root module that contains it.
    pub fn imports(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut imports = BTreeMap::<String, BTreeSet<String>>::new();
        for (path, tokens) in &self.modules {
            let Some(importer) = path.first() else { continue };
            for imported in modules::imported(&flat(tokens)) {
                if imported != *importer && self.modules.contains_key(&vec![imported.clone()]) {
                    imports.entry(importer.clone()).or_default().insert(imported);
                }
            }
        }
        imports
    }
}

/// Tokens, with the tokens of groups between their delimiters.
pub fn flat(tokens: &[TokenTree]) -> Vec<TokenTree> {
    let mut all = Vec::new();
    for token in tokens {
        all.push(token.clone());
        if let TokenTree::Group(group) = token {
            all.extend(flat(&group.stream().into_iter().collect::<Vec<_>>()));
        }
    }
    all
}

/// Whether a token is this word or punctuation.
pub fn is(token: Option<&TokenTree>, text: &str) -> bool {
    match token {
        Some(TokenTree::Ident(ident)) => ident == text,
        Some(TokenTree::Punct(punct)) => text.len() == 1 && text.starts_with(punct.as_char()),
        _ => false,
    }
}

/// The tokens of a file without its test modules, the number of lines of these modules, and the names of test modules
/// in other files.
fn without_tests(tokens: TokenStream) -> (Vec<TokenTree>, usize, Vec<String>) {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let (mut kept, mut lines, mut modules) = (Vec::new(), 0, Vec::new());
    let mut n = 0;
    while n < tokens.len() {
        let is_test = matches!(&tokens[n..], [TokenTree::Punct(_), TokenTree::Group(attribute), ..]
            if attribute.to_string().replace(' ', "") == "[cfg(test)]");
        if is_test {
            // Up to the body, or to the semicolon of a module in another file.
            let ends = |token: &TokenTree| match token {
                TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                token => is(Some(token), ";"),
            };
            let end = tokens[n..].iter().position(ends).map_or(tokens.len(), |end| n + end + 1);
            let test = &tokens[n..end];
            lines += test[test.len() - 1].span().end().line - test[0].span().start().line + 1;
            if let [.., mark, TokenTree::Ident(name), TokenTree::Punct(_)] = test
                && is(Some(mark), "mod")
            {
                modules.push(name.to_string());
            }
            n = end;
        } else {
            kept.push(tokens[n].clone());
            n += 1;
        }
    }
    (kept, lines, modules)
}

#[cfg(test)]
mod tests {
    use super::without_tests;

    #[test]
    fn modules_for_tests_do_not_count() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n#[cfg(test)]\nmod more;\nfn c() {}\n";
        let (kept, lines, modules) = without_tests(text.parse().expect("tokens"));
        let kept: Vec<_> = kept.iter().map(|token| token.to_string().replace(' ', "")).collect();
        assert_eq!(kept, ["fn", "a", "()", "{}", "fn", "c", "()", "{}"]);
        assert_eq!((lines, modules), (6, vec!["more".to_owned()]));
    }
}
