// Values that lead to functions: function pointers, trait objects; and 128-bit numbers by value.
trait Shape {
    fn area(&self) -> f64;
}
struct Circle {
    radius: f64,
}
struct Named {
    name: String,
}
impl Shape for Circle {
    fn area(&self) -> f64 {
        self.radius * 3.0
    }
}
impl Shape for Named {
    fn area(&self) -> f64 {
        self.name.len() as f64
    }
}

#[inline(never)]
fn shown(shape: &dyn Shape) -> f64 {
    shape.area()
}
#[inline(never)]
fn owned(shape: Box<dyn Shape>) -> f64 {
    shape.area()
}
#[inline(never)]
fn marked(any: &(dyn Send + Sync)) -> usize {
    std::hint::black_box(std::mem::size_of_val(any))
}
#[inline(never)]
fn twice(x: i32) -> i32 {
    std::hint::black_box(x) * 2
}
#[inline(never)]
fn applied(work: fn(i32) -> i32, to: i32) -> i32 {
    work(to)
}
#[inline(never)]
fn wide(before: u32, number: i128, behind: u64) -> i128 {
    std::hint::black_box(number - i128::from(before) - i128::from(behind))
}

fn main() {
    use std::hint::black_box as kept;
    println!("{} {}", shown(kept(&Circle { radius: 2.0 })), owned(kept(Box::new(Named { name: "ab".into() }))));
    println!("{} {}", marked(kept(&3u16)), applied(kept(twice), kept(4)) + applied(kept(i32::abs), kept(-1)));
    println!("{}", wide(kept(1), kept(-(1i128 << 100)), kept(7)));
}
