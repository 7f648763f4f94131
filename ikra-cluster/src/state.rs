//! What a rank knows of a shared world: who owns which objects, and which columns are stale.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ikra_core::class::ClassId;
use ikra_core::effects::FieldSet;
use ikra_core::info::FieldInfo;
use ikra_core::reduce::Chunks;
use ikra_runtime::error::Error;
use ikra_runtime::executor::{Form, Launch};
use ikra_runtime::mirror::{Elements, Pending};
use ikra_runtime::objects::AnyObjects;

use crate::device::Device;
use crate::halo::{Halo, HaloKey};
use crate::newer::Newer;
use crate::pack;
use crate::ranks::{Ranks, What};
use crate::transport::Bytes;

/// The fields of a class for which `is_it` holds.
pub(crate) fn fields_where(fields: &[FieldInfo], is_it: impl Fn(usize, &FieldInfo) -> bool) -> FieldSet {
    let found = fields.iter().enumerate().filter(|&(n, field)| is_it(n, field));
    FieldSet::from_bits(found.fold(0, |bits, (n, _)| bits | 1 << n))
}

/// The fields with links that kernels follow without asking. Atomic ones show numbers, which a kernel has to resolve.
pub(crate) fn links(fields: &[FieldInfo]) -> FieldSet {
    fields_where(fields, |_, field| !field.holds_links_to.is_empty() && !field.atomic)
}

/// The fields in a set.
pub(crate) fn each(fields: FieldSet, count: usize) -> impl Iterator<Item = usize> {
    (0..count).filter(move |&field| fields.contains(field))
}

/// The most halos that are kept.
const MOST_HALOS: usize = 64;

/// The number of a class's table.
fn table(objects: &dyn AnyObjects) -> u64 {
    let header = objects.header();
    // SAFETY: the header belongs to the objects, which are borrowed.
    unsafe { header.as_ref() }.number
}

/// A class of the world.
#[derive(Debug)]
pub(crate) struct ClassState {
    pub(crate) id: ClassId,
    pub(crate) name: &'static str,
    pub(crate) fields: &'static [FieldInfo],
    /// The number of its objects, and the first object of each rank; one more at the end.
    pub(crate) count: usize,
    pub(crate) bounds: Vec<usize>,
    /// When each field was last changed by a kernel that ranks shared. 0 if it is current on each rank.
    written: Vec<u64>,
    /// The value of `written` for which the rank's device has the values of all objects.
    pub(crate) gathered: Vec<u64>,
    /// When links of the class last changed, or its objects.
    pub(crate) linked_at: u64,
    /// The number of its table, which the objects keep in whatever world they are.
    pub(crate) table: u64,
    /// The generation of its ids.
    generation: u64,
    /// The seconds that this rank took for kernels of its objects, since they were last divided.
    pub(crate) busy: f64,
    /// The fields whose values of own objects, and of ghosts, are current on the host, and on the rank's device.
    pub(crate) on_host: FieldSet,
    pub(crate) on_device: FieldSet,
}

impl ClassState {
    pub(crate) fn of(objects: &dyn AnyObjects) -> Self {
        let fields = objects.fields();
        Self {
            id: objects.class(),
            name: objects.name(),
            fields,
            count: 0,
            bounds: Vec::new(),
            written: vec![0; fields.len()],
            gathered: vec![0; fields.len()],
            linked_at: 0,
            table: table(objects),
            generation: objects.generation(),
            busy: 0.0,
            on_host: FieldSet::ALL,
            on_device: FieldSet::EMPTY,
        }
    }

    /// All fields.
    pub(crate) fn all(&self) -> FieldSet {
        fields_where(self.fields, |_, _| true)
    }

    /// The objects of a rank.
    pub(crate) fn own(&self, rank: usize) -> Range<usize> {
        self.bounds[rank]..self.bounds[rank + 1]
    }

    /// The owner of an object.
    pub(crate) fn owner(&self, index: usize) -> usize {
        self.bounds.partition_point(|&first| first <= index) - 1
    }

    /// The fields that are stale on ranks which do not own the object.
    pub(crate) fn stale(&self) -> FieldSet {
        fields_where(self.fields, |n, _| self.written[n] > 0)
    }

    /// When a field was last changed by a kernel that ranks shared.
    pub(crate) fn written(&self, field: usize) -> u64 {
        self.written[field]
    }

