//! What method bodies may contain: ordinary Rust, left as it is.
#![allow(missing_docs, unreachable_pub, reason = "a test, not a library")]
#![forbid(unsafe_code)]

use ikra::prelude::*;

mod bodies {
    #![allow(
        clippy::assign_op_pattern,
        clippy::deref_addrof,
        clippy::eq_op,
        clippy::useless_vec,
        clippy::wrong_self_convention,
        reason = "unusual code is the point"
    )]
    use super::*;

    #[soa_class]
    #[derive(Clone, Debug, PartialEq)]
    pub struct Particle {
        pub pos: [f32; 2],
        pub mass: f32,
        pub hits: u32,
        pub state: State,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Value)]
    #[repr(u8)]
    pub enum State {
        Still,
        Moving,
    }

    impl State {
        fn toggle(&mut self) {
            *self = match self {
                Self::Still => Self::Moving,
                Self::Moving => Self::Still,
            };
        }
    }

    macro_rules! double {
        ($place:expr) => {
            $place * 2.0
        };
    }
    macro_rules! increment {
        ($place:expr) => {
            $place += 1
        };
    }
    /// Expands to a field that its caller does not name.
    macro_rules! mass_beside {
        ($object:ident . $field:ident) => {
            $object.mass + $object.$field as f32
        };
    }

    #[soa_methods]
    impl Particle {
        pub const LIMIT: f32 = 8.0;
        const HALF: f32 = Self::LIMIT / 2.0;

        pub fn new(mass: f32) -> Self {
            Self { pos: [0.0; 2], mass, hits: 0, state: State::Still }
        }
        pub fn at_origin(&self) -> bool {
            self.pos == [0.0; 2]
        }
        pub const fn limit(factor: f32) -> f32 {
            Self::HALF * factor
        }

        // Generic methods, `impl Trait`, closures, references.
        pub fn scaled<T: Into<f32> + Copy>(&self, by: T) -> f32 {
            self.mass * by.into()
        }
        pub fn mapped(&self, f: impl Fn(f32) -> f32) -> f32 {
            f(self.mass)
        }
        #[kernel]
        pub fn apply(&mut self, f: impl Fn(f32) -> f32 + Copy + Send + Sync) {
            self.mass = f(self.mass);
        }
        #[kernel]
        pub fn apply_both<F, G>(&mut self, f: F, g: G)
        where
            F: Fn(f32) -> f32,
            G: Fn(f32) -> f32,
        {
            self.mass = g(f(self.mass));
        }
        #[kernel]
        pub fn from_table(&mut self, table: &[f32]) {
            self.mass = table[self.hits as usize];
        }
        #[kernel]
        pub fn from_tables<'t>(&mut self, table: &'t [f32], other: &[f32; 2], scale: f32) {
            let pick: &'t f32 = &table[0];
            self.mass = (*pick + other[1]) * scale;
        }
        #[kernel]
        pub fn add_all<const N: usize>(&mut self, terms: [f32; N]) {
            for term in terms {
                self.mass += term;
            }
        }

        // Control flow.
        #[kernel]
        pub fn early(&mut self) {
            if self.mass > 5.0 {
                return;
            }
            self.hits += 1;
        }
        #[kernel]
        pub fn question_mark(&mut self, divisor: u32) -> Option<()> {
            self.hits = 7;
            let n = 10_u32.checked_div(divisor)?;
            self.hits = n;
            Some(())
        }
        #[kernel]
        pub fn patterns(&mut self) {
            self.hits = match (self.state, self.pos) {
                (State::Still, [x, _]) if x > 0.0 => 1,
                (State::Still, _) => 2,
                (State::Moving, [.., y]) => y as u32,
            };
            let [x, y] = &mut self.pos;
            std::mem::swap(x, y);
        }
        #[kernel]
        pub fn labelled(&mut self) {
            'outer: loop {
                while self.hits < 100 {
                    self.hits += 10;
                    if self.hits >= 40 {
                        break 'outer;
                    }
                }
            }
        }

        // `self` as a whole.
        #[kernel]
        pub fn alias(&mut self) {
            let s = self;
            s.hits += 1;
            s.mass *= 2.0;
        }
        #[kernel]
        pub fn destructure(&mut self) {
            let Self { pos, mass, .. } = self;
            pos[0] = *mass;
        }
        #[kernel]
        pub fn destructure_all(&mut self) {
            let Self { pos: _, mass, hits, state } = self;
            if let State::Still = state {
                *hits = *mass as u32;
            }
        }
        pub fn reading_pattern(&self) -> f32 {
            let Self { mass, pos: [x, _], .. } = *self;
            mass + x
        }
        #[kernel]
        pub fn by_free_function(&mut self) {
            heavier(self);
            self.hits = count(&*self);
        }
        #[kernel]
        pub fn by_closure(&mut self) {
            let mut add = |n: u32| self.hits += n;
            add(1);
            add(2);
        }
        #[kernel]
        pub fn destructuring_assignment(&mut self) {
            (self.mass, self.hits) = (3.0, 4);
            [self.pos[0], _] = [5.0, 6.0];
        }
        #[kernel]
        pub fn parenthesised(&mut self) {
            (self.mass) += 1.0;
            (self.pos)[1] = 2.0;
            *(&mut self.hits) += 3;
        }

        // Macros.
        #[kernel]
        pub fn in_macros(&mut self) {
            assert!(self.mass > 0.0, "mass of {self:?}");
            assert_eq!(self.hits, self.hits);
            if matches!(self.state, State::Still) {
                self.mass = double!(self.mass);
            }
            let [a, b] = [vec![self.mass][0], self.mass];
            self.pos = [a, b];
        }
        pub fn debug(&self) -> String {
            format!("{self:?}")
        }
        pub fn debug_spaced(&self) -> String {
            format!("{self :?}|{{self}}|{0}", 1)
        }
        pub fn beside(&self) -> f32 {
            mass_beside!(self.hits)
        }
        #[kernel(writes(hits))]
        pub fn declared(&mut self) {
            increment!(self.hits);
        }
        #[kernel]
        pub fn undeclared_in_macro(&mut self) {
            increment!(self.hits);
        }
        #[kernel]
        pub fn undeclared(&mut self) {
            self.state.toggle();
        }
        #[kernel(writes(state))]
        pub fn declared_toggle(&mut self) {
            self.state.toggle();
        }

        // Items within bodies, raw spelling of a name, shadowing.
        #[kernel]
        pub fn nested_items(&mut self) {
            struct Counter(u32);
            impl Counter {
                fn next(&mut self) -> &mut Self {
                    self.0 += 1;
                    self
                }
                const fn new() -> Self {
                    Self(0)
                }
            }
            fn twice(x: u32) -> u32 {
                x * 2
            }
            let mut hits = Counter::new();
            self.r#hits += twice(hits.next().next().0);
        }

        // Conditional compilation.
        #[kernel]
        pub fn conditional(&mut self) {
            self.platform();
        }
        #[cfg(target_pointer_width = "64")]
        fn platform(&mut self) {
            self.hits = 64;
        }
        #[cfg(not(target_pointer_width = "64"))]
        fn platform(&mut self) {
            self.mass = 32.0;
        }
        #[cfg(any())]
        #[kernel]
        pub fn never(&mut self) {
            self.missing();
        }
        #[cfg(any())]
        #[kernel]
        pub fn never_made(id: u32) -> Self {
            Self::missing(id)
        }

        // Methods that call each other.
        #[kernel]
        pub fn even(&mut self, n: u32) {
            if n > 0 {
                self.odd(n - 1);
            }
        }
        pub fn odd(&mut self, n: u32) {
            self.hits += 1;
            if n > 0 {
                self.even(n - 1);
            }
        }
        #[kernel]
        pub fn ping(&mut self, n: u32) {
            self.hits += 1;
            if n > 0 {
                self.pong(n - 1);
            }
        }
        pub fn total(&self, n: u32) -> f32 {
            if n == 0 { self.mass } else { self.total_and(n - 1) }
        }
    }

    /// Another block, in the same module: in a cycle with the first.
    #[soa_methods]
    impl Particle {
        pub fn pong(&mut self, n: u32) {
            self.mass += 1.0;
            if n > 0 {
                self.ping(n - 1);
            }
        }
        pub fn total_and(&self, n: u32) -> f32 {
            if n == 0 { self.hits as f32 } else { self.total(n - 1) }
        }
    }

    fn heavier<P: ikra::Phase>(particle: &mut ParticleMut<'_, P>) {
        particle.mass += 1.0;
    }
    fn count<P: ikra::Phase>(particle: &ParticleMut<'_, P>) -> u32 {
        particle.mass as u32
    }

    #[soa_world]
    pub struct World1 {
        pub particles: Objects<Particle>,
    }

    fn one(mass: f32) -> (World1, Link<Particle>) {
        let mut world = World1::new();
        let link = world.particles.push(Particle::new(mass)).unwrap();
        (world, link)
    }

    #[test]
    fn generic_and_impl_trait() {
        let (mut w, p) = one(2.0);
        assert_eq!(w.get(p).scaled(3.0_f32), 6.0);
        assert_eq!(w.get(p).scaled(2_u8), 4.0);
        let offset = 1.5;
        assert_eq!(w.get(p).mapped(|m| m + offset), 3.5);
        w.execute(Particle::apply, |m: f32| m + offset);
        assert_eq!(w.get(p).mass(), 3.5);
        w.execute(Particle::apply_both, (|m: f32| m * 2.0, |m: f32| m + 1.0));
        assert_eq!(w.get(p).mass(), 8.0);
        let table = vec![9.0, 1.0];
        w.execute(Particle::from_table, &table[..]);
        assert_eq!(w.get(p).mass(), 9.0);
        w.execute(Particle::from_tables, (&table[..], &[1.0, 2.0], 2.0));
        assert_eq!(w.get(p).mass(), 22.0);
        w.execute(Particle::add_all, [1.0, 2.0, 3.0]);
        assert_eq!(w.get(p).mass(), 28.0);
        assert_eq!((Particle::limit(2.0), Particle::LIMIT), (8.0, 8.0));
        assert!(w.get(p).at_origin());
    }

    #[test]
    fn control_flow() {
        let (mut w, p) = one(2.0);
        w.execute(Particle::early, ());
        assert_eq!(w.get(p).hits(), 1);
        w.get_mut(p).mass = 6.0;
        w.execute(Particle::early, ());
        assert_eq!(w.get(p).hits(), 1);
        w.execute(Particle::question_mark, 0);
        assert_eq!(w.get(p).hits(), 7);
        w.execute(Particle::question_mark, 2);
        assert_eq!(w.get(p).hits(), 5);
        w.get_mut(p).pos = [1.0, 4.0];
        w.execute(Particle::patterns, ());
        assert_eq!((w.get(p).hits(), w.get(p).pos()), (1, [4.0, 1.0]));
        w.execute(Particle::labelled, ());
        assert_eq!(w.get(p).hits(), 41);
    }

    #[test]
    fn whole_self() {
        let (mut w, p) = one(2.0);
        w.execute(Particle::alias, ());
        assert_eq!((w.get(p).hits(), w.get(p).mass()), (1, 4.0));
        w.execute(Particle::destructure, ());
        assert_eq!(w.get(p).pos(), [4.0, 0.0]);
        w.execute(Particle::destructure_all, ());
        assert_eq!(w.get(p).hits(), 4);
        assert_eq!(w.get(p).reading_pattern(), 8.0);
        w.execute(Particle::by_free_function, ());
        assert_eq!((w.get(p).hits(), w.get(p).mass()), (5, 5.0));
        w.execute(Particle::by_closure, ());
        assert_eq!(w.get(p).hits(), 8);
        w.execute(Particle::destructuring_assignment, ());
        assert_eq!((w.get(p).hits(), w.get(p).mass(), w.get(p).pos()[0]), (4, 3.0, 5.0));
        w.execute(Particle::parenthesised, ());
        assert_eq!((w.get(p).hits(), w.get(p).mass(), w.get(p).pos()[1]), (7, 4.0, 2.0));
    }

    #[test]
    fn macros() {
        let (mut w, p) = one(2.0);
        w.execute(Particle::in_macros, ());
        assert_eq!((w.get(p).mass(), w.get(p).pos()), (4.0, [4.0, 4.0]));
        let shown = "Particle { pos: [4.0, 4.0], mass: 4.0, hits: 0, state: Still }";
        assert_eq!(w.get(p).debug(), shown);
        assert_eq!(w.get(p).debug_spaced(), format!("{shown}|{{self}}|1"));
        assert_eq!(format!("{:?}", w.get_mut(p)), shown);
        assert_eq!(w.get(p).beside(), 4.0);
        w.execute(Particle::declared, ());
        assert_eq!(w.get(p).hits(), 1);
        w.execute(Particle::declared_toggle, ());
        assert_eq!(w.get(p).state(), State::Moving);
    }

    #[test]
    #[should_panic(expected = "write `#[kernel(writes(hits))]`")]
    fn undeclared_write_in_a_macro_is_loud() {
        let (mut w, _) = one(2.0);
        w.execute(Particle::undeclared_in_macro, ());
    }

    #[test]
    #[should_panic(expected = "kernel `Particle::undeclared` changed `Particle::state`")]
    fn undeclared_write_is_loud() {
        let (mut w, _) = one(2.0);
        w.execute(Particle::undeclared, ());
    }

    #[test]
    fn items_and_recursion() {
        let (mut w, p) = one(2.0);
        w.execute(Particle::conditional, ());
        assert!(w.get(p).hits() == 64 || w.get(p).mass() == 32.0);
        w.get_mut(p).hits = 0;
        w.execute(Particle::nested_items, ());
        assert_eq!(w.get(p).hits(), 4);
        w.execute(Particle::even, 4);
        assert_eq!(w.get(p).hits(), 6);
        w.execute(Particle::ping, 3);
        assert_eq!((w.get(p).hits(), w.get(p).mass()), (8, 4.0));
        assert_eq!((w.get(p).total(2), w.get(p).total(3)), (4.0, 8.0));
        let row = w.particles.read(p).unwrap();
        assert_eq!(row, Particle { mass: 4.0, hits: 8, ..Particle::new(0.0) });
    }
}

