// Prints values of Rust's enumerations, maps and owners as they are to be shown, then dies with them in its frame.
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hint::black_box;
use std::rc::Rc;

#[allow(dead_code)]
enum Drawn {
    Point,
    Circle(f64),
    Rect { wide: i32, high: i32 },
    Arc(i32, f32),
}
struct Order {
    number: u32,
    note: Option<String>,
}

#[inline(never)]
fn read(address: *const u32) -> u32 {
    unsafe { *address }
}

fn shown(drawn: &Drawn) -> String {
    match drawn {
        Drawn::Point => "Point".to_string(),
        Drawn::Circle(radius) => format!("Circle({radius})"),
        Drawn::Arc(from, to) => format!("Arc({from}, {to})"),
        Drawn::Rect { wide, high } => format!("Rect{{wide={wide}, high={high}}}"),
    }
}

fn noted(note: &Option<String>) -> String {
    note.as_ref().map_or("None".to_string(), |text| format!("Some({text:?})"))
}

fn listed<K: std::fmt::Debug, V: std::fmt::Debug>(entries: impl Iterator<Item = (K, V)>) -> String {
    let texts: Vec<String> = entries.map(|(key, value)| format!("{key:?}: {value:?}")).collect();
    format!("{{{}}}", texts.join(", "))
}

fn main() {
    let (point, circle, rect) = (Drawn::Point, Drawn::Circle(1.5), Drawn::Rect { wide: 3, high: -4 });
    println!("point={}\ncircle={}\nrect={}", shown(&point), shown(&circle), shown(&rect));
    let (arc, pair) = (Drawn::Arc(9, 0.25), (4u8, "tea"));
    println!("arc={}\npair=({}, {:?})", shown(&arc), pair.0, pair.1);
    let order = Order { number: 7, note: Some("two sugars".to_string()) };
    println!("order={{number={}, note={}}}", order.number, noted(&order.note));
    let empty: Option<String> = None;
    println!("empty={}", noted(&empty));
    let failed: Result<u8, String> = Err("no tea".to_string());
    println!("failed=Err({:?})", failed.as_ref().unwrap_err());
    let names: BTreeMap<u32, &str> = [(1, "one"), (2, "two"), (30, "thirty")].into();
    println!("names={}", listed(names.iter()));
    let prices: HashMap<&str, u64> = [("tea", 250), ("cake", 400)].into();
    println!("prices={}", listed(prices.iter()));
    let waiting: VecDeque<i16> = [5, -6, 7].into();
    println!("waiting=[{}]", waiting.iter().map(i16::to_string).collect::<Vec<_>>().join(", "));
    let owned = Box::new(Order { number: 8, note: None });
    println!("owned={:p}{{number={}, note={}}}", owned, owned.number, noted(&owned.note));
    let shared = Rc::new(Order { number: 9, note: None });
    let other = Rc::clone(&shared);
    let count = Rc::strong_count(&shared);
    println!("shared={{number={}, note={}}} ({count} owners)", shared.number, noted(&shared.note));
    black_box((&point, &circle, (&rect, &arc, &pair), &order, &empty, &failed, &names, &prices, &waiting, &owned, &other));
    println!("{}", read(black_box(0x40_0000 as *const u32)));
    black_box((&point, &circle, (&rect, &arc, &pair), &order, &empty, &failed, &names, &prices, &waiting, &owned, &other));
}
