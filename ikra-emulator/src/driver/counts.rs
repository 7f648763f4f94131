//! The work of each kernel, written to a file at the end.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use crate::counts::{CountedSpace, Kind, WIDTHS};
use crate::machine::{Counts, KernelInfo, Launch};

/// The work of kernels, by their names.
#[derive(Debug)]
pub(crate) struct Counters {
    file: Option<PathBuf>,
    kernels: BTreeMap<String, Counter>,
}

impl Counters {
    /// Writes the text of a module next to the file, so that an assembler can report the needs of its kernels.
    pub(crate) fn keep_text(&mut self, text: &str) {
        let Some(file) = &self.file else { return };
        let mut hasher = std::hash::DefaultHasher::new();
        std::hash::Hash::hash(text, &mut hasher);
        let path = file.with_extension(format!("{:016x}.ptx", std::hash::Hasher::finish(&hasher)));
        if let Err(error) = std::fs::write(&path, text) {
            eprintln!("ikra-emulator: IKRA_EMULATOR_COUNTS={}: {}: {error}", file.display(), path.display());
        }
    }
}

#[derive(Debug, Default)]
struct Counter {
    threads: u64,
    counts: Counts,
    local_bytes: usize,
    shared_bytes: u32,
}

impl Counters {
    pub(crate) fn new(file: Option<PathBuf>) -> Self {
        Self { file, kernels: BTreeMap::new() }
    }

    /// Adds a launch.
    pub(crate) fn add(&mut self, info: &KernelInfo, launch: &Launch, counts: &Counts) {
        if self.file.is_none() {
            return;
        }
        if !self.kernels.contains_key(&info.name) {
            self.kernels.insert(info.name.clone(), Counter::default());
        }
        let Some(counter) = self.kernels.get_mut(&info.name) else { return };
        counter.threads += launch.grid.iter().chain(&launch.block).map(|&n| u64::from(n)).product::<u64>();
        counter.counts += counts;
        counter.local_bytes = info.local_bytes;
        counter.shared_bytes = info.shared_bytes;
    }

    /// Appends the counts so far to the file, one line per kernel: its name, and then `what=number`.
    pub(crate) fn write(&mut self) {
        let Some(file) = &self.file else { return };
        let mut text = String::new();
        for (name, counter) in std::mem::take(&mut self.kernels) {
            let _ = writeln!(text, "{name}\t{}", line(&counter));
        }
        if text.is_empty() {
            return;
        }
        let open = std::fs::OpenOptions::new().create(true).append(true).open(file);
        if let Err(error) = open.and_then(|mut file| file.write_all(text.as_bytes())) {
            eprintln!("ikra-emulator: IKRA_EMULATOR_COUNTS={}: {error}", file.display());
        }
    }
}

fn line(counter: &Counter) -> String {
    let Counter { threads, counts, local_bytes, shared_bytes } = counter;
    let mut parts = vec![
        format!("launches={}", counts.launches),
        format!("threads={threads}"),
        format!("instructions={}", counts.thread_instructions()),
        format!("warp-instructions={}", counts.warp_instructions),
    ];
    parts.extend(Kind::ALL.iter().map(|&kind| format!("{}={}", kind.name(), counts.of(kind))));
    for (n, space) in CountedSpace::ALL.iter().enumerate() {
        for (what, counts) in [("load", &counts.loads[n]), ("store", &counts.stores[n])] {
            let used = WIDTHS.iter().zip(counts).filter(|&(_, &count)| count > 0);
            parts.extend(used.map(|(width, count)| format!("{what}-{}-{width}={count}", space.name())));
        }
    }
    for (what, count) in [
        ("atomics", counts.atomics),
        ("load-sectors", counts.load_sectors),
        ("store-sectors", counts.store_sectors),
        ("branches", counts.branches),
        ("divergent-branches", counts.divergent_branches),
        ("calls", counts.calls),
        ("barriers", counts.barriers),
        ("registers", counts.declared_registers),
        ("local-bytes", *local_bytes as u64),
        ("shared-bytes", u64::from(*shared_bytes)),
    ] {
        parts.push(format!("{what}={count}"));
    }
    parts.join("\t")
}

/// Writes the counts when the process ends, however it does.
#[cfg(target_os = "linux")]
mod at_exit {
    extern "C" fn write() {
        super::super::state::write_counts();
    }

    // Functions of this section are called when the process ends; their arguments are not used.
    #[unsafe(link_section = ".fini_array")]
    #[used]
    static WRITE: extern "C" fn() = write;
}
