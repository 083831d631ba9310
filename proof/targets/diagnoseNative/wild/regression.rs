use wildmatch::WildMatch;

fn fitting<'a>(form: &str, names: &[&'a str]) -> Vec<&'a str> {
    let form = WildMatch::new(form);
    names.iter().copied().filter(|name| form.matches(name)).collect()
}

#[test]
fn any_end() {
    assert_eq!(fitting("main.*", &["main.c", "main.rs", "mail.c"]), vec!["main.c", "main.rs"]);
}

#[test]
fn any_letter() {
    assert_eq!(fitting("log?", &["log1", "log", "log22"]), vec!["log1"]);
}

#[test]
fn any_beginning() {
    assert_eq!(fitting("*.log", &["a.log", "b.log.gz", "c.log"]), vec!["a.log", "c.log"]);
}

// wildmatch 2.1.1: what any letter stood for is tried again.
#[test]
fn a_letter_behind_any_beginning() {
    assert_eq!(fitting("*o?a*", &["roast", "foobar"]), vec!["foobar"]);
}
