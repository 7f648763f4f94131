//! Reading the marks of one text of device code.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use ikra_core::fingerprint::{Signature, bytes, field_fingerprint};
use ikra_core::kernel::{Argument, Entry};
use ikra_marks as marks;
use ikra_runtime::error::GpuError;

use super::{Kind, Shape};

/// An entry point, as the device code describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Compiled {
    pub(crate) symbol: String,
    pub(super) fingerprint: u64,
    /// Size and alignment of its results.
    result: (usize, usize),
    /// Bytes of each parameter before the table entries.
    parameters: Vec<usize>,
    /// The table entries that it takes after them: the symbols of tables, and positions in these.
    pub(crate) words: Vec<(String, Vec<usize>)>,
    /// Whether it may read other entries, in constant memory.
    pub(crate) reads_tables: bool,
}

/// A class, as the device code describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CompiledClass {
    pub(super) symbol: String,
    pub(super) name: u64,
    pub(super) fingerprint: u64,
    pub(super) place: String,
    fields: Vec<u64>,
}

/// The contents of some device code.
#[derive(Debug, Default)]
pub(super) struct Code {
    pub(super) entries: HashMap<(u64, Kind), Compiled>,
    pub(super) classes: HashMap<u64, CompiledClass>,
    /// The symbols of tables in constant memory.
    pub(super) tables: HashSet<String>,
    /// The entry points of kernels with methods that may call themselves.
    pub(super) recursive: HashSet<String>,
    /// Bytes of stack that each thread needs at least.
    pub(super) stack: Option<usize>,
}

impl Code {
    /// The marks of a text, which is read once.
    pub(super) fn of(text: &'static str) -> Arc<Self> {
        static READ: Mutex<Vec<(&str, Arc<Code>)>> = Mutex::new(Vec::new());
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, code)) = read.iter().find(|(known, _)| *known == text) {
            return code.clone();
        }
        let code = Arc::new(Self::read(text));
        read.push((text, code.clone()));
        code
    }

    pub(super) fn read(text: &str) -> Self {
        let mut code = Self::default();
        let mut entry: Option<Compiled> = None;
        let mut class = None;
        let mut is_header = false;
        for line in text.lines() {
            let line = line.trim_ascii();
            // Nearly all lines are instructions.
            if !line.starts_with(['.', ')', '{', '/']) {
                continue;
            }
            if let Some(declared) = line.strip_prefix(".visible .const ") {
                let symbol = declared.split_whitespace().find_map(|word| word.split_once('['));
                code.tables.extend(symbol.map(|(symbol, _)| symbol.to_owned()));
            } else if let Some((_, rest)) = line.split_once(".entry ") {
                let symbol = rest.split(|c: char| c == '(' || c.is_whitespace()).next().unwrap_or_default();
                entry = Some(Compiled {
                    symbol: symbol.to_owned(),
                    fingerprint: 0,
                    result: (0, 1),
                    parameters: Vec::new(),
                    words: Vec::new(),
                    reads_tables: true,
                });
                is_header = true;
            } else if line.starts_with([')', '{']) {
                is_header = false;
            } else if let Some(parameter) = line.strip_prefix(".param ")
                && let Some(entry) = &mut entry
                && is_header
            {
                entry.parameters.push(parameter_bytes(parameter));
            } else if line.starts_with("//") {
                let words: Vec<&str> = line.split_whitespace().collect();
                match words.as_slice() {
                    [marks::TAKES, which, words @ ..] => {
                        if let Some(entry) = &mut entry {
                            entry.take(words);
                            entry.reads_tables = *which != "all";
                        }
                    }
                    [marks::ENTRY, key, kind, fingerprint, size, align, filter @ ..] => {
                        let kind = match (kind_of(kind), filter) {
                            (Some(Kind::Reduce(n)), [filter]) => number(filter).map(|key| Kind::ReduceChosen(n, key)),
                            (kind, []) => kind,
                            _ => None,
                        };
                        // Once per entry point: the compiler may have copied the comment.
                        if let (Some(mut entry), Some(key), Some(kind)) = (entry.take(), number(key), kind) {
                            entry.fingerprint = number(fingerprint).unwrap_or_default();
                            entry.result = (number(size).unwrap_or_default(), number(align).unwrap_or(1));
                            code.entries.insert((key, kind), entry);
                        }
                    }
                    [marks::CLASS, key, symbol, name, fingerprint, place] => {
                        class = number::<u64>(key);
                        if let Some(key) = class {
                            let (name, fingerprint) =
                                (number(name).unwrap_or_default(), number(fingerprint).unwrap_or_default());
                            let (symbol, place) = ((*symbol).to_owned(), (*place).to_owned());
                            let compiled = CompiledClass { symbol, name, fingerprint, place, fields: Vec::new() };
                            code.classes.insert(key, compiled);
                        }
                    }
                    [marks::RECURSIVE, symbol] => {
                        code.recursive.insert((*symbol).to_owned());
                    }
                    [marks::STACK, bytes] => code.stack = number(bytes),
                    [marks::FIELD, print] => {
                        if let Some(class) = class.and_then(|key| code.classes.get_mut(&key)) {
                            class.fields.push(number(print).unwrap_or_default());
                        }
                    }
                    _ => {}
                }
            }
        }
        code
    }

    /// Whether the text contains no marks: another version made it.
    pub(super) fn is_unknown(&self) -> bool {
        self.entries.is_empty() && self.classes.is_empty()
    }

    /// The class, if the device code has it.
    pub(super) fn class(&self, class: &Signature) -> Option<&CompiledClass> {
        class.origin.keys().find_map(|key| self.classes.get(&key))
    }

    /// A kernel's entry point, if the device code has it.
    pub(super) fn find(&self, entry: &Entry, kind: Kind) -> Option<&Compiled> {
        entry.origin.keys().find_map(|key| self.entries.get(&(key, kind)))
    }
}

