// Structures behind references: fields, a String, a slice of numbers, nested structures.
mod ledger {
    pub struct Place {
        pub zip: u32,
        pub lat: f64,
    }
    pub struct Account {
        pub id: u64,
        pub owner: String,
        pub open: bool,
        pub place: Place,
        pub history: Vec<i32>,
    }
    impl Account {
        #[inline(never)]
        pub fn withdraw(&mut self, cents: i32) -> usize {
            self.history.push(cents);
            self.history.len()
        }
    }
}

fn main() {
    let mut account = ledger::Account {
        id: 12,
        owner: "Ada".to_string(),
        open: true,
        place: ledger::Place { zip: 4051, lat: 47.5 },
        history: vec![1],
    };
    println!("{}", account.withdraw(5) + account.withdraw(6));
}
