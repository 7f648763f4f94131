//! All syntax that the bodies of methods may contain.

use ikra::prelude::*;
use ikra::{Error, Phase};

/// A struct whose own methods change it.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Counter {
    pub hits: u32,
    pub last: f32,
}

impl Counter {
    pub fn hit(&mut self, at: f32) {
        self.hits += 1;
        self.last = at;
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Value)]
#[repr(u8)]
pub enum Kind {
    Small,
    Large,
}

/// Uses a different field than its argument.
macro_rules! pick {
    ($own:ident . $field:ident) => {
        $own.mass
    };
}

macro_rules! double {
    ($place:expr) => {
        $place *= 2.0
    };
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Agent {
    /// Where it is.
    pub pos: [f32; 3],
    vel: [f32; 3],
    pub mass: f32,
    pub kind: Kind,
    pub counter: Counter,
    #[soa(flatten)]
    pub flat: Counter,
    pub next: Option<Link<Agent>>,
    pub home: Link<Home>,
    pub friends: [Link<Agent>; 2],
    pub r#type: u8,
    pub score: f32,
}

#[soa_class]
#[derive(Clone, Debug)]
pub struct Home {
    pub size: f32,
    pub owner: Option<Link<Agent>>,
    #[atomic]
    pub visits: u32,
    #[atomic]
    pub guest: Option<Link<Agent>>,
    #[atomic]
    pub weight: f64,
    #[atomic]
    pub open: bool,
    #[atomic]
    pub balance: i64,
}

#[soa_methods]
impl Agent {
    /// A constant of the row.
    pub const LIMIT: f32 = 100.0;

    /// A constructor of the row.
    pub fn new(n: usize, home: Link<Home>, friends: [Link<Agent>; 2]) -> Self {
        let x = n as f32;
        Self {
            pos: [x, 0.0, -x],
            vel: [1.0, 2.0, 3.0],
            mass: 1.0 + x,
            kind: if n.is_multiple_of(2) { Kind::Small } else { Kind::Large },
            counter: Counter { hits: 0, last: 0.0 },
            flat: Counter { hits: n as u32, last: x },
            next: None,
            home,
            friends,
            r#type: 0,
            score: 0.0,
        }
    }

    pub fn speed(&self) -> f32 {
        self.vel.iter().map(|v| v * v).sum::<f32>().sqrt()
    }

    /// A generic `&self` method, also on a ref.
    pub fn scaled<T: Into<f32>>(&self, by: T) -> f32 {
        self.mass * by.into()
    }

    /// Calls itself.
    pub fn countdown(&self, n: u32) -> f32 {
        if n == 0 { self.mass } else { self.countup(n - 1) }
    }

    /// Calls back to the method above.
    pub fn countup(&self, n: u32) -> f32 {
        self.countdown(n)
    }

    #[kernel]
    pub fn step(&mut self, dt: f32) {
        for d in 0..3 {
            self.pos[d] += self.vel[d] * dt;
        }
    }

    #[kernel]
    pub fn several(&mut self, a: f32, (b, c): (f32, f32), names: &[f32]) {
        self.score = a + b + c + names.iter().sum::<f32>();
    }

    #[kernel]
    pub fn with_closure(&mut self, f: impl Fn(f32) -> f32) {
        self.score = f(self.mass);
    }

    #[kernel]
    pub fn with_generic<F>(&mut self, f: F)
    where
        F: Fn(f32) -> f32,
    {
        self.score = f(self.mass) + 1.0;
    }

    #[kernel]
    pub fn early(&mut self) {
        if self.mass > 2.0 {
            return;
        }
        self.score = 7.0;
    }

    #[kernel]
    pub fn question(&mut self) -> Option<()> {
        let next = self.next?;
        self.score = next.mass();
        Some(())
    }

    #[kernel]
    pub fn patterns(&mut self) {
        let Self { pos: [x, ..], kind, .. } = self;
        self.score = match (kind, *x) {
            (Kind::Small, x) if x > 1.0 => x,
            (Kind::Small, _) => -1.0,
            (Kind::Large, _) => -2.0,
        };
    }

    #[kernel]
    pub fn alias(&mut self) {
        let s = self;
        s.score = s.mass * 3.0;
    }

    #[kernel]
    pub fn macros(&mut self) {
        assert!(self.mass > 0.0, "mass {}", self.mass);
        debug_assert!(matches!(self.kind, Kind::Small | Kind::Large));
        self.score = [self.mass; 2].iter().sum();
        self.r#type = u8::from(self.kind == Kind::Large);
    }

    #[kernel]
    pub fn destructuring_assignment(&mut self) {
        (self.score, self.mass) = (self.mass, self.score);
    }

    #[kernel(writes(score))]
    pub fn hidden_declared(&mut self) {
        double!(self.score);
    }

    #[kernel]
    pub fn hidden(&mut self) {
        double!(self.score);
    }

    #[kernel]
    pub fn hidden_beside_reads(&mut self) {
        let _ = self.next.map(|next| next.score());
        double!(self.score);
    }

    #[kernel(writes(counter, flat))]
    pub fn own_method_declared(&mut self) {
        self.counter.hit(1.0);
        self.flat.hit(2.0);
    }

    #[kernel]
    pub fn through_helper(&mut self) {
        self.bump(2.0);
    }

    fn bump(&mut self, by: f32) {
        self.score += by;
    }

    #[kernel]
    pub fn follow(&mut self) {
        self.score = self.home.size() + self.friends[0].mass() + self.friends[1].scaled(2.0f32);
        if let Some(owner) = self.home.owner() {
            self.score += owner.speed();
        }
    }

    #[kernel]
    pub fn relink(&mut self) {
        let other = self.friends[1];
        self.next = Some(other);
        self.friends[0] = other;
    }

    #[kernel]
    pub fn with_object(&mut self, other: Ref<Agent>, extra: f32) {
        self.score = other.mass() + extra;
    }

    // The sum is of powers of two, which is not rounded.
    #[kernel(unordered(weight))]
    pub fn visit(&mut self) {
        let home: Ref<Home> = self.home;
        home.visits().add(1);
        home.guest().claim(self.link());
        home.weight().add(0.5);
        home.open().or(true);
        home.balance().sub(2);
    }

    #[kernel(pairs)]
    pub fn nearest(&mut self, other: Ref<Home>, offset: f32) {
        if self.score == 0.0 || other.size() < self.score {
            self.score = other.size() + offset;
        }
    }

    #[kernel(reduce(Sum, Min, Max))]
    pub fn weight(&self) -> f32 {
        self.mass
    }

    #[kernel(reduce(All, Any))]
    pub fn is_small(&self) -> bool {
        self.kind == Kind::Small
    }

    #[kernel]
    pub fn spawn(id: u32, home: Link<Home>, me: Link<Agent>) -> Self {
        Self::new(id as usize, home, [me, me])
    }

    pub fn described(&self) -> usize {
        let text = format!("{self:?}");
        text.len() + format!("{:?}", self).len()
    }

    #[kernel]
    pub fn r#match(&mut self) {
        self.r#type += 1;
        self.score = Self::LIMIT;
    }

    #[kernel]
    pub fn picked(&mut self) {
        self.score = pick!(self.score);
    }

    #[kernel]
    pub fn parenthesised(&mut self) {
        (self.pos)[0] = 5.0;
        let [Some(ref mut x), _] = [Some(&mut self.score), None] else { return };
        **x = 6.0;
    }

    #[kernel]
    pub fn nested(&mut self) {
        let mut add = |by: f32| self.score += by;
        add(1.0);
        add(2.0);
    }
}

