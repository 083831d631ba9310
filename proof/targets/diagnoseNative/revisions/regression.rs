use versions::{MChunk, Mess};

fn first(text: &str) -> MChunk {
    Mess::new(text).unwrap().chunks.remove(0)
}

#[test]
fn words_stay() {
    assert_eq!(first("beta.2"), MChunk::Plain("beta".into()));
}

#[test]
fn numbers_before_a_dot() {
    assert_eq!(first("12.x"), MChunk::Digits(12, "12".into()));
}

#[test]
fn revisions_before_a_dash() {
    assert_eq!(first("r7-x"), MChunk::Rev(7, "r7".into()));
}

// versions 6.3.1: a number at the end.
#[test]
fn a_number_alone() {
    assert_eq!(first("3"), MChunk::Digits(3, "3".into()));
}
