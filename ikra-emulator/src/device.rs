//! Devices: their memory, and launches.

use std::{
    collections::HashMap,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst},
    },
};

use crate::{
    code::FUNCTION_STRIDE,
    counts::Counts,
    fault::{Fault, FaultKind},
    grid::{self, Context},
    memory::{
        allocations::{Allocations, Purpose},
        cells::Cells,
        shadow::LAUNCHES,
        window,
    },
    options::Options,
    program::{Initial, Kernel, Program, VariableSpace},
    races::{Fences, Updates},
    registers::Row,
    schedule::{BlockOrder, Random},
};

/// A device: its memory, and the options of its launches.
///
/// ```
/// use ikra_emulator::machine::{Device, Options};
///
/// let device = Device::new(Options::default());
/// let address = device.allocate(4000, "positions").unwrap();
/// device.write(address, &[1, 2, 3]).unwrap();
/// let fault = device.write(address + 4000, &[4]).unwrap_err();
/// assert!(fault.to_string().contains("0 bytes past the end of an allocation of 4000 bytes (positions)"));
/// ```
pub struct Device {
    pub(crate) memory: Allocations,
    pub(crate) options: Options,
    /// Bytes that kernels allocated by `malloc`.
    pub(crate) heap: AtomicUsize,
    /// Launches so far.
    launches: AtomicU64,
    /// The conditions of graphs, by their handles.
    conditions: Mutex<HashMap<u64, u32>>,
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device")
            .field("options", &self.options)
            .field("used", &self.memory.used())
            .finish_non_exhaustive()
    }
}

/// The amount of used memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Bytes of live allocations.
    pub used: usize,
    /// The size of the memory.
    pub total: usize,
}

/// A program in a device's memory: the addresses of its variables.
pub struct LoadedProgram {
    pub(crate) program: Arc<Program>,
    pub(crate) addresses: HashMap<String, (u64, usize)>,
    /// The program's constants, with the addresses of variables.
    constants: Arc<[Row]>,
}

impl fmt::Debug for LoadedProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadedProgram").field("addresses", &self.addresses).finish_non_exhaustive()
    }
}

impl LoadedProgram {
    /// The program.
    #[must_use]
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The address and size of a variable of the module.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<(u64, usize)> {
        self.addresses.get(name).copied()
    }
}

/// A launch: its dimensions and arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// Blocks per dimension.
    pub grid: [u32; 3],
    /// Threads of a block per dimension.
    pub block: [u32; 3],
    /// Bytes of shared memory on top of what the kernel declares.
    pub shared_bytes: u32,
    /// The parameters' bytes, at the offsets of [`KernelInfo::parameters`](crate::machine::KernelInfo::parameters).
    pub arguments: Vec<u8>,
    /// Bytes of stack of each thread, for calls of unknown depth.
    pub stack_bytes: usize,
    /// Whether all blocks run at the same time, so that they can wait for each other.
    pub is_cooperative: bool,
}

