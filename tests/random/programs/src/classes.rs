//! Random classes.

use crate::generator::Generator;

/// A number, or a `bool`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    Bool,
    U8,
    U16,
    U32,
    U64,
    I8,
    I16,
    I32,
    I64,
    F32,
    F64,
}

use Scalar::*;

pub(crate) const SCALARS: &[Scalar] = &[Bool, U8, U16, U32, U64, I8, I16, I32, I64, F32, F64, U32, U32, F32, U8];
pub(crate) const INTEGERS: &[Scalar] = &[U8, U16, U32, U64, I8, I16, I32, I64, U32];

impl Scalar {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Bool => "bool",
            U8 => "u8",
            U16 => "u16",
            U32 => "u32",
            U64 => "u64",
            I8 => "i8",
            I16 => "i16",
            I32 => "i32",
            I64 => "i64",
            F32 => "f32",
            F64 => "f64",
        }
    }
    pub(crate) fn is_float(self) -> bool {
        matches!(self, F32 | F64)
    }
    pub(crate) fn is_signed(self) -> bool {
        matches!(self, I8 | I16 | I32 | I64)
    }
}

/// How an array is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A column per slot.
    Slots(usize),
    /// One column of arrays.
    Object(usize),
    /// Of varying length, with slots.
    Varying(usize),
}

impl Form {
    fn attribute(self) -> String {
        match self {
            Self::Slots(_) => "#[inline_array]".to_owned(),
            Self::Object(_) => "#[inline_array(object)]".to_owned(),
            Self::Varying(slots) => format!("#[inline_array({slots})]"),
        }
    }
    /// The length, if it is fixed.
    pub(crate) fn len(self) -> Option<usize> {
        match self {
            Self::Slots(len) | Self::Object(len) => Some(len),
            Self::Varying(_) => None,
        }
    }
}

/// The kind of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Number(Scalar),
    /// A struct, in columns of its own or in one.
    Value(bool),
    Enum,
    Vector(Scalar, usize),
    Array(Scalar, Form),
    Link(usize),
    Maybe(usize),
    Links(usize, Form),
    /// Structs with a link and a number.
    Edges(usize, Form),
    Actor,
    MaybeActor,
    Atomic(Scalar),
    AtomicArray(Scalar, usize),
    Claim(usize),
}

#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// Methods called on other objects read it, and kernels rarely write it.
    pub(crate) is_calm: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub(crate) name: &'static str,
    pub(crate) options: &'static str,
    pub(crate) fields: Vec<Field>,
}

pub(crate) const NAMES: [&str; 3] = ["Ash", "Bat", "Cod"];
pub(crate) const OBJECTS: [&str; 3] = ["ashes", "bats", "cods"];
pub(crate) const COUNTS: [usize; 3] = [301, 130, 57];

const OPTIONS: &[&str] = &[
    "",
    "",
    "",
    "(layout = \"aos\")",
    "(layout = \"tiles\")",
    "(layout = \"tiles\", tile = 64)",
    "(capacity = 2000, arena = 1_000_000)",
    "(addressing = \"storage\")",
    "(layout = \"aos\", capacity = 2000, arena = 1_000_000)",
];

fn form(random: &mut Generator) -> Form {
    match random.below(4) {
        0 | 1 => Form::Slots(1 + random.below(5)),
        2 => Form::Object(1 + random.below(4)),
        _ => Form::Varying(random.below(4)),
    }
}

fn kind(random: &mut Generator) -> Kind {
    let scalar = *random.pick(SCALARS);
    match random.below(24) {
        0..=7 => Kind::Number(scalar),
        8 => Kind::Value(random.percent(50)),
        9 => Kind::Enum,
        10 => Kind::Vector(scalar, 1 + random.below(4)),
        11..=13 => Kind::Array(scalar, form(random)),
        14 => Kind::Link(random.below(3)),
        15 => Kind::Maybe(random.below(3)),
        16 | 17 => Kind::Links(random.below(3), form(random)),
        22 | 23 => Kind::Edges(random.below(3), form(random)),
        18 => {
            if random.percent(50) {
                Kind::Actor
            } else {
                Kind::MaybeActor
            }
        }
        19 => Kind::Atomic(*random.pick(&[U32, I32, U64, I64, Bool, F32])),
        20 => Kind::AtomicArray(*random.pick(&[U32, I64]), 1 + random.below(3)),
        _ => Kind::Claim(random.below(3)),
    }
}

/// Three classes.
pub(crate) fn classes(random: &mut Generator) -> Vec<Class> {
    let class = |own: usize, random: &mut Generator| {
        let mut kinds = vec![
            Kind::Link(own),
            Kind::Number(U32),
            Kind::Number(*random.pick(SCALARS)),
            Kind::Maybe(random.below(3)),
            Kind::Actor,
            Kind::Atomic(U32),
            Kind::Number(U32),
            Kind::Array(*random.pick(SCALARS), form(random)),
            Kind::Links(random.below(3), form(random)),
        ];
        let calm = 4;
        for _ in 0..3 + random.below(8) {
            kinds.push(kind(random));
        }
        // Atomic fields of one name in several classes count as one.
        let name = |n: usize, kind: Kind| match kind {
            Kind::Atomic(_) | Kind::AtomicArray(..) | Kind::Claim(_) => format!("g{own}{n}"),
            _ => format!("f{n}"),
        };
        let fields =
            kinds.into_iter().enumerate().map(|(n, kind)| Field { name: name(n, kind), kind, is_calm: n < calm });
        Class { name: NAMES[own], options: OPTIONS[random.below(OPTIONS.len())], fields: fields.collect() }
    };
    (0..3).map(|own| class(own, random)).collect()
}

