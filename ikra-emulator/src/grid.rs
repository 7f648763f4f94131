//! Launches: blocks that are spread over host threads, in an order drawn from the seed.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    time::Instant,
};

use crate::{
    block::{BARRIERS, BarrierState, Block, Shared},
    code::{Code, FRAME_POINTER},
    counts::Counts,
    device::{Device, Launch},
    execute::{Core, Trouble},
    fault::{Fault, FaultKind, ThreadId},
    memory::{
        allocations::Recent,
        cells::Cells,
        shadow::{Shadow, THREADS},
        window,
    },
    options::Checks,
    program::{KernelInfo, Program},
    races::{Clock, Fences, Updates},
    registers::{Registers, Row, lanes},
    schedule::{BlockOrder, Random},
    special,
    warp::Warp,
};

/// State that all blocks of a launch share.
pub(crate) struct Context<'a> {
    pub(crate) device: &'a Device,
    pub(crate) program: &'a Program,
    pub(crate) code: &'a Code,
    pub(crate) constants: Arc<[Row]>,
    pub(crate) kernel: &'a KernelInfo,
    /// The kernel's number among the functions.
    pub(crate) function: u32,
    pub(crate) launch: &'a Launch,
    /// The number of this launch in the notes on accesses.
    pub(crate) number: u32,
    pub(crate) arguments: Arc<[u64]>,
    pub(crate) threads: u32,
    pub(crate) blocks: u64,
    pub(crate) shared_bytes: u32,
    pub(crate) stack_bytes: u32,
    pub(crate) checks: Checks,
    pub(crate) fences: Fences,
    pub(crate) updates: Updates,
    pub(crate) executed: AtomicU64,
    pub(crate) next: AtomicU64,
    pub(crate) order: BlockOrder,
    pub(crate) stop: AtomicBool,
    pub(crate) fault: Mutex<Option<Fault>>,
    pub(crate) grid_number: u64,
}

impl Context<'_> {
    /// The coordinates of a thread: its block's and its own.
    pub(crate) fn coordinates(&self, thread: u64) -> ([u32; 3], [u32; 3]) {
        let (block, within) = (thread / u64::from(self.threads), (thread % u64::from(self.threads)) as u32);
        (self.block_id(block), split(u64::from(within), self.launch.block))
    }

    pub(crate) fn block_id(&self, block: u64) -> [u32; 3] {
        split(block, self.launch.grid)
    }

    /// The line of the text at which a lane waits.
    pub(crate) fn line_of_waiting(&self, warp: &Warp, lane: usize) -> u32 {
        let step = warp.step[lane] as usize;
        // The next step of lanes at a barrier that counts them is after the barrier.
        let step = if warp.at_barrier >> lane & 1 == 1 { step.saturating_sub(1) } else { step };
        self.code.origins.get(step).map_or(0, |origin| origin.line)
    }

    /// The fault for a lane's mistake.
    fn fault_of(&self, block: &Block, warp: usize, trouble: Trouble) -> Fault {
        let warp = &block.warps[warp];
        let within = warp.number * 32 + trouble.lane as u32;
        let thread = split(u64::from(within), self.launch.block);
        let id = block.shared.id;
        let index = u64::from(id[0]) * u64::from(self.launch.block[0]) + u64::from(thread[0]);
        let mut fault = Fault::new(trouble.kind, trouble.detail);
        fault.address = trouble.address;
        fault.kernel = Some(self.kernel.name.clone());
        fault.thread = Some(ThreadId { block: id, thread, index });
        if let FaultKind::Assert { function, .. } = &fault.kind
            && function.contains('#')
        {
            fault.object = Some(function.clone());
        }
        let step = trouble.step.unwrap_or(warp.step[trouble.lane]) as usize;
        if let Some(origin) = self.code.origins.get(step) {
            fault.ptx_line = Some(origin.line);
            let function = &self.code.functions[origin.function as usize];
            if function.name != self.kernel.name {
                fault.function = Some(function.name.clone());
            }
            self.program.describe(*origin, &mut fault);
        }
        fault
    }

    fn report(&self, fault: Fault) {
        let mut first = self.fault.lock().expect("no holder of the lock panics");
        if first.is_none() {
            *first = Some(fault);
        }
        self.stop.store(true, Relaxed);
    }

    /// The number of blocks that may be in progress at once.
    fn resident(&self) -> usize {
        resident(self.threads, self.device.options.multiprocessors)
    }
}

