//! Expansions cause no lints, and do not depend on the meaning of names at the call site.
#![deny(
    warnings,
    future_incompatible,
    nonstandard_style,
    rust_2018_idioms,
    unused,
    elided_lifetimes_in_paths,
    explicit_outlives_requirements,
    keyword_idents,
    let_underscore_drop,
    macro_use_extern_crate,
    meta_variable_misuse,
    missing_copy_implementations,
    missing_debug_implementations,
    missing_docs,
    non_ascii_idents,
    redundant_lifetimes,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unit_bindings,
    unnameable_types,
    unreachable_pub,
    unsafe_op_in_unsafe_fn,
    unused_crate_dependencies,
    unused_extern_crates,
    unused_import_braces,
    unused_lifetimes,
    unused_qualifications,
    unused_results,
    variant_size_differences
)]
#![deny(clippy::all, clippy::pedantic)]
#![forbid(unsafe_code)]
#![allow(unused_crate_dependencies, reason = "dev-dependencies of the other tests")]

/// A public and fully documented module, as in a library.
pub mod lints {
    use std::cell::{Cell, RefCell};
    use std::rc::{Rc, Weak};
    use std::time::Duration;

    use ikra::prelude::*;
    use ikra::trace::Trace;

    /// A kind.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Trace, Value)]
    #[repr(u8)]
    #[trace(value)]
    pub enum Kind {
        /// The first.
        First,
    }

    /// A class.
    #[soa_class]
    #[derive(Clone, Copy, Debug)]
    pub struct Node {
        /// A kind.
        pub kind: Kind,
        /// A number.
        pub r#type: f32,
        /// A link.
        pub next: Option<ThingLink>,
        /// Only here.
        pub age: u32,
    }

    /// A trait.
    #[soa_dispatch(Node)]
    pub trait Thing {}
    #[soa_methods]
    impl Thing for Node {}

    /// Its ordinary objects.
    #[derive(Clone, Debug, Trace)]
    #[trace(class = Node, rest(age = u32::from(self.number > 7)), crate = ::ikra)]
    pub struct Plain {
        /// A kind.
        pub kind: Cell<Kind>,
        /// A number.
        #[trace(with = seconds)]
        pub r#type: Duration,
        /// A link.
        pub next: RefCell<Option<Pointer>>,
        /// Not there.
        #[trace(skip)]
        pub number: usize,
    }

    /// A pointer.
    #[derive(Clone, Debug, Trace)]
    #[trace(link = Thing)]
    pub enum Pointer {
        /// Shared.
        Shared(Rc<Plain>),
        /// Weak.
        Weak(Weak<Plain>),
    }

    /// A class.
    #[soa_class]
    #[derive(Clone, Copy, Debug)]
    pub struct Other {
        /// A number.
        pub time: f32,
    }

    /// A trait.
    #[soa_dispatch(Node, Other)]
    pub trait Both {}
    #[soa_methods]
    impl Both for Node {}
    #[soa_methods]
    impl Both for Other {}

    /// Ordinary objects of two classes.
    #[derive(Clone, Debug, Trace)]
    #[trace(link = Both, crate = ::ikra)]
    pub enum Variants {
        /// Fields with names.
        #[trace(class = Node, rest(age = 3, next = None))]
        Named {
            /// A kind.
            kind: Cell<Kind>,
            /// A number.
            r#type: f32,
        },
        /// Fields without names.
        #[trace(class = Other)]
        Unnamed(#[trace(with = seconds, field = time)] Duration, #[trace(skip)] String),
    }

    mod seconds {
        use std::time::Duration;

        pub(super) fn trace(time: &Duration) -> f32 {
            time.as_secs_f32()
        }
        pub(super) fn write_back(time: &mut Duration, seconds: f32) {
            *time = Duration::from_secs_f32(seconds);
        }
    }

    /// A world.
    #[soa_world]
    #[derive(Debug)]
    pub struct World {
        /// The objects.
        pub nodes: Objects<Node>,
        /// Others.
        pub others: Objects<Other>,
    }
}

mod classes {
    use ikra::prelude::*;

    #[soa_class]
    pub(crate) struct Class {
        pub(crate) link: u32,
        pub(crate) mask: Option<Link<Class>>,
    }

    #[soa_class]
    pub(crate) struct Two {
        pub(crate) place: u32,
    }

    #[soa_dispatch(Class, Two)]
    pub(crate) trait Either {}
    #[soa_methods]
    impl Either for Class {}
    #[soa_methods]
    impl Either for Two {}

    #[soa_world]
    pub(crate) struct Sim {
        pub(crate) classes: Objects<Class>,
        pub(crate) twos: Objects<Two>,
    }
}

/// Names of the standard library that mean something else here.
mod names {
    #![allow(dead_code, non_camel_case_types, missing_debug_implementations, reason = "only their names count")]

    use ::std::rc::Rc;

    use super::classes::{Class, Either, Sim, Two, class, two};

