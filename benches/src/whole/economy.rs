//! Households, firms and banks that pay each other: a trait over three classes, and scattered atomic additions.

use ikra::prelude::*;

use super::{Model, mix, random};

/// A household.
#[soa_class]
pub struct Household {
    /// Its money.
    pub money: i64,
    /// Money that it gets.
    #[atomic]
    pub inbox: i64,
    /// Whom it pays.
    pub partner: AgentLink,
}
/// A firm.
#[soa_class]
pub struct Firm {
    /// Its money.
    pub money: i64,
    /// Money that it gets.
    #[atomic]
    pub inbox: i64,
    /// Whom it pays.
    pub partner: AgentLink,
    /// The part that it keeps.
    pub reserve: i64,
}
/// A bank.
#[soa_class]
pub struct Bank {
    /// Its money.
    pub money: i64,
    /// Money that it gets.
    #[atomic]
    pub inbox: i64,
    /// Whom it pays.
    pub partner: AgentLink,
    /// Percent.
    pub rate: i64,
}

/// One who has money.
#[soa_dispatch(Household, Firm, Bank)]
pub trait Agent {
    /// Pays another.
    #[kernel(updates(add(inbox)))]
    fn pay(&mut self, step: u32);
    /// Takes what it got.
    #[kernel]
    fn settle(&mut self);
    /// Gets money.
    fn get(&self, amount: i64);
}

#[soa_methods]
impl Agent for Household {
    fn pay(&mut self, step: u32) {
        let amount = self.money / i64::from(4 + (step ^ self.link().index() as u32) % 8);
        self.money -= amount;
        self.partner.get(amount);
    }
    fn settle(&mut self) {
        self.money += self.inbox.load();
        self.inbox.store(0);
    }
    fn get(&self, amount: i64) {
        self.inbox.add(amount);
    }
}
#[soa_methods]
impl Agent for Firm {
    fn pay(&mut self, _: u32) {
        let amount = (self.money - self.reserve).max(0) / 3;
        self.money -= amount;
        self.partner.get(amount);
    }
    fn settle(&mut self) {
        self.money += self.inbox.load();
        self.inbox.store(0);
    }
    fn get(&self, amount: i64) {
        self.inbox.add(amount);
    }
}
#[soa_methods]
impl Agent for Bank {
    fn pay(&mut self, _: u32) {
        let amount = self.money * self.rate / 100;
        self.money -= amount;
        self.partner.get(amount);
    }
    fn settle(&mut self) {
        self.money += self.inbox.load();
        self.inbox.store(0);
    }
    fn get(&self, amount: i64) {
        self.inbox.add(amount);
    }
}

/// The world.
#[soa_world]
pub struct Economy {
    /// Most of all.
    pub households: Objects<Household>,
    /// Fewer.
    pub firms: Objects<Firm>,
    /// Few.
    pub banks: Objects<Bank>,
}

#[derive(Clone, Copy)]
enum Partner {
    Household(u32),
    Firm(u32),
    Bank(u32),
}

struct TwinHousehold {
    money: i64,
    inbox: i64,
    partner: Partner,
}
struct TwinFirm {
    money: i64,
    inbox: i64,
    partner: Partner,
    reserve: i64,
}
struct TwinBank {
    money: i64,
    inbox: i64,
    partner: Partner,
    rate: i64,
}

/// The same in plain Rust.
pub struct Twin {
    households: Vec<TwinHousehold>,
    firms: Vec<TwinFirm>,
    banks: Vec<TwinBank>,
}

impl Twin {
    #[inline]
    fn get(&mut self, partner: Partner, amount: i64) {
        match partner {
            Partner::Household(n) => self.households[n as usize].inbox += amount,
            Partner::Firm(n) => self.firms[n as usize].inbox += amount,
            Partner::Bank(n) => self.banks[n as usize].inbox += amount,
        }
    }
}

/// The model.
pub struct Payments;

impl Model for Payments {
    const NAME: &str = "economy";
    type World = Economy;
    type Twin = Twin;

