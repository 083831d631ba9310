//! An area that adds where it should multiply.

/// ```
/// assert_eq!(area::area(2, 2), 4);
/// ```
#[inline(never)]
pub fn area(width: i32, height: i32) -> i32 {
    assert!(width >= 0, "width below zero: {width}");
    width + height
}

#[cfg(feature = "broken")]
pub fn broken() -> i32 {
    totl
}

#[cfg(test)]
mod tests {
    use super::area;

    #[test]
    fn works() {
        assert_eq!(area(2, 2), 4);
    }

    #[test]
    fn is_wrong() {
        println!("said by is_wrong");
        assert_eq!(area(2, 3), 6, "two by three");
    }

    #[test]
    fn in_callee() {
        area(-1, 2);
    }

    #[test]
    fn gives_error() -> Result<(), String> {
        Err("no paper".into())
    }

    #[test]
    #[ignore = "no ruler"]
    fn is_ignored() {}

    #[test]
    #[should_panic(expected = "below zero")]
    fn panics() {
        area(-1, 0);
    }

    #[test]
    #[should_panic]
    fn does_not_panic() {}
}
