// Panics for each line that it reads, and continues, for stops where panics begin.
use std::io::BufRead;

#[inline(never)]
fn shelf(text: &str) -> usize {
    let goods = [1, 2, 3];
    goods[text.len()]
}

fn main() {
    println!("ready");
    for line in std::io::stdin().lock().lines() {
        let text = line.unwrap();
        let found = std::panic::catch_unwind(|| shelf(&text));
        println!("{} {}", text, found.is_ok());
    }
}
