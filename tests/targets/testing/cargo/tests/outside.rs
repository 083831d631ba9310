//! An integration test of the crate.

#[test]
fn from_outside() {
    assert_eq!(area::area(0, 7), 0);
}