mod modules {
    pub mod model {
        use ikra::prelude::*;

        #[soa_class]
        pub struct Account {
            pub balance: i64,
            secret: u32,
        }

        #[soa_methods]
        impl Account {
            pub fn new(balance: i64) -> Self {
                Self { balance, secret: 42 }
            }
            pub fn code(&self) -> u32 {
                self.secret + 1
            }
            #[kernel]
            pub fn rotate(&mut self) {
                self.secret = self.code();
                self.deposit_twice(1);
            }
        }

        mod inside {
            #[ikra::soa_methods]
            impl super::Account {
                /// By a path, with nothing imported.
                pub fn sees_private(&self, other: Ref<super::Account>) -> u32 {
                    self.secret + other.secret()
                }
            }
        }
    }

    mod elsewhere {
        use super::model::{Account, AccountMut, AccountRef};
        use ikra::prelude::*;

        #[soa_methods]
        impl Account {
            pub fn deposit_twice(&mut self, n: i64) {
                self.balance += n;
                self.balance += n;
            }
            #[kernel]
            pub fn interest(&mut self) {
                self.deposit_twice(self.code() as i64);
            }
        }
    }

    use ikra::prelude::*;

    #[soa_world]
    pub struct Bank {
        pub accounts: Objects<model::Account>,
    }

