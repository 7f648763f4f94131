//! What device code says about itself: which kernels and classes it holds, and as what it was compiled.
//!
//! Entries and tables come with comments, `//ikra:…`, that the macros made (see `ikra_core::origin`). What an entry
//! takes is read from its declaration, which is what the driver reads.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use ikra_core::fingerprint::{Signature, bytes, field_fingerprint};
use ikra_core::kernel::{Argument, Entry};
use ikra_runtime::error::GpuError;

/// Which entry of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    /// The one that calls the kernel.
    Call,
    /// The one that combines results by the reducer of this number.
    Reduce(usize),
}

/// What an entry takes and combines, beside the kernel's arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape<'a> {
    /// Bytes of the parameters before the arguments.
    pub(crate) own: &'a [usize],
    /// Size and alignment of the result.
    pub(crate) result: (usize, usize),
}

/// Entries that call a kernel: for objects from the first to an end, or those of a list.
pub(crate) const CALL: Shape<'_> = Shape { own: &[4, 4, 8], result: (0, 1) };

/// An entry, as the device code has it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Compiled {
    symbol: String,
    fingerprint: u64,
    /// Size and alignment of what is combined.
    result: (usize, usize),
    /// Bytes of each parameter.
    parameters: Vec<usize>,
}

/// A class, as the device code has it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CompiledClass {
    symbol: String,
    name: u64,
    fingerprint: u64,
    place: String,
    fields: Vec<u64>,
}

/// What some device code holds.
#[derive(Debug, Default)]
pub(crate) struct Code {
    entries: HashMap<(u64, Kind), Compiled>,
    classes: HashMap<u64, CompiledClass>,
    /// The entries of kernels whose methods may call themselves.
    recursive: HashSet<String>,
    /// Bytes of stack that each thread is to have at least.
    pub(crate) stack: Option<usize>,
}