    fn make(scale: usize) -> (Economy, Twin) {
        let counts = [2_800, 200, 1].map(|count: usize| count * scale);
        let mut economy = Economy::new();
        let households: Vec<_> = economy.households.reserve(counts[0]).expect("memory").collect();
        let firms: Vec<_> = economy.firms.reserve(counts[1]).expect("memory").collect();
        let banks: Vec<_> = economy.banks.reserve(counts[2]).expect("memory").collect();
        let partner = |n: usize| match random(n) % 16 {
            0 => Partner::Bank(random(n + 1) % counts[2] as u32),
            1..8 => Partner::Firm(random(n + 1) % counts[1] as u32),
            _ => Partner::Household(random(n + 1) % counts[0] as u32),
        };
        let link = |n: usize| -> AgentLink {
            match partner(n) {
                Partner::Household(n) => households[n as usize].into(),
                Partner::Firm(n) => firms[n as usize].into(),
                Partner::Bank(n) => banks[n as usize].into(),
            }
        };
        let money = |n: usize| i64::from(random(5 * n) % 10_000);
        let mut twin = Twin { households: Vec::new(), firms: Vec::new(), banks: Vec::new() };
        for (n, &household) in households.iter().enumerate() {
            economy.households.init(household, Household { money: money(n), inbox: 0, partner: link(n) }).expect("all");
            twin.households.push(TwinHousehold { money: money(n), inbox: 0, partner: partner(n) });
        }
        for (n, &firm) in firms.iter().enumerate() {
            let (partner, reserve) = (partner(3 * n + 7), 500);
            economy
                .firms
                .init(firm, Firm { money: money(n), inbox: 0, partner: link(3 * n + 7), reserve })
                .expect("all");
            twin.firms.push(TwinFirm { money: money(n), inbox: 0, partner, reserve });
        }
        for (n, &bank) in banks.iter().enumerate() {
            let (partner, rate) = (partner(9 * n + 8), 5);
            economy.banks.init(bank, Bank { money: money(n), inbox: 0, partner: link(9 * n + 8), rate }).expect("all");
            twin.banks.push(TwinBank { money: money(n), inbox: 0, partner, rate });
        }
        (economy, twin)
    }

    fn step(economy: &mut Economy, step: u32) {
        economy.execute(Agent::pay, step);
        economy.execute(Agent::settle, ());
    }

    fn twin_step(twin: &mut Twin, step: u32) {
        for n in 0..twin.households.len() {
            let household = &mut twin.households[n];
            let amount = household.money / i64::from(4 + (step ^ n as u32) % 8);
            household.money -= amount;
            let partner = household.partner;
            twin.get(partner, amount);
        }
        for n in 0..twin.firms.len() {
            let firm = &mut twin.firms[n];
            let amount = (firm.money - firm.reserve).max(0) / 3;
            firm.money -= amount;
            let partner = firm.partner;
            twin.get(partner, amount);
        }
        for n in 0..twin.banks.len() {
            let bank = &mut twin.banks[n];
            let amount = bank.money * bank.rate / 100;
            bank.money -= amount;
            let partner = bank.partner;
            twin.get(partner, amount);
        }
        for household in &mut twin.households {
            household.money += std::mem::take(&mut household.inbox);
        }
        for firm in &mut twin.firms {
            firm.money += std::mem::take(&mut firm.inbox);
        }
        for bank in &mut twin.banks {
            bank.money += std::mem::take(&mut bank.inbox);
        }
    }

    fn digest(economy: &Economy) -> u64 {
        let households = economy.households.column(household::money).iter();
        let others = economy.firms.column(firm::money).iter().chain(economy.banks.column(bank::money));
        mix(households.chain(others).map(|&money| money as u64))
    }

    fn twin_digest(twin: &Twin) -> u64 {
        let households = twin.households.iter().map(|household| household.money as u64);
        let others =
            twin.firms.iter().map(|firm| firm.money as u64).chain(twin.banks.iter().map(|bank| bank.money as u64));
        mix(households.chain(others))
    }
}
