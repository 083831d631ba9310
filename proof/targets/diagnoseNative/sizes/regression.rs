use bytesize::ByteSize;

fn shown(bytes: u64) -> String {
    ByteSize(bytes).to_string()
}

#[test]
fn small_ones_are_bytes() {
    assert_eq!(shown(215), "215 B");
}

#[test]
fn thousands_are_kibibytes() {
    assert_eq!(shown(2048), "2.0 KiB");
}

#[test]
fn halves_are_told() {
    assert_eq!(shown(1_572_864), "1.5 MiB");
}

// bytesize 2.4.1: a byte below the next unit.
#[test]
fn almost_the_next_unit() {
    assert_eq!(shown(1_125_899_906_842_623), "1024.0 TiB");
}