impl Code {
    /// That of a text, which is read once.
    pub(crate) fn of(text: &'static str) -> Arc<Self> {
        static READ: Mutex<Vec<(&str, Arc<Code>)>> = Mutex::new(Vec::new());
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, code)) = read.iter().find(|(known, _)| std::ptr::eq(*known, text)) {
            return code.clone();
        }
        let code = Arc::new(Self::read(text));
        read.push((text, code.clone()));
        code
    }

    fn read(text: &str) -> Self {
        let mut code = Self::default();
        let mut entry: Option<Compiled> = None;
        let mut class = None;
        let mut is_header = false;
        for line in text.lines() {
            let line = line.trim();
            if let Some((_, rest)) = line.split_once(".entry ") {
                let symbol = rest.split(|c: char| c == '(' || c.is_whitespace()).next().unwrap_or_default();
                entry = Some(Compiled {
                    symbol: symbol.to_owned(),
                    fingerprint: 0,
                    result: (0, 1),
                    parameters: Vec::new(),
                });
                is_header = true;
            } else if line.starts_with([')', '{']) {
                is_header = false;
            } else if let Some(parameter) = line.strip_prefix(".param ")
                && let Some(entry) = &mut entry
                && is_header
            {
                entry.parameters.push(parameter_bytes(parameter));
            } else if let Some(mark) = line.strip_prefix("//ikra:") {
                let words: Vec<&str> = mark.split_whitespace().collect();
                match words.as_slice() {
                    ["entry", key, kind, fingerprint, size, align] => {
                        // Once an entry: the compiler may have copied the comment.
                        if let (Some(mut entry), Some(key), Some(kind)) = (entry.take(), number(key), kind_of(kind)) {
                            entry.fingerprint = number(fingerprint).unwrap_or_default();
                            entry.result = (number(size).unwrap_or_default(), number(align).unwrap_or(1));
                            code.entries.insert((key, kind), entry);
                        }
                    }
                    ["class", key, symbol, name, fingerprint, place] => {
                        class = number::<u64>(key);
                        if let Some(key) = class {
                            let (name, fingerprint) =
                                (number(name).unwrap_or_default(), number(fingerprint).unwrap_or_default());
                            let (symbol, place) = ((*symbol).to_owned(), (*place).to_owned());
                            let compiled = CompiledClass { symbol, name, fingerprint, place, fields: Vec::new() };
                            code.classes.insert(key, compiled);
                        }
                    }
                    ["recursive", symbol] => {
                        code.recursive.insert((*symbol).to_owned());
                    }
                    ["stack", bytes] => code.stack = number(bytes),
                    ["field", print] => {
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

    /// Whether the text says nothing about itself: another version made it.
    pub(crate) fn is_unknown(&self) -> bool {
        self.entries.is_empty() && self.classes.is_empty()
    }

    /// Whether a kernel's methods may call themselves.
    pub(crate) fn is_recursive(&self, symbol: &str) -> bool {
        self.recursive.contains(symbol)
    }

    /// The name of the table of each of a world's classes; `None` if the device code knows nothing of the class, as of
    /// one that is the host's alone.
    ///
    /// # Errors
    ///
    /// [`GpuError::DeviceCodeDiffers`] if the device code has another idea of a class.
    pub(crate) fn tables(&self, classes: &[Signature]) -> Result<Vec<Option<String>>, GpuError> {
        let known: Vec<_> =
            classes.iter().map(|class| class.origin.keys().find_map(|key| self.classes.get(&key))).collect();
        let is_anothers = |twin: &&CompiledClass| known.iter().flatten().any(|&class| std::ptr::eq(class, *twin));
        let tables = classes.iter().zip(&known).map(|(class, compiled)| {
            let name = class.origin.name();
            let what = match compiled {
                Some(compiled) if compiled.fingerprint == class.fingerprint => {
                    return Ok(Some(compiled.symbol.clone()));
                }
                Some(compiled) => format!("class {name}: {}", difference(class, compiled)),
                None => {
                    let key = class.origin.name_key();
                    let mut twins = self.classes.values().filter(|twin| twin.name == key && !is_anothers(twin));
                    let Some(twin) = twins.next() else { return Ok(None) };
                    format!(
                        "class {name} is defined at {}, but the device code has the class of this name at {}",
                        class.origin.place(),
                        twin.place
                    )
                }
            };
            Err(GpuError::DeviceCodeDiffers { what })
        });
        tables.collect()
    }

    /// The name of a kernel's entry, which takes these arguments.
    ///
    /// # Errors
    ///
    /// [`GpuError::NoSuchKernel`], [`GpuError::DeviceCodeDiffers`].
    pub(crate) fn entry(
        &self,
        entry: &Entry,
        kind: Kind,
        shape: Shape<'_>,
        arguments: &[Argument<'_>],
    ) -> Result<&str, GpuError> {
        let (kernel, Shape { own, result }) = (entry.origin.name(), shape);
        let Some(compiled) = entry.origin.keys().find_map(|key| self.entries.get(&(key, kind))) else {
            return Err(GpuError::NoSuchKernel { kernel: kernel.to_owned() });
        };
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
        if compiled.result != result {
            return differs(format!(
                "it returns {} bytes on the host and {} in the device code",
                result.0, compiled.result.0
            ));
        }
        if compiled.fingerprint != entry.fingerprint {
            return differs(String::from(
                "its class, the types of its arguments, the columns that it writes, or what it does in pairs differ between host and device",
            ));
        }
        Ok(&compiled.symbol)
    }
}

/// The bytes of the arguments that the device takes: of one of no bytes its compiler makes no parameter.
fn sizes<'a>(arguments: &'a [Argument<'_>]) -> impl Iterator<Item = usize> + 'a {
    arguments.iter().map(|argument| argument.bytes()).filter(|&bytes| bytes > 0)
}

fn number<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

fn kind_of(text: &str) -> Option<Kind> {
    match text.strip_prefix("reduce") {
        Some(number) => number.parse().ok().map(Kind::Reduce),
        None => (text == "call").then_some(Kind::Call),
    }
}

/// The bytes of a parameter: 8 of `.u64 .ptr .align 1 name,`, 24 of `.align 8 .b8 name[24]`.
fn parameter_bytes(declaration: &str) -> usize {
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

/// What differs between two ideas of a class.
fn difference(host: &Signature, device: &CompiledClass) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;
    use ikra_core::class::{ColumnInfo, FieldInfo};
    use ikra_core::origin::Origin;

    const PLACE: &str = "game/src/model.rs:3:11";
    const FIELDS: &[FieldInfo] = &[FieldInfo {
        name: "pos",
        type_name: "f32",
        atomic: false,
        array: None,
        columns: &[ColumnInfo::of::<f32>()],
        links_to: &[],
    }];
    const ORIGIN: Origin = Origin::new("ikra_device_0::source::model", "Body", PLACE);
    const ENTRY: Entry =
        Entry { origin: Origin::new("ikra_device_0::source::model", "Body::go", PLACE), fingerprint: 7 };

    fn text() -> String {
        format!(
            "//
.visible .const .align 8 .b64 ikra_class_Body_1[5];
//ikra:class {} ikra_class_Body_1 {} 9 {PLACE}
//ikra:field {}
.visible .entry ikra_kernel_go(
	.param .u32 go_param_0,
	.param .u64 .ptr .align 1 go_param_1,
	.param .b8 go_param_2,
	.param .align 8 .b8 go_param_3[24]
)
{{
	// begin inline asm
	//ikra:entry {} call 7 0 1
	// end inline asm
	ret;
}}
.visible .entry ikra_copy(
	.param .u64 ikra_copy_param_0
)
{{
	ret;
}}
",
            ORIGIN.key(),
            ORIGIN.name_key(),
            field_fingerprint(&FIELDS[0]),
            ENTRY.origin.key()
        )
    }

    fn host(module: &'static str) -> Entry {
        Entry { origin: Origin::new(module, "Body::go", PLACE), fingerprint: 7 }
    }

    #[test]
    fn entries_are_found_with_their_parameters() {
        let code = Code::read(&text());
        let (small, large) = (3_u8, [1_u64; 3]);
        let arguments = [Argument::of(&small), Argument::of(&[0_u32; 0]), Argument::of(&large)];
        let shape = Shape { own: &[4, 8], result: (0, 1) };
        let find = |entry: &Entry, arguments: &[Argument<'_>]| {
            code.entry(entry, Kind::Call, shape, arguments).map(str::to_owned)
        };
        assert_eq!(find(&host("game::model"), &arguments).unwrap(), "ikra_kernel_go");
        let error = find(&host("game::model"), &arguments[1..]).unwrap_err();
        assert!(
            error.to_string().contains("arguments of 24 bytes on the host and arguments of 1, 24 bytes in"),
            "{error}"
        );
        let error = find(&Entry { fingerprint: 8, ..host("game::model") }, &arguments).unwrap_err();
        assert!(matches!(error, GpuError::DeviceCodeDiffers { .. }), "{error}");
        let elsewhere = Entry { origin: Origin::new("game::model", "Body::stop", PLACE), fingerprint: 7 };
        assert!(
            matches!(find(&elsewhere, &arguments), Err(GpuError::NoSuchKernel { kernel }) if kernel == "Body::stop")
        );
        let result = code.entry(&host("game"), Kind::Reduce(0), shape, &arguments);
        assert!(matches!(result, Err(GpuError::NoSuchKernel { .. })));
        let result = code.entry(&host("game"), Kind::Call, Shape { result: (4, 4), ..shape }, &arguments);
        assert!(result.unwrap_err().to_string().contains("returns 4 bytes on the host and 0"));
    }

    #[test]
    fn classes_are_compared() {
        let code = Code::read(&text());
        let class = |module, name, place, fingerprint, fields| Signature {
            origin: Origin::new(module, name, place),
            fingerprint,
            fields,
        };
        let table = |class: Signature| code.tables(&[class]).map(|mut found| found.remove(0));
        assert_eq!(
            table(class("game::model", "Body", PLACE, 9, FIELDS)).unwrap().as_deref(),
            Some("ikra_class_Body_1")
        );
        assert_eq!(table(class("game::model", "Other", PLACE, 9, FIELDS)).unwrap(), None, "the host's alone");
        let twins = [
            class("game::model", "Body", PLACE, 9, FIELDS),
            class("game::host", "Body", "game/src/host.rs:3:11", 9, FIELDS),
        ];
        assert_eq!(code.tables(&twins).unwrap(), [Some(String::from("ikra_class_Body_1")), None], "twins in one world");
        let differs = |class| table(class).unwrap_err().to_string();
        let text = differs(class("game::model", "Body", "game/src/model.rs:9:1", 9, FIELDS));
        assert!(text.contains("model.rs:9:1") && text.contains(PLACE), "{text}");
        const DOUBLE: &[FieldInfo] = &[FieldInfo { columns: &[ColumnInfo::of::<f64>()], ..FIELDS[0] }];
        let text = differs(class("game::model", "Body", PLACE, 1, DOUBLE));
        assert!(text.contains("class Body: field `pos` takes 8 bytes on the host and 4 in the device code"), "{text}");
        let text = differs(class("game::model", "Body", PLACE, 1, FIELDS));
        assert!(text.contains("layout, capacity"), "{text}");
    }

    #[test]
    fn parameters_have_sizes() {
        for (declaration, bytes) in [
            (".u64 .ptr .align 1 k_param_2,", 8),
            (".b8 k", 1),
            (".f32 k,", 4),
            (".align 16 .b8 k[16]", 16),
            (".u16 k", 2),
            (".pred k", 0),
        ] {
            assert_eq!(parameter_bytes(declaration), bytes, "{declaration}");
        }
    }
}
