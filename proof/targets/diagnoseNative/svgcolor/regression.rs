use std::str::FromStr;
use svgtypes::Color;

fn parts(text: &str) -> (u8, u8, u8) {
    let color = Color::from_str(text).unwrap();
    (color.red, color.green, color.blue)
}

#[test]
fn names_are_known() {
    assert_eq!(parts("red"), (255, 0, 0));
}

#[test]
fn digits_are_read() {
    assert_eq!(parts("#1a2b3c"), (0x1a, 0x2b, 0x3c));
}

#[test]
fn full_colors_are_made() {
    assert_eq!(parts("hsl(120, 100%, 50%)"), (0, 255, 0));
}

// svgtypes 0.15.3: "Round hues in HSL to RGB conversion".
#[test]
fn shades_are_rounded() {
    assert_eq!(parts("hsl(0, 50%, 50%)"), (191, 64, 64));
}
