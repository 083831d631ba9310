use std::str::FromStr;
use svgtypes::FuncIRI;

fn link(text: &str) -> Option<String> {
    FuncIRI::from_str(text).ok().map(|found| found.0.to_string())
}

#[test]
fn links_are_read() {
    assert_eq!(link("url(#gradient)"), Some("gradient".to_string()));
}

#[test]
fn single_quotes_are_left_out() {
    assert_eq!(link("url('#gradient')"), Some("gradient".to_string()));
}

#[test]
fn others_are_refused() {
    assert_eq!(link("gradient"), None);
}

// svgtypes 0.15.1: "Allow double quotes in FuncIRI".
#[test]
fn double_quotes_are_left_out() {
    assert_eq!(link("url(\"#gradient\")"), Some("gradient".to_string()));
}
