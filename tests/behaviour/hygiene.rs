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
#![allow(unused_crate_dependencies, reason = "dev-dependencies of the other tests")]
#![deny(clippy::all, clippy::pedantic)]
#![forbid(unsafe_code)]

/// A public and fully documented module, as in a library.
pub mod lints {
    use ikra::prelude::*;

    /// A point.
    #[derive(Clone, Copy, Debug, PartialEq, Value)]
    #[repr(C)]
    pub struct Point {
        /// Across.
        pub x: f32,
        /// Up.
        pub y: f32,
    }

    /// A kind.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Value)]
    #[repr(u8)]
    pub enum Kind {
        /// The first.
        First,
        /// The second.
        Second,
    }

    /// An object.
    #[soa_class]
    #[derive(Clone, Copy, Debug)]
    pub struct Thing {
        /// A number.
        pub number: f32,
        /// Whether.
        pub flag: bool,
        /// Where.
        #[soa(flatten)]
        pub place: Point,
        /// What.
        pub kind: Kind,
        /// Who.
        pub next: Option<Link<Thing>>,
        /// How often.
        #[atomic]
        pub hits: u32,
        /// Several.
        pub list: [f32; 3],
        /// Not for others.
        secret: u32,
        /// For this crate.
        pub(crate) inner: u32,
    }

    #[soa_methods]
    impl Thing {
        /// A number.
        pub const LIMIT: f32 = 1.0;

        /// Makes one.
        #[must_use]
        pub fn new(number: f32) -> Self {
            Self {
                number,
                flag: false,
                place: Point { x: 0.0, y: 0.0 },
                kind: Kind::First,
                next: None,
                hits: 0,
                list: [0.0; 3],
                secret: 1,
                inner: 2,
            }
        }
        /// Makes one, in parallel.
        #[kernel]
        #[must_use]
        pub fn spawn(id: u32, flag: bool) -> Self {
            Self { flag, secret: id, ..Self::new(0.0) }
        }
        /// Doubles it.
        #[must_use]
        pub fn doubled(&self) -> f32 {
            self.number * 2.0
        }
        /// Takes references.
        #[kernel]
        pub fn weigh(&mut self, weights: &[f32], scale: f32) {
            self.number = weights.iter().sum::<f32>() * scale;
            self.note();
        }
        /// Meets another.
        #[kernel(pairs)]
        pub fn meet(&mut self, other: Ref<Thing>, scale: f32) {
            self.place.x += other.number() * scale;
        }
        /// Counts.
        #[kernel(reduce(Sum, Max))]
        #[must_use]
        pub fn count(&self) -> u32 {
            self.secret + self.inner
        }
        /// Asks another.
        #[kernel(snapshot(flag))]
        pub fn ask(&mut self) {
            self.flag = self.next.is_some_and(|next| next.flag());
        }
        /// Is generic.
        #[kernel]
        pub fn with<F: Fn(f32) -> f32>(&mut self, f: F) {
            self.number = f(self.number);
        }
        fn note(&mut self) {
            self.hits.add(1);
            self.remember();
        }
    }

    #[soa_methods]
    impl Thing {
        fn remember(&mut self) {
            self.kind = Kind::Second;
            if self.secret > 1_000_000 {
                self.note();
            }
        }
    }

    /// All of them.
    #[derive(Debug)]
    #[soa_world]
    pub struct Things {
        /// The objects.
        pub things: Objects<Thing>,
    }

    /// Runs.
    ///
    /// # Errors
    ///
    /// If memory runs out.
    ///
    /// # Panics
    ///
    /// If the numbers are wrong.
    pub fn run() -> Result<u32, ikra::Error> {
        let mut world = Things::new();
        let first = world.things.push(Thing::new(Thing::LIMIT))?;
        drop(world.construct(2, Thing::spawn, true)?);
        world.execute(Thing::weigh, (&[1.0, 2.0][..], 0.5));
        world.execute(Thing::with, |number: f32| number + 1.0);
        world.execute(Thing::ask, ());
        world.execute_pairs(Thing::meet, 2.0);
        assert!((world.get(first).doubled() - 5.0).abs() < 1e-6);
        Ok(world.execute_and_reduce(Thing::count, (), Sum))
    }
}

