//! Several blocks of methods of one class, in different modules.

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
