use similar::{capture_diff_slices, Algorithm, ChangeTag};

fn marks(old: &[i32], new: &[i32]) -> String {
    let mut text = String::new();
    for op in capture_diff_slices(Algorithm::Lcs, old, new) {
        for change in op.iter_changes(old, new) {
            text.push(match change.tag() {
                ChangeTag::Equal => '=',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            });
        }
    }
    text
}

#[test]
fn one_is_another() {
    assert_eq!(marks(&[1, 2, 3], &[1, 4, 3]), "=-+=");
}

#[test]
fn nothing_is_changed() {
    assert_eq!(marks(&[5, 6], &[5, 6]), "==");
}

#[test]
fn one_is_left_out() {
    assert_eq!(marks(&[1, 2, 3], &[1, 3]), "=-=");
}

// similar 2.4.0: what is alike at the beginning and at the end overlaps.
#[test]
fn one_comes_twice() {
    assert_eq!(marks(&[7], &[7, 7]), "=+");
}
