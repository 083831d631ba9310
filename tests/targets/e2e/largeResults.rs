// Results in memory of functions whose callers LLVM all knows: it leaves no address of them in rax.
mod stock {
    pub struct Item {
        pub name: String,
        pub left: u64,
        pub price: Option<u64>,
    }
    #[inline(never)]
    pub fn added(name: &str, count: u64) -> Result<u64, String> {
        if count == 0 {
            return Err(format!("none of {name}"));
        }
        Ok(count + 1)
    }
    #[inline(never)]
    pub fn taken(name: &str, count: u64) -> Option<Item> {
        if name.is_empty() {
            return None;
        }
        Some(Item { name: name.to_uppercase(), left: count, price: (count > 3).then_some(count * 100) })
    }
    #[inline(never)]
    pub fn shared(count: u32, few: &bool, letter: &mut u8) -> Option<(u32, u32)> {
        *letter += 1;
        (!*few).then_some((count / 2, count - count / 2))
    }
    #[inline(never)]
    pub fn sums(count: u64) -> [u64; 2] {
        [count + 1, count * 2]
    }
}

fn main() {
    let mut letter = b'a' + std::env::args().len() as u8 - 1;
    let words: Vec<String> = std::env::args().skip(1).collect(); // all words but the name of the program
    for (at, word) in words.iter().enumerate() {
        println!("{:?} {:?} {letter}", stock::shared(at as u32 * 3, &(at < 1), &mut letter), stock::sums(at as u64));
        match stock::added(word, at as u64) {
            Ok(count) => println!("{count}"),
            Err(text) => println!("{text}"),
        }
        if let Some(item) = stock::taken(word, at as u64 * 2) {
            println!("{} {} {:?}", item.name, item.left, item.price);
        }
    }
}
