extern crate slab;

use slab::Slab;

#[test]
fn keys_come_in_order() {
    let mut slab = Slab::new();
    assert_eq!(slab.insert("a"), 0);
    assert_eq!(slab.insert("b"), 1);
}

#[test]
fn a_free_place_is_taken_first() {
    let mut slab: Slab<&str> = [(0, "a"), (1, "b"), (2, "c")].iter().cloned().collect();
    slab.remove(1);
    assert_eq!(slab.insert("d"), 1);
    assert_eq!(slab.insert("e"), 3);
}

#[test]
fn entries_are_kept() {
    let slab: Slab<&str> = [(0, "a"), (2, "c")].iter().cloned().collect();
    assert_eq!(slab.len(), 2);
    assert_eq!(slab.get(1), None);
}

// slab 0.4.4: "Fix panic in FromIterator impl" (#102).
#[test]
fn holes_are_filled_then_the_end() {
    let mut slab: Slab<&str> = [(0, "a"), (2, "c")].iter().cloned().collect();
    let hole = slab.insert("b");
    let end = slab.insert("d");
    assert_eq!((hole, end), (1, 3));
}
