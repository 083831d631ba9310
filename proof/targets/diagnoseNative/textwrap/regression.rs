use textwrap::core::display_width;

// textwrap 0.16.1: "Ignore inline-hyperlinks".
#[test]
fn hyperlinks_take_the_room_of_their_text() {
    let line = "\x1b]8;;http://example.com\x1b\\This is a link\x1b]8;;\x1b\\";
    assert_eq!(display_width(line), 14);
}
