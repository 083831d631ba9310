extern crate petgraph;

use petgraph::graphmap::DiGraphMap;

// petgraph 0.6.0: "Fixed GraphMap::remove_node not removing some edges" (#432).
#[test]
fn edges_go_with_their_node() {
    let mut graph = DiGraphMap::new();
    graph.add_edge(1, 2, "to two");
    graph.add_edge(2, 3, "to three");
    graph.remove_node(2);
    assert_eq!(graph.edge_count(), 0);
}