#[soa_world]
pub struct Town {
    pub agents: Objects<Agent>,
    pub homes: Objects<Home>,
}

/// Methods of the same class in another module, which names the class by a path.
mod more {
    use ikra::prelude::*;

    #[soa_methods]
    impl super::Agent {
        #[kernel]
        #[allow(clippy::wrong_self_convention, reason = "as in `far away`, not as in a conversion")]
        pub fn from_afar(&mut self) {
            self.bump(self.speed());
            self.bump_twice();
        }

        pub(super) fn bump_twice(&mut self) {
            self.bump(1.0);
            self.bump(1.0);
        }
    }
}

/// Methods in a module that imports the class.
mod even_more {
    use super::{Agent, AgentMut, AgentRef};
    use ikra::prelude::*;

    #[soa_methods]
    impl Agent {
        #[kernel]
        pub fn imported(&mut self) {
            self.bump_twice();
        }
    }

    /// User functions can name views and refs.
    pub(super) fn helper<P: ikra::Phase>(a: &AgentMut<'_, P>, b: AgentRef<'_, P>) -> f32 {
        a.mass + b.mass()
    }
}

fn town() -> Result<Town, Error> {
    let mut town = Town::new();
    let homes: Vec<_> = town
        .homes
        .extend((0..3).map(|n| Home {
            size: n as f32,
            owner: None,
            visits: 0,
            guest: None,
            weight: 0.0,
            open: false,
            balance: 10,
        }))?
        .collect();
    let agents: Vec<_> = town.agents.reserve(10)?.collect();
    for (n, &agent) in agents.iter().enumerate() {
        let friends = [agents[(n + 1) % 10], agents[(n + 9) % 10]];
        town.agents.init(agent, Agent::new(n, homes[n % 3], friends))?;
    }
    town.homes.write(homes[1], Home { owner: Some(agents[4]), ..town.homes.read(homes[1])? })?;
    Ok(town)
}

