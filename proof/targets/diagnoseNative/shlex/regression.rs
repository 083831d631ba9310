extern crate shlex;

// shlex 1.0.0: "Fixes parsing of '\\n' to match the behavior of bash".
#[test]
fn backslashes_in_single_quotes_stay() {
    assert_eq!(shlex::split(r"echo 'a\\n'"), Some(vec!["echo".to_string(), r"a\\n".to_string()]));
}
