use rust_lapper::{Interval, Lapper};

fn lapper(ranges: &[(u32, u32)]) -> Lapper<u32> {
    let intervals = ranges.iter().map(|&(start, stop)| Interval { start, stop, val: 0 });
    Lapper::new(intervals.collect())
}

#[test]
fn what_overlaps_is_found() {
    let found = lapper(&[(1, 5), (3, 8), (10, 12)]);
    assert_eq!(found.find(4, 6).count(), 2);
    assert_eq!(found.find(8, 10).count(), 0);
}

#[test]
fn what_overlaps_is_counted() {
    assert_eq!(lapper(&[(1, 5), (3, 8), (10, 12)]).count(4, 6), 2);
    assert_eq!(lapper(&[(1, 5), (10, 12)]).count(0, 20), 2);
}

#[test]
fn joined_ranges_are_found() {
    let mut joined = lapper(&[(1, 5), (3, 8), (10, 12)]);
    joined.merge_overlaps();
    assert_eq!(joined.find(0, 9).count(), 1);
}

// rust-lapper 0.4.2: "Bugfix in to update starts/stops vectors when overlaps merged".
#[test]
fn joined_ranges_are_counted() {
    let mut joined = lapper(&[(1, 5), (3, 8), (10, 12)]);
    joined.merge_overlaps();
    assert_eq!(joined.count(0, 9), 1);
}
