//! Overflowing sums of `Fixed` and of integers: the same in every order.

use ikra::Fixed;
use ikra::prelude::*;
use ikra_hostile_tests::{MANY, mixed, same_with_any_threads};

#[soa_class]
pub struct Payer {
    pub amount: Fixed<20>,
    pub odd: f64,
    pub bank: Link<Bank>,
}
#[soa_class]
pub struct Bank {
    #[atomic]
    pub total: Fixed<20>,
    #[atomic]
    pub least: Fixed<20>,
    #[atomic]
    pub odd: Fixed<32>,
    #[atomic]
    pub count: u32,
    #[atomic]
    pub signed: i64,
    #[atomic]
    pub any: bool,
    #[atomic]
    pub first: Option<Link<Payer>>,
}

#[soa_methods]
impl Payer {
    #[kernel]
    pub fn pay(&mut self) {
        self.bank.total().add(self.amount);
        self.bank.least().min(self.amount);
        // NaN and infinities are converted to numbers first.
        self.bank.odd().add(self.odd.into());
        self.bank.count().add(u32::MAX / 3);
        self.bank.signed().sub(i64::MAX / 5);
        self.bank.any().or(self.link().id() == 19_000);
        self.bank.first().claim(self.link());
    }
}

#[soa_world]
pub struct City {
    pub payers: Objects<Payer>,
    pub banks: Objects<Bank>,
}

#[test]
fn that_overflow() {
    same_with_any_threads(|| {
        let mut city = City::new();
        let bank = |_| Bank {
            total: Fixed::from_bits(i64::MAX - 5),
            least: Fixed::from_bits(i64::MAX),
            odd: 0.0.into(),
            count: 7,
            signed: i64::MIN,
            any: false,
            first: None,
        };
        let banks: Vec<_> = city.banks.extend((0..11).map(bank)).unwrap().collect();
        let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 1e300, -1e300, 0.1, f64::MIN_POSITIVE];
        city.payers
            .extend((0..MANY).map(|n| Payer {
                amount: Fixed::from_bits(mixed(n, 9) as i64),
                odd: odd[mixed(n, 8) as usize % 8],
                bank: banks[mixed(n, 7) as usize % 11],
            }))
            .unwrap();
        city.execute(Payer::pay, ());
        let row = |bank: Bank| {
            let fixed = [bank.total.to_bits(), bank.least.to_bits(), bank.odd.to_bits(), bank.signed];
            (fixed, bank.count, bank.any, bank.first)
        };
        city.banks.iter().map(row).collect::<Vec<_>>()
    });
}
