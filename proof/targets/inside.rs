// What breakpoints are compared at: locals of many kinds, loops, closures, structures, doubles.
use std::io::BufRead;

struct Entry {
    key: i32,
    weight: f64,
}

#[inline(never)]
fn next(seed: &mut u32, limit: u32) -> u32 {
    *seed = seed.wrapping_mul(1_103_515_245).wrapping_add(12_345);
    let value = (*seed >> 16) % limit;
    value
}

#[inline(never)]
fn classify(value: i32) -> i32 {
    let small = (value * 7) as u8;
    let step = (value - 40) as i16;
    let kind = match value % 4 {
        0 => if small > 100 { 1 } else { 2 },
        1 => i32::from(step.abs()),
        2 => {
            let wide = (value as u64) << 33;
            (wide % 97) as i32
        }
        _ => -1,
    };
    let is_even = kind % 2 == 0;
    if is_even { kind } else { kind + i32::from(small) }
}

#[inline(never)]
fn mean(list: &[Entry]) -> f64 {
    let mut sum = 0.0;
    let mut count = 0_u16;
    for one in list {
        let before: f64 = sum;
        sum += one.weight;
        if before > 1000.0 {
            break;
        }
        count += 1;
    }
    let result = if count > 0 { sum / f64::from(count) } else { 0.0 };
    result
}

#[inline(never)]
fn sort(list: &mut [Entry]) -> usize {
    let mut moved = 0;
    for i in 1..list.len() {
        let mut at = i;
        while at > 0 && list[at - 1].key > list[at].key {
            list.swap(at - 1, at);
            at -= 1;
            moved += 1;
        }
    }
    moved
}

#[inline(never)]
fn round_of(seed: &mut u32, number: usize) {
    let mut list = Vec::new();
    let mut sum = 0;
    for _ in 0..6 {
        let key = next(seed, 90) as i32;
        let weight = f64::from(key) / 4.0;
        list.push(Entry { key, weight });
        sum += classify(key);
    }
    let moved = sort(&mut list);
    let average = mean(&list);
    println!("{number} {sum} {moved} {average:.3}");
}

fn main() {
    println!("ready");
    let mut seed = 7;
    for line in std::io::stdin().lock().lines() {
        let rounds: usize = line.unwrap().trim().parse().unwrap();
        for number in 0..rounds {
            round_of(&mut seed, number);
        }
    }
}