    /// Gives each rank as many objects, in whole spans of reductions.
    fn divide(&mut self, count: usize, ranks: usize) {
        self.count = count;
        let len = span(count);
        let chunks = count.div_ceil(len);
        self.bounds = (0..=ranks).map(|rank| (chunks * rank / ranks * len).min(count)).collect();
        self.busy = 0.0;
        (self.on_host, self.on_device) = (FieldSet::ALL, FieldSet::EMPTY);
    }

    /// Where the ranks' objects begin if they are to take equal times, given the seconds that each rank took.
    fn balanced(&self, busy: &[f64]) -> Vec<usize> {
        let (ranks, len) = (busy.len(), span(self.count));
        let total: f64 = busy.iter().sum();
        let mut bounds = vec![0; ranks + 1];
        bounds[ranks] = self.count;
        for rank in 1..ranks {
            let (mut left, mut at) = (total * rank as f64 / ranks as f64, self.count as f64);
            for (other, &seconds) in busy.iter().enumerate() {
                if left <= seconds {
                    let part = if seconds > 0.0 { left / seconds } else { 0.0 };
                    at = self.bounds[other] as f64 + part * self.own(other).len() as f64;
                    break;
                }
                left -= seconds;
            }
            let chunks = (at / len as f64).round().max(0.0) as usize;
            bounds[rank] = (chunks * len).clamp(bounds[rank - 1], self.count);
        }
        bounds
    }
}

/// The number of objects whose results a rank combines by itself, whatever the kernel and its result.
fn span(count: usize) -> usize {
    Chunks::of::<u8>(count, false).span()
}

/// A world that ranks share, as one of them sees it.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) ranks: Ranks,
    pub(crate) classes: Vec<ClassState>,
    pub(crate) halos: HashMap<HaloKey, Halo>,
    /// Counts changes of columns.
    pub(crate) clock: u64,
    /// Stands for the cluster among the places of columns.
    pub(crate) stream: u64,
    /// The device on which the rank runs kernels, if it is not the host.
    pub(crate) device: Option<Device>,
    /// Whether some rank has a device, and whether all have.
    pub(crate) has_devices: bool,
    pub(crate) all_have_devices: bool,
    /// Copies from device to device whose values have not arrived.
    pub(crate) pending: Vec<Pending>,
    /// Stands for the kernel that ranks share, or shared last.
    kernel: u64,
}

/// The state, which the executor shares with what fetches columns.
#[derive(Clone, Debug)]
pub(crate) struct Shared(Arc<Mutex<State>>);

impl Shared {
    pub(crate) fn new(ranks: Ranks) -> Self {
        // Streams of GPUs have numbers from 0 on.
        static STREAMS: AtomicU64 = AtomicU64::new(1 << 63);
        let stream = STREAMS.fetch_add(1, Relaxed);
        let state = State {
            ranks,
            classes: Vec::new(),
            halos: HashMap::new(),
            clock: 0,
            stream,
            device: None,
            has_devices: false,
            all_have_devices: false,
            pending: Vec::new(),
            kernel: 0,
        };
        Self(Arc::new(Mutex::new(state)))
    }

    /// Whether both are the same.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// A number for the numbers of objects.
    pub(crate) fn number(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.classes.iter().for_each(|class| class.count.hash(&mut hasher));
        self.kernel.hash(&mut hasher);
        hasher.finish()
    }

    /// Begins a kernel that ranks share. From now on messages compare its classes, and what its results mean: kernels of other
    /// classes may have the same name.
    pub(crate) fn begin(&mut self, launch: &Launch<'_>) {
        let mut hasher = DefaultHasher::new();
        for class in launch.sections.iter().map(|section| section.effects.class()) {
            self.classes.iter().position(|known| known.id == class).hash(&mut hasher);
        }
        let meaning = match launch.form {
            Form::Reduce(reduction) => reduction.wire.meaning,
            Form::Collect(collection) => collection.wire.meaning,
            _ => 0,
        };
        (std::mem::discriminant(&launch.form), meaning).hash(&mut hasher);
        self.kernel = hasher.finish();
    }