#[test]
fn lint_clean() {
    assert_eq!(lints::run().unwrap(), (1 + 2) + (1 + 2) + (2 + 2));
}

/// A class whose items are all private and partly unused.
mod private {
    use ikra::prelude::*;

    #[soa_class(columns = "quiet_columns")]
    struct Quiet {
        n: u32,
        next: Option<Link<Quiet>>,
    }

    #[soa_methods]
    impl Quiet {
        #[kernel]
        fn step(&mut self) {
            self.n += 1;
        }
        fn twice(&self) -> u32 {
            self.n * 2
        }
        #[kernel]
        fn peek(&mut self) {
            self.n = self.next.map_or(3, |next| u32::from(next.next().is_some()));
        }
    }

    #[soa_world]
    struct Library {
        quiet: Objects<Quiet>,
    }

    #[test]
    fn private() {
        let mut library = Library::new();
        let quiet = library.quiet.push(Quiet { n: 1, next: None }).unwrap();
        library.execute(Quiet::peek, ());
        library.execute(Quiet::step, ());
        assert_eq!(library.get(quiet).twice(), 8);
        assert_eq!(library.quiet.column(quiet_columns::n), [4]);
    }
}

/// A module that redefines the prelude's names.
mod shadows {
    #![allow(
        dead_code,
        non_camel_case_types,
        missing_copy_implementations,
        missing_debug_implementations,
        reason = "names in the way"
    )]
    use ::ikra::{Link as IkraLink, Objects, Value, World as _, soa_class, soa_methods, soa_world};

    pub(crate) struct Option;
    pub(crate) struct Some;
    pub(crate) struct None;
    pub(crate) struct Result;
    pub(crate) struct Ok;
    pub(crate) struct Err;
    pub(crate) struct Box;
    pub(crate) struct Vec;
    pub(crate) struct String;
    pub(crate) struct Handle;
    pub(crate) struct Link;
    pub(crate) struct Column;
    pub(crate) struct FieldSet;
    pub(crate) struct Touched;
    pub(crate) struct PhantomData;
    pub(crate) struct Args;
    pub(crate) trait Copy {}
    pub(crate) trait Clone {}
    pub(crate) trait Debug {}
    pub(crate) trait Default {}
    pub(crate) trait PartialEq {}
    pub(crate) trait Send {}
    pub(crate) trait Sync {}
    pub(crate) trait Sized {}
    pub(crate) trait Fn {}
    pub(crate) trait Phase {}
    pub(crate) trait Class {}
    pub(crate) trait Object {}
    pub(crate) trait Kernel {}
    pub(crate) trait Method {}
    pub(crate) trait Opaque {}
    pub(crate) mod core {}
    pub(crate) mod std {}
    pub(crate) mod alloc {}
    pub(crate) mod rt {}
    pub(crate) mod ikra {}

    #[derive(::core::clone::Clone, ::core::marker::Copy, Value)]
    #[repr(C)]
    pub(crate) struct Pair {
        pub(crate) first: f32,
        pub(crate) second: f32,
    }

    /// Fields whose names occur in the definition of views and refs.
    #[soa_class]
    pub(crate) struct P {
        pub(crate) object: u32,
        pub(crate) index: u32,
        pub(crate) table: u32,
        pub(crate) view: u32,
        pub(crate) f0: u32,
        pub(crate) f1: u32,
        pub(crate) f: u32,
        pub(crate) w: u32,
        pub(crate) link: u32,
        pub(crate) handle: u32,
        pub(crate) read: u32,
        #[soa(flatten)]
        pub(crate) pair: Pair,
        pub(crate) other: IkraLink<P>,
    }

    #[soa_methods]
    impl P {
        #[kernel]
        pub(crate) fn run(&mut self, view: u32, arg0: u32, other: Ref<P>) {
            self.object += view + arg0 + other.index();
        }
        #[kernel(pairs)]
        pub(crate) fn pairs(&mut self, view: Ref<P>, other: u32, arg1: u32) {
            self.view += view.table() + other + arg1;
        }
        #[kernel]
        pub(crate) fn call(&mut self, view: u32) {
            self.f += view;
        }
        pub(crate) fn looks(&self, arg1: u32, arg0: u32) -> u32 {
            self.index * arg1 + arg0
        }
        #[kernel]
        pub(crate) fn construct(arg0: u32, id: u32, view: u32) -> Self {
            let other = IkraLink::from_id(1).unwrap();
            Self {
                object: arg0,
                index: id,
                table: view,
                view: 0,
                f0: 0,
                f1: 0,
                f: 0,
                w: 0,
                link: 0,
                handle: 0,
                read: 0,
                pair: Pair { first: 0.0, second: 0.0 },
                other,
            }
        }
        #[kernel]
        pub(crate) fn generic<T: ::core::convert::Into<u32>, W>(&mut self, p: T, _: W) {
            self.w += p.into();
        }
    }

    #[soa_world]
    pub(crate) struct World {
        pub(crate) state: Objects<P>,
    }

    #[test]
    fn shadows() {
        let mut world = World::new();
        let links = world.construct(2, P::construct, (3, 5)).unwrap();
        assert_eq!(links.len(), 2);
        let first = IkraLink::<P>::from_id(1).unwrap();
        world.execute(P::run, (1, 2, first));
        world.execute(P::call, 4);
        world.execute(P::generic, (5_u8, ()));
        world.execute_pairs(P::pairs, (10, 20));
        let object = world.get(first);
        assert_eq!((object.object(), object.f(), object.w()), (6, 4, 5));
        assert_eq!(world.state.column(p::view), [70, 70]);
        // `Pair` is not `Debug`.
        assert!(format!("{:?}", world.get_mut(first)).ends_with("read: 0, pair: _, other: P#1 }"));
    }
}

