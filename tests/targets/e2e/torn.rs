//! Collections that do not fit together when a function is called with them.
use std::collections::{BTreeMap, HashMap, VecDeque};

#[inline(never)]
pub fn mapped(all: &HashMap<u32, u32>) -> usize {
    std::hint::black_box(all.len()) + 1
}

#[inline(never)]
pub fn ordered(all: &BTreeMap<u32, u32>) -> usize {
    std::hint::black_box(all.len()) + 2
}

#[inline(never)]
pub fn queued(all: &VecDeque<u32>) -> usize {
    std::hint::black_box(all.len()) + 3
}

/// The one word of it that is `from` is `to` for as long as `call` takes.
fn changed<T>(object: &mut T, from: usize, to: usize, call: fn(&T) -> usize) -> usize {
    let words = object as *mut T as *mut usize;
    let count = std::mem::size_of::<T>() / 8;
    unsafe {
        let at = (0..count).filter(|i| *words.add(*i) == from).collect::<Vec<_>>();
        assert_eq!(at.len(), 1);
        std::ptr::write_volatile(words.add(at[0]), to);
        let result = call(&*object);
        std::ptr::write_volatile(words.add(at[0]), from);
        result
    }
}

fn main() {
    let mut map: HashMap<u32, u32> = (0..5).map(|i| (i, 10 * i)).collect();
    let mut tree: BTreeMap<u32, u32> = (0..5).map(|i| (i, 10 * i)).collect();
    let mut queue: VecDeque<u32> = VecDeque::with_capacity(7);
    queue.extend([3, 1, 2]);
    let mut sum = mapped(&map) + ordered(&tree) + queued(&queue);
    sum += changed(&mut map, 5, 6, mapped);
    sum += changed(&mut tree, 5, 8, ordered);
    sum += changed(&mut tree, 5, 4, ordered);
    sum += changed(&mut queue, 3, 9, queued);
    println!("{sum}");
}
