//! Calls in a body: methods, functions, and operations on atomic fields.

use std::ptr;

use proc_macro2::Ident;
use quote::quote;
use syn::visit::Visit;
use syn::{Expr, ExprCall, ExprMethodCall};

use super::{Name, Names, Walk};
use crate::methods::facts::{Called, How, Read};
use crate::methods::names::{self, Is, Operation};
use crate::methods::place::{Place, own};
use crate::methods::{Shown, plain_name};

impl Walk<'_> {
    pub(super) fn operate_on(&mut self, name: &Name, bits: u16) {
        match name {
            Name::Own(name) => self.facts.uses.add(name, bits, 0),
            Name::Other(name) => self.facts.uses.add(name, 0, bits),
            Name::View | Name::Unknown => {}
        }
    }

    pub(super) fn operate(&mut self, operation: Operation, names: &[Name]) {
        for name in names {
            self.operate_on(name, operation.bits);
        }
        if operation.is_certain && names.iter().all(|name| *name == Name::Unknown) {
            self.unresolved |= operation.bits;
        }
    }

    pub(super) fn call(&mut self, name: &Ident, how: How) {
        let line = name.span().start().line;
        self.facts.called.insert(Called { name: plain_name(name), line, how });
    }

    pub(super) fn function_call(&mut self, call: &ExprCall) -> Names {
        let function = match &*call.func {
            Expr::Path(path) => path.path.segments.last().map(|last| &last.ident),
            _ => None,
        };
        let mut values = match function {
            Some(_) => {
                self.collect(|walk| walk.visit_expr(&call.func));
                Vec::new()
            }
            None => self.value(&call.func),
        };
        let given = std::mem::replace(&mut self.given, vec![Name::Unknown]);
        values.extend(self.collect(|walk| call.args.iter().for_each(|argument| walk.visit_expr(argument))));
        self.given = given;
        if let Some(function) = function {
            self.call(function, How::Function);
            // `Atomic::load(other.hits())`
            let count = call.args.len().checked_sub(1);
            if let Some(operation) = count.and_then(|count| names::atomic_operation(&plain_name(function), count)) {
                self.operate(operation, &values);
            }
        }
        values
    }

    pub(super) fn method_call(&mut self, call: &ExprMethodCall) -> Names {
        let name = plain_name(&call.method);
        if let Some(generics) = &call.turbofish {
            self.visit_angle_bracketed_generic_arguments(generics);
        }
        let arguments = |walk: &mut Self, given: Names| {
            let before = std::mem::replace(&mut walk.given, given);
            let found = walk.collect(|walk| call.args.iter().for_each(|argument| walk.visit_expr(argument)));
            walk.given = before;
            found
        };
        if own(&call.receiver).is_some() {
            self.facts.removes |= name == "remove" && call.args.is_empty();
            self.facts.calls.push(call.method.clone());
            self.call(&call.method, How::OnSelf);
            return arguments(self, vec![Name::Unknown]);
        }
        let is_operated = self.operated.take() == Some(ptr::from_ref(call));
        self.call(&call.method, if is_operated { How::Getter } else { How::OnOther });
        let shown = self.shown(&call.receiver);
        if shown == Some(Shown::LINK) && !names::is(&name, Is::LinkMethod) {
            self.facts.followed.insert(call.method.to_string());
        }
        self.read(call);
        if names::is(&name, Is::Mutator) {
            self.changes(&call.receiver, true);
        }
        let operation = names::atomic_operation(&name, call.args.len());
        if operation.is_some() {
            self.operated = getter(&call.receiver).map(ptr::from_ref);
        }
        let on: Names = self.looked_into(&call.receiver).into_iter().filter(|name| *name != Name::View).collect();
        if let Some(operation) = operation
            && !on.is_empty()
        {
            self.operate(operation, &on);
            arguments(self, vec![Name::Unknown]);
            return Vec::new();
        }
        // The first parameter of a folding closure is its previous result; the other parameters are the receiver's
        // values.
        let is_folding = names::is(&name, Is::Folding);
        let shown = shown.filter(|shown| shown.is_optional && !is_folding && name != "filter");
        call.args.iter().for_each(|argument| self.binds_inner(argument, shown));
        let found = arguments(self, if is_folding { vec![Name::Unknown] } else { on.clone() });
        if call.args.is_empty() {
            // Any other call is a getter, even if it is called `next` or `last`.
            let is_passed = names::is(&name, Is::Passing) && on.iter().any(|name| *name != Name::Unknown);
            if is_passed { on } else { vec![Name::Other(name)] }
        } else if names::is(&name, Is::Mapping) {
            found
        } else {
            on.into_iter().chain(found).collect()
        }
    }

    /// Records a getter that is certainly called on another object of the same class.
    fn read(&mut self, call: &ExprMethodCall) {
        let other = match &*call.receiver {
            Expr::Path(path) => path.path.get_ident().map(plain_name).filter(|name| self.ordinary.is_same_class(name)),
            _ => None,
        };
        let is_link = || Place::of(&call.receiver).is_some() && self.is_own_object(&call.receiver);
        let is_uncertain = self.within.unknown || self.within.item || self.within.conditional;
        if is_uncertain || !call.args.is_empty() || other.is_none() && !is_link() {
            return;
        }
        if let Some(field) = self.fields.position(&call.method) {
            let (receiver, method) = (&call.receiver, &call.method);
            self.facts.reads.push(Read { at: quote!(#receiver.#method), field, other });
        }
    }
}

/// The call without arguments that an expression is.
fn getter(expr: &Expr) -> Option<&ExprMethodCall> {
    match expr {
        Expr::MethodCall(call) => call.args.is_empty().then_some(call),
        Expr::Paren(paren) => getter(&paren.expr),
        Expr::Group(group) => getter(&group.expr),
        Expr::Reference(reference) => getter(&reference.expr),
        _ => None,
    }
}
