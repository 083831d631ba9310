extern crate priority_queue;

use priority_queue::PriorityQueue;

// priority-queue 1.0.3: issue 26.
#[test]
fn the_first_is_known_after_a_change() {
    let mut queue: PriorityQueue<&'static str, i32> = PriorityQueue::new();
    queue.push("a", 0);
    queue.push("b", 1);
    assert_eq!(queue.peek().unwrap().0, &"b");
    for (name, priority) in queue.iter_mut() {
        if name == &"a" {
            *priority = 2;
        }
    }
    assert_eq!(queue.peek().unwrap().0, &"a");
}