    /// Takes note of the host's changes and of new objects, and copies the values that are not on the host.
    ///
    /// # Errors
    ///
    /// Errors of other ranks, and of devices.
    pub(crate) fn renew(&mut self, shared: &Shared, members: &mut [&mut dyn AnyObjects]) -> Result<(), Error> {
        let is_same = |(class, member): (&ClassState, &&mut dyn AnyObjects)| class.id == member.class();
        if self.classes.len() != members.len() || !self.classes.iter().zip(&*members).all(is_same) {
            return Err(Error::Cluster { reason: String::from("the cluster shares another world") });
        }
        // Arguments may differ from call to call.
        if self.halos.len() > MOST_HALOS {
            self.halos.clear();
        }
        for (number, member) in members.iter_mut().enumerate() {
            let table = table(&**member);
            let mut copies = member.copies();
            if !copies.streams().any(|stream| stream == self.stream) {
                let newer = Newer::new(shared.clone(), number, table);
                // SAFETY: it is for these objects, and the stream has no other copy.
                unsafe { copies.add(self.stream, Box::new(newer)) };
            }
            let all = fields_where(member.fields(), |_, _| true);
            let changed = member.copies().missing(self.stream).intersection(all);
            let class = &mut self.classes[number];
            let links = links(class.fields);
            self.clock += 1;
            // Others' objects may be in their place.
            if table != class.table {
                if !member.copies().only_on(self.stream).is_empty() {
                    let reason = format!(
                        "objects of class {} were taken out of the world and put back, while other ranks had newer values of \
                         them; call `cluster.gather(&mut world)` before",
                        class.name
                    );
                    return Err(Error::Cluster { reason });
                }
                (class.table, class.linked_at, class.count) = (table, self.clock, 0);
                class.bounds.clear();
                class.written.fill(0);
            }
            let objects = (member.count() as usize, member.generation());
            if !changed.intersection(links).is_empty() || objects != (class.count, class.generation) {
                class.linked_at = self.clock;
            }
            each(changed, class.fields.len()).for_each(|field| class.written[field] = 0);
            class.on_host = class.on_host.union(changed);
            class.on_device = class.on_device.without(changed);
            if !member.has_own_columns() && objects != (class.count, class.generation) {
                let (columns, start) = (member.elements(all), member.units().first().map(|unit| unit.start));
                // SAFETY: it is used for these objects.
                let newer = unsafe { member.copies().mirror(self.stream) };
                if let Some(newer) = newer.and_then(|newer| newer.as_any().downcast_mut::<Newer>())
                    && let Some(start) = start
                {
                    newer.set_together(start, columns);
                }
            }
            // SAFETY: the host has changed them, and had their current values before: on each rank the same.
            unsafe { member.copies().uploaded(self.stream, changed) };
        }
        for (number, member) in members.iter_mut().enumerate() {
            let (class, count) = (&self.classes[number], member.count() as usize);
            if count != class.count || member.generation() != class.generation || class.bounds.is_empty() {
                if class.count > 0 && count >= class.count {
                    self.collect(number, self.classes[number].stale(), &mut **member)?;
                }
                let (class, ranks) = (&mut self.classes[number], self.ranks.count());
                class.generation = member.generation();
                class.divide(count, ranks);
                class.written.fill(0);
            }
        }
        // Halos for links that have changed are of no use.
        let classes = &self.classes;
        self.halos.retain(|key, _| key.is_current(classes));
        Ok(())
    }

    /// Makes some fields of a class current on each rank.
    ///
    /// # Errors
    ///
    /// Errors of other ranks.
    pub(crate) fn collect(
        &mut self,
        number: usize,
        fields: FieldSet,
        objects: &mut dyn AnyObjects,
    ) -> Result<(), Error> {
        let class = &self.classes[number];
        let fields = fields.intersection(class.stale());
        if fields.is_empty() {
            return Ok(());
        }
        self.bring_home(number, fields, objects)?;
        let class = &self.classes[number];
        let columns = objects.elements(fields);
        // SAFETY: the columns are those of the class's objects, of which there are as many or more, and `&mut` excludes
        // other accesses.
        unsafe { self.collect_columns(number, &columns, 0..class.count)? };
        let class = &mut self.classes[number];
        each(fields, class.fields.len()).for_each(|field| class.written[field] = 0);
        let own = class.own(self.ranks.rank());
        let (on_device, count) = (fields.intersection(class.on_device), class.count);
        self.store(on_device, &[0..own.start, own.end..count], objects)
    }

    /// Divides the objects of each class again, so that ranks take equal times.
    ///
    /// # Errors
    ///
    /// Errors of other ranks.
    pub(crate) fn balance(&mut self, members: &mut [&mut dyn AnyObjects]) -> Result<(), Error> {
        let own: Vec<_> =
            self.classes.iter().flat_map(|class| class.busy.to_le_bytes()).map(MaybeUninit::new).collect();
        let what = What { text: "balancing the work", state: self.number() };
        let all = self.ranks.gather(&what, &own)?;
        let seconds = |bytes: &Bytes| pack::numbers(bytes).map(f64::from_le_bytes).collect::<Vec<_>>();
        let seconds: Vec<_> = all.iter().map(seconds).collect();
        for number in 0..self.classes.len() {
            let busy: Vec<_> = seconds.iter().map(|of_rank| of_rank[number]).collect();
            let class = &mut self.classes[number];
            class.busy = 0.0;
            let bounds = class.balanced(&busy);
            if busy.iter().sum::<f64>() > 0.0 && bounds != class.bounds {
                let stale = class.stale();
                self.collect(number, stale, &mut *members[number])?;
                self.clock += 1;
                let class = &mut self.classes[number];
                class.bounds = bounds;
                class.linked_at = self.clock;
            }
        }
        Ok(())
    }

