use circular_buffer::CircularBuffer;

fn filled(values: &[i32]) -> CircularBuffer<5, i32> {
    let mut buffer = CircularBuffer::new();
    for value in values {
        buffer.push_back(*value);
    }
    buffer
}

#[test]
fn the_oldest_goes() {
    let buffer = filled(&[1, 2, 3, 4, 5, 6]);
    assert_eq!(buffer.front(), Some(&2));
    assert_eq!(buffer.len(), 5);
}

#[test]
fn equal_ones_are_equal() {
    assert!(filled(&[1, 2, 3]) == filled(&[1, 2, 3]));
    assert!(filled(&[1, 2, 3]) != filled(&[1, 2, 4]));
}

#[test]
fn one_that_wrapped_is_equal() {
    assert!(filled(&[0, 1, 2, 3, 4, 5]) == filled(&[1, 2, 3, 4, 5]));
}

// circular-buffer 0.1.6: "Fixed a bug in the PartialEq implementation".
#[test]
fn both_that_wrapped_are_equal() {
    let one = filled(&[0, 0, 1, 2, 3, 4, 5]);
    let other = filled(&[0, 0, 0, 0, 1, 2, 3, 4, 5]);
    let same = one == other;
    assert_eq!(same, true);
}