    #[test]
    fn blocks_in_several_modules() {
        let mut bank = Bank::new();
        let a = bank.accounts.push(model::Account::new(10)).unwrap();
        bank.execute(model::Account::rotate, ());
        assert_eq!((bank.get(a).balance(), bank.get(a).code()), (12, 44));
        bank.execute(model::Account::interest, ());
        assert_eq!(bank.get(a).balance(), 100);
        assert_eq!(bank.get(a).sees_private(bank.get(a)), 86);
    }
}

mod graphs {
    use super::*;

    /// Two classes that refer to each other.
    #[soa_class]
    #[derive(Clone, Debug)]
    pub struct Node {
        pub value: i32,
        pub next: Option<Link<Node>>,
        pub edge: Link<Edge>,
        pub around: [Option<Link<Node>>; 2],
        pub sum: i32,
    }

    #[soa_class]
    #[derive(Clone, Debug)]
    pub struct Edge {
        pub length: f32,
        pub from: Link<Node>,
        pub ends: [Link<Node>; 2],
        pub seen: u32,
    }

    #[soa_methods]
    impl Node {
        /// On the row, and generic over the phase of what it is given.
        pub fn difference(a: Ref<Node>, b: Option<Ref<Self>>) -> i32 {
            a.value() - b.map_or(0, |b| b.value())
        }
        #[kernel]
        pub fn compare(&mut self) {
            let own = self.resolve(self.link());
            self.sum = Self::difference(own, self.next);
        }
        pub fn reach(&self, scale: f32) -> f32 {
            self.edge.length() * scale
        }
        pub fn generic<T: From<i32>>(&self) -> T {
            T::from(self.value)
        }
        pub fn next_value(&self) -> Option<i32> {
            Some(self.next?.value())
        }
        #[kernel]
        pub fn gather(&mut self) {
            self.sum = self.around.iter().flatten().map(|node| node.value()).sum();
            if let Some(next) = self.next {
                self.sum += 100 * next.generic::<i32>() + next.edge().length() as i32;
            }
            self.sum += self.edge.from().value() * 10_000;
        }
        #[kernel]
        pub fn skip(&mut self, other: Ref<Node>) {
            self.next = Some(other);
            self.around[1] = None;
        }
        #[kernel(snapshot(next))]
        pub fn leap(&mut self) {
            self.next = self.next.and_then(|next| next.next());
        }
        #[kernel]
        pub fn relink(&mut self) {
            let edge = self.edge;
            self.next = Some(self.resolve(edge.from().link()));
            self.edge = self.all::<Edge>().next().unwrap();
        }
        #[kernel(pairs)]
        pub fn survey(&mut self, edge: Ref<Edge>, weight: i32) {
            self.sum += weight * edge.length() as i32;
            if edge.ends()[0] == self.resolve(self.link()) {
                self.sum += 1000;
            }
        }
        #[kernel(pairs)]
        pub fn meet(&mut self, node: Ref<Self>) {
            self.sum += node.value();
        }
    }