/// Classes that use `Self` in their fields, and deprecated fields: only uses of these fields cause warnings.
mod itself {
    use ikra::prelude::*;

    #[soa_class]
    struct Node {
        next: Option<Link<Self>>,
        around: [Option<Link<Self>>; 2],
        #[inline_array]
        slots: [Link<Self>; 2],
        #[inline_array(1)]
        others: InnerArray<Link<Self>>,
        #[atomic]
        last: Option<Link<Self>>,
        #[deprecated = "use `number`"]
        old: u32,
        number: u32,
    }

    #[soa_methods]
    impl Node {
        fn alone(number: u32) -> Self {
            let itself = Link::from_id(1).unwrap();
            let others = InnerArray::from([itself]);
            #[allow(deprecated, reason = "there is no other way")]
            Self { next: None, around: [None; 2], slots: [itself; 2], others, last: None, old: 7, number }
        }
        #[kernel]
        fn ask(&mut self) {
            let next = self.next.map_or(0, |next| next.doubled());
            let around = self.around[1].map_or(0, |other| other.doubled());
            let slots: u32 = self.slots.iter().map(|other| other.doubled()).sum();
            let others: u32 = self.others.iter().map(|other| other.doubled()).sum();
            self.last.store(self.next.map(|next| next.link()));
            self.number = next + around + slots + others;
        }
        fn doubled(&self) -> u32 {
            2 * self.secret()
        }
        fn secret(&self) -> u32 {
            5 + u32::from(self.around[0].is_some())
        }
    }

    #[soa_world]
    struct Nodes {
        nodes: Objects<Node>,
    }

    #[test]
    fn itself() {
        let mut world = Nodes::new();
        let first = world.nodes.push(Node::alone(1)).unwrap();
        let row = Node { next: Some(first), around: [None, Some(first)], ..Node::alone(2) };
        let second = world.nodes.push(row).unwrap();
        world.execute(Node::ask, ());
        assert_eq!((world.get(first).number(), world.get(second).number()), (30, 50));
        assert_eq!(world.get(second).last().load(), Some(first));
    }

    #[test]
    fn arrays_are_ordered() {
        let [low, high] = [[1, 2], [1, 3]].map(InnerArray::from);
        assert!(low < high && low.cmp(&high) == std::cmp::Ordering::Less);
    }
}
