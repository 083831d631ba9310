#[derive(Default)]
pub struct Account {
    pub cents: i64,
    pub fees: i64,
    pub moves: u32,
}

impl Account {
    pub fn deposit(&mut self, cents: i64) {
        self.cents += cents;
        self.moves += 1;
    }

    pub fn withdraw(&mut self, cents: i64) -> bool {
        let fee = fee_of(cents);
        if self.cents < cents + fee {
            return false;
        }
        self.cents -= cents + fee;
        self.fees += fee;
        self.moves += 1;
        true
    }

    pub fn refund(&mut self, cents: i64) {
        let fee = fee_of(cents);
        self.fees -= fee;
        self.deposit(if cfg!(fault = "3") { cents - fee } else { cents + fee });
    }
}

pub fn fee_of(cents: i64) -> i64 {
    (cents / 100).max(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn withdraws_with_a_fee() {
        let mut account = Account::default();
        account.deposit(10_000);
        assert!(account.withdraw(5_000));
        assert_eq!(account.cents, 4_950);
    }

    #[test]
    fn a_refund_undoes_a_withdrawal() {
        let mut account = Account::default();
        account.deposit(10_000);
        assert!(account.withdraw(5_000));
        account.refund(5_000);
        assert_eq!((account.cents, account.fees), (10_000, 0));
    }
}
