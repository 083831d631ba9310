// Makes an order for each line read; what `vec!` becomes has code of no line.
use std::io::BufRead;

struct Order {
    number: u32,
    items: Vec<String>,
}

fn ordered(number: u32) -> usize {
    let order = Order { number, items: vec!["tea".to_string(), "cup".to_string()] };
    let count = order.items.len(); /* after */
    count + order.number as usize
}

fn main() {
    println!("ready");
    for line in std::io::stdin().lock().lines() {
        println!("{}", ordered(line.unwrap().len() as u32));
    }
}
