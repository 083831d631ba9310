extern crate min_max_heap;

use min_max_heap::MinMaxHeap;

fn heap(values: &[i32]) -> MinMaxHeap<i32> {
    let mut heap = MinMaxHeap::new();
    for value in values {
        heap.push(*value);
    }
    heap
}

#[test]
fn both_ends_are_known() {
    let heap = heap(&[4, 9, 1, 7]);
    assert_eq!(heap.peek_min(), Some(&1));
    assert_eq!(heap.peek_max(), Some(&9));
}

#[test]
fn the_least_is_replaced() {
    let mut heap = heap(&[4, 9, 1, 7]);
    assert_eq!(heap.replace_min(5), Some(1));
    assert_eq!(heap.pop_min(), Some(4));
}

#[test]
fn the_largest_is_taken() {
    let mut heap = heap(&[4, 9, 1, 7]);
    assert_eq!(heap.pop_max(), Some(9));
    assert_eq!(heap.pop_max(), Some(7));
}

// min-max-heap 1.2.1: "Fixed bugs in replace_max and push_pop_max that were corrupting the heap order".
#[test]
fn a_small_one_for_the_largest() {
    let mut heap = heap(&[4, 9, 6, 7]);
    assert_eq!(heap.replace_max(2), Some(9));
    assert_eq!(heap.pop_min(), Some(2));
}
