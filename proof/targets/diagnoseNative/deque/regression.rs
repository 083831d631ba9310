use heapless::Deque;

/** What was pushed to both ends, made one piece. */
fn straightened(front: &[u8], back: &[u8]) -> Deque<u8, 8> {
    let mut made = Deque::new();
    for &one in back {
        made.push_back(one).unwrap();
    }
    for &one in front {
        made.push_front(one).unwrap();
    }
    made.make_contiguous();
    made
}

#[test]
fn one_end_stays() {
    assert_eq!(straightened(&[], &[1, 2, 3]).len(), 3);
}

#[test]
fn little_at_the_front() {
    assert_eq!(straightened(&[2, 1], &[3, 4, 5]).front(), Some(&1));
}

#[test]
fn all_of_it() {
    assert_eq!(straightened(&[4, 3, 2, 1], &[5, 6, 7]).back(), Some(&7));
}

// heapless 0.9.4: "Fixed Deque::make_contigous leading to an inconsistent state".
#[test]
fn much_at_the_front() {
    assert_eq!(straightened(&[4, 3, 2, 1], &[5]).len(), 5);
}
