//! Scan, sort and selection: the kernels that all device code has, with memory and launches as executors give them, so that
//! they can be compared with CUB's for plain numbers. The results of each are checked once.

#![allow(unsafe_code, reason = "launches of kernels by hand")]

use ikra::Place;
use ikra::gpu::GpuError;
use ikra::gpu::driver::{Context, Function, Grid, Memory, Module, Stream};
use ikra::prelude::*;
use ikra_baselines::table::{beside, table};
use ikra_baselines::{Baselines, in_turn, sampled, sizes};

use crate::model::inner_array::hash;
use crate::model::{lives, order};

/// Numbers of a tile of a scan, and of a sort, and flags of a chunk (`ikra-gpu/src/chunks.rs`).
const TILE: usize = 8192;
const SORT_TILE: usize = 5120;
const CHUNK: usize = 8192;
const DIGITS: usize = 256;
const THREADS: u32 = 256;

/// Kernels, and a stream for them.
struct Device {
    context: Context,
    module: Module,
    stream: Stream,
}

impl Device {
    fn open() -> Result<Self, ikra::Error> {
        let code = <lives::Particles as World>::DEVICE_CODE[0].text();
        let code = code.ok_or(GpuError::NoDeviceCode { world: "Particles" })?;
        let context = Context::open(0)?;
        Ok(Self { module: Module::load_waiting(&context, code)?, stream: Stream::new(&context)?, context })
    }

    fn function(&self, name: &str) -> Result<Function, ikra::Error> {
        let none = || GpuError::NoSuchKernel { kernel: name.to_owned(), packages: String::from("the benchmark's") };
        Ok(self.module.function(name)?.ok_or_else(none)?)
    }

    fn room<T>(&self, len: usize) -> Result<Memory, ikra::Error> {
        Ok(Memory::new(&self.context, len * size_of::<T>(), "a benchmark")?)
    }

    fn put<T: Copy>(&self, values: &[T]) -> Result<Memory, ikra::Error> {
        let memory = self.room::<T>(values.len())?;
        // SAFETY: the memory has this many bytes.
        unsafe { self.stream.upload(memory.address(), values.as_ptr().cast(), size_of_val(values))? };
        Ok(memory)
    }

    fn get(&self, memory: &Memory, len: usize) -> Result<Vec<u32>, ikra::Error> {
        let mut values = vec![0_u32; len];
        // SAFETY: both have this many bytes, until the stream is synchronised.
        unsafe { self.stream.download(values.as_mut_ptr().cast(), memory.address(), len * 4)? };
        self.stream.synchronize()?;
        Ok(values)
    }

    /// Starts a kernel that takes addresses and numbers.
    fn start(
        &self,
        function: &Function,
        (blocks, threads, shared_bytes): (usize, u32, u32),
        arguments: &[Argument],
    ) -> Result<(), ikra::Error> {
        let places: Vec<*const ()> = arguments.iter().map(Argument::place).collect();
        let grid = Grid { blocks: blocks as u32, threads, rows: 1, shared_bytes };
        // SAFETY: the callers pass what the kernels in `ikra-gpu/src/device/root.rs` take, with room for the numbers.
        unsafe { self.stream.launch(function, grid, &places) }.map_err(ikra::Error::from)
    }

    /// Nanoseconds of some work on the device.
    fn time(&self, mut work: impl FnMut() -> Result<(), ikra::Error>) -> Result<f64, ikra::Error> {
        sampled(|calls| {
            let start = self.stream.mark()?;
            (0..calls).try_for_each(|_| work())?;
            let end = self.stream.mark()?;
            self.stream.synchronize()?;
            Ok(start.until(&end)?.as_secs_f64())
        })
    }
}

/// An argument of one of these kernels.
enum Argument {
    Address(u64),
    Number(u32),
}

impl Argument {
    fn of(memory: &Memory) -> Self {
        Self::Address(memory.address())
    }
    fn place(&self) -> *const () {
        match self {
            Self::Address(address) => std::ptr::from_ref(address).cast(),
            Self::Number(number) => std::ptr::from_ref(number).cast(),
        }
    }
}

