// Rust functions, methods and trait impls with scalars, a unit enum and a panic that is caught.
use std::panic;

#[derive(Clone, Copy, PartialEq)]
#[repr(u8)]
pub enum Mode { Idle, Busy = 4 }

pub struct Counter { total: i64 }

pub trait Step { fn step(&mut self, by: i64) -> i64; }

impl Counter {
    #[inline(never)]
    pub fn add(&mut self, amount: i64, twice: bool) -> i64 {
        self.total += if twice { amount * 2 } else { amount };
        self.total
    }
}

impl Step for Counter {
    #[inline(never)]
    fn step(&mut self, by: i64) -> i64 { self.total -= by; self.total }
}

#[inline(never)]
pub fn scale(rate: f64, share: f32, mode: Mode) -> f64 {
    if mode == Mode::Busy { rate * share as f64 } else { rate }
}

#[inline(never)]
pub fn letter(c: char, shift: u8) -> u32 { c as u32 + shift as u32 }

#[inline(never)]
pub fn check(level: u32) -> u32 {
    if level == 0 { panic!("level is zero") }
    // Kept a call: the compiler would make a loop of it.
    std::hint::black_box(check(std::hint::black_box(level - 1))) + 1
}

fn main() {
    // Not constants: the compiler would drop the arguments.
    let n = std::env::args().count() as i64;
    let mut counter = Counter { total: 10 };
    let first = counter.add(15 + n, n == 1);
    let second = counter.step(1 + n);
    let scaled = scale(0.5 * n as f64, 3.0 * n as f32, if n == 1 { Mode::Busy } else { Mode::Idle })
        + scale(0.25, 1.0 * n as f32, Mode::Idle);
    let caught = panic::catch_unwind(|| check(2 + n as u32)).is_err();
    println!("{} {} {} {} {}", first, second, scaled, letter(if n == 1 { 'é' } else { 'e' }, n as u8), caught);
    std::process::exit(if caught { 7 } else { 0 });
}
