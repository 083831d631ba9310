use generational_arena::Arena;

fn arena(values: &[i32]) -> Arena<i32> {
    values.iter().cloned().collect()
}

#[test]
fn values_are_counted() {
    let mut some = arena(&[1, 2, 3]);
    assert_eq!(some.len(), 3);
    some.insert(4);
    assert_eq!(some.iter().map(|(_, value)| *value).sum::<i32>(), 10);
}

#[test]
fn some_are_kept() {
    let mut some = arena(&[1, 2, 3, 4]);
    some.retain(|_, value| *value > 2);
    assert_eq!(some.len(), 2);
}

#[test]
fn what_is_removed_is_gone() {
    let mut some = Arena::new();
    let first = some.insert(1);
    some.insert(2);
    assert_eq!(some.remove(first), Some(1));
    assert_eq!(some.get(first), None);
}

// generational-arena 0.2.7: "Fixed a bug in Arena::retain where not every element was always considered".
#[test]
fn none_is_kept_beside_a_hole() {
    let mut some = Arena::new();
    let first = some.insert(1);
    some.insert(2);
    some.insert(3);
    some.remove(first);
    some.retain(|_, _| false);
    let left: Vec<i32> = some.iter().map(|(_, value)| *value).collect();
    assert_eq!(left, Vec::<i32>::new());
}
