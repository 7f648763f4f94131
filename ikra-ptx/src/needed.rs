//! The parts of a module that a kernel needs.

use std::collections::HashSet;

use crate::{Function, Item, Module, program::Value};

/// The module of a kernel alone: with the functions and variables that it names, directly or through others.
pub(crate) fn module(whole: &Module, kernel: Function) -> Module {
    let mut needed: HashSet<&str> = HashSet::new();
    let mut open: Vec<&str> = Vec::new();
    symbols(&kernel, &mut |name| open.push(name));
    // A module may declare a name and define it later.
    while let Some(name) = open.pop() {
        if !needed.insert(name) {
            continue;
        }
        for item in &whole.items {
            match item {
                Item::Function(function) if function.name == name => symbols(function, &mut |name| open.push(name)),
                Item::Variable(variable) if variable.name == name => {
                    variable.value.iter().for_each(|value| mentioned(value, &mut |name| open.push(name)));
                }
                _ => {}
            }
        }
    }
    let items = whole.items.iter().filter(|item| match item {
        Item::Directive(_) => true,
        Item::Variable(variable) => needed.contains(variable.name.as_str()),
        // A kernel is launched and not called, but its address may be taken.
        Item::Function(function) => needed.contains(function.name.as_str()),
        // Data for debuggers and for tools describe the whole module.
        Item::Annotation(_) | Item::Section(_) => false,
    });
    let mut items: Vec<Item> = items.cloned().collect();
    items.push(Item::Function(Box::new(kernel)));
    Module { items }
}

/// Shows the names of the module's parts in a function: its parameters and variables hide them.
fn symbols<'f>(function: &'f Function, show: &mut impl FnMut(&'f str)) {
    let parameters = function.parameters.iter().map(|parameter| parameter.name.as_str());
    let variables = function.body.iter().flat_map(|body| &body.variables).map(|variable| variable.name.as_str());
    let own: HashSet<&str> = parameters.chain(variables).collect();
    for (_, one) in function.body.iter().flat_map(|body| body.instructions()) {
        one.for_each_symbol(&mut |name| {
            if !own.contains(name) {
                show(name);
            }
        });
    }
}

fn mentioned<'v>(value: &'v Value, show: &mut impl FnMut(&'v str)) {
    match value {
        Value::Address(name, _) | Value::Generic(name, _) => show(name),
        Value::List(all) => all.iter().for_each(|one| mentioned(one, show)),
        Value::Integer(_) | Value::Float(_) => {}
    }
}
