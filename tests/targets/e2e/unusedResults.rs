// Functions whose result nobody uses, or only some do; each prints what it gave.
#[inline(never)] fn unused(x: i32) -> i32 { println!("unused {}", x * 2); x * 2 }
#[inline(never)] fn used(x: i32) -> i32 { println!("used {}", x * 3); x * 3 }
#[inline(never)] fn partly(x: i32, _y: i32) -> i32 { println!("partly {}", x * 4); x * 4 }
#[inline(never)] fn always(x: i32) -> i32 { println!("always {}", if x > 0 { 7 } else { 8 - 1 }); 7 }
#[inline(never)] fn pointed(x: &i32) -> i64 { println!("pointed {}", *x + 1); (*x + 1) as i64 }
#[inline(never)] fn long(x: &[i32]) -> usize { println!("long {}", x.len()); x.len() }
#[no_mangle] #[inline(never)] pub extern "C" fn visible(x: i32) -> i32 { println!("visible {}", x * 5); x * 5 }

fn main() {
    let count = std::env::args().count() as i32;
    unused(count + 3);
    partly(count, count);
    visible(count);
    pointed(&(count + 9));
    long(&vec![count; count as usize + 4]);
    assert_eq!(used(count) + always(count), 10);
}
