//! Which functions of device code call which.

use std::collections::BTreeMap;

use ikra_ptx::{Module, Opcode, Operand};

/// The calls of a module.
pub(crate) struct Calls<'m> {
    /// By the name of the calling function, in its order: the names of the called functions, or `None` for a call
    /// through an address.
    all: BTreeMap<&'m str, Vec<Option<&'m str>>>,
}

impl<'m> Calls<'m> {
    pub(crate) fn of(module: &'m Module) -> Self {
        let mut all: BTreeMap<&str, Vec<Option<&str>>> = BTreeMap::new();
        for function in module.functions() {
            let Some(body) = &function.body else { continue };
            let calls = body.instructions().map(|(_, one)| one).filter(|one| one.opcode == Opcode::Call);
            let callees = calls.map(|call| match call.operands.get(1) {
                Some(Operand::Symbol(name, 0)) => Some(name.as_str()),
                _ => None,
            });
            all.entry(&function.name).or_default().extend(callees);
        }
        Self { all }
    }

    /// The functions that a function calls.
    pub(crate) fn by(&self, function: &str) -> &[Option<&'m str>] {
        self.all.get(function).map_or(&[], Vec::as_slice)
    }

    /// The functions reached from one function, in the order of discovery. `None` stands for a call through an address,
    /// which is not followed.
    pub(crate) fn reached(&self, from: &str) -> Vec<Option<&'m str>> {
        let mut reached: Vec<Option<&str>> = Vec::new();
        let mut open: Vec<Option<&str>> = self.by(from).iter().rev().copied().collect();
        while let Some(next) = open.pop() {
            if !reached.contains(&next) {
                reached.push(next);
                open.extend(next.into_iter().flat_map(|next| self.by(next).iter().rev()));
            }
        }
        reached
    }
}