/// The number of blocks of so many threads that so many multiprocessors run at the same time.
pub(crate) fn resident(threads: u32, multiprocessors: u32) -> usize {
    (2048 / threads).clamp(1, 32) as usize * multiprocessors.max(1) as usize
}

fn split(n: u64, dimensions: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = dimensions.map(u64::from);
    [(n % x) as u32, (n / x % y) as u32, (n / x / y) as u32]
}

/// Runs all blocks.
pub(crate) fn run(context: &Context<'_>) -> Result<Counts, Fault> {
    let threads = context.device.options.threads.clamp(1, context.blocks.min(256) as usize);
    let mut counts = if threads == 1 {
        work(context, 0, 1)
    } else {
        std::thread::scope(|scope| {
            let workers =
                (0..threads).map(|n| scope.spawn(move || work(context, n as u64, threads))).collect::<Vec<_>>();
            workers.into_iter().fold(Counts::default(), |sum, worker| match worker.join() {
                Ok(counts) => sum + counts,
                Err(panic) => std::panic::resume_unwind(panic),
            })
        })
    };
    counts.launches = 1;
    counts.declared_registers = u64::from(context.kernel.registers);
    match context.fault.lock().expect("no holder of the lock panics").take() {
        Some(fault) => Err(fault),
        None => Ok(counts),
    }
}

/// One host thread: it runs its blocks in progress alternately.
fn work(context: &Context<'_>, number: u64, threads: usize) -> Counts {
    let seed = context.device.options.seed ^ context.grid_number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (number << 48);
    let mut core = Core {
        context,
        recent: Recent::new(&context.device.memory),
        counts: Counts::default(),
        random: Random::new(seed),
        waits: false,
        started: Instant::now(),
    };
    let limit = context.resident().div_ceil(threads);
    let mut resident: Vec<Block> = Vec::new();
    let mut spare: Vec<Warp> = Vec::new();
    let mut is_exhausted = false;
    while !context.stop.load(Relaxed) {
        let may_start = !is_exhausted && resident.len() < limit;
        if may_start && (resident.is_empty() || context.launch.is_cooperative || core.random.once_in(16)) {
            let n = context.next.fetch_add(1, Relaxed);
            if n < context.blocks {
                resident.push(start(context, context.order.block(n), &mut spare));
            } else {
                is_exhausted = true;
            }
            continue;
        }
        if resident.is_empty() {
            break;
        }
        let n = core.random.below(resident.len() as u64) as usize;
        let before = core.counts.warp_instructions;
        let is_done = turn(&mut core, &mut resident[n]);
        let executed = core.counts.warp_instructions - before;
        let total = context.executed.fetch_add(executed, Relaxed) + executed;
        match is_done {
            Err(fault) => {
                context.report(*fault);
                break;
            }
            Ok(true) => spare.append(&mut resident.swap_remove(n).warps),
            Ok(false) if total > context.device.options.instruction_limit => {
                context.report(timeout(context, &resident[n], total));
                break;
            }
            Ok(false) => {}
        }
    }
    core.counts
}

fn timeout(context: &Context<'_>, block: &Block, total: u64) -> Fault {
    let detail = format!("{total} instructions of warps, and no end; {}", places(context, block));
    let warp = block.warps.iter().position(|warp| warp.live != 0).unwrap_or(0);
    let lane = block.warps[warp].live.trailing_zeros().min(31) as usize;
    context.fault_of(block, warp, *Trouble::new(lane, FaultKind::Timeout, detail))
}

/// The positions of a block's lanes, in words.
fn places(context: &Context<'_>, block: &Block) -> String {
    let mut places = Vec::new();
    for warp in &block.warps {
        let mut rest = warp.live;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            let line = context.line_of_waiting(warp, lane);
            let what = |lane: usize| match () {
                () if warp.at_barrier >> lane & 1 == 1 => "a barrier",
                () if warp.at_aligned >> lane & 1 == 1 => "an aligned barrier",
                () if warp.at_exchange >> lane & 1 == 1 => "an exchange of the warp",
                () => "an instruction",
            };
            let same = lanes(rest)
                .filter(|&other| context.line_of_waiting(warp, other) == line && what(other) == what(lane))
                .fold(0u32, |same, other| same | 1 << other);
            rest &= !same;
            places.push(format!("lanes {same:#010x} of warp {} are at {} in line {line}", warp.number, what(lane)));
        }
    }
    let more = places.len().saturating_sub(8);
    places.truncate(8);
    if more > 0 {
        places.push(format!("and {more} groups more"));
    }
    places.join("; ")
}

