// Rust panics through traced frames: caught by catch_unwind, in threads, and ending the program.
use std::io::BufRead;
use std::panic;

struct Guard<'a>(&'a std::cell::Cell<u32>);
impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

#[no_mangle]
#[inline(never)]
pub fn descend(level: u64, count: &std::cell::Cell<u32>) -> u64 {
    let _guard = Guard(count);
    if level == 0 {
        panic!("at the bottom");
    }
    std::hint::black_box(descend(level - 1, count)) + 1
}

#[no_mangle]
#[inline(never)]
pub fn checked(level: u64) -> Result<u64, u32> {
    let count = std::cell::Cell::new(0);
    panic::catch_unwind(panic::AssertUnwindSafe(|| descend(level, &count))).map_err(|_| count.get())
}

fn main() {
    println!("ready");
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).unwrap();
    panic::set_hook(Box::new(|_| {}));
    println!("{:?} {:?}", checked(3), checked(100));
    let threads: Vec<_> = (0..4).map(|i| std::thread::spawn(move || checked(10 + i).unwrap_err())).collect();
    for thread in threads {
        println!("{}", thread.join().unwrap());
    }
    if line.trim() == "abort" {
        descend(2, &std::cell::Cell::new(0));
    }
    std::process::exit(9);
}
