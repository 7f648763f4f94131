//! What device code says about itself: which kernels and classes it holds, and as what it was compiled.
//!
//! Entries and tables come with comments that the macros made (see `ikra_core::origin` and `ikra_marks`), and `ikra-build` where an entry
//! takes words of tables. What else an entry takes is read from its declaration, which is what the driver reads.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use ikra_core::device_code::DeviceCode;
use ikra_core::fingerprint::{Signature, bytes, field_fingerprint};
use ikra_core::kernel::{Argument, Entry, SectionWords};
use ikra_marks as marks;
use ikra_runtime::error::GpuError;
use ikra_runtime::world::World;

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
pub(crate) struct Compiled {
    pub(crate) symbol: String,
    fingerprint: u64,
    /// Size and alignment of what is combined.
    result: (usize, usize),
    /// Bytes of each parameter before the words.
    parameters: Vec<usize>,
    /// The words that it takes after them: the symbols of tables, and places in these.
    pub(crate) words: Vec<(String, Vec<usize>)>,
    /// Whether it may read others, in constant memory.
    pub(crate) reads_tables: bool,
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
struct Code {
    entries: HashMap<(u64, Kind), Compiled>,
    classes: HashMap<u64, CompiledClass>,
    /// The symbols of tables in constant memory.
    tables: HashSet<String>,
    /// The entries of kernels whose methods may call themselves.
    recursive: HashSet<String>,
    /// Bytes of stack that each thread is to have at least.
    stack: Option<usize>,
}

impl Code {
    /// That of a text, which is read once.
    fn of(text: &'static str) -> Arc<Self> {
        static READ: Mutex<Vec<(&str, Arc<Code>)>> = Mutex::new(Vec::new());
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, code)) = read.iter().find(|(known, _)| *known == text) {
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
                    [marks::ENTRY, key, kind, fingerprint, size, align] => {
                        // Once an entry: the compiler may have copied the comment.
                        if let (Some(mut entry), Some(key), Some(kind)) = (entry.take(), number(key), kind_of(kind)) {
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

    /// Whether the text says nothing about itself: another version made it.
    fn is_unknown(&self) -> bool {
        self.entries.is_empty() && self.classes.is_empty()
    }

    /// The class, if the device code has it.
    fn class(&self, class: &Signature) -> Option<&CompiledClass> {
        class.origin.keys().find_map(|key| self.classes.get(&key))
    }

    /// A kernel's entry, if the device code has it.
    fn find(&self, entry: &Entry, kind: Kind) -> Option<&Compiled> {
        entry.origin.keys().find_map(|key| self.entries.get(&(key, kind)))
    }
}

impl Compiled {
    /// Notes that it takes words of tables, for which it has its last parameter.
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

    /// Whether it is the entry that the host means, and takes these arguments.
    fn check(&self, entry: &Entry, shape: Shape<'_>, arguments: &[Argument<'_>]) -> Result<(), GpuError> {
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
        Ok(())
    }
}

/// The text of device code, or the one that `IKRA_REPLACE_DEVICE_CODE=package=FILE,…` puts in its place: to try out what passes do,
/// without building the program again. Host and device compare their definitions with it all the same.
///
/// # Errors
///
/// [`GpuError::DeviceCodeRejected`] if the file cannot be read.
fn replaced(code: DeviceCode) -> Result<Option<&'static str>, GpuError> {
    static FILES: Mutex<Vec<(String, &'static str)>> = Mutex::new(Vec::new());
    let Ok(variable) = std::env::var("IKRA_REPLACE_DEVICE_CODE") else { return Ok(code.text()) };
    let pairs = variable.split(',').filter_map(|pair| pair.split_once('='));
    let Some(path) = pairs.filter(|(package, _)| *package == code.package()).map(|(_, path)| path).next_back() else {
        return Ok(code.text());
    };
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, text)) = files.iter().find(|(known, _)| known == path) {
        return Ok(Some(text));
    }
    let text = std::fs::read_to_string(path).map_err(|error| {
        let log = format!("IKRA_REPLACE_DEVICE_CODE: cannot read {path}: {error}");
        GpuError::DeviceCodeRejected { log }
    })?;
    // Modules of the driver are made of it as long as the process lives.
    let text: &'static str = text.leak();
    files.push((path.to_owned(), text));
    Ok(Some(text))
}

