extern crate strsim;

use strsim::jaro_winkler;

// strsim 0.9.3: "Fix Jaro and Jaro-Winkler when the arguments have lengths of 1 and are equal".
#[test]
fn equal_letters_are_alike() {
    let likeness = jaro_winkler("a", "a");
    assert_eq!(likeness, 1.0);
}