    /// Gives each rank the values of some objects in these columns, from their owners.
    ///
    /// # Errors
    ///
    /// Errors of other ranks.
    ///
    /// # Safety
    ///
    /// These are columns of the class, the objects exist, and nothing else accesses them.
    pub(crate) unsafe fn collect_columns(
        &mut self,
        number: usize,
        columns: &[Elements],
        objects: Range<usize>,
    ) -> Result<(), Error> {
        if self.ranks.count() == 1 {
            return Ok(());
        }
        let class = &self.classes[number];
        let own_of = |rank: usize| {
            let own = class.own(rank);
            let start = own.start.clamp(objects.start, objects.end);
            start..own.end.clamp(start, objects.end)
        };
        let parts: Vec<_> = (0..self.ranks.count()).map(own_of).collect();
        let names = each_name(class.fields, columns);
        let text = format!("reading {}::{}{names}", class.name, if columns.is_empty() { "nothing" } else { "" });
        let mut hasher = DefaultHasher::new();
        (self.number(), number, objects.start, objects.end, columns.len()).hash(&mut hasher);
        let what = What { text: &text, state: hasher.finish() };
        let mut own = Vec::new();
        let rank = self.ranks.rank();
        // SAFETY: by the caller.
        unsafe { pack::pack_range(columns, parts[rank].clone(), &mut own) };
        self.ranks.traffic.gathers += 1;
        let all = self.ranks.gather(&what, &own)?;
        for (other, message) in all.iter().enumerate().filter(|&(other, _)| other != rank) {
            if message.len() != pack::row(columns) * parts[other].len() {
                return Err(self
                    .ranks
                    .fail(&format!("rank {other} has other columns of class {}", self.classes[number].name)));
            }
            // SAFETY: 1. by the caller; 2. the other rank has packed its part, of the length that was just compared.
            unsafe { pack::unpack_range(columns, parts[other].clone(), message) };
        }
        Ok(())
    }

    /// Notes that the host has all ranks' values of a field.
    pub(crate) fn set_collected(&mut self, number: usize, field: usize) {
        // Devices lack those of other ranks. Ranks agree about what is stale.
        if !self.has_devices {
            self.classes[number].written[field] = 0;
        }
    }

    /// Notes that links in some fields may have changed on each rank.
    pub(crate) fn note_links(&mut self, number: usize, changed: FieldSet) {
        let class = &mut self.classes[number];
        if !changed.intersection(links(class.fields)).is_empty() {
            self.clock += 1;
            class.linked_at = self.clock;
        }
    }

    /// Gives each rank the first one's values of some fields.
    ///
    /// # Errors
    ///
    /// Errors of other ranks.
    pub(crate) fn adopt(&mut self, number: usize, fields: FieldSet, objects: &mut dyn AnyObjects) -> Result<(), Error> {
        let (count, ranks) = (objects.count() as usize, self.ranks.count());
        let class = &mut self.classes[number];
        let mut bounds = vec![count; ranks + 1];
        bounds[0] = 0;
        let (before, known) = (std::mem::replace(&mut class.bounds, bounds), class.count);
        class.count = count;
        // SAFETY: these are the class's columns and all of its objects, which are borrowed.
        let adopted = unsafe { self.collect_columns(number, &objects.elements(fields), 0..count) };
        let class = &mut self.classes[number];
        (class.bounds, class.count) = (before, known);
        adopted
    }

    /// Notes that a kernel which ranks shared has changed some fields.
    pub(crate) fn note(&mut self, number: usize, fields: FieldSet) {
        self.clock += 1;
        let class = &mut self.classes[number];
        for field in each(fields, class.fields.len()) {
            class.written[field] = self.clock;
            if links(class.fields).contains(field) {
                class.linked_at = self.clock;
            }
        }
    }
}

/// The names of the columns' fields.
fn each_name(fields: &[FieldInfo], columns: &[Elements]) -> String {
    let mut names: Vec<_> = columns.iter().map(|column| fields[column.field].name).collect();
    names.dedup();
    names.join(", ")
}
