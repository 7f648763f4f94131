//! From versions to the body of the new kernel.

use std::collections::{HashMap, HashSet};

use super::{
    block::{Leave, opposite, placed},
    data::Data,
    facts::Facts,
    live,
    versions::{Edge, Versions},
};
use crate::{Block, Body, Instruction, Label, Modifier as M, Opcode as O, Operand, Table, program::Base};

/// Lays out versions one after the other.
struct Layout<'v, 'f, 'b, 'd> {
    versions: &'v Versions<'f, 'b>,
    facts: &'f Facts<'b>,
    data: &'v Data<'d>,
    body: Body,
    labels: HashMap<usize, Label>,
    /// The block of the new body in which a version starts.
    places: HashMap<usize, usize>,
    /// Parameters of calls that one block names.
    passed: HashSet<&'b str>,
    /// Those that a block has used already.
    used: HashSet<&'b str>,
}

/// The body of the new kernel.
pub(super) fn body(versions: &Versions<'_, '_>, facts: &Facts<'_>, data: &Data<'_>) -> Body {
    let old = facts.body;
    let mut body = old.clone();
    body.blocks = Vec::new();
    body.tables = Vec::new();
    body.labels = Vec::new();
    body.label_names = HashMap::new();
    let mut layout = Layout {
        versions,
        facts,
        data,
        body,
        labels: HashMap::new(),
        places: HashMap::new(),
        passed: passed(old),
        used: HashSet::new(),
    };
    let mut open = vec![0];
    while let Some(version) = open.pop() {
        let mut next = Some(version);
        while let Some(version) = next.filter(|version| !layout.places.contains_key(version)) {
            next = layout.place(version, &mut open);
        }
    }
    layout.finished()
}

/// Parameters of calls that only one block of a function names.
fn passed(body: &Body) -> HashSet<&str> {
    let params = body.variables.iter().filter(|variable| variable.space == M::Param);
    let mut blocks: HashMap<&str, HashSet<usize>> =
        params.map(|variable| (variable.name.as_str(), HashSet::new())).collect();
    for (at, one) in body.instructions() {
        one.for_each_symbol(&mut |name| {
            if let Some(all) = blocks.get_mut(name) {
                all.insert(at.block);
            }
        });
    }
    blocks.into_iter().filter(|(_, all)| all.len() == 1).map(|(name, _)| name).collect()
}

