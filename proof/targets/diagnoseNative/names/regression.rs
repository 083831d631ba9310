fn sorted(names: &[&'static str]) -> Vec<&'static str> {
    let mut all = names.to_vec();
    alphanumeric_sort::sort_str_slice(&mut all);
    all
}

#[test]
fn letters_are_sorted() {
    assert_eq!(sorted(&["pear", "apple", "fig"]), ["apple", "fig", "pear"]);
}

#[test]
fn numbers_are_sorted() {
    assert_eq!(sorted(&["page 10", "page 9"]), ["page 9", "page 10"]);
}

#[test]
fn what_is_sorted_stays() {
    assert_eq!(sorted(&["page", "page 9"]), ["page", "page 9"]);
}

// alphanumeric-sort 1.0.12: one that the other begins with comes first.
#[test]
fn the_shorter_is_first() {
    assert_eq!(sorted(&["page 10", "page"]), ["page", "page 10"]);
}
