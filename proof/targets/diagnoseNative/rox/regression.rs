use roxmltree::{Document, Node};

fn names<'a>(document: &'a Document) -> Vec<&'a str> {
    let root = document.root_element();
    root.children().filter(|node| node.is_element()).map(|node| node.tag_name().name()).collect()
}

fn first<'a, 'd>(document: &'a Document<'d>) -> Node<'a, 'd> {
    document.root_element().first_element_child().unwrap()
}

#[test]
fn elements_are_read() {
    let document = Document::parse("<a><b/>text<c/></a>").unwrap();
    assert_eq!(names(&document), ["b", "c"]);
}

#[test]
fn texts_are_nodes() {
    let document = Document::parse("<a><b/>text<c/></a>").unwrap();
    assert_eq!(first(&document).next_sibling().unwrap().text(), Some("text"));
}

#[test]
fn the_last_child_is_known() {
    let document = Document::parse("<a><b/>text<c/></a>").unwrap();
    let last = document.root_element().last_element_child().unwrap();
    assert_eq!(last.tag_name().name(), "c");
}

// roxmltree 0.10.1: "next_sibling_element were returning the current node".
#[test]
fn columns_are_walked() {
    let document = Document::parse("<row><b/>text<c/><d/></row>").unwrap();
    let mut found = Vec::new();
    let mut cell = Some(first(&document));
    while let Some(node) = cell {
        found.push(node.tag_name().name());
        cell = if found.len() < 5 { node.next_sibling_element() } else { None };
    }
    assert_eq!(found, ["b", "c", "d"]);
}