    pub(crate) struct Option;
    pub(crate) struct Result;
    pub(crate) struct Some;
    pub(crate) struct Ok;
    pub(crate) struct Err;
    pub(crate) struct u64;
    pub(crate) struct bool;
    pub(crate) mod core {}
    pub(crate) mod std {}
    pub(crate) mod ikra {}
    pub(crate) trait Row {
        fn row(&self) {}
        fn shared(&self) {}
        fn refer(&self) {}
        fn trace(&self) {}
        fn write(&self) {}
        fn variant(&self) {}
        fn link(&self) {}
        fn put(&self) {}
        fn changes(&self) {}
        fn changed(&self) {}
        fn refuse(&self) {}
        fn hold(&self) {}
    }
    impl<T> Row for T {}

    #[derive(::ikra::trace::Trace)]
    #[trace(class = Class)]
    pub(crate) struct Plain {
        pub(crate) link: ::core::cell::Cell<u32>,
        pub(crate) mask: ::core::cell::RefCell<::std::rc::Weak<Plain>>,
    }

    #[derive(::ikra::trace::Trace)]
    #[trace(link = Either)]
    pub(crate) enum Enum {
        #[trace(class = Class, rest(mask = ::core::option::Option::None))]
        Struct { link: u32 },
        #[trace(class = Two)]
        Tuple(#[trace(field = r#place)] ::core::cell::Cell<u32>),
    }

    #[derive(::ikra::trace::Trace)]
    #[trace(class = Class, rest(mask = ::core::option::Option::None))]
    pub(crate) struct With(#[trace(with = wide, field = link)] u128);

    mod wide {
        pub(crate) fn trace(number: &u128) -> u32 {
            u32::try_from(*number).unwrap_or(0)
        }
        pub(crate) fn write_back(number: &mut u128, new: u32) {
            *number = new.into();
        }
    }

    #[test]
    fn names_of_an_enum_do_not_matter() {
        let plain = [Rc::new(Enum::Struct { link: 1 }), Rc::new(Enum::Tuple(2.into()))];
        let with = Rc::new(::core::cell::RefCell::new(With(1)));
        let mut sim = <Sim as ::ikra::trace::TraceWorld>::trace(&(&plain, &with)).unwrap();
        sim.twos.column_mut(two::place).fill(4);
        sim.classes.column_mut(class::link)[1] = 5;
        assert_eq!(sim.write_back().unwrap(), 2);
        assert_eq!(with.borrow().0, 5);
        assert!(matches!(&*plain[1], Enum::Tuple(place) if place.get() == 4));
    }

    #[test]
    fn names_do_not_matter() {
        let plain = Rc::new_cyclic(|weak| Plain { link: 3.into(), mask: weak.clone().into() });
        let mut sim = <Sim as ::ikra::trace::TraceWorld>::trace(&plain).unwrap();
        sim.classes.column_mut(class::link).fill(4);
        assert_eq!(sim.write_back().unwrap(), 1);
        assert_eq!(plain.link.get(), 4);
    }
}

/// Constants whose names would make patterns of the bindings in expansions.
mod constants {
    #![allow(dead_code, non_upper_case_globals, missing_debug_implementations, reason = "only their names count")]

    use std::cell::{Cell, RefCell};
    use std::rc::Rc;

    use ikra::Value;
    use ikra::trace::{Trace, TraceWorld};

    use super::classes::{Class, Either, Sim, Two, class};

    const value: u32 = 0;
    const link: u32 = 0;
    const context: u32 = 0;
    const pointer: u32 = 0;
    const tracer: u32 = 0;
    const back: u32 = 0;
    const FIELD_0_0: usize = 1;
    const VARIANT_0: usize = 1;

    #[derive(Clone, Copy, PartialEq, Trace, Value)]
    #[repr(u8)]
    #[trace(value)]
    enum Kind {
        First,
    }

    #[derive(Trace)]
    #[trace(class = Class, rest(mask = [None; 2][FIELD_0_0 * VARIANT_0]))]
    struct Plain {
        #[trace(with = wide)]
        link: u128,
    }

    #[derive(Trace)]
    #[trace(class = Two)]
    struct Other {
        place: Cell<u32>,
    }

    #[derive(Trace)]
    #[trace(link = Either)]
    enum Pointer {
        Shared(Rc<RefCell<Plain>>),
        Other(Rc<Other>),
    }

    mod wide {
        pub(super) fn trace(number: &u128) -> u32 {
            u32::try_from(*number).unwrap_or(0)
        }
        pub(super) fn write_back(number: &mut u128, new: u32) {
            *number = new.into();
        }
    }

    #[test]
    fn constants_do_not_matter() {
        let plain = Rc::new(RefCell::new(Plain { link: 1 }));
        let mut sim = Sim::trace(&Pointer::Shared(plain.clone())).unwrap();
        sim.classes.column_mut(class::link).fill(5);
        assert_eq!(sim.write_back().unwrap(), 1);
        assert_eq!(plain.borrow().link, 5);
    }
}
