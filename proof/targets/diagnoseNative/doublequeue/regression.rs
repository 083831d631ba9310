use priority_queue::DoublePriorityQueue;

fn queue(items: &[(&'static str, i32)]) -> DoublePriorityQueue<&'static str, i32> {
    items.iter().cloned().collect()
}

#[test]
fn both_ends_are_known() {
    let some = queue(&[("a", 3), ("b", 9), ("c", 5)]);
    assert_eq!(some.peek_min(), Some((&"a", &3)));
    assert_eq!(some.peek_max(), Some((&"b", &9)));
}

#[test]
fn priorities_are_changed() {
    let mut some = queue(&[("a", 3), ("b", 9), ("c", 5)]);
    some.change_priority("b", 1);
    assert_eq!(some.pop_min(), Some(("b", 1)));
}

#[test]
fn what_is_not_wanted_stays() {
    let mut some = queue(&[("a", 3), ("b", 9), ("c", 5)]);
    assert_eq!(some.pop_max_if(|_, priority| *priority > 10), None);
    assert_eq!(some.len(), 3);
}

// priority-queue 2.2.2: "Fix a bug in the heapify_up implementation for DoublePriorityQueue".
#[test]
fn what_is_wanted_is_taken_until_none_is_left() {
    let mut some = queue(&[("a", 3), ("b", 9)]);
    assert_eq!(some.pop_max_if(|_, priority| *priority > 1), Some(("b", 9)));
    assert_eq!(some.pop_max_if(|_, priority| *priority > 1), Some(("a", 3)));
    assert!(some.is_empty());
}
