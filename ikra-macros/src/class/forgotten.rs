//! Detects a forgotten `#[soa_class]`.
//!
//! Without the attribute no macro passes the class's fields to `#[soa_methods]`, and one mistake would produce many
//! errors. So every attribute that uses a class checks whether a class of this name was expanded. If not, it parses the
//! source file that contains it. If the struct is in the same module without the attribute, that is the only error
//! reported. A class of another package is treated alike: its methods and traits belong in that package. The check
//! stays silent in uncertain cases: a struct from a macro, an import, or under `cfg`.

use std::collections::HashSet;
use std::sync::Mutex;

use proc_macro_crate::FoundCrate;
use proc_macro2::{Ident, Span, TokenTree};
use syn::ext::IdentExt;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, Item, ItemStruct, Type};

/// Names of the classes expanded so far.
static MADE: Mutex<Option<HashSet<String>>> = Mutex::new(None);

/// Records that a class was expanded.
pub(super) fn found(class: &Ident) {
    if let Ok(mut made) = MADE.lock() {
        made.get_or_insert_default().insert(class.unraw().to_string());
    }
}

/// Whether a class of this name was expanded before.
pub(crate) fn is_made(class: &Ident) -> bool {
    let name = class.unraw().to_string();
    MADE.lock().is_ok_and(|made| made.as_ref().is_some_and(|made| made.contains(&name)))
}

/// The package of a class, if the class is evidently foreign: its path starts with a dependency's name, or a `use` in
/// the file imports it from one.
pub(super) fn package(class: &syn::Path) -> Option<String> {
    let is_dependency = |name: &str| {
        ["core", "std", "alloc"].contains(&name)
            || matches!(proc_macro_crate::crate_name(name), Ok(FoundCrate::Name(_)))
    };
    let root = &class.segments.first()?.ident;
    let is_simple = class.segments.len() == 1;
    if if is_simple { is_made(root) } else { !is_dependency(&root.unraw().to_string()) } {
        return None;
    }
    let text = std::fs::read_to_string(Span::call_site().local_file()?).ok()?;
    if is_simple && text.contains(&format!("struct {root}")) {
        return None;
    }
    package_in(&syn::parse_file(&text).ok()?, class, is_dependency)
}

fn package_in(file: &syn::File, class: &syn::Path, is_dependency: impl Fn(&str) -> bool) -> Option<String> {
    let roots = match class.segments.first() {
        Some(root) if class.segments.len() > 1 => vec![root.ident.unraw().to_string()],
        _ => {
            let mut imports = Imports { name: class.get_ident()?.unraw().to_string(), roots: Vec::new() };
            imports.visit_file(file);
            imports.roots
        }
    };
    let [root] = &*roots else { return None };
    let mut names = Names { name: root, found: false };
    names.visit_file(file);
    (!names.found && is_dependency(root)).then(|| root.clone())
}

/// The first segments of the paths in a file's imports of a name.
struct Imports {
    name: String,
    roots: Vec<String>,
}

impl<'i> Visit<'i> for Imports {
    fn visit_item_use(&mut self, item: &'i syn::ItemUse) {
        if let syn::UseTree::Path(path) = &item.tree
            && brings(&path.tree, &self.name)
        {
            self.roots.push(path.ident.unraw().to_string());
        }
    }
}

/// Whether an import brings a name into scope.
fn brings(tree: &syn::UseTree, name: &str) -> bool {
    match tree {
        syn::UseTree::Path(path) => brings(&path.tree, name),
        syn::UseTree::Name(last) => last.ident.unraw() == name,
        syn::UseTree::Rename(last) => last.rename.unraw() == name,
        syn::UseTree::Glob(_) => false,
        syn::UseTree::Group(group) => group.items.iter().any(|tree| brings(tree, name)),
    }
}

/// Whether a file defines or imports a module of a given name.
struct Names<'a> {
    name: &'a str,
    found: bool,
}

impl<'i> Visit<'i> for Names<'_> {
    fn visit_item_mod(&mut self, module: &'i syn::ItemMod) {
        self.found |= module.ident.unraw() == self.name;
        visit::visit_item_mod(self, module);
    }
    fn visit_item_use(&mut self, item: &'i syn::ItemUse) {
        self.found |= brings(&item.tree, self.name) && matches!(item.tree, syn::UseTree::Path(_));
    }
}

/// Finds the struct that evidently lacks `#[soa_class]`: it is in the same module as each item whose attribute `used`
/// takes it for a class.
pub(super) fn find(class: &Ident, used: &str) -> Option<ItemStruct> {
    let name = class.unraw().to_string();
    if MADE.lock().ok()?.as_ref().is_some_and(|made| made.contains(&name)) {
        return None;
    }
    let text = std::fs::read_to_string(Span::call_site().local_file()?).ok()?;
    if !text.contains(&format!("struct {name}")) {
        return None;
    }
    let file = syn::parse_file(&text).ok()?;
    let mut finder = Finder { class: name, used, found: None, is_unsure: false };
    finder.list(&file.items);
    finder.visit_file(&file);
    finder.found.filter(|_| !finder.is_unsure)
}