/// The device code of a world: of its own package, and of others.
#[derive(Debug)]
pub(crate) struct Codes {
    /// Also those without code.
    all: &'static [DeviceCode],
    /// Each text once.
    texts: Vec<(DeviceCode, &'static str, Arc<Code>)>,
}

impl Codes {
    /// That of a world.
    ///
    /// # Errors
    ///
    /// [`GpuError::NoDeviceCode`] if there is none; [`GpuError::DeviceCodeRejected`] if a text says nothing about itself.
    pub(crate) fn of<W: World>() -> Result<Self, GpuError> {
        Self::new(W::DEVICE_CODE, std::any::type_name::<W>())
    }

    fn new(all: &'static [DeviceCode], world: &'static str) -> Result<Self, GpuError> {
        let mut texts: Vec<(DeviceCode, &str, Arc<Code>)> = Vec::new();
        for &device_code in all {
            let Some(text) = replaced(device_code)? else { continue };
            if texts.iter().any(|(_, known, _)| *known == text) {
                continue;
            }
            let code = Code::of(text);
            if code.is_unknown() {
                let package = device_code.package();
                let log = format!(
                    "that of `{package}` does not say which classes it holds: it was made by another version of `ikra-build`"
                );
                return Err(GpuError::DeviceCodeRejected { log });
            }
            texts.push((device_code, text, code));
        }
        if texts.is_empty() { Err(GpuError::NoDeviceCode { world }) } else { Ok(Self { all, texts }) }
    }

    /// The texts, each a module for the driver.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &'static str> {
        self.texts.iter().map(|&(_, text, _)| text)
    }

    fn codes(&self) -> impl Iterator<Item = &Code> {
        self.texts.iter().map(|(.., code)| &**code)
    }

    /// Bytes of stack that each thread is to have at least.
    pub(crate) fn stack(&self) -> Option<usize> {
        self.codes().filter_map(|code| code.stack).max()
    }

    /// The name of the table of each of a world's classes, in each module; `None` where the device code knows nothing of the
    /// class. One that none of them knows is the host's alone.
    ///
    /// # Errors
    ///
    /// [`GpuError::DeviceCodeDiffers`] if some device code has another idea of a class.
    pub(crate) fn tables(&self, classes: &[Signature]) -> Result<Vec<Vec<Option<String>>>, GpuError> {
        let known: Vec<Vec<_>> =
            classes.iter().map(|class| self.codes().map(|code| code.class(class)).collect()).collect();
        let is_anothers =
            |twin: &CompiledClass| known.iter().flatten().flatten().any(|&class| std::ptr::eq(class, twin));
        let tables = classes.iter().zip(&known).map(|(class, compiled)| {
            let name = class.origin.name();
            let what = if let Some(other) = compiled.iter().flatten().find(|it| it.fingerprint != class.fingerprint) {
                format!("class {name}: {}", difference(class, other))
            } else if let (true, Some(twin)) = (compiled.iter().all(Option::is_none), self.twin(class, is_anothers)) {
                let (place, other) = (class.origin.place(), &twin.place);
                format!("class {name} is defined at {place}, but the device code has the class of this name at {other}")
            } else {
                return Ok(compiled.iter().map(|it| it.map(|compiled| compiled.symbol.clone())).collect());
            };
            Err(GpuError::DeviceCodeDiffers { what })
        });
        tables.collect()
    }

    /// Another class of the same name and package, unless it is one of the world's too.
    fn twin(&self, class: &Signature, is_anothers: impl Fn(&CompiledClass) -> bool) -> Option<&CompiledClass> {
        let package = |place: &str| place.split('/').next().map(str::to_owned);
        let (key, own) = (class.origin.name_key(), package(class.origin.place()));
        let is_twin = |twin: &&CompiledClass| twin.name == key && package(&twin.place) == own && !is_anothers(twin);
        self.codes().flat_map(|code| code.classes.values()).find(is_twin)
    }

