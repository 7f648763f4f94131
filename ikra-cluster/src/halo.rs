//! Halos: the objects of other ranks that kernels reach through links, and the exchange of their values.

use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use ikra_core::bits::ones;
use ikra_core::effects::FieldSet;
use ikra_core::kernel::Argument;
use ikra_core::moves::{Change, Moves};
use ikra_runtime::error::Error;
use ikra_runtime::executor::Launch;
use ikra_runtime::objects::AnyObjects;

use crate::across::Ranges;
use crate::device::runs;
use crate::pack;
use crate::ranks::What;
use crate::reach::Reach;
use crate::state::{ClassState, State, each, fields_where};
use crate::transport::Bytes;

/// The links that a kernel follows. Kernels with equal keys have the same ghosts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct HaloKey {
    /// For each class, the fields with links that kernels follow from their own objects.
    first: Vec<u64>,
    /// For each class, the fields with links that they follow from other objects.
    then: Vec<u64>,
    /// The objects that its arguments name: classes and indices.
    given: Vec<(usize, u32)>,
    /// When links of each class last changed.
    linked_at: Vec<u64>,
}

impl HaloKey {
    /// The key for links that a kernel follows now.
    pub(crate) fn new(reach: &Reach, given: Vec<(usize, u32)>, classes: &[ClassState]) -> Self {
        let bits = |fields: &[FieldSet]| fields.iter().map(|fields| fields.bits()).collect();
        let linked_at = classes.iter().map(|class| class.linked_at).collect();
        Self { first: bits(&reach.first), then: bits(&reach.then), given, linked_at }
    }

    /// Whether no link has changed since.
    pub(crate) fn is_current(&self, classes: &[ClassState]) -> bool {
        self.linked_at.iter().zip(classes).all(|(&at, class)| at == class.linked_at)
    }
}

/// Objects by class, for each rank.
pub(crate) type Lists = Vec<Vec<Vec<u32>>>;

/// The objects of which ranks exchange values.
#[derive(Debug)]
pub(crate) struct Halo {
    /// This rank's objects that are ghosts elsewhere.
    pub(crate) outgoing: Lists,
    /// This rank's ghosts.
    pub(crate) incoming: Lists,
    /// For each rank, the ranges of its objects from the first ghost to the last one, without wide gaps.
    runs: Vec<Ranges>,
    /// For each class, when the values of each field were last exchanged: between hosts, and between devices.
    exchanged: Vec<Vec<u64>>,
    on_device: Vec<Vec<u64>>,
    /// For each class, a bit per object: the ghosts.
    pub(crate) ghosts: Vec<Box<[u64]>>,
    /// For each class, own objects from which kernels reach no ghosts.
    pub(crate) inner: Vec<Range<usize>>,
}

/// The objects that a rank's own objects reach.
struct Named {
    /// For each class, a bit per object.
    bits: Vec<Vec<AtomicU64>>,
    /// For each class, the longest range of own objects that reach own objects only.
    inner: Vec<Range<usize>>,
}

/// The objects of which it is known together whether they reach others' objects.
const BLOCK: usize = 1024;

impl Halo {
    /// Notes that the device has the host's values of a field.
    pub(crate) fn note_copied(&mut self, number: usize, field: usize) {
        self.on_device[number][field] = self.exchanged[number][field];
    }
}

impl State {
    /// Makes the halo for links that kernels follow, unless it is known. Links are current for all objects afterwards.
    ///
    /// # Errors
    ///
    /// Errors of other ranks.
    pub(crate) fn find_halo(
        &mut self,
        reach: &Reach,
        launch: &Launch<'_>,
        members: &mut [&mut dyn AnyObjects],
    ) -> Result<HaloKey, Error> {
        for (number, member) in members.iter_mut().enumerate() {
            self.collect(number, reach.then[number], &mut **member)?;
            self.bring_home(number, reach.first[number], &mut **member)?;
        }
        let given = self.given(launch.arguments, members);
        let key = HaloKey::new(reach, given, &self.classes);
        if !self.halos.contains_key(&key) {
            let named = self.named(reach, &key.given, members)?;
            let halo = self.agree(named, launch.kernel)?;
            self.halos.insert(key.clone(), halo);
        }
        Ok(key)
    }

