// Results, options and vectors, threads and a panic that is caught: for a program with no loader.
use std::{panic, thread};

pub struct Order {
    pub id: u32,
    pub items: Vec<u32>,
}

#[inline(never)]
pub fn total(order: &Order, by: Option<u32>) -> Result<u32, String> {
    if order.items.is_empty() {
        return Err(format!("order {} is empty", order.id));
    }
    Ok(order.items.iter().sum::<u32>() * by.unwrap_or(1))
}

#[inline(never)]
pub fn strict(order: &Order) -> u32 {
    total(order, None).unwrap()
}

fn main() {
    println!("{:?}", total(&Order { id: 7, items: vec![1, 2, 3] }, Some(2)));
    println!("{:?}", total(&Order { id: 8, items: vec![] }, None));
    for n in 0..3u32 {
        let own = thread::spawn(move || strict(&Order { id: n, items: vec![n, 1] }));
        println!("{}", own.join().unwrap());
    }
    println!("{}", panic::catch_unwind(|| strict(&Order { id: 9, items: vec![] })).is_err());
}