impl Compiled {
    /// Records that it takes table entries, in its last parameter.
    fn take(&mut self, words: &[&str]) {
        for word in words {
            match (number(word), self.words.last_mut()) {
                (Some(place), Some((_, places))) => places.push(place),
                _ => self.words.push(((*word).to_owned(), Vec::new())),
            }
        }
        let bytes = self.words.iter().map(|(_, places)| places.len() * size_of::<u64>()).sum();
        self.parameters.pop_if(|last| !self.words.is_empty() && *last == bytes);
    }

    /// Size and alignment of its results.
    pub(crate) fn result(&self) -> (usize, usize) {
        self.result
    }

    /// Whether it is the entry point that the host expects, with these arguments.
    pub(super) fn check(&self, entry: &Entry, shape: Shape<'_>, arguments: &[Argument<'_>]) -> Result<(), GpuError> {
        let (compiled, kernel, Shape { own, result }) = (self, entry.origin.name(), shape);
        let differs = |what: String| Err(GpuError::DeviceCodeDiffers { what: format!("kernel `{kernel}`: {what}") });
        let wanted: Vec<usize> = own.iter().copied().chain(sizes(arguments)).collect();
        if compiled.parameters != wanted {
            let bytes = |sizes: &[usize]| match sizes.get(own.len()..).unwrap_or_default() {
                [] => String::from("no arguments"),
                sizes => {
                    let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
                    format!("arguments of {} bytes", sizes.join(", "))
                }
            };
            return differs(format!(
                "it takes {} on the host and {} in the device code",
                bytes(&wanted),
                bytes(&compiled.parameters)
            ));
        }
        if compiled.result != (result.size, result.align) {
            return differs(format!(
                "it returns {} bytes on the host and {} in the device code",
                result.size, compiled.result.0
            ));
        }
        if compiled.fingerprint != entry.fingerprint ^ result.meaning {
            return differs(String::from(
                "its class, the types of its arguments or its result, the columns that it writes, or what it does in pairs differ between host and device",
            ));
        }
        Ok(())
    }
}

/// The sizes of the arguments that the device takes: its compiler makes no parameter for an argument of zero bytes.
fn sizes<'a>(arguments: &'a [Argument<'_>]) -> impl Iterator<Item = usize> + 'a {
    arguments.iter().map(|argument| argument.bytes()).filter(|&bytes| bytes > 0)
}

fn number<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

fn kind_of(text: &str) -> Option<Kind> {
    let numbered = |kind: &str| text.strip_prefix(kind)?.parse().ok();
    match text {
        "call" => Some(Kind::Call),
        "collect" => Some(Kind::Collect),
        "links" => Some(Kind::Links),
        _ => numbered("reduce").map(Kind::Reduce).or_else(|| numbered("born").map(Kind::Born)),
    }
}

/// The bytes of a parameter: 8 of `.u64 .ptr .align 1 name,`, 24 of `.align 8 .b8 name[24]`.
pub(super) fn parameter_bytes(declaration: &str) -> usize {
    let width = declaration.split_whitespace().find_map(|word| {
        let bits = word.strip_prefix(['.'])?.strip_prefix(['b', 'u', 's', 'f'])?;
        bits.parse::<usize>().ok()
    });
    let elements = declaration
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'))
        .map_or(Some(1), |(count, _)| count.trim().parse().ok());
    width.unwrap_or_default() / 8 * elements.unwrap_or_default()
}

/// The difference between two definitions of a class.
pub(super) fn difference(host: &Signature, device: &CompiledClass) -> String {
    if host.fields.len() != device.fields.len() {
        return format!(
            "it has {} fields on the host and {} in the device code",
            host.fields.len(),
            device.fields.len()
        );
    }
    for (field, &compiled) in host.fields.iter().zip(&device.fields) {
        let there = (compiled >> 32) as usize;
        if bytes(field) != there {
            return format!(
                "field `{}` takes {} bytes on the host and {there} in the device code",
                field.name,
                bytes(field)
            );
        }
        if field_fingerprint(field) != compiled {
            return format!("field `{}` is stored differently on the host and in the device code", field.name);
        }
    }
    String::from("layout, capacity, arena, or the classes of its links differ between host and device")
}
