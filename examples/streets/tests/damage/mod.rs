//! Damaged files.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::thread;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A thousand variants of the files: cut off at a random byte, with random bytes changed, or both. Each core tests a share of them.
pub fn variants(folder: &Path, test: impl Fn(&str, &[u8]) + Sync) {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    // The larger a file, the fewer of its variants: a thousand in all.
    let mut variants = Vec::new();
    for file in &files {
        let (content, name) = (fs::read(file).unwrap(), file.file_name().unwrap().to_str().unwrap());
        let (plain, share) = (decompressed(&content), if content.len() > 500_000 { 20 } else { 70 });
        variants.push((name.to_owned(), content, share));
        // What is inside, too: a checksum hides it from damage.
        if let Some(plain) = plain {
            let share = if plain.len() > 1_000_000 { 15 } else { 300 };
            variants.push((format!("{name}, decompressed"), plain, share));
        }
    }
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for core in 0..cores {
            let (variants, test) = (&variants, &test);
            scope.spawn(move || {
                let mut count = 0;
                for_each(variants, |name, damaged| {
                    if count % cores == core {
                        test(name, damaged);
                    }
                    count += 1;
                });
            });
        }
    });
}

/// The same variants each time.
fn for_each(files: &[(String, Vec<u8>, usize)], mut found: impl FnMut(&str, &[u8])) {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let whole: usize = files.iter().map(|(_, _, share)| share).sum();
    for (name, content, share) in files {
        for _ in 0..(share * 1000).div_ceil(whole) {
            let mut damaged = content.clone();
            let how = random.random_range(0..4);
            if how % 3 == 0 {
                damaged.truncate(random.random_range(0..content.len()));
            }
            if how != 0 && !damaged.is_empty() {
                let most = if random.random_bool(0.5) { 1 } else { 8 };
                for _ in 0..random.random_range(1..=most) {
                    let at = random.random_range(0..damaged.len());
                    // Any byte, or one from elsewhere: a text stays one.
                    let other = damaged[random.random_range(0..damaged.len())];
                    damaged[at] = if random.random_bool(0.3) { random.random_range(0..=u8::MAX) } else { other };
                }
            }
            found(name, &damaged);
        }
    }
}

fn decompressed(content: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::new();
    match content {
        [0x1f, 0x8b, ..] => flate2::read::MultiGzDecoder::new(content).read_to_end(&mut plain).unwrap(),
        [b'B', b'Z', b'h', ..] => bzip2::read::MultiBzDecoder::new(content).read_to_end(&mut plain).unwrap(),
        _ => return None,
    };
    Some(plain)
}
