// Where Rust parameters lie: a parameter iN is passed N, fN is passed N + 0.5, pN is a pointer to N.
pub struct Wrapper(#[allow(dead_code)] u64);
pub struct Pair { _a: u64, _b: u64 }
pub struct Triple { _a: u64, _b: u64, _c: u64 }
pub trait Shape { fn scaled(&self, f1: f64, i2: u32) -> f64; }
pub struct Square { side: f64 }
mod places {
    use super::*;
    #[inline(never)] pub fn plain(i1: i32, i2: u8, f3: f64, i4: i64, b5: bool, i6: char, i7: usize, i8: u16, f9: f32) -> i64 { i1 as i64 + i2 as i64 + f3 as i64 + i4 + b5 as i64 + i6 as i64 + i7 as i64 + i8 as i64 + f9 as i64 }
    #[inline(never)] pub fn text(_t: &str, i1: i32, _s: &[u8], i2: i32, i3: i32, i4: i32) -> usize { (i1 + i2 + i3 + i4) as usize }
    #[inline(never)] pub fn wrapped(_w: Wrapper, i1: i32, _u: (), i2: i32) -> i32 { i1 + i2 }
    #[inline(never)] pub fn unsure(i1: i32, _p: Pair, _q: String, i2: i32) -> i32 { i1 + i2 }
    #[inline(never)] pub fn hidden(i1: u64, f2: f64) -> Triple { Triple { _a: i1, _b: f2 as u64, _c: 0 } }
    #[inline(never)] pub fn owned(i1: i32) -> String { i1.to_string() }
    #[inline(never)] pub fn result(i1: i32) -> Result<String, u64> { if i1 > 0 { Ok(i1.to_string()) } else { Err(1) } }
    #[inline(never)] pub fn boxed(_b: Box<i32>, i1: i32, _d: &dyn Shape, i2: i32) -> i32 { i1 + i2 }
    #[inline(never)] pub fn option(i1: i32) -> Option<u8> { Some(i1 as u8) }
    impl Shape for Square { #[inline(never)] fn scaled(&self, f1: f64, i2: u32) -> f64 { self.side * f1 * i2 as f64 } }
    impl Square { #[inline(never)] pub fn grow(&mut self, i1: u32, f2: f64) -> &mut Self { self.side += i1 as f64 + f2; self } }
}
fn main() {
    let mut square = Square { side: 2.0 };
    let sum = places::plain(1, 2, 3.5, 4, true, '\u{6}', 7, 8, 9.5);
    let len = places::text("xyz", 1, b"ab", 2, 3, 4) as i64 + places::wrapped(Wrapper(9), 1, (), 2) as i64;
    let odd = places::unsure(1, Pair { _a: 8, _b: 9 }, String::from("x"), 2) as i64 + places::option(1).unwrap() as i64;
    let triple = places::hidden(1, 2.5);
    let closure = |i1: i64| i1 + sum;
    println!("{} {} {} {} {} {}", sum, len, odd, triple._a, places::owned(1), closure(1));
    println!("{:?} {} {} {}", places::result(1), places::boxed(Box::new(1), 1, &square, 2), square.grow(1, 2.5).side, 1);
    println!("{}", Shape::scaled(&square, 1.5, 2));
}
