//! How host and device recognise a class or kernel, and check that their definitions agree.
//!
//! A model is compiled twice, by two compilers, for two machines. Both record the source position of each class and
//! kernel, its [`Origin`], and a fingerprint of everything that both must lay out equally. Code that differs by
//! `cfg(target_arch)`, by features or by the value of a constant has another fingerprint. The device code carries both
//! in comments. The host launches nothing whose fingerprint differs from its own (I25).

/// The source position of a class's or kernel's definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    module: &'static str,
    name: &'static str,
    place: &'static str,
}

/// The prefix of the name of the crate that `ikra-build` makes around a model.
const DEVICE_CRATE: &str = "ikra_device_";
/// The module in it that holds the model, if that has a name of its own.
const DEVICE_SOURCE: &str = "source::";

impl Origin {
    /// The item called `name`, in `module`, at `place`: package, file, line and column.
    pub const fn new(module: &'static str, name: &'static str, place: &'static str) -> Self {
        Self { module, name, place }
    }

    /// `Body` or `Body::advance`.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Package, file, line and column.
    pub const fn place(&self) -> &'static str {
        self.place
    }

    /// A number for the name alone.
    pub const fn name_key(&self) -> u64 {
        fnv(SEED, self.name.as_bytes())
    }

    /// The number by which the device code identifies it.
    ///
    /// The path of the model's own module differs between device and host, so only the path below it counts.
    pub const fn key(&self) -> u64 {
        self.key_from(below_model(self.module.as_bytes()))
    }

    /// The possible numbers in device code, the most likely ones first: the model's own module may be any of its
    /// enclosing modules.
    pub fn keys(&self) -> impl Iterator<Item = u64> {
        let module = self.module.as_bytes();
        let ends = (0..module.len()).filter(move |&at| at == 0 || module[..at].ends_with(b"::"));
        ends.chain([module.len()]).map(move |at| self.key_from(at))
    }

    /// The number, if the first `at` bytes of the path name the model's module.
    const fn key_from(&self, at: usize) -> u64 {
        let mut hash = SEED;
        let module = self.module.as_bytes();
        let mut n = at;
        while n < module.len() {
            hash = fnv(hash, &[module[n]]);
            n += 1;
        }
        hash = fnv(hash, b" ");
        hash = fnv(hash, self.name.as_bytes());
        hash = fnv(hash, b" ");
        fnv(hash, self.place.as_bytes())
    }
}

/// The start of the path below the model's own module. In a crate other than the model's, that is the whole path.
const fn below_model(module: &[u8]) -> usize {
    if !starts_with(module, 0, DEVICE_CRATE.as_bytes()) {
        return 0;
    }
    let mut at = after_segment(module, 0);
    if starts_with(module, at, DEVICE_SOURCE.as_bytes()) {
        at += DEVICE_SOURCE.len();
    }
    after_segment(module, at)
}

/// The start of the next segment of a path.
const fn after_segment(path: &[u8], mut at: usize) -> usize {
    while at < path.len() {
        if starts_with(path, at, b"::") {
            return at + 2;
        }
        at += 1;
    }
    at
}

const fn starts_with(text: &[u8], at: usize, start: &[u8]) -> bool {
    if text.len() < at + start.len() {
        return false;
    }
    let mut n = 0;
    while n < start.len() {
        if text[at + n] != start[n] {
            return false;
        }
        n += 1;
    }
    true
}

const SEED: u64 = 0xcbf2_9ce4_8422_2325;

/// The hash of Fowler, Noll and Vo.
pub(crate) const fn fnv(mut hash: u64, bytes: &[u8]) -> u64 {
    let mut n = 0;
    while n < bytes.len() {
        hash = (hash ^ bytes[n] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        n += 1;
    }
    hash
}

/// A hash of numbers and texts that becomes a fingerprint.
#[derive(Clone, Copy)]
pub(crate) struct Fingerprint(pub(crate) u64);

impl Fingerprint {
    /// The hash of this crate's version, on which every other offset depends.
    pub(crate) const fn new() -> Self {
        Self(SEED).text(env!("CARGO_PKG_VERSION"))
    }

    pub(crate) const fn number(self, number: u64) -> Self {
        Self(fnv(self.0, &number.to_le_bytes()))
    }

    pub(crate) const fn text(self, text: &str) -> Self {
        Self(fnv(self.number(text.len() as u64).0, text.as_bytes()))
    }

    pub(crate) const fn option(self, number: Option<usize>) -> Self {
        match number {
            Some(number) => self.number(1).number(number as u64),
            None => self.number(0),
        }
    }
}

/// A number for the meaning of a value's bytes: of a type with this name and with parts of these meanings.
pub const fn meaning(name: &str, parts: &[u64]) -> u64 {
    let mut print = Fingerprint::new().text(name).number(parts.len() as u64);
    let mut part = 0;
    while part < parts.len() {
        print = print.number(parts[part]);
        part += 1;
    }
    print.0
}

/// Fails to compile unless a text is a word. It gets into the device code as one, and safe code may call the macros
/// with any text.
///
/// # Panics
///
/// In that case.
pub const fn assert_word(text: &str) {
    let (bytes, mut n) = (text.as_bytes(), 0);
    while n < bytes.len() {
        assert!(bytes[n].is_ascii_alphanumeric() || bytes[n] == b'_', "letters, digits and `_` only");
        n += 1;
    }
}

/// Fails to compile unless a text is one line. It gets into a comment of the device code.
///
/// # Panics
///
/// In that case.
pub const fn assert_line(text: &str) {
    let (bytes, mut n) = (text.as_bytes(), 0);
    while n < bytes.len() {
        // The assembler would take the text between braces for an operand.
        assert!(bytes[n] >= b' ' && bytes[n] != b'{' && bytes[n] != b'}', "one line, without braces");
        n += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: &str = "game/src/model.rs:3:11";

    #[test]
    fn host_and_device_find_each_other() {
        let host = Origin::new("game::sim::model::space", "Body", PLACE);
        for device in ["ikra_device_0123::source::model::space", "ikra_device_0123::model::space"] {
            assert!(host.keys().any(|key| key == Origin::new(device, "Body", PLACE).key()), "{device}");
        }
        // The model's own module, with any name.
        let (host, device) = (Origin::new("game", "Body", PLACE), Origin::new("ikra_device_0::model", "Body", PLACE));
        assert!(host.keys().any(|key| key == device.key()));
        // A dependency of both.
        let dependency = Origin::new("shapes::round", "Disc", PLACE);
        assert_eq!(dependency.keys().next(), Some(dependency.key()));
    }

    #[test]
    fn twins_differ() {
        let device = |module| Origin::new(module, "Twin", PLACE).key();
        let a = Origin::new("game::model::a::inner", "Twin", PLACE);
        let (same, other) =
            (device("ikra_device_0::source::model::a::inner"), device("ikra_device_0::source::model::b::inner"));
        assert!(a.keys().any(|key| key == same) && !a.keys().any(|key| key == other));
        let keys: Vec<u64> = a.keys().collect();
        for other in
            [Origin::new("game::model::a::inner", "Twin", "game/src/other.rs:3:11"), Origin::new("", "Wtin", PLACE)]
        {
            assert!(other.keys().all(|key| !keys.contains(&key)), "{other:?}");
        }
    }
}
