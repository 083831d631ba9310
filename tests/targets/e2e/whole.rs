// Rust values of all kinds, by value, by reference and returned; each function prints what it got as a line of JSON.
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::ffi::{CStr, CString};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::num::NonZeroU32;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

pub enum Shape { Circle(f64), Rect { w: u32, h: u32 }, Unit }
#[derive(Clone, Copy)]
pub struct Pair { a: u32, b: f32 }
pub struct Owner { name: String, tags: Vec<String>, next: Option<Box<Owner>> }

mod whole {
    use super::*;
    #[inline(never)]
    pub fn options(number: Option<u32>, none: Option<String>, text: Option<&str>, boxed: Option<Box<i64>>) {
        println!("options {{\"number\":{{\"Some\":{}}},\"none\":\"None\",\"text\":{{\"Some\":\"{}\"}},\"boxed\":{{\"Some\":{}}}}}", number.unwrap(), text.unwrap(), boxed.as_ref().unwrap());
        black_box((&none, &boxed));
    }
    #[inline(never)]
    pub fn enums(circle: &Shape, rect: &Shape, unit: &Shape, result: &Result<u32, String>) {
        if let (Shape::Circle(r), Shape::Rect { w, h }, Shape::Unit, Err(text)) = (circle, rect, unit, result) {
            println!("enums {{\"circle\":{{\"Circle\":{r}}},\"rect\":{{\"Rect\":{{\"w\":{w},\"h\":{h}}}}},\"unit\":\"Unit\",\"result\":{{\"Err\":\"{text}\"}}}}");
        }
        black_box((circle, rect, unit, result));
    }
    #[inline(never)]
    pub fn pairs(pair: Pair, tuple: (u8, u64), words: [u16; 4], after: i32) -> Pair {
        println!("pairs {{\"pair\":{{\"a\":{},\"b\":{}}},\"tuple\":{{\"__0\":{},\"__1\":{}}},\"words\":[{},{},{},{}],\"after\":{after},\"return\":{{\"a\":{},\"b\":{}}}}}", pair.a, pair.b, tuple.0, tuple.1, words[0], words[1], words[2], words[3], pair.a + 1, pair.b);
        Pair { a: pair.a + 1, b: pair.b }
    }
    #[inline(never)]
    pub fn maps(hash: &HashMap<String, i32>, tree: &BTreeMap<i32, String>, set: &HashSet<u8>, sorted: &BTreeSet<u16>, ring: &VecDeque<i16>) {
        println!("maps {{\"hash\":{{\"key\":{}}},\"tree\":{{\"1\":\"{}\",\"2\":\"{}\"}},\"set\":[{}],\"sorted\":{:?},\"ring\":[{},{},{}]}}", hash["key"], tree[&1], tree[&2], set.iter().next().unwrap(), sorted.iter().collect::<Vec<_>>(), ring[0], ring[1], ring[2]);
        black_box((hash, tree, set, sorted, ring));
    }
    #[inline(never)]
    pub fn owners(rc: Rc<String>, arc: &Arc<Mutex<i32>>, cell: &Cell<u8>, shared: &RefCell<u64>) {
        println!("owners {{\"rc\":{{\"value\":\"{rc}\",\"owners\":{}}},\"arc\":{{\"value\":{},\"owners\":{}}},\"cell\":{},\"shared\":{}}}", Rc::strong_count(&rc), arc.lock().unwrap(), Arc::strong_count(arc), cell.get(), shared.borrow());
        black_box((&rc, arc, cell, shared));
    }
    #[inline(never)]
    pub fn chain(owner: &Owner, path: &Path) -> PathBuf {
        let next = owner.next.as_ref().unwrap();
        println!("chain {{\"owner\":{{\"name\":\"{}\",\"tags\":[\"{}\",\"{}\"],\"next\":{{\"Some\":{{\"name\":\"{}\",\"tags\":[],\"next\":\"None\"}}}}}},\"path\":\"{}\",\"return\":\"/tmp/{}\"}}", owner.name, owner.tags[0], owner.tags[1], next.name, path.display(), owner.name);
        black_box((owner, path));
        Path::new("/tmp").join(&owner.name)
    }
    #[inline(never)]
    pub fn texts(boxed: Box<str>, rc: Rc<str>, c: &CStr, arc: &Arc<str>) -> CString {
        println!("texts {{\"boxed\":\"{boxed}\",\"rc\":\"{rc}\",\"arc\":\"{arc}\",\"c\":\"{}\",\"return\":\"given\"}}", c.to_str().unwrap());
        black_box((&boxed, &rc, arc, c));
        CString::new("given").unwrap()
    }
    #[inline(never)]
    pub fn others(list: &LinkedList<u8>, heap: &BinaryHeap<i32>, flag: &AtomicBool, some: NonZeroU32, slice: Box<[i16]>) {
        println!("others {{\"list\":[{},{}],\"heap\":[{}],\"flag\":true,\"some\":{some},\"slice\":{slice:?}}}", list.front().unwrap(), list.back().unwrap(), heap.peek().unwrap());
        black_box((list, heap, flag, some, &slice));
    }
}

fn main() {
    let last = Owner { name: "bob".into(), tags: vec![], next: None };
    let first = Owner { name: "ann".into(), tags: vec!["x".into(), "yy".into()], next: Some(Box::new(last)) };
    let rc = Rc::new("counted".to_string());
    let mut ring: VecDeque<i16> = VecDeque::with_capacity(4);
    ring.extend([9, 9, 1, -2]);
    ring.drain(..2);
    ring.push_back(3);
    whole::options(Some(7), None, Some("text"), Some(Box::new(-5)));
    whole::enums(&Shape::Circle(1.5), &Shape::Rect { w: 2, h: 3 }, &Shape::Unit, &Err("bad".into()));
    black_box(whole::pairs(Pair { a: 4, b: 0.5 }, (1, 2), [3, 4, 5, 6], -7));
    whole::maps(&HashMap::from([("key".into(), -9)]), &BTreeMap::from([(2, "two".into()), (1, "one".into())]), &HashSet::from([8]), &(0..40).collect(), &ring);
    whole::owners(rc.clone(), &Arc::new(Mutex::new(6)), &Cell::new(3), &RefCell::new(12));
    black_box(whole::chain(&first, Path::new("/etc")));
    black_box(whole::texts("boxed".into(), "counted".into(), CStr::from_bytes_with_nul(b"c text\0").unwrap(), &"shared".into()));
    whole::others(&LinkedList::from([1, 2]), &BinaryHeap::from([5]), &AtomicBool::new(true), NonZeroU32::new(9).unwrap(), vec![1, -2].into());
    black_box(rc);
}
