//! The contents of device code: its kernels and classes, and the definitions that it was compiled with.
//!
//! Entry points and tables come with comments that the macros made (see `ikra_core::origin` and `ikra_marks`).
//! `ikra-build` adds comments to entry points that take table entries. The other parameters are read from the entry
//! point's declaration, which the driver reads too.

mod read;

use std::sync::{Arc, Mutex, PoisonError};

use ikra_core::device_code::DeviceCode;
use ikra_core::fingerprint::Signature;
use ikra_core::kernel::{Argument, Entry, SectionWords};
use ikra_core::transfer::WireType;
use ikra_runtime::error::GpuError;
use ikra_runtime::world::World;

pub(crate) use read::Compiled;
use read::{Code, CompiledClass, difference};

/// The kinds of a kernel's entry points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    /// The entry point that calls the kernel.
    Call,
    /// The entry point that combines results by the reducer of this number.
    Reduce(usize),
    /// The entry point that combines results by the reducer of this number, for the objects that another kernel chooses:
    /// that with this key.
    ReduceChosen(usize, u64),
    /// The entry point that stores the result for each object.
    Collect,
    /// The entry point that makes the kernel's new objects of the class with this number.
    Born(usize),
    /// The entry point that changes the links of a class.
    Links,
}

/// An entry point's own parameters and its results, besides the kernel's arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape<'a> {
    /// Bytes of the parameters before the arguments.
    pub(crate) own: &'a [usize],
    /// The type of its results, or the class of which it makes objects.
    pub(crate) result: WireType,
}

/// Entry points that call a kernel for a range of objects, or for the objects of a list.
pub(crate) const CALL: Shape<'_> = Shape { own: &[4, 4, 8], result: WireType::NONE };

/// The text of device code, or its replacement by `IKRA_REPLACE_DEVICE_CODE=package=FILE,…`. The replacement serves to
/// try out passes without building the program again. Host and device still compare their definitions with it.
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
    // The driver's modules use the text as long as the process lives.
    let text: &'static str = text.leak();
    files.push((path.to_owned(), text));
    Ok(Some(text))
}

/// The device code of a world: from its own package, and from others.
#[derive(Debug)]
pub(crate) struct Codes {
    /// All packages, including those without code.
    all: &'static [DeviceCode],
    /// Each distinct text once.
    texts: Vec<(DeviceCode, &'static str, Arc<Code>)>,
}

impl Codes {
    /// The device code of a world.
    ///
    /// # Errors
    ///
    /// [`GpuError::NoDeviceCode`] if no package has any; [`GpuError::DeviceCodeRejected`] if a text contains no marks.
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

    /// Bytes of stack that each thread needs at least.
    pub(crate) fn stack(&self) -> Option<usize> {
        self.codes().filter_map(|code| code.stack).max()
    }

    /// The name of the table of each of a world's classes, in each module; `None` if the device code does not have the
    /// class. A class in no module exists on the host only.
    ///
    /// # Errors
    ///
    /// [`GpuError::DeviceCodeDiffers`] if some device code defines a class differently.
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

    /// Another class of the same name and package, unless that class is in the world too.
    fn twin(&self, class: &Signature, is_anothers: impl Fn(&CompiledClass) -> bool) -> Option<&CompiledClass> {
        let package = |place: &str| place.split('/').next().map(str::to_owned);
        let (key, own) = (class.origin.name_key(), package(class.origin.place()));
        let is_twin = |twin: &&CompiledClass| twin.name == key && package(&twin.place) == own && !is_anothers(twin);
        self.codes().flat_map(|code| code.classes.values()).find(is_twin)
    }

    /// The module and the entry point of a kernel with these arguments. The first module that has the kernel is used.
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
        let Some((module, compiled)) = self.find(entry, kind) else {
            return Err(self.no_such_kernel(entry.origin.name()));
        };
        compiled.check(entry, shape, arguments)?;
        Ok((module, compiled))
    }

    /// A kernel's entry point, in the first module that has it.
    pub(crate) fn find(&self, entry: &Entry, kind: Kind) -> Option<(usize, &Compiled)> {
        self.codes().enumerate().find_map(|(module, code)| Some((module, code.find(entry, kind)?)))
    }

    /// The error for a kernel that no module has.
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

    /// Whether the methods of a module's kernel may call themselves.
    pub(crate) fn is_recursive(&self, module: usize, symbol: &str) -> bool {
        self.texts[module].2.recursive.contains(symbol)
    }
}

/// The sizes of the parameters besides the kernels' arguments, for an entry point of this many classes: their sections,
/// and a list.
pub(crate) fn shape_of_sections(sections: usize) -> [usize; 2] {
    [sections * size_of::<SectionWords>(), size_of::<u64>()]
}

#[cfg(test)]
mod tests;
