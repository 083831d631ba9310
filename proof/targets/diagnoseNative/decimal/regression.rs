use rust_decimal::Decimal;
use std::str::FromStr;

fn price(text: &str) -> Decimal {
    Decimal::from_str(text).unwrap()
}

// rust_decimal 1.31.0: "Fixes an issue with trunc_with_scale".
#[test]
fn digits_are_cut_off() {
    assert_eq!(price("0.51560089").trunc_with_scale(4), price("0.5156"));
    assert_eq!(price("0.515600893691").trunc_with_scale(4), price("0.5156"));
}