    /// The module and a kernel's entry, which takes these arguments. The first module that has the kernel counts.
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
    ) -> Result<(usize, &Compiled), GpuError> {
        let mut found = self.codes().map(|code| code.find(entry, kind)).enumerate();
        let Some((module, compiled)) = found.find_map(|(module, compiled)| Some((module, compiled?))) else {
            return Err(self.no_such_kernel(entry.origin.name()));
        };
        compiled.check(entry, shape, arguments)?;
        Ok((module, compiled))
    }

    /// The error for a kernel that is nowhere.
    pub(crate) fn no_such_kernel(&self, kernel: &str) -> GpuError {
        let searched = self.all.iter().map(|code| match code.text() {
            Some(_) => format!("`{}`", code.package()),
            None => format!("`{}` (which was compiled without)", code.package()),
        });
        let packages = searched.collect::<Vec<_>>().join(", ");
        GpuError::NoSuchKernel { kernel: kernel.to_owned(), packages }
    }

    /// Whether a module has a table in constant memory.
    pub(crate) fn has_table(&self, module: usize, symbol: &str) -> bool {
        self.texts[module].2.tables.contains(symbol)
    }

    /// Whether the methods of a kernel of a module may call themselves.
    pub(crate) fn is_recursive(&self, module: usize, symbol: &str) -> bool {
        self.texts[module].2.recursive.contains(symbol)
    }
}

