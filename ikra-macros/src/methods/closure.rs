//! The transitive effects of methods that call each other within a block, including cycles.

use std::collections::HashMap;

use proc_macro2::Ident;

use super::facts::How;
use super::model::{Block, Method, Receiver};
use super::own::is_object_method;
use super::plain_name;

impl Block {
    /// Adds the atomic operations of called methods and functions to each caller. A call may be on `self` or on another
    /// object, but must be in this block.
    pub(super) fn close_over_uses(&mut self) {
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for (n, method) in self.methods.iter().enumerate() {
            places.entry(plain_name(&method.item.sig.ident)).or_default().push(n);
        }
        let called = |call: &String| places.get(call).into_iter().flatten();
        loop {
            let mut changed = false;
            for n in 0..self.methods.len() {
                let method = &self.methods[n];
                let (mut uses, mut others) = (method.facts.uses.clone(), method.called.clone());
                for callee in
                    method.facts.calls.iter().map(plain_name).flat_map(|call| called(&call).collect::<Vec<_>>())
                {
                    uses.merge(&self.methods[*callee].facts.uses);
                    others.extend(self.methods[*callee].called.iter().cloned());
                }
                for call in &method.called {
                    for &callee in called(call) {
                        uses.merge_of_other(&self.methods[callee].facts.uses);
                        others.extend(self.methods[callee].called.iter().cloned());
                    }
                    if let Some(found) = self.functions.get(call) {
                        uses.merge(&found.uses);
                        others.extend(found.others().cloned());
                    }
                }
                changed |= uses != method.facts.uses || others.len() != method.called.len();
                (self.methods[n].facts.uses, self.methods[n].called) = (uses, others);
            }
            if !changed {
                break;
            }
        }
    }

    /// Adds the facts of called methods in this block to each method; calls may be cyclic. Calls of methods in other
    /// blocks remain, and so do calls of methods that a `cfg` may remove.
    pub(super) fn close_over_calls(&mut self) {
        // With `cfg`, several methods may have one name.
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for (n, method) in self.methods.iter().enumerate() {
            places.entry(plain_name(&method.item.sig.ident)).or_default().push(n);
        }
        let called = |call: &Ident| places.get(&plain_name(call)).into_iter().flatten().copied();
        for method in &mut self.methods {
            method.facts.calls.retain(|call| !is_object_method(call));
        }
        let direct: Vec<Vec<usize>> =
            self.methods.iter().map(|method| method.facts.calls.iter().flat_map(called).collect()).collect();
        loop {
            let mut changed = false;
            for n in 0..self.methods.len() {
                let method = &self.methods[n];
                let mut facts = method.facts.clone();
                for callee in direct[n].iter().map(|&callee| &self.methods[callee]) {
                    facts.loops |= callee.facts.loops;
                    facts.removes |= callee.facts.removes;
                    if method.receiver == Receiver::Shared && callee.receiver == Receiver::Exclusive {
                        // The call cannot refer to that method: it calls a trait's method of the same name, or it is a
                        // mistake.
                        facts.whole = true;
                        facts.because.get_or_insert_with(|| {
                            format!(
                                "`{}` calls `{}`, which may be a trait's",
                                plain_name(&method.item.sig.ident),
                                plain_name(&callee.item.sig.ident)
                            )
                        });
                    }
                    if !callee.is_certain() {
                        continue;
                    }
                    facts.touches |= callee.facts.touches;
                    facts.writes |= callee.facts.writes;
                    facts.given |= callee.facts.given;
                    facts.whole |= callee.facts.whole;
                    if facts.because.is_none() {
                        facts.because.clone_from(&callee.facts.because);
                    }
                    // A kernel with `writes(…)` already lists its writes.
                    if method.kernel.as_ref().is_none_or(|options| options.writes.is_none()) {
                        facts.escapes |= callee.facts.escapes;
                    }
                    for call in &callee.facts.calls {
                        if !facts.calls.contains(call) {
                            facts.calls.push(call.clone());
                        }
                    }
                }
                if method.receiver == Receiver::Shared {
                    facts.writes = 0;
                    facts.given = 0;
                    facts.escapes = false;
                }
                let before = &method.facts;
                changed |= facts.touches != before.touches
                    || facts.writes != before.writes
                    || facts.given != before.given
                    || facts.whole != before.whole
                    || facts.escapes != before.escapes
                    || facts.loops != before.loops
                    || facts.removes != before.removes
                    || facts.calls.len() != before.calls.len();
                self.methods[n].facts = facts;
            }
            if !changed {
                break;
            }
        }
        self.find_reads(&places);
        let certain: Vec<String> = places
            .iter()
            .filter(|(_, places)| places.iter().any(|&n| self.methods[n].is_certain()))
            .map(|(name, _)| name.clone())
            .collect();
        for method in &mut self.methods {
            method.facts.calls.retain(|call| !certain.contains(&plain_name(call)));
            method.facts.calls.sort_by_key(plain_name);
            method.facts.calls.dedup_by_key(|call| plain_name(call));
        }
        self.find_unwritten(&direct);
    }

    /// Records where each method may read other objects. A place passed to a macro counts as written, unless the method
    /// may read this field of another object. In that case the executor checks at run time.
    fn find_reads(&mut self, places: &HashMap<String, Vec<usize>>) {
        for n in 0..self.methods.len() {
            let (mut reached, mut open) = (vec![false; self.methods.len()], vec![n]);
            let (mut read, mut others, mut found, mut roams) = (0, 0, Vec::new(), false);
            while let Some(method) = open.pop() {
                if std::mem::replace(&mut reached[method], true) {
                    continue;
                }
                roams |= self.methods[method].facts.roams();
                for call in self.methods[method].facts.called.iter().filter(|call| call.how != How::Function) {
                    let methods = places.get(&call.name).into_iter().flatten();
                    read |= self.fields.named(&call.name).map_or(0, |field| 1 << field);
                    open.extend(methods.clone());
                    if call.how != How::OnSelf {
                        let shared = methods.map(|&method| &self.methods[method]);
                        for Method { facts, .. } in shared.filter(|method| method.receiver == Receiver::Shared) {
                            others |= if facts.whole { u64::MAX } else { facts.touches };
                        }
                        found.push((call.name.clone(), call.line));
                    }
                }
            }
            found.sort();
            found.dedup();
            let method = &mut self.methods[n];
            (method.calls, method.others, method.roams) = (found, others, roams);
            method.facts.writes |= method.facts.given & !read;
        }
    }

    /// Records for each method the plain fields that some calling kernel certainly does not write.
    fn find_unwritten(&mut self, direct: &[Vec<usize>]) {
        let plain = (0..self.fields.fields.len())
            .filter(|&field| !self.fields.is_atomic(field))
            .fold(0, |set, field| set | 1 << field);
        for n in 0..self.methods.len() {
            let Method { receiver, kernel, facts, .. } = &self.methods[n];
            if kernel.is_none() || *receiver == Receiver::Shared || facts.escapes || !facts.calls.is_empty() {
                continue;
            }
            let unwritten = plain & !facts.writes;
            let (mut reached, mut open) = (vec![false; self.methods.len()], vec![n]);
            while let Some(method) = open.pop() {
                if !std::mem::replace(&mut reached[method], true) {
                    self.methods[method].unwritten |= unwritten;
                    open.extend(&direct[method]);
                }
            }
        }
    }
}
