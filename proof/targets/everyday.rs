// What Rust programs do every day: collections, threads, channels, caught panics, files.
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::{fs, panic, process, thread};

struct Noisy<'a>(&'a Mutex<u32>);

impl Drop for Noisy<'_> {
    fn drop(&mut self) {
        *self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) += 1;
    }
}

fn descend(depth: u32, dropped: &Mutex<u32>) -> u32 {
    let _noisy = Noisy(dropped);
    if depth == 0 {
        panic!("the bottom");
    }
    descend(depth - 1, dropped) + 1
}

fn checked(text: &str) -> Result<i64, std::num::ParseIntError> {
    text.trim().parse::<i64>().map(|value| value * 2)
}

fn main() {
    let mut words: BTreeMap<&str, usize> = BTreeMap::new();
    for word in "the cat saw the dog and the bird".split_whitespace() {
        *words.entry(word).or_default() += 1;
    }
    println!("{words:?}");
    println!("{:?} {:?}", checked(" 21 "), checked("x"));
    let (sender, receiver) = channel();
    let total = Arc::new(Mutex::new(0_u64));
    let threads: Vec<_> = (0..4_u64)
        .map(|number| {
            let (sender, total) = (sender.clone(), Arc::clone(&total));
            thread::spawn(move || {
                for step in 0..100 {
                    *total.lock().unwrap() += number * step;
                }
                sender.send(number).unwrap();
            })
        })
        .collect();
    drop(sender);
    for thread in threads {
        thread.join().unwrap();
    }
    let mut arrived: Vec<u64> = receiver.iter().collect();
    arrived.sort_unstable();
    println!("{arrived:?} {}", total.lock().unwrap());
    let dropped = Mutex::new(0);
    for _ in 0..20 {
        let caught = panic::catch_unwind(panic::AssertUnwindSafe(|| descend(30, &dropped)));
        assert!(caught.is_err());
    }
    println!("dropped {}", dropped.lock().unwrap());
    println!("{}", thread::spawn(|| -> u32 { panic!("in a thread") }).join().is_err());
    fs::File::create("everyday.out").unwrap().write_all(format!("{:>10.3}\n", 2.0_f64.sqrt()).as_bytes()).unwrap();
    process::exit(9);
}