impl<'f> Layout<'_, 'f, '_, '_> {
    /// The version to which a way leads, past those that do nothing.
    fn target(&self, edge: &Edge) -> usize {
        let mut to = self.versions.standing(edge.to);
        // Empty versions may form a circle.
        for _ in 0..64 {
            match &self.versions.all[to].evaluated {
                Some(one) if one.code.is_empty() => match &one.leave {
                    Leave::To(next) if self.missing(next).next().is_none() => {
                        let next = self.versions.standing(next.to);
                        // What the empty version may rely on, the next one may.
                        if next == to {
                            return to;
                        }
                        to = next;
                    }
                    _ => return to,
                },
                _ => return to,
            }
        }
        to
    }

    /// The known values of a way that its target expects in registers.
    fn missing<'e>(&'e self, edge: &'e Edge) -> impl Iterator<Item = (crate::Register, super::value::Value)> + 'e {
        let state = &self.versions.all[self.versions.standing(edge.to)].state;
        edge.pending
            .iter()
            .copied()
            .filter(|(register, _)| state.binary_search_by_key(register, |entry| entry.0).is_err())
    }

    fn label(&mut self, version: usize) -> Label {
        if let Some(&label) = self.labels.get(&version) {
            return label;
        }
        let label = self.body.new_label(&format!("$V{version}"));
        self.labels.insert(version, label);
        label
    }

    /// Appends a version; the version that follows it directly, if one does. Others that are to be placed go to `open`.
    fn place(&mut self, version: usize, open: &mut Vec<usize>) -> Option<usize> {
        self.places.insert(version, self.body.blocks.len());
        let block = self.versions.all[version].block;
        // What it says about a loop does not hold for the loop's iterations.
        let pragmas =
            if self.versions.counts[block] == 1 { self.facts.body.blocks[block].pragmas.clone() } else { Vec::new() };
        let one = self.versions.all[version].evaluated.as_ref()?;
        let mut code = one.code.clone();
        self.rename(&mut code);
        let mut moves = Vec::new();
        one.leave.for_each(|edge| moves.extend(self.missing(edge)));
        moves.sort_unstable_by_key(|(register, _)| *register);
        moves.dedup_by_key(|(register, _)| *register);
        for (register, value) in moves {
            placed(self.facts, self.data, register, value, &mut code);
        }
        let mut next = None;
        let mut behind = None;
        match &one.leave {
            Leave::End => {}
            Leave::To(edge) => {
                let to = self.target(edge);
                if self.places.contains_key(&to) {
                    code.push(self.jump(to));
                } else {
                    next = Some(to);
                }
            }
            Leave::Either(branch, to, other) => {
                let (mut to, mut other) = (self.target(to), self.target(other));
                if to == other {
                    if self.places.contains_key(&to) {
                        code.push(self.jump(to));
                    } else {
                        next = Some(to);
                    }
                } else {
                    let mut branch = branch.clone();
                    if self.places.contains_key(&other) && !self.places.contains_key(&to) {
                        branch.guard = branch.guard.map(opposite);
                        std::mem::swap(&mut to, &mut other);
                    }
                    branch.operands = vec![Operand::Label(self.label(to))];
                    code.push(branch);
                    open.push(to);
                    if self.places.contains_key(&other) {
                        behind = Some(self.jump(other));
                    } else {
                        next = Some(other);
                    }
                }
            }
            Leave::Table(jump, edges) => {
                let targets: Vec<usize> = edges.iter().map(|edge| self.target(edge)).collect();
                let labels = targets.iter().map(|&to| self.label(to)).collect();
                let mut jump = jump.clone();
                let name = format!("$T{}", self.body.tables.len());
                jump.operands.push(Operand::Table(self.body.tables.len()));
                self.body.tables.push(Table { name, targets: labels });
                code.push(jump);
                open.extend(targets.into_iter().rev());
            }
        }
        self.body.blocks.push(Block { label: None, pragmas, instructions: code });
        if let Some(jump) = behind {
            self.body.blocks.push(Block { instructions: vec![jump], ..Block::default() });
        }
        next
    }

    fn jump(&mut self, to: usize) -> Instruction {
        let label = self.label(to);
        Instruction::new(O::Bra, &[M::Uni], vec![Operand::Label(label)])
    }

    /// Gives the parameters of calls other names, if another version has used theirs: each call has its own.
    fn rename(&mut self, code: &mut [Instruction]) {
        if self.passed.is_empty() {
            return;
        }
        let mut names: HashMap<String, Option<String>> = HashMap::new();
        let (passed, used, body) = (&self.passed, &mut self.used, &mut self.body);
        for one in code.iter_mut() {
            for operand in &mut one.operands {
                each_name(operand, &mut |name| {
                    let Some(&known) = passed.get(name.as_str()) else { return };
                    let new = names.entry(name.clone()).or_insert_with(|| {
                        if used.insert(known) {
                            return None;
                        }
                        let mut variable = body.variables.iter().find(|one| one.name == *name)?.clone();
                        variable.name = body.free_name(name);
                        let new = variable.name.clone();
                        body.variables.push(variable);
                        Some(new)
                    });
                    if let Some(new) = new {
                        name.clone_from(new);
                    }
                });
            }
        }
    }

    /// Sets labels, removes what nobody needs, and joins blocks.
    fn finished(mut self) -> Body {
        for (version, &label) in &self.labels {
            if let Some(&place) = self.places.get(version) {
                self.body.blocks[place].label = Some(label);
            }
        }
        live::remove_dead(&mut self.body);
        let mut joined: Vec<Block> = Vec::with_capacity(self.body.blocks.len());
        for mut block in std::mem::take(&mut self.body.blocks) {
            match joined.last_mut() {
                Some(last)
                    if block.label.is_none()
                        && block.pragmas.is_empty()
                        && !last.instructions.last().is_some_and(Instruction::ends_block) =>
                {
                    last.instructions.append(&mut block.instructions);
                }
                _ => joined.push(block),
            }
        }
        self.body.blocks = joined;
        let named: HashSet<String> = {
            let mut named = HashSet::new();
            for (_, one) in self.body.instructions() {
                one.for_each_symbol(&mut |name| _ = named.insert(name.to_owned()));
            }
            named
        };
        self.body.variables.retain(|variable| named.contains(&variable.name));
        self.body
    }
}

fn each_name(operand: &mut Operand, change: &mut impl FnMut(&mut String)) {
    match operand {
        Operand::Symbol(name, _) | Operand::Memory(Base::Symbol(name), _) => change(name),
        Operand::Vector(all) | Operand::List(all) => all.iter_mut().for_each(|one| each_name(one, change)),
        _ => {}
    }
}
