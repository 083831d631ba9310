use bytesize::ByteSize;

fn problem(text: &str) -> String {
    let told = text.parse::<ByteSize>().unwrap_err();
    told.rsplit(", ").next().unwrap().to_string()
}

#[test]
fn units_are_read() {
    assert_eq!("3 KB".parse::<ByteSize>().unwrap().as_u64(), 3000);
}

#[test]
fn units_of_two_are_read() {
    assert_eq!("2 MiB".parse::<ByteSize>().unwrap().as_u64(), 2_097_152);
}

#[test]
fn short_words_are_told() {
    assert_eq!(problem("1 zz"), "Failed to parse unit \"zz\"");
}

// bytesize 2.3.1: long units are cut off.
#[test]
fn long_words_are_cut_off() {
    assert_eq!(problem("1 gigantobytes"), "Failed to parse unit \"gig...\"");
}
