// Results above two words of functions whose callers LLVM all knows: it leaves no address of them in rax.
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
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    for (at, word) in words.iter().enumerate() {
        match stock::added(word, at as u64) {
            Ok(count) => println!("{count}"),
            Err(text) => println!("{text}"),
        }
        if let Some(item) = stock::taken(word, at as u64 * 2) {
            println!("{} {} {:?}", item.name, item.left, item.price);
        }
    }
}