fn scores(town: &Town) -> &[f32] {
    town.agents.column(agent::score)
}

#[test]
fn arguments() -> Result<(), Error> {
    let mut town = town()?;
    town.execute(Agent::several, (1.0, (2.0, 3.0), [4.0, 5.0].as_slice()));
    assert!(scores(&town).iter().all(|&score| score == 15.0));
    let offset = 0.5;
    town.execute(Agent::with_closure, |mass: f32| mass + offset);
    assert_eq!(scores(&town)[3], 4.5);
    town.execute(Agent::with_generic, |mass: f32| mass * 2.0);
    assert_eq!(scores(&town)[3], 9.0);
    let links: Vec<_> = town.agents.links().collect();
    town.execute(Agent::with_object, (links[5], 0.25));
    assert!(scores(&town).iter().all(|&score| score == 6.25));
    Ok(())
}

#[test]
fn control_flow() -> Result<(), Error> {
    let mut town = town()?;
    town.execute(Agent::early, ());
    assert_eq!(scores(&town)[..4], [7.0, 7.0, 0.0, 0.0]);
    town.execute(Agent::patterns, ());
    assert_eq!(scores(&town)[..4], [-1.0, -2.0, 2.0, -2.0]);
    town.execute(Agent::alias, ());
    assert_eq!(scores(&town)[2], 9.0);
    town.execute(Agent::relink, ());
    town.execute(Agent::question, ());
    assert_eq!(scores(&town)[2], 2.0);
    Ok(())
}

