use indextree::{Arena, NodeId};

/** The number of the node at the end of a row, as it is found from what it holds. */
fn number_of_last(names: &[&str]) -> usize {
    let mut arena = Arena::new();
    let mut above: Option<NodeId> = None;
    for name in names {
        let node = arena.new_node(name.to_string());
        if let Some(above) = above {
            above.append(node, &mut arena);
        }
        above = Some(node);
    }
    let last = arena.get(above.unwrap()).unwrap();
    arena.get_node_id(last).unwrap().into()
}

#[test]
fn one() {
    assert_eq!(number_of_last(&["src"]), 1);
}

#[test]
fn below_another() {
    assert_eq!(number_of_last(&["src", "lib"]), 2);
}

#[test]
fn below_others() {
    assert_eq!(number_of_last(&["src", "lib", "tests"]), 3);
}

// indextree 4.4.0: nodes are found by where they are, not by what they hold.
#[test]
fn named_like_another() {
    assert_eq!(number_of_last(&["src", "lib", "tests", "lib"]), 4);
}
