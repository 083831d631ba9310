use pathfinding::prelude::yen;

// `ab3`: from a to b at a cost of 3.
fn routes(roads: &'static [&'static str], most: usize) -> Vec<(String, u32)> {
    let next = |from: &char| {
        let mut found = Vec::new();
        for road in roads {
            let parts: Vec<char> = road.chars().collect();
            if parts[0] == *from {
                found.push((parts[1], parts[2].to_digit(10).unwrap()));
            }
        }
        found
    };
    yen(&'a', next, |at| *at == 'z', most)
        .into_iter()
        .map(|(way, cost)| (way.into_iter().collect(), cost))
        .collect()
}

#[test]
fn there_is_one() {
    assert_eq!(routes(&["ab1", "bz1"], 2), [("abz".to_string(), 2)]);
}

#[test]
fn there_is_none() {
    assert_eq!(routes(&["ab1"], 2), []);
}

#[test]
fn the_shorter_comes_first() {
    let found = routes(&["ab3", "ac1", "bz1", "cz1"], 2);
    assert_eq!(found, [("acz".to_string(), 2), ("abz".to_string(), 4)]);
}

// pathfinding 4.3.3: a way through what another begins with.
#[test]
fn all_ways_are_found() {
    let found = routes(&["ab1", "bz1", "ac1", "cz2", "cb3"], 3);
    assert_eq!(found.len(), 3, "{found:?}");
}
