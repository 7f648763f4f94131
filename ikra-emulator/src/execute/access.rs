//! Loads and stores, with their checks.

use super::{Core, Outcome, Trouble, width_index};
use crate::{
    block::Shared,
    code::{Access, Address, Element, Semantics, Space},
    counts::CountedSpace,
    fault::FaultKind,
    grid::Context,
    memory::{
        allocations::{Allocation, Purpose},
        window,
    },
    races::Race,
    registers::{ALL, Row},
    warp::Warp,
};

/// Sectors of 32 bytes that a warp's access touches.
pub(super) struct Sectors {
    seen: [u64; 64],
    count: usize,
}

impl Sectors {
    pub(super) const fn new() -> Self {
        Self { seen: [0; 64], count: 0 }
    }

    #[inline(always)]
    pub(super) fn add(&mut self, address: u64) {
        let sector = address / 32;
        if self.count > 0 && self.seen[self.count - 1] == sector || self.seen[..self.count].contains(&sector) {
            return;
        }
        if self.count < self.seen.len() {
            self.seen[self.count] = sector;
            self.count += 1;
        }
    }

    pub(super) const fn count(&self) -> u64 {
        self.count as u64
    }
}

/// The target of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Where {
    Global(u64),
    Shared(usize),
    Local(usize),
    Parameter(usize),
}

/// The addresses of the lanes.
#[inline(always)]
pub(super) fn addresses(warp: &Warp, address: Address) -> Row {
    let base = warp.registers.get(address.base);
    std::array::from_fn(|lane| base[lane].wrapping_add(address.offset as u64))
}

#[inline(always)]
pub(super) fn locate(space: Space, address: u64) -> Where {
    match space {
        Space::Global | Space::Constant => Where::Global(address),
        Space::Shared => Where::Shared(address as usize),
        Space::Local => Where::Local(address as usize),
        Space::Parameter => Where::Parameter(window::offset(address) as usize),
        Space::Generic => match window::window(address) {
            window::SHARED => Where::Shared(window::offset(address) as usize),
            window::LOCAL => Where::Local(window::offset(address) as usize),
            window::PARAMETER => Where::Parameter(window::offset(address) as usize),
            _ => Where::Global(address),
        },
    }
}

/// The lanes whose loads gave uninitialised bytes.
const UNWRITTEN: u8 = 0;