    /// No bits, one for each object.
    fn no_bits(&self) -> Vec<Vec<AtomicU64>> {
        let words = |class: &ClassState| (0..class.count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        self.classes.iter().map(words).collect()
    }

    /// The objects that arguments name.
    fn given(&self, arguments: &[Argument<'_>], members: &[&mut dyn AnyObjects]) -> Vec<(usize, u32)> {
        if arguments.iter().all(|argument| argument.links_to().is_empty()) {
            return Vec::new();
        }
        let named = self.no_bits();
        let see: Vec<_> = named.iter().map(|bits| |index| set(bits, index)).collect();
        let changes: Vec<_> = members.iter().zip(&see).map(|(member, see)| Change::seen(member.class(), see)).collect();
        arguments.iter().for_each(|argument| argument.visit_links(Moves::new(&changes)));
        let indices = |(class, bits): (usize, &Vec<AtomicU64>)| {
            let bits: Vec<_> = bits.iter().map(|word| word.load(Relaxed)).collect();
            ones(&bits).map(|index| (class, index as u32)).collect::<Vec<_>>()
        };
        named.iter().enumerate().flat_map(indices).collect()
    }

    /// The objects that links and arguments name, directly and through other objects.
    fn named(
        &self,
        reach: &Reach,
        given: &[(usize, u32)],
        members: &mut [&mut dyn AnyObjects],
    ) -> Result<Named, Error> {
        let (first, then) = (&reach.first, &reach.then);
        let named = self.no_bits();
        given.iter().for_each(|&(class, index)| set(&named[class], index));
        let (rank, leaves) = (self.ranks.rank(), AtomicBool::new(false));
        let leaves = &leaves;
        let see = named.iter().zip(&self.classes).map(|(bits, class)| {
            let own = class.own(rank);
            move |index| {
                set(bits, index);
                if !own.contains(&(index as usize)) {
                    leaves.store(true, Relaxed);
                }
            }
        });
        let see: Vec<_> = see.collect();
        let changes: Vec<_> = members.iter().zip(&see).map(|(member, see)| Change::seen(member.class(), see)).collect();
        let mut inner = vec![0..0; members.len()];
        for (number, member) in members.iter_mut().enumerate().filter(|(number, _)| !first[*number].is_empty()) {
            let own = self.classes[number].own(rank);
            // The range of blocks that reach own objects, up to this one.
            let mut run = own.start..own.start;
            for start in own.clone().step_by(BLOCK) {
                let end = (start + BLOCK).min(own.end);
                leaves.store(false, Relaxed);
                member.visit_links(&mut (start..end), first[number], Moves::new(&changes))?;
                run = if leaves.load(Relaxed) { end..end } else { run.start..end };
                if run.len() > inner[number].len() {
                    inner[number] = run.clone();
                }
            }
        }
        if then.iter().any(|fields| !fields.is_empty()) || !given.is_empty() {
            inner.fill(0..0);
        }
        // The objects whose links were followed.
        let mut done: Vec<Vec<u64>> = self.classes.iter().map(|class| vec![0; class.count.div_ceil(64)]).collect();
        let mut is_done = false;
        while !std::mem::replace(&mut is_done, true) {
            for (number, member) in members.iter_mut().enumerate().filter(|(number, _)| !then[*number].is_empty()) {
                let done = &mut done[number];
                let new: Vec<u64> =
                    named[number].iter().zip(&*done).map(|(bits, done)| bits.load(Relaxed) & !done).collect();
                if new.iter().all(|&word| word == 0) {
                    continue;
                }
                done.iter_mut().zip(&new).for_each(|(done, new)| *done |= new);
                let count = self.classes[number].count;
                let mut objects = ones(&new).filter(|&index| index < count);
                member.visit_links(&mut objects, then[number], Moves::new(&changes))?;
                is_done = false;
            }
        }
        Ok(Named { bits: named, inner })
    }

    /// Tells each owner which of its objects are ghosts here.
    fn agree(&mut self, named: Named, kernel: &str) -> Result<Halo, Error> {
        let (rank, ranks) = (self.ranks.rank(), self.ranks.count());
        let mut incoming: Lists = vec![vec![Vec::new(); self.classes.len()]; ranks];
        let mut ghosts = Vec::with_capacity(named.bits.len());
        for (number, bits) in named.bits.iter().enumerate() {
            let class = &self.classes[number];
            let mut bits: Box<[u64]> = bits.iter().map(|word| word.load(Relaxed)).collect();
            for index in class.own(rank) {
                bits[index / 64] &= !(1 << (index % 64));
            }
            for index in ones(&bits).filter(|&index| index < class.count) {
                incoming[class.owner(index)][number].push(index as u32);
            }
            ghosts.push(bits);
        }
        let text = format!("finding the ghosts of {kernel}");
        let what = What { text: &text, state: self.number() };
        let others: Vec<_> = (0..ranks).filter(|&other| other != rank).collect();
        let request = |&other: &usize| {
            let lists = &incoming[other];
            let words = lists.iter().flat_map(|list| std::iter::once(list.len() as u32).chain(list.iter().copied()));
            let mut message = self.ranks.begin(&what, 0);
            message.extend(words.flat_map(u32::to_le_bytes).map(MaybeUninit::new));
            (other, message)
        };
        let requests = others.iter().map(request).collect();
        let mut outgoing: Lists = vec![vec![Vec::new(); self.classes.len()]; ranks];
        for ((message, start), &other) in self.ranks.exchange(&what, requests, &others)?.into_iter().zip(&others) {
            let own: Vec<_> = self.classes.iter().map(|class| class.own(rank)).collect();
            let mut words = pack::numbers(&message[start..]).map(u32::from_le_bytes);
            for (list, own) in outgoing[other].iter_mut().zip(own) {
                let count = words.next().unwrap_or(0);
                list.extend(words.by_ref().take(count as usize));
                if list.len() != count as usize || !list.iter().all(|&index| own.contains(&(index as usize))) {
                    return Err(self
                        .ranks
                        .fail(&format!("rank {other} asks for objects that rank {rank} does not own")));
                }
            }
        }
        let exchanged: Vec<_> = self.classes.iter().map(|class| vec![0; class.fields.len()]).collect();
        let runs_of = |lists: &Vec<Vec<u32>>| lists.iter().map(|list| runs(list.iter().copied())).collect();
        let runs = incoming.iter().map(runs_of).collect();
        Ok(Halo { outgoing, incoming, runs, on_device: exchanged.clone(), exchanged, ghosts, inner: named.inner })
    }

    /// Exchanges the values of ghosts in these fields of each class, as far as they have changed: for a kernel on the hosts
    /// of ranks, or on their devices.
    ///
    /// # Errors
    ///
    /// Errors of other ranks.
    pub(crate) fn exchange(
        &mut self,
        key: &HaloKey,
        fields: &[FieldSet],
        (kernel, is_on_device): (&str, bool),
        members: &mut [&mut dyn AnyObjects],
    ) -> Result<(), Error> {
        let (state, Some(mut halo)) = (self.number(), self.halos.remove(key)) else { return Ok(()) };
        if is_on_device {
            self.exchange_across(&mut halo, fields, kernel, members)?;
        }
        let (mut columns, mut moved) = (Vec::with_capacity(members.len()), Vec::with_capacity(members.len()));
        let mut stored = Vec::with_capacity(members.len());
        for (number, member) in members.iter().enumerate() {
            let (across, class) = (self.across(number, &**member), &self.classes[number]);
            let exchanged = &mut halo.exchanged[number];
            let of_host = if is_on_device { fields[number].without(across) } else { fields[number] };
            let is_needed = |field, _: &_| of_host.contains(field) && class.written(field) > exchanged[field];
            let needed = fields_where(class.fields, is_needed);
            moved.push(needed);
            // Devices that copy from each other get ghosts in that way. The host's values between the ghosts are older.
            stored.push(needed.without(across));
            columns.push(if needed.is_empty() { Vec::new() } else { member.elements(needed) });
            each(needed, class.fields.len()).for_each(|field| exchanged[field] = class.written(field));
        }
        if columns.iter().all(Vec::is_empty) {
            self.halos.insert(key.clone(), halo);
            return Ok(());
        }
        for (number, member) in members.iter_mut().enumerate() {
            self.fetch_listed(number, moved[number], &halo.outgoing, &mut **member)?;
        }
        let what = What { text: kernel, state };
        let len = |lists: &[Vec<u32>]| -> usize {
            lists.iter().zip(&columns).map(|(list, columns)| list.len() * pack::row(columns)).sum()
        };
        let mut outgoing = Vec::new();
        for (other, lists) in halo.outgoing.iter().enumerate().filter(|(_, lists)| len(lists) > 0) {
            let mut message: Bytes = self.ranks.begin(&what, len(lists));
            for (list, columns) in lists.iter().zip(&columns) {
                // SAFETY: the columns are those of the class's objects. The objects in the list exist: they are this rank's.
                // No kernel runs.
                unsafe { pack::pack(columns, list, &mut message) };
            }
            outgoing.push((other, message));
        }
        let from: Vec<_> = (0..halo.incoming.len()).filter(|&other| len(&halo.incoming[other]) > 0).collect();
        self.ranks.traffic.exchanges += 1;
        let received = self.ranks.exchange(&what, outgoing, &from)?;
        for ((message, start), &other) in received.iter().zip(&from) {
            let lists = &halo.incoming[other];
            let mut rest = &message[*start..];
            if rest.len() != len(lists) {
                return Err(self.ranks.fail(&format!("rank {other} has sent other columns for {kernel}")));
            }
            for (list, columns) in lists.iter().zip(&columns) {
                // SAFETY: 1. as above; the objects are those to which links name, so they exist. Members are borrowed
                // exclusively. 2. The owner has packed the same columns for the same list.
                rest = unsafe { pack::unpack(columns, list, rest) };
            }
        }
        for (number, member) in members.iter_mut().enumerate() {
            self.store_listed(number, stored[number], &halo.runs, &mut **member)?;
        }
        self.halos.insert(key.clone(), halo);
        Ok(())
    }

    /// Exchanges the values of ghosts that are on the ranks' devices.
    fn exchange_across(
        &mut self,
        halo: &mut Halo,
        fields: &[FieldSet],
        kernel: &str,
        members: &mut [&mut dyn AnyObjects],
    ) -> Result<(), Error> {
        let mut moved = Vec::with_capacity(members.len());
        for (number, member) in members.iter().enumerate() {
            let (across, class) = (fields[number].intersection(self.across(number, &**member)), &self.classes[number]);
            let exchanged = &mut halo.on_device[number];
            let is_needed = |field, _: &_| {
                across.contains(field) && class.written(field) > exchanged[field].max(class.gathered[field])
            };
            let needed = fields_where(class.fields, is_needed);
            each(needed, class.fields.len()).for_each(|field| exchanged[field] = class.written(field));
            moved.push(needed);
        }
        if moved.iter().all(|fields| fields.is_empty()) {
            return Ok(());
        }
        let has_some = |lists: &Vec<Vec<u32>>| {
            lists.iter().zip(&moved).any(|(list, fields)| !list.is_empty() && !fields.is_empty())
        };
        let ranks = 0..self.ranks.count();
        let takers: Vec<_> = ranks.clone().filter(|&other| has_some(&halo.outgoing[other])).collect();
        let from: Vec<_> = ranks.filter(|&other| has_some(&halo.incoming[other])).collect();
        let from: Vec<_> = from.into_iter().map(|other| (other, halo.runs[other].clone())).collect();
        self.ranks.traffic.exchanges += 1;
        self.copy_across(&moved, kernel, &takers, &from, members)
    }
}

/// Sets the bit of an object.
fn set(bits: &[AtomicU64], index: u32) {
    if let Some(word) = bits.get(index as usize / 64) {
        word.fetch_or(1 << (index % 64), Relaxed);
    }
}