/// Some steps of a block's warps; returns whether the block is done.
fn turn(core: &mut Core<'_>, block: &mut Block) -> Result<bool, Box<Fault>> {
    let turns = 1 + core.random.below(2 * block.warps.len() as u64 + 6);
    for _ in 0..turns {
        if block.shared.live == 0 {
            return Ok(true);
        }
        // A warp that can continue: lanes run, or wait only for events within the warp.
        let count = block.warps.len();
        let first = core.random.below(count as u64) as usize;
        let mut found = false;
        for n in 0..count {
            let n = if first + n < count { first + n } else { first + n - count };
            let warp = &block.warps[n];
            if warp.running == 0 && warp.at_aligned == 0 && warp.at_exchange == 0 {
                continue;
            }
            // Jumps without cost are steps too.
            let before = warp.clock;
            let was_waiting = (warp.at_aligned, warp.at_exchange);
            let budget = core.random.slice();
            if let Err(trouble) = core.run(block, n, budget) {
                return Err(Box::new(core.context.fault_of(block, n, *trouble)));
            }
            let warp = &block.warps[n];
            let moved = warp.clock != before
                || (warp.at_aligned, warp.at_exchange) != was_waiting
                || !block.shared.released.is_empty();
            block.release();
            if moved {
                found = true;
                break;
            }
        }
        if !found && block.shared.live > 0 {
            let waiting = block.warps.iter().position(|warp| warp.live != 0).unwrap_or(0);
            let lane = block.warps[waiting].live.trailing_zeros() as usize;
            let detail = format!("all threads of the block wait: {}", places(core.context, block));
            let mut trouble = Trouble::new(lane, FaultKind::Deadlock, detail);
            let warp = &block.warps[waiting];
            trouble.step = Some(warp.step[lane].saturating_sub(warp.at_barrier >> lane & 1));
            return Err(Box::new(core.context.fault_of(block, waiting, *trouble)));
        }
    }
    Ok(block.shared.live == 0)
}

/// Starts a block.
fn start(context: &Context<'_>, number: u64, spare: &mut Vec<Warp>) -> Block {
    let threads = context.threads;
    let id = context.block_id(number);
    let function = &context.code.functions[context.function as usize];
    let multiprocessor = (number % u64::from(context.device.options.multiprocessors.max(1))) as u32;
    let launched = u64::from(threads) * context.blocks;
    let clock = Clock {
        launch: context.number,
        block: number,
        first: number * u64::from(threads),
        threads: u64::from(threads),
        time: 1,
        barrier: 0,
        fences: Vec::new(),
        enabled: context.checks.races && launched <= THREADS,
    };
    let shared = Shared {
        id,
        cells: Cells::new(context.shared_bytes as usize),
        shadow: Shadow::new(context.shared_bytes as usize),
        barriers: vec![BarrierState::default(); BARRIERS],
        clock,
        live: threads,
        released: Vec::new(),
        multiprocessor,
    };
    let warps = (0..threads.div_ceil(32))
        .map(|number| {
            let mut warp = spare.pop().unwrap_or_else(|| {
                let arguments = Arc::clone(&context.arguments);
                let specials = vec![[0; 32]; special::COUNT].into_boxed_slice();
                Warp::new(0, Registers::new(Arc::clone(&context.constants), specials, arguments))
            });
            let count = (threads - number * 32).min(32);
            let live = if count == 32 { u32::MAX } else { (1 << count) - 1 };
            warp.reset(number, live);
            special::fill(&mut warp.registers.specials, context, &shared, number);
            warp.registers.reserve(function.rows as usize);
            warp.registers.base = 0;
            warp.step = [function.start; 32];
            let top = function.local_bytes.next_multiple_of(8);
            warp.top = [top; 32];
            if top > 0 {
                warp.stacks.iter_mut().for_each(|stack| stack.open(0, top as usize));
            }
            *warp.registers.absolute(FRAME_POINTER as usize) = [window::FIRST_LOCAL; 32];
            warp
        })
        .collect();
    Block { shared, warps }
}
