//! Checks of methods that make and remove objects.

use quote::ToTokens;
use syn::{FnArg, ImplItemFn, ReturnType, Type};

use super::facts::Facts;
use super::model::{Parameter, Receiver};
use super::options::Options;
use super::rewrite;
use crate::diagnostics::Errors;

fn has_spawn(ty: &Type) -> bool {
    rewrite::has("Spawn", ty.to_token_stream())
}

/// Reports `Spawn`s of a kernel that no call can have. Returns whether there are some.
pub(super) fn spawns(item: &ImplItemFn, parameters: &[Parameter], options: &Options, errors: &mut Errors) -> bool {
    let mut found = false;
    for parameter in parameters.iter().filter(|parameter| has_spawn(&parameter.ty)) {
        let mistake = match &parameter.young {
            None => {
                "a kernel takes `Spawn<Class>` as a parameter of its own, one for each class; other functions may take it from there"
            }
            Some(_) if options.pairs.is_some() => {
                "a kernel for pairs makes no objects: let it note the pair in a field of `self`, and make them in the next kernel"
            }
            Some(_) => continue,
        };
        found = true;
        errors.at(&parameter.ty, mistake);
    }
    if let ReturnType::Type(_, ty) = &item.sig.output
        && has_spawn(ty)
    {
        found = true;
        errors.at(ty, "a `Spawn` lasts for one call, so a kernel cannot return it");
    }
    found
}

/// Reports a constructor's `Spawn`s. The constructor is then expanded without them.
pub(super) fn in_constructor(item: &mut ImplItemFn, parameters: &mut Vec<Parameter>, errors: &mut Errors) {
    let before = parameters.len();
    parameters.retain(|parameter| {
        let is_spawn = has_spawn(&parameter.ty);
        if is_spawn {
            errors.at(
                &parameter.ty,
                "a constructor makes one object and returns it; a kernel with `&self` or `&mut self` makes others",
            );
        }
        !is_spawn
    });
    if parameters.len() < before {
        let kept = |input: &FnArg| matches!(input, FnArg::Typed(typed) if !has_spawn(&typed.ty));
        item.sig.inputs = std::mem::take(&mut item.sig.inputs).into_iter().filter(kept).collect();
        item.block = syn::parse_quote!({ ::core::unimplemented!() });
        item.attrs.push(syn::parse_quote!(#[allow(unused_variables, clippy::unimplemented)]));
    }
}

/// Reports calls on `self` that remove it or store later, where they cannot. Returns whether there are some.
pub(super) fn calls(
    facts: &Facts,
    receiver: Receiver,
    parameters: &[Parameter],
    is_kernel: bool,
    errors: &mut Errors,
) -> bool {
    let makes = parameters.iter().any(|parameter| has_spawn(&parameter.ty));
    let mut found = false;
    for call in facts.calls.iter().filter(|&call| call == "remove" || call == "set_at_end") {
        let mistake = if receiver == Receiver::Shared {
            format!("`{call}` changes the object: take `&mut self`")
        } else if call == "set_at_end" && is_kernel && !makes {
            "`set_at_end` is for kernels with a parameter of type `Spawn<Class>`; this one assigns the field".to_owned()
        } else {
            continue;
        };
        found = true;
        errors.at(call, mistake);
    }
    found
}