impl Device {
    /// A device without allocations.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let memory = Allocations::new(options.memory_bytes, options.number);
        Self { memory, options, heap: AtomicUsize::new(0), launches: AtomicU64::new(0), conditions: Mutex::default() }
    }

    /// The conditions of graphs, by their handles: kernels set them, and a graph repeats a part of it while one is not 0.
    fn conditions(&self) -> MutexGuard<'_, HashMap<u64, u32>> {
        self.conditions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a condition, or gives it this value.
    pub(crate) fn put_condition(&self, handle: u64, value: u32) {
        self.conditions().insert(handle, value);
    }

    /// Gives a condition this value, if it exists.
    pub(crate) fn set_condition(&self, handle: u64, value: u32) -> bool {
        self.conditions().get_mut(&handle).map(|condition| *condition = value).is_some()
    }

    /// The value of a condition; 0 if there is none.
    pub(crate) fn condition(&self, handle: u64) -> u32 {
        self.conditions().get(&handle).copied().unwrap_or_default()
    }

    /// The options.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The amount of used memory.
    #[must_use]
    pub fn usage(&self) -> Usage {
        Usage { used: self.memory.used(), total: self.options.memory_bytes }
    }

    /// Allocates uninitialised memory; `what` names it in faults. The address is never 0 and never used again.
    #[must_use]
    pub fn allocate(&self, bytes: usize, what: &str) -> Option<u64> {
        self.memory.allocate(bytes, Cells::new, Purpose::Global, what).map(|allocation| allocation.start)
    }

    /// Allocates zeroed memory of the host that kernels reach by the same address.
    /// The address stays valid until [`Self::free`]. Host and kernels must not access it at the same time, except by
    /// atomics.
    #[must_use]
    pub fn allocate_host(&self, bytes: usize, what: &str) -> Option<*mut u8> {
        let allocation = self.memory.allocate(bytes.max(1), Cells::zeroed, Purpose::Host, what)?;
        Some(std::ptr::with_exposed_provenance_mut(allocation.start as usize))
    }

    /// Frees an allocation.
    ///
    /// # Errors
    ///
    /// If the address is not the start of a live allocation.
    pub fn free(&self, address: u64) -> Result<(), Fault> {
        self.memory.free(address)
    }

    /// The start, the size and the name of the live allocation in which an address lies.
    #[must_use]
    pub fn allocation(&self, address: u64) -> Option<(u64, usize, String)> {
        let (allocation, _) = self.memory.range(address, 1).ok()?;
        Some((allocation.start, allocation.cells.bytes(), allocation.what.to_string()))
    }

    /// Copies bytes of the host to the device.
    ///
    /// # Errors
    ///
    /// If not all of the bytes lie in one live allocation.
    pub fn write(&self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        if bytes.is_empty() {
            return Ok(());
        }
        let (allocation, at) = self.memory.range(address, bytes.len())?;
        allocation.cells.write(at, bytes);
        Ok(())
    }

    /// Copies bytes of the device to the host. Uninitialised bytes are 0.
    ///
    /// # Errors
    ///
    /// If not all of the bytes lie in one live allocation.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), Fault> {
        if bytes.is_empty() {
            return Ok(());
        }
        let (allocation, at) = self.memory.range(address, bytes.len())?;
        allocation.cells.read(at, bytes);
        Ok(())
    }

    /// Writes the same byte to a range.
    ///
    /// # Errors
    ///
    /// If not all of the bytes lie in one live allocation.
    pub fn fill(&self, address: u64, byte: u8, bytes: usize) -> Result<(), Fault> {
        if bytes == 0 {
            return Ok(());
        }
        let (allocation, at) = self.memory.range(address, bytes)?;
        allocation.cells.fill(at, byte, bytes);
        Ok(())
    }

    /// Copies bytes within the device, and whether they are initialised.
    ///
    /// # Errors
    ///
    /// If not all of the bytes lie in one live allocation each.
    pub fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<(), Fault> {
        if bytes == 0 {
            return Ok(());
        }
        let (source, source_at) = self.memory.range(from, bytes)?;
        let (allocation, at) = self.memory.range(to, bytes)?;
        allocation.cells.copy_from(at, &source.cells, source_at, bytes);
        Ok(())
    }

    /// Places a program's variables in memory, with their initial values.
    ///
    /// # Errors
    ///
    /// If memory does not suffice.
    pub fn load(&self, program: Arc<Program>) -> Result<LoadedProgram, Fault> {
        let mut addresses = HashMap::new();
        for variable in program.variables() {
            let purpose = match variable.space {
                VariableSpace::Global => Purpose::Global,
                VariableSpace::Constant => Purpose::Constant,
            };
            let what = format!("variable {}", variable.name);
            let Some(allocation) = self.memory.allocate(variable.bytes, Cells::zeroed, purpose, &what) else {
                for &(address, _) in addresses.values() {
                    self.memory.free(address)?;
                }
                return Err(Fault::new(FaultKind::InvalidValue, "no memory is left for the program's variables"));
            };
            allocation.cells.write(0, &variable.initial);
            addresses.insert(variable.name.clone(), (allocation.start, variable.bytes));
        }
        let address = |name: &str| addresses.get(name).map_or(0, |&(address, _)| address);
        for variable in program.variables() {
            for relocation in &variable.relocations {
                let value = match &relocation.of {
                    Initial::Variable(name) => address(name),
                    Initial::Function(name) => {
                        window::FUNCTION + u64::from(program.code.numbers[name]) * FUNCTION_STRIDE
                    }
                };
                let value = value.wrapping_add_signed(relocation.addend).to_le_bytes();
                self.write(address(&variable.name) + relocation.offset as u64, &value)?;
            }
        }
        let mut constants = program.code.constants.to_vec();
        for (number, name, offset) in &program.code.relocations {
            constants[*number as usize] = [address(name).wrapping_add_signed(*offset); 32];
        }
        Ok(LoadedProgram { program, addresses, constants: constants.into() })
    }

    /// Frees a program's variables.
    ///
    /// # Errors
    ///
    /// If the program was loaded by another device.
    pub fn unload(&self, program: LoadedProgram) -> Result<(), Fault> {
        program.addresses.values().try_for_each(|&(address, _)| self.memory.free(address))
    }

    /// Runs a kernel to its end.
    ///
    /// # Errors
    ///
    /// The first fault of a thread. Memory keeps the kernel's effects up to that point.
    pub fn launch(&self, program: &LoadedProgram, kernel: Kernel, launch: &Launch) -> Result<Counts, Fault> {
        let code = &program.program.code;
        let info = program.program.info(kernel);
        let invalid = |detail: String| {
            let mut fault = Fault::new(FaultKind::InvalidLaunch, detail);
            fault.kernel = Some(info.name.clone());
            Err(fault)
        };
        let threads = launch.block.iter().map(|&n| u64::from(n)).product::<u64>();
        let blocks = launch.grid.iter().map(|&n| u64::from(n)).product::<u64>();
        let most = info.max_threads.unwrap_or(1024).min(1024);
        if threads == 0 || threads > u64::from(most) || blocks == 0 || launch.grid[1] > 65535 || launch.grid[2] > 65535
        {
            return invalid(format!(
                "{:?} blocks of {:?} threads; a block has 1 to {most} threads, a grid at least one block",
                launch.grid, launch.block
            ));
        }
        let resident = grid::resident(threads as u32, self.options.multiprocessors) as u64;
        if launch.is_cooperative && blocks > resident {
            return invalid(format!("{blocks} blocks are to run at the same time, and there is room for {resident}"));
        }
        let shared = u64::from(info.shared_bytes) + u64::from(launch.shared_bytes);
        if shared > u64::from(self.options.shared_bytes_per_block) {
            let there = self.options.shared_bytes_per_block;
            return invalid(format!("{shared} bytes of shared memory; a block can have {there}"));
        }
        if launch.arguments.len() < info.parameter_bytes {
            let (given, needed) = (launch.arguments.len(), info.parameter_bytes);
            return invalid(format!("{given} bytes of parameters; the kernel takes {needed}"));
        }
        let mut arguments = launch.arguments.clone();
        arguments.resize(arguments.len().next_multiple_of(8), 0);
        let words = arguments.chunks_exact(8).map(|bytes| {
            let mut word = [0; 8];
            word.copy_from_slice(bytes);
            u64::from_le_bytes(word)
        });
        let grid_number = self.launches.fetch_add(1, SeqCst) + 1;
        let number = (grid_number - 1) % u64::from(LAUNCHES) + 1;
        if number == 1 && grid_number > 1 && self.options.checks.races {
            self.memory.live().iter().for_each(|allocation| allocation.shadow.clear());
        }
        let mut random = Random::new(self.options.seed ^ grid_number.wrapping_mul(0xd6e8_feb8_6659_fd93));
        let stack = launch.stack_bytes.max(info.stack_bytes.unwrap_or(0)) + info.local_bytes;
        let context = Context {
            device: self,
            program: &program.program,
            code,
            constants: Arc::clone(&program.constants),
            kernel: info,
            function: program.program.kernel_functions[kernel.0 as usize],
            launch,
            number: number as u32,
            arguments: words.collect(),
            threads: threads as u32,
            blocks,
            shared_bytes: program.program.shared_bytes + launch.shared_bytes,
            stack_bytes: u32::try_from(stack).unwrap_or(u32::MAX / 2),
            checks: self.options.checks,
            fences: Fences::default(),
            updates: Updates::new(),
            executed: AtomicU64::new(0),
            next: AtomicU64::new(0),
            order: BlockOrder::new(blocks, &mut random),
            stop: AtomicBool::new(false),
            fault: Mutex::new(None),
            grid_number,
        };
        grid::run(&context)
    }
}
