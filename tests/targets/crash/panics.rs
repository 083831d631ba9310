// Panics that are caught, one that ends its thread, and one that ends the program.
use std::panic;

#[inline(never)]
fn balance(account: usize) -> u32 {
    if account == 3 {
        panic!("account {} is closed", account);
    }
    account as u32
}
fn main() {
    let caught = panic::catch_unwind(|| balance(std::env::args().count() + 2));
    println!("{}", caught.is_err());
    let nothing: Option<u32> = std::env::args().nth(5).map(|_| 1);
    let thread = std::thread::spawn(move || nothing.unwrap());
    println!("{}", thread.join().is_err());
    balance(std::env::args().count() + 2);
}