/// The bytes of what an entry for so many classes takes beside the kernels' arguments: their sections, and a list.
pub(crate) fn shape_of_sections(sections: usize) -> [usize; 2] {
    [sections * size_of::<SectionWords>(), size_of::<u64>()]
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

    /// As if packages had these texts.
    fn codes(texts: &[(&'static str, Option<String>)]) -> Codes {
        let code = |(package, text): &(&'static str, Option<String>)| {
            let text = text.clone().map(|text| &*text.leak());
            // SAFETY: nobody runs it.
            unsafe { DeviceCode::new(package, text) }
        };
        Codes::new(texts.iter().map(code).collect::<Vec<_>>().leak(), "Sim").unwrap()
    }

    fn host(module: &'static str) -> Entry {
        Entry { origin: Origin::new(module, "Body::go", PLACE), fingerprint: 7 }
    }

    #[test]
    fn entries_are_found_with_their_parameters() {
        let code = codes(&[("game", Some(text()))]);
        let (small, large) = (3_u8, [1_u64; 3]);
        let arguments = [Argument::of(&small), Argument::of(&[0_u32; 0]), Argument::of(&large)];
        let shape = Shape { own: &[4, 8], result: (0, 1) };
        let find = |entry: &Entry, arguments: &[Argument<'_>]| {
            code.entry(entry, Kind::Call, shape, arguments).map(|(_, compiled)| compiled.symbol.clone())
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
            matches!(find(&elsewhere, &arguments), Err(GpuError::NoSuchKernel { kernel, .. }) if kernel == "Body::stop")
        );
        let result = code.entry(&host("game"), Kind::Reduce(0), shape, &arguments);
        assert!(matches!(result, Err(GpuError::NoSuchKernel { .. })));
        let result = code.entry(&host("game"), Kind::Call, Shape { result: (4, 4), ..shape }, &arguments);
        assert!(result.unwrap_err().to_string().contains("returns 4 bytes on the host and 0"));
    }

    #[test]
    fn classes_are_compared() {
        let code = codes(&[("game", Some(text()))]);
        let class = |module, name, place, fingerprint, fields| Signature {
            origin: Origin::new(module, name, place),
            fingerprint,
            fields,
        };
        let table = |class: Signature| code.tables(&[class]).map(|mut found| found.remove(0).remove(0));
        assert_eq!(
            table(class("game::model", "Body", PLACE, 9, FIELDS)).unwrap().as_deref(),
            Some("ikra_class_Body_1")
        );
        assert_eq!(table(class("game::model", "Other", PLACE, 9, FIELDS)).unwrap(), None, "the host's alone");
        let twins = [
            class("game::model", "Body", PLACE, 9, FIELDS),
            class("game::host", "Body", "game/src/host.rs:3:11", 9, FIELDS),
        ];
        assert_eq!(
            code.tables(&twins).unwrap(),
            [[Some(String::from("ikra_class_Body_1"))], [None]],
            "twins in one world"
        );
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
    fn several_packages_have_code() {
        let other = "//ikra:class 1 ikra_class_Other_1 2 3 shapes/src/model.rs:1:1\n//ikra:stack 4096\n";
        let shape = Shape { own: &[4, 8, 1, 24], result: (0, 1) };
        let find = |codes: &Codes| {
            codes
                .entry(&host("game::model"), Kind::Call, shape, &[])
                .map(|(module, compiled)| (module, compiled.symbol.clone()))
        };
        let both = codes(&[("app", None), ("shapes", Some(other.to_owned())), ("game", Some(text()))]);
        assert_eq!((both.texts().count(), both.stack()), (2, Some(4096)));
        assert_eq!(find(&both).unwrap(), (1, String::from("ikra_kernel_go")));
        let class = |module, place, fingerprint| Signature {
            origin: Origin::new(module, "Body", place),
            fingerprint,
            fields: FIELDS,
        };
        assert!(both.has_table(1, "ikra_class_Body_1") && !both.has_table(0, "ikra_class_Other_1"));
        let here = class("game::model", PLACE, 9);
        let symbol = || Some(String::from("ikra_class_Body_1"));
        assert_eq!(both.tables(&[here]).unwrap(), [[None, symbol()]]);
        // The first that has the kernel counts, and all that have the class are asked about it.
        let second = text().replace("_go", "_second");
        let twice = codes(&[("game", Some(text())), ("app", Some(second.clone())), ("again", Some(text()))]);
        assert_eq!(twice.texts().count(), 2, "each text once");
        assert_eq!(find(&twice).unwrap(), (0, String::from("ikra_kernel_go")));
        assert_eq!(twice.tables(&[class("game::model", PLACE, 9)]).unwrap(), [[symbol(), symbol()]]);
        let differs = codes(&[("game", Some(text())), ("app", Some(second.replace(" 9 game", " 8 game")))]);
        let error = differs.tables(&[class("game::model", PLACE, 9)]).unwrap_err();
        assert!(matches!(error, GpuError::DeviceCodeDiffers { .. }), "{error}");
        // A class of another package may have the same name.
        assert_eq!(both.tables(&[class("app", "app/src/main.rs:5:1", 7)]).unwrap(), [[None, None]]);
        // What is nowhere.
        let error = codes(&[("app", None), ("shapes", Some(other.to_owned()))]);
        let error = find(&error).unwrap_err().to_string();
        assert!(
            error.contains("device code of `app` (which was compiled without), `shapes` has no kernel `Body::go`"),
            "{error}"
        );
        assert!(matches!(Codes::new(&[], "Sim"), Err(GpuError::NoDeviceCode { world: "Sim" })));
        // SAFETY: nobody runs it.
        let nonsense = Codes::new(vec![unsafe { DeviceCode::new("old", Some("nonsense")) }].leak(), "Sim");
        assert!(matches!(nonsense, Err(GpuError::DeviceCodeRejected { log }) if log.contains("`old`")));
    }

    #[test]
    fn entries_say_which_words_they_take() {
        let takes = |words: &str| {
            text()
                .replace("go_param_3[24]\n", "go_param_3[24],\n\t.param .align 8 .b8 go_words[24]\n")
                .replace("{\n\t// begin", &format!("{{\n\t//ikra:takes {words}\n\t// begin"))
        };
        let shape = Shape { own: &[4, 8, 1, 24], result: (0, 1) };
        let find = |text| {
            let code = codes(&[("game", Some(text))]);
            let found = code.entry(&host("game::model"), Kind::Call, shape, &[]);
            found.map(|(_, compiled)| (compiled.words.clone(), compiled.reads_tables))
        };
        let words = vec![(String::from("ikra_class_A"), vec![0, 2]), (String::from("ikra_class_B"), vec![1])];
        assert_eq!(find(takes("all ikra_class_A 0 2 ikra_class_B 1")).unwrap(), (words.clone(), false));
        assert_eq!(find(takes("some ikra_class_A 0 2 ikra_class_B 1")).unwrap(), (words, true));
        assert_eq!(find(text()).unwrap(), (Vec::new(), true), "of another version, which does not say");
        // Fewer words than the parameter has room for.
        assert!(matches!(find(takes("all ikra_class_A 0 2")), Err(GpuError::DeviceCodeDiffers { .. })));
        assert!(matches!(find(takes("all")), Err(GpuError::DeviceCodeDiffers { .. })));
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
