extern crate num_integer;

use num_integer::Integer;

fn period(lengths: &[u64]) -> u64 {
    lengths.iter().fold(1, |all, length| all.lcm(length))
}

#[test]
fn periods_of_wheels() {
    assert_eq!(period(&[4, 6, 10]), 60);
}

#[test]
fn parts_have_a_largest() {
    assert_eq!(48u64.gcd(&36), 12);
    assert_eq!(7u64.gcd(&0), 7);
}

#[test]
fn a_wheel_that_stands() {
    assert_eq!(period(&[4, 0]), 0);
}

// num-integer 0.1.40: "Fixed lcm(0, 0) to return 0, rather than panicking" (#18).
#[test]
fn two_wheels_that_stand() {
    assert_eq!(period(&[0, 0]), 0);
}