/// Sums of the numbers before each.
struct Scan {
    function: Function,
    tiles: Memory,
}

impl Scan {
    fn new(device: &Device, most: usize) -> Result<Self, ikra::Error> {
        let tiles = device.room::<u64>(most.div_ceil(TILE) + 1)?;
        Ok(Self { function: device.function("ikra_scan")?, tiles })
    }
    fn start(&mut self, device: &Device, from: &Memory, to: &Memory, n: usize) -> Result<(), ikra::Error> {
        device.stream.clear(&mut self.tiles)?;
        let own = [Argument::of(from), Argument::of(to), Argument::Number(n as u32), Argument::of(&self.tiles)];
        device.start(&self.function, (n.div_ceil(TILE), THREADS, THREADS * 4), &own)
    }
}

fn scan(device: &Device, baselines: &Baselines, n: usize) -> Result<(), ikra::Error> {
    let numbers: Vec<u32> = (0..n as u32).map(hash).collect();
    let (from, to) = (device.put(&numbers)?, device.room::<u32>(n)?);
    let mut scan = Scan::new(device, n)?;
    let (ikra, cuda) =
        in_turn(|| device.time(|| scan.start(device, &from, &to, n)), || baselines.call_n("scan_u32", n as u64))?;
    let mut sum = 0_u32;
    for (&number, before) in numbers.iter().zip(device.get(&to, n)?) {
        assert_eq!(before, sum);
        sum = sum.wrapping_add(number);
    }
    beside("scan / DeviceScan", n, ikra, cuda, &[&format!("{:.2} TB/s", 8e-3 * n as f64 / ikra)]);
    Ok(())
}

fn sort(device: &Device, baselines: &Baselines, n: usize) -> Result<(), ikra::Error> {
    let keys: Vec<u32> = (0..n as u32).map(hash).collect();
    let (first_keys, first_values) = (device.put(&keys)?, device.put(&(0..n as u32).collect::<Vec<_>>())?);
    let pairs = [(device.room::<u32>(n)?, device.room::<u32>(n)?), (device.room::<u32>(n)?, device.room::<u32>(n)?)];
    let blocks = n.div_ceil(SORT_TILE);
    let counts = device.room::<u32>(DIGITS * blocks)?;
    let mut scan = Scan::new(device, DIGITS * blocks)?;
    let (count, place) = (device.function("ikra_sort_count_4")?, device.function("ikra_sort_place_4")?);
    let mut start = || {
        let (mut keys, mut values) = (&first_keys, &first_values);
        for digit in 0..4_u32 {
            let (to_keys, to_values) = &pairs[digit as usize % 2];
            let [len, shift] = [Argument::Number(n as u32), Argument::Number(digit * 8)];
            let own = [Argument::of(keys), len, shift, Argument::of(&counts)];
            device.start(&count, (blocks, THREADS, THREADS * 4), &own)?;
            scan.start(device, &counts, &counts, DIGITS * blocks)?;
            let own = [
                Argument::of(keys),
                Argument::of(values),
                Argument::Number(n as u32),
                Argument::Number(digit * 8),
                Argument::of(&counts),
                Argument::of(to_keys),
                Argument::of(to_values),
            ];
            // Counts of eight warps, places, sums, and a tile.
            let shared = (10 * DIGITS + SORT_TILE) * 4;
            device.start(&place, (blocks, THREADS, shared as u32), &own)?;
            (keys, values) = (to_keys, to_values);
        }
        Ok(())
    };
    let (ikra, cuda) = in_turn(|| device.time(&mut start), || baselines.call_n("sort_pairs_u32", n as u64))?;
    let (sorted, values) = (device.get(&pairs[1].0, n)?, device.get(&pairs[1].1, n)?);
    assert!(sorted.iter().zip(&values).all(|(&key, &value)| keys[value as usize] == key));
    assert!(sorted.iter().zip(&values).is_sorted(), "sorted, equal keys in their order");
    beside("sort of pairs / DeviceRadixSort", n, ikra, cuda, &[&format!("{:.2} G pairs/s", n as f64 / ikra)]);
    Ok(())
}

