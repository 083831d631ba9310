//! Futures that go on in steps. Each step says what it was at its beginning: where it waited, and with what.
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, RawWaker, RawWakerVTable, Waker};

struct Pause(bool);

impl Future for Pause {
    type Output = u32;
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<u32> {
        if self.0 {
            return Poll::Ready(3);
        }
        self.0 = true;
        Poll::Pending
    }
}

struct Order {
    id: u64,
    cents: i64,
}

async fn settle(order: Order, name: String) -> Result<i64, String> {
    println!(
        r#"["settle", "Unresumed", {{"order": {{"id": {}, "cents": {}}}, "name": "{name}"}}]"#,
        order.id, order.cents
    );
    let (line, factor) = (line!(), Pause(false).await);
    println!(
        r#"["settle", "Suspend0@{line}", {{"order": {{"id": {}, "cents": {}}}, "name": "{name}"}}]"#,
        order.id, order.cents
    );
    let names = vec![name, "second".to_string()];
    let (line, more) = (line!(), Pause(false).await);
    println!(
        r#"["settle", "Suspend1@{line}", {{"order": {{"id": {}, "cents": {}}}, "names": ["{}", "second"], "factor": {factor}}}]"#,
        order.id, order.cents, names[0]
    );
    if order.cents < 0 {
        return Err(format!("{} owes", names[0]));
    }
    Ok(order.cents * i64::from(factor + more))
}

async fn both() -> i64 {
    let one = settle(Order { id: 1, cents: 250 }, "Ada".to_string())
        .await
        .unwrap_or(-1);
    let other = settle(Order { id: 2, cents: -5 }, "Bob".to_string())
        .await
        .unwrap_or(-2);
    one + other
}

fn run(mut future: Pin<Box<dyn Future<Output = i64>>>) -> i64 {
    const TABLE: RawWakerVTable = RawWakerVTable::new(
        |_| RawWaker::new(std::ptr::null(), &TABLE),
        |_| {},
        |_| {},
        |_| {},
    );
    let waker = unsafe { Waker::from_raw(RawWaker::new(std::ptr::null(), &TABLE)) };
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(result) = future.as_mut().poll(&mut context) {
            return result;
        }
    }
}

fn main() {
    let sum = run(Box::pin(both()));
    let factor = 2u32;
    let block = run(Box::pin(async move {
        println!(r#"["main", "Unresumed", {{"factor": {factor}}}]"#);
        let (line, got) = (line!(), Pause(false).await);
        println!(r#"["main", "Suspend0@{line}", {{"factor": {factor}}}]"#);
        i64::from(factor * got)
    }));
    assert_eq!((sum, block), (1498, 6));
}