#[test]
fn tokens() -> Result<(), Error> {
    let mut town = town()?;
    town.execute(Agent::macros, ());
    assert_eq!(scores(&town)[1], 4.0);
    assert_eq!(town.agents.column(agent::r#type)[..2], [0, 1]);
    town.execute(Agent::destructuring_assignment, ());
    assert_eq!((scores(&town)[1], town.agents.column(agent::mass)[1]), (2.0, 4.0));
    town.execute(Agent::r#match, ());
    assert_eq!((scores(&town)[1], town.agents.column(agent::r#type)[1]), (Agent::LIMIT, 2));
    town.execute(Agent::nested, ());
    assert_eq!(scores(&town)[1], Agent::LIMIT + 3.0);
    town.execute(Agent::picked, ());
    assert_eq!(scores(&town)[1], town.agents.column(agent::mass)[1]);
    town.execute(Agent::parenthesised, ());
    assert_eq!((scores(&town)[1], town.agents.column(agent::pos)[1][0]), (6.0, 5.0));
    town.agents.column_mut(agent::score)[1] = Agent::LIMIT + 3.0;
    town.execute(Agent::through_helper, ());
    town.execute(Agent::from_afar, ());
    town.execute(Agent::imported, ());
    assert_eq!(scores(&town)[1], Agent::LIMIT + 3.0 + 2.0 + 14.0f32.sqrt() + 2.0 + 2.0);
    Ok(())
}

#[test]
fn hidden_writes() -> Result<(), Error> {
    let message = |kernel: fn(&mut Town)| {
        let mut town = town().unwrap();
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| kernel(&mut town))).unwrap_err();
        *panic.downcast::<String>().unwrap()
    };
    let found = message(|town| {
        town.agents.column_mut(agent::score).fill(1.0);
        town.execute(Agent::hidden_beside_reads, ());
    });
    assert!(
        found.contains("`Agent::hidden_beside_reads` changed `Agent::score`") && found.contains("writes(score)"),
        "{found}"
    );

    let mut town = town()?;
    town.agents.column_mut(agent::score).fill(1.5);
    town.execute(Agent::hidden_declared, ());
    assert_eq!(scores(&town)[0], 3.0);
    town.execute(Agent::hidden, ());
    assert_eq!(scores(&town)[0], 6.0);
    town.execute(Agent::own_method_declared, ());
    let agent = town.agents.iter().nth(4).unwrap();
    assert_eq!((agent.counter.hits, agent.flat), (1, Counter { hits: 5, last: 2.0 }));
    Ok(())
}

#[test]
fn other_objects() -> Result<(), Error> {
    let mut town = town()?;
    town.execute(Agent::follow, ());
    // Home 1 belongs to agent 4.
    assert_eq!(scores(&town)[4], 1.0 + 6.0 + 2.0 * 4.0 + 14.0f32.sqrt());
    assert_eq!(scores(&town)[3], 0.0 + 5.0 + 2.0 * 3.0);
    town.agents.column_mut(agent::score).fill(0.0);
    town.execute_pairs(Agent::nearest, 0.125);
    assert!(scores(&town).iter().all(|&score| score == 0.125));
    town.execute(Agent::visit, ());
    let homes: Vec<Home> = town.homes.iter().collect();
    assert_eq!(homes.iter().map(|home| home.visits).collect::<Vec<_>>(), [4, 3, 3]);
    assert_eq!(homes[2].guest.unwrap().index(), 2);
    assert_eq!((homes[0].weight, homes[0].open, homes[0].balance), (2.0, true, 2));
    Ok(())
}

#[test]
fn sequential_access() -> Result<(), Error> {
    let mut town = town()?;
    let links: Vec<_> = town.agents.links().collect();
    let agent = town.get(links[4]);
    assert_eq!(agent.speed(), 14.0f32.sqrt());
    assert_eq!(agent.scaled(2u8), 10.0);
    assert_eq!(agent.countdown(5), 5.0);
    assert_eq!(agent.home().owner().map(|owner| owner.link()), Some(links[4]));
    assert_eq!(agent.friends().map(|friend| friend.link().index()), [5, 3]);
    assert!(agent.described() > 100);
    assert_eq!(town.all::<Agent>().map(|agent| agent.mass()).sum::<f32>(), 55.0);
    let other = town.get(links[1]);
    assert_eq!(agent, town.get(links[4]));
    assert_ne!(agent, other);

    let mut first = town.get_mut(links[0]);
    first.mass = 3.0;
    first.step(2.0);
    let friend = first.friends[0];
    first.next = Some(friend);
    assert_eq!(even_more::helper(&first, friend), 5.0);
    drop(first);
    let row = town.agents.read(links[0])?;
    assert_eq!((row.mass, row.pos, row.next), (3.0, [2.0, 4.0, 6.0], Some(links[1])));
    let text = format!("{:?}", town.get_mut(links[0]));
    assert!(text.starts_with("Agent { pos: [2.0, 4.0, 6.0], vel:"), "{text}");
    assert!(text.contains("next: Some(Agent#2)") && text.contains("type: 0"), "{text}");
    Ok(())
}

#[test]
fn reductions_and_constructors() -> Result<(), Error> {
    let mut town = town()?;
    assert_eq!(town.execute_and_reduce(Agent::weight, (), Sum), 55.0);
    assert_eq!(town.execute_and_reduce(Agent::weight, (), Max), 10.0);
    assert_eq!(town.execute_and_reduce(Agent::weight, (), Min), 1.0);
    assert!(!town.execute_and_reduce(Agent::is_small, (), All));
    assert!(town.execute_and_reduce(Agent::is_small, (), Any));
    let (home, me) = (town.homes.links().next().unwrap(), town.agents.links().next().unwrap());
    let made = town.construct(5, Agent::spawn, (home, me))?;
    assert_eq!(made.len(), 5);
    assert_eq!(town.agents.column(agent::mass)[12], 13.0);
    Ok(())
}

/// A class declared in a function, as doc tests do, with a name that is a keyword in snake case.
#[test]
fn local_classes() -> Result<(), Error> {
    #[soa_class]
    struct Move {
        from: u32,
        to: u32,
    }

    #[soa_methods]
    impl Move {
        #[kernel]
        fn go(&mut self) {
            self.from = self.to;
        }
    }

    #[soa_world]
    struct Board {
        moves: Objects<Move>,
    }

    let mut board = Board::new();
    let link = board.moves.push(Move { from: 1, to: 2 })?;
    board.execute(Move::go, ());
    assert_eq!(board.moves.column(r#move::from), [2]);
    assert_eq!(board.get(link).to(), 2);
    Ok(())
}

fn _phases_can_be_named<P: Phase>() {}