    #[soa_methods]
    impl Edge {
        #[kernel]
        pub fn look(&mut self) {
            let from: Ref<Node> = self.from;
            self.seen = from.reach(2.0) as u32 + from.next().map_or(0, |node| node.value() as u32);
            for end in self.ends {
                self.seen += end.value() as u32;
            }
        }
    }

    #[soa_world]
    pub struct Graph {
        pub nodes: Objects<Node>,
        pub edges: Objects<Edge>,
    }

    fn graph() -> (Graph, Vec<Link<Node>>, Link<Edge>) {
        let mut graph = Graph::new();
        let nodes: Vec<_> = graph.nodes.reserve(3).unwrap().collect();
        let edge = graph.edges.push(Edge { length: 3.0, from: nodes[0], ends: [nodes[1], nodes[2]], seen: 0 }).unwrap();
        for (n, &node) in nodes.iter().enumerate() {
            let next = Some(nodes[(n + 1) % 3]);
            let around = [next, Some(nodes[(n + 2) % 3])];
            let row = Node { value: n as i32 + 1, next, edge, around, sum: 0 };
            graph.nodes.init(node, row).unwrap();
        }
        (graph, nodes, edge)
    }

    #[test]
    fn links_are_refs() {
        let (mut g, n, e) = graph();
        assert_eq!(g.get(n[0]).reach(2.0), 6.0);
        assert_eq!(g.get(n[2]).generic::<i64>(), 3);
        assert_eq!(g.get(n[2]).next_value(), Some(1));
        g.execute(Node::gather, ());
        assert_eq!(g.nodes.column(node::sum), [10_208, 10_307, 10_106]);
        g.execute(Edge::look, ());
        assert_eq!(g.get(e).seen(), 6 + 2 + 5);
        g.execute(Node::leap, ());
        assert_eq!(g.get(n[0]).next().map(|node| node.link()), Some(n[2]));
        g.execute(Node::skip, n[1]);
        assert_eq!(g.get(n[0]).next_value(), Some(2));
        assert_eq!(g.get(n[0]).around()[1], None);
        g.execute(Node::relink, ());
        assert_eq!(g.get(n[2]).next_value(), Some(1));
        assert_eq!(format!("{:?}", g.get_mut(n[1]).edge), "Edge#1");
        g.execute(Node::compare, ());
        assert_eq!(g.nodes.column(node::sum), [0, 1, 2]);
        assert_eq!(Node::difference(g.get(n[2]), Some(g.get(n[0]))), 2);
    }

