//! What a kernel reads on other ranks, by its effects.

use ikra_core::effects::{Effects, FieldSet};
use ikra_core::kernel::Argument;
use ikra_runtime::executor::{Extent, Form, Launch, Part, Section};
use ikra_runtime::objects::AnyObjects;

use crate::names::is_standard;
use crate::state::{ClassState, fields_where, links};
use crate::updates::Update;

/// How ranks run a kernel.
#[derive(Debug)]
pub(crate) enum How {
    /// Each rank runs it for all objects. Its result may depend on the order of threads, which differs, if it is unordered.
    Repeated { is_unordered: bool },
    /// Each rank runs it for its own objects.
    Shared(Reach),
}

/// What a kernel reads of other objects.
#[derive(Debug)]
pub(crate) struct Reach {
    /// The numbers of the sections' classes.
    pub(crate) classes: Vec<usize>,
    /// For each class, the fields that it reads of other objects.
    pub(crate) reads: Vec<FieldSet>,
    /// Whether these may be any objects, and not just those to which fields link.
    pub(crate) is_far: bool,
    /// For each class, the fields with links that it follows from its own objects, and from others.
    pub(crate) first: Vec<FieldSet>,
    pub(crate) then: Vec<FieldSet>,
    /// The atomic fields of other objects that it updates.
    pub(crate) updates: Vec<Update>,
}

/// Finds how ranks run a kernel.
pub(crate) fn reach(launch: &Launch<'_>, part: Part<'_>, members: &[&dyn AnyObjects], classes: &[ClassState]) -> How {
    let is_each = matches!(launch.form, Form::Each | Form::Pairs { .. });
    let has_results = matches!(launch.form, Form::Reduce(_) | Form::Collect(_) | Form::Store(_) | Form::Choose(_));
    let is_whole = match part {
        Part::All => is_each || has_results,
        Part::Ranges(_) => is_each,
        _ => false,
    };
    let is_unordered = launch.sections.iter().any(|section| updates(section.effects, classes).is_none());
    let repeated = How::Repeated { is_unordered };
    // Each rank has a worklist of its own.
    if !is_whole || is_unordered || !launch.filters.is_empty() || takes_worklist(launch) {
        return repeated;
    }
    let number = |section: &Section| members.iter().position(|member| member.class() == section.effects.class());
    let Some(numbers) = launch.sections.iter().map(number).collect::<Option<Vec<_>>>() else { return repeated };
    let mut reach = Reach {
        classes: numbers,
        reads: vec![FieldSet::EMPTY; classes.len()],
        is_far: matches!(launch.form, Form::Pairs { .. }),
        first: vec![FieldSet::EMPTY; classes.len()],
        then: vec![FieldSet::EMPTY; classes.len()],
        updates: Vec::new(),
    };
    let is_groups = |argument: &Argument<'_>| argument.as_groups().is_some_and(|groups| !groups.is_column());
    reach.is_far |= launch.arguments.iter().any(is_groups);
    for (section, &own) in launch.sections.iter().zip(&reach.classes) {
        let effects = section.effects;
        if members[own].holes() > 0 || changes_more(effects, &classes[own]) {
            return repeated;
        }
        reach.updates.extend(updates(effects, classes).into_iter().flatten());
        let calls: Vec<_> = effects.called().collect();
        let is_field = |name: &str| classes.iter().any(|class| class.fields.iter().any(|field| field.name == name));
        let roams = effects.roams() || calls.iter().any(|name| !is_field(name) && !is_standard(name));
        reach.is_far |= roams;
        for (number, class) in classes.iter().enumerate() {
            // No kernel reads plain fields of other objects that it writes in place: that does not compile.
            let atomic = fields_where(class.fields, |_, field| field.atomic);
            let written = match number == own {
                true => effects.writes().without(effects.snapshot()).without(atomic),
                false => FieldSet::EMPTY,
            };
            let others = if number == own { effects.others() } else { FieldSet::EMPTY };
            let may_read = |field: usize, name: &str| match roams {
                true => !written.contains(field),
                false => others.contains(field) || calls.contains(&name),
            };
            let reads = fields_where(class.fields, |n, field| may_read(n, field.name));
            reach.reads[number] = reach.reads[number].union(reads);
        }
        reach.first[own] = reach.first[own].union(effects.reads().intersection(links(classes[own].fields)));
    }
    if reach.is_far && !reach.updates.is_empty() {
        return repeated;
    }
    // Kernels of a trait may update a field together.
    reach.updates.sort_by_key(|update| (update.class, update.field));
    reach.updates.dedup();
    if reach.updates.windows(2).any(|two| (two[0].class, two[0].field) == (two[1].class, two[1].field)) {
        return repeated;
    }
    for update in reach.updates.iter().filter(|update| update.begins_with_zero()) {
        reach.reads[update.class] = reach.reads[update.class].without(FieldSet::from_bits(1 << update.field));
    }
    for (number, class) in classes.iter().enumerate() {
        reach.then[number] = reach.reads[number].intersection(links(class.fields));
    }
    How::Shared(reach)
}

