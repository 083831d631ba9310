use xmlparser::{Token, Tokenizer};

fn kinds(text: &str) -> Vec<&'static str> {
    Tokenizer::from(text)
        .map(|token| match token {
            Ok(Token::DtdStart { .. }) => "start",
            Ok(Token::DtdEnd { .. }) => "end",
            Ok(Token::EntityDeclaration { .. }) => "entity",
            Ok(Token::EmptyDtd { .. }) => "empty",
            Ok(Token::Comment { .. }) => "comment",
            Ok(_) => "element",
            Err(_) => "error",
        })
        .collect()
}

#[test]
fn elements_are_read() {
    assert_eq!(kinds("<svg/>"), ["element", "element"]);
}

#[test]
fn a_type_may_be_empty() {
    assert_eq!(kinds("<!DOCTYPE svg><svg/>"), ["empty", "element", "element"]);
}

#[test]
fn entities_are_declared() {
    let text = "<!DOCTYPE svg [<!ENTITY ns \"http://a\"><!-- b -->]><svg/>";
    assert_eq!(kinds(text), ["start", "entity", "comment", "end", "element", "element"]);
}

// xmlparser 0.13.3: "`DtdEnd` token parsing when `]` and `>` are separated by a whitespace".
#[test]
fn a_blank_before_the_end_is_no_error() {
    let text = "<!DOCTYPE svg [<!ENTITY ns \"http://a\">] ><svg/>";
    assert_eq!(kinds(text), ["start", "entity", "end", "element", "element"]);
}
