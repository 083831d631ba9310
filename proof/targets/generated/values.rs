// What generated programs make values with, add them up and write them as JSON by.
use std::fmt::Write;

/** Numbers that follow from one another. */
pub struct Numbers(pub u64);
impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 33
    }
}

pub trait Made: Sized {
    fn made(g: &mut Numbers) -> Self;
}
pub trait Sum {
    fn sum(&self) -> u64;
}
pub trait Json {
    fn json(&self, o: &mut String);
}

macro_rules! numbers {
    ($($t:ty),*) => { $(
        impl Made for $t { fn made(g: &mut Numbers) -> Self { (g.next() % 100) as $t } }
        impl Sum for $t { fn sum(&self) -> u64 { *self as u64 } }
        impl Json for $t { fn json(&self, o: &mut String) { write!(o, "{self}").unwrap(); } }
    )* };
}
numbers!(u8, u16, u32, u64, i8, i16, i32, i64, usize);
macro_rules! floats {
    ($($t:ty),*) => { $(
        impl Made for $t { fn made(g: &mut Numbers) -> Self { (g.next() % 100) as $t / 4.0 + 0.25 } }
        impl Sum for $t { fn sum(&self) -> u64 { (*self * 4.0) as u64 } }
        impl Json for $t { fn json(&self, o: &mut String) { write!(o, "{self}").unwrap(); } }
    )* };
}
floats!(f32, f64);
impl Made for bool { fn made(g: &mut Numbers) -> Self { g.next() % 2 == 1 } }
impl Sum for bool { fn sum(&self) -> u64 { *self as u64 } }
impl Json for bool { fn json(&self, o: &mut String) { write!(o, "{self}").unwrap(); } }
impl Made for String { fn made(g: &mut Numbers) -> Self { format!("text {}", g.next() % 1000) } }
impl Sum for str { fn sum(&self) -> u64 { self.bytes().map(u64::from).sum() } }
impl Json for str { fn json(&self, o: &mut String) { write!(o, "{self:?}").unwrap(); } }
impl Sum for String { fn sum(&self) -> u64 { self.as_str().sum() } }
impl Json for String { fn json(&self, o: &mut String) { self.as_str().json(o) } }

impl<T: Sum> Sum for [T] { fn sum(&self) -> u64 { self.iter().map(Sum::sum).sum() } }
impl<T: Json> Json for [T] {
    fn json(&self, o: &mut String) {
        for (i, one) in self.iter().enumerate() {
            o.push(if i == 0 { '[' } else { ',' });
            one.json(o);
        }
        o.push_str(if self.is_empty() { "[]" } else { "]" });
    }
}
impl<T: Made> Made for Vec<T> { fn made(g: &mut Numbers) -> Self { (0..g.next() % 4 + 1).map(|_| T::made(g)).collect() } }
impl<T: Sum> Sum for Vec<T> { fn sum(&self) -> u64 { self[..].sum() } }
impl<T: Json> Json for Vec<T> { fn json(&self, o: &mut String) { self[..].json(o) } }
impl<T: Made, const N: usize> Made for [T; N] { fn made(g: &mut Numbers) -> Self { std::array::from_fn(|_| T::made(g)) } }
impl<T: Sum, const N: usize> Sum for [T; N] { fn sum(&self) -> u64 { self[..].sum() } }
impl<T: Json, const N: usize> Json for [T; N] { fn json(&self, o: &mut String) { self[..].json(o) } }
impl<T: Made> Made for Box<T> { fn made(g: &mut Numbers) -> Self { Box::new(T::made(g)) } }
impl<T: Sum> Sum for Box<T> { fn sum(&self) -> u64 { (**self).sum() } }
impl<T: Json> Json for Box<T> { fn json(&self, o: &mut String) { (**self).json(o) } }

pub fn named(o: &mut String, name: &str, value: &impl Json) {
    write!(o, "{{\"{name}\":").unwrap();
    value.json(o);
    o.push('}');
}
impl<T: Made> Made for Option<T> { fn made(g: &mut Numbers) -> Self { if g.next() % 3 == 0 { None } else { Some(T::made(g)) } } }
impl<T: Sum> Sum for Option<T> { fn sum(&self) -> u64 { self.as_ref().map_or(7, |one| one.sum() + 1) } }
impl<T: Json> Json for Option<T> {
    fn json(&self, o: &mut String) {
        match self {
            None => o.push_str("\"None\""),
            Some(one) => named(o, "Some", one),
        }
    }
}
impl<T: Made, E: Made> Made for Result<T, E> { fn made(g: &mut Numbers) -> Self { if g.next() % 3 == 0 { Err(E::made(g)) } else { Ok(T::made(g)) } } }
impl<T: Sum, E: Sum> Sum for Result<T, E> {
    fn sum(&self) -> u64 {
        match self {
            Ok(one) => one.sum() + 1,
            Err(one) => one.sum() + 9,
        }
    }
}
impl<T: Json, E: Json> Json for Result<T, E> {
    fn json(&self, o: &mut String) {
        match self {
            Ok(one) => named(o, "Ok", one),
            Err(one) => named(o, "Err", one),
        }
    }
}
impl<A: Made, B: Made> Made for (A, B) { fn made(g: &mut Numbers) -> Self { (A::made(g), B::made(g)) } }
impl<A: Sum, B: Sum> Sum for (A, B) { fn sum(&self) -> u64 { self.0.sum() + 3 * self.1.sum() } }
impl<A: Json, B: Json> Json for (A, B) {
    fn json(&self, o: &mut String) {
        o.push_str("{\"__0\":");
        self.0.json(o);
        o.push_str(",\"__1\":");
        self.1.json(o);
        o.push('}');
    }
}
