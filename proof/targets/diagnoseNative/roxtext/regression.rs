use roxmltree::Document;

fn text(xml: &str) -> String {
    let document = Document::parse(xml).unwrap();
    document.root_element().text().unwrap_or("").to_string()
}

#[test]
fn texts_are_read() {
    assert_eq!(text("<a>one two</a>"), "one two");
}

#[test]
fn ends_of_lines_are_alike() {
    assert_eq!(text("<a>one\r\ntwo</a>"), "one\ntwo");
}

#[test]
fn signs_are_data() {
    assert_eq!(text("<a><![CDATA[1 < 2]]></a>"), "1 < 2");
}

// roxmltree 0.18.1: "Replace \r in CDATA as well".
#[test]
fn ends_of_lines_of_data_are_alike() {
    assert_eq!(text("<a><![CDATA[one\r\ntwo]]></a>"), "one\ntwo");
}
