extern crate itertools;

use itertools::Itertools;

fn teams(names: &[&'static str], size: usize) -> Vec<String> {
    names.iter().combinations(size).map(|team| team.iter().join("+")).collect()
}

#[test]
fn pairs_of_three() {
    assert_eq!(teams(&["ann", "bob", "cid"], 2), ["ann+bob", "ann+cid", "bob+cid"]);
}

#[test]
fn all_of_two() {
    assert_eq!(teams(&["ann", "bob"], 2), ["ann+bob"]);
}

#[test]
fn more_than_there_are() {
    assert_eq!(teams(&["ann", "bob"], 3).len(), 0);
}

// itertools 0.9.0: "Fix combinations(0) and combinations_with_replacement(0)" (#383).
#[test]
fn nobody_of_nobody() {
    assert_eq!(teams(&[], 0), [""]);
}
