//! The scan that all device code has, with tiles enough for several looks back. Sorting needs it for its counts.
#![allow(missing_docs, reason = "a test, not a library")]
#![allow(unsafe_code, reason = "launches of a kernel by hand")]

use ikra::gpu::driver::{Context, Grid, Memory, Module, Stream};
use ikra_device_tests::{device_code, emulated, has_gpu, is_short};

/// Numbers of a block's tile.
const TILE: usize = 8192;

/// The device code on a device.
struct Device {
    context: Context,
    module: Module,
    stream: Stream,
}

impl Device {
    fn open() -> Self {
        let code: &'static str = std::fs::read_to_string(device_code().unwrap()).unwrap().leak();
        let context = Context::open(0).unwrap();
        let module = Module::load_waiting(&context, code).unwrap();
        Self { stream: Stream::new(&context).unwrap(), module, context }
    }

    fn scanned(&self, numbers: &[u32], in_place: bool) -> Vec<u32> {
        let scan = self.module.function("ikra_scan").unwrap().unwrap();
        let (bytes, blocks) = (size_of_val(numbers), numbers.len().div_ceil(TILE));
        let room = |bytes| Memory::new(&self.context, bytes, "numbers").unwrap();
        let (from, other, mut tiles) = (room(bytes), room(bytes), room((blocks + 1) * 8));
        let to = if in_place { &from } else { &other };
        self.stream.clear(&mut tiles).unwrap();
        let mut sums = vec![0_u32; numbers.len()];
        let (addresses, len) = ([from.address(), to.address(), tiles.address()], numbers.len() as u32);
        let arguments = [
            (&raw const addresses[0]).cast(),
            (&raw const addresses[1]).cast(),
            (&raw const len).cast(),
            (&raw const addresses[2]).cast(),
        ];
        let grid = Grid { blocks: blocks as u32, threads: 256, rows: 1, shared_bytes: 1024 };
        // SAFETY: the memory has room for the numbers and the tiles, which are zero; the stream is synchronised below.
        unsafe {
            self.stream.upload(from.address(), numbers.as_ptr().cast(), bytes).unwrap();
            self.stream.launch(&scan, grid, &arguments).unwrap();
            self.stream.download(sums.as_mut_ptr().cast(), to.address(), bytes).unwrap();
        }
        self.stream.synchronize().unwrap();
        sums
    }
}

#[test]
fn each_number_becomes_the_sum_of_those_before() {
    if !has_gpu() {
        return;
    }
    let device = Device::open();
    let sizes = if is_short() { &[1, 8193, 34 * TILE + 5][..] } else { &[1, 3, 8191, 8192, 80_002, 70 * TILE + 1] };
    for (n, &len) in sizes.iter().enumerate() {
        let numbers: Vec<u32> = (0..len as u32).map(|n| n.wrapping_mul(0x9e37_79b9) >> (n % 31)).collect();
        let wanted: Vec<u32> =
            numbers.iter().scan(0_u32, |sum, &n| Some(std::mem::replace(sum, sum.wrapping_add(n)))).collect();
        let ways = [n.is_multiple_of(2), !n.is_multiple_of(2)];
        for &in_place in if is_short() { &ways[..1] } else { &ways } {
            assert!(device.scanned(&numbers, in_place) == wanted, "{len} numbers, in place: {in_place}");
        }
    }
}

/// Blocks start in other orders, and take turns differently.
#[test]
fn the_order_of_blocks_does_not_matter() {
    if !has_gpu() {
        return;
    }
    for seed in if is_short() { 1..2 } else { 1..6 } {
        for threads in if is_short() { &["2"][..] } else { &["1", "2"] } {
            let variables = [("SEED", &*seed.to_string()), ("THREADS", *threads)];
            let said = emulated(&variables, &["each_number_becomes_the_sum_of_those_before"]);
            assert!(!said.contains("SKIPPED"), "{said}");
        }
    }
}