struct Finder<'a> {
    class: String,
    used: &'a str,
    found: Option<ItemStruct>,
    is_unsure: bool,
}

impl Finder<'_> {
    /// Checks the items of one module.
    fn list<'i>(&mut self, items: impl IntoIterator<Item = &'i Item> + Clone) {
        if !items.clone().into_iter().any(|item| self.uses(item)) {
            return;
        }
        let mut structs = items.into_iter().filter_map(|item| match item {
            Item::Struct(item) if item.ident.unraw() == self.class => Some(item),
            _ => None,
        });
        match (structs.next(), structs.next()) {
            (Some(item), None) if item.attrs.iter().all(is_inert) => self.found = Some(item.clone()),
            _ => self.is_unsure = true,
        }
    }

    /// Whether an item uses the class.
    fn uses(&self, item: &Item) -> bool {
        let is_used = |attrs: &[Attribute]| attrs.iter().any(|attr| is_named(attr, self.used));
        match item {
            Item::Impl(item) => {
                is_used(&item.attrs)
                    && matches!(&*item.self_ty, Type::Path(path) if path.path.get_ident().is_some_and(|name| name.unraw() == self.class))
            }
            Item::Trait(item) => item.attrs.iter().any(|attr| is_named(attr, self.used) && self.is_in_list(attr)),
            Item::Struct(item) => {
                let mut mentions = Mentions { class: &self.class, found: false };
                mentions.visit_fields(&item.fields);
                is_used(&item.attrs) && mentions.found
            }
            _ => false,
        }
    }

    /// Whether an attribute lists the class.
    fn is_in_list(&self, attr: &Attribute) -> bool {
        let is_class = |token: TokenTree| matches!(token, TokenTree::Ident(name) if name.unraw() == self.class);
        attr.meta.require_list().is_ok_and(|list| list.tokens.clone().into_iter().any(is_class))
    }
}

impl<'i> Visit<'i> for Finder<'_> {
    fn visit_item_mod(&mut self, module: &'i syn::ItemMod) {
        if let Some((_, items)) = &module.content {
            self.list(items);
        }
        visit::visit_item_mod(self, module);
    }
    fn visit_block(&mut self, block: &'i Block) {
        let items = block.stmts.iter().filter_map(|stmt| match stmt {
            syn::Stmt::Item(item) => Some(item),
            _ => None,
        });
        self.list(items);
        visit::visit_block(self, block);
    }
}

/// Whether a type names the class.
struct Mentions<'a> {
    class: &'a str,
    found: bool,
}

impl<'i> Visit<'i> for Mentions<'_> {
    fn visit_path(&mut self, path: &'i syn::Path) {
        self.found |= path.get_ident().is_some_and(|name| name.unraw() == self.class);
        visit::visit_path(self, path);
    }
}

/// Whether the attribute has this name, by any path.
fn is_named(attr: &Attribute, name: &str) -> bool {
    attr.path().segments.last().is_some_and(|last| last.ident == name)
}

/// Whether the attribute leaves the struct unchanged.
fn is_inert(attr: &Attribute) -> bool {
    ["derive", "doc", "repr", "must_use", "deprecated", "non_exhaustive", "allow", "expect", "warn", "deny", "forbid"]
        .iter()
        .any(|name| attr.path().is_ident(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_of_another_package_is_told_from_those_at_hand() {
        let package = |file: syn::File, class: syn::Path| package_in(&file, &class, |name| name == "shapes");
        let is_foreign = |file, class| package(file, class).as_deref() == Some("shapes");
        assert!(is_foreign(
            syn::parse_quote!(
                use shapes::Ball;
            ),
            syn::parse_quote!(Ball)
        ));
        assert!(is_foreign(
            syn::parse_quote!(
                use ::shapes::{
                    round::{Ball as Sphere},
                    Box,
                };
            ),
            syn::parse_quote!(Sphere)
        ));
        assert!(is_foreign(syn::parse_quote!(), syn::parse_quote!(shapes::Ball)));
        for file in [
            syn::parse_quote!(
                use crate::shapes::Ball;
            ),
            syn::parse_quote!(
                mod shapes;
                use shapes::Ball;
            ),
            syn::parse_quote!(
                use crate::model::shapes;
                use shapes::Ball;
            ),
            syn::parse_quote!(
                use shapes::Ball;
                mod of_another {
                    use super::other::Ball;
                }
            ),
            syn::parse_quote!(
                use shapes::*;
            ),
            syn::parse_quote!(
                use shapes::Ball as Sphere;
            ),
        ] {
            assert_eq!(package(file, syn::parse_quote!(Ball)), None);
        }
    }
}
