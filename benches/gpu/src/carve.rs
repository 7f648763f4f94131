//! The image of a disk, searched for signatures of files, beside hand-written kernels.

use ikra::Place;
use ikra::prelude::*;
use ikra_baselines::table::{grouped, microseconds, ratio, row, table};
use ikra_baselines::{Baselines, sizes, time};

use crate::model::chunks::block::{BYTES, Block};
use crate::model::chunks::{Chunk, Image, SPACING, Signature};

const GPU: Place = Place::Gpu(0);
/// The first signatures of the example's table; `benches/cuda/carve.cu` has them in its code.
const SIGNATURES: usize = 30;
/// The hand-written kernels, by where their signatures are.
const THEIRS: [&str; 3] = ["carve_global", "carve_constant", "carve_code"];

/// The first words of signatures and their masks, eight for each.
fn words(signatures: &[(Block, Block)]) -> Vec<u32> {
    signatures.iter().flat_map(|(value, mask)| value.words.into_iter().chain(mask.words)).collect()
}

/// Calls a baseline for chunks and signatures. The result is in nanoseconds, and the number of headers.
#[allow(unsafe_code, reason = "a call of a C library")]
fn call(baselines: &Baselines, name: &str, chunks: usize, signatures: &[u32]) -> (f64, f64) {
    type Function = unsafe extern "C" fn(u64, *const u32, u32) -> f64;
    // SAFETY: the baseline of this name takes these arguments and returns a double; the pointer is to eight words for each
    // of the signatures.
    let time = unsafe {
        baselines.call(name, |f: &Function| f(chunks as u64, signatures.as_ptr(), (signatures.len() / 8) as u32))
    };
    (time, if time.is_nan() { f64::NAN } else { baselines.call_0("last_checksum") })
}

/// The nanoseconds of a scan, and the number of headers.
fn scan(signatures: &[(Block, Block)], chunks: usize, is_special: bool) -> Result<(f64, u32), ikra::Error> {
    let mut image = Image::new();
    image.signatures.extend(signatures.iter().map(|&(value, mask)| Signature { value, mask }))?;
    image.on(GPU).construct(chunks, Chunk::spawn, ())?;
    image.on(GPU).execute(Chunk::plant, signatures.len() as u32)?;
    if is_special {
        image.on(GPU).specialize_for::<Signature>()?;
        image.cuda_execute(Chunk::scan, ())?;
        for kernel in image.cuda().specialized()? {
            eprintln!("{kernel}");
        }
    }
    let time = time(&mut image, |image| image.cuda_execute(Chunk::scan, ()))?;
    Ok((time, image.on(GPU).execute_and_reduce(Chunk::count, (), Sum)?))
}

pub fn carve(baselines: &Baselines) -> Result<(), ikra::Error> {
    let known = ::carve::Table::built_in();
    let objects = known.signatures().iter().take(SIGNATURES).map(::carve::Signature::object);
    let signatures: Vec<(Block, Block)> =
        objects.map(|object| (Block { words: object.value.words }, Block { words: object.mask.words })).collect();
    let columns = ["search for 30 signatures", "bytes", "Ikra", "GB/s"];
    let theirs = ["CUDA, global", "ratio", "CUDA, constant", "ratio", "CUDA, in the code", "ratio"];
    table(&[&columns[..], &theirs].concat(), 1);
    for bytes in sizes([64 << 20, 512 << 20, 4 << 30], 64 << 10) {
        let chunks = bytes / BYTES;
        let expected = THEIRS.map(|name| call(baselines, name, chunks, &words(&signatures)));
        let show = |name: &str, (time, found): (f64, u32)| {
            assert!(found >= chunks as u32 / SPACING, "{found} headers in {bytes} bytes");
            for (name, (_, theirs)) in THEIRS.iter().zip(expected) {
                assert!(theirs.is_nan() || theirs == f64::from(found), "{found} headers, and {theirs} by {name}");
            }
            let mut cells =
                vec![name.to_owned(), grouped(bytes), microseconds(time), format!("{:.0}", bytes as f64 / time)];
            cells.extend(expected.iter().flat_map(|&(theirs, _)| [microseconds(theirs), ratio(theirs, time)]));
            row(&cells.iter().map(|cell| cell as &dyn std::fmt::Display).collect::<Vec<_>>());
        };
        show("as it is", scan(&signatures, chunks, false)?);
        show("specialised", scan(&signatures, chunks, true)?);
    }
    Ok(())
}
