extern crate num_bigint;

use num_bigint::BigInt;

fn round_trip(value: i64) -> BigInt {
    let bytes = BigInt::from(value).to_signed_bytes_be();
    BigInt::from_signed_bytes_be(&bytes)
}

#[test]
fn small_numbers_come_back() {
    assert_eq!(round_trip(0), BigInt::from(0));
    assert_eq!(round_trip(-1), BigInt::from(-1));
    assert_eq!(round_trip(127), BigInt::from(127));
}

#[test]
fn large_numbers_come_back() {
    assert_eq!(round_trip(1_000_000), BigInt::from(1_000_000));
    assert_eq!(round_trip(-70_000), BigInt::from(-70_000));
}

#[test]
fn negative_limits_come_back() {
    assert_eq!(round_trip(-128), BigInt::from(-128));
    assert_eq!(round_trip(-32_768), BigInt::from(-32_768));
}

// num-bigint 0.2.2: "Fixed to_signed_bytes_* for some positive numbers".
#[test]
fn positive_limits_come_back() {
    assert_eq!(round_trip(32_768), BigInt::from(32_768));
}
