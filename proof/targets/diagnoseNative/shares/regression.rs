extern crate num_rational;
extern crate num_traits;

use num_rational::Ratio;
use num_traits::CheckedDiv;

fn share(part: (i32, i32), whole: (i32, i32)) -> Option<Ratio<i32>> {
    Ratio::new(part.0, part.1).checked_div(&Ratio::new(whole.0, whole.1))
}

#[test]
fn a_part() {
    assert_eq!(share((1, 2), (3, 4)), Some(Ratio::new(2, 3)));
}

#[test]
fn of_nothing() {
    assert_eq!(share((1, 2), (0, 1)), None);
}

#[test]
fn nothing() {
    assert_eq!(share((0, 1), (3, 4)), Some(Ratio::new(0, 1)));
}

// num-rational 0.2.4: "Fixed CheckedDiv when both dividend and divisor are 0".
#[test]
fn nothing_of_nothing() {
    assert_eq!(share((0, 1), (0, 1)), None);
}
