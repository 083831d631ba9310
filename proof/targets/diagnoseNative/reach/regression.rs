use pathfinding::prelude::dfs_reach;

fn visited(graph: &'static [&'static [usize]]) -> Vec<usize> {
    dfs_reach(0, |at: &usize| graph[*at].to_vec()).collect()
}

#[test]
fn a_chain() {
    assert_eq!(visited(&[&[1], &[2], &[]]), [0, 1, 2]);
}

#[test]
fn a_circle_ends() {
    assert_eq!(visited(&[&[1], &[0]]), [0, 1]);
}

#[test]
fn branches_one_by_one() {
    assert_eq!(visited(&[&[1, 2], &[3], &[], &[]]), [0, 1, 3, 2]);
}

// pathfinding 4.8.2: deep before wide, also where two lead to one.
#[test]
fn what_two_lead_to_comes_with_the_first() {
    assert_eq!(visited(&[&[1, 2, 3], &[3], &[], &[]]), [0, 1, 3, 2]);
}
