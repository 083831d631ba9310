use versions::Version;

fn newer(one: &str, other: &str) -> bool {
    Version::new(one).unwrap() > Version::new(other).unwrap()
}

#[test]
fn numbers_are_compared() {
    assert!(newer("1.10", "1.9"));
}

#[test]
fn longer_ones_are_newer() {
    assert!(newer("1.2.3.1", "1.2.3"));
}

#[test]
fn letters_are_compared() {
    assert!(newer("1.2.b", "1.2.a"));
}

// versions 6.3.1: chunks that begin with a letter.
#[test]
fn revisions_are_compared_by_number() {
    assert!(newer("2.14.r23.ga07d3df-1", "2.14.r8.g28399bf-1"));
}
