//! The number of objects that a call of a kernel makes, as its text shows it: a device keeps room for so many.
//!
//! Safety does not depend on it: `Spawn::push` counts on the device. Where the text does not show the number, the host
//! runs the kernel.

use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Expr, ExprClosure, ExprForLoop, ExprLoop, ExprMethodCall, ExprWhile, FnArg, Item, Pat};

use super::model::{Block, Method};
use super::often::{OF_OBJECTS, mentions, repeating};
use super::plain_name;

/// The most objects of a class that a call makes, or 0 if the text does not show it.
pub(super) fn most(block: &Block, method: &Method) -> u32 {
    let facts = &method.facts;
    let stores_later = |method: &Method| mentions("set_at_end", method.item.block.to_token_stream()) > 0;
    let is_known = |name: &str| {
        OF_OBJECTS.contains(&name) || block.methods.iter().any(|method| plain_name(&method.item.sig.ident) == name)
    };
    if facts.escapes
        || facts.hidden
        || block.methods.iter().any(stores_later)
        || !facts.calls.iter().all(|call| is_known(&plain_name(call)))
    {
        return 0;
    }
    let mut names = Vec::new();
    for input in &method.item.sig.inputs {
        let FnArg::Typed(typed) = input else { continue };
        if super::parse::class_in("Spawn", &typed.ty).is_some() {
            let Pat::Ident(name) = &*typed.pat else { return 0 };
            names.push(plain_name(&name.ident));
        }
    }
    let mut pushes = Pushes { names: &names, repeats: 0, found: 0 };
    pushes.visit_block(&method.item.block);
    let body = method.item.block.to_token_stream();
    let mentioned: u32 = names.iter().map(|name| mentions(name, body.clone())).sum();
    // Any other use of the parameter, and a push in a loop, may make more.
    if mentioned == pushes.found { pushes.found } else { 0 }
}

/// Counts `name.push(…)` where each is called once at most.
struct Pushes<'a> {
    names: &'a [String],
    /// The number of enclosing loops, closures and items.
    repeats: u32,
    found: u32,
}

impl Pushes<'_> {
    fn repeated(&mut self, visit: impl FnOnce(&mut Self)) {
        self.repeats += 1;
        visit(self);
        self.repeats -= 1;
    }
}

impl<'ast> Visit<'ast> for Pushes<'_> {
    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if let Expr::Path(path) = &*call.receiver
            && let Some(name) = path.path.get_ident()
            && self.names.contains(&plain_name(name))
            && call.method == "push"
            && self.repeats == 0
        {
            self.found += 1;
        }
        visit::visit_expr_method_call(self, call);
    }
    repeating!(
        visit_expr_for_loop: ExprForLoop,
        visit_expr_while: ExprWhile,
        visit_expr_loop: ExprLoop,
        visit_expr_closure: ExprClosure,
        visit_item: Item
    );
}
