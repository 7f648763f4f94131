//! Chains that a device runs as one kernel: `select` by a kernel of a block, and a reduction by another one.

use ikra_marks::uses;
use syn::{ReturnType, Type};

use super::arguments::arguments;
use super::model::{Block, Method, Receiver};

/// The kernels of a block that choose objects for a reduction by `method`. None if it cannot be in a chain.
pub(super) fn choosing<'b>(block: &'b Block, method: &Method) -> impl Iterator<Item = &'b Method> {
    let own = &method.item.sig.ident;
    let fits = method.kernel.as_ref().is_some_and(|options| !options.reducers.is_empty())
        && changes_nothing(method)
        && takes_values(block, method);
    block.methods.iter().filter(move |other| fits && other.item.sig.ident != *own && chooses(block, other))
}

/// Whether a method can choose objects for a kernel.
fn chooses(block: &Block, method: &Method) -> bool {
    let ReturnType::Type(_, ty) = &method.item.sig.output else { return false };
    let is_bool = matches!(&**ty, Type::Path(path) if path.path.is_ident("bool"));
    let is_for_one = method.kernel.as_ref().is_some_and(|options| options.pairs.is_none());
    is_bool && is_for_one && method.is_certain() && changes_nothing(method) && takes_values(block, method)
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
