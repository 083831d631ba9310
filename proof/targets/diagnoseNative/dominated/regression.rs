use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};

fn below(ways: &[(u32, u32)], place: u32) -> Vec<usize> {
    let graph = DiGraph::<(), ()>::from_edges(ways);
    let dominators = simple_fast(&graph, NodeIndex::new(0));
    let mut found: Vec<usize> = dominators
        .immediately_dominated_by(NodeIndex::new(place as usize))
        .map(|node| node.index())
        .collect();
    found.sort();
    found
}

#[test]
fn nothing_at_the_end() {
    assert_eq!(below(&[(0, 1), (1, 2)], 2), vec![]);
}

#[test]
fn one_in_a_row() {
    assert_eq!(below(&[(0, 1), (1, 2)], 1), vec![2]);
}

#[test]
fn both_sides_of_a_branch() {
    assert_eq!(below(&[(0, 1), (1, 2), (1, 3), (2, 4), (3, 4)], 1), vec![2, 3, 4]);
}

// petgraph 0.6.6: "immediately_dominated_by function called on root of graph returns root itself".
#[test]
fn from_the_beginning() {
    assert_eq!(below(&[(0, 1), (0, 2), (1, 3), (2, 3)], 0), vec![1, 2, 3]);
}
