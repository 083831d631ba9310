// Trait objects of types only the program knows: behind references, boxes and counted owners; a wild vtable; closures behind Fn.
use std::hint::black_box as kept;
use std::rc::Rc;
use std::sync::Arc;
trait Shape {
    fn area(&self) -> f64;
}
struct Circle {
    radius: f64,
}
struct Named {
    id: u8,
    name: String,
    inner: Option<Box<dyn Shape>>,
}
#[repr(align(64))]
struct Wide {
    sides: [i32; 3],
}
struct Unknown;
impl Shape for Circle {
    fn area(&self) -> f64 {
        self.radius * 3.0
    }
}
impl Shape for Named {
    fn area(&self) -> f64 {
        self.name.len() as f64 + self.id as f64 + self.inner.as_ref().map_or(0.0, |one| one.area())
    }
}
impl Shape for Wide {
    fn area(&self) -> f64 {
        f64::from(self.sides[0] + self.sides[2])
    }
}
impl Shape for Unknown {
    fn area(&self) -> f64 {
        0.5
    }
}
impl Shape for i64 {
    fn area(&self) -> f64 {
        *self as f64
    }
}

mod shown {
    use super::*;
    #[inline(never)]
    pub fn borrowed(shape: &dyn Shape) -> f64 {
        kept(shape).area()
    }
    #[inline(never)]
    pub fn changed(shape: &mut (dyn Shape + Send)) -> f64 {
        kept(shape).area() + 1.0
    }
    #[inline(never)]
    pub fn boxed(shape: Box<dyn Shape>) -> f64 {
        kept(shape).area()
    }
    #[inline(never)]
    pub fn counted(shape: Rc<dyn Shape>) -> f64 {
        kept(shape).area()
    }
    #[inline(never)]
    pub fn shared(shape: Arc<dyn Shape + Send + Sync>) -> f64 {
        kept(shape).area()
    }
    #[inline(never)]
    pub fn all(shapes: &[Box<dyn Shape>]) -> f64 {
        kept(shapes).iter().map(|one| one.area()).sum()
    }
    #[inline(never)]
    pub fn worked(work: &dyn Fn(i32) -> i32) -> i32 {
        kept(work)(1)
    }
    #[inline(never)]
    pub fn wild(shape: &dyn Shape) -> usize {
        kept(shape) as *const dyn Shape as *const () as usize
    }
}

fn main() {
    use shown::*;
    let named = |id: u8, inner| Named { id, name: format!("n{id}"), inner };
    kept(borrowed as fn(&dyn Shape) -> f64)(kept(&Circle { radius: 2.5 }));
    kept(borrowed as fn(&dyn Shape) -> f64)(kept(&named(1, Some(Box::new(Circle { radius: 1.0 })))));
    kept(borrowed as fn(&dyn Shape) -> f64)(kept(&-7i64));
    kept(borrowed as fn(&dyn Shape) -> f64)(kept(&Unknown));
    kept(changed as fn(&mut (dyn Shape + Send)) -> f64)(kept(&mut Wide { sides: [1, 2, 3] }));
    kept(boxed as fn(Box<dyn Shape>) -> f64)(kept(Box::new(named(2, None))));
    kept(counted as fn(Rc<dyn Shape>) -> f64)(kept(Rc::new(named(3, None))));
    kept(counted as fn(Rc<dyn Shape>) -> f64)(kept(Rc::new(Wide { sides: [4, 5, 6] })));
    kept(shared as fn(Arc<dyn Shape + Send + Sync>) -> f64)(kept(Arc::new(Circle { radius: 0.25 })));
    kept(all as fn(&[Box<dyn Shape>]) -> f64)(kept(&[Box::new(Circle { radius: 3.0 }), Box::new(Wide { sides: [7, 8, 9] })]));
    let (k, name) = (kept(40), kept(String::from("anna")));
    kept(worked as fn(&dyn Fn(i32) -> i32) -> i32)(kept(&move |n| n + k + name.len() as i32));
    let words: [usize; 2] = [kept(16), kept(24)];
    println!("{}", wild(kept(unsafe { std::mem::transmute::<[usize; 2], &dyn Shape>(words) })));
}