fn select(device: &Device, baselines: &Baselines, n: usize, of_thousand: u32) -> Result<(), ikra::Error> {
    let flags: Vec<u8> = (0..n as u32).map(|i| u8::from(hash(i) % 1000 < of_thousand)).collect();
    let chunks = n.div_ceil(CHUNK);
    let (from, bits, to) = (device.put(&flags)?, device.room::<u8>(chunks * CHUNK / 8)?, device.room::<u32>(n + 32)?);
    let (classes, counts) = (device.put(&[[0, 0], [chunks as u32, 0]])?, device.room::<[u32; 3]>(chunks)?);
    let found = device.room::<[u32; 3]>(1)?;
    let [choose, place, write] = ["choose", "place", "write"].map(|name| device.function(&format!("ikra_list_{name}")));
    let (choose, place, write) = (choose?, place?, write?);
    let start = || {
        let own = [Argument::of(&from), Argument::Number(n as u32), Argument::of(&bits), Argument::of(&counts)];
        device.start(&choose, (chunks, THREADS, THREADS * 4), &own)?;
        let own = [Argument::of(&classes), Argument::Number(1), Argument::of(&counts), Argument::of(&found)];
        device.start(&place, (1, 1024, 1024 * 4), &own)?;
        let own =
            [Argument::of(&bits), Argument::of(&counts), Argument::Address(0), Argument::Number(0), Argument::of(&to)];
        device.start(&write, (chunks, THREADS, THREADS * 8), &own)
    };
    let (ikra, cuda) = in_turn(|| device.time(start), || baselines.call_n_k("select_flagged", n as u64, of_thousand))?;
    let len = device.get(&found, 3)?[0] as usize;
    let chosen = device.get(&to, len)?;
    assert!(flags.iter().zip(0_u32..).filter(|(flag, _)| **flag != 0).map(|(_, i)| i).eq(chosen));
    let bytes = (n + 4 * len) as f64;
    let note = format!("{} of 1,000 chosen, {:.2} TB/s", of_thousand, bytes / ikra / 1e3);
    beside("selection / DeviceSelect", n, ikra, cuda, &[&note]);
    Ok(())
}

/// Selections, sorting and groups of objects, without anything beside them.
fn objects(n: usize) -> Result<(), ikra::Error> {
    let mut sim = order::Boxes::new();
    let place = Place::Gpu(0);
    sim.on(place).construct(n, order::Item::spawn, n as u32)?;
    let nothing = f64::NAN;
    let time =
        ikra_baselines::time(&mut sim, |sim| sim.on(place).select(order::Item::is_odd, ()).selection().map(drop))?;
    beside("select, half of the objects", n, time, nothing, &[]);
    let time = ikra_baselines::time(&mut sim, |sim| sim.on(place).group_by(order::Item::cell, 1 << 16, ()).map(drop))?;
    beside("group_by, 65,536 groups", n, time, nothing, &[]);
    let mut seed = 0;
    let time = ikra_baselines::time(&mut sim, |sim| {
        seed += 1;
        sim.on(place).shuffle::<order::Item>(seed).map(drop)
    })?;
    beside("shuffle, 4 columns, 1 of links", n, time, nothing, &[]);
    let time = ikra_baselines::time(&mut sim, |sim| {
        sim.on(place).execute(order::Item::draw, ())?;
        sim.on(place).sort_by_key(order::Item::rank, ()).map(drop)
    })?;
    beside("sort_by_key, the same columns", n, time, nothing, &[]);
    Ok(())
}

pub fn order(baselines: &Baselines) -> Result<(), ikra::Error> {
    let device = Device::open()?;
    table(&["order", "numbers", "Ikra", "CUDA", "ratio", "note"], 1);
    for n in sizes([1 << 20, 1 << 23, 1 << 26], 10_000) {
        scan(&device, baselines, n)?;
        sort(&device, baselines, n)?;
        for of_thousand in [500, 50] {
            select(&device, baselines, n, of_thousand)?;
        }
    }
    for n in sizes([1 << 20, 1 << 24], 10_000) {
        objects(n)?;
    }
    Ok(())
}
