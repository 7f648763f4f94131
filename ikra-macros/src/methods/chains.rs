//! Chains that the model names: `#[kernel(reduce(Sum), after(is_jammed))]`.

use ikra_marks::uses;
use syn::{Ident, ReturnType, Type};

use super::arguments::arguments;
use super::model::{Block, Method, Receiver};
use crate::diagnostics::Errors;

/// Checks the kernels of `after(…)`. Forgets those of a kernel with a mistake, so that it is reported once.
pub(super) fn check(block: &mut Block, errors: &mut Errors) {
    for n in 0..block.methods.len() {
        let method = &block.methods[n];
        let Some(mistakes) = method.kernel.as_ref().map(|options| mistakes(block, method, &options.after)) else {
            continue;
        };
        let is_wrong = !mistakes.is_empty();
        for (at, message) in mistakes {
            errors.at(at, message);
        }
        if let Some(options) = block.methods[n].kernel.as_mut().filter(|_| is_wrong) {
            options.after.clear();
        }
    }
}

/// The mistakes in a kernel's `after(…)`, with their places.
fn mistakes(block: &Block, method: &Method, after: &[Ident]) -> Vec<(Ident, String)> {
    let Some(first) = after.first() else { return Vec::new() };
    let has_reducers = method.kernel.as_ref().is_some_and(|options| !options.reducers.is_empty());
    let own = if !has_reducers {
        Some("`after` needs a reducer: `reduce(Sum), after(…)` makes one loop of a chain that ends with `reduce(Sum)`")
    } else if !changes_nothing(method) || !takes_values(block, method) {
        Some(
            "a kernel with `after` takes `&self` and values: no groups, no columns of results, no references; and it changes no `#[atomic]` field",
        )
    } else {
        None
    };
    let own = own.map(|message| (first.clone(), message.to_owned()));
    let others = after.iter().filter(|name| !block.named(name).is_some_and(|filter| chooses(block, filter)));
    let twice = after.iter().enumerate().filter(|&(n, name)| after[..n].contains(name));
    let twice = twice.map(|(_, name)| (name.clone(), "`after` names this kernel twice".to_owned()));
    own.into_iter()
        .chain(twice)
        .chain(others.map(|name| {
            (
                name.clone(),
                format!("`after` names a kernel of this block that chooses objects: `#[kernel] fn {name}(&self, …) -> bool`, which takes values and changes no `#[atomic]` field"),
            )
        }))
        .collect()
}

/// Whether a method can choose objects for a kernel.
fn chooses(block: &Block, method: &Method) -> bool {
    let ReturnType::Type(_, ty) = &method.item.sig.output else { return false };
    let is_bool = matches!(&**ty, Type::Path(path) if path.path.is_ident("bool"));
    let is_for_one = method.kernel.as_ref().is_some_and(|options| options.pairs.is_none());
    is_bool && is_for_one && changes_nothing(method) && takes_values(block, method)
}

/// Whether the text shows no change of an object.
fn changes_nothing(method: &Method) -> bool {
    let only_loads = |&(own, other): &(u16, u16)| (own | other) & !uses::LOAD == 0;
    method.receiver == Receiver::Shared && method.facts.uses.0.values().all(only_loads)
}

/// Whether all arguments are passed to a device by value.
fn takes_values(block: &Block, method: &Method) -> bool {
    let args = arguments(&block.class, &method.item.sig.generics, &method.parameters);
    args.generics.params.is_empty() && args.may_be_values()
}