impl Core<'_> {
    /// Executes a load.
    #[inline(always)]
    pub(super) fn load(
        &mut self,
        shared: &mut Shared,
        warp: &mut Warp,
        access: &Access,
        active: u32,
        number: u32,
    ) -> Outcome {
        let mut unwritten = 0;
        if warp.registers.is_poisoned {
            let poison = warp.registers.source_poison(access.address.base) & active;
            self.must_be_written(warp, poison, "the address")?;
        }
        let bytes = access.width * access.elements.len();
        let addresses = addresses(warp, access.address);
        let mut values = [[0; 32]; 8];
        let mut sectors = Sectors::new();
        let mut spaces = [0u64; 5];
        let mut rest = active;
        if active == ALL
            && let Some(done) = self.load_contiguous(shared, warp, access, &addresses, &mut values[0])
        {
            unwritten = done?;
            rest = 0;
            spaces[CountedSpace::Global as usize] = 32;
            self.counts.load_sectors += sectors_of(addresses[0], 32 * bytes);
        }
        for lane in crate::registers::lanes(rest) {
            let address = addresses[lane];
            if !address.is_multiple_of(bytes as u64) {
                return self.misaligned(lane, address, bytes);
            }
            let place = locate(access.space, address);
            let space = match place {
                Where::Global(address) => {
                    sectors.add(address);
                    self.load_global(shared, warp, lane, address, access, &mut values, &mut unwritten)?
                }
                Where::Shared(at) => {
                    self.load_shared(shared, warp, lane, at, access, &mut values, &mut unwritten)?;
                    CountedSpace::Shared
                }
                Where::Local(at) => {
                    self.load_local(warp, lane, at, access, &mut values, &mut unwritten)?;
                    CountedSpace::Local
                }
                Where::Parameter(at) => {
                    for n in 0..access.elements.len() {
                        let at = at + n * access.width;
                        let Some(&word) = warp.registers.arguments.get(at / 8) else {
                            let detail = format!("offset {at} of the kernel's parameters");
                            return Err(Trouble::at(lane, FaultKind::OutOfBounds, address, detail));
                        };
                        values[n][lane] = (word >> (at % 8 * 8)) & crate::compute::low(access.width);
                    }
                    CountedSpace::Parameter
                }
            };
            spaces[space as usize] += 1;
        }
        for (space, &count) in spaces.iter().enumerate() {
            self.counts.loads[space][width_index(bytes)] += count;
        }
        self.counts.load_sectors += sectors.count();
        if unwritten != 0 {
            let lane = unwritten.trailing_zeros() as usize;
            let window = match access.space {
                Space::Shared => window::SHARED,
                Space::Local => window::LOCAL,
                _ => 0,
            };
            warp.registers.is_poisoned = true;
            warp.registers.poison_origin = (addresses[lane] | window, number);
        }
        if warp.registers.is_poisoned {
            for element in &access.elements {
                if let Some(to) = element.to {
                    warp.registers.set_poison(to, active, unwritten);
                }
            }
        }
        for (n, element) in access.elements.iter().enumerate() {
            let Some(to) = element.to else { continue };
            if let Some((bits, register)) = element.extend {
                for value in &mut values[n] {
                    let wide = ((*value << (64 - bits)) as i64 >> (64 - bits)) as u64;
                    *value = if register == 64 { wide } else { wide & ((1 << register) - 1) };
                }
            }
            warp.registers.put(to, active, &values[n]);
        }
        if access.semantics.fence {
            shared.clock.fence(&self.context.fences, true);
        }
        Ok(())
    }

    #[inline(always)]
    fn load_global(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        lane: usize,
        address: u64,
        access: &Access,
        values: &mut [Row; 8],
        unwritten: &mut u32,
    ) -> Outcome<CountedSpace> {
        let width = access.width;
        let bytes = width * access.elements.len();
        let checks = self.context.checks;
        let Some((allocation, at)) = self.recent.find(address, bytes) else {
            if !checks.bounds {
                return Ok(CountedSpace::Global);
            }
            return Err(self.context.outside(lane, address, bytes));
        };
        for n in 0..access.elements.len() {
            values[n][lane] = allocation.cells.load(at + n * width, width);
        }
        if allocation.purpose != Purpose::Global {
            let is_constant = allocation.purpose == Purpose::Constant;
            return Ok(if is_constant { CountedSpace::Constant } else { CountedSpace::Global });
        }
        if checks.uninitialised {
            let mut written = UNWRITTEN;
            for at in (at..at + bytes).step_by(8) {
                written |= allocation.cells.written(at, bytes.min(8));
            }
            if written == UNWRITTEN {
                *unwritten |= 1 << lane;
            }
        }
        if shared.clock.enabled {
            let thread = shared.clock.first + u64::from(warp.number) * 32 + lane as u64;
            for pair in allocation.shadow.entries(at, bytes) {
                let race = shared.clock.read(pair, thread, warp.sync, access.semantics.atomic, &self.context.fences);
                if let Some(race) = race {
                    return Err(self.context.race_at(lane, address, race));
                }
            }
        }
        Ok(CountedSpace::Global)
    }

    #[inline(always)]
    fn load_shared(
        &self,
        shared: &Shared,
        warp: &Warp,
        lane: usize,
        address: usize,
        access: &Access,
        values: &mut [Row; 8],
        unwritten: &mut u32,
    ) -> Outcome {
        let width = access.width;
        let bytes = width * access.elements.len();
        let Some(at) = self.shared_position(shared, lane, address, bytes)? else { return Ok(()) };
        for n in 0..access.elements.len() {
            values[n][lane] = shared.cells.load(at + n * width, width);
        }
        if self.context.checks.uninitialised {
            let mut written = UNWRITTEN;
            for at in (at..at + bytes).step_by(8) {
                written |= shared.cells.written(at, bytes.min(8));
            }
            if written == UNWRITTEN {
                *unwritten |= 1 << lane;
            }
        }
        if shared.clock.enabled {
            let thread = shared.clock.first + u64::from(warp.number) * 32 + lane as u64;
            for pair in shared.shadow.entries(at, bytes) {
                let race = shared.clock.read(pair, thread, warp.sync, access.semantics.atomic, &self.context.fences);
                if let Some(race) = race {
                    return Err(self.context.race(
                        lane,
                        address as u64,
                        race,
                        format!("byte {at} of the block's shared memory"),
                    ));
                }
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn load_local(
        &self,
        warp: &Warp,
        lane: usize,
        address: usize,
        access: &Access,
        values: &mut [Row; 8],
        unwritten: &mut u32,
    ) -> Outcome {
        let width = access.width;
        let bytes = width * access.elements.len();
        let Some(at) = self.local_position(warp, lane, address, bytes)? else { return Ok(()) };
        let stack = &warp.stacks[lane];
        let mut written = UNWRITTEN;
        for n in 0..access.elements.len() {
            values[n][lane] = stack.load(at + n * width, width);
            written |= stack.written(at + n * width, width);
        }
        if self.context.checks.uninitialised && written == UNWRITTEN {
            *unwritten |= 1 << lane;
        }
        Ok(())
    }

    /// Executes a store.
    #[inline(always)]
    pub(super) fn store(&mut self, shared: &mut Shared, warp: &mut Warp, access: &Access, active: u32) -> Outcome {
        if access.semantics.fence {
            shared.clock.fence(&self.context.fences, true);
        }
        let width = access.width;
        let bytes = width * access.elements.len();
        let addresses = addresses(warp, access.address);
        let mut sectors = Sectors::new();
        let mut spaces = [0u64; 5];
        let mut values = [[0; 32]; 8];
        for (n, Element { from, .. }) in access.elements.iter().enumerate() {
            values[n] = *warp.registers.get(*from);
        }
        // Per element, the lanes whose value depends on uninitialised bytes.
        let mut poison = [0; 8];
        if warp.registers.is_poisoned {
            let address = warp.registers.source_poison(access.address.base) & active;
            self.must_be_written(warp, address, "the address")?;
            for (n, element) in access.elements.iter().enumerate() {
                poison[n] = warp.registers.source_poison(element.from);
            }
        }
        let written = |n: usize, lane: usize| if poison[n] >> lane & 1 == 1 { 0 } else { 0xff };
        let is_written = poison.iter().fold(0, |all, one| all | one) & active == 0;
        let mut rest = active;
        if active == ALL
            && is_written
            && let Some(done) = self.store_contiguous(shared, warp, access, &addresses, &values[0])
        {
            done?;
            rest = 0;
            spaces[CountedSpace::Global as usize] = 32;
            self.counts.store_sectors += sectors_of(addresses[0], 32 * bytes);
        }
        for lane in warp.ordered(rest) {
            let address = addresses[lane];
            if !address.is_multiple_of(bytes as u64) {
                return self.misaligned(lane, address, bytes);
            }
            match locate(access.space, address) {
                Where::Global(address) => {
                    spaces[CountedSpace::Global as usize] += 1;
                    sectors.add(address);
                    if let Some((allocation, at)) =
                        self.writable(shared, warp, lane, address, bytes, access.semantics)?
                    {
                        for n in 0..access.elements.len() {
                            allocation.cells.store(at + n * width, width, values[n][lane]);
                        }
                        if is_written {
                            for at in (at..at + bytes).step_by(8) {
                                allocation.cells.set_written(at, bytes.min(8), 0xff);
                            }
                        } else {
                            for n in 0..access.elements.len() {
                                allocation.cells.set_written(at + n * width, width, written(n, lane));
                            }
                        }
                    }
                }
                Where::Shared(address) => {
                    spaces[CountedSpace::Shared as usize] += 1;
                    if let Some(at) = self.writable_shared(shared, warp, lane, address, bytes, access.semantics)? {
                        for n in 0..access.elements.len() {
                            shared.cells.store_alone(at + n * width, width, values[n][lane]);
                        }
                        for n in 0..access.elements.len() {
                            shared.cells.set_written(at + n * width, width, written(n, lane));
                        }
                    }
                }
                Where::Local(address) => {
                    spaces[CountedSpace::Local as usize] += 1;
                    if let Some(at) = self.local_position(warp, lane, address, bytes)? {
                        let stack = &mut warp.stacks[lane];
                        for n in 0..access.elements.len() {
                            stack.store(at + n * width, width, values[n][lane], written(n, lane));
                        }
                    }
                }
                Where::Parameter(_) => {
                    let detail = "the kernel's parameters cannot be written";
                    return Err(Trouble::at(lane, FaultKind::ReadOnly, address, detail));
                }
            }
        }
        for (space, &count) in spaces.iter().enumerate() {
            self.counts.stores[space][width_index(bytes)] += count;
        }
        self.counts.store_sectors += sectors.count();
        Ok(())
    }

    /// The allocation that a store or an atomic operation writes; none if the address is outside and that is not
    /// checked.
    #[inline(always)]
    pub(super) fn writable(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        lane: usize,
        address: u64,
        bytes: usize,
        semantics: Semantics,
    ) -> Outcome<Option<(&Allocation, usize)>> {
        let context = self.context;
        let Some((allocation, at)) = self.recent.find(address, bytes) else {
            return if context.checks.bounds { Err(context.outside(lane, address, bytes)) } else { Ok(None) };
        };
        if allocation.purpose == Purpose::Constant {
            let detail = context.device.memory.describe(address);
            return Err(Trouble::at(lane, FaultKind::ReadOnly, address, detail));
        }
        if shared.clock.enabled && allocation.purpose == Purpose::Global {
            let thread = shared.clock.first + u64::from(warp.number) * 32 + lane as u64;
            for pair in allocation.shadow.entries(at, bytes) {
                if let Some(race) = shared.clock.write(pair, thread, warp.sync, semantics.atomic, &context.fences) {
                    return Err(context.race_at(lane, address, race));
                }
            }
        }
        Ok(Some((allocation, at)))
    }

    /// The range of shared memory that a store or an atomic operation writes.
    #[inline(always)]
    pub(super) fn writable_shared(
        &self,
        shared: &Shared,
        warp: &Warp,
        lane: usize,
        address: usize,
        bytes: usize,
        semantics: Semantics,
    ) -> Outcome<Option<usize>> {
        let Some(at) = self.shared_position(shared, lane, address, bytes)? else { return Ok(None) };
        if shared.clock.enabled {
            let thread = shared.clock.first + u64::from(warp.number) * 32 + lane as u64;
            for pair in shared.shadow.entries(at, bytes) {
                let race = shared.clock.write(pair, thread, warp.sync, semantics.atomic, &self.context.fences);
                if let Some(race) = race {
                    return Err(self.context.race(
                        lane,
                        address as u64,
                        race,
                        format!("byte {at} of the block's shared memory"),
                    ));
                }
            }
        }
        Ok(Some(at))
    }

    #[inline(always)]
    pub(super) fn shared_position(
        &self,
        shared: &Shared,
        lane: usize,
        address: usize,
        bytes: usize,
    ) -> Outcome<Option<usize>> {
        let size = shared.cells.bytes();
        let at = address.wrapping_sub(window::FIRST_SHARED as usize);
        if at < size && size - at >= bytes {
            return Ok(Some(at));
        }
        if !self.context.checks.bounds {
            return Ok(None);
        }
        let detail = if address < window::FIRST_SHARED as usize {
            format!("{bytes} bytes before the block's shared memory of {size} bytes")
        } else {
            format!(
                "{bytes} bytes, {} past the end of the block's shared memory of {size} bytes",
                at as i64 - size as i64
            )
        };
        Err(Trouble::at(lane, FaultKind::OutOfBounds, address as u64, detail))
    }

    #[inline(always)]
    pub(super) fn local_position(
        &self,
        warp: &Warp,
        lane: usize,
        address: usize,
        bytes: usize,
    ) -> Outcome<Option<usize>> {
        let at = address.wrapping_sub(window::FIRST_LOCAL as usize);
        let end = warp.top[lane] as usize;
        if warp.stacks[lane].holds(at, bytes, end) {
            return Ok(Some(at));
        }
        if !self.context.checks.bounds {
            return Ok(None);
        }
        let detail = format!("{bytes} bytes at offset {} of the thread's local memory, which ends at {end}", at as i64);
        Err(Trouble::at(lane, FaultKind::OutOfBounds, address as u64, detail))
    }

    /// A fault even without checks, as on hardware.
    #[cold]
    pub(super) fn misaligned(&self, lane: usize, address: u64, bytes: usize) -> Outcome {
        let place = self.context.device.memory.describe(address);
        let detail = format!("the access is of {bytes} bytes; the address lies in {place}");
        Err(Trouble::at(lane, FaultKind::Misaligned, address, detail))
    }
}

/// Sectors of 32 bytes that a range touches.
const fn sectors_of(address: u64, bytes: usize) -> u64 {
    (address + bytes as u64 - 1) / 32 - address / 32 + 1
}

impl Context<'_> {
    #[cold]
    pub(super) fn outside(&self, lane: usize, address: u64, bytes: usize) -> Box<Trouble> {
        let fault = self.device.memory.fault(address);
        let detail = format!("{bytes} bytes at {}", fault.detail);
        Trouble::at(lane, fault.kind, address, detail)
    }

    /// A race in global memory.
    #[cold]
    pub(super) fn race_at(&self, lane: usize, address: u64, race: Race) -> Box<Trouble> {
        self.race(lane, address, race, self.device.memory.describe(address))
    }

    #[cold]
    pub(super) fn race(&self, lane: usize, address: u64, race: Race, place: String) -> Box<Trouble> {
        let (block, thread) = self.coordinates(race.thread);
        let kind = FaultKind::Race { other_block: block, other_thread: thread, other_access: race.access };
        Trouble::at(lane, kind, address, place)
    }
}
