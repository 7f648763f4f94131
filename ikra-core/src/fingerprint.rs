//! Fingerprints of classes and kernels, on which host and device must agree.

use crate::class::Class;
use crate::info::{ClassInfo, FieldInfo, LayoutKind};
use crate::kernel::{Kernel, PairCall};
use crate::origin::{Fingerprint, Origin};
use crate::tile_row;

/// The part of a field on which host and device must agree. The upper half is its size in bytes, the lower half a
/// fingerprint of its name, type and columns.
pub const fn field_fingerprint(field: &FieldInfo) -> u64 {
    let mut print = Fingerprint::new().text(field.name).text(field.type_name).number(field.atomic as u64);
    print = match field.array {
        Some(array) => print
            .number(array.slots as u64)
            .number(array.as_object as u64)
            .number(array.arena as u64)
            .number(array.element as u64)
            .number(array.meaning),
        None => print.number(u64::MAX),
    };
    let mut column = 0;
    while column < field.columns.len() {
        let info = field.columns[column];
        print = print.text(info.component).number(info.size as u64).number(info.align as u64).option(info.slot);
        print = print.number(info.meaning);
        column += 1;
    }
    (bytes(field) as u64) << 32 | print.0 & 0xffff_ffff
}

/// The size in bytes of a field in an object.
pub const fn bytes(field: &FieldInfo) -> usize {
    let mut bytes = 0;
    let mut column = 0;
    while column < field.columns.len() {
        bytes += field.columns[column].size;
        column += 1;
    }
    bytes
}

/// The part of a class on which host and device must agree: the position of its definition, its fields and their
/// positions, and the classes of its links.
pub const fn class_fingerprint<C: Class>() -> u64 {
    /// A constant, so that it is made once: the compiler calls the function for each kernel.
    struct Of<C>(C);
    impl<C: Class> Of<C> {
        const FINGERPRINT: u64 = new_class_fingerprint::<C>();
    }
    Of::<C>::FINGERPRINT
}

const fn new_class_fingerprint<C: Class>() -> u64 {
    let mut print = Fingerprint::new().text(C::ORIGIN.place()).number(C::FIELDS.len() as u64);
    let mut field = 0;
    while field < C::FIELDS.len() {
        print = print.number(field_fingerprint(&C::FIELDS[field]));
        let mut classes = C::FIELDS[field].links_to;
        while let Some((class, others)) = classes.split_first() {
            print = print.text(class.name());
            classes = others;
        }
        field += 1;
    }
    print = match C::LAYOUT {
        LayoutKind::Soa => print.number(0),
        LayoutKind::Aos => print.number(1),
        LayoutKind::Tiles(tile) => print.number(2).number(tile as u64),
    };
    print = match C::CAPACITY {
        Some(capacity) => print.number(1).number(capacity as u64),
        None => print.number(0),
    };
    print.option(C::ARENA).0
}

/// The number in the name of a class's table in the device code. It hashes the position of the class's definition and
/// its fields. So a class with other fields has another table, whatever position it claims.
pub const fn table_key<C: Class>() -> u64 {
    Fingerprint::new().number(C::ORIGIN.key()).number(class_fingerprint::<C>()).0
}

/// The part of a kernel on which host and device must agree besides its arguments: its class, the cooperation of its
/// threads, and the columns that it changes.
pub const fn kernel_fingerprint<K: Kernel>() -> u64 {
    let print = Fingerprint::new().number(class_fingerprint::<K::Class>());
    let print = print.number(K::EFFECTS.is_exclusive() as u64).number(K::EFFECTS.is_heavy() as u64);
    print.number(K::EFFECTS.writes().bits()).number(K::EFFECTS.snapshot().bits()).0
}

/// The fingerprint of a kernel, given as a value.
pub const fn fingerprint_of<K: Kernel>(_: K) -> u64 {
    kernel_fingerprint::<K>()
}

/// As above, for a kernel for pairs, including the contents of its tile rows of the other object.
pub const fn pairs_fingerprint<K: PairCall<A>, A>() -> u64 {
    let mut print = Fingerprint::new().number(kernel_fingerprint::<K>()).number(class_fingerprint::<K::Other>());
    print = print.number(tile_row::bytes::<K::Other, K>() as u64).number(K::EFFECTS.sums().bits());
    let mut field = 0;
    while field < K::Other::FIELDS.len() {
        print = print.option(tile_row::offset::<K::Other, K>(field));
        field += 1;
    }
    print.0
}

/// A class, by which its device code is looked up.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// The position of its definition.
    pub origin: Origin,
    /// The fingerprint on which both sides must agree.
    pub fingerprint: u64,
    /// Its fields.
    pub fields: &'static [FieldInfo],
}

impl Signature {
    /// The entry for class `C`.
    pub const fn of<C: Class>() -> Self {
        Self { origin: C::ORIGIN, fingerprint: class_fingerprint::<C>(), fields: C::FIELDS }
    }
}
