// Rust values that are read wrongly by who guesses; each function prints what it got and gave as a line of JSON.
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::hint::black_box;
use std::mem::MaybeUninit;
use std::num::NonZeroI8;
use std::path::Path;
use std::rc::Rc;
use std::sync::Mutex;

pub enum Inner { A, B(bool), C }
/** Two niches, one in the other. */
pub enum Niche { One(Inner), Two, Three(char), Four }
#[repr(i64)]
#[derive(Clone, Copy)]
pub enum Far { Low = -5, High = i64::MAX }
pub trait Speak { fn speak(&self) -> u32; }
pub struct Dog { name: String, age: u32 }
impl Speak for Dog { fn speak(&self) -> u32 { self.age + self.name.len() as u32 } }

/** Has room for a value. */
pub struct Room { used: bool, value: MaybeUninit<String> }

mod whole {
    use super::*;
    #[inline(never)]
    pub fn niches(a: &Niche, b: &Niche, c: &Niche, d: &Niche, e: &Niche, f: Niche) {
        println!("niches {{\"a\":{{\"One\":\"A\"}},\"b\":{{\"One\":{{\"B\":true}}}},\"c\":{{\"One\":\"C\"}},\"d\":\"Two\",\"e\":{{\"Three\":\"\u{1F600}\"}},\"f\":\"Four\"}}");
        black_box((a, b, c, d, e, &f));
    }
    #[inline(never)]
    pub fn options(none: Option<Box<dyn Speak>>, some: Option<Box<dyn Speak>>, nested: &Option<Option<bool>>, small: Option<NonZeroI8>, unit: &Option<()>, code: Option<fn(u32) -> u32>) {
        let own = some.as_ref().unwrap();
        println!("options {{\"none\":\"None\",\"some\":{{\"Some\":{{\"pointer\":{{\"class\":\"wholeEdges::Dog\",\"name\":\"rex\",\"age\":{}}},\"vtable\":\"&<wholeEdges::Dog as wholeEdges::Speak>::speak\"}}}},\"nested\":{{\"Some\":\"None\"}},\"small\":{{\"Some\":{}}},\"unit\":\"Some\",\"code\":{{\"Some\":\"&wholeEdges::twice\"}}}}", own.speak() - 3, small.unwrap());
        black_box((&none, &some, nested, unit, code));
    }
    #[inline(never)]
    pub fn results(fine: Result<(), Box<dyn Error>>, number: &Result<u8, std::num::ParseIntError>) -> Result<(), Box<dyn Error>> {
        println!("results {{\"fine\":\"Ok\",\"number\":{{\"Err\":{{\"kind\":\"InvalidDigit\"}}}},\"return\":\"Ok\"}}");
        black_box((&fine, number));
        Ok(())
    }
    #[inline(never)]
    pub fn wide(low: i128, high: u128, far: Far, letter: char, zero: f64) -> i128 {
        println!("wide {{\"low\":\"{low}\",\"high\":\"{high}\",\"far\":\"High\",\"letter\":\"{letter}\",\"zero\":\"{zero:.1}\",\"return\":\"{}\"}}", low + 1);
        black_box((far, letter));
        low + 1
    }
    #[inline(never)]
    pub fn texts(lent: &Cow<str>, own: &Cow<str>, os: &OsStr, boxed: Box<Path>, counted: &Rc<OsStr>, owned: OsString, all: &[&str]) {
        println!("texts {{\"lent\":{{\"Borrowed\":\"{lent}\"}},\"own\":{{\"Owned\":\"{own}\"}},\"os\":\"{}\",\"boxed\":\"{}\",\"counted\":\"{}\",\"owned\":\"{}\",\"all\":[\"{}\",\"{}\"]}}", os.to_str().unwrap(), boxed.display(), counted.to_str().unwrap(), owned.to_str().unwrap(), all[0], all[1]);
        black_box((lent, own, os, &boxed, counted, &owned, all));
    }
    #[inline(never)]
    pub fn holders(map: &HashMap<String, Vec<i32>>, tree: &BTreeMap<i8, Option<f32>>, poisoned: &Mutex<String>, rows: &[&[u16]], pairs: &[[u16; 2]; 2]) {
        println!("holders {{\"map\":{{\"a\":{:?}}},\"tree\":{{\"1\":\"None\",\"2\":{{\"Some\":0.5}}}},\"poisoned\":\"{}\",\"rows\":{rows:?},\"pairs\":{pairs:?}}}", map["a"], poisoned.lock().unwrap_err().into_inner());
        black_box((map, tree, poisoned, rows, pairs));
    }
    #[inline(never)]
    pub fn empty(room: &Room) -> bool {
        println!("empty {{\"room\":{{\"used\":false,\"value\":{{\"notCaptured\":\"it may not be initialised\"}}}},\"return\":false}}");
        black_box(room).used
    }
}

#[inline(never)]
pub fn twice(number: u32) -> u32 { black_box(number) * 2 }

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let poisoned = std::sync::Arc::new(Mutex::new("left".to_string()));
    let same = poisoned.clone();
    std::thread::spawn(move || { let _held = same.lock(); panic!() }).join().unwrap_err();
    whole::niches(&Niche::One(Inner::A), &Niche::One(Inner::B(true)), &Niche::One(Inner::C), &Niche::Two, &Niche::Three('\u{1F600}'), Niche::Four);
    whole::options(None, Some(Box::new(Dog { name: "rex".into(), age: 4 })), &Some(None), NonZeroI8::new(-1), &Some(()), Some(twice));
    black_box(whole::results(Ok(()), &"x".parse()).is_ok());
    black_box(whole::wide(i128::MIN + 1, u128::MAX, black_box(Far::High), '\u{1F600}', black_box(-0.0)));
    black_box(Far::Low as i64);
    whole::texts(&"lent".into(), &String::from("own").into(), OsStr::new("os"), Path::new("/boxed").into(), &Rc::from(OsStr::new("counted")), "owned".into(), &["x", "y"]);
    whole::holders(&HashMap::from([("a".into(), vec![1, -2])]), &BTreeMap::from([(1, None), (2, Some(0.5))]), &poisoned, &[&[1, 2], &[3]], &[[1, 2], [3, 4]]);
    let room = Room { used: false, value: MaybeUninit::uninit() };
    black_box(whole::empty(&room));
    black_box(&room.value);
}
