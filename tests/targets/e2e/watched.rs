// A static atomic, a static and a struct behind a reference that change in known calls.
use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering};

static COUNTER: AtomicU32 = AtomicU32::new(3);
static mut LEVEL: i64 = -1;

struct Gauge {
    reading: u16,
    name: String,
}

#[inline(never)]
fn bump(by: u32) {
    COUNTER.fetch_add(black_box(by), Ordering::SeqCst);
}

#[inline(never)]
fn lower(by: i64) {
    unsafe { LEVEL -= black_box(by) };
}

#[inline(never)]
fn read(gauge: &mut Gauge, value: u16) {
    gauge.reading = black_box(value);
    gauge.name.push('!');
}

fn main() {
    bump(4);
    lower(9);
    let mut gauge = Gauge { reading: 1, name: String::from("north") };
    read(&mut gauge, 20);
    read(&mut gauge, 30);
    bump(1);
    println!("{} {}", gauge.reading, gauge.name);
}
