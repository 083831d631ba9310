// Threads that compute what is known, and say where they are in a file that no other process writes (argv[1]).
// Each wrong result ends the program with status 3. Ends when the first word of the file is not 0.
use std::ptr::{addr_of_mut, null_mut, read_volatile, write_volatile};

extern "C" {
    fn open(path: *const i8, flags: i32, mode: u32) -> i32;
    fn ftruncate(file: i32, length: i64) -> i32;
    fn mmap(at: *mut u8, length: usize, rights: i32, flags: i32, file: i32, from: i64) -> *mut Page;
    fn gettid() -> i32;
    fn usleep(microseconds: u32) -> i32;
    fn _exit(status: i32) -> !;
}

const THREADS: usize = 4;

/// What a thread says of itself.
#[repr(C)]
pub struct Slot {
    tid: u64,
    rounds: u64,
    from: i64,
    i: i64,
    parts: u64,
    leafs: u64,
    unused: [u64; 2],
}

#[repr(C)]
pub struct Page {
    ended: u64,
    knobs: u64,
    threads: u64,
    unused: [u64; 5],
    slots: [Slot; THREADS],
}

/// Only the debugger sets them.
#[repr(C)]
pub struct Knobs {
    large: i64,
    small: i32,
    ratio: f32,
    bytes: [u8; 16],
    table: [i32; 8],
}

static mut KNOBS: Knobs = Knobs {
    large: 1000,
    small: -7,
    ratio: 0.5,
    bytes: [1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    table: [10, 11, 12, 13, 14, 15, 16, 17],
};

/// A slot that only its own thread writes.
#[derive(Clone, Copy)]
pub struct Own(*mut Slot);
unsafe impl Send for Own {}

macro_rules! said {
    ($own:expr, $word:ident) => {
        unsafe { read_volatile(addr_of_mut!((*$own.0).$word)) }
    };
}

macro_rules! say {
    ($own:expr, $word:ident, $value:expr) => {
        let value = $value;
        unsafe { write_volatile(addr_of_mut!((*$own.0).$word), value) }
    };
}

#[inline(never)]
fn leaf(own: Own, x: i64) -> i64 {
    say!(own, leafs, said!(own, leafs) + 1);
    return x * 3 + 1;
}

#[inline(never)]
fn part(own: Own, x: i64, kept: &mut i64) -> i64 {
    say!(own, parts, said!(own, parts) + 1);
    let mut sum = leaf(own, x);
    sum += leaf(own, x + 1);
    *kept = sum;
    if sum % 2 == 0 {
        sum -= 4;
    }
    return sum;
}

#[inline(never)]
fn whole(own: Own, from: i64) -> i64 {
    let mut sum = 0;
    let mut kept = 0;
    let mut i = 0;
    while i < 8 {
        say!(own, i, i);
        sum += part(own, from + i, &mut kept);
        sum ^= kept;
        i += 1;
    }
    return sum;
}

fn expected(from: i64) -> i64 {
    let mut sum = 0;
    for i in 0..8 {
        let kept = 6 * (from + i) + 5;
        sum += if kept % 2 == 0 { kept - 4 } else { kept };
        sum ^= kept;
    }
    sum
}

fn work(ended: usize, own: Own, number: i64) {
    say!(own, tid, unsafe { gettid() } as u64);
    let mut from = number;
    while unsafe { read_volatile(ended as *const u64) } == 0 {
        say!(own, from, from);
        if whole(own, from) != expected(from) {
            unsafe { _exit(3) };
        }
        say!(own, rounds, said!(own, rounds) + 1);
        unsafe { usleep(500) };
        from = (from + 7) % 10007;
    }
}

fn main() {
    let path = std::ffi::CString::new(std::env::args().nth(1).expect("a file")).expect("a path");
    let page = unsafe {
        let file = open(path.as_ptr().cast(), 0o102, 0o600); // O_RDWR, O_CREAT
        if file < 0 || ftruncate(file, 4096) != 0 {
            _exit(2);
        }
        mmap(null_mut(), 4096, 3, 1, file, 0) // PROT_READ and PROT_WRITE, MAP_SHARED
    };
    let own = move |number: usize| Own(unsafe { addr_of_mut!((*page).slots[number]) });
    unsafe {
        write_volatile(addr_of_mut!((*page).knobs), addr_of_mut!(KNOBS) as u64);
        write_volatile(addr_of_mut!((*page).threads), THREADS as u64);
    }
    let ended = page as usize;
    let threads: Vec<_> = (1..THREADS)
        .map(|number| {
            let its = own(number);
            std::thread::spawn(move || work(ended, its, number as i64))
        })
        .collect();
    work(ended, own(0), 0);
    for thread in threads {
        thread.join().expect("its end");
    }
    println!("right");
}
