use crop::Rope;

/** The lines from one on, of the text between two bytes. */
fn lines_from(text: &str, bytes: (usize, usize), from: usize) -> String {
    let rope = Rope::from(text);
    rope.byte_slice(bytes.0..bytes.1).line_slice(from..).to_string()
}

#[test]
fn all_lines() {
    assert_eq!(lines_from("one\ntwo\nthree", (0, 13), 0), "one\ntwo\nthree");
}

#[test]
fn but_the_first() {
    assert_eq!(lines_from("one\ntwo\nthree", (1, 13), 1), "two\nthree");
}

#[test]
fn the_last() {
    assert_eq!(lines_from("one\ntwo\nthree\n", (2, 13), 2), "three");
}

// crop 0.4.2: "fixed a bug that caused RopeSlice::line_slice() to panic or halt forever".
#[test]
fn behind_the_last() {
    assert_eq!(lines_from("one\ntwo\nthree\nfour", (2, 12), 3), "");
}