/// The fields of each class that a kernel reads if a rank runs it for all objects of its class. `None` if it is for others, if
/// it changes something, or if the class has no columns that a device can divide.
pub(crate) fn all_reads(
    launch: &Launch<'_>,
    members: &[&dyn AnyObjects],
    classes: &[ClassState],
) -> Option<Vec<FieldSet>> {
    let [section] = launch.sections else { return None };
    let own = members.iter().position(|member| member.class() == section.effects.class())?;
    let is_whole = matches!(&section.over, Extent::Range(all) if *all == (0..classes[own].count));
    if !is_whole || !launch.filters.is_empty() || !members[own].has_own_columns() {
        return None;
    }
    let How::Shared(reach) = reach(launch, Part::All, members, classes) else { return None };
    if !reach.updates.is_empty() || !section.effects.writes().is_empty() {
        return None;
    }
    let mut reads = reach.reads;
    reads[own] = reads[own].union(section.effects.reads());
    Some(reads)
}

/// Whether a kernel may put objects into a worklist.
fn takes_worklist(launch: &Launch<'_>) -> bool {
    launch.arguments.iter().any(|argument| argument.as_groups().is_some_and(|groups| groups.is_worklist()))
}

/// Whether the objects or results after a kernel would depend on the order of threads if it is unordered.
pub(crate) fn has_own_outcome(launch: &Launch<'_>) -> bool {
    let is_each = matches!(launch.form, Form::Each | Form::Pairs { .. });
    !is_each || takes_worklist(launch) || launch.sections.iter().any(|section| section.effects.changes_objects())
}

/// Whether a kernel makes or removes objects, or changes memory that objects share.
fn changes_more(effects: &Effects, class: &ClassState) -> bool {
    let in_arena = fields_where(class.fields, |_, field| field.array.is_some_and(|array| array.arena));
    // The snapshot of a field with links is not exchanged as a whole: links of others in it would be older than their objects.
    let exchanged = effects.snapshot().intersection(links(class.fields));
    effects.changes_objects() || !changes(effects, class).intersection(in_arena).is_empty() || !exchanged.is_empty()
}

/// The atomic fields of other objects that a kernel updates. `None` if ranks cannot combine their values: then the kernel may
/// be `unordered`.
fn updates(effects: &Effects, classes: &[ClassState]) -> Option<Vec<Update>> {
    let mut updates = Vec::new();
    if !effects.shares_atomics(false) {
        return Some(updates);
    }
    for used in effects.atomics().filter(|used| used.is_changed()) {
        let fields = classes.iter().enumerate().flat_map(|(number, class)| {
            class.fields.iter().enumerate().map(move |(field, info)| (number, field, info))
        });
        for (class, field, info) in fields.filter(|(.., info)| info.atomic && info.name == used.name()) {
            updates.push(Update::of(class, field, info, used.update()?)?);
        }
    }
    Some(updates)
}

/// The fields of its own objects that a kernel may change.
pub(crate) fn changes(effects: &Effects, class: &ClassState) -> FieldSet {
    effects.writes().intersection(class.all()).union(changed_atomics(effects, class))
}

/// The atomic fields of a class that a kernel may change, of any objects.
fn changed_atomics(effects: &Effects, class: &ClassState) -> FieldSet {
    let changed = |name: &str| effects.atomics().any(|used| used.name() == name && used.is_changed());
    fields_where(class.fields, |_, field| field.atomic && changed(field.name))
}

/// The fields of a class that a kernel may change, of any objects.
pub(crate) fn all_changes(launch: &Launch<'_>, class: &ClassState) -> FieldSet {
    let of = |section: &Section| match section.effects {
        effects if effects.changes_objects() => FieldSet::ALL,
        effects if effects.class() == class.id => changes(effects, class),
        effects => changed_atomics(effects, class),
    };
    launch.sections.iter().map(of).fold(FieldSet::EMPTY, FieldSet::union)
}
