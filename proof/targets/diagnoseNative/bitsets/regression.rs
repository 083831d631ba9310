use fixedbitset::FixedBitSet;

fn set(size: usize, bits: &[usize]) -> FixedBitSet {
    let mut made = FixedBitSet::with_capacity(size);
    made.extend(bits.iter().copied());
    made
}

fn missing(have: &[usize], wanted: &[usize]) -> usize {
    let size = |bits: &[usize]| bits.iter().max().map_or(0, |bit| bit + 1);
    set(size(wanted), wanted).difference_count(&set(size(have), have))
}

#[test]
fn nothing_is_missing() {
    assert_eq!(missing(&[1, 2, 3], &[2, 3]), 0);
}

#[test]
fn one_is_missing() {
    assert_eq!(missing(&[1, 2], &[2, 3]), 1);
}

#[test]
fn all_are_missing() {
    assert_eq!(missing(&[], &[0, 1]), 2);
}

// fixedbitset 0.5.8: the first is longer than the second.
#[test]
fn a_far_one_is_missing() {
    assert_eq!(missing(&[4, 9], &[4, 9, 600]), 1);
}
