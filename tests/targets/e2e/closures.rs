// Closures that print what they were given and what they captured, as JSON: by value, by reference, one field, boxed, once.
use std::hint::black_box as kept;
struct Point {
    x: i64,
    y: i32,
}
struct Till {
    cents: i64,
}
type Work = Box<dyn Fn(i32, f64) -> i64>;

#[inline(never)]
fn works(k: i64, p: Point, name: String) -> Vec<Work> {
    vec![
        Box::new(move |a, b| {
            println!(r#"{{"captured":{{"k":{k},"name":"{name}","p":{{"x":{},"y":{}}}}},"a":{a},"b":{b}}}"#, p.x, kept(&p).y);
            k + a as i64
        }),
        Box::new(move |a, b| {
            println!(r#"{{"captured":{{"k":{k}}},"a":{a},"b":{b}}}"#);
            k * 2
        }),
        Box::new(|a, b| {
            println!(r#"{{"a":{a},"b":{b}}}"#);
            a as i64
        }),
    ]
}
#[inline(never)]
fn run(work: &dyn Fn(i32, f64) -> i64, n: i32) -> i64 {
    work(n, 2.5)
}
#[inline(never)]
fn run_mut(work: &mut dyn FnMut(i32), n: i32) {
    work(n)
}
#[inline(never)]
fn run_once<F: FnOnce(i64) -> String>(work: F, n: i64) -> String {
    work(n)
}
#[inline(never)]
fn generic<T: std::fmt::Display + Copy + 'static>(t: T) -> Box<dyn Fn(i32) -> i32> {
    Box::new(move |a| {
        println!(r#"{{"captured":{{"t":{t}}},"a":{a}}}"#);
        a + 1
    })
}
impl Till {
    #[inline(never)]
    fn each(&self, work: &mut dyn FnMut(i64)) {
        work(self.cents);
        work(self.cents + 1)
    }
    #[inline(never)]
    fn total(&mut self, extra: i64) -> i64 {
        let mut sum = 0;
        self.each(&mut |v| {
            println!(r#"{{"captured":{{"sum":{sum},"extra":{extra}}},"v":{v}}}"#);
            sum += v * extra;
        });
        let mut add = |d: i64| {
            println!(r#"{{"captured":{{"self__cents":{}}},"d":{d}}}"#, self.cents);
            self.cents += d;
        };
        kept(&mut add as &mut dyn FnMut(i64))(5);
        sum
    }
}

fn main() {
    let works = works(kept(40), Point { x: kept(1), y: 2 }, "anna".to_string());
    for (i, work) in works.iter().enumerate() {
        run(work, i as i32);
    }
    let (k, m, name) = (kept(7i64), kept(-3i32), String::from("bert"));
    let by_reference = |a: i32, b: f64| -> i64 {
        println!(r#"{{"captured":{{"k":{k},"name":"{name}"}},"a":{a},"b":{b}}}"#);
        k
    };
    run(&by_reference, 8);
    let mut total = 100;
    run_mut(&mut |n| {
        println!(r#"{{"captured":{{"total":{total}}},"n":{n}}}"#);
        total += n
    }, 5);
    let own = name.clone();
    run_once(move |n| {
        println!(r#"{{"captured":{{"own":"{own}"}},"n":{n}}}"#);
        own
    }, 9);
    run_once(|n| {
        println!(r#"{{"captured":{{"k":{k},"m":{m}}},"n":{n}}}"#);
        String::new()
    }, 10);
    run_once(|n| {
        println!(r#"{{"captured":{{"m":{m}}},"n":{n}}}"#);
        m.to_string()
    }, 11);
    let step = kept(6i32);
    run_once(move |n| {
        println!(r#"{{"captured":{{"step":{step}}},"n":{n}}}"#);
        step.to_string()
    }, 12);
    generic(kept(3i64))(1);
    generic(kept(2.5f64))(2);
    Till { cents: 10 }.total(kept(3));
    let thread = std::thread::spawn(move || println!(r#"{{"captured":{{"k":{k},"name":"{name}"}}}}"#));
    thread.join().unwrap();
}