    #[test]
    fn pairs_with_another_class() {
        let (mut g, ..) = graph();
        g.execute_pairs(Node::survey, 2);
        assert_eq!(g.nodes.column(node::sum), [6, 1006, 6]);
        g.execute_pairs(Node::meet, ());
        assert_eq!(g.nodes.column(node::sum), [12, 1012, 12]);
    }
}

mod names {
    use super::*;

    /// `move` in snake case is a keyword.
    #[soa_class]
    pub struct Move {
        pub r#type: u32,
        pub r#match: f32,
        pub plain: u32,
    }

    #[soa_methods]
    impl Move {
        #[kernel]
        pub fn r#loop(&mut self, r#in: u32) {
            self.r#type += r#in;
            self.r#yield();
        }
        fn r#yield(&mut self) {
            self.r#match = self.r#type as f32;
        }
        #[kernel(writes(r#type, plain), snapshot(r#match))]
        pub fn r#fn(&mut self) {
            self.r#match += 1.0;
            self.r#plain += 1;
        }
        #[kernel(reduce(Sum))]
        pub fn r#struct(&self) -> u32 {
            self.r#type
        }
        #[kernel]
        pub fn r#enum(id: u32) -> Self {
            Self { r#type: id, r#match: 0.0, plain: 0 }
        }
    }

    #[soa_world]
    pub struct Game {
        pub r#mod: Objects<Move>,
    }

    #[test]
    fn raw_identifiers() {
        let mut game = Game::new();
        game.construct(3, Move::r#enum, ()).unwrap();
        game.execute(Move::r#loop, 2);
        game.execute(Move::r#fn, ());
        assert_eq!(game.execute_and_reduce(Move::r#struct, (), Sum), 9);
        assert_eq!(game.r#mod.column(r#move::r#match), [3.0, 4.0, 5.0]);
        let shown = format!("{:?}", game.get_mut(Link::from_id(1).unwrap()));
        assert_eq!(shown, "Move { type: 2, match: 3.0, plain: 1 }");
    }
}

mod reductions {
    use super::*;

    /// The two largest values.
    #[derive(Clone, Copy)]
    pub struct Top2;
    impl Reducer<[u32; 2]> for Top2 {
        fn identity(&self) -> [u32; 2] {
            [0; 2]
        }
        fn combine(&self, a: [u32; 2], b: [u32; 2]) -> [u32; 2] {
            let mut all = [a[0], a[1], b[0], b[1]];
            all.sort_unstable();
            [all[3], all[2]]
        }
    }

    #[derive(Clone, Copy, Debug, PartialEq, Value)]
    #[repr(C)]
    pub struct Span {
        pub low: f32,
        pub high: f32,
    }

    #[soa_class]
    pub struct Item {
        pub n: u32,
        #[soa(flatten)]
        pub span: Span,
    }

    #[soa_methods]
    impl Item {
        #[kernel]
        pub fn spawn(id: u32, first: u32, step: &[u32], span: Span) -> Self {
            Self { n: first + step[id as usize % step.len()] * id, span }
        }
        #[kernel]
        pub fn fresh(id: u32) -> Item {
            Item { n: id, span: Span { low: 0.0, high: 0.0 } }
        }
        #[kernel(reduce(Top2))]
        pub fn top(&self) -> [u32; 2] {
            [self.n, 0]
        }
        #[kernel(reduce(Sum, Max))]
        pub fn bump(&mut self, by: u32) -> u32 {
            self.n += by;
            self.span.low -= 1.0;
            self.span.high += self.n as f32;
            self.n
        }
        #[kernel(reduce(All, Any))]
        pub fn wide(&self, than: f32) -> bool {
            self.span.high - self.span.low > than
        }
    }

    #[soa_world]
    pub struct Store {
        pub items: Objects<Item>,
    }

    #[test]
    fn constructors_and_reducers() {
        let mut store = Store::new();
        let step = [1, 2];
        store.construct(4, Item::spawn, (10, &step[..], Span { low: 0.0, high: 1.0 })).unwrap();
        assert_eq!(store.items.column(item::n), [10, 12, 12, 16]);
        assert_eq!(store.execute_and_reduce(Item::top, (), Top2), [16, 12]);
        assert_eq!(store.execute_and_reduce(Item::bump, 1, Sum), 54);
        assert_eq!(store.execute_and_reduce(Item::bump, 0, Max), 17);
        assert!(store.execute_and_reduce(Item::wide, 1.0, All));
        assert!(!store.execute_and_reduce(Item::wide, 1e6, Any));
        store.construct(1, Item::fresh, ()).unwrap();
        assert_eq!(store.items.len(), 5);
        assert_eq!(store.get(Link::from_id(1).unwrap()).span().low, -2.0);
    }
}

mod atomics {
    use super::*;

    #[soa_class]
    pub struct Place {
        #[atomic]
        pub a: u32,
        #[atomic]
        pub b: i32,
        #[atomic]
        pub c: u64,
        #[atomic]
        pub d: i64,
        #[atomic]
        pub e: f32,
        #[atomic]
        pub f: f64,
        #[atomic]
        pub g: bool,
        #[atomic]
        pub owner: Option<Link<Walker>>,
        #[atomic]
        pub best: Link<Walker>,
    }

    #[soa_class]
    pub struct Walker {
        pub goal: Link<Place>,
        pub won: bool,
    }

    #[soa_methods]
    impl Walker {
        #[kernel]
        pub fn claim(&self) {
            let goal = self.goal;
            goal.a().fetch_add(1);
            goal.b().fetch_sub(1);
            goal.c().fetch_max(7);
            goal.d().fetch_min(-7);
            goal.e().fetch_add(0.5);
            goal.f().fetch_add(0.25);
            goal.g().store(true);
            goal.owner().claim(self.link());
            goal.best().fetch_min(self.link());
        }
        #[kernel]
        pub fn check(&mut self) {
            self.won = self.goal.owner().load() == Some(self.link());
        }
    }

    #[soa_methods]
    impl Place {
        #[kernel]
        pub fn clear(&mut self) {
            self.owner.store(None);
            self.a.store(0);
        }
    }

    #[soa_world]
    pub struct Field {
        pub places: Objects<Place>,
        pub walkers: Objects<Walker>,
    }

    #[test]
    fn every_atomic() {
        let mut field = Field::new();
        let walkers: Vec<_> = field.walkers.reserve(10).unwrap().collect();
        let place = Place { a: 0, b: 0, c: 0, d: 0, e: 0.0, f: 0.0, g: false, owner: None, best: walkers[9] };
        let place = field.places.push(place).unwrap();
        for &walker in &walkers {
            field.walkers.init(walker, Walker { goal: place, won: false }).unwrap();
        }
        field.execute(Walker::claim, ());
        field.execute(Walker::check, ());
        let row = field.places.read(place).unwrap();
        assert_eq!((row.a, row.b, row.c, row.d), (10, -10, 7, -7));
        assert_eq!((row.e, row.f, row.g), (5.0, 2.5, true));
        assert_eq!((row.owner, row.best), (Some(walkers[0]), walkers[0]));
        let won: Vec<_> = field.walkers.iter().map(|walker| walker.won).collect();
        assert_eq!(won, [true, false, false, false, false, false, false, false, false, false]);
        field.execute(Place::clear, ());
        assert_eq!(field.get(place).owner().load(), None);
    }
}

/// As in doc tests.
#[test]
fn classes_in_a_function() {
    #[soa_class]
    #[derive(Debug)]
    struct Local {
        n: u32,
        twin: Option<Link<Local>>,
    }

    #[soa_methods]
    impl Local {
        #[kernel]
        fn grow(&mut self, by: u32) {
            self.n += by;
            self.shrink();
        }
        #[kernel(reduce(Sum))]
        fn twin_size(&self) -> u32 {
            self.twin.map_or(0, |twin| twin.size())
        }
        fn size(&self) -> u32 {
            self.n
        }
    }

    #[soa_methods]
    impl Local {
        fn shrink(&mut self) {
            self.n -= 1;
        }
    }

    #[soa_world]
    struct Tiny {
        locals: Objects<Local>,
    }

    let mut tiny = Tiny::new();
    let first = tiny.locals.push(Local { n: 1, twin: None }).unwrap();
    tiny.locals.push(Local { n: 2, twin: Some(first) }).unwrap();
    tiny.execute(Local::grow, 10);
    assert_eq!(tiny.execute_and_reduce(Local::twin_size, (), Sum), 10);
}

/// A method that no block knows, of a trait for the view.
mod foreign {
    use super::*;

    #[soa_class]
    pub struct Cell {
        pub n: u32,
        pub m: u32,
    }

    trait Tidy {
        fn tidy(&mut self);
    }
    impl<P: ikra::Phase> Tidy for CellMut<'_, P> {
        fn tidy(&mut self) {
            self.n = self.m;
        }
    }

    #[soa_methods]
    impl Cell {
        #[kernel]
        pub fn clean(&mut self) {
            self.tidy();
        }
    }

    #[soa_world]
    pub struct Cells {
        pub cells: Objects<Cell>,
    }

    #[test]
    fn trait_methods() {
        let mut cells = Cells::new();
        let cell = cells.cells.push(Cell { n: 1, m: 2 }).unwrap();
        cells.execute(Cell::clean, ());
        assert_eq!(cells.get(cell).n(), 2);
    }
}