/// The type of a field in the class, and its attributes.
pub(crate) fn declared(kind: Kind) -> String {
    let array = |form: Form, element: &str| match form.len() {
        Some(len) => format!("[{element}; {len}]"),
        None => format!("InnerArray<{element}>"),
    };
    match kind {
        Kind::Number(scalar) => scalar.name().to_owned(),
        Kind::Value(_) => "Pack".to_owned(),
        Kind::Enum => "Mood".to_owned(),
        Kind::Vector(scalar, len) => format!("[{}; {len}]", scalar.name()),
        Kind::Array(scalar, form) => array(form, scalar.name()),
        Kind::Link(class) => format!("Link<{}>", NAMES[class]),
        Kind::Maybe(class) => format!("Option<Link<{}>>", NAMES[class]),
        Kind::Links(class, form) => array(form, &format!("Link<{}>", NAMES[class])),
        Kind::Edges(class, form) => array(form, &format!("{}Edge", NAMES[class])),
        Kind::Actor => "ActorLink".to_owned(),
        Kind::MaybeActor => "Option<ActorLink>".to_owned(),
        Kind::Atomic(scalar) => scalar.name().to_owned(),
        Kind::AtomicArray(scalar, len) => format!("[{}; {len}]", scalar.name()),
        Kind::Claim(class) => format!("Option<Link<{}>>", NAMES[class]),
    }
}

pub(crate) fn attributes(kind: Kind) -> String {
    match kind {
        Kind::Value(true) => "#[soa(flatten)] ".to_owned(),
        Kind::Array(_, form) | Kind::Links(_, form) | Kind::Edges(_, form) => format!("{} ", form.attribute()),
        Kind::Atomic(_) | Kind::Claim(_) => "#[atomic] ".to_owned(),
        Kind::AtomicArray(..) => "#[atomic] #[inline_array] ".to_owned(),
        _ => String::new(),
    }
}

/// The type of a field in the plain model.
pub(crate) fn plain(kind: Kind) -> String {
    match kind {
        Kind::Array(scalar, _) => format!("Array<{}>", scalar.name()),
        Kind::Link(class) => format!("RefOf<{}>", NAMES[class]),
        Kind::Maybe(class) => format!("Option<RefOf<{}>>", NAMES[class]),
        Kind::Links(class, _) => format!("Array<RefOf<{}>>", NAMES[class]),
        Kind::Edges(class, _) => format!("Array<{}Edge>", NAMES[class]),
        Kind::Actor => "ActorRef".to_owned(),
        Kind::MaybeActor => "Option<ActorRef>".to_owned(),
        Kind::Atomic(scalar) => format!("Atomic<{}>", scalar.name()),
        Kind::AtomicArray(scalar, _) => format!("Atomics<{}>", scalar.name()),
        Kind::Claim(class) => format!("Atomic<Option<Link<{}>>>", NAMES[class]),
        kind => declared(kind),
    }
}

/// The initial value of a field, computed from a number `h`, in the program or in the plain model.
pub(crate) fn start(kind: Kind, is_plain: bool) -> String {
    let link = |class: usize| {
        if is_plain {
            format!("RefOf::at(h as usize % {})", COUNTS[class])
        } else {
            format!("Link::from_index(h as usize % {}).unwrap()", COUNTS[class])
        }
    };
    let elements = |form: Form, element: &str| {
        let len = form.len().map_or("len(h)".to_owned(), |len| len.to_string());
        let all = format!("(0..{len}).map(|k| {{ let h = mix(h, k as u64); {element} }})");
        match (is_plain, form.len()) {
            (true, _) => format!("Array({all}.collect())"),
            (false, Some(_)) => format!("{all}.collect::<Vec<_>>().try_into().unwrap()"),
            (false, None) => format!("{all}.collect()"),
        }
    };
    let actor = if is_plain { "actor(h)" } else { "actor_link(h)" };
    match kind {
        Kind::Number(_) | Kind::Value(_) | Kind::Enum | Kind::Vector(..) => "make(h)".to_owned(),
        Kind::Array(_, form) => elements(form, "make(h)"),
        Kind::Link(class) => link(class),
        Kind::Maybe(class) => format!("(h % 5 != 0).then(|| {})", link(class)),
        Kind::Links(class, form) => elements(form, &link(class)),
        Kind::Edges(class, form) => {
            let (path, end) = if is_plain { ("", ".link()") } else { ("model::", "") };
            let element = format!("{path}{}Edge {{ to: {}{end}, size: make(mix(h, 7)) }}", NAMES[class], link(class));
            elements(form, &element)
        }
        Kind::Actor => actor.to_owned(),
        Kind::MaybeActor => format!("(h % 5 != 0).then(|| {actor})"),
        Kind::Atomic(_) if is_plain => "Atomic::new(make(h))".to_owned(),
        Kind::Atomic(_) => "make(h)".to_owned(),
        Kind::AtomicArray(_, len) => {
            let all = format!("(0..{len}).map(|k| make(mix(h, k as u64)))");
            if is_plain {
                format!("Atomics({all}.map(Atomic::new).collect())")
            } else {
                format!("{all}.collect::<Vec<_>>().try_into().unwrap()")
            }
        }
        Kind::Claim(_) if is_plain => "Atomic::new(None)".to_owned(),
        Kind::Claim(_) => "None".to_owned(),
    }
}
